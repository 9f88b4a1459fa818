"""Calls of a torch module: constructed, loaded, run on an input, trained, and probed."""

import numpy as np
import pytest

from autograder.course.calls import FunctionCall, ModuleCall
from autograder.worker.wire import Tensor

from .asking import ask, module

D = 2
X = np.array([[1, 2], [3, 4], [5, 6]], np.float32)
COTANGENT = np.array([[1, 0], [2, 1], [0, 3]], np.float32)

HEADER = "import torch\nfrom torch import nn\n"
MODE = f"""{HEADER}
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Dropout()
        self.train()
    def forward(self, x):
        return self.training, self.inner.training
"""
# Without a softmax, what each layer gets as its gradient can be worked out by hand.
SPLIT = f"""{HEADER}
class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        for name in "vkqo":
            setattr(self, name, nn.Linear(size, size, bias=False))

class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.self_attn = Attention(size)
    def forward(self, x):
        a = self.self_attn
        return a.q(x) + 10 * a.k(x) + 100 * a.v(x)
"""
PROJECTIONS = np.arange(1, 1 + 3 * D * D, dtype=np.float32).reshape(3 * D, D)
QUERY, KEY, VALUE = PROJECTIONS[:D], PROJECTIONS[D : 2 * D], PROJECTIONS[2 * D :]
IN_PROJ = "self_attn.in_proj_weight"


def run(sandbox, source, *args, **more):
    """Call ``Block(*args)`` on X; ``more`` as for ``block``."""
    [answer] = report(sandbox, source, block(*args, **more)).answers
    return answer


def report(sandbox, source, *calls):
    return ask(sandbox, module(source), *calls)


def block(*args, needs=False, parameters=None, **more):
    """The call; ``needs`` says whether X needs a gradient."""
    values_given = {name: Tensor(array.astype(np.float32)) for name, array in (parameters or {}).items()}
    tensors = {"input": Tensor(X, requires_grad=needs), "parameters": values_given}
    return {"op": "module", "name": "Block", "args": list(args), **tensors, **more}


def forward(expression, attributes="pass"):
    """A block whose forward returns this expression."""
    return f"""{HEADER}
class Block(nn.Module):
    def __init__(self, size=2, width=3):
        super().__init__()
        {attributes}
    def forward(self, x):
        return {expression}
"""


def number(answer):
    assert answer.error is None, answer.error
    assert isinstance(answer.value, Tensor)
    return answer.value.array


def shapes(answer):
    assert answer.error is None, answer.error
    return {name: tuple(shape) for name, shape in answer.parameters.items()}


def test_the_constructor_gets_its_arguments_by_position(torch_sandbox):
    source = forward("self.sizes", "self.sizes = (size, width)")
    assert run(torch_sandbox, source, 5, 7).value == (5, 7)
    assert run(torch_sandbox, source, 5).value == (5, 3)
    assert run(torch_sandbox, source).value == (2, 3)


def test_an_index_without_a_row_in_an_embedding_is_told_with_the_table(torch_sandbox):
    source = forward("self.table(x.long())", "self.table = nn.Embedding(2, 3)")
    answer = run(
        torch_sandbox,
        source.replace("return self", "places = x.long() + 7; return self").replace("(x.long())", "(places)"),
    )
    out = answer.error.out_of_table
    assert (out.array, out.which, out.table) == ("places", "max", (2, 3))
    assert out.index >= 2
    assert list(answer.error.shapes) == ["places"]
    own = run(torch_sandbox, forward("exec('raise IndexError(\"index out of range in self\")')"))
    assert own.error.out_of_table is None


def test_each_call_makes_a_module_of_its_own(torch_sandbox):
    source = forward("self.layer.weight.add_(1).sum()", "self.layer = nn.Linear(2, 1).requires_grad_(False)")
    weight = {"layer.weight": np.ones((1, 2))}
    answers = report(torch_sandbox, source, *[block(parameters=weight) for _ in range(2)]).answers
    assert [number(answer).item() for answer in answers] == [4, 4]


def test_without_parameters_a_module_starts_from_its_own_and_from_the_same_seed(torch_sandbox):
    source = forward("self.layer(x)", "self.layer = nn.Linear(2, 3)")
    first, second = report(torch_sandbox, source, block(), block()).answers
    assert number(first).shape == (3, 3)
    assert np.abs(number(first)).max() > 0
    assert np.array_equal(number(first), number(second))


@pytest.mark.parametrize(
    ("more", "expected"), [({}, False), ({"training": False}, False), ({"training": True}, True)]
)
def test_all_layers_are_in_evaluation_mode_unless_training_is_asked_for(torch_sandbox, more, expected):
    assert run(torch_sandbox, MODE, **more).value == (expected, expected)


def test_layers_of_other_names_compute_with_the_wanted_rows(torch_sandbox):
    answer = run(torch_sandbox, SPLIT, D, parameters={IN_PROJ: PROJECTIONS})
    assert np.array_equal(number(answer), X @ (QUERY + 10 * KEY + 100 * VALUE).T)


def test_layers_in_a_plain_list_compute_with_the_wanted_values_and_are_not_reported(torch_sandbox):
    source = forward("self.ff[0](x)", "self.ff = [nn.Linear(2, 3)]; self.norm = nn.LayerNorm(2)")
    answer = run(torch_sandbox, source, parameters={"ff.0.weight": np.ones((3, 2)), "ff.0.bias": np.zeros(3)})
    assert number(answer).tolist() == [[3, 3, 3], [7, 7, 7], [11, 11, 11]]
    assert shapes(answer) == {"norm.weight": (2,), "norm.bias": (2,)}


def test_registered_parameters_are_reported_by_the_students_names(torch_sandbox):
    answer = run(torch_sandbox, SPLIT, D, parameters={IN_PROJ: PROJECTIONS})
    assert shapes(answer) == {f"self_attn.{name}.weight": (D, D) for name in "vkqo"}


def test_gradients_come_under_the_wanted_names_with_their_parts_joined(torch_sandbox):
    answer = run(
        torch_sandbox, SPLIT, D, parameters={IN_PROJ: PROJECTIONS}, cotangent=Tensor(COTANGENT), needs=True
    )
    of_query = COTANGENT.T @ X
    assert list(answer.gradients) == ["input", IN_PROJ]
    assert np.array_equal(
        answer.gradients[IN_PROJ].array, np.concatenate([of_query, 10 * of_query, 100 * of_query])
    )
    assert np.array_equal(answer.gradients["input"].array, COTANGENT @ (QUERY + 10 * KEY + 100 * VALUE))


@pytest.mark.parametrize("cut", [".detach()", ".data"])
def test_a_joined_gradient_is_missing_where_one_part_is_cut(torch_sandbox, cut):
    source = SPLIT.replace("a.k(x)", f"a.k(x){cut}")
    answer = run(
        torch_sandbox, source, D, parameters={IN_PROJ: PROJECTIONS}, cotangent=Tensor(COTANGENT), needs=True
    )
    assert answer.gradients[IN_PROJ] is None
    assert np.array_equal(answer.gradients["input"].array, COTANGENT @ (QUERY + 100 * VALUE))


def test_an_input_that_needs_no_gradient_has_none(torch_sandbox):
    answer = run(torch_sandbox, SPLIT, D, parameters={IN_PROJ: PROJECTIONS}, cotangent=Tensor(COTANGENT))
    assert answer.gradients["input"] is None
    assert answer.gradients[IN_PROJ] is not None


@pytest.mark.parametrize(
    "returned",
    ["y.detach()", "y.numpy(force=True)", "(y.sum(), [y])", "y[:2]", "y.sum()"],
)
def test_an_output_that_no_gradient_can_flow_from_still_comes_back(torch_sandbox, returned):
    source = forward(f"(lambda y: {returned})(self.layer(x))", "self.layer = nn.Linear(2, 2)")
    more = {"parameters": {"layer.weight": np.ones((2, 2))}, "cotangent": Tensor(COTANGENT)}
    answer = run(torch_sandbox, source, needs=True, **more)
    assert answer.error is None
    assert answer.gradients == {"input": None, "layer.weight": None}


@pytest.mark.parametrize(
    "returned",
    [
        "(self.layer.weight, self.layer(x), x)",
        "[2 * x, self.layer(x), self.layer(5 * x)]",
        "{'y': self.layer(x)}",
    ],
)
def test_the_gradient_of_a_tuple_is_that_of_the_part_to_which_most_leads(torch_sandbox, returned):
    source = forward(returned, "self.layer = nn.Linear(2, 2)")
    more = {"parameters": {"layer.weight": np.ones((2, 2))}, "cotangent": Tensor(COTANGENT)}
    answer = run(torch_sandbox, source, needs=True, **more)
    assert np.array_equal(answer.gradients["layer.weight"].array, COTANGENT.T @ X)


@pytest.mark.parametrize(
    "returned", ["3 * x", "(x, 3 * x)", "self.layer(x) * 0", "torch.zeros_like(x)", "None"]
)
def test_a_parameter_on_which_nothing_depends_is_told_from_one_whose_gradient_is_cut(torch_sandbox, returned):
    source = forward(returned, "self.layer = nn.Linear(2, 2)")
    more = {"parameters": {"layer.weight": np.ones((2, 2))}, "cotangent": Tensor(COTANGENT)}
    answer = run(torch_sandbox, source, needs=True, **more)
    gradient = answer.gradients["layer.weight"]
    assert gradient is False if "self.layer" not in returned else not gradient.array.any()


def test_without_a_cotangent_no_gradients_are_taken(torch_sandbox):
    assert run(torch_sandbox, SPLIT, D, parameters={IN_PROJ: PROJECTIONS}, needs=True).gradients is None


@pytest.mark.parametrize(("body", "modified"), [("x += 1", (0,)), ("x = x + 1", ()), ("x.t_()", (0,))])
def test_an_input_changed_in_place_is_reported(torch_sandbox, body, modified):
    source = forward("x").replace("return x", f"{body}; return 0")
    assert run(torch_sandbox, source).modified == modified


def test_a_missing_parameter_says_what_the_block_has_and_stops_no_other_call(torch_sandbox):
    source = forward("x", "self.layer = nn.Linear(2, 3)")
    wanting, other = report(torch_sandbox, source, block(parameters={IN_PROJ: PROJECTIONS}), block()).answers
    assert (wanting.error.type, wanting.error.line) == ("MissingParameter", None)
    assert "the block has layer.weight, layer.bias" in wanting.error.message
    assert np.array_equal(number(other), X)


@pytest.mark.parametrize(
    ("source", "type_", "line"),
    [
        (forward("x", "self.layer = nn.Linear()"), "TypeError", 7),
        (forward("x @ x"), "RuntimeError", 9),
        (f"{HEADER}class Block(nn.Module):\n    pass\n", "NotImplementedError", None),
        (forward("x").replace("nn.Module", "list"), "AttributeError", None),
    ],
    ids=["constructor", "forward", "no forward", "no module"],
)
def test_what_a_block_raises_is_its_answer(torch_sandbox, source, type_, line):
    error = run(torch_sandbox, source).error
    assert (error.type, error.line) == (type_, line)


@pytest.mark.parametrize("source", ["import torch", "import torch\nBlock = 3"])
def test_a_name_that_is_no_class_is_not_defined(torch_sandbox, source):
    assert run(torch_sandbox, source).not_defined


def test_a_function_that_makes_a_module_is_as_good_as_a_class(torch_sandbox):
    source = f"{HEADER}def Block(size):\n    return nn.Sequential(nn.Linear(size, size, bias=False))\n"
    answer = run(torch_sandbox, source, D, parameters={"0.weight": QUERY})
    assert np.array_equal(number(answer), X @ QUERY.T)


def test_an_input_in_float64_makes_the_whole_module_work_in_float64(torch_sandbox):
    """The course's own files are run so to measure their noise; submissions only ever get float32."""
    source = forward("self.layer(x)", f"self.layer = nn.Linear({D}, 1)")
    weight = np.full((1, D), 0.1)
    call = block(parameters={"layer.weight": weight})
    wide = {**call, "input": Tensor(X.astype(np.float64))}
    single, double = report(torch_sandbox, source, call, wide).answers
    assert (single.value.array.dtype, double.value.array.dtype) == (np.float32, np.float64)


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


WHOLE_NUMBERS = np.array([[1, 2, 3, 4], [4, 3, 2, 1]])
TABLE_MODEL = """
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
    call = ModuleCall("Model", (), Tensor(WHOLE_NUMBERS), probed=True, **more).as_mapping()
    [answer] = ask(sandbox, module(source), call).answers
    assert answer.is_usable, answer.error
    return answer.probes


def moved(probes):
    before = probes["before"].array
    return {name: not np.array_equal(after.array, before) for name, after in probes["moved"].items()}


def test_a_parameter_that_is_unused_changes_nothing(torch_sandbox):
    probes = probe(torch_sandbox, TABLE_MODEL)
    assert moved(probes) == {"table": True, "unused": False, "cut_off": True, "stacked": True}


def test_gradients_are_counted_for_each_matrix_of_a_stack(torch_sandbox):
    """All symbols but one occur, so that the table counts as a whole; a matrix times 0 does not count."""
    gradients = probe(torch_sandbox, TABLE_MODEL)["gradients"]
    assert gradients == {
        "table": [10, 2, 10],
        "unused": [4, 2, 0],
        "cut_off": [4, 2, 0],
        "stacked": [8, 3, 4],
    }


def test_a_module_is_the_same_after_its_parameters_were_moved(torch_sandbox):
    source = f"{TABLE_MODEL}\nmade = []\ninit = Model.__init__\n"
    source += "def remember(self):\n    init(self)\n    made.append(self)\nModel.__init__ = remember\n"
    source += "def sums():\n    return [float(one.sum()) for one in made[0].parameters()]\n"
    call = ModuleCall("Model", (), Tensor(WHOLE_NUMBERS), probed=True).as_mapping()
    after = {"op": "function", "name": "sums", "args": []}
    answers = ask(torch_sandbox, module(source), call, after).answers
    assert answers[1].value == [10, 4, 4, 8]


def test_layers_in_a_plain_list_are_moved_too(torch_sandbox):
    source = TABLE_MODEL.replace(
        "self.unused = ", "self.layers = [nn.Linear(2, 2, bias=False)]; self.unused = "
    )
    source = source.replace("@ self.stacked[0]", "@ self.stacked[0] @ self.layers[0].weight")
    assert moved(probe(torch_sandbox, source))["layers.0.weight"]


def test_a_parameter_with_several_names_has_all_of_them(torch_sandbox):
    shared = "self.layers = nn.ModuleList([nn.Linear(2, 2, bias=False)] * 3)"
    source = TABLE_MODEL.replace("self.unused = ", f"{shared}; self.unused = ")
    names = probe(torch_sandbox, source)["names"]
    assert names == {"layers.0.weight": ["layers.1.weight", "layers.2.weight"]}


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
    rows = np.concatenate([WHOLE_NUMBERS, WHOLE_NUMBERS[:1]])
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


TRAINING = """
import torch
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 4)
    def forward(self, tokens):
        return self.table(tokens), None
def solve(clears=True, steps=3, rows=2, optimized=None, rate=0.5):
    model = Model()
    optimizer = torch.optim.SGD((optimized or model).parameters(), lr=rate)
    for _ in range(steps):
        tokens = torch.zeros(rows, 3, dtype=torch.long)
        logits, _ = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        if clears:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model(tokens)
    return 1
"""


def course_of_training(sandbox, *arguments):
    call = FunctionCall("solve", arguments, trains="Model", watched=True).as_mapping()
    [answer] = ask(sandbox, module(TRAINING), call).answers
    assert answer.value == 1
    return answer.trained["course"]


def test_losses_and_steps_of_a_training_come_back(torch_sandbox):
    course = course_of_training(torch_sandbox)
    losses = course["losses"].array
    assert (course["steps"], course["backwards"], course["uncleared"]) == (3, 3, 0)
    assert losses.shape == (3,)
    assert losses[2] < losses[0]
    assert list(course["rates"].array) == [0.5] * 3
    assert list(course["sizes_of_batches"].array) == [2] * 3
    assert course["in_optimizer"] == course["in_module"] == 16


def test_gradients_that_are_never_cleared_are_counted(torch_sandbox):
    assert course_of_training(torch_sandbox, False)["uncleared"] == 2


def test_the_last_comparison_holds_what_the_module_was_given_and_returned(torch_sandbox):
    comparison = course_of_training(torch_sandbox)["comparison"]
    assert comparison["tokens"].array.shape == (2, 2)
    np.testing.assert_array_equal(comparison["output"].array.reshape(4, 4), comparison["input"].array)
    assert list(comparison["target"].array) == [0, 0, 0, 0]


def test_an_untrained_module_has_no_losses(torch_sandbox):
    source = f"{MODEL}\ndef solve():\n    filled(4, 3)(X)\n    return 1\n"
    call = FunctionCall("solve", (), trains="Model", watched=True).as_mapping()
    [answer] = ask(torch_sandbox, module(source), call).answers
    course = answer.trained["course"]
    assert (course["steps"], course["backwards"], course["models"]) == (0, 0, 0)
