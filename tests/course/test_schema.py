from __future__ import annotations

import enum
from dataclasses import dataclass

import pytest

from autograder.course.schema import (
    Amount,
    CourseError,
    Record,
    Text,
    parse_toml,
    read_json,
    read_toml,
    typed,
    wrong_value,
)


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Size:
    width: float
    height: float = 1.0


class Circle(Record, tag_field="shape", tag="circle"):
    radius: Amount


class Square(Record, tag_field="shape", tag="square"):
    side: Amount
    colour: Colour = Colour.RED

    def __post_init__(self):
        if self.side > 10:
            raise wrong_value("side", "at most 10", self.side)


class Drawing(Record):
    title: Text
    shapes: tuple[Circle | Square, ...] = ()
    sizes: dict[str, Size] = {}
    note: Text | None = None
    weight: Amount = 0


def test_tables_become_records_of_the_type_that_their_tag_names():
    text = 'title = "a"\nsizes.small.width = 2\n[[shapes]]\nshape = "square"\nside = 3\ncolour = "blue"\n'
    read = parse_toml(text, Drawing, "d.toml")
    assert read.shapes == (Square(side=3.0, colour=Colour.BLUE),)
    assert read.sizes == {"small": Size(2.0)}


@pytest.mark.parametrize(
    ("tree", "complaint"),
    [
        ({}, "title is missing"),
        ([], "expected a table, got []"),
        ({"title": 3}, "title: expected a text that is not blank, got 3"),
        ({"title": "a", "note": ""}, 'note: expected a text that is not blank, got ""'),
        (
            {"title": "a", "notes": ""},
            "notes is unknown; the known keys are title, shapes, sizes, note, weight",
        ),
        ({"title": "a", "shapes": "round"}, 'shapes: expected a list, got "round"'),
        ({"title": "a", "shapes": ["round"]}, 'shapes[1]: expected a table, got "round"'),
        ({"title": "a", "shapes": [{}]}, "shapes[1].shape is missing"),
        ({"title": "a", "shapes": [{"shape": ["x"]}]}, "shapes[1].shape: expected one of circle, square"),
        ({"title": "a", "shapes": [{"shape": "oval"}]}, "shapes[1].shape: expected one of circle, square"),
        ({"title": "a", "shapes": [{"shape": "circle", "radius": True}]}, "shapes[1].radius: expected a num"),
        ({"title": "a", "weight": 10**400}, "weight: expected a number, not negative, got 1000000"),
        ({"title": "a", "shapes": [{"shape": "circle", "side": 1}]}, "keys are shape, radius"),
        ({"title": "a", "shapes": [{"shape": "square", "side": 11}]}, "shapes[1].side: expected at most 10"),
        ({"title": "a", "shapes": [{"shape": "square", "side": 1, "colour": "red "}]}, "one of blue, red"),
        ({"title": "a", "sizes": {"small": {"width": "x"}}}, "sizes: expected a table, got"),
    ],
)
def test_a_complaint_names_file_key_and_what_belongs_there(tree, complaint):
    with pytest.raises(CourseError) as refused:
        typed(tree, Drawing, "d.toml")
    assert str(refused.value).startswith("d.toml: ")
    assert complaint in str(refused.value)


def test_the_place_of_a_table_may_be_given():
    with pytest.raises(CourseError, match=r"^d\.toml: drawings\.first\.title is missing$"):
        typed({}, Drawing, "d.toml", "drawings.first")


def test_a_long_value_is_shown_by_its_beginning():
    assert len(str(wrong_value("key", "a number", "x" * 10_000))) < 100


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_json_numbers_are_finite(tmp_path, number):
    path = tmp_path / "s.json"
    path.write_text(f'{{"width": {number}}}', "utf-8")
    with pytest.raises(CourseError, match=r"s\.json: width: expected a number"):
        read_json(path, Size)


@pytest.mark.parametrize("data", [None, b"\xff", b"{", b"title = "])
@pytest.mark.parametrize("read", [read_json, read_toml])
def test_a_file_that_cannot_be_read_is_named(tmp_path, read, data):
    path = tmp_path / "drawing"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(CourseError, match=r"drawing( cannot be read|: not valid)"):
        read(path, Drawing)
