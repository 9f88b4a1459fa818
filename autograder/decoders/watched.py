"""A training that is done once more to watch it; where something of that fails, only the words are missing."""

from __future__ import annotations

from dataclasses import replace

from autograder.course.calls import FunctionCall
from autograder.decoders.faults import ModelFault
from autograder.decoders.learned import Exercise
from autograder.decoders.next_tokens import fault_of_comparison
from autograder.decoders.trainings import TrainingCourse, course_in_words, read_course
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.fixtures import SubmissionProxy
from autograder.verdict.known import KnownCase

MOST_SECONDS = 15
"""A training that takes longer is not repeated: to watch it takes up to twice as long."""


def watch_training(
    submission: SubmissionProxy, known: KnownCase
) -> TrainingCourse | None:
    """Train once more and watch; None where that takes long or does not work.

    Args:
        submission: makes the call.
        known: a case that calls a function which trains.
    """
    call = known.case.call
    answer = submission.answer(known)
    if not isinstance(call, FunctionCall) or answer.seconds > MOST_SECONDS:
        return None
    with explaining("how the model was trained"):
        key = f"{known.case.id}, watched"
        watched = submission.call_once(key, replace(call, watched=True))
        return read_course(watched.trained)
    return None


def fault_of_loss(
    course: TrainingCourse | None, exercise: Exercise
) -> ModelFault | None:
    """Say what the loss compares wrongly; None where it is right or where that is not known."""
    if course is None:
        return None
    with explaining("what the loss compares"):
        return fault_of_comparison(course, exercise.sequences, exercise.n_prompt)
    return None


def losses_in_words(course: TrainingCourse | None, exercise: Exercise) -> str:
    """Say what the losses of a training show, and what may be changed; nothing where too little is known."""
    if course is None:
        return ""
    with explaining("how the losses went"):
        n_symbols = int(exercise.sequences.max()) + 1
        return course_in_words(course, n_symbols)
    return ""
