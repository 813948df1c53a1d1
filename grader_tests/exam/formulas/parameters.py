"""How many parameters the parts of an attentive model have."""

from __future__ import annotations

GATES = 4  # of an LSTM: input, forget, cell, output
BIASES = 2  # torch's LSTM has one bias for what comes in and one for what was there

# The date task, as published: widths, and vocabularies with PAD, BOS and EOS.
_EMBEDDING, _HIDDEN, _SOURCE, _TARGET = 32, 128, 37, 14


def additive_scorer(d_q: int, d_k: int, d_a: int) -> int:
    """W_q, W_k and v, without biases."""
    return d_a * (d_q + d_k) + d_a


def additive_without_v(d_q: int, d_k: int, d_a: int) -> int:
    """The two projections alone: what projected dot products have."""
    return d_a * (d_q + d_k)


def additive_with_biases(d_q: int, d_k: int, d_a: int) -> int:
    """The scorer with a bias after each projection, as Linear has by default."""
    return additive_scorer(d_q, d_k, d_a) + 2 * d_a


def additive_on_pairs(d_q: int, d_k: int, d_a: int) -> int:
    """As if a square matrix, not a vector, stood between the match features and the score."""
    return d_a * (d_q + d_k) + d_a * d_a


def lstm_cell(d_in: int, d_hidden: int) -> int:
    """Both matrices and both biases of all gates."""
    return GATES * d_hidden * (d_in + d_hidden + BIASES)


def input_feeding_cell(d_embed: int, d_hidden: int) -> int:
    """An LSTM cell that reads an embedding and a context as wide as its state."""
    return lstm_cell(d_embed + d_hidden, d_hidden)


def cell_without_context(d_embed: int, d_hidden: int) -> int:
    """The cell that reads the embedding alone."""
    return lstm_cell(d_embed, d_hidden)


def cell_with_one_bias(d_embed: int, d_hidden: int) -> int:
    """As the textbooks have it, with one bias vector a gate."""
    return input_feeding_cell(d_embed, d_hidden) - GATES * d_hidden


def cell_with_one_gate(d_embed: int, d_hidden: int) -> int:
    """A plain recurrent cell of the same widths."""
    return input_feeding_cell(d_embed, d_hidden) // GATES


def context_growth(d_hidden: int, n_target: int) -> int:
    """What a context as wide as the state adds to the LSTM cell and to the output layer that read it."""
    return GATES * d_hidden * d_hidden + d_hidden * n_target


def growth_of_cell(d_hidden: int) -> int:
    """The LSTM cell's part of it."""
    return GATES * d_hidden * d_hidden


def growth_of_output(d_hidden: int, n_target: int) -> int:
    """The output layer's part of it."""
    return d_hidden * n_target


def growth_of_one_gate(d_hidden: int, n_target: int) -> int:
    """As if the cell had one gate."""
    return d_hidden * d_hidden + d_hidden * n_target


def fixed_state_date_model() -> int:
    """Embeddings, encoder, decoder and output of the date task's baseline."""
    embeddings = (_SOURCE + _TARGET) * _EMBEDDING
    return embeddings + 2 * lstm_cell(_EMBEDDING, _HIDDEN) + (_HIDDEN + 1) * _TARGET


def attentive_date_model() -> int:
    """The baseline, a scorer, and what the context adds to decoder and output."""
    return fixed_state_date_model() + additive_scorer(_HIDDEN, _HIDDEN, _HIDDEN) + context_growth(_HIDDEN, _TARGET)


def percent_more() -> float:
    """By how much the attentive model is larger, in percent, to one decimal."""
    return round(100 * (attentive_date_model() / fixed_state_date_model() - 1), 1)
