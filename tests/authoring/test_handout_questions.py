import pytest
from asked import ask
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.handouts.page import handout_files
from autograder.handouts.text import question_list

LISTED = """\
Put your answers into the dictionary `answers` at the end of `doubles.py`. They are a bonus of up to 3.5 \
points beyond the 5.5 of the code; right code is enough for full marks. A wrong answer costs nothing.

1. **The shape of twice as much** (`shape`: "a", "b" or "c"; 1 point)

   What shape does `double(x)` have?

   - `a`: Twice that of x.
   - `b`: That of x.
   - `c`: None.

2. **A total** (`total`: a number (apples); 0.5 points)

   What is the sum of 2 and -4.5?

3. **Why twice** (`why`: two or three sentences; 2 points)

   Say why."""


def test_questions_are_listed_with_their_options_and_points_and_nothing_else(tiny):
    ask(tiny)
    assert question_list(tiny.homework, "at the end of `doubles.py`") == LISTED


def test_a_homework_without_questions_lists_none(tiny):
    assert question_list(tiny.homework, "at the end of `doubles.py`") == ""


def test_the_handout_asks_them_where_its_placeholder_stands(tiny, pool):
    ask(tiny)
    files = handout_files(tiny.homework, pool)
    assert LISTED in files["handout.md"]
    assert "Twice that of x." in files["handout.html"]


def test_a_handout_that_has_no_place_for_the_questions_is_refused(tiny, pool):
    ask(tiny)
    tiny.edit("handout.md", "{{ questions }}", "")
    with pytest.raises(CourseError, check=to_authors["handout_questions.needs-a-line-questions"]):
        handout_files(tiny.homework, pool)
