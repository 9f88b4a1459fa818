from __future__ import annotations

from pathlib import Path

import pytest
from tiny import Tiny

from autograder.diagnosis.catalogue import CATALOGUE, Misconception, read_catalogue
from autograder.homework.course import Course
from autograder.homework.model import CourseError

from .mistakes import write_mistakes

ENTRY = """
[[misconceptions]]
id = "triples"
tasks = ["double"]
says = "Three times as large."
"""


def one(name: str, excludes: tuple[str, ...] = (), alone: bool = False) -> Misconception:
    return Misconception(name, ("double",), "Something.", frozenset(excludes), alone)


def test_every_entry_is_read_in_its_order_with_all_it_says(tiny: Tiny) -> None:
    found = read_catalogue(write_mistakes(tiny).homework)
    names = ["triples", "squares", "adds-one", "first-only", "mean-for-sum", "sum-for-product"]
    assert [misconception.id for misconception in found] == names
    assert found[2].tasks == ("double", "totals")
    assert (found[1].excludes, found[1].alone, found[1].about_size) == ({"triples"}, False, False)
    assert (found[3].excludes, found[3].alone, found[3].about_size) == (frozenset(), True, True)


def test_a_sentence_over_several_lines_becomes_one_line(tiny: Tiny) -> None:
    squares = read_catalogue(write_mistakes(tiny).homework)[1]
    assert squares.says == "Your numbers are multiplied by themselves. Each one should be twice as large."


def test_a_homework_without_a_catalogue_has_no_misconceptions(tiny: Tiny) -> None:
    assert read_catalogue(tiny.homework) == ()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[misconceptions]", "line 1"),
        ("", "misconceptions"),
        ("misconceptions = 3", "misconceptions"),
        (ENTRY.replace('id = "triples"', ""), "id"),
        (ENTRY.replace('says = "Three times as large."', ""), "says"),
        (ENTRY.replace('"Three times as large."', '" "'), "says"),
        (ENTRY.replace('tasks = ["double"]', ""), "tasks"),
        (ENTRY.replace('["double"]', "[]"), "tasks"),
        (ENTRY.replace('["double"]', '"double"'), "tasks"),
        (ENTRY.replace('["double"]', '["halve"]'), "halve"),
        (ENTRY + 'exclude = ["squares"]', "exclude"),
        (ENTRY + 'excludes = "squares"', "excludes"),
        (ENTRY + 'excludes = ["squares"]', "squares"),
        (ENTRY + 'alone = "no"', "alone"),
        (ENTRY + "about_size = 1", "about_size"),
        (ENTRY + ENTRY, "triples"),
    ],
)
def test_a_mistake_in_the_file_is_refused_with_the_file_and_the_word(
    tiny: Tiny, text: str, complaint: str
) -> None:
    path = tiny.folder / CATALOGUE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CourseError) as caught:
        read_catalogue(tiny.homework)
    assert str(caught.value).startswith(f"{path}: ")
    assert complaint in str(caught.value).removeprefix(f"{path}: ")


def test_a_file_that_is_no_text_is_refused_with_its_name(tiny: Tiny) -> None:
    path = tiny.folder / CATALOGUE
    path.write_bytes(b'[[misconceptions]]\nid = "\xff"')
    with pytest.raises(CourseError, match=CATALOGUE):
        read_catalogue(tiny.homework)


def test_two_mistakes_go_together_unless_one_of_them_forbids_it() -> None:
    assert one("a").goes_with(one("b"))
    assert not one("a", excludes=("b",)).goes_with(one("b"))
    assert not one("b").goes_with(one("a", excludes=("b",)))
    assert not one("a", alone=True).goes_with(one("b"))
    assert not one("a").goes_with(one("b", alone=True))


def test_every_homework_of_the_course_has_a_catalogue(course: Course) -> None:
    for homework in course.homeworks():
        found = read_catalogue(homework)
        assert len(found) >= 20, homework.id
        assert Path(homework.folder / CATALOGUE).is_file()
