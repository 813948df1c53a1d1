"""Transforms of statements: control flow, intermediate variables, messages, guards that never strike."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from tests.styles.syntax import Node, body_rewritten, code, expression, names_in, parameters, rewritten, statements, with_header

Body = list[Node]


def _split(function: cst.FunctionDef) -> tuple[Body, Body]:
    """A body's docstring (or nothing), and the rest."""
    body = list(function.body.body)
    return (body[:1], body[1:]) if function.get_docstring() is not None else ([], body)


def _bodies(text: str, change: Callable[[Body, cst.FunctionDef], Body | None]) -> str:
    """The text with the body of every function and method changed; the docstring stays in its place."""

    def changed(function: cst.FunctionDef) -> cst.FunctionDef | None:
        if not isinstance(function.body, cst.IndentedBlock):
            return None
        docstring, rest = _split(function)
        new = change(rest, function) if rest else None
        return None if new is None else function.with_changes(body=function.body.with_changes(body=[*docstring, *new]))

    return body_rewritten(text, changed)


def wrapped_bodies(text: str, form: str, needs_return: bool = False) -> str:
    """Bodies inside another statement; BODY stands in `form` for them."""

    def change(body: Body, function: cst.FunctionDef) -> Body | None:
        if needs_return and not isinstance(_last_small(body), cst.Return):
            return None
        (outer,) = statements(form.replace("BODY", "pass"))
        if isinstance(outer, cst.Match):
            return [outer.with_changes(cases=[outer.cases[0].with_changes(body=cst.IndentedBlock(body))])]
        return [outer.with_changes(body=cst.IndentedBlock(body))]

    return _bodies(text, change)


def _last_small(body: Body) -> Node | None:
    last = body[-1]
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None


def inside_try_finally(text: str) -> str:
    """try … finally."""
    return wrapped_bodies(text, "try:\n    BODY\nfinally:\n    done = True\n")


def inside_try_except(text: str) -> str:
    """An exception that never comes is caught and raised again."""
    return wrapped_bodies(
        text, "try:\n    BODY\nexcept ZeroDivisionError:\n    raise\nexcept KeyboardInterrupt as stop:\n    raise stop\n"
    )


def inside_a_context(text: str) -> str:
    """A context that does nothing."""
    new = wrapped_bodies(text, "with contextlib.nullcontext():\n    BODY\n")
    return text if new == text else with_header(new, "import contextlib")


def inside_the_gradient_switch(text: str) -> str:
    """torch.set_grad_enabled with what it is already."""
    return wrapped_bodies(text, "with torch.set_grad_enabled(torch.is_grad_enabled()):\n    BODY\n")


def inside_quieted_warnings(text: str) -> str:
    """warnings.catch_warnings around the work."""
    new = wrapped_bodies(text, "with warnings.catch_warnings():\n    BODY\n")
    return text if new == text else with_header(new, "import warnings")


def inside_if_true(text: str) -> str:
    """if True."""
    return wrapped_bodies(text, "if True:\n    BODY\n")


def inside_a_loop_of_one_round(text: str) -> str:
    """for _ in range(1)."""
    return wrapped_bodies(text, "for only_round in range(1):\n    BODY\n")


def inside_while_true(text: str) -> str:
    """while True, left by return."""
    return wrapped_bodies(text, "while True:\n    BODY\n", needs_return=True)


def before_bodies(text: str, line: Callable[[cst.FunctionDef], str], above: str = "") -> str:
    """Lines in front of every body, and something above it all."""

    def change(body: Body, function: cst.FunctionDef) -> Body | None:
        new = line(function)
        return [*statements(new), *body] if new else None

    new = _bodies(text, change)
    return with_header(new, above) if above and new != text else new


def prints_at_the_start(text: str) -> str:
    """Everything that comes in is printed."""
    return before_bodies(text, lambda f: "\n".join(f'print(f"{{{p} = }}")' for p in parameters(f) if p != "self"))


def prints_to_the_error_stream(text: str) -> str:
    """Twenty lines on standard error."""
    return before_bodies(
        text,
        lambda f: f'for number in range(20):\n    print("{f.name.value}", number, file=sys.stderr, flush=True)',
        "import sys",
    )


def prints_that_look_like_verdicts(text: str) -> str:
    """Lines that a careless grader might read as its own."""
    return before_bodies(
        text, lambda f: 'print("FAILED: 0.0 points")\nprint("1 failed, 0 passed")\nprint("Traceback (most recent call last):")'
    )


def warnings_at_the_start(text: str) -> str:
    """warnings.warn."""
    return before_bodies(
        text, lambda f: f'warnings.warn("{f.name.value} was called", DeprecationWarning, stacklevel=2)', "import warnings"
    )


def logging_at_the_start(text: str) -> str:
    """A logger of the student's own."""
    return before_bodies(text, lambda f: f'logging.getLogger("{f.name.value}").error("called")', "import logging")


def assertions_of_right_things(text: str) -> str:
    """assert what every call keeps."""

    def lines(function: cst.FunctionDef) -> str:
        hints = {p.name.value: code(p.annotation.annotation) for p in function.params.params if p.annotation}
        tensors = [name for name, hint in hints.items() if hint in ("torch.Tensor", "Tensor")]
        return "\n".join(f'assert isinstance({name}, torch.Tensor), "{name} is no tensor"' for name in tensors)

    return before_bodies(text, lines)


def shapes_looked_at(text: str) -> str:
    """Shapes unpacked into variables that nothing uses."""

    def lines(function: cst.FunctionDef) -> str:
        hints = {p.name.value: code(p.annotation.annotation) for p in function.params.params if p.annotation}
        return "\n".join(f"shape_of_{n} = tuple({n}.shape)" for n, h in hints.items() if h in ("torch.Tensor", "Tensor"))

    return before_bodies(text, lines)


def parameters_renamed_inside(text: str) -> str:
    """Each parameter under a second name, which the rest then uses."""

    def change(body: Body, function: cst.FunctionDef) -> Body | None:
        own = [p for p in parameters(function) if p != "self"]
        block = cst.Module(body)
        if not own or "super()" in block.code or "lambda" in block.code or "def " in block.code:
            return None

        lines = "\n".join(f"my_{p} = {p}" for p in own)
        return [*statements(lines), *statements(_with_names(block.code, {p: f"my_{p}" for p in own}))]

    return _bodies(text, change)


class _Names(cst.CSTTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        super().__init__()
        self.new = new

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        return updated_node.with_changes(value=self.new.get(updated_node.value, updated_node.value))

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.Attribute:
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)


def _with_names(text: str, new: dict[str, str]) -> str:
    return cst.parse_module(text).visit(_Names(new)).code


def simple_lines(text: str, change: Callable[[cst.BaseSmallStatement], str | None]) -> str:
    """The text with simple statements that have a line of their own inside a function replaced by other texts."""

    def changed(node: Node) -> Node | cst.FlattenSentinel[Node] | None:
        if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
            return None
        new = change(node.body[0])
        return None if new is None else cst.FlattenSentinel(statements(new))

    return body_rewritten(text, lambda function: function.with_changes(body=function.body.visit(_Lines(changed))))


class _Lines(cst.CSTTransformer):
    def __init__(self, changed: Callable[[Node], object]) -> None:
        super().__init__()
        self.changed = changed

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False  # it has been changed already

    def leave_SimpleStatementLine(self, original_node: Node, updated_node: Node) -> object:
        return self.changed(updated_node) or updated_node


def _assigned(small: Node) -> tuple[str, cst.BaseExpression] | None:
    """The one name that an assignment binds, and what to."""
    if isinstance(small, cst.Assign) and len(small.targets) == 1 and isinstance(small.targets[0].target, cst.Name):
        return small.targets[0].target.value, small.value
    return None


def prints_after_every_line(text: str) -> str:
    """Every value is printed as it is made."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        return None if bound is None else f'{code(small)}\nprint(f"{bound[0]}: {{{bound[0]}}}", type({bound[0]}))'

    return simple_lines(text, change)


def result_in_a_variable(text: str) -> str:
    """result = …; return result."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        if not isinstance(small, cst.Return) or small.value is None or isinstance(small.value, cst.Name):
            return None
        return f"to_return = {code(small.value)}\nreturn to_return"

    return simple_lines(text, change)


def results_unpacked(text: str) -> str:
    """Each part of a returned tuple in a variable of its own."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        if not isinstance(small, cst.Return) or not isinstance(small.value, cst.Tuple):
            return None
        parts = [code(e.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for e in small.value.elements]
        names = [f"part_{i}" for i in range(len(parts))]
        return f"{', '.join(names)} = {', '.join(parts)}\nreturn ({', '.join(names)})"

    return simple_lines(text, change)


def _pairs(text: str, form: str, above: str = "") -> str:
    """Returned tuples in another form; PARTS stands for what was in them."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        if not isinstance(small, cst.Return) or not isinstance(small.value, cst.Tuple):
            return None
        parts = [code(e.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for e in small.value.elements]
        names = " ".join(f"part_{i}" for i in range(len(parts)))
        return "return " + form.replace("PARTS", ", ".join(parts)).replace("NAMES", names)

    new = simple_lines(text, change)
    return with_header(new, above) if above and new != text else new


def lists_for_pairs(text: str) -> str:
    """A list is returned for a tuple."""
    return _pairs(text, "[PARTS]")


def named_tuples_for_pairs(text: str) -> str:
    """A namedtuple is returned for a tuple."""
    return _pairs(text, 'collections.namedtuple("Answer", "NAMES")(PARTS)', "import collections")


def subclasses_for_pairs(text: str) -> str:
    """A tuple of a class of the student's own."""
    return _pairs(text, "_Pair((PARTS))", "class _Pair(tuple):\n    def __repr__(self):\n        return 'a pair'")


def pairs_by_generator(text: str) -> str:
    """tuple(…) over a generator."""
    return _pairs(text, "tuple(part for part in [PARTS])")


def lists_for_rows(text: str) -> str:
    """Lists for the tuples that are collected in a list."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Call) or not code(node.func).endswith(".append") or len(node.args) != 1:
            return None
        whole = node.args[0].value
        if not isinstance(whole, cst.Tuple):
            return None
        return cst.parse_expression(f"{code(node.func)}(list({code(whole)}))")

    return rewritten(text, changed)


def annotated_lines(text: str) -> str:
    """Every variable with a type hint, as a text."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        return None if bound is None else f'{bound[0]}: "object" = {code(bound[1])}'

    return simple_lines(text, change)


def two_names_at_once(text: str) -> str:
    """a = b = value."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        return None if bound is None else f"spare = {bound[0]} = {code(bound[1])}"

    return simple_lines(text, change)


def unpacked_from_a_tuple(text: str) -> str:
    """(name,) = (value,)."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        return None if bound is None else f"({bound[0]},) = ({code(bound[1])},)"

    return simple_lines(text, change)


def bound_by_walrus(text: str) -> str:
    """(name := value)."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        return None if bound is None else f"({bound[0]} := ({code(bound[1])}))"

    return simple_lines(text, change)


def deleted_after_use(text: str) -> str:
    """del of a variable before the return that does not use it."""

    def change(body: Body, function: cst.FunctionDef) -> Body | None:
        last = _last_small(body)
        if not isinstance(last, cst.Return) or last.value is None:
            return None
        bound = [pair[0] for line in body[:-1] if isinstance(line, cst.SimpleStatementLine) and (pair := _assigned(line.body[0]))]
        whole = "".join(code(line) for line in body)
        idle = [
            n for n in dict.fromkeys(bound) if n not in names_in(last.value) and "lambda" not in whole and "def " not in whole
        ]
        return [*body[:-1], *statements(f"del {', '.join(idle)}"), body[-1]] if idle else None

    return _bodies(text, change)


def divided_in_place(text: str) -> str:
    """scores = Q @ K; scores /= root, of what the product has just made."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        bound = _assigned(small)
        if bound is None or not isinstance(bound[1], cst.BinaryOperation) or not isinstance(bound[1].operator, cst.Divide):
            return None
        left = bound[1].left
        if not isinstance(left, cst.BinaryOperation) or not isinstance(left.operator, cst.MatrixMultiply):
            return None
        return f"{bound[0]} = {code(left)}\n{bound[0]} /= {code(bound[1].right)}"

    return simple_lines(text, change)


def ifs_inverted(text: str) -> str:
    """if not …: pass, else the work."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.If) or node.orelse is not None or code(node.test).startswith("not ("):
            return None
        (new,) = statements(f"if not ({code(node.test)}):\n    pass\nelse:\n    pass\n")
        assert isinstance(new, cst.If)
        assert new.orelse is not None
        return new.with_changes(orelse=new.orelse.with_changes(body=node.body))

    return rewritten(text, changed)


def ifs_through_variables(text: str) -> str:
    """The condition compared with True by its truth."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.If) or code(node.test).startswith("(True, False)"):
            return None
        return node.with_changes(test=cst.parse_expression(f"(True, False)[0 if ({code(node.test)}) else 1]"))

    return rewritten(text, changed)


def comparisons_turned(text: str) -> str:
    """b > a for a < b."""
    signs = {
        cst.LessThan: ">",
        cst.GreaterThan: "<",
        cst.LessThanEqual: ">=",
        cst.GreaterThanEqual: "<=",
        cst.Equal: "==",
        cst.NotEqual: "!=",
    }

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1 or type(node.comparisons[0].operator) not in signs:
            return None
        sign = signs[type(node.comparisons[0].operator)]
        return expression(f"({code(node.comparisons[0].comparator)}) {sign} ({code(node.left)})")

    return rewritten(text, changed)


def comparisons_by_words(text: str) -> str:
    """operator.lt(a, b) for a < b."""
    words = {
        cst.LessThan: "lt",
        cst.GreaterThan: "gt",
        cst.LessThanEqual: "le",
        cst.GreaterThanEqual: "ge",
        cst.Equal: "eq",
        cst.NotEqual: "ne",
    }

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.Comparison) or len(node.comparisons) != 1 or type(node.comparisons[0].operator) not in words:
            return None
        word = words[type(node.comparisons[0].operator)]
        return expression(f"operator.{word}({code(node.left)}, {code(node.comparisons[0].comparator)})")

    new = rewritten(text, changed)
    return text if new == text else with_header(new, "import operator")


def ternary_returns(text: str) -> str:
    """return x if True else None."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        if not isinstance(small, cst.Return) or small.value is None or isinstance(small.value, cst.IfExp):
            return None
        return f"return ({code(small.value)}) if True else None"

    return simple_lines(text, change)


def code_after_the_return(text: str) -> str:
    """Lines that nothing reaches."""

    def change(body: Body, function: cst.FunctionDef) -> Body | None:
        if not isinstance(_last_small(body), cst.Return):
            return None
        return [*body, *statements('print("never")\nraise RuntimeError("never reached")')]

    return _bodies(text, change)


STYLES = (
    inside_try_finally,
    inside_try_except,
    inside_a_context,
    inside_the_gradient_switch,
    inside_quieted_warnings,
    inside_if_true,
    inside_a_loop_of_one_round,
    inside_while_true,
    prints_at_the_start,
    prints_to_the_error_stream,
    prints_that_look_like_verdicts,
    warnings_at_the_start,
    logging_at_the_start,
    assertions_of_right_things,
    shapes_looked_at,
    parameters_renamed_inside,
    prints_after_every_line,
    result_in_a_variable,
    results_unpacked,
    lists_for_pairs,
    named_tuples_for_pairs,
    subclasses_for_pairs,
    pairs_by_generator,
    lists_for_rows,
    annotated_lines,
    two_names_at_once,
    unpacked_from_a_tuple,
    bound_by_walrus,
    deleted_after_use,
    divided_in_place,
    ifs_inverted,
    ifs_through_variables,
    comparisons_turned,
    comparisons_by_words,
    ternary_returns,
    code_after_the_return,
)
