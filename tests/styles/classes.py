"""Transforms of classes, torch modules all of them: how they are made, where their parts come from, where methods stand."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tests.styles.syntax import Node, arguments, called, code, names_in, rewritten, statements, top_level, with_header


def _classes(text: str, change: Callable[[cst.ClassDef], str | None]) -> str:
    """The text with its top-level classes replaced."""

    def changed(statement: cst.BaseStatement) -> str | None:
        return change(statement) if isinstance(statement, cst.ClassDef) and _is_module(statement) else None

    return top_level(text, changed)


def _is_module(one: cst.ClassDef) -> bool:
    return not one.decorators and any(code(base.value) in ("nn.Module", "torch.nn.Module") for base in one.bases)


def _named(one: cst.ClassDef, name: str) -> str:
    own = code(one.with_changes(name=cst.Name(name), leading_lines=()))
    return own.replace(f"super({one.name.value}, self)", f"super({name}, self)")


def _methods(one: cst.ClassDef) -> list[cst.FunctionDef]:
    return [part for part in one.body.body if isinstance(part, cst.FunctionDef)]


def as_a_subclass(text: str) -> str:
    """The class that is asked for adds nothing to its base."""
    return _classes(
        text, lambda c: f"{_named(c, f'_Base{c.name.value}')}\n\nclass {c.name.value}(_Base{c.name.value}):\n    pass"
    )


def as_another_name(text: str) -> str:
    """Defined under another name, then bound to the one that is asked for."""
    return _classes(text, lambda c: f"{_named(c, f'My{c.name.value}')}\n\n{c.name.value} = My{c.name.value}")


def made_by_a_function(text: str) -> str:
    """A function makes the class."""

    def change(one: cst.ClassDef) -> str:
        lines = "\n".join(f"    {line}" if line.strip() else "" for line in _named(one, "Made").strip("\n").splitlines())
        return f"def _make_{one.name.value}():\n{lines}\n\n    return Made\n\n\n{one.name.value} = _make_{one.name.value}()"

    return _classes(text, change)


def made_by_type(text: str) -> str:
    """type(name, bases, methods)."""

    def change(one: cst.ClassDef) -> str | None:
        if "super()" not in code(one) or any(
            not isinstance(part, (cst.FunctionDef, cst.SimpleStatementLine)) for part in one.body.body
        ):
            return None
        name = one.name.value
        names = [m.name.value for m in _methods(one)]
        free = [code(m.with_changes(name=cst.Name(f"_{name}_{m.name.value}"), leading_lines=())) for m in _methods(one)]
        table = ", ".join(f'"{n}": _{name}_{n}' for n in names)
        bases = ", ".join(code(b.value) for b in one.bases)
        whole = "\n\n".join(free).replace("super()", f"super({name}, self)")
        return f'{whole}\n\n{name} = type("{name}", ({bases},), {{{table}}})'

    return _classes(text, change)


def methods_added_later(text: str) -> str:
    """Functions of the module's own level become methods when the class is there."""

    def change(one: cst.ClassDef) -> str | None:
        later = [m for m in _methods(one) if m.name.value != "__init__"]
        if not later or not any(m.name.value == "__init__" for m in _methods(one)):
            return None
        name = one.name.value
        short = one.with_changes(body=one.body.with_changes(body=[p for p in one.body.body if p not in later]), leading_lines=())
        added = [f"{code(m.with_changes(name=cst.Name(f'_{m.name.value}_of_{name}'), leading_lines=()))}" for m in later]
        bound = [f"{name}.{m.name.value} = _{m.name.value}_of_{name}" for m in later]
        return "\n\n".join([code(short), *added, *bound])

    return _classes(text, change)


def methods_from_a_mixin(text: str) -> str:
    """All but __init__ stand in a class of their own, from which the one asked for takes them."""

    def change(one: cst.ClassDef) -> str | None:
        later = [m for m in _methods(one) if m.name.value != "__init__"]
        if not later or len(later) == len(_methods(one)):
            return None
        name = one.name.value
        mixin = one.with_changes(
            name=cst.Name(f"_Mixin{name}"), bases=(), leading_lines=(), body=one.body.with_changes(body=later)
        )
        bases = (cst.Arg(cst.Name(f"_Mixin{name}")), *one.bases)
        short = one.with_changes(body=one.body.with_changes(body=[p for p in one.body.body if p not in later]), bases=bases)
        return f"{code(mixin)}\n\n{code(short.with_changes(leading_lines=()))}"

    return _classes(text, change)


def methods_reversed(text: str) -> str:
    """The last method stands first."""

    def change(one: cst.ClassDef) -> str | None:
        rest = [part for part in one.body.body if not isinstance(part, cst.FunctionDef)]
        if len(_methods(one)) < 2:
            return None
        return code(one.with_changes(body=one.body.with_changes(body=[*rest, *reversed(_methods(one))]), leading_lines=()))

    return _classes(text, change)


def methods_that_delegate(text: str) -> str:
    """Every method hands its work to another one."""

    def change(one: cst.ClassDef) -> str | None:
        body: list[Node] = []
        for part in one.body.body:
            if (
                not isinstance(part, cst.FunctionDef)
                or part.name.value == "__init__"
                or f"_{part.name.value}_work" in names_in(one)
            ):
                body.append(part)
                continue
            work = part.with_changes(name=cst.Name(f"_{part.name.value}_work"), decorators=())
            given = arguments(part).removeprefix("self").removeprefix(", ")
            call = f"return self._{part.name.value}_work({given})"
            body += [work, part.with_changes(body=cst.IndentedBlock(statements(call)))]
        return code(one.with_changes(body=one.body.with_changes(body=body), leading_lines=()))

    return _classes(text, change)


def base_called_by_name(text: str) -> str:
    """nn.Module.__init__(self) for super().__init__()."""
    return _base_called(text, "nn.Module.__init__(self)")


def base_called_with_its_name(text: str) -> str:
    """super(Name, self).__init__()."""
    return _base_called(text, "super(NAME, self).__init__()")


def _base_called(text: str, form: str) -> str:
    def change(one: cst.ClassDef) -> str | None:
        old = code(one.with_changes(leading_lines=()))
        new = old.replace("super().__init__()", form.replace("NAME", one.name.value))
        return new if new != old else None

    return _classes(text, change)


def _parts(text: str, form: str) -> str:
    """self.name = nn.Layer(…) in another form; NAME and VALUE stand for the two."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.SimpleStatementLine) or not isinstance(node.body[0], cst.Assign):
            return None
        small = node.body[0]
        target, value = code(small.targets[0].target), small.value
        if not target.startswith("self.") or not (called(value).startswith("nn.") or called(value) == "AdditiveAttention"):
            return None
        (new,) = statements(form.replace("NAME", target.removeprefix("self.")).replace("VALUE", code(value)))
        return new

    return rewritten(text, changed)


def parts_by_setattr(text: str) -> str:
    """setattr(self, "name", …)."""
    return _parts(text, 'setattr(self, "NAME", VALUE)')


def parts_by_add_module(text: str) -> str:
    """self.add_module("name", …)."""
    return _parts(text, 'self.add_module("NAME", VALUE)')


def parts_by_register_module(text: str) -> str:
    """self.register_module("name", …)."""
    return _parts(text, 'self.register_module(name="NAME", module=VALUE)')


def parts_with_hints(text: str) -> str:
    """self.name: nn.Module = …"""
    return _parts(text, "self.NAME: nn.Module = VALUE")


def parts_under_two_names(text: str) -> str:
    """A local name besides."""
    return _parts(text, "made_NAME = self.NAME = VALUE")


def things_kept_on_the_module(text: str) -> str:
    """forward keeps a count and the last shapes on the module; no tensor stays."""

    def change(one: cst.ClassDef) -> str | None:
        body: list[Node] = []
        for part in one.body.body:
            if isinstance(part, cst.FunctionDef) and part.name.value == "forward" and isinstance(part.body, cst.IndentedBlock):
                lines = statements('self.calls = getattr(self, "calls", 0) + 1\nself.last_training = self.training')
                part = part.with_changes(body=part.body.with_changes(body=[*lines, *part.body.body]))
            body.append(part)
        return code(one.with_changes(body=one.body.with_changes(body=body), leading_lines=()))

    return _classes(text, change)


def things_that_classes_have(text: str) -> str:
    """A class attribute, extra_repr, __repr__, and a property besides."""

    def change(one: cst.ClassDef) -> str | None:
        extra = (
            'kind = "attention"\n\ndef extra_repr(self):\n    return "of my own"\n\n'
            "@property\ndef size(self):\n    return sum(p.numel() for p in self.parameters())\n"
        )
        start = 1 if one.get_docstring() is not None else 0
        body = list(one.body.body)
        whole = [*body[:start], *cst.parse_module(extra).body, *body[start:]]
        return code(one.with_changes(body=one.body.with_changes(body=whole), leading_lines=()))

    return _classes(text, change)


def forward_by_functional(text: str) -> str:
    """nn.functional.linear with the layer's weight for a call of the layer."""

    def changed(node: Node) -> Node | None:
        layers = ("self.W_k", "self.W_q", "self.v", "self.W_Q", "self.W_K", "self.W_V", "self.W_O")
        if not isinstance(node, cst.Call) or called(node) not in layers or len(node.args) != 1:
            return None
        return cst.parse_expression(f"nn.functional.linear({code(node.args[0].value)}, {called(node)}.weight)")

    return rewritten(text, changed)


def forward_by_products(text: str) -> str:
    """x @ weight.T for a call of the layer."""

    def changed(node: Node) -> Node | None:
        layers = ("self.W_k", "self.W_q", "self.v", "self.W_Q", "self.W_K", "self.W_V", "self.W_O")
        if not isinstance(node, cst.Call) or called(node) not in layers or len(node.args) != 1:
            return None
        return cst.parse_expression(f"(({code(node.args[0].value)}) @ {called(node)}.weight.T)")

    return rewritten(text, changed)


def layers_called_by_forward(text: str) -> str:
    """layer.forward(x) for layer(x)."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or not called(node).startswith("self.") or called(node).count(".") != 1:
            return None
        if called(node) in ("self.encode", "self.decode_step") or called(node).startswith(
            ("self._", "self.add_", "self.register_")
        ):
            return None
        return node.with_changes(func=cst.parse_expression(f"{called(node)}.forward"))

    return rewritten(text, changed)


_SUBCLASS = """
class _Linear(nn.Linear):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out, bias=False)
"""
_OF_PARAMETERS = """
class _Linear(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_out, d_in))
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)

    def forward(self, x):
        return nn.functional.linear(x, self.weight)
"""


def layers_of_a_subclass(text: str) -> str:
    """A class of layers without bias."""
    return _layers(text, _SUBCLASS)


def layers_made_of_parameters(text: str) -> str:
    """A class of layers that holds a parameter, drawn as torch draws it."""
    return _layers(text, _OF_PARAMETERS)


def _layers(text: str, above: str) -> str:
    def changed(node: Node) -> Node | None:
        if called(node) != "nn.Linear" or not isinstance(node, cst.Call) or "bias=False" not in code(node):
            return None
        return cst.parse_expression(code(node).replace("nn.Linear", "_Linear").replace(", bias=False", ""))

    new = text if "_Linear" in text else rewritten(text, changed)
    return text if new == text or "_layer" in text or "features" in text else with_header(new, above)


def _after_the_base(text: str, line: str) -> str:
    """A line after the call of the base's __init__."""

    def changed(node: Node) -> Node | cst.FlattenSentinel[Node] | None:
        if not isinstance(node, cst.SimpleStatementLine) or code(node).strip() != "super().__init__()" or line in text:
            return None
        return cst.FlattenSentinel([node, *statements(line)])

    return rewritten(text, changed)


def buffers_besides(text: str) -> str:
    """A buffer that the state dict does not hold."""
    return _after_the_base(text, 'self.register_buffer("scale_of_mine", torch.ones(1), persistent=False)')


def hooks_besides(text: str) -> str:
    """A forward hook that changes nothing."""
    return _after_the_base(text, "self.register_forward_hook(lambda module, given, answer: None)")


def one_module_after_another(text: str) -> str:
    """A class that is not asked for stands in the cell besides."""
    has = "(nn.Module):" in text
    return with_header(text, "class Experiment(nn.Module):\n    pass\n\n\nexperiment = Experiment()") if has else text


STYLES = (
    as_a_subclass,
    as_another_name,
    made_by_a_function,
    made_by_type,
    methods_added_later,
    methods_from_a_mixin,
    methods_reversed,
    methods_that_delegate,
    base_called_by_name,
    base_called_with_its_name,
    parts_by_setattr,
    parts_by_add_module,
    parts_by_register_module,
    parts_with_hints,
    parts_under_two_names,
    things_kept_on_the_module,
    things_that_classes_have,
    forward_by_functional,
    forward_by_products,
    layers_called_by_forward,
    layers_of_a_subclass,
    layers_made_of_parameters,
    buffers_besides,
    hooks_besides,
    one_module_after_another,
)
