"""Exceptions of the installed NumPy and torch get the remedy for the habit that raised them."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from autograder.course.cases import FunctionCall
from autograder.reasons.errors import explain_no_value
from autograder.reasons.habits import INSTEAD_OF_LIBRARY
from autograder.reasons.remedies import HABITS, remedy_for
from autograder.sandbox.report import StudentError
from autograder.sandbox.request import Limits

LIMITS = Limits(seconds=12, call_seconds=3)
NAMES = {
    "np": np,
    "torch": torch,
    "math": math,
    "functional": functional,
    "x": np.ones((2, 3)),
    "heads": np.ones((4, 2, 3)),
    "mask": np.ones((3, 3), bool),
    "t": torch.ones(2, 3),
    "targets": torch.tensor([0, 1]),
    "needs_gradient": torch.ones(2, 3, requires_grad=True),
    "items": [1.0, 2.0],
    "weights": np.ones(3),
    "values": [np.ones((4, 1))] * 3,
    "d_k": 4,
    "nn": nn,
    "q": torch.ones(2, 3, 5, 4),
    "block": SimpleNamespace(self=SimpleNamespace(ff=nn.Linear(2, 3))),
}


def raised_at(line, shapes=""):
    """Run a student's line, and explain what it raises."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        exec(line, dict(NAMES))
    message = f"{raised.value}{shapes}"
    error = StudentError(type(raised.value).__name__, message, "homework.py", 4, line, "File …")
    return explain_no_value(error, FunctionCall("attention", ()), LIMITS, error)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("x @ x.transpose(-2, -1)", ".swapaxes(-1, -2)"),
        ("x @ x.transpose(0, 1)", ".T"),
        ("x.transpose(1, 2)", ".swapaxes(-1, -2)"),
        ("heads.transpose(-2, -1)", ".swapaxes(-1, -2)"),
        ("x.unsqueeze(0)", "x[..., None]"),
        ("x.size[-1]", ".shape[-1]"),
        ("x.softmax(dim=-1)", "np.exp"),
        ("functional.softmax(x, dim=-1)", "np.exp"),
        ("x.permute(1, 0)", "np.transpose"),
        ("x.t()", ".T"),
        ("x.masked_fill(x == 0, -1e9)", "np.where"),
        ("np.softmax(x)", "np.exp"),
        ("np.cat([x, x])", "np.concatenate"),
        ("np.sum(x, dim=-1)", "`axis`"),
        ("x.sum(dim=-1)", "`axis`"),
        ("x.max(axis=1, keepdim=True)", "`keepdims`"),
        ("np.sqrt(x.size(-1))", ".shape[-1]"),
        ("x.view(2, -1)", ".reshape"),
        ("x.view(-1)", ".reshape"),
        ("torch.softmax(x, dim=-1)", "NumPy's own"),
        ("torch.matmul(x, x)", "NumPy's own"),
        ("torch.cat([x, x])", "NumPy's own"),
        ("torch.sum(x, dim=1)", "NumPy's own"),
    ],
)
def test_torchs_ways_with_an_array_come_with_numpys(line, remedy):
    finding = raised_at(line)
    assert remedy in finding.student
    assert finding.misconceptions == ("torch-on-numpy",)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("t.astype(float)", ".to("),
        ("t.size[-1]", "X.size(-1)"),
        ("t.copy()", ".clone()"),
        ("np.exp(needs_gradient)", "torch.exp"),
        ("t - torch.max(t, dim=1, keepdim=True)", ".values"),
        ("t - t.max(dim=1, keepdim=True)", "torch.amax"),
        ("torch.softmax(t)", "`dim=-1`"),
        ("t.softmax()", "`dim=-1`"),
        ("t / t.size", ".shape[-1]"),
    ],
)
def test_numpys_ways_with_a_tensor_come_with_torchs(line, remedy):
    finding = raised_at(line)
    assert remedy in finding.student
    assert finding.misconceptions == ("numpy-on-torch",)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("b, n, d = x.shape", "X.shape[-2:]"),
        ("n, d = heads.shape", "X.shape[-2:]"),
        ("b, h, n, d = t.size()", "X.shape[-2:]"),
        ("np.sum(x, axis=2)", "axis=-1"),
        ("np.swapaxes(x, 1, 2)", ".swapaxes(-1, -2)"),
        ("np.transpose(x, (0, 2, 1))", ".swapaxes(-1, -2)"),
        ("t.transpose(1, 2)", "`-1`"),
        ("x.shape()", "x.shape[-1]"),
        ("x.T()", "parentheses"),
        ("weights[:, None] * values", "w[:, None, None]"),
        ("(x.T @ x).item()", "`.item()`"),
        ("np.exp(x - max(x))", "np.max"),
        ("x if x > 0 else 0", "np.where"),
        ("if mask: x = 0", "is not None"),
        ("x if mask else 0", "is not None"),
        ("if mask == None: x = 0", "`is None`"),
        ("x if mask != None else 0", "`is None`"),
        ("if None == mask: x = 0", "`is None`"),
        ("if mask > 0: x = 0", "np.where"),
        ("items - 1.0", "np.array(items)"),
        ("items * 0.5", "np.array(items)"),
        ("items.shape", "np.array(items)"),
        ("math.exp(items)", "np.exp"),
        ("d_k.shape", "plain number"),
        ("x.append(1)", "list"),
        ("torch.sqrt(d_k)", "math.sqrt"),
        ("x @ t.T", "one of the two"),
        ("torch.from_numpy(x) @ t.T", "float64"),
        ("nn.MultiheadAttention(6, 2)(t)", "three times"),
        ("nn.Sequential(nn.Linear(2, 3), nn.ReLU)", "parentheses"),
        ("nn.Sequential(nn.Linear(2, 3), torch.relu)", "parentheses"),
        ("q @ q.transpose(1, 2)", ".transpose(-2, -1)"),
        ("q.transpose(1, 2).view(2, 5, 12)", ".reshape"),
        ("block.self.ff(t)", "`nn.Linear(a, b)`"),
        ("super.__init__()", "super().__init__()"),
        ("np.dot(weights, values)", "np.hstack"),
        ("np.exp(x, axis=1)", "no parameter of that name"),
        ("nn.Embedding(2, 3)(targets + 1)", "only new tokens go in"),
        ("functional.cross_entropy(targets, t)", "logits first"),
        ("functional.cross_entropy(t.argmax(-1), targets)", "logits first"),
        ("functional.cross_entropy(t, targets.float())", "targets.long()"),
        ("functional.cross_entropy(q[0], torch.zeros(3, 5).long())", ".flatten(0, 1)"),
        ("x[:, 3:].max(axis=-1)", "begin behind the end"),
        ("x[2]", "Indices begin at 0"),
    ],
)
def test_what_the_line_shows_comes_with_its_remedy(line, remedy):
    finding = raised_at(line)
    assert remedy in finding.student
    assert finding.misconceptions == ()


@pytest.mark.parametrize("line", ["t + (t, t)", "(t, t) + t", "(t, t).shape", "functional.linear((t, t), t)"])
def test_a_tuple_that_is_used_as_an_array_is_to_be_taken_apart(line):
    finding = raised_at(line)
    assert "attended, _" in finding.student
    assert finding.misconceptions == ("tuple-not-unpacked",)


@pytest.mark.parametrize(
    "line", ["x[mask] = -1e9", "heads[mask == 0] = -1e9", "x[np.ones((2, 3, 3)) == 0] = 0", "t[mask] = -1e9"]
)
def test_a_mask_that_fits_only_by_broadcasting_is_no_index(line):
    finding = raised_at(line)
    assert "np.where(mask, scores, …)" in finding.student
    assert finding.misconceptions == ("mask-as-index",)


@pytest.mark.parametrize("name", ["np", "torch", "nn", "F", "math", "exp"])
def test_a_library_that_was_not_imported_is_named(name):
    error = StudentError(
        "NameError", f"name '{name}' is not defined", "homework.py", 4, f"{name}.x", "File …"
    )
    finding = explain_no_value(error, FunctionCall("attention", ()), LIMITS, error)
    assert f"`{name}`" in finding.student.partition("It says")[2]
    assert finding.misconceptions == ("not-imported",)


@pytest.mark.parametrize("library", INSTEAD_OF_LIBRARY)
def test_a_library_that_is_not_there_comes_with_what_to_use_instead(library):
    for message in (f"No module named '{library}'", f"No module named '{library}.part'"):
        known = remedy_for(StudentError("ModuleNotFoundError", message), HABITS)
        assert f"`{library}`" in known.says
        assert known.misconception == "missing-library"
    other = StudentError("ModuleNotFoundError", f"No module named '{library}y'")
    assert remedy_for(other, HABITS) is None


def test_the_first_entry_of_an_array_without_entries_is_no_step_too_far():
    finding = raised_at("x = np.array([])[0]")
    assert "empty" in finding.student
    assert "too far" not in finding.student


def test_a_column_that_is_indexed_as_a_list_is_named_with_its_index():
    NAMES["query"] = NAMES["key"] = np.ones((4, 1))
    line = "score = key.T @ query[2]"
    finding = raised_at(line, "\nHere `key.T` is (1, 4), `query` is (4, 1)")
    assert "`query` is a single column" in finding.student
    finding = raised_at("score = key @ query", "\nHere `key` is (4, 1), `query` is (4, 1)")
    assert "single column" not in finding.student


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("first, second = halves(x)", "def halves(x): return 1, 2, 3"),
        ("number()", "number = 3"),
    ],
)
def test_the_students_own_functions_are_not_taken_for_those_of_a_library(line, function):
    with pytest.raises(Exception) as raised:  # noqa: PT011
        exec(f"{function}\n{line}", dict(NAMES))
    error = StudentError(type(raised.value).__name__, str(raised.value), "homework.py", 4, line, "File …")
    assert remedy_for(error, HABITS) is None


@pytest.mark.parametrize(
    ("line", "function"),
    [
        ("softmax(x, dim=-1)", "def softmax(x): ..."),
        ("scaled(x, keepdim=True)", "def scaled(x): ..."),
        ("_sums(x, dim=-1)", "def _sums(x): ..."),
    ],
)
def test_a_keyword_of_a_function_of_their_own_is_not_told_as_numpys(line, function):
    with pytest.raises(TypeError) as raised:
        exec(f"{function}\n{line}", dict(NAMES))
    error = StudentError("TypeError", str(raised.value), "homework.py", 4, line, "File …")
    finding = explain_no_value(error, FunctionCall("attention", ()), LIMITS, error)
    assert "`def` line" in finding.student
    assert finding.misconceptions == ()


@pytest.mark.parametrize("line", ["np.concatenate((x, weights))", "np.append(x, weights, axis=0)"])
def test_a_vector_joined_to_rows_is_told_to_need_an_axis(line):
    failure = raised_at(line)
    assert "as in `k[None]`" in failure.student
    assert failure.misconceptions == ()


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("t.sum().backward()", "torch.no_grad()"),
        ("again = lambda: again()\nagain()", "calls itself too often"),
        ("if True:\n        x\n\tx", "four spaces"),
        ("x.append(1)", "np.vstack(rows)"),
    ],
)
def test_what_is_no_habit_of_a_library_comes_with_its_remedy(line, remedy):
    assert remedy in raised_at(line).student
