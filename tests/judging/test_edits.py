from pathlib import Path

import pytest
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.reasons.source_text import SourceText

TEXT = '''\
import functools


@functools.cache
def area(side):
    """Return the area: side * side."""
    # Multiply side * side.
    return side * side


class Box:
    """A box."""

    def volume(self, side):
        area_ = area(side)  # µm²
        return area_ * side


def unused(side):
    return side
'''
SOLUTION = SourceText(Path("boxes.py"), TEXT)


def test_only_code_is_searched_for_the_text():
    edit = SOLUTION.replace("area", "side * side", "4 * side")
    assert SOLUTION.edited([edit]) == TEXT.replace("return side * side", "return 4 * side")
    header = SOLUTION.replace("area", "(side)", "(edge, side)")
    assert "def area(edge, side):" in SOLUTION.edited([header, edit])
    with pytest.raises(ValueError, match=r"'Multiply' occurs 0 times .*area \(boxes\.py, line 5\)"):
        SOLUTION.replace("area", "Multiply", "Add")


def test_a_text_that_is_not_there_or_too_often_is_told_with_the_lines_to_look_at():
    with pytest.raises(ValueError, check=to_authors["edits.nearest-text"]):
        SOLUTION.replace("area", "return side*side", "")
    with pytest.raises(ValueError, check=to_authors["edits.too-often"]):
        SOLUTION.replace("area", "side", "edge")


def test_a_method_is_edited_by_its_whole_name_and_behind_letters_of_two_bytes():
    edit = SOLUTION.replace("Box.volume", "area_ * side", "area_")
    assert SOLUTION.edited([edit]) == TEXT.replace("return area_ * side", "return area_")


def test_a_new_body_keeps_the_docstring_and_what_stands_around_it():
    edit = SOLUTION.replace_body("area", "edge = side\nreturn edge")
    assert SOLUTION.edited([edit]) == TEXT.replace("return side * side", "edge = side\n    return edge")
    whole = SOLUTION.replace_body(
        "Box.volume",
        """
        return 0
    """,
    )
    assert SOLUTION.edited([whole]).partition("side):\n        ")[2].startswith("return 0\n\n\ndef unused")


def test_the_functions_that_change_are_given_whole_with_their_decorators():
    edit = SOLUTION.replace("area", "side * side", "4 * side")
    (part,) = SOLUTION.edited_parts([edit])
    assert part.startswith("@functools.cache\ndef area(side):\n")
    assert part.endswith("    return 4 * side")
    volume = SOLUTION.replace("Box.volume", "area_ * side", "area_")
    assert [part.split("(")[0].split(":")[0] for part in SOLUTION.edited_parts([edit, volume])] == [
        "@functools.cache\ndef area",
        "class Box",
    ]


def test_an_edit_reaches_what_uses_the_function():
    assert SOLUTION.reached_by([SOLUTION.replace("area", "side * side", "0")]) == {"area", "Box"}
    assert SOLUTION.reached_by([SOLUTION.replace("unused", "return", "return 2 *")]) == {"unused"}


def test_what_is_no_python_is_refused_with_its_file():
    with pytest.raises(CourseError, check=to_authors["edits.helpers-of-its-mistakes"]):
        SourceText(Path("boxes.py"), TEXT, "def helper(:").matching("*")
