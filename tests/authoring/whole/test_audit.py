"""Slow tests of the same subject as ``test_audit``, for CI and `make test WHOLE=1`.

That the homeworks of the kit keep all promises is said by the audit itself, in `make check`.
"""

import shutil
from collections import Counter

import pytest
from tiny import CHECKS_FILE, forget_fingerprints

from autograder.authoring.audit import Kind, audit_course
from autograder.course.homework import CourseError
from autograder.errors import KitError
from autograder.verdict.store import open_store


def test_sandboxes_and_threads_of_its_own_make_no_difference(audited):
    tiny = audited.tiny
    assert audit_course(tiny.course, [tiny.homework], 2, audited.heard.append) == audited.audit()


@pytest.fixture
def two_homeworks(audited):
    """The homework, and another one with the same files."""
    course = audited.tiny.course
    other = course.solutions / "hwy"
    shutil.copytree(audited.tiny.folder, other)
    (other / CHECKS_FILE).rename(other / "test_hwy.py")
    (other / "doubles.py").rename(other / "more_doubles.py")
    metadata = other / "homework.toml"
    metadata.write_text(
        metadata.read_text("utf-8").replace("doubles.py", "more_doubles.py"), encoding="utf-8"
    )
    first = audited.tiny.homework
    shutil.copytree(open_store(course, first).folder, course.reference_outputs / "hwy")
    second = course.homework("hwy")
    forget_fingerprints(open_store(course, second))
    return course, (second, first)


def test_processes_of_several_homeworks_make_no_difference(two_homeworks):
    """Odd answers are not compared: other processes try all of them, this one a single one."""
    audits = {}
    compared = {}
    for jobs in (1, 2):
        told = []
        audits[jobs] = audit_course(*two_homeworks, jobs, told.append, every_form=4)
        assert Counter(told) == Counter(audits[jobs].trials)
        compared[jobs] = [trial for trial in audits[jobs].trials if trial.kind is not Kind.ODD]
    assert compared[1] == compared[2]
    assert {trial.homework for trial in compared[2]} == {"hwx", "hwy"}
    assert audits[1].margins == audits[2].margins
    assert audits[1].violations == audits[2].violations == ()


def test_a_homework_with_an_error_ends_the_audit_of_all(two_homeworks):
    _, (other, _) = two_homeworks
    (other.folder / "cases.py").write_text("nothing = here\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"cases\.py"):
        audit_course(*two_homeworks, 2, [].append)


def test_a_process_that_the_system_ends_is_told_with_a_remedy(two_homeworks):
    _, (other, _) = two_homeworks
    cases = other.folder / "cases.py"
    cases.write_text(f"import os\nos.kill(os.getpid(), 9)\n{cases.read_text('utf-8')}", encoding="utf-8")
    with pytest.raises(KitError, match="fewer --jobs"):
        audit_course(*two_homeworks, 2, [].append)


def test_an_error_in_showing_a_trial_ends_the_audit(two_homeworks):
    told = []

    def tell(trial):
        told.append(trial)
        raise OSError("the terminal is gone")

    with pytest.raises(OSError, match="the terminal is gone"):
        audit_course(*two_homeworks, 2, tell)
    assert len(told) == 1
