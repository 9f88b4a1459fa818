"""A training loop in a submission runs, whether or not the sandbox has imported what optimizers need."""

import pytest

from ..asking import ask, call, module, values

TRAINING = """
import torch
{how}
layer = torch.nn.Linear(2, 1)
optimizer = SGD(layer.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    loss = layer(torch.ones(4, 2)).square().mean()
    loss.backward()
    optimizer.step()
def f(): return float(loss)
"""


@pytest.mark.parametrize(
    "how",
    ["from torch.optim import SGD", "SGD = getattr(torch, 'op' + 'tim').SGD"],
    ids=["seen", "hidden from a look at the text"],
)
def test_a_training_loop_on_import_runs(torch_sandbox, how):
    [loss] = values(ask(torch_sandbox, module(TRAINING.format(how=how)), call("f")))
    assert 0 <= loss < 10
