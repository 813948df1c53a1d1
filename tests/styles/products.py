"""Transforms of tensor algebra: products, softmax, square roots, masks."""

from __future__ import annotations

import re
from collections.abc import Callable

import libcst as cst

from tests.styles.syntax import Node, called, code, expression, fresh, given, names_in, rewritten, with_header

ONE_DIMENSIONAL = re.compile(r"@ v$|^keys @ query$|^weights @ values$")  # additive_scores and the two lookups of m1


def _of_products(text: str, change: Callable[[cst.BinaryOperation], str | None]) -> str:
    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.MatrixMultiply):
            return None
        new = change(node)
        return None if new is None else expression(new)

    return rewritten(text, changed)


def _with_function(text: str, change: Callable[[str], str], definition: str) -> str:
    """The text changed so that it calls NAME, which stands above."""
    name = fresh(re.findall(r"def _(\w+)", definition)[0], names_in(cst.parse_module(text)))
    new = change(name)
    return text if new == text else with_header(new, re.sub(r"def _\w+", f"def {name}", definition))


def _by_a_function(text: str, definition: str) -> str:
    """Products by a function of the student's own."""

    def change(name: str) -> str:
        return _of_products(text, lambda node: f"{name}({code(node.left)}, {code(node.right)})")

    return _with_function(text, change, definition)


def product_as_matmul(text: str) -> str:
    """torch.matmul for the sign."""
    return _of_products(text, lambda node: f"torch.matmul({code(node.left)}, {code(node.right)})")


def product_as_method(text: str) -> str:
    """The method matmul for the sign."""
    return _of_products(text, lambda node: f"({code(node.left)}).matmul({code(node.right)})")


def product_as_einsum(text: str) -> str:
    """einsum with the letters that the ranks ask for."""

    def changed(node: cst.BinaryOperation) -> str:
        whole, left, right = code(node), code(node.left), code(node.right)
        if whole.endswith("@ v"):
            return f'torch.einsum("...mna,a->...mn", {left}, {right})'
        if whole == "keys @ query":
            return f'torch.einsum("nd,d->n", {left}, {right})'
        if whole == "weights @ values" and "temperature" in text:
            return f'torch.einsum("n,nv->v", {left}, {right})'
        return f'torch.einsum("...ij,...jk->...ik", {left}, {right})'

    return _of_products(text, changed)


_EINSUM = """
def _product(left, right):
    if left.ndim == 1:
        return torch.einsum("i,...ij->...j", left, right)
    if right.ndim == 1:
        return torch.einsum("...i,i->...", left, right)
    return torch.einsum("...ij,...kj->...ik", left, right.swapaxes(-1, -2))
"""

_SUMS = """
def _product(left, right):
    if right.ndim == 1:
        return (left * right).sum(-1)
    if left.ndim == 1:
        return (left[:, None] * right).sum(0)
    return (left[..., :, :, None] * right[..., None, :, :]).sum(-2)
"""

_COLUMNS = """
def _product(left, right):
    if right.ndim == 1:
        return sum(left[..., i] * right[i] for i in range(len(right)))
    rows = left if left.ndim > 1 else left[None]
    columns = [torch.sum(rows * column[..., None, :], dim=-1) for column in right.unbind(dim=-1)]
    whole = torch.stack(columns, dim=-1)
    return whole if left.ndim > 1 else whole[0]
"""

_BATCHES = """
def _product(left, right):
    rows = left if left.ndim > 1 else left[None]
    columns = right if right.ndim > 1 else right[:, None]
    axes = torch.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
    many = torch.bmm(
        rows.expand(*axes, *rows.shape[-2:]).reshape(-1, *rows.shape[-2:]),
        columns.expand(*axes, *columns.shape[-2:]).reshape(-1, *columns.shape[-2:]),
    ).reshape(*axes, rows.shape[-2], columns.shape[-1])
    if left.ndim == 1:
        many = many.squeeze(-2)
    return many if right.ndim > 1 else many.squeeze(-1)
"""


def product_by_own_einsum(text: str) -> str:
    """einsum in a function that looks at the ranks."""
    return _by_a_function(text, _EINSUM)


def product_by_sums(text: str) -> str:
    """Multiply, then sum."""
    return _by_a_function(text, _SUMS)


def product_by_columns(text: str) -> str:
    """A loop over the columns of the right side."""
    return _by_a_function(text, _COLUMNS)


def product_by_bmm(text: str) -> str:
    """All leading axes folded into one, bmm, and unfolded."""
    return _by_a_function(text, _BATCHES)


def product_turned(text: str) -> str:
    """(B^T A^T)^T for A B, of what has two axes or more."""

    def changed(node: cst.BinaryOperation) -> str | None:
        if ONE_DIMENSIONAL.search(code(node)):
            return None
        return f"(({code(node.right)}).mT @ ({code(node.left)}).mT).mT"

    return _of_products(text, changed)


def product_in_float64(text: str) -> str:
    """Products in double precision, cast back."""
    definition = """
def _product(left, right):
    return (left.double() @ right.double()).to(torch.result_type(left, right))
"""
    return _by_a_function(text, definition)


def _softmax(text: str, form: str) -> str:
    """softmax(x, dim=-1) in another form; WHOLE stands for x."""

    def changed(node: Node) -> Node | None:
        if called(node) != "torch.softmax" or not isinstance(node, cst.Call) or given(node)[1:] not in (["dim=-1"], ["-1"]):
            return None
        return expression(form.replace("WHOLE", given(node)[0]))

    return rewritten(text, changed)


def softmax_as_method(text: str) -> str:
    """x.softmax(-1)."""
    return _softmax(text, "(WHOLE).softmax(-1)")


def softmax_of_functional(text: str) -> str:
    """torch.nn.functional.softmax."""
    return _softmax(text, "torch.nn.functional.softmax(WHOLE, dim=-1)")


def softmax_as_module(text: str) -> str:
    """nn.Softmax, made and called."""
    return _softmax(text, "torch.nn.Softmax(dim=-1)(WHOLE)")


def softmax_through_logarithm(text: str) -> str:
    """exp of log_softmax."""
    return _softmax(text, "torch.log_softmax(WHOLE, dim=-1).exp()")


def softmax_through_logsumexp(text: str) -> str:
    """exp(x - logsumexp(x))."""
    return _softmax(text, "(lambda whole: torch.exp(whole - torch.logsumexp(whole, dim=-1, keepdim=True)))(WHOLE)")


def softmax_along_the_first_axis(text: str) -> str:
    """The last axis moved to the front, softmax there, and moved back."""
    return _softmax(text, "torch.softmax((WHOLE).movedim(-1, 0), dim=0).movedim(0, -1)")


def softmax_by_hand(text: str) -> str:
    """exp of what is left when the maximum is taken off, over its sum."""
    definition = """
def _shares(scores):
    raised = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
    return raised / raised.sum(dim=-1, keepdim=True)
"""
    return _with_function(text, lambda name: _softmax(text, f"{name}(WHOLE)"), definition)


def softmax_row_by_row(text: str) -> str:
    """A loop over rows."""
    definition = """
def _shares(scores):
    rows = [torch.softmax(row, dim=0) for row in scores.reshape(-1, scores.shape[-1])]
    return torch.stack(rows).reshape(scores.shape)
"""
    return _with_function(text, lambda name: _softmax(text, f"{name}(WHOLE)"), definition)


def softmax_in_float64(text: str) -> str:
    """Softmax with dtype=float64, cast back."""
    return _softmax(text, "(lambda whole: torch.softmax(whole, dim=-1, dtype=torch.float64).to(whole.dtype))(WHOLE)")


def softmax_with_an_own_gradient(text: str) -> str:
    """An autograd.Function of the student's own."""
    definition = """
class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(context, scores):
        shares = torch.softmax(scores, dim=-1)
        context.save_for_backward(shares)
        return shares

    @staticmethod
    def backward(context, gradient):
        (shares,) = context.saved_tensors
        weighted = gradient * shares
        return weighted - shares * weighted.sum(dim=-1, keepdim=True)
"""
    if "_Softmax" in text:
        return text
    new = _softmax(text, "_Softmax.apply(WHOLE)")
    return text if new == text else with_header(new, definition)


def _divided_by_root(text: str, form: str) -> str:
    """x / math.sqrt(d) in another form; LEFT and ROOT stand for x and d."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Divide):
            return None
        if called(node.right) == "math.sqrt" and isinstance(node.right, cst.Call):
            root = given(node.right)[0]
        elif code(node.right).endswith("** 0.5"):
            root = code(node.right).removesuffix("** 0.5")
        else:
            return None
        return expression(form.replace("LEFT", f"({code(node.left)})").replace("ROOT", root))

    return rewritten(text, changed)


def root_as_power(text: str) -> str:
    """x * d ** -0.5."""
    return _divided_by_root(text, "LEFT * (ROOT) ** -0.5")


def root_as_rsqrt(text: str) -> str:
    """x * torch.rsqrt of a tensor."""
    return _divided_by_root(text, "LEFT * torch.rsqrt(torch.tensor(float(ROOT), dtype=torch.float64))")


def root_as_tensor(text: str) -> str:
    """x over the square root of a 0-d tensor."""
    return _divided_by_root(text, "LEFT / torch.sqrt(torch.tensor(ROOT, dtype=torch.float64))")


def root_twice(text: str) -> str:
    """Two fourth roots, one after the other."""
    return _divided_by_root(text, "LEFT / (ROOT) ** 0.25 / (ROOT) ** 0.25")


def root_by_numpy(text: str) -> str:
    """numpy's square root."""
    new = _divided_by_root(text, "LEFT / float(_numpy.sqrt(ROOT))")
    return text if new == text else with_header(new, "import numpy as _numpy")


def root_as_function_of_torch(text: str) -> str:
    """torch.div and torch.mul with the number."""
    return _divided_by_root(text, "torch.div(LEFT, math.sqrt(ROOT))" if "math." in text else "torch.div(LEFT, (ROOT) ** 0.5)")


def queries_scaled_first(text: str) -> str:
    """(Q / root) K^T for Q K^T / root."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Divide):
            return None
        left = node.left
        if not isinstance(left, cst.BinaryOperation) or not isinstance(left.operator, cst.MatrixMultiply) or left.lpar:
            return None
        return expression(f"(({code(left.left)}) / {code(node.right)}) @ {code(left.right)}")

    return rewritten(text, changed)


def masked_by_where(text: str) -> str:
    """torch.where for masked_fill."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value != "masked_fill":
            return None
        mask, value = given(node)
        return expression(f"torch.where({mask}, {value}, {code(node.func.value)})")

    return rewritten(text, changed)


def masked_by_assignment(text: str) -> str:
    """A copy in which the masked places are set."""
    definition = """
def _filled(whole, mask, value):
    copied = whole.clone()
    copied[mask.expand(whole.shape)] = value
    return copied
"""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value != "masked_fill":
            return None
        return expression(f"_filled({code(node.func.value)}, {', '.join(given(node))})")

    new = rewritten(text, changed)
    return text if new == text else with_header(new, definition)


def masks_by_words(text: str) -> str:
    """logical_not, logical_and, logical_or for the signs."""
    words = {cst.BitAnd: "logical_and", cst.BitOr: "logical_or"}

    def changed(node: Node) -> Node | None:
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.BitInvert):
            return expression(f"torch.logical_not({code(node.expression)})")
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in words and "None" not in code(node):
            return expression(f"torch.{words[type(node.operator)]}({code(node.left)}, {code(node.right)})")
        return None

    return rewritten(text, changed)


def masks_by_comparison(text: str) -> str:
    """mask == False for ~mask."""

    def changed(node: Node) -> Node | None:
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.BitInvert):
            return expression(f"({code(node.expression)}) == False")
        return None

    return rewritten(text, changed)


def infinity_by_other_names(text: str) -> str:
    """float("-inf") for -math.inf and -torch.inf."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.UnaryOperation) or code(node) not in ("-math.inf", "-torch.inf"):
            return None
        return expression('float("-inf")')

    return rewritten(text, changed)


STYLES = (
    product_as_matmul,
    product_as_method,
    product_as_einsum,
    product_by_own_einsum,
    product_by_sums,
    product_by_columns,
    product_by_bmm,
    product_turned,
    product_in_float64,
    softmax_as_method,
    softmax_of_functional,
    softmax_as_module,
    softmax_through_logarithm,
    softmax_through_logsumexp,
    softmax_along_the_first_axis,
    softmax_by_hand,
    softmax_row_by_row,
    softmax_in_float64,
    softmax_with_an_own_gradient,
    root_as_power,
    root_as_rsqrt,
    root_as_tensor,
    root_twice,
    root_by_numpy,
    root_as_function_of_torch,
    queries_scaled_first,
    masked_by_where,
    masked_by_assignment,
    masks_by_words,
    masks_by_comparison,
    infinity_by_other_names,
)
