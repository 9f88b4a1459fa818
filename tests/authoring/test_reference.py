import json

import numpy as np
import pytest
from homeworks import SIX
from judging.mistakes import add_mistake, write_mistakes
from tiny import write_tiny
from wording import to_authors

from autograder.authoring import tolerances as fresh_module
from autograder.authoring.published import read_published
from autograder.authoring.reference import build_outputs, verify_outputs
from autograder.authoring.tolerances import rounded_up
from autograder.verdict.arrays import deviation
from autograder.verdict.known import SAFETY, SEPARATION
from autograder.verdict.reference import least_tolerance
from autograder.verdict.store import open_store

ALMOST = 'edits.double = [["return factor", "return 2.00003"]]'


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(fresh_module, "DRAWS", 3)


def rebuild(tiny, pool, *, accept=False):
    return build_outputs(tiny.course, tiny.homework, pool, accept=accept)


def content(tiny):
    return {path.name: path.read_bytes() for path in tiny.store.folder.iterdir()}


def tamper(tiny, case, **changes):
    """Write other evidence of a case into the manifest."""
    path = tiny.store.folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    [entry] = [entry for entry in manifest["cases"] if entry["id"] == case]
    entry["evidence"] |= changes
    path.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


@pytest.fixture
def fresh(tmp_path, pool):
    """A tiny course with mistakes, built with the few draws of these tests."""
    tiny = write_mistakes(write_tiny(tmp_path / "course"))
    assert rebuild(tiny, pool).written
    return tiny


def test_every_stored_case_names_its_nearest_mistake_and_how_far_it_is(fresh):
    evidence = {known_case.case.id: known_case.evidence for known_case in fresh.store.read()}
    wide = evidence["hidden/double/wide"]
    assert wide.nearest in {"triples", "squares", "adds-one"}
    assert all(
        evidence_of_case is not None
        and evidence_of_case.nearest
        and (evidence_of_case.margin or 99) >= SEPARATION
        for evidence_of_case in evidence.values()
    )


def test_building_twice_changes_no_byte(fresh, pool, tmp_path):
    before = content(fresh)
    report = rebuild(fresh, pool, accept=True)
    assert (report.written, report.mistakes) == (False, ())
    assert content(fresh) == before
    other = write_mistakes(write_tiny(tmp_path / "elsewhere"))
    rebuild(other, pool)
    assert content(other) == before


def test_a_mistake_that_honest_noise_could_hide_is_refused_whatever_is_accepted(fresh, pool):
    before = content(fresh)
    add_mistake(fresh, "nearly", ALMOST)
    report = rebuild(fresh, pool, accept=True)
    assert (report.refused, report.written) == (True, False)
    assert any(
        line.startswith("hidden/double/wide: a tolerance of 1e-05 is too wide: nearly is only 1.")
        for line in report.unsound
    )
    assert content(fresh) == before


def test_a_margin_that_is_about_the_same_stays_as_it_is(fresh, pool):
    evidence = {known_case.case.id: known_case.evidence for known_case in fresh.store.read()}[
        "hidden/double/wide"
    ]
    tamper(fresh, "hidden/double/wide", margin=1.05 * evidence.margin)
    assert verify_outputs(fresh.course, fresh.homework, pool) == []
    assert not rebuild(fresh, pool).written


def test_a_margin_that_is_no_longer_true_is_found_and_mended(fresh, pool):
    before = content(fresh)
    tamper(fresh, "hidden/double/wide", margin=77.0, nearest="squares")
    [line] = verify_outputs(fresh.course, fresh.homework, pool)
    assert line.startswith("hidden/double/wide: the nearest mistake is ")
    assert rebuild(fresh, pool).written
    assert content(fresh) == before


def test_noise_that_is_no_longer_true_is_found(fresh, pool):
    tamper(fresh, "hidden/double/wide", noise=1e-4)
    lines = verify_outputs(fresh.course, fresh.homework, pool)
    assert to_authors["outputs.hidden-double-wide"].among(lines)


def test_a_margin_below_ten_is_found_by_verify(fresh, pool):
    tamper(fresh, "hidden/double/wide", margin=9.0)
    lines = verify_outputs(fresh.course, fresh.homework, pool)
    assert any(
        line == to_authors["outputs.too-wide"] and line == to_authors["outputs.too-wide"] for line in lines
    )


def test_every_tolerance_of_the_course_follows_from_its_evidence(course):
    for homework in course.homeworks(SIX):
        for known_case in open_store(course, homework).read():
            assert known_case.evidence is not None, known_case.case.id
            least = max(
                least_tolerance(known_case.case.call),
                SAFETY * known_case.evidence.noise,
                known_case.evidence.printed,
            )
            assert known_case.tolerance == rounded_up(least), known_case.case.id
            assert known_case.evidence.nearest or not known_case.case.expects, known_case.case.id
            assert known_case.evidence.margin is None or known_case.evidence.margin >= SEPARATION, (
                known_case.case.id
            )


def test_an_answer_typed_in_as_printed_is_right_in_every_published_case(course):
    typed = 0
    for homework in course.homeworks(SIX):
        known = {
            known_case.case.name: known_case
            for known_case in open_store(course, homework).read()
            if known_case.case.group == "published"
        }
        for printed in read_published(homework):
            known_case = known[printed.case]
            whole = printed.whole(known_case)
            rounded = np.round(whole, printed.decimals)
            rounded[: printed.rows, : printed.columns] = printed.numbers
            typed += 1
            assert deviation(rounded, whole) <= known_case.tolerance, f"{homework.id}: {printed.case}"
    assert typed >= 20
