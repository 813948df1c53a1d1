"""stretch_multihead: several heads in one width. What it is worth, and its checks."""

from __future__ import annotations

from grader_tests.stretch import heads, masks, parity, properties, values
from grading.checks import Assignment

ASSIGNMENT = Assignment(
    name="stretch_multihead",
    points={"split_heads": 1, "merge_heads": 1, "multi_head_attention": 8},
    checks=(
        heads.split_heads_values,
        heads.split_heads_form,
        heads.merge_heads_values,
        heads.merge_heads_inverse,
        values.multi_head_layers,
        values.multi_head_from_scratch,
        values.multi_head_self_weights,
        values.multi_head_cross_weights,
        values.multi_head_output,
        properties.multi_head_properties,
        masks.multi_head_mask_values,
        masks.multi_head_mask_excludes,
        parity.multi_head_parity,
        parity.multi_head_error,
    ),
)
