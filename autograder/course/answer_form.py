"""The form of an answer to a theory question, which students' machines know without the right answer."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.language import say


@dataclass(frozen=True)
class AnswerForm:
    """The form of an answer to a question, without the right answer.

    ``kind`` is choice, numeric or written; ``options`` are the labels of a choice, ``unit`` that of a number.
    """

    id: str
    kind: str
    options: tuple[str, ...] = ()
    unit: str = ""

    def instruction(self) -> str:
        """Return what to answer with, in the language of the students."""
        if self.kind == "choice":
            *others, last = [f'"{label}"' for label in self.options]
            return f"{', '.join(others)} {say('or')} {last}"
        if self.kind == "numeric":
            if self.unit:
                return say("a number ({unit})", unit=self.unit)
            return say("a number")
        return say("two or three sentences")
