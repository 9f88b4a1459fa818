"""Theory questions for the tiny homework: one of each kind."""

from pathlib import Path

from tiny import Tiny

from autograder.course.homework import Homework, Task
from autograder.course.questions import QUESTIONS, Question, read_questions
from autograder.sandbox.request import Limits

TEXT = '''
[[questions]]
id = "shape"
kind = "choice"
points = 1
title = "The shape of twice as much"
text = """
What shape does `double(x)` have?
"""
right = "b"

[questions.options]
a = "Twice that of x."
b = "That of x."
c = "None."

[questions.mistakes]
a = "the numbers double, not their count."
c = "every array has a shape."

[[questions]]
id = "total"
kind = "numeric"
points = 0.5
title = "A total"
text = "What is the sum of 2 and -4.5?"
number = -2.5
tolerance = 0.01
unit = "apples"
hint = "Mind the sign."

[[questions.mistakes]]
number = 6.5
mistake = "the sign got lost."

[[questions]]
id = "why"
kind = "written"
title = "Why twice"
text = "Say why."

[[questions.rubric]]
points = 1.5
text = "Names a reason."

[[questions.rubric]]
points = 0.5
text = "Is brief."
'''
MARK = "# {{ answers }}"


def ask(tiny: Tiny, text: str = TEXT) -> Path:
    """Give the tiny homework its questions: the file, and the places in stub and handout."""
    path = tiny.folder / QUESTIONS
    path.write_text(text, encoding="utf-8")
    for name, line in (("doubles.py", MARK), ("handout.md", "{{ questions }}")):
        file = tiny.folder / name
        if line not in file.read_text("utf-8"):
            file.write_text(f"{file.read_text('utf-8')}\n\n{line}\n", encoding="utf-8")
    return path


def asking(questions: tuple[Question, ...], *, counted: bool = False) -> Homework:
    """A homework of one task of 10 points and these questions."""
    task = Task("double", 10, "twice x", ("y",))
    about = ("tiny", Path(), "Tiny", "doubles.py", "numpy", (task,), Limits(), "always")
    return Homework(*about, questions=questions, questions_count=counted)


def questions(folder: Path) -> tuple[Question, ...]:
    """The questions themselves, read from a file in this folder."""
    path = folder / QUESTIONS
    path.write_text(TEXT, encoding="utf-8")
    return read_questions(path)
