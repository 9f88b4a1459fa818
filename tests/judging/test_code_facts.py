"""What stands in a student's code is read as it is written there."""

import textwrap

import pytest

from autograder.reasons.code_facts import facts_of
from autograder.reasons.student_code import StudentCode
from autograder.sandbox.request import Code


def facts(body, parameters="X, W"):
    text = f"def f({parameters}):\n{textwrap.indent(body, '    ')}\n"
    return facts_of(StudentCode(Code("f.py", {"f.py": text})).used_by("f"))


@pytest.mark.parametrize(
    ("body", "axes", "sizes"),
    [
        ("return X.sum(axis=1) @ W[:3]", ["axis=1"], ["W[:3]"]),
        ("return X.sum(axis=-1)[:, None] @ W[1:]", [], []),
        ("return np.transpose(X, (0, 2, 1)).reshape(4, -1)", ["np.transpose(X, (0, 2, 1))"], None),
        ("return X.swapaxes(-1, -2) / X.shape[-1]", [], []),
        ("return X.reshape(X.shape[0], -1)", ["X.shape[0]"], []),
        ("return [X[i] for i in range(3)]", [], ["range(3)"]),
        ("return np.zeros((5, len(X)))", [], ["np.zeros((5, len(X)))"]),
    ],
)
def test_axes_and_sizes_that_are_written_as_numbers_are_quoted(body, axes, sizes):
    found = facts(body)
    assert found.axes == axes
    if sizes is not None:
        assert found.sizes == sizes


def test_a_loop_a_mask_a_slice_and_a_first_index_are_told_apart():
    plain = facts("return X.shape[0] * X @ W")
    assert not plain.has_loop
    assert not plain.has_mask
    assert not plain.has_slice
    assert not plain.has_first_index
    assert facts("return [row for row in X]").has_loop
    assert facts("while X:\n    X = W").has_loop
    assert facts("return np.where(X, 0, W)").has_mask
    assert facts("return X", parameters="X, mask").has_mask
    assert facts("return X[1:]").has_slice
    assert not facts("return X[:, None]").has_slice
    assert facts("return layer(X)[0][0]").has_first_index


def test_what_cuts_gradients_off_is_named_as_it_stands_there():
    body = "with torch.no_grad():\n    return float(X) + nn.Parameter(W).detach() + X.data"
    assert sorted(facts(body).cuts) == sorted(
        [".data", ".detach()", "float(…)", "nn.Parameter(…)", "torch.no_grad()"]
    )
    assert facts("return X @ W").cuts == []


def test_a_global_statement_is_noted():
    assert facts("global ROOT\nROOT = ROOT or X\nreturn ROOT").has_global
    assert not facts("return ROOT").has_global
