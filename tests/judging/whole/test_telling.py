"""Every drill that asks for inputs can be passed, with inputs found by search, and not with empty ones."""

import itertools
from typing import Any

import numpy as np
import pytest
from homeworks import NINE

from autograder.course.homework import EXAMPLES
from autograder.examples.form import MASK, MOST_EXAMPLES
from autograder.examples.telling import NoExamplesError, RefusedInputError, exams
from autograder.verdict.checks import Outcome

Input = tuple[Any, ...]
MOST_DRAWS = 800
SCALES = (1, 30, 1000)
LETTERS = "abcdefgh"


@pytest.mark.parametrize("homework_id", NINE)
def test_inputs_found_by_search_earn_everything(homework_id, course, pool, grade_text):
    lists = []
    for task, exam in exams(course, course.homework(homework_id)).items():
        inputs, missed = search(exam, pool)
        assert not missed, f"no input of {task}{EXAMPLES} tells {missed} from right code"
        lists.append(written(task, inputs))
    result = grade_text(homework_id + EXAMPLES, "\n".join(lists))
    failed = [check.check for check in result.checks if check.reason]
    assert (failed, result.earned) == ([], result.points)


@pytest.mark.parametrize("homework_id", NINE)
def test_zeros_in_the_smallest_arrays_do_not_pass(homework_id, course, pool, grade_text):
    exams_by_name = exams(course, course.homework(homework_id))
    lists = [written(task, [smallest(exam, pool)]) for task, exam in exams_by_name.items()]
    result = grade_text(homework_id + EXAMPLES, "\n".join(lists))
    passed = {check.check for check in result.checks if check.outcome is Outcome.PASSED}
    halves = {f"{task}{EXAMPLES}_50" for task in exams_by_name}
    assert passed - halves == {f"{task}{EXAMPLES}_valid" for task in exams_by_name}
    # A mask for one token, or a sentence without words, shows half of the known mistakes; nothing else does.
    assert passed & halves <= {f"causal_mask{EXAMPLES}_50", f"padding_mask{EXAMPLES}_50"}


@pytest.mark.parametrize("homework_id", ["hw7_masked_attention"])
def test_right_code_takes_whatever_has_the_sizes_of_the_handout(homework_id, course, pool):
    for exam in exams(course, course.homework(homework_id)).values():
        for example in itertools.islice(drawn(exam.sizes), 12):
            assert exam.unnoticed(example, (), pool) == []


def test_a_homework_without_calls_of_functions_has_no_such_drill(course):
    with pytest.raises(NoExamplesError):
        exams(course, course.homework("capstone"))


def search(exam, pool):
    """Keep each random input that tells a mistake apart which none before did."""
    missed, inputs = list(exam.mistakes), list[Input]()
    for example in drawn(exam.sizes):
        if not missed or len(inputs) == MOST_EXAMPLES:
            break
        try:
            still_missed = exam.unnoticed(example, missed, pool)
        except RefusedInputError:  # right code refuses it: five heads of twelve features, say
            continue
        if len(still_missed) < len(missed):
            inputs.append(example)
        missed = still_missed
    return inputs, missed


def drawn(sizes):
    """Yield arguments of these sizes, small and large, of whole numbers and of others, always the same."""
    rng = np.random.default_rng(2017)
    for draw in range(MOST_DRAWS):
        scale = SCALES[draw % len(SCALES)]
        size_of_letter = {"1": 1}
        for letter in LETTERS:
            # Any sizes, and in turn powers of two, where heads divide a width.
            size_of_letter[letter] = int(rng.integers(1, 7) if draw % 2 else 2 ** rng.integers(0, 4))
        example = []
        for place, letters in enumerate(sizes.values()):
            kind, shape = shape_of(letters, size_of_letter)
            # In the second half some arrays are of whole numbers, and others are not.
            turn = draw if draw < MOST_DRAWS / 2 else draw + 2 * place
            if kind == MASK:
                example.append(rng.random(shape) < 0.6)
            elif kind == "number":
                example.append(shape[0])
            elif turn % 4 < 2:
                # Now and then all of them lie far below 0.
                offset = -3 * scale * (draw % 5 == 0)
                example.append(scale * rng.normal(size=shape) + offset)
            else:
                example.append(rng.integers(0, 7, size=shape))
        yield tuple(example)


def smallest(exam, pool):
    """Return arrays of zeros and masks of True, with the smallest sizes that right code takes, 1 or 2."""
    for drawn_sizes in itertools.product((1, 2), repeat=len(LETTERS)):
        size_of_letter = {"1": 1} | dict(zip(LETTERS, drawn_sizes, strict=True))
        example = []
        for letters in exam.sizes.values():
            kind, shape = shape_of(letters, size_of_letter)
            if kind == MASK:
                example.append(np.ones(shape, bool))
            else:
                example.append(shape[0] if kind == "number" else np.zeros(shape))
        try:
            exam.unnoticed(tuple(example), (), pool)
        except RefusedInputError:
            continue
        return tuple(example)
    raise AssertionError(f"right code of {exam.call.name} takes no small input")


def shape_of(letters, size_of_letter):
    """Return what an argument is and its shape; of a whole number, the number itself."""
    if isinstance(letters, str):
        return "number", [size_of_letter[letters]]
    shape = [size_of_letter[letter] for letter in letters if letter != MASK]
    return (MASK if MASK in letters else "array"), shape


def written(task, inputs):
    """Return the list of inputs as a student writes it."""
    as_lists = [tuple(np.asarray(value).tolist() for value in example) for example in inputs]
    return f"{task}{EXAMPLES} = {as_lists!r}"
