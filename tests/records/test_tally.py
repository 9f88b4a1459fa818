"""What is said of a class as a whole: its counts, whom to praise, and who needs a human."""

from dataclasses import replace

import pytest
from results import FAILED, NOT_RUN, PASSED, our_fault
from results import homework as result
from results import homework_grade as homework
from results import submission as submitted
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.pages import as_sentence
from autograder.gradebook.opening import open_gradebook
from autograder.intake.matching import UNCLEAR
from autograder.intake.submission import Problem
from autograder.report.needs import needs_of
from autograder.report.praise import improvements
from autograder.report.report import Overview, write_report
from autograder.report.tally import Tally
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome


def recognised(*homeworks):
    return submission("eve", *(homework(homework=homework_id, recognised=True) for homework_id in homeworks))


def unclear(name):
    return submission(name, problems=(Problem(f"{name}.py is unclear", cause=UNCLEAR),))


def not_imported(name, error):
    check = replace(FAILED, staff=f"{error}\n  File …")
    return submission(name, homework(status=Status.IMPORT_FAILED, checks=(check,)))


def tally_of(results):
    tally = Tally()
    for graded in results:
        tally.add(graded)
    return tally


def test_who_was_recognised_as_what_and_who_is_unclear_is_counted():
    results = [
        recognised("hw4"),
        recognised("hw4", "hw5"),
        submission("ada", homework()),
        unclear("b c"),
        unclear("d"),
    ]
    assert tally_of(results).recognition == to_staff["tally.recognised"]
    assert tally_of([unclear("d")]).recognition == to_staff["tally.unclear-alone"]
    assert tally_of([submission("ada", homework())]).recognition == ""


def test_recognised_homeworks_are_listed_by_number_and_a_project_last():
    text = tally_of([recognised("capstone", "hw10", "hw9")]).recognition
    assert [fact.split()[-1] for fact in text.split(", ")] == ["hw9", "hw10", "capstone"]


def test_a_class_that_could_not_be_imported_is_an_alarm_with_the_commonest_reason():
    missing = "ModuleNotFoundError: No module named 'pandas'"
    results = [not_imported(f"s{n}", missing) for n in range(9)]
    results += [not_imported("t", f"SyntaxError: '(' was never closed ({n}.py, line {n})") for n in range(2)]
    assert tally_of(results).alarm == [to_staff["tally.could-not-be-imported"]]


def test_the_reason_is_that_of_the_homework_that_has_no_grade():
    error = "SyntaxError: '(' was never closed"
    without = not_imported("ada", error)
    result = replace(without, homeworks=(homework(), *without.homeworks))
    assert tally_of([result]).causes[Status.IMPORT_FAILED] == {error: 1}


def test_the_more_frequent_status_comes_first_and_equal_causes_are_one():
    lost = [submission(f"s{n}", problems=(Problem.of(f"{n}.zip", "is locked", "ask"),)) for n in range(7)]
    results = [*lost, *(not_imported("t", f"SyntaxError: x ({n}.py, line {n})") for n in range(3))]
    first, second = tally_of(results).alarm
    assert first == to_staff["tally.hold-nothing"]
    assert "(3): SyntaxError: x" in second


@pytest.mark.parametrize(
    ("lost", "graded", "alarms"), [(9, 0, False), (5, 5, False), (6, 5, True), (10, 0, True)]
)
def test_an_alarm_needs_ten_submissions_and_more_than_half_of_them(lost, graded, alarms):
    results = [submission(str(n)) for n in range(lost)] + [submission("g", homework())] * graded
    assert bool(tally_of(results).alarm) is alarms


def test_what_a_submission_says_cannot_steer_the_terminal():
    results = [not_imported(str(n), f"Error: \x1b[2J\x07{'x' * 9}") for n in range(10)]
    assert all(line.isprintable() for line in tally_of(results).alarm)


def test_the_report_says_the_same(tmp_path):
    results = [*(submission(str(n)) for n in range(9)), recognised("hwx"), unclear("z")]
    write_report(tmp_path / "report.html", Overview(results), ["hwx"], 1)
    page, tally = (tmp_path / "report.html").read_text("utf-8"), tally_of(results)
    assert all(as_sentence(line) in page for line in [tally.recognition, *tally.alarm])
    assert len(tally.alarm) == 1


BETTER = (PASSED, replace(FAILED, check="double_sizes", outcome=PASSED.outcome), NOT_RUN)


def test_full_marks_and_more_are_praised_and_provisional_ones_are_not():
    overview = Overview(
        [
            submission("ada", homework(final=5.5)),
            submission("bo", homework(final=6.0), homework(homework="hwy", final=5.5)),
            submission("cy", homework(final=5.4)),
            submission("di", homework(final=5.5, awaiting=("why",))),
            submission("ed", homework(final=0.0, points=0.0)),
        ]
    )
    assert overview.full_marks == {"hwx": [0, 1], "hwy": [1]}


def test_a_later_hand_in_with_more_points_is_an_improvement(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bo", "cy"):
            book.keep(submitted(name, result()), "first", "g")
        book.keep(submitted("ada", result(checks=BETTER)), "second", "g")
        book.keep(submitted("bo", result(checks=BETTER)), "first", "other graders")
        book.keep(submitted("cy", result(checks=(FAILED, NOT_RUN))), "second", "g")
        points = {("ada", "hwx"): 3.0, ("bo", "hwx"): 3.0, ("cy", "hwx"): 0.0}
        improvements_found = [
            (improvement.name, improvement.homework, improvement.before, improvement.now)
            for improvement in improvements(book, points)
        ]
    assert improvements_found == [("ada", "hwx", 1.0, 3.0)]


def test_who_is_praised_stands_on_the_page_as_text(tmp_path):
    overview = Overview([submission("<i>ada", homework(final=5.5))])
    write_report(tmp_path / "report.html", overview, ["hwx"], 5.5)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "1 with full marks in hwx" in page
    assert "<bdi>&lt;i&gt;ada</bdi>" in page
    overview = Overview([submission("ada", homework())])
    write_report(tmp_path / "report.html", overview, ["hwx"], 5.5)
    assert "Well done" not in (tmp_path / "report.html").read_text("utf-8")


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
