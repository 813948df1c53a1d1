"""Checks of `exact_match`, on the given model."""

from __future__ import annotations

import torch

from grader_tests.m5.models import draw_baseline, draw_batch, draw_telling, give_baseline, give_batch
from grader_tests.m5.training import SIZES, as_number
from grader_tests.references import rematch
from grader_tests.references.dates import Encoded
from grading.checks import check
from grading.expectations import close, expect
from grading.student import Kept, Student


def draw_match(generator: torch.Generator) -> tuple[rematch.FixedStateDateModel, Encoded, float]:
    """A model, and targets of which some are what it says, some wrong in one place; the share of the first kind.

    The eleventh token agrees in one example alone, and `target_in` is another date's: neither is to be looked at.
    """

    def make(g: torch.Generator) -> tuple[rematch.FixedStateDateModel, Encoded]:
        model = draw_baseline(g, SIZES)
        with torch.no_grad():
            model.output.bias[:3] = -1e3  # it says characters only, as a trained model does within a date
        return model, draw_batch(g, 5, SIZES)

    model, batch = draw_telling(generator, make)
    said, _ = model.greedy_decode(batch.source, batch.lengths, 11)
    targets = said.clone()
    targets[1:, 10] = 2
    for row, place in ((1, 0), (4, 9)):
        targets[row, place] = (said[row, place] - 2) % (SIZES.n_target - 3) + 3
    return model, batch._replace(target_out=targets), 3 / 5


@check("exact_match_values", cell="exact_match", points=0.5, uses=("exact_match", "date_task"), about="the share of whole dates")
def exact_match_values(student: Student, generator: torch.Generator) -> None:
    """On the given model."""
    baseline, batch, right = draw_match(generator)
    give_baseline(student, baseline, SIZES)
    found = as_number(student.ask("exact_match", Kept("baseline"), give_batch(student, batch)).value, "the share")
    said, _ = baseline.greedy_decode(batch.source, batch.lengths, 11)
    same = said == batch.target_out
    forced = baseline(batch.source, batch.lengths, batch.target_in).argmax(2) == batch.target_out
    mistakes = {
        "this is the share of characters; a date counts when all ten are right": float(same[:, :10].double().mean()),
        "the eleventh token is compared too": float(same.all(1).double().mean()),
        "this is teacher forcing: decode greedily, target_in is not to be looked at": float(
            forced[:, :10].all(1).double().mean()
        ),
        "these are percent; a share is asked for": 100 * right,
        "this is a count; a share is asked for": 5 * right,
        "nine characters are compared; a date has ten": float(same[:, :9].all(1).double().mean()),
    }
    known = next((name for name, wrong in mistakes.items() if abs(found - wrong) < 1e-6), "")
    expect(abs(found - right) < 1e-6, f"a share that differs by {abs(found - right):.2g}", "the share of whole dates", known)


@check(
    "exact_match_mode",
    cell="exact_match",
    points=0.5,
    uses=("exact_match", "date_task"),
    about="the model's mode and weights left as they were, in training and in evaluation mode",
)
def exact_match_mode(student: Student, generator: torch.Generator) -> None:
    """Both modes; nothing random, nothing changed."""
    baseline, batch, _ = draw_match(generator)
    give_baseline(student, baseline, SIZES)
    for mode, name in ((True, "training"), (False, "evaluation")):
        student.ask("baseline.train", mode)
        reply = student.ask("exact_match", Kept("baseline"), give_batch(student, batch))
        as_number(reply.value, "the share")
        kept = student.read("baseline.training") is mode
        expect(kept, f"a model that was in {name} mode is in the other one", "the mode that it was in")
        expect(not reply.random_moved, "a draw from the global generator", "nothing random")
    state = student.ask("baseline.state_dict").value
    same = isinstance(state, dict) and all(close(state[name], value, 0.0) for name, value in baseline.state_dict().items())
    expect(same, "the model's weights were changed", "weights left as they are")
