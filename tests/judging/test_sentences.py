"""The sentences that students read about a mistake: short, about their code, and never the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from autograder.course.cases import Group
from autograder.course.course import Course, find_course
from autograder.course.homework import Homework
from autograder.course.stub import stub_text
from autograder.judging.agreement import as_told
from autograder.judging.catalogue import read_catalogue
from autograder.judging.comparison import as_array
from autograder.judging.store import open_store

FEWEST, MOST = 6, 45
CODE_WORTH_HIDING = 6  # characters; shorter pieces such as `x.T` are names, no answers
LONGEST_PRINTED = 10  # decimals
WHOLE = r"(?<![\d.])\d+(?![\d.]*\d)"


@pytest.fixture(params=find_course().homework_ids())
def homework(request: pytest.FixtureRequest, course: Course) -> Homework:
    return course.homework(request.param)


def sentences(homework: Homework) -> dict[str, str]:
    return {one.id: one.says for one in read_catalogue(homework)}


def numbers_of(value: Any) -> Iterator[float]:
    array = as_array(value)
    for part in value if array is None else ():
        yield from numbers_of(part)
    yield from () if array is None else (float(number) for number in array.ravel())


def solution_code(homework: Homework) -> set[str]:
    """The expressions of the solution regions, without blanks."""
    source = homework.solution.read_text("utf-8")
    regions = re.findall(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", source, re.DOTALL)
    lines = [line.strip() for region in regions for line in region.splitlines()]
    parts = [re.sub(r"^(return |[\w, .]+ = )", "", line) for line in lines]
    return {code for part in parts if len(code := "".join(part.split())) >= CODE_WORTH_HIDING}


def test_every_sentence_has_six_to_forty_five_words(homework: Homework) -> None:
    lengths = {name: len(says.split()) for name, says in sentences(homework).items()}
    assert {name: n for name, n in lengths.items() if not FEWEST <= n <= MOST} == {}


def test_every_sentence_ends_and_is_finished(homework: Homework) -> None:
    for name, says in sentences(homework).items():
        assert says.endswith((".", "?")), name
        assert "TODO" not in says.upper(), name


def test_no_two_mistakes_are_told_by_the_same_sentence(homework: Homework) -> None:
    """Forms of one mistake, such as `a/b` and `a/c`, may be."""
    told = {(as_told((name,)), says) for name, says in sentences(homework).items()}
    assert len({says for _, says in told}) == len(told)


def test_no_sentence_gives_away_a_number_of_the_published_answers(homework: Homework, course: Course) -> None:
    """Small whole numbers are sizes, axes and counts of tokens: only they may be said."""
    published = [one for one in open_store(course, homework).read() if one.case.group == Group.PUBLISHED]
    answers = {
        f"{number:.{decimals}f}"
        for one in published
        for number in numbers_of(one.expected)
        for decimals in range(1, LONGEST_PRINTED)
    }
    for name, says in sentences(homework).items():
        said = set(re.findall(r"-?\d+\.\d+(?!\.?\d)", re.sub(r"[Ss]ection [\d.]+\d", "", says)))
        assert said & answers == set(), name
        whole = {int(number) for number in re.findall(WHOLE, says)}
        assert {number for number in whole if number > 9} <= homework_sizes(homework), name


def homework_sizes(homework: Homework) -> set[int]:
    """The whole numbers that handout and stub print themselves."""
    handed_out = (homework.folder / "handout.md").read_text("utf-8") + stub_text(homework)
    return {int(number) for number in re.findall(WHOLE, handed_out)}


def test_no_sentence_holds_a_line_of_the_solution(homework: Homework) -> None:
    code = solution_code(homework)
    assert code
    for name, says in sentences(homework).items():
        written = "".join(says.split())
        assert {part for part in code if part in written} == set(), name


def test_the_search_for_solution_lines_finds_them(course: Course) -> None:
    assert "scores/np.sqrt(d_k)" in solution_code(course.homework("hw1_attention_scores"))
