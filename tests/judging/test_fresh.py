import json

import pytest
from homeworks import SIX
from wording import to_authors

from autograder.authoring import tolerances as fresh_module
from autograder.authoring.reference import build_outputs, verify_outputs
from autograder.course.cases import fresh_cases
from autograder.course.schema import CourseError
from autograder.verdict.known import FreshTolerance, kind_of_case
from autograder.verdict.reference import know_fresh
from autograder.verdict.store import open_store

KIND = "double: values"


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(fresh_module, "DRAWS", 5)


@pytest.fixture
def built(tiny, pool):
    assert build_outputs(tiny.course, tiny.homework, pool).written
    return tiny


def test_each_task_and_topic_of_fresh_cases_has_a_tolerance(built):
    tolerances = built.store.fresh_tolerances()
    assert tolerances.keys() == {KIND, "totals: values"}
    assert {tolerance.tolerance for tolerance in tolerances.values()} == {1e-5}
    assert all(1e-8 < tolerance.noise < 1e-6 for tolerance in tolerances.values())


def test_fresh_cases_are_allowed_what_their_kind_is(built, pool):
    kinds = {KIND: FreshTolerance(1e-6, 3e-3), "totals: values": FreshTolerance(1e-6, 1e-5)}
    known = know_fresh(built.homework, fresh_cases(built.homework, 3), kinds, pool)
    assert {kind_of_case(known_case.case): known_case.tolerance for known_case in known} == {
        KIND: 3e-3,
        "totals: values": 1e-5,
    }


def test_a_fresh_case_that_asks_for_a_tolerance_has_it(built, pool):
    built.edit(
        "cases.py",
        '(rng.normal(size=n),)))\n    yield Case(f"totals',
        '(rng.normal(size=n),)), tolerance=0.25)\n    yield Case(f"totals',
    )
    known = know_fresh(built.homework, fresh_cases(built.homework, 3), built.store.fresh_tolerances(), pool)
    assert [known_case.tolerance for known_case in known if known_case.case.task == "double"] == [0.25]


def test_noise_that_only_some_draws_show_counts_for_all(tiny, pool):
    tiny.edit(
        "doubles.py", "return factor * x", "return factor * x if x[0] < 0.5 else factor * (x + 5000) - 10000"
    )
    build_outputs(tiny.course, tiny.homework, pool)
    assert tiny.store.fresh_tolerances()[KIND].tolerance >= 1e-3


def test_a_kind_that_was_never_measured_is_refused_with_the_remedy(built, pool):
    with pytest.raises(CourseError, check=to_authors["fresh.hwx-has-no-tolerance-double"]):
        know_fresh(built.homework, fresh_cases(built.homework, 3), {}, pool)


def test_a_store_without_fresh_tolerances_is_refused(built):
    path = built.store.folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["fresh"]
    path.write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(CourseError, check=to_authors["fresh.fresh-is-missing"]):
        built.store.fresh_tolerances()


def test_a_tolerance_of_fresh_cases_changed_by_hand_is_found(built, pool):
    path = built.store.folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["fresh"][KIND]["tolerance"] = 0.5
    path.write_text(json.dumps(manifest), "utf-8")
    assert verify_outputs(built.course, built.homework, pool) == [
        "manifest.json holds other tolerances of fresh cases than the evidence asks for; "
        "run `autograder reference build`"
    ]


def test_every_kind_of_fresh_case_of_the_course_is_measured(course):
    for homework in course.homeworks(SIX):
        kinds = {kind_of_case(case) for case in fresh_cases(homework, 1)}
        assert kinds == open_store(course, homework).fresh_tolerances().keys()
