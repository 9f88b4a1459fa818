"""Who needs a human: everybody who does, until a person has settled it. No points depend on it."""

from dataclasses import replace

import pytest
from results import FAILED, NOT_RUN, PASSED, our_fault
from results import homework_grade as homework
from results import submission_grade as submission
from wording import to_staff

from autograder.gradebook.decisions import Override
from autograder.gradebook.opening import open_gradebook
from autograder.intake.matching import UNCLEAR
from autograder.intake.submission import Problem
from autograder.policy.settlement import settle
from autograder.report.needs import needs_of
from autograder.report.report import Overview, write_report
from autograder.report.tally import Tally
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome
from autograder.verdict.results import SubmissionResult

UNDEFINED = replace(FAILED, kind="not_defined")
UNWRITTEN = replace(FAILED, kind="not_written")
UNANSWERED = replace(FAILED, check="theory_why", kind="")
RAISED = replace(FAILED, kind="raised")
COLLECTED = replace(FAILED, outcome=Outcome.COLLECTED)
HELP = Problem("two files differ", cause=UNCLEAR)


def needs(*homeworks, **changes):
    return list(needs_of(submission("ada", *homeworks, **changes)))


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ((UNDEFINED, NOT_RUN), ["undefined"]),
        ((UNWRITTEN, NOT_RUN, UNANSWERED), ["untouched"]),
        ((UNWRITTEN, UNDEFINED), ["untouched"]),
        ((UNWRITTEN, RAISED), []),
        ((UNWRITTEN, PASSED), []),
        ((UNWRITTEN, COLLECTED), []),
        ((UNANSWERED,), []),
    ],
)
def test_a_file_without_any_work_needs_a_human(checks, reason):
    assert needs(homework(checks=checks)) == reason


def test_a_file_with_the_tasks_of_another_homework_needs_a_human():
    other = homework(checks=(UNDEFINED,), fits=("hw2",))
    assert needs(other) == ["elsewhere"]
    assert needs(other, homework(homework="hw2")) == ["elsewhere"]
    assert needs(homework(recognised=True, named_for=("hw2",))) == ["against"]
    assert needs(homework(recognised=True)) == []


def test_two_files_that_are_exchanged_are_one_need():
    first = homework(homework="hw1", checks=(UNDEFINED,), fits=("hw2",))
    second = homework(homework="hw2", checks=(UNDEFINED,), fits=("hw1", "hw3"))
    assert needs(first, second) == ["exchanged"]
    assert needs(first, replace(second, fits=("hw3",))) == ["elsewhere"]


@pytest.mark.parametrize(
    "override",
    [
        our_fault(),
        homework(status=Status.IMPORT_FAILED),
        homework(checks=(UNDEFINED,)),
        homework(fits=("hw2",)),
        homework(named_for=("hw2",)),
        homework(awaiting=("why",)),
    ],
)
def test_what_an_override_of_the_whole_homework_settled_leaves_the_list(override):
    assert len(needs(override)) == 1
    assert needs(replace(override, is_settled=True)) == []


def test_a_submission_of_which_nothing_was_graded_is_settled_by_an_override():
    settled = homework(checks=(), is_settled=True)
    for changes in ({}, {"problems": (HELP,)}, {"stopped": Status.MEMORY_LIMIT}, {"fault": "x"}):
        assert len(needs(**changes)) == 1
        assert needs(settled, **changes) == []
    assert needs(settled, problems=(HELP, HELP)) == ["unclear"], "another homework is unclear, too"


def test_only_an_override_of_the_whole_homework_settles_it(tiny, tmp_path):
    override = Override("ada", "hwx", 3.0, "read by hand")
    with open_gradebook(tmp_path) as book:
        book.keep(SubmissionResult("ada", "ada", (), (HELP,)), "c", "g")
        assert needs_in(list(settle(book, tiny.course).grades())) == ["unclear"]
        book.decisions.override(override)
        assert needs_in(list(settle(book, tiny.course).grades())) == []
        book.keep(SubmissionResult("bo", "bo", (homework(status=Status.IMPORT_FAILED),)), "c", "g")
        book.decisions.override(replace(override, submission="bo", check="double_sizes"))
        assert needs_in(list(settle(book, tiny.course).grades())) == ["import"]


def needs_in(grades):
    return [need for grade in grades for need in needs_of(grade)]


def test_grade_says_whose_files_are_probably_not_what_was_meant():
    tally = Tally()
    tally.add(submission("ada", homework(homework="a", fits=("b",)), homework(homework="b", fits=("a",))))
    tally.add(submission("bo", homework(checks=(UNWRITTEN,))))
    tally.add(submission("cy", homework(checks=(UNWRITTEN,))))
    tally.add(submission("di", homework(awaiting=("why",))))
    assert tally.doubts_about_files == [to_staff["needs.exchanged"], to_staff["needs.untouched"]]
    decided = Tally({("bo", "hwx")})
    decided.add(submission("bo", homework(checks=(UNWRITTEN,))))
    assert decided.doubts_about_files == []


def test_students_without_a_submission_and_submissions_of_nobody_stand_on_the_page(tmp_path):
    overview = Overview(
        [submission("ada", homework()), submission("zed", homework())], ["<Kim>, Min (S14)"], ["zed"]
    )
    assert overview.needs == {"stranger": [1]}
    path = tmp_path / "report.html"
    write_report(path, overview, ["hwx"], 5.5)
    text = path.read_text("utf-8")
    assert "1: student in the roster without a submission" in text
    assert "&lt;Kim&gt;, Min (S14)" in text
    assert "<Kim>" not in text


@pytest.mark.parametrize("other", [our_fault(), homework(status=Status.TIME_LIMIT)])
def test_a_file_that_fails_to_load_beside_a_worse_one_needs_a_human(tmp_path, other):
    """The submission has the status of the other homework, and so no reason is counted for this one."""
    broken = homework(homework="hw2", status=Status.IMPORT_FAILED, checks=())
    path = tmp_path / "report.html"
    write_report(path, Overview([submission("ada", other, broken)]), ["hwx", "hw2"], 5.5)
    assert 'data-who="needs=import"' in path.read_text("utf-8")


def test_those_who_need_a_human_are_printed_with_their_names(tmp_path):
    names = [f"s{number:03}" for number in range(203)]
    path = tmp_path / "report.html"
    write_report(path, Overview(submission(name) for name in names), [], 0.0)
    text = path.read_text("utf-8")
    assert 'data-who="needs=' in text
    for name in names:
        assert f'["{name}",' in text, "the page's script writes the names of all rows"
