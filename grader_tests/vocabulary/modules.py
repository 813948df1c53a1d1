"""Modules of a student's: built, given weights by the names of their layers, and what a backward pass leaves there.

A module that was built is kept on the student's side under the name `module`. It may make its layers in any order and hold other
buffers and layers beside, for each weight is loaded by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import torch
from torch import Tensor

from grading.checks import CheckFailed
from grading.expectations import TOLERANCE, close, expect, expect_tensor
from grading.student import Student, StudentError

_SEED = 79  # whatever a module draws when it is built is replaced by the weights that are loaded


def build_module(
    student: Student,
    name: str,
    sizes: tuple[int, ...],
    weights: Mapping[str, Tensor],
    needed: Collection[str],
    *,
    train: bool = False,
) -> None:
    """Build the module `name(*sizes)` and load the weights of its layers, in their dtype.

    A layer beyond `needed` that cannot be loaded stays as it is. Biases are zeroed: that there should be none is a question of
    its own. So is dropout, and the module is told to evaluate unless `train` is said.
    """
    student.ask(name, *sizes, keep="module", seed=_SEED)
    if any(weight.dtype is torch.float64 for weight in weights.values()):
        student.ask("module.double")
    student.ask("module.train", train)
    for layer, weight in weights.items():
        if not is_loaded(student, layer, weight) and layer in needed:
            raise CheckFailed(
                f"no weight of shape {tuple(weight.shape)} could be loaded as `{layer}.weight`",
                f"the layers {', '.join(weights)}, each an nn.Linear of the module, without a bias, made in __init__",
            )


def is_loaded(student: Student, layer: str, weight: Tensor) -> bool:
    """Load one layer's weight, and zeros as its bias where it has one."""
    try:
        missing, unexpected = incompatible(student, {f"{layer}.weight": weight})
        if f"{layer}.bias" in missing:
            incompatible(student, {f"{layer}.bias": torch.zeros(len(weight), dtype=weight.dtype)})
    except StudentError:  # the layer has another shape
        return False
    return f"{layer}.weight" not in unexpected


def incompatible(student: Student, state: dict[str, Tensor]) -> tuple[list[Any], list[Any]]:
    """Names that the module has beyond a state, and those that it lacks."""
    found = student.ask("module.load_state_dict", state, strict=False).value
    lists = isinstance(found, tuple) and len(found) == 2 and all(isinstance(part, list) for part in found)
    expect(lists, "`load_state_dict` is not that of nn.Module", "a class that inherits nn.Module")
    return found[0], found[1]


def expect_layers(student: Student, weights: Mapping[str, Tensor]) -> None:
    """The module that was built has these weights, each in a layer of its own, and no bias beside them."""
    state = student.ask("module.state_dict").value
    expect(isinstance(state, dict), "`state_dict` is not that of nn.Module", "a class that inherits nn.Module")
    for layer, weight in weights.items():
        expect(f"{layer}.bias" not in state, f"{layer} has a bias", f"{layer} without a bias", "nn.Linear(..., bias=False)")
        found = expect_tensor(state.get(f"{layer}.weight"), tuple(weight.shape), f"{layer}.weight")
        names = ", ".join(weights)
        apart = close(found, weight, TOLERANCE[weight.dtype])
        expect(apart, f"{layer}.weight is not what was loaded there", f"a layer of its own under each of the names {names}")


def gradient_of_layer(student: Student, layer: str, cotangent: Tensor, *inputs: Any, **named: Any) -> Any:
    """What a backward pass from the first part of an answer leaves at a layer's weight; None where nothing arrives."""
    student.ask("module.zero_grad")
    student.ask("module", *inputs, keep="answer", **named)
    student.ask("answer.__getitem__", 0, keep="first")
    student.ask("first.mul", cotangent, keep="product")
    student.ask("product.sum", keep="total")
    try:
        student.ask("total.backward")
    except StudentError:  # nothing that requires a gradient is on the way
        return None
    return student.read(f"module.{layer}.weight.grad")
