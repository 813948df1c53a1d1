"""Checks of the handed-in weights: parsed where no student code has run, audited in the reference model."""

from __future__ import annotations

import torch
from torch import Tensor

from grader_tests.references import dates, rematch
from grading.checks import CheckFailed, check
from grading.expectations import expect
from grading.student import Student, StudentFault
from grading.wire import WireError

FILE = "rematch.pt"
SIZES = (37, 14)
LEAST_EXACT, LEAST_MASS = 0.98, 0.90
# Runs in a sandbox of its own. torch reads tensors alone; names and shapes are told before a tensor is sent.
READER = """
import io
import torch

def read(content, shapes):
    try:
        found = torch.load(io.BytesIO(content.numpy().tobytes()), map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception:
        return "no weights"
    if not isinstance(found, dict):
        return "no dict"
    if sorted(map(str, found)) != sorted(shapes) or not all(isinstance(name, str) for name in found):
        return "other names"
    for name, value in found.items():
        if not isinstance(value, torch.Tensor) or list(value.shape) != shapes[name] or not value.is_floating_point():
            return "other shapes"
    return {name: value.detach().to(torch.float32) for name, value in found.items()}
"""
FAULTS = {
    "no weights": (
        "is no file of weights that torch can read safely",
        "save them with `torch.save(model.state_dict(), 'rematch.pt')`: the state dict, not the model",
    ),
    "no dict": ("holds something else than a state dict", "save `model.state_dict()`"),
    "other names": (
        "holds other names than the model's parameters, or more",
        "save `model.state_dict()` and nothing beside it",
    ),
    "other shapes": ("holds parameters of other shapes", "train at 37 and 14, with the default widths"),
}


def handed_in_model(student: Student) -> rematch.AttentiveDateModel:
    """The reference model with the handed-in weights. Raises CheckFailed, with a finding, for anything but those."""
    content = torch.frombuffer(bytearray(student.file(FILE) or b"\0"), dtype=torch.uint8)
    with torch.random.fork_rng(devices=[]):
        model = rematch.AttentiveDateModel(*SIZES)
    shapes = {name: list(value.shape) for name, value in model.state_dict().items()}
    try:
        with student.apart(READER) as reader:
            found = reader.ask("read", content, shapes).value
    except (StudentFault, WireError) as fault:
        raise refused(student, "cannot be read within the limits of time and memory", "") from fault
    if isinstance(found, str) and found in FAULTS:
        raise refused(student, *FAULTS[found])
    weights = found if isinstance(found, dict) else {}
    fits = {name: isinstance(weights.get(name), Tensor) and list(weights[name].shape) == shapes[name] for name in shapes}
    if set(weights) != set(shapes) or not all(fits.values()):
        raise refused(student, *FAULTS["other shapes"])
    model.load_state_dict(weights)
    return model


def refused(student: Student, came: str, hint: str) -> CheckFailed:
    """A failure that the instructor hears of as well."""
    student.findings.append(f"{FILE} {came}.")
    return CheckFailed(f"{FILE} {came}", "the state dict of your trained model", hint)


@check(
    "weights_exact",
    cell="rematch_weights",
    points=1,
    uses=(),
    about="the handed-in weights, in a reference model, on the sealed test",
)
def weights_exact(student: Student, generator: torch.Generator) -> None:
    """The 437 unambiguous test sources, decoded in one batch."""
    model, known = handed_in_model(student), dates.benchmark()
    share = rematch.exact_match(model, dates.encode(known.test, known.source_ids, known.target_ids))
    hint = "was the training interrupted, or the file saved before it had ended?"
    came = f"{share:.1%} of {len(known.test)} sealed dates without a mistake"
    expect(share >= LEAST_EXACT, came, f"at least {LEAST_EXACT:.0%}", hint)


@check(
    "weights_aligned",
    cell="rematch_weights",
    points=1,
    uses=(),
    about="where the handed-in weights look while they write the year",
)
def weights_aligned(student: Student, generator: torch.Generator) -> None:
    """The first 400 unambiguous validation sources; four steps are enough."""
    model, known = handed_in_model(student), dates.benchmark()
    batch = dates.encode(known.valid, known.source_ids, known.target_ids)
    _, weights = model.greedy_decode(batch.source, batch.lengths, 4)
    mass = rematch.year_region_mass(weights, batch.lengths)
    came = f"{mass:.1%} of the weight of the first four rows lies on the year"
    expect(mass >= LEAST_MASS, came, f"at least {LEAST_MASS:.0%}", "was the model trained by the schedule, with attention?")
