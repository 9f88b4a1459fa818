"""What changes when a module's parameters, or the state between two calls, are moved."""

import numpy as np
import pytest

from autograder.course.cases import ModuleCall
from autograder.worker.wire import Tensor

from .asking import ask, module

X = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])
MODEL = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.ones(5, 2))
        self.unused = nn.Parameter(torch.ones(2, 2))
        self.cut_off = nn.Parameter(torch.ones(2, 2))
        self.stacked = nn.Parameter(torch.ones(2, 2, 2))
    def forward(self, tokens, cache=None):
        x = self.table[tokens] @ self.cut_off.detach() @ self.stacked[0]
        return x + 0 * self.stacked[1].sum(), cache
"""
WITH_STATE = """
import torch
from torch import nn
class Model(nn.Module):
    def forward(self, tokens, cache=None):
        new = tokens.float()[:, :, None]
        if cache is None:
            return new, STATE
        seen = cache
        return LOOK, cache
"""


def probe(sandbox, source, **more):
    call = ModuleCall("Model", (), Tensor(X), probed=True, **more).as_mapping()
    [answer] = ask(sandbox, module(source), call).answers
    assert answer.is_usable, answer.error
    return answer.probes


def moved(probes):
    before = probes["before"].array
    return {name: not np.array_equal(after.array, before) for name, after in probes["moved"].items()}


def test_a_parameter_that_is_unused_changes_nothing(torch_sandbox):
    probes = probe(torch_sandbox, MODEL)
    assert moved(probes) == {"table": True, "unused": False, "cut_off": True, "stacked": True}


def test_gradients_are_counted_for_each_matrix_of_a_stack(torch_sandbox):
    """All symbols but one occur, so that the table counts as a whole; a matrix times 0 does not count."""
    gradients = probe(torch_sandbox, MODEL)["gradients"]
    assert gradients == {
        "table": [10, 2, 10],
        "unused": [4, 2, 0],
        "cut_off": [4, 2, 0],
        "stacked": [8, 3, 4],
    }


def test_a_module_is_the_same_after_its_parameters_were_moved(torch_sandbox):
    source = f"{MODEL}\nmade = []\ninit = Model.__init__\n"
    source += "def remember(self):\n    init(self)\n    made.append(self)\nModel.__init__ = remember\n"
    source += "def sums():\n    return [float(one.sum()) for one in made[0].parameters()]\n"
    call = ModuleCall("Model", (), Tensor(X), probed=True).as_mapping()
    after = {"op": "function", "name": "sums", "args": []}
    answers = ask(torch_sandbox, module(source), call, after).answers
    assert answers[1].value == [10, 4, 4, 8]


def test_layers_in_a_plain_list_are_moved_too(torch_sandbox):
    source = MODEL.replace("self.unused = ", "self.layers = [nn.Linear(2, 2, bias=False)]; self.unused = ")
    source = source.replace("@ self.stacked[0]", "@ self.stacked[0] @ self.layers[0].weight")
    assert moved(probe(torch_sandbox, source))["layers.0.weight"]


@pytest.mark.parametrize(
    ("state", "look", "parts"),
    [
        ("(new, new)", "new + seen[0].sum()", [True, True, False, False]),
        ("(new, new)", "new + seen[1][:, -1:].sum()", [False, False, False, True]),
        ("{'k': [new.transpose(1, 2)]}", "new + seen['k'][0].sum()", [True, True]),
        ("[new.sum(1)]", "new + seen[0].sum()", [True]),
        ("[new.sum(1)[:, :1].expand(3, 7)]", "new + seen[0][:, :1].sum()", [True]),
        ("[tokens]", "new + seen[0].sum()", []),
    ],
)
def test_each_token_in_the_state_is_moved_by_itself(state, look, parts, torch_sandbox):
    source = WITH_STATE.replace("STATE", state).replace("LOOK", look)
    rows = np.concatenate([X, X[:1]])
    call = ModuleCall("Model", (), Tensor(rows), pieces=(2, 2), probed=True).as_mapping()
    [answer] = ask(torch_sandbox, module(source), call).answers
    before = answer.probes["before"].array
    assert [not np.array_equal(after.array, before) for _, after in answer.probes["moved"]] == parts


def test_a_module_that_stops_on_another_state_has_looked_at_it(torch_sandbox):
    source = WITH_STATE.replace("STATE", "[torch.ones(5)]")
    source = source.replace("LOOK", "new if (seen[0] == 1).all() else 1 / 0")
    assert probe(torch_sandbox, source, pieces=(2, 2))["moved"] == [[5, None]]


def test_a_module_without_a_state_has_none_to_move(torch_sandbox):
    source = WITH_STATE.replace("return new, STATE", "return new")
    assert probe(torch_sandbox, source.replace("LOOK", "new"), pieces=(2, 2)) == {}
