"""Which arrays met in an expression that raised: their shapes, and whether they are the call's arguments."""

import linecache

import numpy as np
import pytest

from autograder.worker.errors import SUBMISSION_ROOT, describe_error

X, W = np.zeros((7, 6)), np.zeros((5, 8))
NAME = f"{SUBMISSION_ROOT}work.py"


def operands(*lines, arguments=(X, W)):
    """The operands of what is raised in a function of X and W with these lines."""
    text = "import numpy as np\ndef f(X, W):\n" + "".join(f"    {line}\n" for line in lines)
    linecache.cache[NAME] = (len(text), None, text.splitlines(keepends=True), NAME)
    namespace = {}
    exec(compile(text, NAME, "exec"), namespace)
    with pytest.raises((ValueError, IndexError, TypeError, AttributeError, NameError)) as raised:
        namespace["f"](*arguments)
    operands_told = describe_error(raised.value)["operands"]
    return [(operand["shape"], operand["argument"]) for operand in operands_told]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("X @ W", [((7, 6), 0), ((5, 8), 1)]),
        ("np.dot(X, W)", [((7, 6), 0), ((5, 8), 1)]),
        ("X.dot(W.T.T)", [((7, 6), 0), ((5, 8), 1)]),
        ("np.einsum('ij,jk', X, W)", [((7, 6), 0), ((5, 8), 1)]),
        ("X.T @ np.swapaxes(W, 0, 1)", [((6, 7), 0), ((8, 5), 1)]),
        ("X[1:4] @ W[:, None]", [((3, 6), 0), ((5, 1, 8), 1)]),
        ("(X * 2) @ W", [((7, 6), None), ((5, 8), 1)]),
        ("np.exp(X) @ (X.T @ X)[:2]", [((7, 6), None), ((2, 6), None)]),
        ("sorted(X[0]) @ W", [(None, None), ((5, 8), 1)]),
        ("X + W", [((7, 6), 0), ((5, 8), 1)]),
        ("X += W", [((7, 6), None), ((5, 8), 1)]),
        ("np.concatenate([X, W])", [((7, 6), 0), ((5, 8), 1)]),
        ("X.transpose(0, 2, 1)", [((7, 6), 0)]),
        ("a, b, c = X.shape", [((7, 6), 0)]),
        ("a, b, c = X", [((7, 6), 0)]),
        ("X[9]", [((7, 6), 0)]),
        ("raise ValueError('of my own')", []),
    ],
)
def test_operands_of_an_expression(line, expected):
    assert operands(line) == expected


def test_operands_of_an_expression_over_several_lines():
    assert operands("y = (X @", "     W[:, 0:3])") == [((7, 6), 0), ((5, 3), 1)]


def test_an_argument_is_known_in_a_helper_and_under_another_name():
    helper = ("def project(a, b):", "    return a @ b", "tokens = np.asarray(X)", "project(tokens, W)")
    assert operands(*helper) == [((7, 6), 0), ((5, 8), 1)]


def test_a_copy_is_no_argument():
    assert operands("X = X.copy()", "X @ W") == [((7, 6), None), ((5, 8), 1)]


@pytest.mark.parametrize(
    "odd",
    [
        type("ndarray", (), {"shape": property(lambda self: 1 / 0), "__module__": "numpy"})(),
        slice("a", 1),
        slice(0, 9, 0),
        None,
    ],
    ids=["a forged array", "a slice of texts", "a slice without steps", "nothing"],
)
def test_odd_values_are_unknown_and_nothing_of_them_is_called(odd):
    stacked = operands("np.stack([X, W, X[:1]])", arguments=(X, odd))
    assert stacked == [((7, 6), 0), (None, None), ((1, 6), 0)]


def test_an_exception_that_is_not_about_shapes_has_no_operands():
    assert operands("X.missing") == []
    assert operands("X @ undefined") == []
