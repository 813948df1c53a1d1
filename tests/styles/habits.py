"""Transforms that add what students' notebooks are full of: seeds, devices, switches, magic, counters, errors in other words."""

from __future__ import annotations

import libcst as cst

from tests.styles.statements import before_bodies, simple_lines, wrapped_bodies
from tests.styles.syntax import code, delegated, given, plain_functions, with_header

_MAPPED = """
def _each_tensor(answer, change):
    if type(answer) in (tuple, list):
        return type(answer)(_each_tensor(part, change) for part in answer)
    return change(answer) if isinstance(answer, torch.Tensor) else answer
"""


def seeds_at_the_top(text: str) -> str:
    """Every generator there is, seeded where the cell begins."""
    return with_header(text, "import random\nimport numpy\ntorch.manual_seed(0)\nnumpy.random.seed(0)\nrandom.seed(0)")


def warnings_ignored(text: str) -> str:
    """warnings.filterwarnings("ignore")."""
    return with_header(text, 'import warnings\nwarnings.filterwarnings("ignore")')


def numbers_shown_otherwise(text: str) -> str:
    """Printing options of torch and numpy."""
    return with_header(
        text, "import numpy\ntorch.set_printoptions(precision=2, sci_mode=False)\nnumpy.set_printoptions(precision=2)"
    )


def threads_set(text: str) -> str:
    """torch.set_num_threads(4)."""
    return with_header(text, "torch.set_num_threads(4)")


def deterministic_algorithms(text: str) -> str:
    """torch.use_deterministic_algorithms(True)."""
    return with_header(text, "torch.use_deterministic_algorithms(True)")


def anomalies_looked_for(text: str) -> str:
    """torch.autograd.set_detect_anomaly(True)."""
    return with_header(text, "torch.autograd.set_detect_anomaly(True)")


def moved_to_a_device(text: str) -> str:
    """Every tensor goes to the device that there is."""

    def lines(function: cst.FunctionDef) -> str:
        hints = {p.name.value: code(p.annotation.annotation) for p in function.params.params if p.annotation}
        return "\n".join(f"{name} = {name}.to(device)" for name, hint in hints.items() if hint in ("torch.Tensor", "Tensor"))

    return before_bodies(text, lines, 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")')


def calls_counted(text: str) -> str:
    """A counter of the whole notebook."""
    return before_bodies(text, lambda function: "global calls_so_far\ncalls_so_far += 1", "calls_so_far = 0")


def calls_kept_in_a_list(text: str) -> str:
    """Names of what was called, in a list of the whole notebook."""
    return before_bodies(text, lambda function: f'history.append("{function.name.value}")', "history = []")


def inside_match(text: str) -> str:
    """match with one case."""
    return wrapped_bodies(text, "match 1:\n    case _:\n        BODY\n")


def timed_by_magic(text: str) -> str:
    """%%time at the top of the cell."""
    plain = text.replace("\f", "")
    return f"%%time\n{plain}"


def captured_by_magic(text: str) -> str:
    """%%capture at the top of the cell."""
    plain = text.replace("\f", "")
    return f"%%capture output_of_the_cell\n{plain}"


def displayed_below(text: str) -> str:
    """IPython's display at the end of the cell."""
    return (
        f'{text}\nfrom IPython.display import HTML, Markdown, display\n\ndisplay(Markdown("**done**"), HTML("<b>done</b>"), 3)\n'
    )


def interrupted_by_assertions(text: str) -> str:
    """The cell ends with an assert of the student's own that fails."""
    return f'{text}\nassert 0.1 + 0.2 == 0.3, "tried it out"\n'


def _answers(text: str, change: str) -> str:
    def changed(function: cst.FunctionDef, taken: set[str]) -> str | None:
        if function.name.value.startswith("_"):
            return None
        return delegated(function, taken, f"return _each_tensor(WORK(ARGUMENTS), {change})")

    new = plain_functions(text, changed)
    return text if new == text else with_header(new, _MAPPED)


def answers_laid_out_otherwise(text: str) -> str:
    """Tensors whose last axis is not the one that lies together in memory."""
    return _answers(text, "lambda part: part.movedim(-1, 0).contiguous().movedim(0, -1) if part.ndim > 1 else part")


def answers_in_a_larger_storage(text: str) -> str:
    """Each tensor is every second place of a longer one."""
    return _answers(text, "lambda part: torch.stack([part, part], dim=-1)[..., 0]")


def answers_as_views(text: str) -> str:
    """Flattened, and given their shape again."""
    return _answers(text, "lambda part: part.reshape(-1).view(part.shape)")


def answers_of_a_class_of_tensors(text: str) -> str:
    """A subclass of torch.Tensor."""
    new = _answers(text, "lambda part: part.as_subclass(_Told)")
    return text if new == text else with_header(new, "class _Told(torch.Tensor):\n    pass")


def _errors(text: str, form: str, above: str = "") -> str:
    """raise ValueError(…) in another form; MESSAGE stands for what it says."""

    def change(small: cst.BaseSmallStatement) -> str | None:
        if not isinstance(small, cst.Raise) or not isinstance(small.exc, cst.Call) or code(small.exc.func) != "ValueError":
            return None
        return form.replace("MESSAGE", ", ".join(given(small.exc)))

    new = simple_lines(text, change)
    return with_header(new, above) if above and new != text else new


def errors_of_an_own_class(text: str) -> str:
    """A subclass of ValueError."""
    return _errors(text, "raise _Refused(MESSAGE)", "class _Refused(ValueError):\n    pass")


def errors_through_a_function(text: str) -> str:
    """A function raises it."""
    return _errors(text, "_refuse(MESSAGE)", "def _refuse(message):\n    raise ValueError(message)")


def errors_from_none(text: str) -> str:
    """raise … from None, with the message in a variable."""
    return _errors(text, "message = (MESSAGE)\nraise ValueError(message) from None")


def errors_from_others(text: str) -> str:
    """raised while another one is handled."""
    return _errors(text, 'try:\n    raise KeyError("first")\nexcept KeyError as first:\n    raise ValueError(MESSAGE) from first')


def errors_with_two_arguments(text: str) -> str:
    """ValueError(message, 1)."""
    return _errors(text, "raise ValueError(MESSAGE, 1)")


def errors_with_notes(text: str) -> str:
    """A note is added first."""
    return _errors(text, 'error = ValueError(MESSAGE)\nerror.add_note("see above")\nraise error')


def errors_printed_too(text: str) -> str:
    """The message is printed, then raised."""
    return _errors(text, 'print("ValueError:", MESSAGE)\nraise ValueError(MESSAGE)')


STYLES = (
    seeds_at_the_top,
    warnings_ignored,
    numbers_shown_otherwise,
    threads_set,
    deterministic_algorithms,
    anomalies_looked_for,
    moved_to_a_device,
    calls_counted,
    calls_kept_in_a_list,
    inside_match,
    timed_by_magic,
    captured_by_magic,
    displayed_below,
    interrupted_by_assertions,
    answers_laid_out_otherwise,
    answers_in_a_larger_storage,
    answers_as_views,
    answers_of_a_class_of_tensors,
    errors_of_an_own_class,
    errors_through_a_function,
    errors_from_none,
    errors_from_others,
    errors_with_two_arguments,
    errors_with_notes,
    errors_printed_too,
)
