"""What stands in a gradebook after several gradings, and the groups of wrong answers in it."""

import datetime as dt
import json
import os
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from results import FAILED, NOT_RUN, PASSED, homework, ours, submission

from autograder.gradebook.fingerprint import Run
from autograder.gradebook.gradings import STALE, HistoryRow, from_json, to_json
from autograder.gradebook.opening import FILE_NAME, open_gradebook, read_gradebook
from autograder.gradebook.schema import GradebookError
from autograder.gradebook.supersession import current_homeworks, newer_hand_in, partly_replaced
from autograder.intake.submission import Owner, Problem
from autograder.report.answer_groups import examples_of, function_in, groups_of
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult
from autograder.verdict.work import Behaviour, Work


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path) as opened:
        yield opened


def points(book, name="ada"):
    return {homework.homework: homework.earned for homework in book.result(name).homeworks}


def hw(number, **changes):
    return homework(homework=f"hw{number}", **changes)


def at(path, *homeworks, **changes):
    return submission("ada", *homeworks, path=path, **changes)


def run(*homeworks, entries=1, finished=0):
    return Run("full", 7, "g", 1, "grade class", homeworks, entries, finished)


def test_homeworks_graded_one_after_the_other_stand_beside_each_other(book):
    book.keep(at("week5/ada", hw(5)), "c5", "g5")
    book.keep(at("week1/ada", hw(1, checks=())), "c1", "g1")
    assert points(book) == {"hw1": 0.0, "hw5": 1.0}
    assert book.is_current("ada", "c5", "g5")
    assert book.is_current("ada", "c1", "g1")


def test_the_homeworks_of_a_submission_come_by_number_and_a_project_last(book):
    capstone = homework(homework="capstone_tiny_transformer")
    book.keep(submission("ada", capstone, hw(10), hw(9), hw(2)), "c", "g")
    assert list(points(book)) == ["hw2", "hw9", "hw10", "capstone_tiny_transformer"]


def test_a_homework_that_is_not_found_again_stays(book):
    book.keep(at("week1/ada", hw(1), hw(2)), "old", "g")
    book.keep(at("week1/ada", hw(1, checks=())), "new", "g")
    assert points(book) == {"hw1": 0.0, "hw2": 1.0}
    assert [book.is_current("ada", content, "g") for content in ("old", "new")] == [False, True]


def test_the_grades_that_others_replaced_are_remembered_with_their_time_and_origin(book):
    book.begin_run(run())
    book.keep(at("class/ada", hw(1), ours(homework="hw2")), "old", "g1")
    assert list(book.history()) == []
    book.keep(at("class/ada", hw(1, checks=(), seed=8), hw(2)), "new", "g2")
    book.keep(at("class/ada", hw(1)), "newest", "g2")
    past = list(book.history())
    time = past[0].graded_at
    assert dt.datetime.fromisoformat(time).year >= 2026
    assert past == [
        HistoryRow("ada", "hw1", time, "graded", 1.0, 5.5, 7, "old", "g1"),
        HistoryRow("ada", "hw2", time, "infrastructure_error", None, 5.5, 7, "old", "g1"),
        HistoryRow("ada", "hw1", time, "graded", 0.0, 5.5, 8, "new", "g2"),
    ]
    assert list(book.history()) == past
    book.forget_missing({}, "g2", ["hw1"])
    assert [row.homework for row in book.history()] == ["hw2"]


def test_what_replaces_a_grade_from_another_folder_says_from_which(book):
    assert book.keep(at("week1/ada", hw(1), hw(2)), "c1", "g").other_folders == ()
    assert book.keep(at("week1/ada", hw(1)), "c2", "g").other_folders == ()
    assert book.keep(at("again/ada", hw(2), hw(3)), "c3", "g").other_folders == ("week1",)
    assert book.keep(at("again/ada.zip", hw(2)), "c4", "g").other_folders == ()


def test_what_was_replaced_from_elsewhere_does_not_come_back_by_itself(book):
    book.keep(at("week1/ada", hw(1), hw(2)), "old", "g")
    book.keep(at("again/ada", hw(1, checks=())), "new", "g")
    assert [book.is_current("ada", content, "g") for content in ("old", "new")] == [True, True]
    book.forget_missing({"ada": "old"}, "g", ())
    assert points(book) == {"hw1": 0.0, "hw2": 1.0}
    book.outdate(["ada"], "g")
    book.keep(at("week1/ada", hw(1), hw(2)), "old", "g")
    assert points(book) == {"hw1": 1.0, "hw2": 1.0}
    assert not book.is_current("ada", "new", "g")


def test_problems_are_told_until_their_path_is_graded_again(book):
    book.keep(at("week1/ada", hw(1), problems=(Problem("no stub of hw2"),)), "c1", "g")
    book.keep(at("week3/ada", hw(3), problems=(Problem("a large file"),)), "c3", "g")
    assert book.result("ada").problems == (Problem("no stub of hw2"), Problem("a large file"))
    book.keep(at("week1/ada", hw(2)), "c2", "g")
    assert book.result("ada").problems == (Problem("a large file"),)


@pytest.mark.parametrize("first", [(), ("hw1",)])
def test_nothing_found_is_over_once_something_is(book, first):
    book.begin_run(run(*first))
    book.keep(at("week1/ada", problems=(Problem("nothing is called like a stub"),)), "c", "g")
    book.begin_run(run("hw1"))
    book.keep(at("week1/ada", hw(1)), "c", "g1")
    assert (book.result("ada").problems, book.result("ada").status) == ((), Status.GRADED)


@pytest.mark.parametrize(
    ("asked_later", "is_current"), [(("hw1",), False), (("hw3", "hw1"), False), (("hw5",), True), ((), True)]
)
def test_nothing_found_in_some_homeworks_is_over_once_all_of_them_are_graded_again(
    book, asked_later, is_current
):
    book.begin_run(run("hw3", "hw4", "hw1"))
    book.keep(at("class/ada", hw(4)), "c", "g")
    book.begin_run(run(*asked_later))
    book.keep(at("class/ada", problems=(Problem("nothing is called like a stub"),)), "c", "other")
    assert book.is_current("ada", "c", "g") == is_current


def test_what_one_homework_lacks_is_told_though_another_is_graded(book):
    book.begin_run(run("hw5"))
    book.keep(at("class/ada", stopped=Status.MEMORY_LIMIT, problems=(Problem("too large"),)), "c", "g5")
    book.begin_run(run("hw1"))
    book.keep(at("week1/ada", hw(1)), "c1", "g1")
    whole = book.result("ada")
    assert (whole.status, whole.problems, points(book)) == (
        Status.MEMORY_LIMIT,
        (Problem("too large"),),
        {"hw1": 1.0},
    )


@pytest.mark.parametrize("homeworks", [("hw5",), ()])
def test_our_fault_leaves_a_blank_until_the_same_is_graded_again(book, homeworks):
    book.begin_run(run(*homeworks))
    book.keep(at("class/ada", fault="Traceback"), "c", "g")
    book.begin_run(run("hw1"))
    book.keep(at("class/ada", hw(1)), "c", "g1")
    assert (book.result("ada").earned, book.is_current("ada", "c", "g")) == (None, False)
    book.begin_run(run(*homeworks))
    book.keep(at("class/ada", hw(5)), "c", "g")
    assert (book.result("ada").earned, book.is_current("ada", "c", "g")) == (2.0, True)


def test_going_back_to_earlier_content_grades_it_again(book):
    book.keep(at("week1/ada", hw(1)), "good", "g")
    book.keep(at("week1/ada", problems=(Problem("the zip is damaged"),)), "damaged", "g")
    assert points(book) == {"hw1": 1.0}
    assert not book.is_current("ada", "good", "g")
    book.keep(at("week1/ada", hw(1), hw(2)), "good", "g")
    book.begin_run(run("hw2"))
    book.keep(at("week1/ada", hw(2, checks=())), "other", "g2")
    assert not book.is_current("ada", "good", "g")


def test_each_homework_keeps_the_time_it_was_handed_in(book):
    early, late = (dt.datetime(2027, month, 1, tzinfo=dt.UTC) for month in (2, 3))
    book.remember_owners({"ada": Owner("7", submitted_at=early)})
    book.keep(at("week1", hw(1)), "c1", "g")
    book.remember_owners({"ada": Owner("7", submitted_at=late)}, {"ada": "c5"})
    book.keep(at("week5", hw(5)), "c5", "g")
    book.remember_owners({"ada": None}, {"ada": "c6"})
    book.keep(at("week6", hw(6)), "c6", "g")
    assert list(book.homeworks()) == [("ada", "hw1", early), ("ada", "hw5", late), ("ada", "hw6", None)]
    assert book.owners() == {"ada": Owner("7")}


def test_only_the_homeworks_asked_for_are_forgotten(book):
    for name in ("ada", "bob"):
        book.keep(submission(name, hw(1), hw(5)), "c", "g")
    book.keep(submission("cyd", hw(5)), "c", "g")
    assert book.missing(["ada"], ["hw5"]) == ["bob", "cyd"]
    book.forget_missing({"ada": "c"}, "g", ["hw5"])
    assert {name: points(book, name) for name in book.names()} == {
        "ada": {"hw1": 1.0, "hw5": 1.0},
        "bob": {"hw1": 1.0},
    }


def test_forgetting_drops_what_a_submission_no_longer_holds_but_not_for_our_fault(book):
    for name in ("ada", "bob"):
        book.keep(submission(name, hw(1), hw(2)), "old", "g")
    book.keep(submission("ada", hw(2)), "new", "g")
    book.keep(submission("bob", ours(homework="hw2")), "new", "g")
    book.forget_missing({"ada": "new", "bob": "new"}, "g", ())
    assert points(book, "ada") == {"hw2": 1.0}
    assert points(book, "bob") == {"hw1": 1.0, "hw2": None}
    assert [row["earned"] for row in book._execute("SELECT earned FROM submissions ORDER BY name")] == [
        1,
        None,
    ]


def test_a_run_that_was_stopped_says_how_far_it_came_until_as_many_are_graded(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.begin_run(run(entries=5, finished=2))
        book.keep(submission("ada", hw(1)), "c", "g")
    with open_gradebook(tmp_path) as book:
        assert book.unfinished() == (3, 5)
        for entries, still in ((1, (3, 5)), (5, None)):
            book.begin_run(run(entries=entries, finished=entries))
            book.end_run()
            assert book.unfinished() == still


def test_a_run_that_graded_nothing_does_not_hide_how_far_the_ones_before_it_came(book):
    book.begin_run(run(entries=5))
    assert book.unfinished() == (0, 5)  # the first one: the class is not graded
    book.begin_run(run(entries=5))
    for name in ("ada", "bob"):
        book.keep(submission(name, hw(1)), "c", "g")
    book.begin_run(run(entries=5))
    assert book.unfinished() == (2, 5)
    book.begin_run(run(entries=5, finished=5))
    book.end_run()
    book.begin_run(run(entries=5))
    assert book.unfinished() is None
    book.begin_run(run(entries=6))
    assert book.unfinished() == (0, 6)  # a larger class than any before


def test_files_are_stale_until_they_are_said_to_be_written(book):
    book.keep(at("week1/ada", hw(1)), "c1", "g")
    book.files_written("ada", "")
    assert book.shown() == {"ada": ""}
    kept = book.keep(at("week5/ada", hw(5)), "c5", "g")
    assert [homework.homework for homework in kept.whole.homeworks] == ["hw1", "hw5"]
    assert points(book) == {"hw1": 1.0, "hw5": 1.0}
    assert book.shown() == {"ada": STALE}


def test_what_is_written_together_is_taken_back_together(book):
    def fail_in_the_middle():
        with book._connection:
            book.set("seed", "1")
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail_in_the_middle()
    assert book.find_setting("seed") is None


# Only one file stays behind


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_no_reader_leaves_files_of_sqlite_behind(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", hw(1)), "c", "g")
        with read_gradebook(tmp_path) as reading:
            assert reading.names() == {"ada"}
    assert files(tmp_path) == [FILE_NAME]
    with read_gradebook(tmp_path) as reading:
        assert reading.names() == {"ada"}
    assert files(tmp_path) == [FILE_NAME]


@pytest.mark.parametrize("open_one", [open_gradebook, read_gradebook])
def test_whoever_opens_it_next_tidies_up_after_a_kill(tmp_path, open_one):
    with open_gradebook(tmp_path):
        pass
    if (killed := os.fork()) == 0:  # it ends in the middle, as by a power cut
        with open_gradebook(tmp_path) as book:
            book.keep(submission("ada", hw(1)), "c", "g")
            os._exit(0)
    os.waitpid(killed, 0)
    assert f"{FILE_NAME}-wal" in files(tmp_path)
    with open_one(tmp_path) as book:
        assert book.names() == {"ada"}
    assert not [name for name in files(tmp_path) if name.endswith(("-wal", "-shm"))]


def test_a_reader_sees_one_state_while_grading_goes_on(tmp_path):
    with open_gradebook(tmp_path) as book:
        book.keep(submission("ada", hw(1)), "c", "g")
        with read_gradebook(tmp_path) as reading:
            assert reading.names() == {"ada"}
            book.keep(submission("bob", hw(1)), "c", "g")
            assert [result.name for result in reading.results()] == ["ada"]
        with pytest.raises(GradebookError, match="readonly"), read_gradebook(tmp_path) as reading:
            reading.set("seed", "1")


# Grading again


def test_a_grading_made_again_has_the_rank_of_the_earlier_one(book):
    book.keep(at("week1/ada", hw(1, checks=()), hw(2, checks=())), "c1", "g")
    book.keep(at("late/ada", hw(1)), "c2", "g")
    [first, late] = book.standing()
    assert (first.standing, late.standing) == ({"hw2"}, {"hw1"})
    book.keep(at("week1/ada", hw(1, checks=()), hw(2)), "c1", "g2", again=first)
    assert points(book) == {"hw1": 1.0, "hw2": 1.0}
    assert [grading.id for grading in book.standing()] == [first.id, late.id]
    assert book.is_current("ada", "c1", "g2")
    assert [(row.homework, row.graders) for row in book.history()] == [("hw1", "g"), ("hw2", "g")]
    assert book.origins()["ada", "hw2"].graders == "g2"
    assert book.origins()["ada", ""].content == "c2", "of the last grading"


def test_a_failure_of_ours_stands_for_the_grading_before_it_and_is_over_once_that_is_made_again(book):
    book.keep(at("week1/ada", hw(1)), "c", "g")
    [first] = book.standing()
    book.keep(at("week1/ada", fault="the disk is full"), "c", "g2", again=first)
    assert points(book) == {"hw1": 1.0}
    [failed] = book.standing()
    assert (failed.standing, failed.is_our_fault) == ({"hw1"}, True)
    assert failed.id > first.id
    book.keep(at("week1/ada", hw(1, checks=())), "c", "g2", again=failed)
    assert points(book) == {"hw1": 0.0}
    assert (book.failed(), len(book.standing())) == ([], 1)


def test_an_old_hand_in_does_not_come_back_where_grading_it_again_failed_first(book):
    book.keep(at("week1/ada", hw(1, checks=()), hw(2, checks=())), "c1", "g")
    book.keep(at("late/ada", hw(1)), "c2", "g")
    [first, _] = book.standing()
    book.keep(at("week1/ada", fault="the disk is full"), "c1", "g2", again=first)
    for graders in ("g2", "g3"):
        [failed] = [grading for grading in book.standing() if grading.content == "c1"]
        book.keep(at("week1/ada", hw(1, checks=()), hw(2)), "c1", graders, again=failed)
        assert points(book) == {"hw1": 1.0, "hw2": 1.0}
        assert book.failed() == []
    assert [grading.standing for grading in book.standing()] == [{"hw2"}, {"hw1"}]
    [grading, newer] = partly_replaced(book.gradings("ada"), "week1/ada", "c1", ())
    assert (grading.id, newer.folder) == (first.id, "late")


@pytest.mark.parametrize("newer", [{"fault": "the disk is full"}, {}])
def test_a_failure_in_grading_an_old_hand_in_again_leaves_the_newer_one_known(book, newer):
    book.keep(at("week1/ada", hw(1), hw(2)), "c1", "g")
    book.keep(at("late/ada", **newer), "c2", "g")
    first, late = book.standing()
    book.keep(at("week1/ada", fault="a sandbox died"), "c1", "g2", again=first)
    assert late.id in [grading.id for grading in book.gradings("ada")]
    book.keep(at("late/ada", hw(1, checks=())), "c2", "g2", again=late)
    assert points(book)["hw1"] == 0


def test_a_hand_in_of_which_a_part_was_graded_again_is_current_after_one_more_grading(book):
    book.keep(at("week1/ada", hw(1), hw(2), hw(3)), "c1", "g")
    book.keep(at("late/ada", hw(2)), "c2", "g")
    first, _ = book.standing()
    book.keep(at("week1/ada", hw(1)), "c1", "g", again=replace(first, asked=("hw1",)))
    [again, _] = partly_replaced(book.gradings("ada"), "week1/ada", "c1", ())
    without_points = [hw(number, checks=()) for number in (1, 2, 3)]
    book.keep(at("week1/ada", *without_points), "c1", "g2", again=again)
    assert points(book) == {"hw1": 0, "hw2": 1.0, "hw3": 0}
    assert current_homeworks(book.gradings("ada"), "c1", "g2") == {"hw1", "hw2", "hw3"}


def test_a_homework_that_is_not_found_again_keeps_the_grading_that_gave_it(book):
    book.keep(at("week1/ada", hw(1), hw(2)), "c", "g")
    [first] = book.standing()
    book.keep(at("week1/ada", hw(1, checks=())), "c", "g2", again=first)
    assert points(book) == {"hw1": 0.0, "hw2": 1.0}
    assert book.origins()["ada", "hw2"].graders == "g"
    assert book.origins()["ada", "hw1"].graders == "g2"


def test_the_time_of_a_grading_made_again_is_that_of_the_earlier_one(book):
    early = dt.datetime(2027, 1, 1, tzinfo=dt.UTC)
    book.remember_owners({"ada": Owner("1", submitted_at=early)})
    book.keep(at("week1/ada", hw(1)), "c", "g")
    late = early + dt.timedelta(days=9)
    book.remember_owners({"ada": Owner("1", submitted_at=late)}, {"ada": "another content"})
    [first] = book.standing()
    book.keep(at("week1/ada", hw(1)), "c", "g2", again=first)
    assert list(book.homeworks()) == [("ada", "hw1", early)]


def test_the_folder_of_the_newer_hand_in_is_known_for_what_it_replaced_as_a_whole(book):
    book.keep(at("week1/ada", hw(1)), "old", "g")
    assert newer_hand_in(book.gradings("ada"), "week1/ada", "old") is None
    book.keep(at("again/ada", hw(1)), "new", "g")
    assert newer_hand_in(book.gradings("ada"), "week1/ada", "old").folder == "again"
    assert newer_hand_in(book.gradings("ada"), "week1/ada", "another") is None
    assert newer_hand_in(book.gradings("bob"), "week1/bob", "old") is None


def test_the_folder_of_the_newer_hand_in_is_known_for_what_it_replaced_in_part(book):
    book.keep(at("week1/ada", hw(1), hw(2)), "old", "g")
    book.keep(at("again/ada", hw(1)), "new", "g")
    gradings = book.gradings("ada")
    grading, newer = partly_replaced(gradings, "week1/ada", "old", ())
    assert (grading.standing, newer.folder) == ({"hw2"}, "again")
    assert partly_replaced(gradings, "week1/ada", "old", ["hw1"]) is None


def test_code_that_is_graded_again_is_compared_with_what_stands(book):
    def code(source):
        return at("week1/ada", hw(1, work=Work("doubles.py", source)))

    book.keep(code("x = 1"), "c", "g")
    [first] = book.standing()
    assert book.has_code_of(first, code("x = 1"))
    assert not book.has_code_of(first, code("x = 2"))
    assert not book.has_code_of(first, at("week1/ada", hw(2)))


def test_of_submissions_that_are_missing_those_that_held_nothing_are_told_as_well(book):
    book.begin_run(run("hw1", entries=3))
    for name, homeworks in {"ada": [hw(1)], "bob": [], "cyd": [hw(1)]}.items():
        book.keep(submission(name, *homeworks, path=f"class/{name}"), "c", "g")
    assert book.missing({"ada"}, ()) == ["bob", "cyd"]
    assert book.missing({"ada"}, ("hw1",)) == ["bob", "cyd"]
    assert book.missing({"ada"}, ("hw2",)) == []


def test_our_fault_on_one_submission_keeps_no_other_from_being_forgotten(book):
    for name in ("ada", "bob", "cyd"):
        book.keep(submission(name, hw(1), path=f"class/{name}"), "c", "g")
    book.keep(submission("ada", hw(1, status=Status.INFRASTRUCTURE_ERROR), path="class/ada"), "c2", "g")
    book.forget_missing({"ada": "c2", "cyd": "c"}, "g", ("hw1",))
    assert book.names() == {"ada", "cyd"}
    with pytest.raises(LookupError, match="bob"):
        book.result("bob")
    book.keep(submission("bob", hw(2), hw(1), path="class/bob"), "c", "g")
    book.forget_missing({"ada": "c2"}, "g", ("hw1",))
    assert points(book, "bob") == {"hw2": 1.0}


def test_code_comes_with_the_name_of_its_submission(book):
    for name in ("cyd", "ada"):
        work = Work("doubles.py", f"# by {name}")
        book.keep(submission(name, hw(1, work=work)), "c", "g")
    book.keep(submission("bob", hw(1, work=Work("doubles.py", ""))), "c", "g")
    assert list(book.sources("hw1")) == [("ada", "# by ada"), ("cyd", "# by cyd")]


def test_what_these_graders_gave_is_the_submission_with_the_homeworks_of_that_content(book):
    book.keep(at("week5/ada", hw(5)), "c5", "g5")
    book.keep(at("week1/ada", hw(1), problems=(Problem("a large file"),)), "c1", "g1")
    [result] = book.given({"bob": "c1", "ada": "c1"}, "g1")
    assert (result.name, result.path) == ("ada", "week1/ada")
    assert [homework.homework for homework in result.homeworks] == ["hw1"]
    assert list(book.given({"ada": "c1"}, "g5")) == []


# Results as JSON

texts = st.text(st.characters(exclude_categories=()), max_size=20)
many_texts = st.lists(texts, max_size=3).map(tuple)
amounts = st.floats(min_value=0, max_value=1e6)
checks = st.builds(
    CheckResult,
    check=texts,
    task=texts,
    sentence=texts,
    points=amounts,
    outcome=st.sampled_from(Outcome),
    reason=texts,
    staff=texts,
    misconceptions=many_texts,
)
homeworks = st.builds(
    HomeworkResult,
    homework=texts,
    title=texts,
    status=st.sampled_from(Status),
    points=amounts,
    checks=st.lists(checks, max_size=3).map(tuple),
    detail=texts,
    hints=texts,
    notes=many_texts,
    output=texts,
    layers=many_texts,
    seed=st.integers(0, 2**63),
    seconds=amounts,
)
submissions = st.builds(
    SubmissionResult,
    name=texts,
    path=texts,
    homeworks=st.lists(homeworks, max_size=3).map(tuple),
    problems=st.lists(st.builds(Problem, texts, texts, texts), max_size=3).map(tuple),
    fault=texts,
)


@settings(deadline=None)
@given(submissions)
def test_any_result_survives_the_way_to_json_and_back(result):
    again = from_json(to_json(result))
    assert again == result
    assert (again.status, again.earned) == (result.status, result.earned)


@settings(deadline=None)
@given(submissions)
def test_the_json_is_plain_ascii_on_one_line(result):
    text = to_json(result)
    assert text.isascii()
    assert "\n" not in text


def test_statuses_and_outcomes_come_back_as_such():
    again = from_json(to_json(submission("ada", homework(), ours())))
    assert [type(homework.status) for homework in again.homeworks] == [Status, Status]
    assert [check.outcome for check in again.homeworks[0].checks] == [
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.NOT_RUN,
    ]
    assert again.homeworks[0].checks == (PASSED, FAILED, NOT_RUN)
    assert again.homeworks[1].earned is None


def test_an_unknown_status_is_not_read_as_another():
    fields = json.loads(to_json(submission("ada", homework())))
    fields["homeworks"][0]["status"] = "excellent"
    with pytest.raises(ValueError, match="excellent"):
        from_json(json.dumps(fields))


def test_a_result_that_was_stored_before_checks_had_a_form_is_read():
    stored = json.loads(to_json(submission("ada", homework())))
    for check in stored["homeworks"][0]["checks"]:
        del check["form"]
    again = from_json(json.dumps(stored))
    assert [check.form for check in again.homeworks[0].checks] == ["", "", ""]


ONE = Behaviour("double", "f0", (0.0, 1000.0, -2000.0))
NEAR = Behaviour("double", "f0", (0.0, 1001.0, -2001.0))
FAR = Behaviour("double", "f0", (0.0, 1001.0, -2010.0))


def keep(book, name, *behaviours, checks=(FAILED,), source=""):
    work = Work("hwx.py", source, behaviours=behaviours)
    book.keep(submission(name, homework(checks=checks, work=work)), "c", "g")


def members(book):
    return sorted(group.submissions for group in groups_of(book.groups))


def test_answers_that_are_the_same_are_one_group_the_largest_first(book):
    for name, behaviour in (("cyd", NEAR), ("bob", FAR), ("ada", ONE), ("dan", replace(ONE, form="f1"))):
        keep(book, name, behaviour)
    groups = groups_of(book.groups)
    assert [(group.size, group.submissions) for group in groups[:1]] == [(2, ("ada", "cyd"))]
    assert members(book) == [("ada", "cyd"), ("bob",), ("dan",)]
    assert {(group.homework, group.task) for group in groups} == {("hwx", "double")}
    assert all(group.id.startswith("hwx-double-") for group in groups)
    assert len({group.id for group in groups}) == 3


def test_groups_keep_their_names_when_submissions_come_again_and_change(book):
    keep(book, "ada", ONE)
    keep(book, "bob", FAR)
    before = {group.submissions: group.id for group in groups_of(book.groups)}
    keep(book, "ada", FAR)
    assert {group.id: group.submissions for group in groups_of(book.groups)} == {
        before["bob",]: ("ada", "bob")
    }
    keep(book, "ada", NEAR)
    assert {group.submissions: group.id for group in groups_of(book.groups)} == before
    keep(book, "ada", checks=(PASSED,))
    assert members(book) == [("bob",)]
    assert set(book.groups.tasks()) == set(before.values())


def test_equal_answers_get_the_same_name_in_another_gradebook(book, tmp_path):
    keep(book, "ada", ONE)
    with open_gradebook(tmp_path / "other") as other:
        keep(other, "bob", FAR)
        keep(other, "cyd", ONE)
        assert groups_of(book.groups)[0].id in {group.id for group in groups_of(other.groups)}


def test_names_of_which_the_first_digits_are_taken_get_more(book):
    keep(book, "ada", ONE)
    group_id = groups_of(book.groups)[0].id
    book.groups._execute("UPDATE behaviour_groups SET form = 'another'")
    keep(book, "bob", ONE)
    assert sorted(group.id.startswith(group_id) for group in groups_of(book.groups)) == [True, True]


def test_a_submission_that_is_forgotten_leaves_its_group(book):
    keep(book, "ada", ONE)
    keep(book, "bob", ONE)
    book.forget_missing({"bob": "c"}, "g", ())
    assert members(book) == [("bob",)]


def test_what_most_members_share_is_told(book):
    other = replace(FAILED, misconceptions=("hard-coded-size",), reason="too short")
    for name, check in (("ada", other), ("bob", FAILED), ("cyd", FAILED)):
        keep(book, name, ONE, checks=(PASSED, check))
    (group,) = groups_of(book.groups)
    assert group.misconceptions == ("hard-coded-size", "returns-tuple")
    assert (group.representative, group.reason) == ("bob", FAILED.reason)
    assert groups_of(book.groups, ["other"]) == []
    assert groups_of(book.groups, ["hwx"]) == [group]


def test_examples_are_codes_of_the_task_that_differ(book):
    for name, body in (
        ("ada", "x * 3"),
        ("bob", "x  * 3"),
        ("cyd", "3 * x"),
        ("dan", "4 * x"),
        ("eve", "5 * x"),
    ):
        keep(book, name, ONE, source=f"import numpy\n\ndef double(x):\n    return {body}\n\nprint(1)\n")
    examples = examples_of(groups_of(book.groups)[0], book.groups)
    assert [name for name, _ in examples] == ["ada", "cyd", "dan"]
    assert examples[0][1] == "def double(x):\n    return x * 3"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (
            "# In [1]\n%matplotlib inline\ndef f(x):\n    return x\n\n# In [2]\nthis is no Python",
            "def f(x):\n    return x",
        ),
        ("def f(x): return 1\n\n@cached\ndef f(x):\n    return 2", "@cached\ndef f(x):\n    return 2"),
        ("class f:\n    a = 1\nf.b = 2", "class f:\n    a = 1"),
        ("f = lambda x: x", ""),
        ("def f(x:", ""),
        ("def f(x):\n    return " + "(" * 5000, ""),
        ("def f(x):\n\0", ""),
    ],
)
def test_a_function_is_cut_from_its_file_or_cell(source, code):
    assert function_in(source, "f") == code


def test_names_that_no_file_should_have_are_kept(book):
    keep(book, "a\udc80\\b", ONE)
    assert members(book) == [("a\udc80\\b",)]


def test_thousands_of_wrong_answers_are_assigned_and_listed_quickly(book):
    started = time.perf_counter()
    for place in range(1000):
        sketch = tuple(float(place // 2 * 50 + entry) for entry in range(300))
        keep(book, f"s{place}", Behaviour("double", "f0", sketch))
    assert len(groups_of(book.groups)) == 500
    assert time.perf_counter() - started < 60
