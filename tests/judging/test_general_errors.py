"""Exceptions, as this NumPy and torch word them, come with what the operation needs, or a remedy for the habit."""

import linecache
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from autograder.course.calls import FunctionCall
from autograder.reasons.errors import explain_no_value
from autograder.reasons.general_errors import GENERAL_ERRORS, ONE_LIST, ONE_LIST_AND_NO_AXIS
from autograder.reasons.habits import INSTEAD_OF_LIBRARY
from autograder.reasons.remedies import HABITS, remedy_for, unpacks_shapes
from autograder.sandbox.report import StudentError, read_error
from autograder.sandbox.request import Limits
from autograder.worker.errors import describe_error
from autograder.worker.places import SUBMISSION_ROOT

LIMITS = Limits(seconds=12, call_seconds=3)
FILE = SUBMISSION_ROOT + "homework.py"
OWN = """
def softmax(scores, axis):
    shifted = scores
    return shifted
def without_mask(x):
    return x * mask
def calling(x):
    mask = x > 0
    return without_mask(x)
def printing(x):
    print(x)
class Block:
    def __init__(self, width):
        self.width = width
        self.self_attn = None
    def scaled(x):
        return x
    def forward(self, x):
        return width
"""
NAMES = {
    "np": np,
    "nn": nn,
    "math": math,
    "torch": torch,
    "F": functional,
    "Q": np.ones((2, 3)),
    "K": np.ones((4, 3)),
    "heads": np.ones((2, 5, 3)),
    "t": torch.ones(2, 3),
    "batch": torch.ones(2, 5, 3),
    "needs_gradient": torch.ones(3, requires_grad=True),
    "items": [1.0, 2.0],
    "counts": np.ones(3, int),
    "params": {"W_q": 1, "W_k": 2},
    "d_k": 4,
    "rng": np.random.default_rng(0),
}


def told(line):
    """Run a line of a submission and return what its student reads about the exception."""
    source = f"{OWN}\ndef task():\n" + "".join(f"    {part}\n" for part in line.split("; "))
    linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
    names = dict(NAMES)
    exec(compile(source, FILE, "exec"), names)
    try:
        with pytest.raises(Exception) as raised:  # noqa: PT011
            names["task"]()
        error = read_error(describe_error(raised.value))
    finally:
        del linecache.cache[FILE]
    return explain_no_value(error, FunctionCall("attention", ()), LIMITS, error).student


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("weights = Q; return weigths", "Do you mean `weights` of line 22?"),
        ("weights = Q; return [row * weigths for row in Q]", "Do you mean `weights` of line 22?"),
        ("return itmes", "Do you mean `items`?"),
        ("return sofmax(Q, 0)", "Do you mean `softmax` of line 2?"),
        ("return rnage(3)", "Do you mean `range`?"),
        ("return k @ Q", "Do you mean `K`?"),
        ("return zeros((2, 3))", "Do you mean `np.zeros`?"),
        ("return shifted", "`shifted` is a variable of `softmax` (line 2)"),
        ("return calling(Q)", "`mask` has a value in `calling` (line 7), which calls this function"),
        ("return Block(3).forward(Q)", "Do you mean `self.width`?"),
        ("return np.expp(Q)", "Do you mean `exp`?"),
        ("return Q.tranpose()", "Do you mean `transpose`?"),
        ("return t.unsqeeze(0)", "Do you mean `unsqueeze`?"),
        ("return nn.LayrNorm(3)", "Do you mean `LayerNorm`?"),
        ("return Block(3).Width", "Do you mean `width`?"),
        ("return Block(3).mha", "The object has the attributes width, self_attn."),
        ("from torch.nn import LayrNorm", "Do you mean `LayerNorm`?"),
        ("return params['W_Q']", "The keys of `params` are 'W_q', 'W_k'."),
        ("return softmax(Q)", "Your `softmax` of line 2 takes (scores, axis)."),
        ("return softmax(Q, 0, 1)", "Your `softmax` of line 2 takes (scores, axis)."),
        ("return softmax(Q, dim=0)", "Your `softmax` of line 2 takes (scores, axis)."),
        ("return Block()", "Your `Block` of line 13 takes (width)."),
        ("return Block(3).scaled(Q)", "begin the parameters of `scaled` in line 16 with `self`"),
    ],
)
def test_what_a_missing_name_stands_for_is_told(line, meant):
    assert meant in told(line)


@pytest.mark.parametrize(
    "line", ["return W_k", "return omega1", "beta_q = 1; return beta_k", "return Q.softmx()"]
)
def test_another_mark_at_the_end_of_a_name_is_another_thing(line):
    assert "Do you mean" not in told(line)


def test_an_object_that_misbehaves_where_its_attributes_are_read_has_no_hint():
    line = "exec('class Odd:\\n __dict__ = property(lambda self: 1 / 0)'); return locals()['Odd']().width"
    assert "AttributeError" in told(line) or "KeyError" in told(line)


def test_where_libraries_are_on_the_graders_machine_is_not_told():
    assert "site-packages" not in told("from torch.nn import LayrNorm")


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("return printing(Q) / 2", "without a `return`"),
        ("return printing(Q) @ Q", "One side of the product is no array"),
        ("x = None; return x @ Q", "Here `x` is None"),
        ("return softmax @ Q.T", "Here `softmax` is a function"),
        ("return softmax[0]", "not its result: call it"),
        ("return softmax.shape", "not its result: call it"),
        ("return params.W_q", "read by its key"),
        ("return Q(K.T)", "Is an operator such as `*` or `@` missing"),
        ("for i in len(Q): pass", "`range(n)`"),
        ("torch.optim.Adam(3)", "parameters first"),
        ("a, b = d_k", "a single number"),
        ("return len(d_k)", "a single number"),
        ("return zip(Q, K)[0]", "make a list of it first"),
        ("x = (1, 2); x[0] = 3", "cannot be changed"),
        ("return -items", "np.array(items)"),
        ("return (Q, K) / 2", "take it apart"),
        ("return items[0, 1]", "`items[i][j]`"),
        ("return items['a']", "places of its items"),
        ("return {Q: 1}", "neither keys"),
        ("return Q + 'a'", "is a text"),
        ("return sum(Q, axis=0)", "`np.sum(x, axis=…)`"),
        ("return max(Q, axis=1)", "`np.sum(x, axis=…)`"),
        ("return [0 for _ in range(d_k / 2)]", "use `//`"),
        ("return np.zeros((d_k / 2, 3))", "use `//`"),
        ("return Q.reshape(2, math.sqrt(9))", "use `//` for sizes"),
        ("return torch.zeros(d_k / 2)", "use `//`"),
        ("return Q[:, : d_k / 2]", "use `//`"),
        ("return items[1.0]", "whole numbers"),
        ("return Q[0.0]", "`mask == 1`"),
        ("return np.concatenate(Q, K)", ONE_LIST),
        ("return np.vstack(Q, K)", ONE_LIST_AND_NO_AXIS),
        ("return torch.cat(t, t)", ONE_LIST),
        ("return np.column_stack(Q, K.T)", ONE_LIST_AND_NO_AXIS),
        ("return torch.hstack(t, t)", ONE_LIST_AND_NO_AXIS),
        ("return np.stack(Q, K, Q, K)", ONE_LIST),
        ("if d_k: return np.stack(Q[0], Q.T, K[1], K[2])", ONE_LIST),
        ("return np.hstack([Q], Q)", ONE_LIST_AND_NO_AXIS),
        ("return np.vstack((Q, Q), K)", ONE_LIST_AND_NO_AXIS),
        ("return Q[0][:, ~(Q > 0)]", "more indices than the array has axes"),
        ("return t[0][:, :, 0]", "more indices than the array has axes"),
        ("return range(Q)", "`range(x.shape[0])`"),
        ("return range(Q.shape)", "`range(x.shape[0])`"),
        ("return np.zeros(2, 3)", "`np.zeros((n, d))`"),
        ("return Q.shape[2]", "reads the last two sizes"),
        ("return items[4]", "fewer items"),
        ("return Q[5]", "only that many places"),
        ("Q[0, 3] = 1", "as large as the longest item needs"),
        ("return 'abc'.index('d')", "not among the items"),
        ("a, b, c = Q", "As many names"),
        ("return np.array([[1, 2], [3]])", "differ in shape"),
        ("return np.dot(Q, K.T, Q)", "`a @ b @ c`"),
        ("return np.ones(3) * np.ones(2)", "`a[:, None] * b`"),
        ("a = np.ones(3); return a * np.ones(2)", "`a[:, None] * b`"),
        ("return dict(a=1)['b']", "no such key"),
        ("return Q + K", "compared from the last axis on"),
        ("return Q * K", "that is `@`"),
        ("return t + torch.ones(4)", "compared from the last axis on"),
        ("return t.expand(4, 3)", "size 1 only"),
        ("Q[0] = np.ones(4)", "another shape than its place"),
        ("return Q.reshape(len(K), 4)", "hard-coded"),
        ("n = 5; return Q.reshape(n, -1)", "as many entries"),
        ("return t.view(5, -1)", "hard-coded"),
        ("n = 5; return t.view(n, -1)", "as many entries"),
        ("return np.concatenate([Q, heads[0]], axis=1)", "side by side"),
        ("return torch.cat([t, torch.ones(3, 4)])", "side by side"),
        ("return np.stack([Q, K])", "arrays of one shape"),
        ("return torch.stack([t, t.T])", "arrays of one shape"),
        ("return np.einsum('ij,kj->ik', heads, heads)", "one group of letters"),
        ("return np.einsum('ij,kj->il', Q, K)", "one group of letters"),
        ("return torch.einsum('ij,kj->ik', batch, batch)", "one group of letters"),
        ("return np.transpose(Q, 0, 1)", "one tuple"),
        ("return batch.transpose(1, 2, 0)", "`.permute`"),
        ("return batch.permute(0, 2)", "each axis once"),
        ("return torch.bmm(t, t)", "`@` takes both"),
        ("return torch.mm(batch, batch)", "`@` takes both"),
        ("return batch.repeat(2)", "repeat_interleave"),
        ("return np.squeeze(Q, axis=0)", "size 1 only"),
        ("return nn.LayerNorm(4)(t)", "last axis"),
        ("return torch.where(t.long(), t, t)", "hold booleans"),
        ("return t.masked_fill(t, -1e9)", "hold booleans"),
        ("return t.masked_fill(t.long(), -1e9)", "hold booleans"),
        ("return np.where(Q > 0, Q)", "three arguments"),
        ("return ~Q", "masks of booleans"),
        ("return ~t", "masks of booleans"),
        ("return t & t", "masks of booleans"),
        ("x = counts; x /= 2", "no decimals fit"),
        ("x = t.long(); x /= 2", "no decimals fit"),
        ("return t.long() @ t.T", "numbers of one kind"),
        ("return nn.Linear(3, 2)(t.long())", "numbers of one kind"),
        ("return nn.Linear(3, 2)(t.double())", "float32 and float64"),
        ("return nn.Embedding(4, 2)(t)", "`.long()`"),
        ("Q.flags.writeable = False; Q[0] = 1", "`x.copy()`"),
        ("return math.sqrt(-d_k)", "root of a negative number"),
        ("return math.exp(1000)", "subtract the largest score"),
        ("return d_k // (2 // 3)", "divisor is 0"),
        ("return rng.choice(2, p=[0.5, 0.6])", "by their sum"),
        ("return torch.multinomial(-t, 1)", "a negative number or NaN"),
        ("return rng.randn(2)", "`.standard_normal()`"),
        ("loss = (needs_gradient**2).sum(); loss.backward(); loss.backward()", "goes once"),
        ("(needs_gradient * 2).backward()", "a single number"),
        ("return F.cross_entropy(t, torch.tensor([0, 5]))", "a column for each symbol"),
        ("torch.optim.SGD(nn.ReLU().parameters())", "no parameters"),
        ("return np.array_split(Q, len(Q) // 7)", "`//` rounds down"),
        ("return Q[:: len(Q) // 7]", "`//` rounds down"),
        ("assert d_k == 5", "Your own `assert`"),
        ("return W_k", "Nothing has this name"),
    ],
)
def test_what_the_operation_needs_is_told(line, remedy):
    assert remedy in told(line)


@pytest.mark.parametrize("line", ["return nn.Linear(4, 2)(t)", "x = Q * 1; return (x.T @ K.T).T"])
def test_no_side_of_a_product_is_to_be_changed_inside_a_layer_or_after_computing(line):
    assert "places exchanged" not in told(line)


def test_what_arises_at_the_graders_call_is_not_told_as_the_students_line():
    error = read_error(describe_error(TypeError("'NoneType' object is not iterable")))
    assert remedy_for(error, GENERAL_ERRORS) is not None
    assert (
        "without a `return`"
        not in explain_no_value(error, FunctionCall("attention", ()), LIMITS, error).student
    )


HABIT_NAMES = {
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
    "halves": lambda array: (array, array),
    "pair": (torch.ones(2, 3), torch.ones(2, 3)),
    "block": SimpleNamespace(self=SimpleNamespace(ff=nn.Linear(2, 3))),
}


def raised_at(line, **shapes):
    """Run a student's line, and explain what it raises."""
    with pytest.raises(Exception) as raised:  # noqa: PT011
        exec(line, dict(HABIT_NAMES))
    name = type(raised.value).__name__
    error = StudentError(name, str(raised.value), "homework.py", 4, line, "File …", shapes=shapes)
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
        ("np.exp(needs_gradient.numpy())", "takes a tensor out of torch"),
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
        ("n, = np.array(x).shape", "X.shape[-2:]"),
        ("b, n, d = list(x.shape)", "X.shape[-2:]"),
        ("b, n, d = tuple(t.size())", "X.shape[-2:]"),
        ("b, n, d = (x @ x.T).shape", "X.shape[-2:]"),
        ("b, n, d = np.dot(x, x.T).shape;", "X.shape[-2:]"),
        ("n_q, d = x.shape; n_k, _ = heads.shape  # sizes", "X.shape[-2:]"),
        ("for _ in [0]: b, n, d = np.shape(x)", "X.shape[-2:]"),
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


@pytest.mark.parametrize(
    "line",
    [
        "t + (t, t)",
        "(t, t) + t",
        "functional.linear((t, t), t)",
        "pair.shape",
        "pair.mean(dim=1)",
        "pair.view(t.shape)",
        "pair.view(len(t), *t.shape[:1])",
        "halves(t).mean(dim=1)",
        "(t @ pair.T).softmax(dim=-1)",
        "t * t.shape[-1] ** 0.5 + pair",
        "t.view(t.shape) + pair",
        "t + halves(t)",
        "for _ in [0]: pair.float()",
        "functional.softmax(pair, dim=-1)",
    ],
)
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


@pytest.mark.parametrize(
    ("line", "is_shape"),
    [
        ("elif Q.ndim == 2: n, d = Q.shape", True),
        ("else: n, d = Q.shape[-2:]", True),
        ("n, d = Q.shape, K.shape", False),
        ("n, d = sizes(Q.shape)", False),
        ("n, d = Q.size", False),
        ("n, d = Q.shape[:2]", True),
        ("n, d = Q.shape[1:3]", True),
        ("n, d = Q.shape[-3:-1]", True),
        ("n, d = Q.shape[1:]", True),
        ("n, d = Q.shape[:-1]", True),
        ("*batch, n, d = Q.shape", True),
        ("first, *others = Q.shape[-2:]", True),
        ("n, d = reversed(Q.shape[::-1])", True),
        ("n, d = Q.shape[-3:]", False),
        ("n, d = Q.shape[1:2]", False),
        ("n, d = Q.shape[:3]", False),
        ("n, d, k = Q.shape[-2:]", False),
        ("n, d, *others = Q.shape[:1]", False),
        ("n, d = Q.shape[-3:-2]", False),
        ("n, d = Q.shape[:0]", False),
        ("n, d = Q.shape[-1:1]", False),
        ("n, d = Q.shape[::2]", False),
        ("n, d = Q.shape[k:]", False),
        ("n, d = list(Q.shape[:3])[1:]", False),
        ("n, d = Q.shape; a, b = K.shape[:3]", False),
        ("n, d = Q.shape" + "[:]" * 1500, True),
        ("n, d = Q" + "[:]" * 1500, False),
        ("n, d = np.stack((Q,", False),
        ("n = Q.shape", False),
        ("", False),
    ],
)
def test_a_line_that_takes_a_shape_apart_is_known(line, is_shape):
    assert unpacks_shapes(line) == is_shape


def test_the_first_entry_of_an_array_without_entries_is_no_step_too_far():
    finding = raised_at("x = np.array([])[0]")
    assert "empty" in finding.student
    assert "too far" not in finding.student


def test_a_column_that_is_indexed_as_a_list_is_named_with_its_index():
    HABIT_NAMES["query"] = HABIT_NAMES["key"] = np.ones((4, 1))
    line = "score = key.T @ query[2]"
    finding = raised_at(line, **{"key.T": (1, 4), "query": (4, 1)})
    assert "`query` is a single column" in finding.student
    finding = raised_at("score = key @ query", key=(4, 1), query=(4, 1))
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
        exec(f"{function}\n{line}", dict(HABIT_NAMES))
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
        exec(f"{function}\n{line}", dict(HABIT_NAMES))
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
