"""The "from scratch" rule: every way to call torch's ready-made attention is found, and no way to mention it is."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as functional

from grader_tests.vocabulary.from_scratch import forbid_ready_made, ready_made_names, ready_made_operation
from grading.checks import CheckForbidden
from grading.student import Reply, local_student

USES = {
    "by name": "from torch.nn.functional import scaled_dot_product_attention\nscaled_dot_product_attention(q, k, v)",
    "imported under an alias": "from torch.nn.functional import scaled_dot_product_attention as mix\nmix(q, k, v)",
    "an alias of the module": "import torch.nn.functional as X\nX.scaled_dot_product_attention(q, k, v)",
    "an attribute chain": "torch.nn.functional.scaled_dot_product_attention(q, k, v)",
    "the private module": "torch._C._nn.scaled_dot_product_attention(q, k, v)",
    "the operator table": "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v)",
    "getattr": "getattr(F, 'scaled_dot_product_attention')(q, k, v)",
    "getattr of joined strings": "getattr(F, 'scaled_dot' + '_product_' + 'attention')(q, k, v)",
    "getattr of an f-string": "part = 'dot_product'\ngetattr(F, f'scaled_{part}_attention')(q, k, v)",
    "getattr of join": "getattr(F, '_'.join(['scaled', 'dot', 'product', 'attention']))",
    "getattr of a string turned round": "getattr(F, 'noitnetta_tcudorp_tod_delacs'[::-1])",
    "getattr of a variable": "name = 'scaled_dot_product_attention'\ngetattr(F, name)",
    "getattr of replace": "getattr(F, 'scaled-dot-product-attention'.replace('-', '_'))",
    "attrgetter": "import operator\noperator.attrgetter('nn.functional.scaled_dot_product_attention')(torch)",
    "the module's dict": "vars(F)['scaled_dot_product_attention'](q, k, v)",
    "__dict__": "F.__dict__['scaled_dot_product_attention'](q, k, v)",
    "exec": "exec('out = F.scaled_dot_product_attention(q, k, v)')",
    "eval in eval": "eval(\"eval('F.scaled_dot_product_attention(q, k, v)')\")",
    "importlib": "import importlib\nimportlib.import_module('torch.nn.functional').scaled_dot_product_attention(q, k, v)",
    "the module class": "torch.nn.MultiheadAttention(8, 1)",
    "a transformer layer": "from torch.nn import TransformerEncoderLayer",
    "flex attention": "from torch.nn.attention.flex_attention import flex_attention",
    "switching the log off": "from torch.utils._python_dispatch import _disable_current_modes",
    "beside a magic": "%matplotlib inline\nF.scaled_dot_product_attention(q, k, v)",
}

MENTIONS = {
    "a comment": "# like scaled_dot_product_attention\nx = 1",
    "a docstring": 'def attention(Q):\n    """Like F.scaled_dot_product_attention."""\n    return Q',
    "a printed string": "print('unlike scaled_dot_product_attention, this returns the weights')",
    "an assert's message": "assert ok, 'scaled_dot_product_attention says otherwise'",
    "a name that is like it": "scaled_dot_products = Q @ K.mT / d_k ** 0.5",
    "a function of one's own": "def scaled_dot_product_attention(q):\n    return q\nscaled_dot_product_attention(q)",
    "a method of one's own": "class A:\n    def flex_attention(self): ...\n    def f(self): self.flex_attention()",
    "a function of another cell": "scaled_dot_product_attention(Q, K, V)",
    "softmax and matmul": "torch.softmax(Q @ K.mT, -1) @ V",
    "text that is no Python": "def attention(:\n    F.scaled_dot_product_attention",
    "getattr of something else": "getattr(torch, 'soft' + 'max')(Q, -1)",
}


@pytest.mark.parametrize("source", USES.values(), ids=USES.keys())
def test_a_use_is_found_in_the_text(source: str) -> None:
    with pytest.raises(CheckForbidden, match="ready-made"):
        forbid_ready_made(source, Reply(None))


@pytest.mark.parametrize("source", MENTIONS.values(), ids=MENTIONS.keys())
def test_a_mention_is_no_use(source: str) -> None:
    assert list(ready_made_names(source)) == []
    forbid_ready_made(source, Reply(None))


def operations(function: object, *shape: int) -> tuple[str, ...]:
    Q, K, V = (torch.randn(*shape, generator=torch.Generator().manual_seed(i)) for i in range(3))
    return local_student({"f": function}, "").ask("f", Q, K, V, watch=True).operations


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4), (2, 2, 3, 4)])
def test_a_use_is_found_in_what_ran_whatever_the_text_says(shape: tuple[int, ...]) -> None:
    hidden = functional.scaled_dot_product_attention
    assert ready_made_operation(operations(lambda Q, K, V: hidden(Q, K, V), *shape))
    assert ready_made_operation(operations(lambda Q, K, V: torch.ops.aten.scaled_dot_product_attention(Q, K, V), *shape))


def test_the_module_is_found_in_what_ran() -> None:
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    assert ready_made_operation(operations(lambda Q, K, V: layer(Q, K, V)[0], 2, 3, 4))


def test_parts_leave_no_trace_in_what_ran() -> None:
    def attend(Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
        return torch.softmax(Q @ K.mT / 2, dim=-1) @ V

    assert ready_made_operation(operations(attend, 2, 3, 4)) == ""
