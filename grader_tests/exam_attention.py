"""exam_attention: the exam. What it is worth, and the checks of the practice paper; every student's are drawn as theirs are."""

from __future__ import annotations

from grader_tests.exam import calibrated, projected
from grader_tests.exam.kinds import POINTS
from grader_tests.exam.paper import SLOTS, draw_paper, key_sheet, paper_checks, texts
from grader_tests.exam.pool_key import pool_key
from grading.checks import Assignment, Check, Personal
from grading.variant import PRACTICE, Variant, derive

_PART_B: tuple[Check, ...] = (
    projected.projected_layers,
    projected.projected_shares,
    projected.projected_weights,
    projected.projected_context,
    projected.projected_mask_values,
    projected.projected_mask_excludes,
    projected.projected_padding,
    projected.projected_batches,
    projected.projected_properties,
    calibrated.calibrated_attention_unit,
    calibrated.calibrated_attention_divisor,
    calibrated.calibrated_attention_mask,
    calibrated.calibrated_attention_excludes,
    calibrated.calibrated_attention_output,
    calibrated.calibrated_attention_padding,
    calibrated.calibrated_attention_extremes,
    calibrated.calibrated_attention_properties,
)


def personal(variant: Variant) -> Personal:
    """A student's paper: the texts of its cells, and the checks that know its key."""
    paper = draw_paper(variant)
    return Personal(paper.mark, dict(texts(paper)), (*paper_checks(paper), *_PART_B), key_sheet(paper))


ASSIGNMENT = Assignment(
    name="exam_attention",
    points={
        **{f"exam_{slot.lower()}": POINTS for slot in SLOTS},
        "projected_dot_attention": 10,
        "calibrated_attention": 10,
    },
    manual_points={"exam_heatmap": 5, "exam_analogy": 5},
    checks=personal(derive(b"", "exam_attention", PRACTICE)).checks,
    personal=personal,
    key=pool_key,
)
