import hashlib
import json

import numpy as np
import pytest
from homeworks import SIX
from wording import to_authors

from autograder.authoring.reference import shapes_of, write_store
from autograder.course.cases import STORED_SEED, Case, FunctionCall, Group, ModuleCall, tensor
from autograder.course.schema import CourseError
from autograder.verdict.known import KnownCase
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor, pack

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
