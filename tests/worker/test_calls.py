"""Calls with arrays, tensors, gradients and modules: what arrives, what comes back, what was changed."""

import numpy as np
import pytest

from autograder.worker.composites import Composite, take_apart
from autograder.worker.wire import Tensor, Unsendable

from .asking import ask, call, module, notebook, read, values


def modified(sandbox, body, *args):
    """Which of its arguments a function is caught changing."""
    source = f"import numpy as np\ndef f(*args):\n    a, b = args\n    {body}\n    return 1"
    [answer] = ask(sandbox, module(source), call("f", *args)).answers
    assert answer.error is None
    return answer.modified


def test_arguments_arrive_by_position_and_keep_kind_dtype_and_shape(sandbox):
    source = """
    def f(a, b, c, d, e):
        return [type(a).__name__, str(a.dtype), a.shape, type(b).__name__, type(c).__name__, c[0].shape, d, e]
    """
    arguments = (np.ones((2, 3), np.float32), 4, [np.ones(2)], 1.5, None)
    [value] = values(ask(sandbox, module(source), call("f", *arguments)))
    assert value == ["ndarray", "float32", (2, 3), "int", "list", (2,), 1.5, None]


def test_the_value_comes_back_with_kind_dtype_and_shape(sandbox):
    source = (
        "import numpy as np\ndef f(): return (np.ones((2, 3), np.float32), [1, 2.5, True], None, {'a': 'b'})"
    )
    [(array, *facts)] = values(ask(sandbox, module(source), call("f")))
    assert (array.shape, array.dtype) == ((2, 3), np.float32)
    assert facts == [[1, 2.5, True], None, {"a": "b"}]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a -= 1", (0,)),
        ("b[0, 0] = np.nan", (1,)),
        ("a += 1; b *= 2", (0, 1)),
        ("a.sort(axis=0); b.T[:] = 0", (0, 1)),
        ("np.exp(b, out=b)", (1,)),
        ("a.shape = 4", (0,)),
        ("a.setflags(write=False)", ()),
        ("a = a - 1; b = b.copy(); b[:] = 0", ()),
        ("a += 0; b *= 1", ()),
        ("a[0] += 1; a[0] -= 1", ()),
    ],
)
def test_arguments_that_were_changed_are_reported(sandbox, body, expected):
    arguments = (np.array([[4.0, 9.0], [3.0, 2.0]]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert modified(sandbox, body, *arguments) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a[1] += 1", (0,)),
        ("a.append(3)", (0,)),
        ("a[0] = a[0].copy()", ()),
        ("b.clear()", (1,)),
    ],
)
def test_changes_within_lists_are_reported(sandbox, body, expected):
    assert modified(sandbox, body, [np.ones(2), np.ones(2)], [1, 2]) == expected


def test_an_argument_that_holds_nan_and_stays_as_it_was_is_not_reported(sandbox):
    assert modified(sandbox, "pass", np.array([np.nan, -0.0]), float("inf")) == ()


def test_a_result_is_frozen_when_its_call_ends(sandbox):
    source = """
    import numpy as np
    shared = np.zeros(2)
    def f(x):
        shared[:] = x
        return shared
    """
    first, second, third = values(ask(sandbox, module(source), call("f", 1), call("f", 2), read("shared")))
    assert (first.tolist(), second.tolist(), third.tolist()) == ([1, 1], [2, 2], [2, 2])


def test_arguments_are_fresh_for_each_call(sandbox):
    x = np.ones(2)
    source = "def f(x):\n    x += 1\n    return x"
    assert [v.tolist() for v in values(ask(sandbox, module(source), call("f", x), call("f", x)))] == [
        [2, 2]
    ] * 2
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize("source", ["", "f = 3", "f = None", "import numpy as f", "def g(): pass"])
def test_a_name_that_is_missing_or_cannot_be_called_is_not_defined(sandbox, source):
    [answer] = ask(sandbox, module(source), call("f", 1)).answers
    assert answer.not_defined
    assert answer.error is None
    assert not answer.is_usable


@pytest.mark.parametrize("source", ["f = lambda x: x + 1", "class f:\n    def __new__(cls, x): return x + 1"])
def test_whatever_can_be_called_is_called(sandbox, source):
    assert values(ask(sandbox, module(source), call("f", 1))) == [2]


def test_a_builtin_name_is_not_taken_for_the_students(sandbox):
    assert ask(sandbox, module("x = 1"), call("sum", [1])).answers[0].not_defined


def test_a_result_that_cannot_be_sent_leaves_the_others_alone(sandbox):
    source = """
    import numpy as np
    def raw(): return np.array([b"a", b"b"])
    def lazy(): return (i for i in range(3))
    def huge(): return 10 ** 5000
    def deep():
        value = []
        for _ in range(500): value = [value]
        return value
    def f(): return 1
    """
    names = ["raw", "lazy", "huge", "deep", "f"]
    values_of_calls = values(ask(sandbox, module(source), *map(call, names)))
    assert [type(value) for value in values_of_calls[:3]] == [Unsendable] * 3
    assert values_of_calls[4] == 1


def test_a_result_that_raises_when_looked_at_is_that_calls_error(sandbox):
    source = """
    class Trap(list):
        def __iter__(self): raise ValueError("trap")
    def f(): return Trap([1])
    def g(): return 1
    """
    trapped, other = ask(sandbox, module(source), call("f"), call("g")).answers
    assert trapped.error.type == "ValueError"
    assert other.value == 1


def test_a_top_level_value_may_be_any_data(sandbox):
    report = ask(sandbox, notebook("import numpy as np\na = np.eye(2)\nb = (1, [2])"), read("a"), read("b"))
    array, pair = values(report)
    assert (array.tolist(), pair) == ([[1, 0], [0, 1]], (1, [2]))


def test_names_are_listed_by_what_they_are(sandbox):
    source = """
    import numpy as np
    from math import exp
    class Block(np.ndarray): pass
    class Other: pass
    def f(x): return x
    def caller(x):
        return f(x) + Other.caller
    g, softmax, Alias = f, 3, np.ndarray
    """
    [names] = values(ask(sandbox, module(source), {"op": "names", "name": ""}))
    assert {
        kind: [name for name in names_of_kind if "__" not in name] for kind, names_of_kind in names.items()
    } == {
        "functions": ["f", "caller", "g"],
        "classes": ["Block", "Other"],
        "modules": [],
        "inner": [],
        "values": ["np", "softmax"],
        "called": ["Other", "f"],
    }


X = Tensor(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32))
W = Tensor(np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]], np.float32), requires_grad=True)
COTANGENT = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))

LINEAR = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, size, width=3):
        super().__init__()
        self.ff = nn.Sequential(nn.Linear(size, width), nn.Dropout(0.9))
        self.unused = nn.Linear(1, 1)
    def forward(self, x):
        return self.ff(x)
"""


def answer_of(sandbox, source, *calls):
    [answer] = ask(sandbox, module(source), *calls).answers
    return answer


def block_call(**more):
    parameters = {
        "ff.0.weight": Tensor(np.ones((3, 2), np.float32)),
        "ff.0.bias": Tensor(np.zeros(3, np.float32)),
    }
    return {"op": "module", "name": "Block", "args": [2], "input": X, "parameters": parameters, **more}


def test_a_tensor_arrives_as_a_tensor_and_comes_back_as_one(torch_sandbox):
    source = "import torch\ndef f(x, w): return x * 2, w, torch.is_tensor(x), w.requires_grad and w.is_leaf"
    doubled, w, is_tensor, is_leaf = values(ask(torch_sandbox, module(source), call("f", X, W)))[0]
    assert isinstance(doubled, Tensor)
    assert doubled.array.tolist() == (2 * X.array).tolist()
    assert doubled.array.dtype == np.float32
    assert (doubled.requires_grad, w.requires_grad) == (False, True)
    assert is_tensor
    assert is_leaf


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x.bool()", np.bool_),
        ("x.int()", np.int32),
        ("x.half()", np.float16),
        ("x.bfloat16()", np.float32),
        ("x.double().T[::2]", np.float64),
        ("x.to(torch.complex64).conj()", np.complex64),
        ("torch.nn.Parameter(x)", np.float32),
        ("x[:0]", np.float32),
        ("x.sum()", np.float32),
    ],
)
def test_tensors_of_any_kind_come_back(torch_sandbox, expression, expected):
    [value] = values(ask(torch_sandbox, module(f"import torch\ndef f(x): return {expression}"), call("f", X)))
    assert isinstance(value, Tensor)
    assert value.array.dtype == expected


def test_a_tensor_that_cannot_be_sent_is_that_calls_matter(torch_sandbox):
    source = """
    import torch
    def f(x): return x.to(torch.complex128)
    def g(x): return x.to_sparse()
    def h(): return 1
    """
    wide, sparse, other = ask(torch_sandbox, module(source), call("f", X), call("g", X), call("h")).answers
    assert isinstance(wide.value, Unsendable)
    assert sparse.value.kind == "sparse"
    assert other.value == 1


def test_gradients_of_arguments_are_those_of_the_weighted_sum(torch_sandbox):
    answer = answer_of(torch_sandbox, "def f(x, w): return x @ w", call("f", X, W, cotangent=COTANGENT))
    assert list(answer.gradients) == ["1"]
    assert answer.gradients["1"].array.tolist() == (X.array.T @ COTANGENT.array).tolist()


def test_the_last_part_of_a_tuple_is_the_output(torch_sandbox):
    answer = answer_of(
        torch_sandbox, "def f(x, w): return w * 9, x @ w", call("f", X, W, cotangent=COTANGENT)
    )
    assert answer.gradients["1"].array.tolist() == (X.array.T @ COTANGENT.array).tolist()


@pytest.mark.parametrize(
    "expression", ["(x @ w).detach()", "x @ w.data", "x.numpy() @ w.detach().numpy()", "(x @ w)[:2]", "None"]
)
def test_where_no_gradient_arrives_there_is_none(torch_sandbox, expression):
    answer = answer_of(
        torch_sandbox, f"def f(x, w): return {expression}", call("f", X, W, cotangent=COTANGENT)
    )
    assert answer.error is None
    assert answer.gradients == {"1": None}


def test_an_argument_that_is_not_used_has_no_gradient(torch_sandbox):
    arguments = (Tensor(COTANGENT.array, requires_grad=True), W)
    answer = answer_of(torch_sandbox, "def f(x, w): return x * 3", call("f", *arguments, cotangent=COTANGENT))
    assert answer.gradients["1"] is None
    assert answer.gradients["0"].array.tolist() == (3 * COTANGENT.array).tolist()


def test_a_tensor_changed_in_place_is_reported(torch_sandbox):
    source = "import torch\ndef f(x, w):\n    x -= 1\n    return w\n"
    assert answer_of(torch_sandbox, source, call("f", X, W)).modified == (0,)


def test_a_module_computes_with_the_given_parameters(torch_sandbox):
    answer = answer_of(torch_sandbox, LINEAR, block_call())
    assert answer.value.array.tolist() == [[3, 3, 3], [7, 7, 7], [11, 11, 11]]
    assert tuple(answer.parameters["ff.0.weight"]) == (3, 2)
    assert answer.modified == ()


def test_a_module_in_training_differs_from_one_that_is_not(torch_sandbox):
    evaluated, trained = (
        answer_of(torch_sandbox, LINEAR, block_call(training=on)).value.array for on in (False, True)
    )
    assert not np.array_equal(evaluated, trained)


def test_a_module_has_gradients_of_its_parameters(torch_sandbox):
    answer = answer_of(torch_sandbox, LINEAR, block_call(cotangent=COTANGENT))
    gradients = answer.gradients
    assert gradients["ff.0.weight"].array.tolist() == (COTANGENT.array.T @ X.array).tolist()
    assert gradients["ff.0.bias"].array.tolist() == COTANGENT.array.sum(axis=0).tolist()


def test_nothing_depends_on_a_layer_whose_result_is_discarded_beside_attention(torch_sandbox):
    """Attention computes other last bits without gradients, which are no change of the output."""
    source = """
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.attention = nn.MultiheadAttention(size, 4, batch_first=True)
            self.norm = nn.LayerNorm(size)
        def forward(self, x):
            attended = x + self.attention(x, x, x, need_weights=False)[0]
            self.norm(attended)
            return attended
    """
    random = np.random.default_rng(7)
    x, weight = (random.normal(size=shape).astype(np.float32) for shape in [(32, 10, 64), (64, 64)])
    parameters = {"norm.weight": np.ones(64, np.float32), "attention.out_proj.weight": weight}
    more = {
        "args": [64],
        "input": Tensor(x, requires_grad=True),
        "cotangent": Tensor(np.ones_like(x)),
        "parameters": {name: Tensor(array) for name, array in parameters.items()},
    }
    gradients = answer_of(torch_sandbox, source, block_call(**more)).gradients
    assert gradients["norm.weight"] is False
    assert isinstance(gradients["attention.out_proj.weight"], Tensor)


def test_a_module_that_lacks_a_parameter_says_so(torch_sandbox):
    source = LINEAR.replace("nn.Linear(size, width)", "nn.Linear(size, width + 1)")
    answer = answer_of(torch_sandbox, source, block_call())
    assert answer.error.type == "MissingParameter"
    assert "ff.0.weight" in answer.error.message


def test_torchs_lack_of_memory_is_a_memory_error(torch_sandbox):
    answer = answer_of(torch_sandbox, "import torch\ndef f(): return torch.ones(10**12)", call("f"))
    assert answer.error.type == "MemoryError"


def test_each_call_starts_from_the_same_seed(torch_sandbox):
    report = ask(torch_sandbox, module("import torch\ndef f(): return torch.rand(3)"), call("f"), call("f"))
    first, second = values(report)
    assert first.array.tolist() == second.array.tolist()


def test_a_seeding_overwritten_by_mistake_does_not_cost_the_answers(torch_sandbox):
    source = """
    import torch
    torch.manual_seed = 42
    def f(): return float(torch.rand(1))
    """
    first, second = values(ask(torch_sandbox, module(source), call("f"), call("f")))
    assert first == second


@pytest.mark.parametrize(
    "switch", ["torch.set_grad_enabled(False)", "torch.set_default_dtype(torch.float64)"]
)
def test_a_switch_that_a_demonstration_left_on_does_not_reach_the_calls(torch_sandbox, switch):
    source = f"""
    import torch
    {switch}
    def f(x): return x * torch.ones(2)
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 2)
        def forward(self, x):
            return self.layer(x)
    """
    x = Tensor(np.ones((3, 2), np.float32), requires_grad=True)
    cotangent = Tensor(np.ones((3, 2), np.float32))
    calls_asked = [
        call("f", x, cotangent=cotangent),
        {"op": "module", "name": "Block", "args": [], "input": x, "parameters": {}, "cotangent": cotangent},
    ]
    function, block = ask(torch_sandbox, module(source), *calls_asked).answers
    assert function.value.array.dtype == block.value.array.dtype == np.float32
    assert function.gradients["0"].array.tolist() == np.ones((3, 2)).tolist()
    assert block.gradients["input"] is not None


def test_an_optimizer_step_works(torch_sandbox):
    source = """
    import torch
    def f(w):
        w = w.detach().clone().requires_grad_()
        optimizer = torch.optim.SGD([w], lr=0.1)
        w.sum().backward()
        optimizer.step()
        return w
    """
    [value] = values(ask(torch_sandbox, module(source), call("f", W)))
    np.testing.assert_allclose(value.array, W.array - 0.1, rtol=1e-6)


def test_a_module_may_be_made_with_a_function_of_the_course(torch_sandbox):
    source = """
    import torch
    class Block(torch.nn.Module):
        def __init__(self, activation): super().__init__(); self.activation = activation
        def forward(self, x): return self.activation(x)
    """
    text = "def activation(by, x):\n    return by * x\n"
    argument = Composite("function", {"name": "activation", "source": text, "first": [3.0]})
    request = {"op": "module", "name": "Block", "args": [argument], "input": X, "parameters": {}}
    answer = answer_of(torch_sandbox, source, request)
    assert np.array_equal(answer.value.array, 3 * X.array)


def test_a_nan_in_a_sparse_tensor_is_one_of_its_entries():
    torch = pytest.importorskip("torch")
    parts = take_apart(torch.tensor([[0.0, 2.0], [float("nan"), 1e-20]]).to_sparse()).parts
    assert parts["places"].tolist() == [[0, 1], [1, 0]]
    np.testing.assert_array_equal(parts["values"], np.array([2.0, np.nan], np.float32))
