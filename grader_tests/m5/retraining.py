"""How a student's whole training is repeated by `./course score --retrain`, what is read out of it, and what it is compared with.

The solved notebook takes about three minutes of one core, and so do most right answers. One that loops over every key of every
example takes six minutes an epoch: after an hour it is cut short, with about nine epochs known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from torch import Tensor

from grader_tests.references import dates
from grading.curves import Curve, NoCurve, Retraining, epoch_line, share, shares
from grading.student import Student

EPOCHS = 25
_LINE = re.compile(r"^epoch +(\d{1,3}) of \d{1,3} .*exact match +(\d{1,3}(?:\.\d{1,4})?)%")
# 1,575 updates through eleven steps of an LSTM cell, forward and back, and 25 evaluations: no machine does them in less.
LEAST_CPU_S = 5.0
# The published model without any attention is never below 0.79 after epoch 8; what reads by attention and ends lower is broken.
LEAST_HONEST = 0.5
PUBLISHED = (
    Curve("published, learned access", {6: 0.9325, 12: 0.9975}, 1.0),
    Curve("published, one fixed state", {6: 0.538, 12: 0.95}, 0.931),
)


def told(line: str) -> tuple[int, float] | None:
    """An epoch and its exact match, from a line of `date_task.train_schedule`."""
    return epoch_line(_LINE, line)


def by_epoch(student: Student) -> Mapping[int, float]:
    """The notebook's own `curve`."""
    return shares(student.read("curve"), EPOCHS)


def final(student: Student) -> float:
    """The share of the 437 sealed dates that the trained model writes without a mistake.

    It is shown the sources alone, and what it writes is compared here: the notebook has no say in it. Raises NoCurve.
    """
    known = dates.benchmark()
    batch = dates.encode(known.test, known.source_ids, known.target_ids)
    student.ask("model.eval")
    said = student.ask("model.greedy_decode", batch.source, batch.lengths).value
    tokens = said[0] if isinstance(said, (tuple, list)) and said else said
    if not isinstance(tokens, Tensor) or tokens.ndim != 2 or len(tokens) != len(known.test) or tokens.shape[1] < 10:
        raise NoCurve("`model.greedy_decode` gives no tokens of the sealed dates")
    return share((tokens[:, :10] == batch.target_out[:, :10]).all(dim=1).double().mean().item())


def beside(given: Mapping[str, bytes]) -> tuple[Curve, ...]:
    """The published numbers, and the frozen curve of the given model."""
    frozen = json.loads(given["baseline_curve.json"])
    ours = Curve("ours, one fixed state (frozen)", shares(frozen["validation"], EPOCHS), share(frozen["test"]))
    return (*PUBLISHED, ours)


def remarks(curve: Curve, cpu_s: float, passed: frozenset[str]) -> tuple[str, ...]:
    """What can be known of a repeated run. Weights that differ from those handed in are nothing to remark on: another number of
    threads or another processor gives others, and weights that agree are what equal machines make of one seed."""
    found = []
    if curve.epochs == EPOCHS and cpu_s < LEAST_CPU_S:
        found.append(
            f"It tells of {EPOCHS} epochs after {cpu_s:.1f} s of processor time, too few to train them. Read the notebook."
        )
    if curve.final is not None and curve.final < LEAST_HONEST and curve.epochs == EPOCHS and "weights_exact" in passed:
        found.append(
            f"This loop ends at {curve.final:.1%} of the sealed dates, and the handed-in weights passed their audit there: "
            "they were not made by the loop as it was handed in. Ask how they were."
        )
    return tuple(found)


RETRAINING = Retraining(
    cell="train",
    epochs=EPOCHS,
    marks=(6, 12, EPOCHS),
    cpu_s=3600.0,
    wall_s=7200.0,
    question_cpu_s=60.0,
    told=told,
    by_epoch=by_epoch,
    final=final,
    beside=beside,
    remarks=remarks,
)
