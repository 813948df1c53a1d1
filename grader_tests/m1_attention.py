"""Checks of m1_attention: additive scores, scaled dot-product attention, and the lookups."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from grader_tests.vocabulary.inputs import DTYPES, LEADING, ODD_WIDTHS, SIZES, Sizes, draw, draw_attention_inputs, examples, non_contiguous
from grader_tests.references import attention as reference
from grader_tests.vocabulary.rules import expect_gradients, expect_pure, expect_repeatable, forbid_ready_made
from grading.checks import Assignment, check
from grading.expectations import TOLERANCE, close, expect, expect_close, expect_dtype, expect_pair, expect_tensor
from grading.student import Gradients, Student, StudentFault

ASSIGNMENT = Assignment(
    name="m1_attention",
    points={
        "additive_scores": 4,
        "attention": 6,
        "weighted_value": 1,
        "self_attention": 2,
        "cross_attention": 2,
        "soft_lookup": 2,
        "hard_lookup": 2,
        "m1_claims": 1,
    },
)

PAIR = ("the output", "the weights")
# Published figures are printed to four digits: half a unit of the last, and a little for float32.
PRINTED = 6e-5
CLAIMS = {"A": False, "B": True, "C": True, "D": False, "E": False, "F": False, "G": True, "H": True}


def with_axes(leading: tuple[int, ...]) -> str:
    """How a message names a batch."""
    return f" with leading axes {leading}" if leading else " without leading axes"


def additive_inputs(generator: torch.Generator, leading: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, ...]:
    """queries (*leading, 3, 4), keys (*leading, 5, 6), W_q (4, 7), W_k (6, 7), v (7,)."""
    shapes = ((*leading, 3, 4), (*leading, 5, 6), (4, 7), (6, 7), (7,))
    return tuple(draw(generator, *shape, dtype=dtype) for shape in shapes)


@check(
    "additive_values",
    cell="additive_scores",
    points=2,
    uses=("additive_scores",),
    about="scores of every query for every key, without a batch",
)
def additive_values(student: Student, generator: torch.Generator) -> None:
    """A case by hand, then fresh inputs in both dtypes."""
    small = torch.tensor([[0.5]]), torch.tensor([[0.0], [1.0]]), torch.tensor([[1.0]]), torch.tensor([[2.0]]), torch.tensor([3.0])
    by_hand, mistakes = torch.tensor([[3 * math.tanh(0.5), 3 * math.tanh(2.5)]]), reference.mistaken_additive_scores(*small)
    expect_close(student.additive_scores(*small), by_hand, "the scores of one query for two keys", mistakes=mistakes)
    for dtype in DTYPES:
        inputs = additive_inputs(generator, (), dtype)
        expected = reference.additive_scores(*inputs).to(dtype)
        expect_close(
            student.additive_scores(*inputs), expected, "the scores", mistakes=reference.mistaken_additive_scores(*inputs)
        )


@check(
    "additive_batched",
    cell="additive_scores",
    points=1,
    uses=("additive_scores",),
    about="scores with leading batch axes, and the same one by one",
)
def additive_batched(student: Student, generator: torch.Generator) -> None:
    """None, one and two leading axes; each example of a batch as if it were alone."""
    for leading in LEADING:
        inputs = additive_inputs(generator, leading, torch.float64)
        expect_close(
            student.additive_scores(*inputs), reference.additive_scores(*inputs), f"the scores{with_axes(leading)}"
        )
    queries, keys, *rule = additive_inputs(generator, (2,), torch.float64)
    together = expect_tensor(student.additive_scores(queries, keys, *rule), (2, 3, 5), "the scores")
    for i, (query, key) in enumerate(examples(queries, keys)):
        expect_close(
            student.additive_scores(query, key, *rule), together[i], "an example scored alone, against itself in the batch,"
        )


@check(
    "additive_properties",
    cell="additive_scores",
    points=1,
    uses=("additive_scores",),
    about="gradients, dtype, arguments left alone, odd memory layouts",
)
def additive_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    inputs = additive_inputs(generator, (), torch.float64)
    reply = student.ask("additive_scores", *inputs)
    expect_pure(reply, "additive_scores")
    expect_dtype(expect_close(reply.value, reference.additive_scores(*inputs), "the scores"), torch.float64, "the scores")
    expect_repeatable(reply.value, student.additive_scores(*inputs), "additive_scores")
    single = additive_inputs(generator, (), torch.float32)
    expect_dtype(expect_tensor(student.additive_scores(*single), (3, 5), "the scores"), torch.float32, "the scores")
    queries, keys, W_q, W_k, v = inputs
    turned = (non_contiguous(queries), non_contiguous(keys), non_contiguous(W_q), non_contiguous(W_k), v)
    expect_close(student.additive_scores(*turned), reference.additive_scores(*inputs), "the scores of non-contiguous inputs")
    large = (queries * 1e4, keys * 1e4, W_q, W_k, v)
    expect_close(student.additive_scores(*large), reference.additive_scores(*large), "the scores of inputs near 1e4")
    expect_gradients(student, "additive_scores", inputs, [()], lambda *given: (reference.additive_scores(*given),), generator)


def ask_attention(student: Student, Q: Tensor, K: Tensor, V: Tensor, name: str = "attention") -> tuple[Any, Any]:
    """The student's output and weights."""
    return expect_pair(getattr(student, name)(Q, K, V, K.shape[-1]), PAIR)


def expect_attention(
    student: Student, Q: Tensor, K: Tensor, V: Tensor, what: str = "", tolerance: float | None = None
) -> tuple[Tensor, Tensor]:
    """Output and weights agree with the reference; weights are judged first, for they tell the mistake."""
    output, weights = ask_attention(student, Q, K, V)
    expected_output, expected_weights = (t.to(Q.dtype) for t in reference.attention(Q, K, V))
    mistakes = reference.mistaken_attention(Q, K, V)
    found_weights = expect_close(weights, expected_weights, f"the weights{what}", mistakes=mistakes, tolerance=tolerance)
    swapped = {"output and weights come in the wrong order": expected_weights, "this is V itself": V}
    found_output = expect_close(output, expected_output, f"the output{what}", mistakes=swapped, tolerance=tolerance)
    return found_output, found_weights


@check(
    "attention_from_scratch",
    cell="attention",
    points=1,
    uses=("attention",),
    about="weights that are shares, an output mixed by them, written from its parts",
)
def attention_from_scratch(student: Student, generator: torch.Generator) -> None:
    """The structure of an attention, at any positive scale; and no ready-made one."""
    for sizes in SIZES:
        Q, K, V = draw_attention_inputs(generator, sizes)
        reply = student.ask("attention", Q, K, V, sizes.d_k, watch=True)
        forbid_ready_made(student.sources.get("attention_answer", ""), reply)
        output, weights = expect_pair(reply.value, PAIR)
        weights = expect_tensor(weights, (sizes.T_q, sizes.T_k), "the weights")
        # The structure alone is judged here, so digits lost on the way are left to the other checks.
        row_hint = "the softmax runs over the keys, the last axis"
        expect_close(
            weights.sum(dim=-1).double(),
            torch.ones(sizes.T_q).double(),
            "the row sums of the weights",
            hint=row_hint,
            tolerance=1e-5,
        )
        expect(bool((weights >= 0).all()), "a weight is negative", "shares between 0 and 1")
        expect_close(output, weights.double() @ V, "the output, against your own weights times V,", tolerance=1e-5)
        expect(
            same_order(weights, Q @ K.T),
            "a key with a larger dot product got a smaller weight",
            "weights in the order of the dot products",
        )


def same_order(weights: Tensor, dots: Tensor) -> bool:
    """(m, n), (m, n): whether each row of weights rises with the dot products, strictly from its smallest to its largest."""
    sorted_weights = weights.gather(-1, dots.argsort(dim=-1))
    return bool((sorted_weights.diff(dim=-1) >= 0).all() and (sorted_weights[:, -1] > sorted_weights[:, 0]).all())


@check(
    "attention_published", cell="attention", points=1, uses=("attention",), about="the traced example and the two published rows"
)
def attention_published(student: Student, generator: torch.Generator) -> None:
    """Figures of the lesson and the chapter that hold; the output rows are the true ones, not the misprinted table's."""
    traced = torch.Generator().manual_seed(42)
    Q, K = torch.randn(3, 4, generator=traced), torch.randn(3, 4, generator=traced)
    V = torch.tensor([[0.1, -0.5, 0.8, 0.3], [0.6, 0.2, -0.4, 0.9], [-0.3, 0.7, 0.1, -0.2]])
    output, weights = ask_attention(student, Q, K, V)
    expect_printed(
        weights,
        [[0.3017, 0.3098, 0.3884], [0.2451, 0.3801, 0.3748], [0.2938, 0.2293, 0.4769]],
        "the weights of the traced example",
    )
    expect_printed(
        output,
        [[0.0995, 0.1830, 0.1563, 0.2917], [0.1402, 0.2158, 0.0815, 0.3407], [0.0239, 0.2328, 0.1910, 0.1991]],
        "the output of the traced example",
    )
    X = torch.randn(4, 8, generator=torch.Generator().manual_seed(7))
    weights = expect_tensor(ask_attention(student, X, X, X)[1], (4, 4), "the weights")
    expect_printed(weights[0], [0.4990, 0.0390, 0.3093, 0.1527], "the first row of weights with Q = K = V = X")
    query, keys = torch.tensor([[1.0, 0, 0, 0]]), torch.tensor([[1.10, 1, 2, 3], [-0.60, 3, 1, 2], [0.15, 2, 3, 1]])
    weights = ask_attention(student, query, keys, torch.eye(3))[1]
    expect_printed(weights, [[0.4880, 0.2086, 0.3035]], "the weights for the dot products 1.10, -0.60, 0.15")


def expect_printed(found: Any, digits: list[Any], what: str) -> None:
    """A value agrees with four printed digits; it is known to students, so it may be shown."""
    expected = torch.tensor(digits)
    tensor = expect_tensor(found, tuple(expected.shape), what)
    near = bool(((tensor.double() - expected.double()).abs() <= PRINTED).all())
    shown = [[round(x, 4) for x in row] for row in tensor.double().reshape(-1, expected.shape[-1]).tolist()]
    expect(near, f"{what}: {shown}", f"{digits}")


@check(
    "attention_values",
    cell="attention",
    points=1,
    uses=("attention",),
    about="output and weights of fresh inputs, without a batch",
)
def attention_values(student: Student, generator: torch.Generator) -> None:
    """Several sizes, both dtypes."""
    for sizes in (*SIZES, *ODD_WIDTHS):
        for dtype in DTYPES if sizes in SIZES else (torch.float32,):
            expect_attention(student, *draw_attention_inputs(generator, sizes, (), dtype))


@check(
    "attention_batched",
    cell="attention",
    points=1,
    uses=("attention",),
    about="leading batch axes, and each example as if it were alone",
)
def attention_batched(student: Student, generator: torch.Generator) -> None:
    """None, one and two leading axes, also of the same length as other axes."""
    for leading in (*LEADING, (5,), (1,)):
        expect_attention(student, *draw_attention_inputs(generator, SIZES[0], leading), what=with_axes(leading))
    Q, K, V = draw_attention_inputs(generator, SIZES[1], (3,))
    together = expect_tensor(ask_attention(student, Q, K, V)[0], (3, 6, 5), "the output")
    for i, (one_Q, one_K, one_V) in enumerate(examples(Q, K, V)):
        expect_close(
            ask_attention(student, one_Q, one_K, one_V)[0], together[i], "an example alone, against itself in the batch,"
        )


@check("attention_extremes", cell="attention", points=1, uses=("attention",), about="scores near 1e4, a single key, equal keys")
def attention_extremes(student: Student, generator: torch.Generator) -> None:
    """Where softmax overflows if it is written without care, and the degenerate cases."""
    for Q, K, V in large_inputs(generator):
        # Scores of 1e4 carry errors of 1e4 * 1e-16 * some terms into the exponent: 1e-9 is 100 times that.
        expect_attention(student, Q, K, V, what=" for scores near 1e4", tolerance=1e-9)
        expect_finite_rows(student, Q.float(), K.float(), V.float())
    Q, K, V = draw_attention_inputs(generator, Sizes(3, 1, 4, 2))
    expect_attention(student, Q, K, V, what=" with a single key")
    Q, K, V = draw_attention_inputs(generator, SIZES[0])
    expect_attention(student, Q, K[:1].expand_as(K).clone(), V, what=" with equal keys")


def large_inputs(generator: torch.Generator) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Scores near 1e4 in two ways: far apart (rows nearly one-hot), and close together around an offset that differs by row."""
    sizes = SIZES[2]
    Q, K, V = draw_attention_inputs(generator, sizes)
    yield Q * (1e4 / float((Q @ K.T / math.sqrt(sizes.d_k)).abs().max())), K, V
    # The last coordinate adds the same to every score of a row, so that the shares stay those of the other coordinates.
    Q, K, V = draw_attention_inputs(generator, sizes)
    Q[:, -1] = torch.tensor([1e4, -1e4, 7e3, -20.0]) * math.sqrt(sizes.d_k)
    K[:, -1] = 1.0
    yield Q, K, V


def expect_finite_rows(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> None:
    """In float32 right orders of operation differ by 2e-4 at such scores: finite numbers and row sums are all that is asked."""
    output, weights = ask_attention(student, Q, K, V)
    weights = expect_tensor(weights, (Q.shape[0], K.shape[0]), "the weights")
    output = expect_tensor(output, (Q.shape[0], V.shape[1]), "the output")
    finite = bool(weights.isfinite().all() and output.isfinite().all())
    expect(
        finite,
        "NaN or infinity in float32 for scores near 1e4",
        "finite numbers",
        "take each row's maximum off before the exponential, as torch.softmax does",
    )
    expect_close(weights.sum(dim=-1), torch.ones(Q.shape[0]), "the row sums in float32 for scores near 1e4")


@check(
    "attention_properties",
    cell="attention",
    points=1,
    uses=("attention",),
    about="gradients, dtype, arguments left alone, permuted tokens, odd memory layouts",
)
def attention_properties(student: Student, generator: torch.Generator) -> None:
    """What must hold beside the values."""
    Q, K, V = draw_attention_inputs(generator, SIZES[0])
    reply = student.ask("attention", Q, K, V, K.shape[-1])
    expect_pure(reply, "attention")
    output, weights = expect_pair(reply.value, PAIR)
    expect_attention(student, Q, K, V)
    for name, value, shape in (("the output", output, (3, 7)), ("the weights", weights, (3, 5))):
        expect_dtype(expect_tensor(value, shape, name), torch.float64, name)
    single = ask_attention(student, Q.float(), K.float(), V.float())
    for name, value, shape in (("the output", single[0], (3, 7)), ("the weights", single[1], (3, 5))):
        expect_dtype(expect_tensor(value, shape, name), torch.float32, name)
    expect_repeatable(output, ask_attention(student, Q, K, V)[0], "attention")
    order = torch.tensor([3, 0, 4, 1, 2])
    expect_close(
        ask_attention(student, Q, K[order], V[order])[0], output, "the output after keys and values were shuffled together"
    )
    expect_close(ask_attention(student, Q[[2, 0, 1]], K, V)[0], output[[2, 0, 1]], "the output for shuffled queries")
    expect_attention(student, non_contiguous(Q), non_contiguous(K), non_contiguous(V), what=" of non-contiguous inputs")
    expect_gradients(
        student, "attention", (Q, K, V, K.shape[-1]), [(0,), (1,)], lambda Q, K, V, d_k: reference.attention(Q, K, V), generator
    )


@check(
    "weighted_value",
    cell="weighted_value",
    points=1,
    uses=("weighted_value",),
    about="one row of the output as a weighted average of the rows of V",
)
def weighted_value(student: Student, generator: torch.Generator) -> None:
    """Every row, both dtypes, three different sizes."""
    for dtype in DTYPES:
        weights = torch.softmax(draw(generator, 3, 5), dim=-1).to(dtype)
        V = draw(generator, 5, 4, dtype=dtype)
        for i in range(3):
            reply = student.ask("weighted_value", weights, V, i)
            expected = torch.einsum("j,jv->v", weights[i].double(), V.double()).to(dtype)
            expect_close(
                reply.value, expected, f"row {i} of the output", mistakes={"this is the row of V, not the average": V[i]}
            )
            expect_pure(reply, "weighted_value")


def expect_projected(student: Student, name: str, inputs: tuple[Tensor, ...], where: str) -> tuple[Tensor, Tensor] | None:
    """Output and weights equal the reference's (they are returned), or those of the student's own `attention` given right projections."""
    output, weights = expect_pair(getattr(student, name)(*inputs), PAIR)
    X_q, X_k = (inputs[0], inputs[0]) if name == "self_attention" else inputs[:2]
    W_Q, W_K, W_V = inputs[-3:]
    expected = tuple(t.to(X_q.dtype) for t in reference.cross_attention(X_q, X_k, W_Q, W_K, W_V))
    if not pair_close((output, weights), expected):
        own = own_composition(student, X_q @ W_Q, X_k @ W_K, X_k @ W_V)
        if own is not None and pair_close((output, weights), own):
            return None
    return expect_close(output, expected[0], f"the output{where}"), expect_close(weights, expected[1], f"the weights{where}")


def pair_close(found: tuple[Any, Any], expected: tuple[Any, ...]) -> bool:
    """Whether output and weights both agree, at the tolerance of the expected dtype."""
    pairs = zip(found, expected, strict=True)
    return all(isinstance(f, Tensor) and f.dtype.is_floating_point and close(f, e, TOLERANCE.get(e.dtype, 0.0)) for f, e in pairs)


def own_composition(student: Student, Q: Tensor, K: Tensor, V: Tensor) -> tuple[Tensor, Tensor] | None:
    """What the student's `attention` makes of right projections; None where it ignores Q, K or V, or gives no pair of tensors.

    A mistake in `attention` has been paid for there; a function that only pretends to attend has not.
    """
    try:
        output, weights = student.attention(Q, K, V, K.shape[-1])
        other = [student.attention(*changed, K.shape[-1])[0] for changed in ((-2 * Q, K, V), (Q, -2 * K, V), (Q, K, -2 * V))]
    except (StudentFault, TypeError, ValueError):
        return None
    tensors = all(isinstance(t, Tensor) and t.dtype.is_floating_point for t in (output, weights, *other))
    if not tensors or any(close(changed, output, 1e-3) for changed in other):
        return None
    return output, weights


def projection_inputs(
    generator: torch.Generator, name: str, leading: tuple[int, ...], dtype: torch.dtype = torch.float64
) -> tuple[Tensor, ...]:
    """Inputs of self_attention (d_model 6, d 9, d_v 3, T 5) or cross_attention (d_dec 6, d_enc 7, d 9, d_v 3, T_q 2, T_k 5)."""
    if name == "self_attention":
        shapes: tuple[tuple[int, ...], ...] = ((*leading, 5, 6), (6, 9), (6, 9), (6, 3))
    else:
        shapes = ((*leading, 2, 6), (*leading, 5, 7), (6, 9), (7, 9), (7, 3))
    # Factors that keep softmax away from its corners, where many mistakes look alike.
    sequences = len(shapes) - 3
    return tuple((1.0 if i < sequences else 0.4) * draw(generator, *shape, dtype=dtype) for i, shape in enumerate(shapes))


def check_projected_values(student: Student, generator: torch.Generator, name: str) -> None:
    """Fresh inputs without a batch, in both dtypes."""
    for dtype in DTYPES:
        expect_projected(student, name, projection_inputs(generator, name, (), dtype), "")


def check_projected_batches(student: Student, generator: torch.Generator, name: str) -> None:
    """Leading axes, dtype, arguments left alone, and a gradient for every argument."""
    for leading in LEADING:
        expect_projected(student, name, projection_inputs(generator, name, leading), with_axes(leading))
    inputs = projection_inputs(generator, name, (2,))
    reply = student.ask(name, *inputs)
    expect_pure(reply, name)
    agreed = expect_projected(student, name, inputs, "")
    if agreed is not None:  # else the dtype is that of the student's `attention`, where it has been judged
        expect_dtype(agreed[0], torch.float64, "the output")
        expect_dtype(agreed[1], torch.float64, "the weights")
    expect_reaching_gradients(student, name, inputs)


def expect_reaching_gradients(student: Student, name: str, inputs: tuple[Tensor, ...]) -> None:
    """A finite gradient that is not zero for every argument, save where the student's own `attention` lets none through."""
    shape = (*inputs[0].shape[:-1], inputs[-1].shape[-1])
    reached = reached_arguments(student, name, inputs, shape)
    if all(reached):
        return
    Q, K, V = inputs[0] @ inputs[-3], inputs[-4] @ inputs[-2], inputs[-4] @ inputs[-1]
    try:
        through_Q, through_K, through_V = reached_arguments(student, "attention", (Q, K, V, K.shape[-1]), shape)
    except StudentFault:
        through_Q = through_K = through_V = True
    weights_passed = (through_Q, through_K, through_V)
    sequences_passed = (any(weights_passed),) if name == "self_attention" else (through_Q, through_K or through_V)
    for i, (here, passed) in enumerate(zip(reached, (*sequences_passed, *weights_passed), strict=True)):
        blocked = f"no gradient reaches argument {i + 1} of `{name}`"
        expect(here or not passed, blocked, "a gradient for every argument", "is there a detach() or torch.no_grad() on the way?")


def reached_arguments(student: Student, name: str, inputs: tuple[Any, ...], shape: tuple[int, ...]) -> list[bool]:
    """For each tensor among the inputs, whether a useful gradient of the output (of this shape) arrives."""
    given = [t.clone().requires_grad_(True) if isinstance(t, Tensor) else t for t in inputs]
    wrt = [str(i) for i, t in enumerate(given) if isinstance(t, Tensor)]
    cotangent = torch.linspace(-1, 1, math.prod(shape), dtype=torch.float64).reshape(shape)
    found = student.ask(name, *given, gradients=Gradients([((0,), cotangent)], wrt)).gradients
    return [isinstance(g, Tensor) and bool(g.isfinite().all()) and bool((g != 0).any()) for g in found]


PROJECTED = ("self_attention", "attention")
CROSSED = ("cross_attention", "attention")


@check(
    "self_attention_values",
    cell="self_attention",
    points=1,
    uses=PROJECTED,
    about="one sequence in all three roles, without a batch",
)
def self_attention_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs whose widths all differ."""
    check_projected_values(student, generator, "self_attention")


@check(
    "self_attention_batched",
    cell="self_attention",
    points=1,
    uses=PROJECTED,
    about="one sequence in all three roles, in batches, with gradients",
)
def self_attention_batched(student: Student, generator: torch.Generator) -> None:
    """Batches and gradients."""
    check_projected_batches(student, generator, "self_attention")


@check(
    "cross_attention_values",
    cell="cross_attention",
    points=1,
    uses=CROSSED,
    about="queries from the decoder, keys and values from the encoder, without a batch",
)
def cross_attention_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs whose widths and lengths all differ."""
    check_projected_values(student, generator, "cross_attention")


@check(
    "cross_attention_batched",
    cell="cross_attention",
    points=1,
    uses=CROSSED,
    about="queries from the decoder, keys and values from the encoder, in batches, with gradients",
)
def cross_attention_batched(student: Student, generator: torch.Generator) -> None:
    """Batches and gradients."""
    check_projected_batches(student, generator, "cross_attention")


def lookup_inputs(generator: torch.Generator, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    """query (4,), keys (6, 4), values (6, 3); the best key leads the second by at least 0.1 of a dot product."""
    while True:
        query, keys, values = (
            draw(generator, 4, dtype=dtype),
            draw(generator, 6, 4, dtype=dtype),
            draw(generator, 6, 3, dtype=dtype),
        )
        best = (keys @ query).sort(descending=True).values
        if float(best[0] - best[1]) > 0.1:
            return query, keys, values


@check(
    "soft_lookup_values",
    cell="soft_lookup",
    points=1,
    uses=("soft_lookup", "attention"),
    about="values mixed by softmax(keys · query / temperature)",
)
def soft_lookup_values(student: Student, generator: torch.Generator) -> None:
    """Several temperatures, both dtypes."""
    for dtype in DTYPES:
        query, keys, values = lookup_inputs(generator, dtype)
        for temperature in (0.3, 1.0, 2.5):
            reply = student.ask("soft_lookup", query, keys, values, temperature)
            expected = reference.soft_lookup(query, keys, values, temperature).to(dtype)
            dots = (keys @ query).double()
            mistakes = {
                "the temperature divides the dot products; here it multiplies them": reference.softmax(dots * temperature)
                @ values.double(),
                "the scale sqrt(d) has no place here: the temperature is the only divisor": reference.softmax(
                    dots / temperature / 2
                )
                @ values.double(),
            }
            right = isinstance(reply.value, Tensor) and close(reply.value, expected, TOLERANCE[dtype])
            if not right and not equals_own_lookup(student, reply.value, query, keys, values, temperature):
                expect_close(
                    reply.value,
                    expected,
                    f"the mixture at temperature {temperature}",
                    mistakes=mistakes if temperature != 1 else None,
                )
            expect_pure(reply, "soft_lookup")


def equals_own_lookup(student: Student, found: Any, query: Tensor, keys: Tensor, values: Tensor, temperature: float) -> bool:
    """Whether the answer is the student's own `attention`, asked with the query stretched by sqrt(d) / temperature."""
    if not isinstance(found, Tensor) or tuple(found.shape) != (values.shape[-1],):
        return False
    stretched = query.unsqueeze(0) * (math.sqrt(query.shape[-1]) / temperature)
    own = own_composition(student, stretched, keys, values)
    return (
        own is not None and own[0].numel() == found.numel() and close(found, own[0].reshape(found.shape), TOLERANCE[keys.dtype])
    )


@check(
    "soft_lookup_limits",
    cell="soft_lookup",
    points=1,
    uses=("soft_lookup",),
    about="very small and very large temperatures, and equally good keys",
)
def soft_lookup_limits(student: Student, generator: torch.Generator) -> None:
    """Cold: the best value, finite; hot: the mean; a tie shares."""
    query, keys, values = lookup_inputs(generator)
    best = values[(keys @ query).argmax()]
    hint = "the dot products over a small temperature are large: softmax must not overflow"
    expect_close(student.soft_lookup(query, keys, values, 1e-4), best, "the mixture at temperature 0.0001", hint=hint)
    single = student.soft_lookup(query.float(), keys.float(), values.float(), 1e-4)
    expect_dtype(
        expect_close(single, best.float(), "the mixture at temperature 0.0001 in float32", hint=hint),
        torch.float32,
        "the mixture",
    )
    # At temperature 1e9 weights differ from 1/n by about dots / 1e9.
    expect_close(
        student.soft_lookup(query, keys, values, 1e9), values.mean(dim=0), "the mixture at temperature 1e9", tolerance=1e-7
    )
    keys, tied = (
        torch.tensor([[1.0, 0], [2, 1], [2, 5]], dtype=torch.float64),
        torch.tensor([[1.0], [10], [20]], dtype=torch.float64),
    )
    query = torch.tensor([3.0, 0], dtype=torch.float64)
    found = expect_close(
        student.soft_lookup(query, keys, tied, 1e-6),
        torch.tensor([15.0], dtype=torch.float64),
        "the cold mixture with two equally good keys",
    )
    expect_dtype(found, torch.float64, "the mixture")


@check(
    "hard_lookup_values",
    cell="hard_lookup",
    points=1,
    uses=("hard_lookup",),
    about="the value of the key with the largest dot product",
)
def hard_lookup_values(student: Student, generator: torch.Generator) -> None:
    """Fresh inputs in both dtypes, then one where all dot products are negative."""
    for dtype in (*DTYPES, torch.float64):
        query, keys, values = lookup_inputs(generator, dtype)
        reply = student.ask("hard_lookup", query, keys, values)
        found = expect_close(reply.value, reference.hard_lookup(query, keys, values).to(dtype), "the value looked up")
        expect_dtype(found, dtype, "the value looked up")
        expect_pure(reply, "hard_lookup")
    query, keys, values = lookup_inputs(generator)
    keys = keys - query * (float((keys @ query).max()) + 1.0) / float(query @ query)
    expect_close(
        student.hard_lookup(query, keys, values),
        reference.hard_lookup(query, keys, values),
        "the value looked up where all dot products are negative",
    )


@check(
    "hard_lookup_ties",
    cell="hard_lookup",
    points=1,
    uses=("hard_lookup",),
    about="of equally good keys the first; the last key; a single key",
)
def hard_lookup_ties(student: Student, generator: torch.Generator) -> None:
    """Small integers, so that ties are exact in every order of summation."""
    query = torch.tensor([1.0, 2.0])
    for rows in (
        [[0, 1], [2, 2], [4, 1], [0, 3]],
        [[1, 0], [0, 0], [3, 0], [1, 1]],
        [[-1, 0]],
        [[-5, 0], [-1, 0], [1, -1]],
        [[5, 5], [1, 7], [1, 1]] * 9,
    ):
        keys = torch.tensor(rows, dtype=torch.float32)
        values = torch.arange(2.0 * len(rows)).reshape(-1, 2) + 1
        expected = reference.hard_lookup(query, keys, values).float()
        expect_close(
            student.hard_lookup(query, keys, values),
            expected,
            f"the value looked up among {len(rows)} keys",
            hint="of equally good keys the first counts",
        )


def claims_right(student: Student) -> int:
    """How many of the eight claims are judged rightly; each must be a truth value, not a text."""
    claims = student.read("CLAIMS")
    expect(isinstance(claims, dict), "CLAIMS is no dict", "a dict from the labels A to H to True or False")
    return sum(truth_value(claims.get(label)) is right for label, right in CLAIMS.items())


def truth_value(value: Any) -> bool | None:
    """True or False for a bool, 0 or 1, or a 0-d tensor of these; None for anything else."""
    if isinstance(value, Tensor) and value.numel() == 1:
        value = value.item()
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else None


@check("claims_seven", cell="m1_claims", points=0.5, uses=("CLAIMS",), about="at least seven of the eight claims")
def claims_seven(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student)
    expect(right >= 7, f"{right} of eight claims judged rightly", "at least seven")


@check("claims_all", cell="m1_claims", points=0.5, uses=("CLAIMS",), about="all eight claims")
def claims_all(student: Student, generator: torch.Generator) -> None:
    """Which of them are wrong is not told."""
    right = claims_right(student)
    expect(right == 8, f"{right} of eight claims judged rightly", "all eight")
