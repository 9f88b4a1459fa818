import json

import numpy as np
import pytest
from homeworks import PAIR
from wording import to_authors

from autograder.authoring.reference import build_outputs
from autograder.course.cases import Group
from autograder.course.schema import CourseError
from autograder.reasons.agreement import same_answer
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.mutation import (
    ARRAYS,
    INDEX,
    compute_singles,
    out_of_date,
    read_singles,
    write_singles,
)
from autograder.verdict.store import open_store
from autograder.worker.wire import pack

from ..mistakes import HALVES, SINGLES, add_mistake

NEW_CASE = """    yield Case("double/three", FunctionCall("double", (np.ones(3),)))
    yield Case("double/huge\""""


def bytes_of(variants):
    """Every answer of every variant, as the bytes that would cross the wall."""
    return {
        (task, variant.labels[0], case): pack(answer.value) if answer.is_usable else b"no value"
        for task, of_task in variants.items()
        for variant in of_task
        for case, answer in variant.answers.items()
    }


def state(tiny):
    files = [tiny.store.folder / name for name in (INDEX, ARRAYS)]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def rebuild(tiny, pool, *, accept=False):
    return list(build_outputs(tiny.course, tiny.homework, pool, accept=accept).mistakes)


def verify(tiny, pool):
    known = tiny.store.read()
    return out_of_date(tiny.store.folder, compute_singles(tiny.homework, known, pool), known)


def test_what_is_read_is_what_was_computed(mistaken, known, pool):
    stored = read_singles(mistaken.store.folder, known)
    computed = compute_singles(mistaken.homework, known, pool)
    assert {task: [variant.labels for variant in of_task] for task, of_task in stored.items()} == SINGLES
    assert stored.keys() == computed.keys()
    tolerances = {known_case.case.id: known_case.tolerance for known_case in known}
    for task, of_task in computed.items():
        for new, old in zip(of_task, stored[task], strict=True):
            assert new.answers.keys() == old.answers.keys()
            for case, answer in new.answers.items():
                assert same_answer(answer, old.answers[case], tolerances[case]), (new.labels, case)


def test_only_what_shows_is_stored(mistaken):
    index = json.loads((mistaken.store.folder / INDEX).read_text("utf-8"))
    shows = {entry["id"]: list(entry["shows"]) for entry in index["tasks"]["double"]}
    assert "hidden/double/huge" in shows["triples"]
    assert "hidden/double/huge" not in shows["adds-one"]
    assert "hidden/double/wide" in shows["adds-one"]


def test_writing_what_was_read_gives_the_same_bytes(mistaken, known, tmp_path):
    write_singles(tmp_path, read_singles(mistaken.store.folder, known), known)
    for name in (INDEX, ARRAYS):
        assert (tmp_path / name).read_bytes() == (mistaken.store.folder / name).read_bytes()


def test_a_mistake_that_raises_is_read_back_as_raising(own_course, pool):
    own_course.edit(CATALOGUE, "return 2 * x[:1]", "return 2 * x[:1] / (1 // (len(x) != 5))")
    rebuild(own_course, pool, accept=True)
    known = own_course.store.read()
    first_only = read_singles(own_course.store.folder, known)["double"][3]
    raised = {case for case, answer in first_only.answers.items() if not answer.is_usable}
    assert raised == {"hidden/double/wide"}
    assert first_only.answers["hidden/double/wide"].error.type == "ZeroDivisionError"


def test_the_fresh_cases_of_a_batch_are_not_in_the_store(mistaken, known):
    groups = {known_case.case.group for known_case in known}
    assert Group.FRESH not in groups
    for of_task in read_singles(mistaken.store.folder, known).values():
        assert all("fresh/" not in case for variant in of_task for case in variant.answers)


# What is stored must be what was written


def flipped(data):
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    "damage", [flipped, lambda data: data[:-8], lambda data: data + b"\0", lambda data: b""]
)
def test_a_tampered_array_file_is_refused(own_course, damage):
    path = own_course.store.folder / ARRAYS
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CourseError, check=to_authors["stored_mutants.delete-and-run-make"]):
        read_singles(own_course.store.folder, own_course.store.read())


def test_a_missing_array_file_is_refused_with_the_remedy(own_course):
    (own_course.store.folder / ARRAYS).unlink()
    with pytest.raises(CourseError, check=to_authors["stored_mutants.missing-make-reference"]):
        read_singles(own_course.store.folder, own_course.store.read())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"sha256": 3, "tasks": {}}', '{"sha256": "", "tasks": []}', "\xff"]
)
def test_an_index_that_is_none_is_refused_with_the_remedy(own_course, text):
    (own_course.store.folder / INDEX).write_bytes(text.encode("latin-1"))
    with pytest.raises(CourseError, match=r"misconceptions\.(json|safetensors).*autograder reference build"):
        read_singles(own_course.store.folder, own_course.store.read())


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"sha256"', '"sha1"', "sha1 is unknown; the known keys are sha256, tasks"),
        ('"id": "triples"', '"id": 3', "tasks: expected for each task a list of mutants"),
        ('"id": "triples"', '"name": "triples"', "tasks: expected for each task a list of mutants"),
        ('"shows"', '"hides"', "tasks: expected for each task a list of mutants"),
    ],
)
def test_an_index_that_was_edited_is_refused_with_the_key(own_course, old, new, key):
    path = own_course.store.folder / INDEX
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(CourseError, match=f"{INDEX}: {key}.*autograder reference build"):
        read_singles(own_course.store.folder, own_course.store.read())


def test_an_index_that_names_other_arrays_is_refused(own_course):
    path = own_course.store.folder / INDEX
    path.write_text(path.read_text("utf-8").replace('"array": "double/triples', '"array": "double/trebles'))
    with pytest.raises(CourseError, check=to_authors["stored_mutants.malformed"]):
        read_singles(own_course.store.folder, own_course.store.read())


def test_the_remedy_repairs_what_was_tampered_with(own_course, pool):
    before = bytes_of(read_singles(own_course.store.folder, own_course.store.read()))
    (own_course.store.folder / ARRAYS).write_bytes(b"")
    with pytest.raises(CourseError, check=to_authors["stored_mutants.delete-and-run-make"]):
        rebuild(own_course, pool)
    (own_course.store.folder / INDEX).unlink()
    assert rebuild(own_course, pool) == []
    assert bytes_of(read_singles(own_course.store.folder, own_course.store.read())) == before


def test_nothing_stored_is_no_variants(tiny, tmp_path):
    assert read_singles(tmp_path, []) == {}


# Building again


def test_building_again_leaves_the_files_untouched(own_course, pool):
    before = state(own_course)
    assert rebuild(own_course, pool) == rebuild(own_course, pool, accept=True) == []
    assert state(own_course) == before


def test_noise_within_tolerance_leaves_the_files_untouched(own_course, pool):
    before = state(own_course)
    own_course.edit(CATALOGUE, "return 3", "return (3 + 1e-9)")
    assert rebuild(own_course, pool, accept=True) == []
    assert state(own_course) == before


def test_nothing_is_written_over_another_output_until_it_is_accepted(own_course, pool):
    before = state(own_course)
    own_course.edit(CATALOGUE, "return 3", "return 4")
    changed = rebuild(own_course, pool)
    assert "double with triples: published/double/printed differs, and so do 3 more cases" in changed
    assert all("with triples" in line for line in changed)
    assert state(own_course) == before
    assert rebuild(own_course, pool, accept=True) == changed
    assert rebuild(own_course, pool) == []


def test_a_new_mistake_is_written_without_being_accepted(own_course, pool):
    add_mistake(own_course, "halves", HALVES)
    assert rebuild(own_course, pool) == []
    labels = [
        variant.labels for variant in read_singles(own_course.store.folder, own_course.store.read())["double"]
    ]
    assert ("halves",) in labels


def test_a_mistake_that_is_gone_is_taken_out(own_course, pool):
    path = own_course.folder / CATALOGUE
    path.write_text(path.read_text("utf-8").partition("[sum-for-product]")[0], encoding="utf-8")
    assert rebuild(own_course, pool) == []
    labels = [
        variant.labels for variant in read_singles(own_course.store.folder, own_course.store.read())["totals"]
    ]
    assert labels == [("adds-one",), ("mean-for-sum",)]


def test_a_new_case_is_stored_without_being_accepted(own_course, pool):
    own_course.edit("cases.py", '    yield Case("double/huge"', NEW_CASE)
    assert rebuild(own_course, pool) == []
    triples = read_singles(own_course.store.folder, own_course.store.read())["double"][0]
    np.testing.assert_array_equal(triples.answers["hidden/double/three"].value, 3 * np.ones(3))


# Verifying


def test_what_was_built_is_verified(mistaken, pool):
    assert verify(mistaken, pool) == []


def test_an_output_that_is_no_longer_what_is_stored_is_told(own_course, pool):
    own_course.edit(CATALOGUE, "return 3", "return 4")
    lines = verify(own_course, pool)
    assert "double with triples: published/double/printed differs, and so do 3 more cases" in lines


def test_mistakes_that_are_not_stored_yet_are_told_with_the_remedy(own_course, pool):
    add_mistake(own_course, "halves", HALVES)
    lines = verify(own_course, pool)
    assert len(lines) == 1
    assert "misconceptions.json" in lines[0]
    assert lines[0] == to_authors["stored_mutants.make-reference"]


def test_a_case_that_is_not_stored_yet_is_told(own_course, pool):
    before = {name: (own_course.store.folder / name).read_bytes() for name in (INDEX, ARRAYS)}
    own_course.edit("cases.py", '    yield Case("double/huge"', NEW_CASE)
    rebuild(own_course, pool)
    for name, data in before.items():
        (own_course.store.folder / name).write_bytes(data)
    assert verify(own_course, pool)


# The course's own


def test_reading_twice_gives_equal_answers(course):
    for homework in course.homeworks(PAIR):
        store = open_store(course, homework)
        known = store.read()
        assert bytes_of(read_singles(store.folder, known)) == bytes_of(read_singles(store.folder, known))


def test_a_mistake_that_does_not_fit_is_stored_with_what_met(own_course, pool):
    own_course.edit(CATALOGUE, "return 2 * x[:1]", "return np.outer(x, x) @ np.ones((len(x) + 1, 2))")
    rebuild(own_course, pool, accept=True)
    known = own_course.store.read()
    first_only = read_singles(own_course.store.folder, known)["double"][3]
    misfit = first_only.misfits["hidden/double/wide"]
    size = misfit.sizes[0]
    assert (misfit.operation, misfit.sizes) == ("product", (size, size + 1))
    assert misfit.operands[1].argument is None
    assert verify(own_course, pool) == []
    index = own_course.store.folder / INDEX
    old = json.loads(index.read_text("utf-8"))
    for arrays in old["tasks"]["double"][3]["shows"].values():
        for key in ("operation", "sizes", "operands", "arguments"):
            arrays.pop(key, None)
    index.write_text(json.dumps(old), "utf-8")
    assert not read_singles(own_course.store.folder, known)["double"][3].misfits, "an older file is read"
    assert verify(own_course, pool) != []
