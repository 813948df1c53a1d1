"""Transforms of calls: methods and functions, axes by name and by number, sizes, numbers out of tensors."""

from __future__ import annotations

import re

import libcst as cst

from tests.styles.syntax import Node, called, code, expression, given, method_of, rewritten, with_header

_BOTH_WAYS = (
    *("sum", "exp", "mean", "var", "std", "all", "any", "argmax", "squeeze", "unsqueeze", "transpose", "masked_fill"),
    *("max", "gather", "reshape", "unbind", "softmax", "flatten"),
)
_OF_AN_AXIS = ("sum", "mean", "all", "any", "argmax", "max", "softmax", "log_softmax", "unbind", "stack", "cat")
SIGNATURES = {
    "attention": ("Q", "K", "V", "d_k"),
    "dot_products": ("n", "d_k", "generator"),
    "score_variance": ("d_k", "var_q", "var_k"),
    "score_divisor": ("d_k", "var_q", "var_k"),
    "entropy": ("logits",),
    "causal_mask": ("T",),
    "split_heads": ("x", "n_heads"),
    "merge_heads": ("x",),
    "self.encode": ("source", "lengths"),
    "self.decode_step": ("previous", "memory", "key_is_valid", "state"),
    "self.attention": ("query", "keys", "key_is_valid"),
    "model": ("source", "lengths", "target_in"),
    "model.greedy_decode": ("source", "lengths"),
}


def functions_for_methods(text: str) -> str:
    """torch.sum(x, dim=-1) for x.sum(dim=-1), and so on."""

    def changed(node: Node) -> Node | None:
        name = method_of(node)
        if name not in _BOTH_WAYS or not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return None
        texts = given(node)
        if name == "reshape" and len(texts) > 1:
            texts = [f"({', '.join(texts)})"]
        return expression(f"torch.{name}({', '.join([code(node.func.value), *texts])})")

    return rewritten(text, changed)


def methods_for_functions(text: str) -> str:
    """x.tanh() for torch.tanh(x), and so on."""
    names = {f"torch.{name}" for name in (*_BOTH_WAYS, "tanh", "log_softmax", "diag", "outer", "diag_embed")}

    def changed(node: Node) -> Node | None:
        if called(node) not in names or not isinstance(node, cst.Call):
            return None
        first, *rest = given(node)
        return expression(f"({first}).{called(node).removeprefix('torch.')}({', '.join(rest)})")

    return rewritten(text, changed)


def axes_by_number(text: str) -> str:
    """sum(-1) for sum(dim=-1)."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _OF_AN_AXIS:
            return None
        texts = given(node)
        position = 0 if method_of(node) else 1
        if len(texts) <= position or not texts[position].startswith("dim="):
            return None
        texts[position] = texts[position].removeprefix("dim=")
        return cst.parse_expression(f"{code(node.func)}({', '.join(texts)})")

    return rewritten(text, changed)


def axes_by_name(text: str) -> str:
    """unsqueeze(dim=-1) for unsqueeze(-1); transpose with dim0 and dim1."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or (name := method_of(node)) not in ("unsqueeze", "squeeze", "transpose"):
            return None
        texts = given(node)
        if not texts or any("=" in t for t in texts):
            return None
        named = [f"dim={texts[0]}"] if len(texts) == 1 else [f"dim{i}={t}" for i, t in enumerate(texts)]
        if name != "transpose" and len(texts) != 1:
            return None
        return cst.parse_expression(f"{code(node.func)}({', '.join(named)})")

    return rewritten(text, changed)


def axes_in_numpys_word(text: str) -> str:
    """axis= for dim= where torch takes both."""

    def changed(node: Node) -> Node | None:
        is_sum = method_of(node) in ("sum", "mean") or called(node) in ("torch.sum", "torch.mean")
        if not is_sum or not isinstance(node, cst.Call):
            return None
        return cst.parse_expression(re.sub(r"\bdim=", "axis=", code(node)))

    return rewritten(text, changed)


def axes_counted_from_the_front(text: str) -> str:
    """ndim - 1 for -1."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or given(node)[-1:] != ["dim=-1"]:
            return None
        rest = given(node)[:-1]
        if method_of(node) in ("sum", "softmax") and isinstance(node.func, cst.Attribute):
            name, whole = node.func.attr.value, code(node.func.value)
            call = f"whole.{name}({', '.join([*rest, 'dim=whole.ndim - 1'])})"
        elif called(node) in ("torch.softmax", "torch.log_softmax"):
            whole = rest[0]
            call = f"{called(node)}(whole, dim=whole.ndim - 1)"
        else:
            return None
        return expression(f"(lambda whole: {call})({whole})")

    return rewritten(text, changed)


def _method(text: str, name: str, form: str, arguments: tuple[str, ...] | None = None) -> str:
    """A method's call in another form; WHOLE stands for its object, FIRST for its first argument."""

    def changed(node: Node) -> Node | None:
        if method_of(node) != name or not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return None
        texts = given(node)
        if arguments is not None and tuple(texts) != arguments:
            return None
        new = form.replace("WHOLE", f"({code(node.func.value)})")
        return expression(new.replace("FIRST", texts[0]) if texts else new)

    return rewritten(text, changed)


def transposed_by_property(text: str) -> str:
    """.mT for .transpose(-2, -1)."""
    return _method(text, "transpose", "WHOLE.mT", ("-2", "-1"))


def transposed_by_swapaxes(text: str) -> str:
    """.swapaxes(-1, -2) for .transpose(-2, -1)."""
    return _method(text, "transpose", "WHOLE.swapaxes(-1, -2)", ("-2", "-1"))


def transposed_by_permute(text: str) -> str:
    """.permute with all axes named for .transpose(1, 2) of four axes."""
    return _method(text, "transpose", "WHOLE.permute(0, 2, 1, 3)", ("1", "2"))


def transposed_by_einsum(text: str) -> str:
    """einsum("...ij->...ji") for .transpose(-2, -1)."""
    return _method(text, "transpose", 'torch.einsum("...ij->...ji", WHOLE)', ("-2", "-1"))


def axes_made_by_none(text: str) -> str:
    """x[..., None] for x.unsqueeze(-1), x[:, None] for x.unsqueeze(1)."""
    forms = {"0": "[None]", "1": "[:, None]", "2": "[:, :, None]", "-1": "[..., None]", "-2": "[..., None, :]"}
    for axis, index in forms.items():
        text = _method(text, "unsqueeze", f"WHOLE{index}", (axis,))
    return _method(text, "unsqueeze", "WHOLE[..., None, :, :]", ("-3",))


def axes_dropped_by_index(text: str) -> str:
    """x[..., 0] for x.squeeze(-1), where that axis has one place."""
    for axis, index in {"0": "[0]", "1": "[:, 0]", "2": "[:, :, 0]", "-1": "[..., 0]"}.items():
        text = _method(text, "squeeze", f"WHOLE{index}", (axis,))
    return text


def axes_made_by_view(text: str) -> str:
    """reshape for unsqueeze(-1)."""
    return _method(text, "unsqueeze", "(lambda whole: whole.reshape(*whole.shape, 1))(WHOLE)", ("-1",))


def numbers_by_float(text: str) -> str:
    """float(x) for x.item()."""
    return _method(text, "item", "float(WHOLE)")


def numbers_by_list(text: str) -> str:
    """x.tolist() for x.item()."""
    return _method(text, "item", "WHOLE.tolist()")


def numbers_by_numpy(text: str) -> str:
    """x.detach().numpy().item() for x.item()."""
    return _method(text, "item", "WHOLE.detach().cpu().numpy().item()")


def doubled_by_dtype(text: str) -> str:
    """x.to(torch.float64) for x.double()."""
    return _method(text, "double", "WHOLE.to(dtype=torch.float64)")


def sizes_by_method(text: str) -> str:
    """x.size(-1) for x.shape[-1]."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Subscript) or not code(node.value).endswith(".shape") or ":" in code(node):
            return None
        index = code(node.slice[0])
        return cst.parse_expression(f"{code(node.value).removesuffix('.shape')}.size({index})")

    return rewritten(text, changed)


def sizes_counted_from_the_front(text: str) -> str:
    """x.shape[x.ndim - 1] for x.shape[-1]."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Subscript) or not code(node).endswith((".shape[-1]", ".shape[-2]")):
            return None
        whole, index = code(node.value).removesuffix(".shape"), code(node.slice[0])
        return cst.parse_expression(f"{whole}.shape[{whole}.ndim - {index[1:]}]")

    return rewritten(text, changed)


def sizes_by_unpacking(text: str) -> str:
    """(*_, width) unpacked from a shape."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Subscript) or not code(node).endswith(".shape[-1]"):
            return None
        return expression(f"(lambda *sizes: sizes[-1])(*{code(node.value)})")

    return rewritten(text, changed)


def arguments_by_name(text: str) -> str:
    """Calls of the course's own functions with every argument by its name."""

    def changed(node: Node) -> Node | None:
        names = SIGNATURES.get(called(node))
        if names is None or not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
            return None
        pairs = [f"{name}={value}" for name, value in zip(names, given(node), strict=False)]
        return cst.parse_expression(f"{called(node)}({', '.join(reversed(pairs))})")

    return rewritten(text, changed)


def arguments_in_a_tuple(text: str) -> str:
    """f(*(a, b)) for f(a, b)."""

    def changed(node: Node) -> Node | None:
        if called(node) not in SIGNATURES or not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
            return None
        return cst.parse_expression(f"{called(node)}(*({', '.join(given(node))},))")

    return rewritten(text, changed)


def arguments_in_a_dict(text: str) -> str:
    """f(**dict(a=…)) for f(a)."""

    def changed(node: Node) -> Node | None:
        names = SIGNATURES.get(called(node))
        if names is None or not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
            return None
        pairs = [f'"{name}": {value}' for name, value in zip(names, given(node), strict=False)]
        return cst.parse_expression(f"{called(node)}(**{{{', '.join(pairs)}}})")

    return rewritten(text, changed)


def draws_with_a_size(text: str) -> str:
    """torch.randn(size=(n, d), …) for torch.randn(n, d, …)."""

    def changed(node: Node) -> Node | None:
        if called(node) != "torch.randn" or not isinstance(node, cst.Call) or "size=" in code(node):
            return None
        sizes, named = [t for t in given(node) if "=" not in t], [t for t in given(node) if "=" in t]
        return cst.parse_expression(f"torch.randn({', '.join(['size=(' + ', '.join(sizes) + ',)', *named])})")

    return rewritten(text, changed)


def draws_into_a_buffer(text: str) -> str:
    """An empty tensor that normal_ fills."""

    def changed(node: Node) -> Node | None:
        if called(node) != "torch.randn" or not isinstance(node, cst.Call) or "size=" in code(node):
            return None
        sizes, named = [t for t in given(node) if "=" not in t], [t for t in given(node) if "=" in t]
        return expression(f"torch.empty({', '.join(sizes)}).normal_({', '.join(named)})")

    return rewritten(text, changed)


def layers_by_name(text: str) -> str:
    """nn.Linear(in_features=…, out_features=…) for nn.Linear(a, b)."""

    def changed(node: Node) -> Node | None:
        if called(node) != "nn.Linear" or not isinstance(node, cst.Call) or "in_features" in code(node):
            return None
        first, second, *rest = given(node)
        return cst.parse_expression(f"nn.Linear({', '.join([*rest, f'out_features={second}', f'in_features={first}'])})")

    return rewritten(text, changed)


def layers_by_place(text: str) -> str:
    """nn.Linear(a, b, False) for nn.Linear(a, b, bias=False)."""

    def changed(node: Node) -> Node | None:
        if called(node) != "nn.Linear" or not isinstance(node, cst.Call) or given(node)[-1] != "bias=False":
            return None
        return cst.parse_expression(code(node).replace("bias=", ""))

    return rewritten(text, changed)


def layers_under_an_own_name(text: str) -> str:
    """A function of the student's own that makes layers without bias."""

    def changed(node: Node) -> Node | None:
        if called(node) != "nn.Linear" or not isinstance(node, cst.Call) or given(node)[-1] != "bias=False":
            return None
        return cst.parse_expression(f"_layer({', '.join(given(node)[:-1])})")

    new = rewritten(text, changed)
    return text if new == text else with_header(new, "from functools import partial\n\n_layer = partial(nn.Linear, bias=False)")


STYLES = (
    functions_for_methods,
    methods_for_functions,
    axes_by_number,
    axes_by_name,
    axes_in_numpys_word,
    axes_counted_from_the_front,
    transposed_by_property,
    transposed_by_swapaxes,
    transposed_by_permute,
    transposed_by_einsum,
    axes_made_by_none,
    axes_made_by_view,
    axes_dropped_by_index,
    numbers_by_float,
    numbers_by_list,
    numbers_by_numpy,
    doubled_by_dtype,
    sizes_by_method,
    sizes_counted_from_the_front,
    sizes_by_unpacking,
    arguments_by_name,
    arguments_in_a_tuple,
    arguments_in_a_dict,
    draws_with_a_size,
    draws_into_a_buffer,
    layers_by_name,
    layers_by_place,
    layers_under_an_own_name,
)
