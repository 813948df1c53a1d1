"""What a student reads about a check that did not pass.

Text that student code made up while it was asked (an error's message, a printed line) could carry hidden inputs out, so only
well-known messages of Python and torch are repeated, and only class names of theirs; the rest is the instructor's to read.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grading.student import (
    StudentDied,
    StudentError,
    StudentFault,
    StudentFileMissing,
    StudentMemory,
    StudentMissing,
    StudentTimeout,
)

# Shapes are all that these messages tell about the inputs, and a student may know shapes. A student can raise any of them with
# words and numbers of their own: words in groups are repeated only where they are known, numbers only where they are short.
_N, _WORD = r"\d{1,6}", r"(\w{1,60})"
_CALLED = r"([\w.<>]{1,80})\(\)"
_REPEATABLE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"mat1 and mat2 shapes cannot be multiplied \({_N}x{_N} and {_N}x{_N}\)",
        rf"Expected size for first two dimensions of batch2 tensor to be: \[{_N}, {_N}\] but got: \[{_N}, {_N}\]\.",
        rf"The size of tensor a \({_N}\) must match the size of tensor b \({_N}\) at non-singleton dimension \d",
        r"batch1 must be a 3D tensor|batch2 must be a 3D tensor|self must be a matrix|mat2 must be a matrix",
        rf"size mismatch, got input \({_N}\), mat \({_N}x{_N}\), vec \({_N}\)",
        rf"inconsistent tensor size, expected tensor \[{_N}\] and src \[{_N}\] to have the same number of elements, "
        rf"but got {_N} and {_N} elements respectively",
        r"expected m1 and m2 to have the same dtype, but got: (\w{1,20}) != (\w{1,20})",
        r"expected scalar type (\w{1,20}) but found (\w{1,20})",
        r"dot : expected both vectors to have same dtype, but found (\w{1,20}) and (\w{1,20})",
        rf"Sizes of tensors must match except in dimension \d\. Expected size {_N} but got size {_N} "
        r"for tensor number \d in the list\.",
        r"t\(\) expects a tensor with <= 2 dimensions, but self is \dD",
        r"Dimension out of range \(expected to be in range of \[-?\d, -?\d\], but got -?\d\)",
        rf"shape '\[-?{_N}(?:, -?{_N}){{0,5}}\]' is invalid for input of size {_N}",
        rf"einsum\(\): subscript \w has size {_N} for operand \d which does not broadcast with previously seen size {_N}",
        r"einsum\(\): the number of subscripts in the equation \(\d\) does not match the number of dimensions \(\d\) "
        r"for operand \d and no ellipsis was given",
        rf"name '{_WORD}' is not defined",
        rf"'{_WORD}' object (?:is not callable|is not iterable|is not subscriptable)",
        rf"'{_WORD}' object has no attribute '{_WORD}'",
        rf"{_CALLED} missing \d required positional arguments?: ([\w', ]{{1,200}})",
        rf"{_CALLED} takes (?:from \d to )?\d positional arguments? but \d (?:was|were) given",
        rf"{_CALLED} got an unexpected keyword argument '{_WORD}'",
        rf"cannot unpack non-iterable {_WORD} object",
        r"not enough values to unpack \(expected \d, got \d\)|too many values to unpack \(expected \d\)",
        rf"unsupported operand type\(s\) for [-+*/@%&|^<>=]{{1,3}}: '{_WORD}' and '{_WORD}'",
        r"a leaf Variable that requires grad is being used in an in-place operation\.",
        r"view size is not compatible with input tensor's size and stride \(at least one dimension spans across two contiguous "
        r"subspaces\)\. Use \.reshape\(\.\.\.\) instead\.",
        r"only integer tensors of a single element can be converted to an index",
        r"Boolean value of Tensor with (?:more than one value|no values) is ambiguous",
        r"division by zero|list index out of range|EOF when reading a line",
    )
)
_TORCH_WORDS = """Tensor Size NoneType ndarray module function method builtin_function_or_method generator locals self
float double Float Double Half BFloat16 Int Long Short Byte Char Bool ComplexFloat"""
_KNOWN_WORDS = {*dir(builtins), *keyword.kwlist, *_TORCH_WORDS.split()}


@dataclass(frozen=True)
class Explanation:
    """Knows the texts of a notebook's cells, to quote the line that an error came from.

    `cells` maps the name a cell was compiled under to its title (for people) and its text.
    """

    cells: Mapping[str, tuple[str, str]]

    def failure(self, about: str, came: str, expected: str, hint: str) -> str:
        """Four short sentences: what was checked, what came back, what was expected, one hint."""
        told = {"Checked": about, "Came back": came, "Expected": expected, "Hint": hint}
        return " ".join(f"{word}: {text}{'' if text.endswith('?') else '.'}" for word, text in told.items() if text)

    def quote(self, where: tuple[str, int] | None) -> str:
        """The line that an error came from, in the student's own words, or nothing where it is not known."""
        if where is None or where[0] not in self.cells:
            return ""
        title, text = self.cells[where[0]]
        lines = text.split("\n")  # as Python counts lines: a form feed ends none
        if not 1 <= where[1] <= len(lines):
            return ""
        return f" in {title}, line {where[1]}: `{lines[where[1] - 1].strip()[:120]}`"

    def repeatable(self, text: str) -> bool:
        """Whether an error's message is a well-known one, and all words in it are Python's, torch's or stand in the notebook."""
        match = next((m for p in _REPEATABLE if (m := p.fullmatch(text))), None)
        if match is None:
            return False
        words = {word for group in match.groups() for word in re.findall(r"\w+", group)} - _KNOWN_WORDS
        written = {word for _, cell in self.cells.values() for word in re.findall(r"\w+", cell)} if words else set()
        return words <= written


def explain_fault(fault: StudentFault, explain: Explanation) -> str:
    """One or two sentences about code that gave no answer."""
    if isinstance(fault, StudentMissing):
        asked = "Was the cell that defines it deleted, or did it raise before the definition?"
        return f"The notebook does not define `{fault.name}`. {asked}"
    if isinstance(fault, StudentFileMissing):
        return f"The file `{fault.name}` did not come with your notebook, or could not be read. Hand it in beside the notebook."
    if isinstance(fault, StudentTimeout):
        return f"Your code did not come back in time ({fault}). Is there a loop that never ends?"
    if isinstance(fault, StudentMemory):
        return f"Your code wanted more memory than a submission may have ({fault})."
    if isinstance(fault, StudentDied):
        return f"Your code ended the process it ran in ({fault}), so there was no answer."
    if isinstance(fault, StudentError):
        return explain_error(fault, explain)
    return "Your code gave no answer."


def explain_error(error: StudentError, explain: Explanation) -> str:
    """The error's class, its message where that is one of Python's or torch's own, and the line."""
    name = next((c for c in error.classes if _is_exception(getattr(builtins, c, None))), "Exception")
    if name == "NotImplementedError":
        return "The answer is still to be written (it raises NotImplementedError)."
    place = explain.quote(error.where)
    text = error.text.splitlines()[0] if error.text else ""
    told = f": {text}" if explain.repeatable(text) else ""
    hint = " Nobody can answer `input()` while a notebook is graded." if name == "EOFError" else ""
    return f"`{error.path}` raised {name}{told}{place}.{hint}"


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)
