"""What students' public cases show: other sizes than the published ones, large numbers, most points."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from released import CORPUS, unzip

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.course import Case, Course, Group, ModuleCall, find_course, stored_cases
from autograder.judging import Outcome, load_checks
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.worker import Tensor

HOMEWORKS = find_course().homework_ids()
HW4 = "hw4_self_attention_columns"
MOST = 16
# Blocks with the default sizes, and pairs of inputs of one size, which are judged by each other.
OF_FIXED_SIZE = {"influence", "defaults"}


def sizes(value: Any) -> Iterator[int]:
    """The sizes of an argument, and a whole number itself, in one order for equal kinds of arguments."""
    if isinstance(value, ModuleCall):
        yield from (*sizes(value.args), *sizes(value.input))
    elif isinstance(value, Tensor):
        yield from value.array.shape
    elif isinstance(value, np.ndarray):
        yield from value.shape
    elif isinstance(value, list):
        yield len(value)
        yield from sizes(value[0]) if isinstance(value[0], np.ndarray) else ()
    elif isinstance(value, tuple):
        for one in value:
            yield from sizes(one)
    elif isinstance(value, int):
        yield value


def sizes_of(case: Case) -> list[int]:
    return list(sizes(case.call if isinstance(case.call, ModuleCall) else case.call.args))


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_no_size_of_a_public_case_is_that_of_another_or_of_a_published_one(
    homework_id: str, course: Course
) -> None:
    known = [one for one in stored_cases(course.homework(homework_id)) if one.topic not in OF_FIXED_SIZE]
    for task in {one.task for one in known}:
        published = [one for one in known if one.task == task and one.group is Group.PUBLISHED]
        public = [one for one in known if one.task == task and one.group is Group.PUBLIC]
        assert published, task
        assert public, task
        pairs = [*itertools.product(public, published), *itertools.combinations(public, 2)]
        for one, other in pairs:
            same = [a for a, b in zip(sizes_of(one), sizes_of(other), strict=True) if a == b]
            assert set(same) <= {1}, f"{one.id} and {other.id} share sizes {same}"  # 1 is a column's width


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_no_public_case_has_the_sizes_of_a_hidden_one(homework_id: str, course: Course) -> None:
    known = stored_cases(course.homework(homework_id))
    public, hidden = ([one for one in known if one.group is group] for group in (Group.PUBLIC, Group.HIDDEN))
    for one, other in itertools.product(public, hidden):
        if (one.task, one.topic) == (other.task, other.topic):
            assert sizes_of(one) != sizes_of(other), f"{one.id} and {other.id}"


@pytest.mark.parametrize("homework_id", [one for one in HOMEWORKS if not one.startswith("hw6")])
def test_large_numbers_are_public_where_a_softmax_is_asked_for(homework_id: str, course: Course) -> None:
    homework = course.homework(homework_id)
    large = [one for one in stored_cases(homework) if one.group is Group.PUBLIC and one.topic == "large"]
    assert large
    assert [one for one in load_checks(homework) if one.name.endswith("_large") and not one.public] == []


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_most_points_can_be_checked_before_handing_in(homework_id: str, course: Course) -> None:
    homework = course.homework(homework_id)
    public = sum(one.points for one in load_checks(homework) if one.public)
    assert public >= MOST
    assert checks_text(homework, public_checks(homework))


def test_code_for_the_published_number_of_tokens_alone_fails_public_checks(tmp_path: Path) -> None:
    public = open_homework(unzip(HW4, tmp_path))
    text = (CORPUS / HW4 / "mistaken" / "hard-coded-size-three-tokens.py").read_text("utf-8")
    (tmp_path / public.homework.stub).write_text(text, encoding="utf-8")
    report = check_work(public, find_work(public, tmp_path))
    failed = {one.check for one in report.results if one.outcome is Outcome.FAILED}
    assert failed == {"softmax_sizes", "per_token_sizes", "matrix_sizes", "scaled_sizes"}
