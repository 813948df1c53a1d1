"""How a question stands in the notebook: Markdown for the student, and the line that answers it for the solved paper."""

from __future__ import annotations

from collections.abc import Iterator

from grader_tests.exam.kinds import LETTERS
from grader_tests.exam.question import Question

HOW_TO_ANSWER = {
    "single": 'One letter: `answer["{slot}"] = "A"`.',
    "lie": 'The letter of the one that does not hold: `answer["{slot}"] = "A"`.',
    "multiple": 'All letters that are right, two or three of them: `answer["{slot}"] = ["A", "B"]`.',
    "numeric": 'A number: `answer["{slot}"] = {example}`.{tolerance}',
    "order": 'The five letters, first step first: `answer["{slot}"] = "ABCDE"`.',
    "match": "A letter a row; every letter is used at least once: "
    '`answer["{slot}"] = {{"1": "A", "2": "A", "3": "B", "4": "C"}}`.',
    "table": 'An entry a row: `answer["{slot}"] = {{"1": …, "2": …, "3": …, "4": …}}`, {entries}',
}


def question_text(question: Question) -> str:
    """The question as the student reads it, in Markdown."""
    parts = [f"## {question.slot}", question.text, *_options(question), _instruction(question)]
    return "\n\n".join(parts)


def _options(question: Question) -> Iterator[str]:
    if question.kind == "match":
        yield "\n".join(f"- **{label}** {choice}" for label, choice in zip(LETTERS, question.choices, strict=False))
    if question.kind in ("match", "table"):
        yield "\n".join(["| row | |", "|---|---|", *(f"| {o.label} | {o.text} |" for o in question.options)])
    elif question.kind != "numeric":
        yield "\n".join(f"- **{o.label}** {o.text}" for o in question.options)


def _instruction(question: Question) -> str:
    told = HOW_TO_ANSWER[question.kind].format(
        slot=question.slot,
        example="1.5" if question.tolerance else "12345",
        tolerance=_tolerance(question),
        entries=_entries(question),
    )
    return f"*{told} {question.form.how_scored}*"


def _tolerance(question: Question) -> str:
    return f" Right within ±{question.tolerance:g}." if question.tolerance else " It is a whole number, without separators."


def _entries(question: Question) -> str:
    """What the entries of a table are, said once for all rows."""
    if all(isinstance(o.key, tuple) for o in question.options):
        return "each a shape such as `(2, 3)`."
    widest = max(o.tolerance for o in question.options)
    return (
        f"each a number, right within ±{widest:g}."
        if widest
        else "each a whole number without separators, or a shape such as `(2, 3)`."
    )


def solution_line(question: Question) -> str:
    """The answer cell of the solved paper; all that is a student's own in it is cleared in the release."""
    comment = {
        "single": "one letter",
        "lie": "one letter",
        "multiple": "a list of letters",
        "numeric": "a number",
        "order": "five letters, first step first",
        "match": "a dict from rows to letters",
        "table": "a dict from rows to entries",
    }[question.kind]
    answer = f'answer["{question.slot}"] = {_literal(question)}'
    return f'# answer["{question.slot}"] = {comment}\n### BEGIN SOLUTION\n{answer}\n### END SOLUTION'


def _literal(question: Question) -> str:
    if question.kind == "multiple":
        return repr(list(str(question.key))).replace("'", '"')
    return repr(question.key).replace("'", '"')
