"""Tell a student's work from the files that were handed out: the stub and the notebook of a homework."""

from __future__ import annotations

import re
from functools import cached_property

from autograder.course.homework import ANSWERS, Homework
from autograder.course.stub import notebook_name, stub_text
from autograder.intake.notebook import parse_notebook


def handed_out_texts(homework: Homework) -> list[str]:
    """Return the code that students receive: the stub, and the cells of the notebook if there is one.

    For a drill the list is empty: its students receive a solution with a mistake, or no code at all.
    """
    if homework.base is not None:
        return []
    texts = [stub_text(homework)]
    assignments = homework.folder.parents[1] / "assignments"
    notebook = assignments / homework.id / notebook_name(homework)
    if notebook.is_file():
        texts.append(parse_notebook(notebook.read_bytes(), notebook.name).text)
    return texts


class HandedOut:
    """The code that students receive with one homework, for comparison with what they hand in."""

    def __init__(self, homework: Homework) -> None:
        self._homework = homework
        names = []
        self._values = [ANSWERS]
        for task in homework.tasks:
            names.append(re.escape(task.name))
            if task.value:
                self._values.append(task.value)
        any_name = "|".join(names)
        self._first_task = re.compile(
            rf"^(?:def|class)[ \t]+(?:{any_name})\b", re.MULTILINE
        )

    def is_untouched(self, text: str) -> bool:
        """Return whether a file's text is the stub or the notebook, apart from white space.

        The text of a notebook is that of its code cells. Lines before the first task may be those of another
        release of the stub, so they are ignored unless they assign a value that counts as an answer.
        """
        return self._words_of(text) in self._words

    @cached_property
    def _words(self) -> list[list[str]]:
        """The words of each text, read when a file is first compared with them."""
        return [self._words_of(text) for text in handed_out_texts(self._homework)]

    def _words_of(self, text: str) -> list[str]:
        """Return the words of a text, from its first task on if nothing before it counts."""
        first_task = self._first_task.search(text)
        if first_task is not None:
            before = text[: first_task.start()]
            if not any(value in before for value in self._values):
                text = text.removeprefix(before)
        return text.split()
