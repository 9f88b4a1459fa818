"""Use an object of a student's class step by step: call its methods, and look at its attributes.

A step is a tuple: the name of a method and its arguments, or the name of an attribute after a dot, by itself.
The object stays here. Its answer is what each method returned and each attribute held at that moment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from autograder.worker.composites import Composite
from autograder.worker.wire import MOST_CONTAINERS, Bag, decode, encode

Steps = Sequence[Sequence[Any]]
DOT = "."
"""What the name of an attribute begins with."""
RESULT_OF = "the result of"
MAX_TYPE = 100


class StepFailed(Exception):
    """Some steps raised; those after them were taken as well.

    Attributes:
        error: the first exception.
        step: the place of its step.
        answer: what came of all steps, with an exception in the place of a value.
    """

    def __init__(self, error: Exception, step: int, answer: Composite) -> None:
        super().__init__(step)
        self.error = error
        self.step = step
        self.answer = answer


def titles_of(steps: Steps) -> list[str]:
    """Name each step, as in "`update` number 2" and "`.mean` after `update` number 2".

    A method that is called only once has no number.
    """
    calls = Counter(name for name, *_ in steps)
    calls_so_far = Counter[str]()
    moment = "of the new object"
    titles = []
    for name, *_ in steps:
        if name.startswith(DOT):
            titles.append(f"`{name}` {moment}")
            continue
        title = f"`{name}`"
        calls_so_far[name] += 1
        if calls[name] > 1:
            title = f"{title} number {calls_so_far[name]}"
        moment = f"after {title}"
        titles.append(title)
    return titles


def take_steps(instance: Any, steps: Steps) -> Composite:
    """Take all steps and return their results, each by a name that students understand.

    A method that returns the object itself, so that calls can be chained, counts as one that returns nothing.

    Raises:
        StepFailed: some steps raised.
    """
    values: list[Any] = []
    failures: list[tuple[Exception, int]] = []
    for place, (name, *arguments) in enumerate(steps):
        try:
            value = getattr(instance, name.removeprefix(DOT))
            if not name.startswith(DOT):
                value = value(*arguments)
            if value is instance:
                value = None
            value = as_plain_data(value)
        except Exception as error:  # whatever a submission raises is data
            failures.append((error, place))
            name_of_type = type(error).__name__
            value = Composite("exception", {"name": name_of_type[:MAX_TYPE]})
        values.append(value)
    names = titles_of(steps)
    for place, (name, *_) in enumerate(steps):
        if not name.startswith(DOT):
            names[place] = f"{RESULT_OF} {names[place]}"
    answer = Composite("steps", {"names": names, "values": values})
    if failures:
        first_error, first_place = failures[0]
        raise StepFailed(first_error, first_place, answer)
    return answer


def as_plain_data(value: Any, as_torch: bool = False) -> Any:
    """Return a copy of a value as plain data, because submitted code may change the value later."""
    arrays = Bag()
    arrays.containers_left = MOST_CONTAINERS
    return decode(encode(value, arrays), arrays, as_torch)
