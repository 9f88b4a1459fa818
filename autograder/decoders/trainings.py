"""What the course of a training shows, for reasons why a model has not learned what it should.

The worker notes it while a function trains (``worker/facts/watching.py``), in the student's process. So it may be
forged: verdicts never depend on it, and nothing of it is longer than what was read here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, log
from typing import Any

import numpy as np

from autograder.verdict.arrays import as_array
from autograder.worker.wire import Array

MOST_NUMBERS = 200_000
LARGEST_COUNT = 10**9
COUNTS = (
    "steps",
    "idle_steps",
    "backwards",
    "uncleared",
    "different_rows",
    "models",
    "in_optimizer",
    "in_module",
)
SERIES = ("losses", "rates", "sizes_of_batches")
TENSORS_OF_COMPARISON = ("tokens", "output", "input", "target")
IGNORED = -100
"""The target that does not count, if nothing else is said."""
NO_NUMBERS = np.zeros(0)
FEW_STEPS = 20
"""In fewer steps nothing is learned, whatever they are like."""
SHARE_OF_ENDS = 20
"""The loss at the beginning and in the end is the mean of one in so many losses."""
VANISHED = 0.01
"""A learning rate below this share of the largest changes nothing any more."""
MUCH_TOO_HIGH = 3
"""So many times the loss of a model that has learned nothing comes of steps that are too large."""
STILL_FALLING = 0.9
"""The loss in the end, as a share of what it was on the way from half to two thirds, where it still falls."""
LOW_LOSS = 0.1
HARDLY = 0.9
"""The loss in the end, as a share of what it was at first, where it has hardly fallen."""


@dataclass(frozen=True, eq=False)
class TrainingCourse:
    """How a model was trained, as far as it was noted.

    Attributes:
        steps: how many steps optimizers of torch took.
        idle_steps: how many of them without any gradient.
        backwards: how many losses gradients were computed of.
        uncleared: how often gradients from before were still there then.
        different_rows: how many different rows the model was given.
        models: how many models of the class a loss was computed with.
        in_optimizer: how many numbers of the model that answers an optimizer had.
        in_module: how many numbers this model learns.
        losses, rates: one number for each loss or step of the model that answers.
        sizes_of_batches: the number of rows for each loss.
        comparison: of one of the last losses, what the model was given (``tokens``) and returned (``output``),
            and what was compared (``input`` and ``target``). Empty where that is not known.
        ignored: the target that does not count.
    """

    steps: int = 0
    idle_steps: int = 0
    backwards: int = 0
    uncleared: int = 0
    different_rows: int = 0
    models: int = 0
    in_optimizer: int = 0
    in_module: int = 0
    losses: Array = field(default_factory=NO_NUMBERS.copy)
    rates: Array = field(default_factory=NO_NUMBERS.copy)
    sizes_of_batches: Array = field(default_factory=NO_NUMBERS.copy)
    comparison: dict[str, Array] = field(default_factory=dict)
    ignored: int = IGNORED

    @property
    def end(self) -> float:
        """The loss in the end; infinite where there is none."""
        if not len(self.losses):
            return inf
        return float(self.losses[-self._count_at_ends :].mean())

    @property
    def begin(self) -> float:
        """The loss at the beginning."""
        return float(self.losses[: self._count_at_ends].mean())

    @property
    def _count_at_ends(self) -> int:
        return max(1, len(self.losses) // SHARE_OF_ENDS)


def read_course(trained: Any) -> TrainingCourse | None:
    """Return the course of a training from what a watched call reports; None where it has another form."""
    if not isinstance(trained, dict):
        return None
    course = trained.get("course")
    if not isinstance(course, dict):
        return None
    counts: dict[str, Any] = {}
    for name in COUNTS:
        count = course.get(name)
        if type(count) is not int or not 0 <= count <= LARGEST_COUNT:
            return None
        counts[name] = count
    series: dict[str, Any] = {}
    for name in SERIES:
        numbers = as_array(course.get(name), MOST_NUMBERS)
        if numbers is None or numbers.ndim != 1:
            return None
        series[name] = numbers.astype(np.float64)
    comparison, ignored = _read_comparison(course.get("comparison"))
    return TrainingCourse(
        **counts,
        **series,
        comparison=comparison,
        ignored=ignored,
    )


def _read_comparison(noted: Any) -> tuple[dict[str, Array], int]:
    """Return the tensors of a noted comparison, none where one is missing, and the target that does not count."""
    if not isinstance(noted, dict) or not noted:
        return {}, IGNORED
    comparison: dict[str, Array] = {}
    for name in TENSORS_OF_COMPARISON:
        array = as_array(noted.get(name), MOST_NUMBERS)
        if array is None:
            comparison = {}
            break
        comparison[name] = array
    ignored = noted.get("ignored")
    if type(ignored) is int:
        return comparison, ignored
    return comparison, IGNORED


def why_norms_unchanged(course: TrainingCourse | None) -> str:
    """Say of a model whose norms are as they began what its training lacks."""
    why = "training has not changed the norms of the model that answers, whose gains are still exactly 1"
    cause = ""
    if course is not None:
        cause = why_unchanged(course)
    if cause:
        return f"{why}: {cause}"
    why += ". Is it the one that was trained, and does the loop call `step()` of an optimizer of all its "
    why += "parameters, after `backward()` of the loss, and no `zero_grad()` between the two?"
    return why


def why_unchanged(course: TrainingCourse) -> str:
    """Say why no step has changed a model that answers; nothing where that is not known."""
    if course.backwards == 0 and course.steps == 0:
        return "neither `backward()` nor the `step()` of an optimizer is called."
    if course.backwards == 0:
        return "`backward()` of a loss is never called, so that there are no gradients."
    if course.steps == 0:
        return (
            "`backward()` is called, and the `step()` of an optimizer of torch never."
        )
    if course.in_module and not course.in_optimizer:
        return (
            "the optimizer has none of the parameters of the model that answers. "
            "Which model's parameters does it get?"
        )
    if course.in_optimizer < course.in_module:
        return (
            f"the optimizer has {course.in_optimizer} of the {course.in_module} numbers of the model that "
            "answers. Which parameters does it get?"
        )
    if course.idle_steps == course.steps:
        return (
            f"at each of the {course.steps} steps all gradients were missing or 0. What stands between "
            "`backward()` and `step()`, such as `zero_grad()`?"
        )
    if course.rates.size and not course.rates.any():
        return "the learning rate is 0 at each step."
    return ""


def why_not_a_number(course: TrainingCourse) -> str:
    """Say from when on losses are NaN or infinite; nothing where none is."""
    wrong = np.flatnonzero(~np.isfinite(course.losses))
    if not len(wrong):
        return ""
    text = f"the loss of batch {wrong[0] + 1} is not a number, and from then on nothing is learned."
    sizes = course.sizes_of_batches
    if wrong[0] < len(sizes) and sizes[wrong[0]] == 0:
        empty = int((sizes == 0).sum())
        text += f" This batch has no rows; {empty} of the {len(sizes)} batches have none. How are rows taken?"
        return text
    if len(course.rates):
        text += f" The learning rate is {course.rates.max():.2g}."
    return text


def course_in_words(course: TrainingCourse, n_symbols: int) -> str:
    """Say what the losses of a training show, and what may be changed; nothing where too little is known."""
    if not len(course.losses) or not np.isfinite(course.losses).all():
        return ""
    text = _losses_in_words(course, n_symbols)
    fault = _fault_of_steps(course)
    if fault:
        return f"{text} {fault}"
    return f"{text} {_advice(course, n_symbols)}".rstrip()


def _losses_in_words(course: TrainingCourse, n_symbols: int) -> str:
    """Say from where to where the loss goes, and with which settings."""
    sizes = course.sizes_of_batches
    rates = course.rates
    text = f"in {len(course.losses)} batches"
    if len(sizes) and sizes.min() == sizes.max():
        text += f" of {sizes[0]:.0f}"
    text += f" the loss goes from {course.begin:.2f} to {course.end:.2f}"
    if len(rates):
        text += f", with a learning rate of {rates.max():.2g}"
        if rates.min() < rates.max():
            text += " at most"
    text += f" (one that has learned nothing has about ln {n_symbols} = {log(n_symbols):.2f})."
    if course.models > 1 and len(course.losses) < course.backwards:
        text += f" That is the last of {course.models} models; what the others have learned is lost."
    return text


def _fault_of_steps(course: TrainingCourse) -> str:
    """Say what is wrong with the steps, whatever the losses are; nothing where that is not known."""
    if course.backwards > 1 and course.uncleared >= course.backwards - 1:
        return (
            "At each `backward()` the gradients of the batches before are still there, and are added up: "
            "clear them (`zero_grad()`)."
        )
    if 0 < course.in_optimizer < course.in_module:
        return (
            f"The optimizer has {course.in_optimizer} of the {course.in_module} numbers of the model that "
            "answers: which parameters does it get?"
        )
    if len(course.losses) < FEW_STEPS:
        return "Train with more batches."
    rates = course.rates
    if len(rates) and rates.max() > 0:
        vanished = np.flatnonzero(rates < VANISHED * rates.max())
        too_early = vanished[vanished > np.argmax(rates)]
        if len(too_early) and too_early[0] < len(rates) / 2:
            return (
                f"From step {too_early[0] + 1} on, the learning rate is less than 1/100 of the largest: what "
                "comes after it is hardly learned from. Let it shrink later, or not at all."
            )
    return ""


def _advice(course: TrainingCourse, n_symbols: int) -> str:
    """Say what may be changed, by how the losses went; nothing where the last ones are low."""
    losses = course.losses
    begin = course.begin
    end = course.end
    after_half = len(losses) // 2
    after_two_thirds = 2 * len(losses) // 3
    middle = float(losses[after_half : after_two_thirds + 1].mean())
    highest = float(losses.max())
    if highest > MUCH_TOO_HIGH * log(n_symbols):
        return f"On the way it was {highest:.1f}: the steps are too large."
    if end > max(begin, log(n_symbols)):
        return "It grows: are the steps too large?"
    if end < LOW_LOSS:
        return ""
    if end < STILL_FALLING * middle:
        return "It is still falling: train for longer, or in larger steps."
    if end > HARDLY * begin:
        return "It hardly falls: is the learning rate too small?"
    return "In the end it hardly falls: try another learning rate, or train for longer."
