"""Wrong answers are one behaviour where they agree within the tolerances, and another where they do not."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from homeworks import PAIR
from submissions import of_stub

from autograder.exhibits.behaviour import MOST_NUMBERS, behaviour_of, is_same, stored_cases
from autograder.grading.grade import grade_handin
from autograder.language import language_of
from autograder.reasons.agreement import diagnostic_cases, same_answer
from autograder.reasons.mutation import read_singles
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.arrays import as_array, unit_of
from autograder.verdict.store import open_store
from autograder.worker.wire import Tensor, Unsendable

HOMEWORKS = PAIR
Change = Callable[[Any, float], Any]


def are_same(behaviour, other):
    return behaviour.form == other.form and is_same(behaviour.sketch, other.sketch)


def tasks_of(course, homework_id):
    homework = course.homework(homework_id)
    known = open_store(course, homework).read()
    return {task.name: stored_cases(known, task.name) for task in homework.tasks}


def each(value, tolerance, change):
    """The value with each of its arrays changed."""
    if isinstance(value, dict):
        return {key: None if part is None else each(part, tolerance, change) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(each(part, tolerance, change) for part in value)
    array = as_array(value)
    return change(array.astype(np.float64), tolerance)


def answers_of(cases, change):
    return {
        known_case.case.id: Answer(
            each(known_case.expected, known_case.tolerance, change),
            gradients=each(known_case.gradients or {}, known_case.tolerance, change),
        )
        for known_case in cases
    }


def noisy(answers, cases, seed):
    """The answers, each entry moved by at most a tolerance of its array."""
    rng = np.random.default_rng(seed)

    def shake(array, tolerance):
        return array + rng.uniform(-1, 1, array.shape) * tolerance * unit_of(array)

    return {
        known_case.case.id: replace(
            answers[known_case.case.id],
            value=each(answers[known_case.case.id].value, known_case.tolerance, shake),
            gradients=each(answers[known_case.case.id].gradients, known_case.tolerance, shake),
        )
        for known_case in cases
    }


@pytest.mark.parametrize("size", [1.0, 1e9])
@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_answers_that_agree_within_the_tolerances_are_the_same(course, homework_id, size):
    for task, cases in tasks_of(course, homework_id).items():
        rng = np.random.default_rng(1)
        wrong = answers_of(cases, lambda array, _, rng=rng: size * (array + rng.normal(size=array.shape)))
        other = noisy(wrong, cases, 2)
        assert are_same(behaviour_of(task, cases, wrong), behaviour_of(task, cases, other)), task


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_one_entry_of_one_case_that_is_far_off_makes_another_behaviour(course, homework_id):
    rng = np.random.default_rng(3)
    for task, cases in tasks_of(course, homework_id).items():
        wrong = answers_of(cases, lambda array, _: array + 0.01)
        before = behaviour_of(task, cases, wrong)
        for known_case in cases:

            def move(array, tolerance):
                changed = array.copy()
                far = 101 * tolerance * unit_of(array)
                changed.reshape(-1)[rng.integers(array.size)] += far
                return changed

            answer = wrong[known_case.case.id]
            other = replace(answer, value=each(answer.value, known_case.tolerance, move))
            assert not are_same(before, behaviour_of(task, cases, {**wrong, known_case.case.id: other})), (
                known_case.case.id
            )


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_mistakes_that_diagnosis_tells_apart_are_different_behaviours(course, homework_id):
    homework, store = course.homework(homework_id), open_store(course, course.homework(homework_id))
    known = store.read()
    singles = read_singles(store.folder, known)
    compared = 0
    for task, variants in singles.items():
        cases = tuple(diagnostic_cases(known, task))
        behaviours = [behaviour_of(task, cases, variant.answers) for variant in variants]
        for place, variant in enumerate(variants):
            for other in range(place):
                pairs = [
                    (variant.answers[c.case.id], variants[other].answers[c.case.id], c.tolerance)
                    for c in cases
                ]
                apart = not all(same_answer(*pair) for pair in pairs)
                assert not (apart and are_same(behaviours[place], behaviours[other])), (
                    variant.labels,
                    variants[other].labels,
                )
                compared += apart
    assert compared > 20 or not any(singles.values()), homework.id


@pytest.fixture
def softmax(course):
    return tasks_of(course, "hw1_attention_scores")["softmax"]


def behaviour(cases, change):
    return behaviour_of(
        "softmax",
        cases,
        {known_case.case.id: Answer(change(known_case.expected + 0.1)) for known_case in cases},
    )


@pytest.mark.parametrize(
    "change",
    [np.float32, lambda a: a.tolist(), Tensor, lambda a: [list(row) for row in a]],
    ids=["float32", "list", "tensor", "list of arrays"],
)
def test_what_comparison_takes_for_the_same_array_is_the_same(softmax, change):
    assert are_same(behaviour(softmax, np.asarray), behaviour(softmax, change))


def test_another_form_of_the_same_numbers_is_another_behaviour(softmax):
    forms = [
        np.asarray,
        lambda a: a.T,
        lambda a: (a,),
        lambda a: (a, a.sum()),
        lambda a: {"weights": a},
        lambda a: {"attention": a},
        lambda a: a[None],
        lambda a: np.where(a > 0.3, np.nan, a),
        lambda a: a > 0.3,
        lambda a: a < 0.3,
        lambda a: a + 1j,
        lambda a: None,
        lambda a: "text",
        lambda a: "other text",
        lambda a: Unsendable("an object of type map"),
    ]
    behaviours = [behaviour(softmax, form) for form in forms]
    assert [[are_same(behaviour, other) for other in behaviours].count(True) for behaviour in behaviours] == [
        1
    ] * len(forms)


def test_errors_are_the_same_by_type_and_the_text_of_the_line(softmax):
    def raising(*error, **place):
        answer = Answer(error=StudentError(*error, **place))
        return behaviour_of("softmax", softmax, {known_case.case.id: answer for known_case in softmax})

    first = raising("ValueError", "shapes (3, 4)", "a.py", 3, "return a @b")
    assert are_same(first, raising("ValueError", "shapes (4, 5)", "b.py", 9, "return a @ b  # weights"))
    assert not are_same(first, raising("TypeError", "shapes (3, 4)", "a.py", 3, "return a @b"))
    assert not are_same(first, raising("ValueError", "shapes (3, 4)", "a.py", 3, "return b @ a"))
    slow = raising("TimeLimit", "", "a.py", 3, "while True:")
    assert are_same(slow, raising("TimeLimit", "", "a.py", 4, "i += 1"))
    missing = {known_case.case.id: Answer(not_defined=True) for known_case in softmax}
    assert not are_same(slow, behaviour_of("softmax", softmax, missing))


def test_an_argument_that_is_changed_makes_another_behaviour(softmax):
    right = {known_case.case.id: Answer(known_case.expected) for known_case in softmax}
    changing = {key: replace(answer, modified=(0,)) for key, answer in right.items()}
    assert not are_same(*(behaviour_of("softmax", softmax, answer) for answer in (right, changing)))


def test_other_expected_values_never_share_a_behaviour(softmax):
    answers = {known_case.case.id: Answer(None) for known_case in softmax}
    rebuilt = (replace(softmax[0], expected=softmax[0].expected + 1e-3), *softmax[1:])
    assert not are_same(*(behaviour_of("softmax", cases, answers) for cases in (softmax, rebuilt)))


def nested(depth):
    return [nested(depth - 1)] * 10 if depth else 1.0


@pytest.mark.parametrize(
    "hostile",
    [
        np.full((1000, 1000), 1e308),
        np.zeros((0, 5)),
        np.array(np.inf),
        [np.zeros(3)] * 100_000,
        [1.0] * 1_000_000,
        nested(6),
        {str(i): np.zeros((9, 9)) for i in range(10_000)},
        "x" * 1_000_000,
        10**300,
        "\ud800",
        (),
        {},
        float("nan"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_comes_a_behaviour_is_small_and_finite(softmax, hostile):
    behaviour_found = behaviour_of(
        "softmax", softmax, {known_case.case.id: Answer(hostile) for known_case in softmax}
    )
    assert are_same(behaviour_found, behaviour_found)
    assert len(behaviour_found.sketch) <= MOST_NUMBERS
    assert np.isfinite(behaviour_found.sketch).all()


def test_answers_are_the_same_whichever_language_the_course_speaks(course, suite_of, pool):
    """Comments with points belong to a group of answers, and are given again when a class is graded again."""
    suite = suite_of("hw1_attention_scores")
    german = replace(suite, homework=replace(suite.homework, language=language_of("de")))
    text = suite.homework.solution.read_text("utf-8").replace(
        "return Q @ K.T", "return ['a text', None, {'a': 1}]"
    )
    behaviours = []
    for spoken in (suite, german):
        result = grade_handin(of_stub(suite, text), spoken, pool)
        behaviours.append(result.work.behaviours)
    assert behaviours[0]
    assert behaviours[0] == behaviours[1]
