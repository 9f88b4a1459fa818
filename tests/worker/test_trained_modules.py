"""What a function has taught a torch module comes back, and goes into a new one."""

import numpy as np
import pytest

from autograder.course.cases import FunctionCall, ModuleCall
from autograder.worker.wire import Tensor

from .asking import ask, module

MODEL = """
import copy
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self, rows, columns=2, *, drop=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(rows, columns))
        self.register_buffer("count", torch.zeros(1))
        self.layers = [nn.Linear(1, 1, bias=False)]
    def forward(self, x):
        return x @ self.weight
def filled(number, *args, **more):
    model = Model(*args, **more)
    model.weight.data += number
    return model
X = torch.ones(1, 3)
"""


def trained(sandbox, body):
    call = FunctionCall("solve", (), trains="Model").as_mapping()
    [answer] = ask(sandbox, module(f"{MODEL}\ndef solve():\n    {body}\n    return 1\n"), call).answers
    assert answer.value == 1
    return answer


def weight(answer):
    return answer.trained["state"]["weight"].array


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ("filled(4, 3)(X)", 4),
        ("filled(4, 3).forward(X)", 4),
        ("a, b = filled(4, 3), filled(5, 3); b(X); a(X)", 4),
        ("a = filled(4, 3); b = copy.deepcopy(a); a.weight.data += 1; a(X); b(X)", 4),
        ("a = filled(4, 3); a(X); a.weight.data += 1", 5),
    ],
)
def test_the_module_that_is_called_last_comes_back_as_it_is_in_the_end(body, number, torch_sandbox):
    answer = trained(torch_sandbox, body)
    assert answer.trained["arguments"] == [3, 2]
    np.testing.assert_array_equal(weight(answer), np.full((3, 2), number, np.float32))


@pytest.mark.parametrize(
    "arguments",
    ["3, 2", "3", "rows=3, columns=2", "torch.tensor(3)", "3, columns=torch.ones(1, 2).long().sum()"],
)
def test_arguments_come_back_in_the_order_of_positions(arguments, torch_sandbox):
    assert trained(torch_sandbox, f"Model({arguments})(X)").trained["arguments"] == [3, 2]


def test_options_that_have_no_position_are_left_out(torch_sandbox):
    assert trained(torch_sandbox, "Model(3, drop=0.1)(X)").trained["arguments"] == [3, 2]


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("pass", "module"),
        ("nn.Linear(3, 2)(X)", "module"),
        ("setattr(Model, 'note', 1); Model(3, columns=type('Two', (int,), {})(2))(X)", "arguments"),
        ("Model(3, 2_000_000)(X)", "room"),
    ],
)
def test_it_is_said_what_is_missing(body, missing, torch_sandbox):
    assert trained(torch_sandbox, body).trained == {"missing": missing}


def test_the_class_is_as_before_also_where_the_function_raises(torch_sandbox):
    source = f"{MODEL}\nbefore = Model.__init__\ndef solve(): raise ValueError\n"
    source += "def same(): return Model.__init__ is before\n"
    calls = FunctionCall("solve", (), trains="Model"), FunctionCall("same", ())
    answers = ask(torch_sandbox, module(source), *(call.as_mapping() for call in calls)).answers
    assert answers[0].error is not None
    assert answers[1].value is True


def test_a_state_goes_into_a_new_module_with_its_buffers_and_layers_in_lists(torch_sandbox):
    state = trained(torch_sandbox, "filled(4, 3)(X)").trained["state"]
    assert set(state) == {"weight", "count", "layers.0.weight"}
    plain = {name: Tensor(tensor.array) for name, tensor in state.items()}
    call = ModuleCall("Model", (3, 2), Tensor(np.ones((1, 3), np.float32)), state=plain)
    [answer] = ask(torch_sandbox, module(MODEL), call.as_mapping()).answers
    np.testing.assert_array_equal(answer.value.array, [[12, 12]])


def test_a_state_of_other_shapes_is_refused(torch_sandbox):
    state = {"weight": Tensor(np.ones((2, 2), np.float32))}
    call = ModuleCall("Model", (3, 2), Tensor(np.ones((1, 3), np.float32)), state=state)
    [answer] = ask(torch_sandbox, module(MODEL), call.as_mapping()).answers
    assert answer.error.type == "ValueError"
