"""The notebooks that attacks begin with, and the cells that are put into them."""

from __future__ import annotations

import copy
from functools import cache

from nbformat.notebooknode import NotebookNode

from grading.build import release_notebook
from grading.course import Plan, find_course, load_plan
from grading.demo import hand_in
from grading.notebooks import grade_id, is_answer
from grading.trial import own_cell
from tests.tamper.attack import CodeAttack, Targets

NAME = "m1_attention"

# Right shapes, no work: whoever makes these pass has gained points.
WRONG = {
    "additive_scores_answer": "def additive_scores(queries, keys, *rule):\n"
    "    return torch.zeros(*queries.shape[:-1], keys.shape[-2], dtype=queries.dtype)",
    "attention_answer": "def attention(Q, K, V, d_k):\n"
    "    return torch.zeros(*Q.shape[:-1], V.shape[-1], dtype=Q.dtype), torch.zeros(*Q.shape[:-1], K.shape[-2], dtype=Q.dtype)",
    "weighted_value_answer": "def weighted_value(weights, V, *rest):\n    return torch.zeros_like(V[0])",
    "self_attention_answer": "def self_attention(X, W_Q, W_K, W_V):\n    return attention(X, X, X @ W_V, 1)",
    "cross_attention_answer": "def cross_attention(X_dec, X_enc, W_Q, W_K, W_V):\n"
    "    return attention(X_dec, X_enc, X_enc @ W_V, 1)",
    "soft_lookup_answer": "def soft_lookup(query, keys, values, temperature):\n    return torch.zeros_like(values[0])",
    "hard_lookup_answer": "def hard_lookup(query, keys, values):\n    return torch.zeros_like(values[0])",
    "m1_claims_answer": "CLAIMS = dict.fromkeys('ABCDEFGH', True)",
}


@cache
def plan() -> Plan:
    """The assignment that is attacked."""
    return load_plan(find_course(), NAME)


def cell_of(notebook: NotebookNode, name: str) -> NotebookNode:
    """A cell by its grade id."""
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


@cache
def _base(name: str) -> NotebookNode:
    if name == "release":
        return release_notebook(plan().blueprint.notebook)
    notebook = hand_in(plan(), "")
    for answer, text in WRONG.items() if name == "wrong" else ():
        cell_of(notebook, answer).source = text
    return notebook


def base_notebook(name: str) -> NotebookNode:
    """A copy of `wrong`, `solved` or `release`."""
    assert name in ("wrong", "solved", "release"), name
    return copy.deepcopy(_base(name))


def attacked_notebook(attack: CodeAttack, targets: Targets) -> NotebookNode:
    """The base with an attack's cells in it."""
    notebook = base_notebook(attack.claim.base)
    for where, text in attack.cells:
        put_cell(notebook, where, targets.put_into(text))
    return notebook


def put_cell(notebook: NotebookNode, where: str, text: str) -> None:
    """Put a text where an attack wants it."""
    place, _, name = where.partition(" ")
    if where == "first cell":
        notebook.cells.insert(0, NotebookNode({**own_cell(text), "id": "own-first"}))
    elif where == "last cell":
        notebook.cells.append(NotebookNode({**own_cell(text), "id": "own-last"}))
    elif where == "every answer":
        for cell in notebook.cells:
            cell.source = text if is_answer(cell) and cell.cell_type == "code" else cell.source
    else:
        assert place in ("answer", "graded"), where
        cell_of(notebook, name).source = text
