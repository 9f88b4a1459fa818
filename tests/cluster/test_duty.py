"""What every worker gets, and which workers may not grade."""

import pickle
from dataclasses import replace

import pytest
from tiny import HOMEWORK
from wording import to_staff

from autograder.batch.session import Plan
from autograder.cluster import driver
from autograder.cluster.driver import duty_of, shortcoming
from autograder.gradebook.fingerprint import fingerprint_graders
from autograder.sandbox.levels import FULL, NO_NAMESPACES, PROCESS_ONLY


@pytest.fixture
def plan(tiny):
    return Plan(tiny.course, 3, (HOMEWORK,))


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(driver, "strongest_level", lambda: NO_NAMESPACES)


def shortcoming_there(duty, folder):
    """Say what a worker says that got the duty."""
    arrived = pickle.loads(pickle.dumps(duty))
    return shortcoming(arrived, arrived.plan(folder))


def test_a_course_arrives_as_it_was_sent(tiny, tmp_path):
    arrived = duty_of("batch", Plan(tiny.course, 3, (HOMEWORK,)), None).plan(tmp_path / "there").course
    assert arrived.homework(HOMEWORK).tasks == tiny.homework.tasks
    assert fingerprint_graders(arrived, 3, []) == fingerprint_graders(tiny.course, 3, [])


@pytest.mark.usefixtures("here")
def test_an_equal_worker_may_grade(plan, tmp_path):
    duty = duty_of("batch", plan, NO_NAMESPACES)
    assert shortcoming_there(duty, tmp_path / "there") == ""
    assert duty.plan(tmp_path / "again").seed == 3


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("level", "fit"), [(FULL, False), (NO_NAMESPACES, True), (PROCESS_ONLY, True)])
def test_a_worker_must_protect_as_well_as_the_driver(plan, tmp_path, level, fit):
    shortcoming_told = shortcoming_there(duty_of("batch", plan, level), tmp_path / "there")
    assert (shortcoming_told == "") is fit
    assert fit or shortcoming_told == to_staff["duty.level-no-namespaces"]


@pytest.mark.usefixtures("here")
def test_without_a_level_any_worker_may_grade(plan, tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "strongest_level", lambda: PROCESS_ONLY)
    assert shortcoming_there(duty_of("batch", plan, None), tmp_path / "there") == ""


@pytest.mark.usefixtures("here")
def test_other_versions_are_told_with_both(plan, tmp_path):
    duty = replace(duty_of("batch", plan, None), versions="kit 0.0.1, Python 3.9")
    shortcoming_told = shortcoming_there(duty, tmp_path / "there")
    assert shortcoming_told == to_staff["duty.driver-has-kit-python"]


@pytest.mark.usefixtures("here")
def test_other_graders_of_the_same_version_are_told(plan, tmp_path):
    duty = replace(duty_of("batch", plan, None), graders="0" * 64)
    assert shortcoming_there(duty, tmp_path / "there") == to_staff["duty.graders-are-not-the-drivers"]
