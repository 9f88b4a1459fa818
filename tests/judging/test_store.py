"""Reference outputs: what is stored and read back, and what outputs that are out of date lead to."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from homeworks import SIX
from tiny import CHECKS_FILE
from wording import to_authors

from autograder.authoring.reference import build_outputs, shapes_of, write_store
from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall, ValueRead
from autograder.course.cases import STORED_SEED, Case, Group
from autograder.course.homework import DRILL
from autograder.course.schema import CourseError
from autograder.grading import stale
from autograder.grading.suite import prepare_suite
from autograder.reasons.catalogue import CATALOGUE
from autograder.sandbox.report import Answer
from autograder.verdict.comparison import compare_case
from autograder.verdict.fixtures import Cases
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know, known_case, run_calls
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor, Unsendable, pack

from .mistakes import ADDS_ITSELF, add_mistake

FILES = ("inputs.safetensors", "expected.safetensors", "manifest.json")


def some_cases():
    rng = np.random.default_rng(1)
    x, weight = tensor(rng.normal(size=(2, 3)), requires_grad=True), tensor(rng.normal(size=(3, 3)))
    block = ModuleCall("Block", (3, True), x, {"ff.weight": weight}, training=True, cotangent=x)
    plain = FunctionCall("double", (rng.normal(size=(4, 1)), [np.arange(3), np.arange(2)], 7, "text", None))
    gradients = {"0": Tensor(rng.normal(size=3)), "1": None}
    return [
        KnownCase(Case("double/plain", plain, group=Group.PUBLIC), rng.normal(size=(4, 1)), None, 1e-5),
        KnownCase(
            Case("double/ünïcode", FunctionCall("double", ()), "large", 1e-3, Group.HIDDEN),
            (np.float64(2.5), [np.ones((2, 3)), np.zeros(0)]),
            None,
            1e-3,
        ),
        KnownCase(Case("totals/block", block, group=Group.PUBLISHED), Tensor(np.ones(3)), gradients, 1e-4),
    ]


def content(known):
    call = known.case.call
    kind = type(call).__name__
    labels = [known.case.id, known.case.topic, known.tolerance, kind]
    return pack([labels, dict(call.as_mapping()), known.expected, known.gradients])


@pytest.fixture
def written(tiny):
    write_store(tiny.store, tiny.homework, some_cases())
    return tiny


def test_what_was_written_is_read_back(written):
    assert [content(known_case) for known_case in written.store.read()] == [
        content(known_case) for known_case in some_cases()
    ]


def test_a_tensor_that_needs_gradients_still_does(written):
    call = written.store.read()[2].case.call
    assert isinstance(call, ModuleCall)
    assert call.input.requires_grad
    assert not call.parameters["ff.weight"].requires_grad


def test_equal_cases_give_equal_bytes(written):
    before = {name: (written.store.folder / name).read_bytes() for name in FILES}
    write_store(written.store, written.homework, written.store.read())
    assert {name: (written.store.folder / name).read_bytes() for name in FILES} == before


def test_the_manifest_tells_seed_versions_shapes_and_hashes(written):
    manifest = written.store.manifest()
    assert (manifest.homework, manifest.seed) == ("hwx", STORED_SEED)
    assert manifest.versions == {"numpy": np.__version__.partition("+")[0]}
    assert [case.id for case in manifest.cases] == [known_case.case.id for known_case in some_cases()]
    assert [case.shapes for case in manifest.cases] == [[4, 1], [[], [[2, 3], [0]]], [3]]
    assert [case.tolerance for case in manifest.cases] == [1e-5, 1e-3, 1e-4]
    for name in FILES[:2]:
        data = (written.store.folder / name).read_bytes()
        assert manifest.sha256[name] == hashlib.sha256(data).hexdigest()


def test_the_manifest_of_a_torch_homework_names_torch_too(course, tiny):
    tiny.edit("homework.toml", 'library = "numpy"', 'library = "torch"')
    write_store(tiny.store, tiny.homework, [])
    assert set(tiny.store.manifest().versions) == {"numpy", "torch"}


def test_the_manifest_is_text_for_people(written):
    text = (written.store.folder / "manifest.json").read_bytes().decode("utf-8")
    assert "double/ünïcode" in text
    assert text.endswith("}\n")
    assert "\r" not in text


def test_the_files_hold_no_pickle(written):
    for name in FILES[:2]:
        data = (written.store.folder / name).read_bytes()
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        assert {entry["dtype"] for key, entry in header.items() if key != "__metadata__"} <= {
            "F32",
            "F64",
            "I64",
        }


def test_nothing_built_yet_is_told_apart(tiny):
    assert not tiny.store.exists()
    with pytest.raises(CourseError, check=to_authors["store.missing-run-make-reference"]):
        tiny.store.read()


@pytest.mark.parametrize("name", FILES[:2])
def test_a_missing_file_is_named(written, name):
    (written.store.folder / name).unlink()
    with pytest.raises(CourseError, check=to_authors["store.missing-take-it-back"].given(name=name)):
        written.store.read()


@pytest.mark.parametrize("name", FILES[:2])
def test_one_changed_byte_is_noticed(written, name):
    path = written.store.folder / name
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(CourseError, check=to_authors["store.not-the-file-that-describes"].given(name=name)):
        written.store.read()


def test_a_file_that_is_no_safetensors_is_refused(written):
    path = written.store.folder / "inputs.safetensors"
    path.write_bytes(b"nonsense")
    manifest = json.loads((written.store.folder / "manifest.json").read_text("utf-8"))
    manifest["sha256"][path.name] = hashlib.sha256(b"nonsense").hexdigest()
    (written.store.folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(CourseError, check=to_authors["store.not-a-safetensors-file"]):
        written.store.read()


@pytest.mark.parametrize(
    "damage",
    [
        lambda manifest: manifest.pop("cases"),
        lambda manifest: manifest["cases"][0].pop("call"),
        lambda manifest: manifest["cases"][0].update(group="secret"),
        lambda manifest: manifest["cases"][0]["call"]["dict"].update(op="system"),
        lambda manifest: manifest["cases"][0].update(expected={"array": "elsewhere#0"}),
        lambda manifest: manifest.update(sha256=[]),
    ],
)
def test_a_malformed_manifest_is_refused(written, damage):
    manifest = json.loads((written.store.folder / "manifest.json").read_text("utf-8"))
    damage(manifest)
    (written.store.folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(CourseError, check=to_authors["store.take-it-back"]):
        written.store.read()


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe"])
def test_a_manifest_that_is_no_json_is_refused(written, data):
    (written.store.folder / "manifest.json").write_bytes(data)
    with pytest.raises(CourseError, check=to_authors["store.take-it-back-2"]):
        written.store.read()


def test_shapes_follow_the_nesting_of_a_result():
    assert shapes_of(np.ones((2, 3))) == [2, 3]
    assert shapes_of((np.ones(1), [Tensor(np.ones((1, 2))), 3.5])) == [[1], [[1, 2], []]]


def test_every_real_store_reads_and_holds_what_its_manifest_says(course):
    for homework in course.homeworks(SIX):
        store = course.reference_outputs / homework.id
        manifest = json.loads((store / "manifest.json").read_text("utf-8"))
        known = {known_case.case.id: known_case for known_case in _read(course, homework.id)}
        assert {entry["id"]: entry["shapes"] for entry in manifest["cases"]} == {
            name: shapes_of(known_case.expected) for name, known_case in known.items()
        }
        tasks = {known_case.case.task for known_case in known.values()}
        assert tasks == {task.name for task in homework.tasks}


def _read(course, homework_id):
    return open_store(course, course.homework(homework_id)).read()


CASE = Case("double/wide", FunctionCall("double", (np.ones(2),)))


@pytest.mark.parametrize(
    ("call", "tolerance"),
    [
        (FunctionCall("double", (np.ones(2), 3)), 1e-5),
        (FunctionCall("double", (tensor(np.ones(2)),)), 1e-4),
        (ModuleCall("Block", (), tensor(np.ones(2))), 1e-4),
    ],
)
def test_before_it_is_weighed_a_case_has_the_least_tolerance_or_its_own(tiny, call, tolerance):
    case, answer = Case("double/wide", call), Answer(value=np.ones(2))
    assert known_case(tiny.homework, case, answer).tolerance == tolerance
    assert known_case(tiny.homework, replace(case, tolerance=0.5), answer).tolerance == 0.5


def test_a_case_about_gradients_is_as_far_off_as_its_gradients():
    gradients = {"0": np.array([1.0, 4.0]), "1": None}
    known = KnownCase(CASE, np.ones(2), gradients, 1e-5)
    assert known.distance(Answer(value=np.zeros(2), gradients=gradients)) == 0
    assert known.distance(Answer(value=np.ones(2), gradients={"0": np.array([1.0, 5.0])})) == 0.25
    assert known.distance(Answer(value=np.ones(2), gradients={"0": None})) == np.inf
    assert known.distance(Answer(value=np.ones(2))) == np.inf


@pytest.mark.parametrize(
    "value",
    [
        3,
        2.5,
        np.arange(3),
        Tensor(np.ones(2)),
        (np.ones(2), 1.0),
        [np.ones((2, 1)), np.ones((2, 1))],
        [1, 2],
        np.zeros(0),
    ],
)
def test_numbers_in_any_form_can_be_expected(tiny, value):
    assert compare_case(known_case(tiny.homework, CASE, Answer(value=value)), value) is None


@pytest.mark.parametrize(
    "value",
    [
        Unsendable("a generator"),
        np.array([1.0, np.nan]),
        Tensor(np.array([np.inf])),
        np.ones(2, complex),
        (np.ones(2), [np.ones(1), np.array([np.nan])]),
    ],
)
def test_nothing_else_can_be_expected_for_every_right_answer_would_fail(tiny, value):
    with pytest.raises(CourseError, check=to_authors["known.case-hidden-double-wide"]):
        known_case(tiny.homework, CASE, Answer(value=value))


def test_the_reference_answers_each_case_with_fresh_arguments(tiny, pool):
    """A reference that changes its argument does not change the next case of the same array."""
    tiny.edit("doubles.py", "return factor * x", "x *= factor\n    return x")
    x = np.ones(2)
    cases = [Case(f"double/{n}", FunctionCall("double", (x,))) for n in range(3)]
    assert [known_case.expected.tolist() for known_case in know(tiny.homework, cases, pool)] == [
        [2.0, 2.0]
    ] * 3
    np.testing.assert_array_equal(x, [1.0, 1.0])


def contents_of(suite, group):
    return [
        pack([dict(known_case.case.call.as_mapping()), known_case.expected])
        for known_case in suite.known
        if known_case.case.group == group
    ]


def test_stored_cases_come_first_and_fresh_ones_are_answered_by_the_reference(suite):
    groups = [str(known_case.case.group) for known_case in suite.known]
    assert groups == ["published"] * 2 + ["public"] * 2 + ["hidden"] * 3 + ["fresh"] * 2
    [fresh] = Cases(suite.known).fresh("double")
    np.testing.assert_array_equal(fresh.expected, 2 * fresh.case.call.args[0])


def test_the_suite_knows_checks_and_seed(suite):
    assert [check.name for check in suite.checks] == ["double_published", "double_sizes", "totals"]
    assert (suite.seed, suite.homework.id) == (11, "hwx")


def test_fresh_cases_follow_the_seed_and_stored_ones_do_not(built, pool):
    first, again, other = (prepare_suite(built.course, built.homework, seed, pool) for seed in (1, 1, 2))
    assert contents_of(first, "fresh") == contents_of(again, "fresh") != contents_of(other, "fresh")
    assert contents_of(first, "hidden") == contents_of(other, "hidden")


def test_without_reference_outputs_nothing_is_graded(tiny, pool):
    with pytest.raises(CourseError, check=to_authors["suite.missing-run-make-reference"]):
        prepare_suite(tiny.course, tiny.homework, 0, pool)


def test_without_checks_nothing_is_graded(tiny, pool):
    build_outputs(tiny.course, tiny.homework, pool)
    (tiny.folder / CHECKS_FILE).unlink()
    with pytest.raises(CourseError, check=to_authors["suite.missing"]):
        prepare_suite(tiny.course, tiny.homework, 0, pool)


def test_every_real_homework_can_be_prepared(suite_of):
    for homework_id in ("hw1_attention_scores", "hw4_self_attention_columns", "hw5_multihead_attention"):
        suite = suite_of(homework_id)
        kinds = {(known_case.case.task, str(known_case.case.group)) for known_case in suite.known}
        assert {(task.name, "fresh") for task in suite.homework.tasks} <= kinds


X = np.array([1.0, 2.0])


def test_each_call_is_answered_errors_included(tiny, pool):
    calls = [
        FunctionCall("double", (X,)),
        FunctionCall("double", ()),
        FunctionCall("halve", (X,)),
        ValueRead("np"),
    ]
    right, wrong, missing, value = run_calls(tiny.homework, tiny.homework.solution, calls, pool)
    np.testing.assert_array_equal(right.value, 2 * X)
    assert wrong.error.type == "TypeError"
    assert missing.not_defined
    assert value.is_usable


def test_the_course_has_more_time_than_a_submission(tiny, pool):
    tiny.edit("homework.toml", "seconds = 30\n", "seconds = 0.001\n")
    [answer] = run_calls(tiny.homework, tiny.homework.solution, [FunctionCall("double", (X,))], pool)
    assert answer.is_usable


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def double(x)\n    return x\n", "SyntaxError on import.*expected ':'"),
        ("1 / 0\n", "ZeroDivisionError on import.*division by zero"),
        ("print('on the way')\nimport os\nos.abort()\n", "killed by SIGABRT"),
        ("import math\ny = math.no\ndef double(x): return x\n", "line 2 of doubles.py: AttributeError"),
    ],
)
def test_a_file_that_cannot_be_run_is_named_with_the_reason(tiny, pool, text, reason):
    (tiny.folder / "doubles.py").write_text(text, "utf-8")
    with pytest.raises(CourseError, match=rf"doubles\.py .*{reason}"):
        run_calls(tiny.homework, tiny.homework.solution, [FunctionCall("double", (X,))], pool)


def test_a_missing_reference_solution_is_named(tiny, pool):
    with pytest.raises(CourseError, check=to_authors["reference_run.missing"]):
        run_calls(tiny.homework, tiny.folder / "nowhere.py", [], pool)


NEW_CASE = """yield Case("double/one", FunctionCall("double", (np.ones(1),)))
    yield Case("double/huge\""""


@pytest.mark.parametrize(
    ("file", "old", "new", "entry"),
    [
        ("doubles.py", "np.prod(x)", "np.prod(x) + 0.125", "solution"),
        ("cases.py", 'yield Case("double/huge"', NEW_CASE, "new-case"),
        ("cases.py", '"double/huge"', '"double/enormous"', "renamed-case"),
        ("cases.py", '_sized(rng, "wide", 5)', '_sized(rng, "wide", 6)', "other-arguments"),
        ("cases.py", '"large", 1e-3', '"far", 1e-3', "other-topic"),
        (CATALOGUE, '["return factor", "return 3"]', '["return factor", "return 4"]', "mistake"),
    ],
)
def test_outputs_of_other_files_are_not_graded_with(own_course, pool, file, old, new, entry):
    own_course.edit(file, old, new)
    with pytest.raises(CourseError, check=to_authors[f"stale.{entry}"]):
        prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_a_mistake_that_is_not_stored_yet_is_told(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    with pytest.raises(CourseError, check=to_authors["stale.new-mistake"]):
        prepare_suite(own_course.course, own_course.homework, 0, pool)
    build_outputs(own_course.course, own_course.homework, pool)
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_comments_sentences_and_another_way_to_the_same_numbers_are_no_complaint(own_course, pool):
    own_course.edit("doubles.py", "factor = 2\n", "factor = 2 + 1e-9  # about two\n")
    own_course.edit("cases.py", "def published():", "def published():  # as printed")
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_a_comment_in_the_cases_of_a_homework_is_no_complaint_in_its_drill(own_course, pool):
    own_course.edit("cases.py", "def published():", "def published():  # as printed")
    prepare_suite(own_course.course, own_course.homework.as_drill(DRILL), 0, pool)


def test_nothing_is_run_again_where_no_file_has_changed(own_course, pool, monkeypatch):
    monkeypatch.delattr(stale, "stored_cases")
    prepare_suite(own_course.course, own_course.homework, 0, pool)


def test_inputs_of_another_machine_are_the_same_up_to_rounding():
    def case(array):
        return Case("double/scores", FunctionCall("double", (array, tensor(array), 3)))

    scores = np.array([[1e-3, 3.0], [-2.0, 1e3]])
    rounded = scores * (1 + 4 * np.finfo(np.float64).eps)
    assert not np.array_equal(scores, rounded)
    assert stale.same_inputs(case(scores), case(rounded))
    others = (scores + 1e-6, scores[:1], scores > 0, scores.astype(np.float32))
    for other in others:
        assert not stale.same_inputs(case(scores), case(other))
