"""Reference outputs: building them, and verifying that they are still true."""

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tiny import write_tiny
from wording import to_authors

from autograder.authoring.reference import BuildReport, build_outputs, verify_outputs
from autograder.course.schema import CourseError


def build(tiny, pool, *, accept=False):
    return build_outputs(tiny.course, tiny.homework, pool, accept=accept)


def state(tiny):
    """Every stored file with its bytes and the time it was written."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in tiny.store.folder.iterdir()}


def bytes_by_name(tiny):
    return {name: data for name, (data, _) in state(tiny).items()}


def values(tiny):
    return {known_case.case.id: known_case.expected for known_case in tiny.store.read()}


@pytest.fixture
def built(tiny, pool):
    """The tiny course with its reference outputs stored."""
    assert build(tiny, pool).written
    return tiny


def test_a_first_build_stores_every_case_with_its_answer(tiny, pool):
    report = build(tiny, pool)
    assert report == BuildReport("hwx", False, (), (), written=True)
    assert not report.refused
    stored = values(tiny)
    assert len(stored) == 7
    np.testing.assert_array_equal(stored["published/double/printed"], [1.0, 2.5, 8.0])
    assert [float(part) for part in stored["published/totals/printed"]] == [5.75, 2.5]


def test_building_again_leaves_every_file_as_it_was(built, pool):
    before = state(built)
    report = build(built, pool, accept=True)
    assert (report.written, report.refused) == (False, False)
    assert state(built) == before


def test_building_elsewhere_gives_the_same_bytes(built, pool, tmp_path):
    other = write_tiny(tmp_path / "elsewhere")
    build(other, pool)
    assert bytes_by_name(other) == bytes_by_name(built)


def test_a_moved_value_is_refused_with_how_far_it_moved(built, pool):
    before = state(built)
    built.edit("doubles.py", "factor = 2\n", "factor = 2.001\n")
    report = build(built, pool)
    assert report.refused
    assert not report.written
    assert to_authors["build.published-double-printed-2"].among(report.changed)
    assert all("/double/" in line for line in report.changed)
    assert state(built) == before


def test_a_moved_value_is_written_when_accepted(built, pool):
    built.edit("doubles.py", "factor = 2\n", "factor = 2.01\n")
    built.edit("oracle.py", "number + number", "2.01 * number")
    report = build(built, pool, accept=True)
    assert report.written
    assert not report.refused
    assert report.changed
    np.testing.assert_array_equal(values(built)["published/double/printed"], 2.01 * np.array([0.5, 1.25, 4]))
    assert not build(built, pool).changed


def test_a_move_in_a_later_part_of_a_tuple_is_measured_there(built, pool):
    built.edit("doubles.py", "np.prod(x)", "np.prod(x) + 0.125")
    changed = build(built, pool).changed
    assert to_authors["build.published-totals-printed"].among(changed)


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("factor * x[:1]", "in shape"),
        ("(factor * x, x)", "in shape"),
        ("factor * x - 1e9 * (x == x[0])", "by 1.25e+08, allowed is 1e-05"),
    ],
)
def test_every_kind_of_change_is_told(built, pool, code, how):
    (built.folder / "published.toml").unlink()
    built.edit("doubles.py", "factor * x", code)
    assert f"published/double/printed: the value differs {how}" in build(built, pool).changed


def test_noise_within_tolerance_leaves_the_stored_numbers_as_they_are(built, pool):
    before, manifest = bytes_by_name(built), built.store.manifest()
    built.edit("doubles.py", "factor = 2\n", "factor = 2 + 1e-9\n")
    report = build(built, pool, accept=True)
    assert report == BuildReport("hwx", True, (), (), written=True)
    assert {name for name, data in bytes_by_name(built).items() if data != before[name]} == {"manifest.json"}
    after = built.store.manifest()
    assert {name for name in after.made_from if after.made_from[name] != manifest.made_from[name]} == {
        "doubles.py"
    }
    assert after.cases == manifest.cases


def test_a_case_that_is_drawn_anew_is_told_from_one_that_has_another_value(built, pool):
    built.edit("cases.py", '_sized(rng, "wide", 5)', '_sized(rng, "wide", 6)')
    changed = build(built, pool).changed
    assert to_authors["build.other-arguments"].among(changed)


def test_a_new_case_is_added_without_touching_the_old_numbers(built, pool):
    before = values(built)
    built.edit("doubles.py", "factor = 2\n", "factor = 2 + 1e-9\n")
    built.edit(
        "cases.py",
        'yield Case("double/huge"',
        'yield Case("double/one", FunctionCall("double", (np.ones(1),)))\n    yield Case("double/huge"',
    )
    report = build(built, pool)
    assert (report.written, report.changed) == (True, ())
    after = values(built)
    assert set(after) - set(before) == {"hidden/double/one"}
    assert after["hidden/double/one"] == [2 + 1e-9]
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value)


def test_a_case_that_is_gone_leaves_the_store(built, pool):
    built.edit(
        "cases.py",
        'yield Case("double/huge", FunctionCall("double", (rng.normal(size=3) * 1e6,)), "large", 1e-3)',
        "",
    )
    assert build(built, pool).written
    assert "hidden/double/huge" not in values(built)


def test_a_new_tolerance_or_topic_is_stored(built, pool):
    built.edit("cases.py", '"large", 1e-3', '"far", 1e-2')
    assert build(built, pool).written
    huge = next(known_case for known_case in built.store.read() if known_case.case.name == "double/huge")
    assert (huge.case.topic, huge.tolerance) == ("far", 1e-2)


def test_a_tolerance_that_honest_answers_exceed_is_refused(built, pool):
    before = state(built)
    built.edit("cases.py", '"large", 1e-3', '"large", 1e-9')
    report = build(built, pool, accept=True)
    assert (report.refused, report.written) == (True, False)
    [line] = report.unsound
    assert line.startswith("hidden/double/huge: cases.py asks for a tolerance of 1e-09, but honest answers")
    assert state(built) == before


@pytest.mark.parametrize("accept", [False, True])
def test_a_contradiction_with_the_published_values_is_never_written(built, pool, accept):
    before = state(built)
    built.edit("doubles.py", "factor = 2\n", "factor = 3\n")
    report = build(built, pool, accept=accept)
    assert (report.refused, report.written) == (True, False)
    assert report.wrong == (to_authors["build.published-double-printed"],)
    assert state(built) == before


def test_a_first_build_that_contradicts_the_published_values_writes_nothing(tiny, pool):
    tiny.edit("doubles.py", "factor = 2\n", "factor = 3\n")
    assert build(tiny, pool, accept=True).refused
    assert not tiny.store.folder.exists()


def test_published_values_are_written_as_text_too(built, pool):
    text = (built.store.folder / "published.txt").read_bytes().decode("utf-8")
    assert "\r" not in text
    assert to_authors["build.double-printed-shape-printed"] in text
    (built.store.folder / "published.txt").unlink()
    assert build(built, pool).written
    assert (built.store.folder / "published.txt").read_text("utf-8") == text


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("return x / 0", "NaN or infinite"),
        ("return 1j * x", "complex"),
        ("raise ValueError('no')", "ValueError: no"),
    ],
)
def test_a_reference_that_gives_no_numbers_is_refused(built, pool, code, complaint):
    before = state(built)
    built.edit("doubles.py", "return factor * x", code)
    with pytest.raises(CourseError) as caught:
        build(built, pool, accept=True)
    assert "doubles.py: case published/double/printed" in str(caught.value)
    assert complaint in str(caught.value)
    assert state(built) == before


@pytest.mark.parametrize(
    ("code", "returned"),
    [("return None", "nothing (None)"), ("return 'twice'", "str"), ("return {'doubled': x}", "dict")],
)
def test_a_reference_that_returns_no_numbers_where_numbers_are_printed_is_refused(
    built, pool, code, returned
):
    before = state(built)
    built.edit("doubles.py", "return factor * x", code)
    with pytest.raises(CourseError, match="double/printed: numbers are printed, but") as caught:
        build(built, pool, accept=True)
    assert returned in str(caught.value)
    assert state(built) == before


def test_a_reference_without_a_task_is_refused(built, pool):
    built.edit("doubles.py", "def totals", "def sums")
    with pytest.raises(CourseError, check=to_authors["build.case-published-totals"]):
        build(built, pool)


@pytest.mark.parametrize(
    ("code", "complaint"),
    [("import nummpy as np", "nummpy"), ("import numpy as np\nimport os\nos._exit(3)", "SystemExit: 3")],
)
def test_a_reference_that_does_not_load_is_refused(built, pool, code, complaint):
    built.edit("doubles.py", "import numpy as np", code)
    with pytest.raises(CourseError, match=rf"doubles\.py .*{complaint}"):
        build(built, pool)


def test_a_missing_reference_is_named(built, pool):
    (built.folder / "doubles.py").unlink()
    with pytest.raises(CourseError, check=to_authors["build.missing"]):
        build(built, pool)


@pytest.mark.parametrize("name", ["inputs.safetensors", "expected.safetensors", "manifest.json"])
def test_a_damaged_store_is_not_built_upon_and_its_remedy_works(built, pool, name):
    before = bytes_by_name(built)
    (built.store.folder / name).write_bytes(b"{}")
    with pytest.raises(CourseError, match=r"delete manifest\.json"):
        build(built, pool)
    (built.store.folder / "manifest.json").unlink()
    assert build(built, pool).written
    assert bytes_by_name(built) == before


def verify(tiny, pool):
    return verify_outputs(tiny.course, tiny.homework, pool)


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
    build(tiny, pool)
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
    build(tiny, pool)
    (tiny.folder / "oracle.py").write_text("def double(x):\n    return 2 * x.detach()\n", "utf-8")
    assert verify(tiny, pool) == [to_authors["verify.public-double-gradients"]]


def test_gradients_asked_for_since_then_are_not_stored_yet(with_gradients, pool):
    tiny = with_gradients
    tiny.edit("cases.py", "(x,), cotangent)", "(x,))")
    build(tiny, pool)
    assert verify(tiny, pool) == []
    tiny.edit("cases.py", '"double", (x,))', '"double", (x,), cotangent)')
    assert verify(tiny, pool) == [
        to_authors["verify.public-double-gradients-3"],
        to_authors["verify.public-double-gradients-2"],
    ]
