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
        (task, one.labels[0], case): pack(answer.value) if answer.is_usable else b"no value"
        for task, of_task in variants.items()
        for one in of_task
        for case, answer in one.answers.items()
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
    assert {task: [one.labels for one in of_task] for task, of_task in stored.items()} == SINGLES
    assert stored.keys() == computed.keys()
    tolerances = {one.case.id: one.tolerance for one in known}
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


def test_a_mistake_that_raises_is_read_back_as_raising(own, pool):
    own.edit(CATALOGUE, "return 2 * x[:1]", "return 2 * x[:1] / (1 // (len(x) != 5))")
    rebuild(own, pool, accept=True)
    known = own.store.read()
    first_only = read_singles(own.store.folder, known)["double"][3]
    raised = {case for case, answer in first_only.answers.items() if not answer.is_usable}
    assert raised == {"hidden/double/wide"}
    assert first_only.answers["hidden/double/wide"].error.type == "ZeroDivisionError"


def test_the_fresh_cases_of_a_batch_are_not_in_the_store(mistaken, known):
    groups = {one.case.group for one in known}
    assert Group.FRESH not in groups
    for of_task in read_singles(mistaken.store.folder, known).values():
        assert all("fresh/" not in case for one in of_task for case in one.answers)


# What is stored must be what was written


def flipped(data):
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    "damage", [flipped, lambda data: data[:-8], lambda data: data + b"\0", lambda data: b""]
)
def test_a_tampered_array_file_is_refused(own, damage):
    path = own.store.folder / ARRAYS
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CourseError, check=to_authors["stored_mutants.delete-and-run-make"]):
        read_singles(own.store.folder, own.store.read())


def test_a_missing_array_file_is_refused_with_the_remedy(own):
    (own.store.folder / ARRAYS).unlink()
    with pytest.raises(CourseError, check=to_authors["stored_mutants.missing-make-reference"]):
        read_singles(own.store.folder, own.store.read())


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"sha256": 3, "tasks": {}}', '{"sha256": "", "tasks": []}', "\xff"]
)
def test_an_index_that_is_none_is_refused_with_the_remedy(own, text):
    (own.store.folder / INDEX).write_bytes(text.encode("latin-1"))
    with pytest.raises(CourseError, match=r"misconceptions\.(json|safetensors).*autograder reference build"):
        read_singles(own.store.folder, own.store.read())


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"sha256"', '"sha1"', "sha1 is unknown; the known keys are sha256, tasks"),
        ('"id": "triples"', '"id": 3', "tasks: expected for each task a list of mutants"),
        ('"id": "triples"', '"name": "triples"', r"tasks\.id is missing"),
        ('"shows"', '"hides"', r"tasks\.shows is missing"),
    ],
)
def test_an_index_that_was_edited_is_refused_with_the_key(own, old, new, key):
    path = own.store.folder / INDEX
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    with pytest.raises(CourseError, match=f"{INDEX}: {key}.*autograder reference build"):
        read_singles(own.store.folder, own.store.read())


def test_an_index_that_names_other_arrays_is_refused(own):
    path = own.store.folder / INDEX
    path.write_text(path.read_text("utf-8").replace('"array": "double/triples', '"array": "double/trebles'))
    with pytest.raises(CourseError, check=to_authors["stored_mutants.malformed"]):
        read_singles(own.store.folder, own.store.read())


def test_the_remedy_repairs_what_was_tampered_with(own, pool):
    before = bytes_of(read_singles(own.store.folder, own.store.read()))
    (own.store.folder / ARRAYS).write_bytes(b"")
    with pytest.raises(CourseError, check=to_authors["stored_mutants.delete-and-run-make"]):
        rebuild(own, pool)
    (own.store.folder / INDEX).unlink()
    assert rebuild(own, pool) == []
    assert bytes_of(read_singles(own.store.folder, own.store.read())) == before


def test_nothing_stored_is_no_variants(tiny, tmp_path):
    assert read_singles(tmp_path, []) == {}


# Building again


def test_building_again_leaves_the_files_untouched(own, pool):
    before = state(own)
    assert rebuild(own, pool) == rebuild(own, pool, accept=True) == []
    assert state(own) == before


def test_noise_within_tolerance_leaves_the_files_untouched(own, pool):
    before = state(own)
    own.edit(CATALOGUE, "return 3", "return (3 + 1e-9)")
    assert rebuild(own, pool, accept=True) == []
    assert state(own) == before


def test_nothing_is_written_over_another_output_until_it_is_accepted(own, pool):
    before = state(own)
    own.edit(CATALOGUE, "return 3", "return 4")
    changed = rebuild(own, pool)
    assert "double with triples: published/double/printed differs, and so do 3 more cases" in changed
    assert all("with triples" in line for line in changed)
    assert state(own) == before
    assert rebuild(own, pool, accept=True) == changed
    assert rebuild(own, pool) == []


def test_a_new_mistake_is_written_without_being_accepted(own, pool):
    add_mistake(own, "halves", HALVES)
    assert rebuild(own, pool) == []
    labels = [one.labels for one in read_singles(own.store.folder, own.store.read())["double"]]
    assert ("halves",) in labels


def test_a_mistake_that_is_gone_is_taken_out(own, pool):
    path = own.folder / CATALOGUE
    path.write_text(path.read_text("utf-8").partition("[sum-for-product]")[0], encoding="utf-8")
    assert rebuild(own, pool) == []
    labels = [one.labels for one in read_singles(own.store.folder, own.store.read())["totals"]]
    assert labels == [("adds-one",), ("mean-for-sum",)]


def test_a_new_case_is_stored_without_being_accepted(own, pool):
    own.edit("cases.py", '    yield Case("double/huge"', NEW_CASE)
    assert rebuild(own, pool) == []
    triples = read_singles(own.store.folder, own.store.read())["double"][0]
    np.testing.assert_array_equal(triples.answers["hidden/double/three"].value, 3 * np.ones(3))


# Verifying


def test_what_was_built_is_verified(mistaken, pool):
    assert verify(mistaken, pool) == []


def test_an_output_that_is_no_longer_what_is_stored_is_told(own, pool):
    own.edit(CATALOGUE, "return 3", "return 4")
    lines = verify(own, pool)
    assert "double with triples: published/double/printed differs, and so do 3 more cases" in lines


def test_mistakes_that_are_not_stored_yet_are_told_with_the_remedy(own, pool):
    add_mistake(own, "halves", HALVES)
    lines = verify(own, pool)
    assert len(lines) == 1
    assert "misconceptions.json" in lines[0]
    assert lines[0] == to_authors["stored_mutants.make-reference"]


def test_a_case_that_is_not_stored_yet_is_told(own, pool):
    before = {name: (own.store.folder / name).read_bytes() for name in (INDEX, ARRAYS)}
    own.edit("cases.py", '    yield Case("double/huge"', NEW_CASE)
    rebuild(own, pool)
    for name, data in before.items():
        (own.store.folder / name).write_bytes(data)
    assert verify(own, pool)


# The course's own


def test_reading_twice_gives_equal_answers(course):
    for homework in course.homeworks(PAIR):
        store = open_store(course, homework)
        known = store.read()
        assert bytes_of(read_singles(store.folder, known)) == bytes_of(read_singles(store.folder, known))


def test_a_mistake_that_does_not_fit_is_stored_with_what_met(own, pool):
    own.edit(CATALOGUE, "return 2 * x[:1]", "return np.outer(x, x) @ np.ones((len(x) + 1, 2))")
    rebuild(own, pool, accept=True)
    known = own.store.read()
    first_only = read_singles(own.store.folder, known)["double"][3]
    misfit = first_only.misfits["hidden/double/wide"]
    size = misfit.sizes[0]
    assert (misfit.operation, misfit.sizes) == ("product", (size, size + 1))
    assert misfit.operands[1].argument is None
    assert verify(own, pool) == []
    index = own.store.folder / INDEX
    old = json.loads(index.read_text("utf-8"))
    for shown in old["tasks"]["double"][3]["shows"].values():
        for key in ("operation", "sizes", "operands", "arguments"):
            shown.pop(key, None)
    index.write_text(json.dumps(old), "utf-8")
    assert not read_singles(own.store.folder, known)["double"][3].misfits, "an older file is read"
    assert verify(own, pool) != []
