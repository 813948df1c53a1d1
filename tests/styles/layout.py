"""Transforms of what a text looks like: indentation, lines, brackets, comments, hints, docstrings, where a definition stands."""

from __future__ import annotations

import ast
import re

import libcst as cst

from tests.styles.syntax import Node, arguments, body_rewritten, code, header, inner, plain_functions, rewritten, top_level

OWN_CELL = "# %% a cell of the student's own\n"
ANSWER_CELL = "# %% the answer\n"
_WORDS = ("check", "student", "reference", "client", "expect_close", "grader", "Student", "call", "read")
_FUNCTIONS = (  # by notebook
    ("additive_scores", "attention", "weighted_value", "self_attention", "cross_attention", "soft_lookup", "hard_lookup"),
    ("dot_products", "variance_table", "score_variance", "score_divisor", "score_audit"),
    ("entropy", "saturation_row", "softmax_jacobian", "gradient_norm", "collapse_width"),
    ("padding_mask", "causal_mask", "masked_attention", "causal_attention", "zero_score_leak", "masked_cross_entropy"),
    ("is_unambiguous", "encode_batch", "train_epoch", "exact_match", "year_region_mass"),
    ("split_heads", "merge_heads", "calibrated_attention"),
)


def as_pythons_own_writer_has_it(text: str) -> str:
    """ast.unparse: no comments, one line a statement."""
    return ast.unparse(ast.parse(text)) + "\n"


def _indented(text: str, by: str) -> str:
    """The text with another indentation; parsed and written by LibCST, so that texts of several lines keep theirs."""
    module = cst.parse_module(text)
    return module.with_changes(default_indent=by).code if module.default_indent != by else text


def indented_by_tabs(text: str) -> str:
    """Tabs."""
    return _indented(text, "\t")


def indented_by_two(text: str) -> str:
    """Two spaces."""
    return _indented(text, "  ")


def indented_by_one(text: str) -> str:
    """One space."""
    return _indented(text, " ")


def indented_by_eleven(text: str) -> str:
    """Eleven spaces."""
    return _indented(text, " " * 11)


def _simple_runs(body: list[Node]) -> list[Node]:
    """Neighbours that are simple statements, joined by semicolons."""
    joined: list[Node] = []
    for line in body:
        last = joined[-1] if joined else None
        if isinstance(line, cst.SimpleStatementLine) and isinstance(last, cst.SimpleStatementLine):
            together = [*(s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for s in (*last.body, *line.body))]
            joined[-1] = last.with_changes(body=together)
        else:
            joined.append(line)
    return joined


def joined_by_semicolons(text: str) -> str:
    """a = 1; b = 2; return a."""

    def changed(function: cst.FunctionDef) -> Node | None:
        body = list(function.body.body)
        start = 1 if function.get_docstring() is not None else 0
        return function.with_changes(body=function.body.with_changes(body=[*body[:start], *_simple_runs(body[start:])]))

    return body_rewritten(text, changed)


def ended_by_semicolons(text: str) -> str:
    """A semicolon at the end of every simple line."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.SimpleStatementLine) or isinstance(node.body[-1].semicolon, cst.Semicolon):
            return None
        return node.with_changes(body=[*node.body[:-1], node.body[-1].with_changes(semicolon=cst.Semicolon())])

    return rewritten(text, changed)


def bodies_on_one_line(text: str) -> str:
    """if a: b, and def f(x): y, where the body is simple."""

    def changed(node: Node) -> Node | None:
        body = getattr(node, "body", None)
        if not isinstance(node, (cst.If, cst.For, cst.FunctionDef, cst.With)) or not isinstance(body, cst.IndentedBlock):
            return None
        if not all(isinstance(line, cst.SimpleStatementLine) for line in body.body):
            return None
        (line,) = _simple_runs(list(body.body)) if len(_simple_runs(list(body.body))) == 1 else (None,)
        if not isinstance(line, cst.SimpleStatementLine):
            return None
        return node.with_changes(body=cst.SimpleStatementSuite(line.body))

    return rewritten(without_docstrings(text), changed)


def everything_in_brackets(text: str) -> str:
    """Brackets around every value that is bound or returned."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, (cst.Assign, cst.Return)) or node.value is None:
            return None
        return node.with_changes(value=cst.parse_expression(f"((({code(node.value)})))"))

    return rewritten(text, changed)


def every_part_in_brackets(text: str) -> str:
    """Brackets around both sides of every operation."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.BinaryOperation):
            return None
        return node.with_changes(
            left=cst.parse_expression(f"({code(node.left)})"), right=cst.parse_expression(f"({code(node.right)})")
        )

    return rewritten(text, changed)


def broken_lines(text: str) -> str:
    """A line break behind every operator, inside brackets."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.BinaryOperation):
            return None
        return cst.parse_expression(f"(\n{code(node.left)}\n{code(node.operator).strip()}\n{code(node.right)}\n)")

    return rewritten(text, changed)


def broken_by_backslashes(text: str) -> str:
    """A backslash behind every = of a simple line."""
    new = "\n".join(re.sub(r"^(\s+)(\w+) = (?=\S)", r"\1\2 = \\\n\1    ", line) for line in text.split("\n"))
    return new if _parses(new) else text


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def comments_on_every_line(text: str) -> str:
    """A comment behind every simple line, words of nbgrader's and of the grader's among them."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.TrailingWhitespace) or node.comment is not None or not isinstance(node.newline, cst.Newline):
            return None
        comment = cst.Comment("# see scaled_dot_product_attention; 100 % sicher, ça marche: YOUR CODE HERE")
        return node.with_changes(comment=comment, whitespace=cst.SimpleWhitespace("  "))

    return rewritten(text, changed)


def blank_lines_everywhere(text: str) -> str:
    """Two empty lines in front of every statement."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, (cst.SimpleStatementLine, cst.If, cst.For, cst.With)):
            return None
        return node.with_changes(leading_lines=[cst.EmptyLine(indent=False), cst.EmptyLine(), *node.leading_lines])

    return rewritten(text, changed)


def lines_of_windows(text: str) -> str:
    """CRLF at the end of lines."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def spaces_at_the_ends(text: str) -> str:
    """Spaces behind every line outside of texts, and a form feed above."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.TrailingWhitespace) or not isinstance(node.newline, cst.Newline) or node.comment:
            return None
        return node.with_changes(whitespace=cst.SimpleWhitespace("   \t "))

    return "\f" + rewritten(text, changed) + "\n\n\n   \n"


def without_docstrings(text: str) -> str:
    """No docstring."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, (cst.FunctionDef, cst.ClassDef)) or node.get_docstring() is None or len(node.body.body) < 2:
            return None
        return node.with_changes(body=node.body.with_changes(body=node.body.body[1:]))

    return rewritten(text, changed)


def with_other_docstrings(text: str) -> str:
    """A docstring of the student's own, with quotes, formulas and an example in it."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, cst.FunctionDef) or not isinstance(node.body, cst.IndentedBlock):
            return None
        own = 'r"""Here\'s how: softmax(QKᵀ/√d)·V.\n\n>>> 1 + 1\n3\n"""'
        body = list(node.body.body)[1 if node.get_docstring() is not None else 0 :]
        return node.with_changes(body=node.body.with_changes(body=[*cst.parse_module(own + "\n").body, *body]))

    return rewritten(text, changed)


def without_hints(text: str) -> str:
    """No type hint."""

    def changed(node: Node) -> Node | None:
        if isinstance(node, cst.Param):
            return node.with_changes(annotation=None, equal=cst.MaybeSentinel.DEFAULT)
        return node.with_changes(returns=None) if isinstance(node, cst.FunctionDef) else None

    return rewritten(text, changed)


def with_hints_as_texts(text: str) -> str:
    """Every hint a text, every function with one for its answer."""

    def changed(node: Node) -> Node | None:
        if isinstance(node, cst.Param) and node.annotation is not None:
            return node.with_changes(annotation=cst.Annotation(cst.SimpleString(repr(code(node.annotation.annotation)))))
        return (
            node.with_changes(returns=cst.Annotation(cst.SimpleString('"what it says"')))
            if isinstance(node, cst.FunctionDef)
            else None
        )

    return rewritten(text, changed)


def with_hints_of_typing(text: str) -> str:
    """typing.Any for every hint."""

    def changed(node: Node) -> Node | None:
        if isinstance(node, cst.Param) and node.annotation is not None:
            return node.with_changes(annotation=cst.Annotation(cst.Name("Any")))
        return None

    new = rewritten(text, changed)
    return text if new == text else f"from typing import Any\n\n{new}" if "__future__" not in text else text


def defined_twice(text: str) -> str:
    """A first definition that raises, then the right one."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str:
        return f"def {function.name.value}(*things, **named):\n    raise NotImplementedError\n\n\n{code(function)}"

    return plain_functions(text, changed)


def defined_wrongly_first(text: str) -> str:
    """A first definition that returns None, kept under another name too."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str:
        name = function.name.value
        return f"def {name}(*things, **named):\n    return None\n\n\nfirst_attempt = {name}\n\n\n{code(function)}"

    return plain_functions(text, changed)


def defined_under_a_condition(text: str) -> str:
    """if True: def …; else: the same name is None."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str:
        lines = code(function.with_changes(leading_lines=())).strip("\n")
        module = cst.parse_module(f"if True:\n    pass\nelse:\n    {function.name.value} = None\n")
        (outer,) = module.body
        return code(outer.with_changes(body=cst.IndentedBlock(cst.parse_module(lines + "\n").body)))

    return plain_functions(text, changed)


def bound_once_more(text: str) -> str:
    """Defined under another name, then bound to the name that is asked for."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        name = f"my_{function.name.value}"
        return None if name in taken else f"{inner(function, name)}\n\n{function.name.value} = {name}\n"

    return plain_functions(text, changed)


def helpers_with_the_graders_words(text: str) -> str:
    """The work is done by functions called check, student, reference, …; no two of one notebook have the same name."""

    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        name = function.name.value
        word = next((_WORDS[course.index(name)] for course in _FUNCTIONS if name in course), None)
        if word is None or word in taken:
            return None
        return f"{inner(function, word)}\n\n{header(function)}\n    return {word}({arguments(function)})"

    return plain_functions(text, changed)


def in_an_own_cell_before(text: str) -> str:
    """The definition stands in a cell of the student's own, the answer cell says so."""
    return text if "# %%" in text else f"{OWN_CELL}{text}\n{ANSWER_CELL}# see the cell above\n"


def in_an_own_cell_after(text: str) -> str:
    """A wrong definition stands in the answer cell, the right one in a cell of the student's own below."""
    names = re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE) or re.findall(r"^([A-Z_]+) =", text, re.MULTILINE)
    if "# %%" in text or not names:
        return text
    wrong = "\n".join(f"{name} = None" for name in dict.fromkeys(names))
    return f"{ANSWER_CELL}{wrong}\n{OWN_CELL}{text}"


def tried_out_below(text: str) -> str:
    """The answer cell ends with lines that print and draw."""
    return f'{text}\nprint("done:", __name__)\nplt.figure()\nplt.plot([1, 2], [3, 4])\nplt.show()\n'


def with_a_failing_line_below(text: str) -> str:
    """The last line of the cell raises; what stands above it has been defined."""
    return f"{text}\nraise RuntimeError('a line that was forgotten')\n"


def with_magic_lines(text: str) -> str:
    """IPython's magic above and below; IPython itself takes no form feed in such a cell."""
    plain = text.replace("\f", "")
    return f"%matplotlib inline\n{plain}\n%timeit -n1 -r1 1 + 1\n"


def top_level_in_brackets(text: str) -> str:
    """Values of top-level names in brackets."""

    def changed(statement: cst.BaseStatement) -> str | None:
        if not isinstance(statement, cst.SimpleStatementLine) or not isinstance(statement.body[0], cst.Assign):
            return None
        small = statement.body[0]
        target = code(small.targets[0].target)
        return f"{target} = (\n{code(small.value)}\n)"

    return top_level(text, changed)


STYLES = (
    as_pythons_own_writer_has_it,
    indented_by_tabs,
    indented_by_two,
    indented_by_one,
    indented_by_eleven,
    joined_by_semicolons,
    ended_by_semicolons,
    bodies_on_one_line,
    everything_in_brackets,
    every_part_in_brackets,
    broken_lines,
    broken_by_backslashes,
    comments_on_every_line,
    blank_lines_everywhere,
    lines_of_windows,
    spaces_at_the_ends,
    without_docstrings,
    with_other_docstrings,
    without_hints,
    with_hints_as_texts,
    with_hints_of_typing,
    defined_twice,
    defined_wrongly_first,
    defined_under_a_condition,
    bound_once_more,
    helpers_with_the_graders_words,
    in_an_own_cell_before,
    in_an_own_cell_after,
    tried_out_below,
    with_a_failing_line_below,
    with_magic_lines,
    top_level_in_brackets,
)
