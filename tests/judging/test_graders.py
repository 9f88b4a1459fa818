"""The grader pool: every entry once, whatever becomes of processes, and none over its budget."""

import os
import signal
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import SOLUTION
from wording import to_staff

from autograder.batch.graders import Budget, GraderPool, GraderPoolError
from autograder.batch.session import Plan, open_session
from autograder.course.course import Course
from autograder.course.schema import CourseError
from autograder.intake.download import items_of
from autograder.intake.submission import Submission
from autograder.platforms.discover import find_submissions
from autograder.sandbox.report import Status
from autograder.verdict.results import SubmissionResult

from .fake_plan import FakePlan, StillbornPlan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are killed by signals here")

SMALL = Budget(cpu_seconds=0.5, quiet_seconds=60.0, memory_mb=256)
QUIET = Budget(quiet_seconds=1.0)
Grade = Callable[..., dict[str, SubmissionResult]]


@pytest.fixture
def grade(tmp_path):
    """Grade entries that do what their names say; each result must come once."""

    def grade(*names, jobs=1, budget=None):
        with GraderPool(FakePlan(Course(tmp_path), 0), jobs, budget) as graders:
            results = list(graders.grade(entries(tmp_path, *names)))
        assert sorted(result.name for result in results) == sorted(names)
        return {result.name: result for result in results}

    return grade


def entries(folder, *names):
    return [Submission(name, folder / name) for name in names]


def children():
    """The processes that this one started and that still run, or that nobody has waited for."""
    return {*Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


@pytest.fixture(autouse=True)
def nothing_stays():
    """Each test's processes end with it; this test process may have others of its own."""
    before = children()
    yield
    assert children() <= before


def statuses(results):
    return {name: result.status for name, result in results.items()}


def test_every_entry_is_graded_once_and_the_processes_end(grade):
    results = grade(*(f"student-{number:02}" for number in range(40)), jobs=2)
    assert 1 <= len({result.problems for result in results.values()}) <= 2, "as many processes as jobs"


def test_the_entries_of_a_process_that_dies_are_graded_again(grade):
    results = grade("ada", "unlucky-bob", "cyd", "dan", "eve", jobs=2)
    assert set(statuses(results).values()) == {Status.GRADED}


def test_an_entry_that_always_takes_its_process_with_it_is_our_fault_and_the_others_count(grade):
    names = ["killer-1", "ada", "killer-2", "bob"]
    results = grade(*names)
    assert statuses(results) == {
        name: Status.INFRASTRUCTURE_ERROR if "killer" in name else Status.GRADED for name in names
    }
    assert results["killer-1"].earned is None
    assert results["killer-1"].fault == to_staff["workers.ended-times-with-the-signal"]


@pytest.mark.parametrize(
    ("name", "status"), [("endless-bob", Status.TIME_LIMIT), ("glutton-bob", Status.MEMORY_LIMIT)]
)
def test_an_entry_over_its_budget_has_no_points_and_the_others_are_graded(grade, name, status):
    results = grade("ada", name, "cyd", budget=SMALL)
    assert statuses(results) == {"ada": Status.GRADED, name: status, "cyd": Status.GRADED}
    assert (results[name].earned, results[name].fault) == (0.0, "")
    assert len(results[name].problems) == 1


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda number, frame: None], ids=["ignored", "handled"])
def test_a_budget_holds_also_where_the_program_that_grades_has_handlers_of_its_own(grade, handler):
    before = signal.signal(signal.SIGPROF, handler)
    try:
        assert statuses(grade("endless-bob", budget=SMALL)) == {"endless-bob": Status.TIME_LIMIT}
    finally:
        signal.signal(signal.SIGPROF, before)


def test_runs_in_sandboxes_are_signs_of_life(grade):
    assert statuses(grade("busy-bob", budget=QUIET)) == {"busy-bob": Status.GRADED}


def test_the_budget_is_each_entrys_own(grade):
    """Processor time and memory of entries before it do not count."""
    results = grade(*(f"student-{number}" for number in range(200)), budget=replace(SMALL, cpu_seconds=0.2))
    assert set(statuses(results).values()) == {Status.GRADED}


def test_ctrl_c_is_for_the_driver_alone(grade):
    results = grade("interrupted-ada", "bob")
    assert len({result.problems for result in results.values()}) == 1, "one process graded both"


def test_a_broken_course_ends_the_batch_and_its_processes(grade):
    with pytest.raises(CourseError, check=to_staff["workers.course-is-broken"]):
        grade("ada", "broken-bob", "cyd")


def test_a_batch_that_is_left_early_leaves_no_process(tmp_path):
    with GraderPool(FakePlan(Course(tmp_path), 0), 1) as graders:
        results = graders.grade(entries(tmp_path, *map(str, range(50))))
        next(results)
        results.close()


def test_a_worker_has_no_file_open_that_is_the_drivers(grade, tmp_path):
    with (tmp_path / "gradebook").open("w"):
        looked = grade("looking-ada", "looking-bob", "looking-cyd", jobs=2)
    for result in looked.values():
        _, *open_files = (problem.text for problem in result.problems)
        kinds = {name.partition(":")[0] for name in open_files}
        assert kinds <= {"socket", "pipe"}, "its end of its pipe, and those of its sandboxes"
        assert sum(name.startswith("socket") for name in open_files) == 1, "no other worker's"


def test_graders_read_a_downloaded_zip_that_the_driver_has_open(tmp_path):
    """Each opens it for itself: processes that share an open file share the place in it, too."""
    texts = {f"reading-{number:02}": f"x = {number}" * 5000 for number in range(40)}
    download = tmp_path / "submissions.zip"
    with zipfile.ZipFile(download, "w") as archive:
        for name, text in texts.items():
            archive.writestr(f"{name}.py", text)
    graded_names = []
    for item in items_of(download):
        graded_names.append(Submission(item.name.removesuffix(".py"), download, None, (item.part(),)))
    with GraderPool(FakePlan(Course(tmp_path), 0), 2) as graders:
        results = list(graders.grade(graded_names))
    opened = {}
    for result in results:
        _, *read = (problem.text for problem in result.problems)
        opened[result.name] = read
    assert opened == {name: [text] for name, text in texts.items()}


def signed(result):
    """The result with the process that finished it; that of "unfit" cannot be finished."""
    if result.name == "unfit":
        raise LookupError("nothing to draw")
    return replace(result, fault=str(os.getpid()))


def test_the_worker_that_graded_a_submission_finishes_its_result(tmp_path):
    with GraderPool(FakePlan(Course(tmp_path), 0), 2, finish=signed) as graders:
        results = list(graders.grade(entries(tmp_path, "ada", "bob", "cyd")))
    graders = {result.name: result.problems[0].text for result in results}
    assert {result.name: result.fault for result in results} == graders


def test_a_result_that_cannot_be_finished_is_an_error_of_ours(tmp_path):
    with pytest.raises(LookupError), GraderPool(FakePlan(Course(tmp_path), 0), 1, finish=signed) as graders:
        list(graders.grade(entries(tmp_path, "unfit")))


def test_only_a_few_entries_are_taken_ahead(tmp_path):
    """Memory does not grow with the class, and results come before all entries have been taken."""
    entries_taken = []

    def counted():
        for entry in entries(tmp_path, *map(str, range(50))):
            entries_taken.append(entry)
            yield entry

    with GraderPool(FakePlan(Course(tmp_path), 0), 2) as graders:
        next(graders.grade(counted()))
    assert len(entries_taken) <= 4


def test_processes_that_cannot_start_end_the_batch_with_a_remedy(tmp_path):
    with (
        pytest.raises(GraderPoolError, match="fewer --jobs"),
        GraderPool(StillbornPlan(Course(tmp_path), 0), 1) as graders,
    ):
        list(graders.grade(entries(tmp_path, "ada", "bob")))


def test_processes_give_the_results_that_the_driver_itself_would(built, tmp_path, pool):
    texts = {
        "right": SOLUTION,
        "wrong": SOLUTION.replace("factor * x", "x + x.sum()"),
        "crash": SOLUTION.replace("return factor * x", "import os\n    os._exit(3)"),
        "broken": "import nummpy\n",
        "random": SOLUTION.replace("factor * x", "x + np.random.normal(size=x.shape)"),
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "doubles.py").write_text(text, "utf-8")
    submissions = find_submissions([tmp_path]).submissions
    session = open_session(5, course=built.course)
    here = {entry.name: _lasting(session.grade(entry, pool)) for entry in submissions}
    with GraderPool(Plan(built.course, 5), 2) as graders:
        results_of_graders = {result.name: _lasting(result) for result in graders.grade(submissions[::-1])}
    assert here == results_of_graders
    assert {name: result.earned for name, result in results_of_graders.items()} == {
        "right": 5.5,
        "wrong": 2.5,
        "crash": 2.5,
        "broken": 0,
        "random": 2.5,
    }


def _lasting(result):
    return replace(result, homeworks=tuple(replace(homework, seconds=0.0) for homework in result.homeworks))
