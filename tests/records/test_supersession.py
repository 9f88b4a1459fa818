"""The rules of which hand-in counts, without a gradebook: a newer one replaces an older one by homework."""

from dataclasses import replace
from pathlib import Path

import pytest

from autograder.gradebook.supersession import (
    Grading,
    WhatToGrade,
    covers,
    current_homeworks,
    gradings_to_repeat,
    is_empty_in,
    newer_hand_in,
    partly_replaced,
    replaced_results,
    standing_gradings,
    superseded_gradings,
)
from autograder.intake.submission import Submission

HW1, HW2 = frozenset({"hw1"}), frozenset({"hw2"})
BOTH = HW1 | HW2
NONE = frozenset()
WEEK1 = Grading(1, "ada", "week1/ada", "c1", "g", found=BOTH, standing=BOTH)
"""The only grading so far."""
BEFORE = replace(WEEK1, standing=HW2)
AGAIN = Grading(2, "ada", "again/ada", "c2", "g", found=HW1, standing=HW1)
"""Graded after it, from another folder: hw1 counts from here, hw2 from before."""


@pytest.mark.parametrize(
    ("homeworks", "others", "answer"),
    [((), (), True), ((), HW1, True), (HW1, (), False), (BOTH, HW1, True), (HW1, BOTH, False)],
)
def test_no_homeworks_stand_for_all(homeworks, others, answer):
    assert covers(homeworks, others) == answer


# Rules 1 and 2


def test_a_grading_gives_a_result_to_what_it_found_and_says_from_where_it_takes_others():
    assert replaced_results([], ["hw1"], "week1/ada") == {"hw1": ""}
    assert replaced_results([WEEK1], ["hw2"], "week1/ada.zip") == {"hw2": ""}
    assert replaced_results([WEEK1], ["hw2", "hw3"], "late/ada") == {"hw2": "week1", "hw3": ""}


def test_a_grading_made_again_takes_nothing_from_a_newer_one():
    assert replaced_results([BEFORE, AGAIN], ["hw1", "hw2"], "week1/ada", again=BEFORE) == {"hw2": ""}
    assert replaced_results([BEFORE, AGAIN], ["hw1"], "again/ada", again=AGAIN) == {"hw1": ""}


def test_a_part_of_the_same_hand_in_that_was_made_again_is_no_newer_hand_in():
    part = replace(WEEK1, id=3, asked=("hw1",), found=HW1, standing=HW1)
    whole = replace(WEEK1, standing=NONE)
    late = replace(AGAIN, found=HW2, standing=HW2)
    folders = replaced_results([whole, late, part], ["hw1", "hw2"], "week1/ada", again=whole)
    assert folders == {"hw1": ""}


# Rule 3


def test_a_grade_is_current_for_the_same_submission_and_graders():
    assert current_homeworks([WEEK1], "c1", "g") == BOTH
    assert current_homeworks([WEEK1], "c2", "g") is None
    assert current_homeworks([WEEK1], "c1", "other") is None
    assert current_homeworks([replace(WEEK1, is_our_fault=True)], "c1", "g") is None


def test_what_was_replaced_from_another_folder_needs_no_new_grading():
    assert current_homeworks([BEFORE, AGAIN], "c1", "g") == BOTH


def test_what_was_replaced_from_the_same_folder_or_is_gone_does():
    assert current_homeworks([BEFORE, replace(AGAIN, path="week1/ada.zip")], "c1", "g") is None
    assert current_homeworks([BEFORE], "c1", "g") is None


@pytest.mark.parametrize(("asked", "later", "current"), [((), (), None), (("hw1",), (), BOTH)])
def test_nothing_found_in_the_same_folder_later_is_heard_if_it_was_about_the_same(asked, later, current):
    gradings = [replace(WEEK1, asked=asked), Grading(2, "ada", "week1/ada", "c2", "g", asked=later)]
    assert current_homeworks(gradings, "c1", "g") == current


# Rule 4


def test_a_hand_in_that_was_replaced_as_a_whole_names_the_newest_other():
    old = replace(WEEK1, standing=NONE)
    newest = Grading(3, "ada", "late/ada", "c3", "g", found=HW2, standing=HW2)
    assert newer_hand_in([old, AGAIN, newest], Path("week1/ada"), "c1") == newest
    assert newer_hand_in([old, AGAIN, newest], "week1/ada", "changed") is None
    assert newer_hand_in([BEFORE, AGAIN], "week1/ada", "c1") is None


def test_a_hand_in_that_was_replaced_in_part_keeps_its_rank():
    assert partly_replaced([BEFORE, AGAIN], "week1/ada", "c1", ()) == (BEFORE, AGAIN)
    assert partly_replaced([BEFORE, AGAIN], "week1/ada", "c1", ("hw1",)) is None
    assert partly_replaced([BEFORE, AGAIN], "week1/ada", "changed", ()) is None
    assert partly_replaced([WEEK1], "week1/ada", "c1", ()) is None


def test_submissions_are_sorted_by_whether_they_are_to_be_graded():
    def sorted_in(path, content, *gradings, graders="g"):
        what_to_grade = WhatToGrade()
        what_to_grade.sort_in(Submission("ada", Path(path)), gradings, content, graders, ())
        return what_to_grade

    assert len(sorted_in("week1/ada", "c1").ungraded) == 1
    assert len(sorted_in("week1/ada", "c1", WEEK1).graded) == 1
    in_part = sorted_in("week1/ada", "c1", BEFORE, AGAIN, graders="other")
    assert (len(in_part.ungraded), in_part.again) == (1, {"ada": BEFORE})
    assert in_part.newer_folders == {"ada": "again"}
    as_a_whole = sorted_in("week1/ada", "c1", replace(WEEK1, standing=NONE, found=HW1), AGAIN)
    assert (as_a_whole.ungraded, as_a_whole.graded) == ([], [])
    assert as_a_whole.newer_folders == {"ada": "again"}


# Rule 5


def dropped_and_silenced(earlier, last):
    to_drop, to_silence = superseded_gradings([earlier, last], last, last.id)
    return [grading.id for grading in to_drop], [grading.id for grading in to_silence]


EMPTY = replace(WEEK1, standing=NONE)
LAST = Grading(2, "ada", "week1/ada", "c2", "g", found=BOTH, standing=BOTH)


@pytest.mark.parametrize(
    ("earlier", "last", "outcome"),
    [
        (EMPTY, LAST, ([1], [])),
        (BEFORE, LAST, ([], [1])),
        (EMPTY, AGAIN, ([], [1])),
        (BEFORE, AGAIN, ([], [])),
        (replace(EMPTY, found=NONE), AGAIN, ([1], [])),
        (replace(EMPTY, found=NONE, asked=("hw2",)), replace(AGAIN, asked=("hw1",)), ([], [])),
        (replace(EMPTY, found=NONE, failed_as_a_whole=True), replace(AGAIN, asked=("hw1",)), ([], [])),
        (replace(EMPTY, found=NONE, failed_as_a_whole=True), AGAIN, ([1], [])),
    ],
)
def test_the_last_grading_drops_and_silences_those_that_it_answers_for(earlier, last, outcome):
    assert dropped_and_silenced(earlier, last) == outcome


def test_a_newer_grading_is_never_dropped_by_one_made_again():
    assert superseded_gradings([BEFORE, replace(AGAIN, standing=NONE)], BEFORE, BEFORE.rank) == ([], [])


# Rule 6


def test_a_failure_stands_for_the_grading_before_it_of_the_same_path_and_homeworks():
    failure = Grading(2, "ada", "week1/ada", "c1", "g2", is_our_fault=True)
    [standing] = standing_gradings([WEEK1, failure])
    assert (standing.id, standing.found, standing.standing) == (2, BOTH, BOTH)
    other = replace(failure, asked=("hw1",))
    assert standing_gradings([WEEK1, other]) == [WEEK1, other]


def test_a_grading_of_which_nothing_stands_does_not_count_but_one_that_found_nothing_does():
    nothing = Grading(2, "ada", "late/ada", "c", "g")
    assert standing_gradings([EMPTY, nothing]) == [nothing]


def test_a_failure_in_grading_again_keeps_the_rank_of_what_it_stands_for():
    failure = Grading(3, "ada", "week1/ada", "c1", "g2", is_our_fault=True)
    gradings = [BEFORE, AGAIN, failure]
    [_, standing] = standing_gradings(gradings)
    assert replaced_results(gradings, ["hw1", "hw2"], "week1/ada", again=standing) == {"hw2": ""}
    assert partly_replaced(gradings, "week1/ada", "c1", ()) == (standing, AGAIN)


def test_a_failure_on_a_new_hand_in_is_newer_than_what_lies_between():
    failure = Grading(3, "ada", "week1/ada", "c3", "g", is_our_fault=True)
    gradings = [BEFORE, AGAIN, failure]
    [_, standing] = standing_gradings(gradings)
    taken = replaced_results(gradings, ["hw1", "hw2"], "week1/ada", again=standing)
    assert taken == {"hw1": "again", "hw2": ""}
    assert partly_replaced(gradings, "week1/ada", "c3", ()) is None


def test_what_a_failure_found_itself_is_replaced_when_it_is_made_again():
    failure = Grading(3, "ada", "week1/ada", "c1", "g2", found=HW2, standing=HW2, is_our_fault=True)
    earlier = replace(WEEK1, found=BOTH | {"hw3"}, standing=frozenset({"hw3"}))
    gradings = [earlier, AGAIN, failure]
    [_, standing] = standing_gradings(gradings)
    found = ["hw1", "hw2", "hw3"]
    assert replaced_results(gradings, found, "week1/ada", again=standing) == {"hw2": "", "hw3": ""}


# Forgetting, and grading again


def test_a_grading_is_empty_in_homeworks_if_nothing_else_was_asked_for():
    assert is_empty_in(EMPTY, ["hw5"])
    assert not is_empty_in(WEEK1, ())
    nothing = replace(EMPTY, found=NONE, asked=("hw1",))
    assert [is_empty_in(nothing, homeworks) for homeworks in ((), HW1, HW2)] == [True, True, False]


@pytest.mark.parametrize(
    ("grading", "chosen", "asked"),
    [
        (WEEK1, (), ()),
        (WEEK1, HW1, ("hw1",)),
        (AGAIN, HW1, ()),
        (replace(AGAIN, asked=("hw1", "hw2")), HW1, ("hw1", "hw2")),
        (replace(AGAIN, asked=("hw0", "hw1")), (), ("hw1",)),
        (Grading(3, "ada", "late/ada", "c", "g"), HW1, ()),
    ],
)
def test_a_grading_is_repeated_with_the_homeworks_that_were_asked_for(grading, chosen, asked):
    assert [again.asked for again in gradings_to_repeat([grading], BOTH, chosen)] == [asked]


@pytest.mark.parametrize(
    ("grading", "chosen"),
    [
        (AGAIN, HW2),
        (replace(AGAIN, asked=("hw0",)), ()),
        (Grading(3, "ada", "late/ada", "c", "g", asked=("hw1",)), HW2),
    ],
)
def test_a_grading_of_other_homeworks_is_not_repeated(grading, chosen):
    assert gradings_to_repeat([grading], BOTH, chosen) == []
