"""What a student reads about a check that did not pass.

Text that student code made up while it was asked (an error's message, a printed line) could carry hidden inputs out, so only
well-known messages of Python and torch are repeated, and only class names of theirs; the rest is the instructor's to read.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping
from dataclasses import dataclass

from grading.student import StudentDied, StudentError, StudentFault, StudentMemory, StudentMissing, StudentTimeout

# Shapes are all that these messages tell about the inputs, and a student may know shapes.
_REPEATABLE = tuple(
    re.compile(pattern)
    for pattern in (
        r"mat1 and mat2 shapes cannot be multiplied \(\d+x\d+ and \d+x\d+\)",
        r"Expected size for first two dimensions of batch2 tensor to be: \[\d+, \d+\] but got: \[\d+, \d+\]\.",
        r"The size of tensor a \(\d+\) must match the size of tensor b \(\d+\) at non-singleton dimension \d+",
        r"batch1 must be a 3D tensor|batch2 must be a 3D tensor|self must be a matrix|mat2 must be a matrix",
        r"size mismatch, got input \(\d+\), mat \(\d+x\d+\), vec \(\d+\)",
        r"inconsistent tensor size, expected tensor \[\d+\] and src \[\d+\] to have the same number of elements.*",
        r"expected m1 and m2 to have the same dtype, but got: \w+ != \w+",
        r"expected scalar type \w+ but found \w+",
        r"t\(\) expects a tensor with <= 2 dimensions, but self is \dD",
        r"Dimension out of range \(expected to be in range of \[-?\d, -?\d\], but got -?\d\)",
        r"shape '\[[-\d, ]+\]' is invalid for input of size \d+",
        r"einsum\(\): [\w ,'()-]{1,200}",
        r"name '\w{1,60}' is not defined",
        r"'\w{1,60}' object (is not callable|is not iterable|is not subscriptable|has no attribute '\w{1,60}')",
        r"\w{1,60}\(\) missing \d+ required positional arguments?: [\w', ]{1,200}",
        r"\w{1,60}\(\) takes (from \d to )?\d+ positional arguments? but \d+ (was|were) given",
        r"\w{1,60}\(\) got an unexpected keyword argument '\w{1,60}'",
        r"cannot unpack non-iterable \w{1,60} object|(not enough|too many) values to unpack \(expected \d\)?.{0,20}",
        r"unsupported operand type\(s\) for [^:]{1,12}: '\w{1,60}' and '\w{1,60}'",
        r"a leaf Variable that requires grad is being used in an in-place operation\.",
        r"only integer tensors of a single element can be converted to an index",
        r"Boolean value of Tensor with (more than one value|no values) is ambiguous",
        r"division by zero|list index out of range|EOF when reading a line",
    )
)


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
        lines = text.splitlines()
        if not 1 <= where[1] <= len(lines):
            return ""
        return f" in {title}, line {where[1]}: `{lines[where[1] - 1].strip()[:120]}`"


def explain_fault(fault: StudentFault, explain: Explanation) -> str:
    """One or two sentences about code that gave no answer."""
    if isinstance(fault, StudentMissing):
        return f"The notebook does not define `{fault.name}`. Was the cell that defines it deleted, or did it raise before the definition?"
    if isinstance(fault, StudentTimeout):
        return f"Your code did not come back in time ({fault}). Is there a loop that never ends?"
    if isinstance(fault, StudentMemory):
        return "Your code asked for more memory than a submission may have."
    if isinstance(fault, StudentDied):
        return f"Your code ended the process it ran in ({fault}), so there was no answer."
    if isinstance(fault, StudentError):
        return explain_error(fault, explain)
    return "Your code gave no answer."


def explain_error(error: StudentError, explain: Explanation) -> str:
    """The error's class, its message where that is one of Python's or torch's own, and the line."""
    name = next((c for c in error.classes if isinstance(getattr(builtins, c, None), type)), "Exception")
    if name == "NotImplementedError":
        return "The answer is still to be written (it raises NotImplementedError)."
    place = explain.quote(error.where)
    text = error.text.splitlines()[0] if error.text else ""
    told = f": {text}" if any(p.fullmatch(text) for p in _REPEATABLE) else ""
    hint = " Nobody can answer `input()` while a notebook is graded." if name == "EOFError" else ""
    return f"`{error.path}` raised {name}{told}{place}.{hint}"
