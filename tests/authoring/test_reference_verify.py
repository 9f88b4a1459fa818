import hashlib
import json

import pytest
from safetensors.numpy import load_file, save_file
from wording import to_authors

from autograder.authoring.reference import build_outputs, verify_outputs
from autograder.course.schema import CourseError


def verify(tiny, pool):
    return verify_outputs(tiny.course, tiny.homework, pool)


@pytest.fixture
def built(tiny, pool):
    assert build_outputs(tiny.course, tiny.homework, pool).written
    return tiny


def test_a_fresh_build_is_verified(built, pool):
    assert verify(built, pool) == []


def test_nothing_stored_is_refused(tiny, pool):
    with pytest.raises(CourseError, check=to_authors["verify.missing"]):
        verify(tiny, pool)


@pytest.mark.parametrize("name", ["inputs.safetensors", "expected.safetensors"])
def test_a_tampered_file_is_refused(built, pool, name):
    path = built.store.folder / name
    path.write_bytes(path.read_bytes()[:-1] + b"\x01")
    with pytest.raises(CourseError, check=to_authors["verify.not-the-file"].given(name=name)):
        verify(built, pool)


def test_a_missing_file_is_refused(built, pool):
    (built.store.folder / "expected.safetensors").unlink()
    with pytest.raises(CourseError, check=to_authors["verify.missing-2"]):
        verify(built, pool)


def test_a_number_changed_together_with_its_hash_is_found(built, pool):
    folder = built.store.folder
    arrays = load_file(folder / "expected.safetensors")
    [key] = [key for key in arrays if key.startswith("hidden/double/wide#")]
    arrays[key] = arrays[key] + 0.25
    save_file(arrays, folder / "expected.safetensors")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    data = (folder / "expected.safetensors").read_bytes()
    manifest["sha256"]["expected.safetensors"] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    lines = verify(built, pool)
    assert to_authors["verify.hidden-double-wide-the-value"].among(lines)
    assert to_authors["verify.hidden-double-wide"].among(lines)


def test_a_case_that_is_not_stored_is_found(built, pool):
    built.edit("cases.py", '"double/huge"', '"double/enormous"')
    lines = verify(built, pool)
    assert to_authors["verify.hidden-double-enormous"].among(lines)
    assert to_authors["verify.hidden-double-huge-stored"].among(lines)


def test_other_inputs_under_the_same_name_are_found(built, pool):
    """Even where both inputs lead to the same answer."""
    built.edit("cases.py", 'FunctionCall("double", (x,))', 'FunctionCall("double", (x.tolist(),))')
    built.edit("doubles.py", "factor * x", "factor * np.asarray(x)")
    assert verify(built, pool) == [to_authors["verify.published-double-printed-3"]]


def test_another_tolerance_is_found(built, pool):
    built.edit("cases.py", '"large", 1e-3', '"large", 1e-2')
    assert verify(built, pool) == [to_authors["verify.hidden-double-huge"]]


def test_another_topic_is_found(built, pool):
    built.edit("cases.py", '"large", 1e-3', '"far", 1e-3')
    assert verify(built, pool) == [to_authors["verify.hidden-double-huge-yields"]]


def test_a_changed_reference_is_found(built, pool):
    built.edit("doubles.py", "factor = 2\n", "factor = 2.001\n")
    assert to_authors["verify.published-double-printed-2"].among(verify(built, pool))


def test_noise_is_no_contradiction(built, pool):
    built.edit("doubles.py", "factor = 2\n", "factor = 2 + 1e-9\n")
    assert verify(built, pool) == []


def test_an_oracle_that_disagrees_is_found(built, pool):
    built.edit("oracle.py", "math.prod(x)", "math.prod(x) + 1e-3")
    assert verify(built, pool) == [to_authors["verify.oracle-disagrees"]], "one line for each task"


def test_an_oracle_whose_answer_has_another_shape_is_told_both(built, pool):
    built.edit("oracle.py", "for number in x]", "for number in x[:1]]")
    assert verify(built, pool) == [to_authors["verify.oracle-of-another-shape"]]


def test_an_oracle_without_a_task_is_refused(built, pool):
    built.edit("oracle.py", "def totals", "def sums")
    with pytest.raises(CourseError, check=to_authors["verify.case-published-totals"]):
        verify(built, pool)


def test_a_missing_oracle_is_named(built, pool):
    (built.folder / "oracle.py").unlink()
    with pytest.raises(CourseError, check=to_authors["verify.missing-3"]):
        verify(built, pool)


def test_published_values_that_disagree_are_found(built, pool):
    built.edit("published.toml", "1.0 2.5 8.0", "1.0 2.5 8.1")
    lines = verify(built, pool)
    assert lines == [to_authors["verify.published-double-printed"]]


@pytest.mark.parametrize("text", ["Published values of another time\n", None])
def test_the_readable_text_is_verified_too(built, pool, text):
    path = built.store.folder / "published.txt"
    path.unlink() if text is None else path.write_text(text, "utf-8")
    [line] = verify(built, pool)
    assert line == to_authors["verify.published-txt-is-not-what"]


GRADIENT_SOLUTION = """
import torch


def double(x):
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


def totals(x):
    return x.sum(), x.prod()
"""
GRADIENT_CASES = """
import numpy as np

from autograder.course.cases import Case, FunctionCall, tensor


def published():
    return ()


def public(rng):
    x, cotangent = tensor(rng.normal(size=3), requires_grad=True), tensor(rng.normal(size=3))
    yield Case("double/gradients", FunctionCall("double", (x,), cotangent))


def hidden(rng):
    return ()


fresh = hidden
"""


@pytest.fixture
def with_gradients(tiny):
    tiny.edit("homework.toml", 'library = "numpy"', 'library = "torch"')
    (tiny.folder / "published.toml").unlink()
    (tiny.folder / "doubles.py").write_text(GRADIENT_SOLUTION, "utf-8")
    (tiny.folder / "oracle.py").write_text("def double(x):\n    return x + x\n", "utf-8")
    (tiny.folder / "cases.py").write_text(GRADIENT_CASES, "utf-8")
    return tiny


def test_gradients_are_verified_against_store_and_oracle(with_gradients, pool):
    tiny = with_gradients
    build_outputs(tiny.course, tiny.homework, pool)
    assert verify(tiny, pool) == []
    tiny.edit("doubles.py", "2 * x", "2 * x + 0.5 * (x - x.detach())")
    assert any(
        line.startswith("public/double/gradients: the gradient of 0 differs by")
        for line in verify(tiny, pool)
    )
    (tiny.folder / "oracle.py").write_text("def double(x):\n    return 2 * x.detach() + 0 * x\n", "utf-8")
    assert to_authors["verify.public-double-gradients"] in verify(tiny, pool)


def test_an_oracle_without_gradients_is_found(with_gradients, pool):
    tiny = with_gradients
    build_outputs(tiny.course, tiny.homework, pool)
    (tiny.folder / "oracle.py").write_text("def double(x):\n    return 2 * x.detach()\n", "utf-8")
    assert verify(tiny, pool) == [to_authors["verify.public-double-gradients"]]


def test_gradients_asked_for_since_then_are_not_stored_yet(with_gradients, pool):
    tiny = with_gradients
    tiny.edit("cases.py", "(x,), cotangent)", "(x,))")
    build_outputs(tiny.course, tiny.homework, pool)
    assert verify(tiny, pool) == []
    tiny.edit("cases.py", '"double", (x,))', '"double", (x,), cotangent)')
    assert verify(tiny, pool) == [
        to_authors["verify.public-double-gradients-3"],
        to_authors["verify.public-double-gradients-2"],
    ]
