import numpy as np
import pytest

from autograder.worker.wire import Unsendable

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
