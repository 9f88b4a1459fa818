import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from autograder.reasons import diagnosis as diagnosis_module
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.mutation import read_singles
from autograder.sandbox.report import Answer, StudentError
from autograder.verdict.failure import NO_REASON, Reason
from autograder.worker.wire import pack

from .mistakes import ADDS_ITSELF, add_mistake, build

TRIPLES = "Your numbers come back three times as large. Each one should be twice as large."
ADDS_ONE = "Your numbers are all one too large: nothing is to be added."


def diagnostician(tiny):
    known = tiny.store.read()
    singles = read_singles(tiny.store.folder, known)
    return Diagnostician(tiny.homework, read_catalogue(tiny.homework), known, singles)


def answers(known, function, task="double"):
    """What a submission's function returns for the task's cases."""
    known_of_task = [known_case for known_case in known if known_case.case.task == task]
    return {
        known_case.case.id: Answer(value=function(known_case.case.call.args[0]))
        for known_case in known_of_task
    }


def diagnosed(of, answers, pool):
    """What is told of the answers to these cases of `double`."""
    return of.diagnose(
        "double", answers, [known_case for known_case in of.known if known_case.case.id in answers], pool
    )


@pytest.fixture
def of_tiny(mistaken):
    return diagnostician(mistaken)


def test_a_single_mistake_is_named_with_its_sentence(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers(known, lambda x: 3 * x), pool)
    assert diagnosis == Reason(("triples",), TRIPLES)


def test_a_single_mistake_that_fixes_a_size_says_so(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers(known, lambda x: 2 * x[:1]), pool)
    assert (diagnosis.labels, diagnosis.about_size) == (("first-only",), True)


def test_two_mistakes_at_once_are_both_named_with_both_sentences(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers(known, lambda x: 3 * x + 1), pool)
    assert diagnosis == Reason(("triples", "adds-one"), f"{TRIPLES} {ADDS_ONE}")


def test_a_pair_that_is_excluded_is_never_named(of_tiny, known, pool):
    stands_alone = answers(known, lambda x: 3 * x[:1])
    assert diagnosed(of_tiny, stands_alone, pool) == NO_REASON


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 5 * x,
        lambda x: 0 * x,
        lambda x: 2 * x + 0.25,
        lambda x: x[::-1] * 2,
        lambda x: None,
        lambda x: np.concatenate([3 * x[:1], 2 * x[1:]]),
        lambda x: 3 * x if len(x) > 2 else 2 * x,
        lambda x: (3 * x, x),
        lambda x: 3 * x + np.nan,
    ],
)
def test_an_unknown_mistake_gets_no_name(of_tiny, known, pool, function):
    assert diagnosed(of_tiny, answers(known, function), pool) == NO_REASON


def test_a_right_answer_gets_no_name(of_tiny, known, pool):
    assert diagnosed(of_tiny, answers(known, lambda x: 2 * x), pool) == NO_REASON


def test_two_mistakes_that_return_the_same_are_told_as_possible(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    build(own_course, pool)
    diagnosis = diagnosed(diagnostician(own_course), answers(own_course.store.read(), lambda x: 3 * x), pool)
    assert diagnosis.labels == ()
    assert TRIPLES in diagnosis.says


def test_of_two_pairs_that_return_the_same_what_both_share_is_named(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    build(own_course, pool)
    diagnosis = diagnosed(
        diagnostician(own_course), answers(own_course.store.read(), lambda x: 3 * x + 1), pool
    )
    assert diagnosis.labels == ("adds-one",)
    assert diagnosis.says.startswith(ADDS_ONE)


@pytest.mark.parametrize(("function", "labels"), [(lambda x: 3 * x, 1), (lambda x: 3 * x + 1, 2)])
def test_a_single_case_is_enough_to_look_at(of_tiny, known, pool, function, labels):
    """A value at the top level of a notebook answers no other."""
    printed = {"published/double/printed": answers(known, function)["published/double/printed"]}
    assert diagnosed(of_tiny, printed, pool).labels == ("triples", "adds-one")[:labels]


def test_a_mistake_that_does_not_show_in_the_case_looked_at_is_not_named(of_tiny, known, pool):
    printed = {"published/double/printed": Answer(value=known[0].expected)}
    assert diagnosed(of_tiny, printed, pool) == NO_REASON


def test_without_a_pool_no_pair_is_looked_for(of_tiny, known):
    assert diagnosed(of_tiny, answers(known, lambda x: 3 * x), None).labels == ("triples",)
    assert diagnosed(of_tiny, answers(known, lambda x: 3 * x + 1), None) == NO_REASON


def test_a_task_without_mistakes_or_without_stored_outputs_has_no_diagnosis(tiny, mistaken, known, pool):
    wrong = answers(known, lambda x: 3 * x)
    without = Diagnostician(mistaken.homework, read_catalogue(mistaken.homework), known, {})
    assert diagnosed(without, wrong, pool) == NO_REASON
    assert diagnosed(Diagnostician(tiny.homework, (), known, {}), wrong, pool) == NO_REASON


def test_pairs_are_run_only_where_no_single_mistake_explains_and_only_once(of_tiny, known, pool, monkeypatch):
    ran = []
    really_run = diagnosis_module.run_variants

    def run(homework, cases, labels, pool):
        ran.append(labels)
        return really_run(homework, cases, labels, pool)

    monkeypatch.setattr(diagnosis_module, "run_variants", run)
    diagnosed(of_tiny, answers(known, lambda x: 3 * x), pool)
    assert ran == []
    with ThreadPoolExecutor(4) as executor:
        unknown = answers(known, lambda x: 7 * x)
        list(executor.map(lambda _: diagnosed(of_tiny, unknown, pool), range(8)))
    assert ran == [[("triples", "adds-one"), ("squares", "adds-one")]]
    diagnosed(of_tiny, answers(known, lambda x: x**2 + 1), pool)
    first_pair, *further_pairs = (pair for pairs in ran[1:] for pair in pairs)
    assert first_pair == ("squares", "adds-one")
    assert set(further_pairs) <= {first_pair}, "only the pair that agrees is run on further cases"
    count = len(ran)
    diagnosed(of_tiny, answers(known, lambda x: x**2 + 1), pool)
    assert len(ran) == count, "what a pair answers is remembered for the next submission"


def test_pairs_are_sifted_on_a_case_that_has_a_wrong_value(of_tiny, known, pool, monkeypatch):
    """Many pairs raise, or are right, on the same small case, and each would be run on all others."""
    sifted = []
    really_run = diagnosis_module.run_variants

    def run(homework, cases, labels, pool):
        sifted.append(cases[0].id)
        return really_run(homework, cases, labels, pool)

    monkeypatch.setattr(diagnosis_module, "run_variants", run)
    all_answers = answers(known, lambda x: 7 * x)
    known_in_answers = [known_case for known_case in known if known_case.case.id in all_answers]
    raised, right, *_ = sorted(all_answers, key=lambda case: all_answers[case].value.size)
    all_answers[raised] = Answer(error=StudentError("ValueError"))
    all_answers[right] = Answer(
        value=next(known_case.expected for known_case in known_in_answers if known_case.case.id == right)
    )
    diagnosed(of_tiny, all_answers, pool)
    assert sifted
    assert not {raised, right} & set(sifted)
    sifted.clear()
    nothing = dict.fromkeys(all_answers, Answer(error=StudentError("ValueError")))
    assert diagnosed(of_tiny, nothing, pool) == NO_REASON
    assert sifted == [], "what raises everywhere agrees with no mistake"


def test_diagnosing_changes_nothing_and_gives_the_same_again(of_tiny, known, pool):
    def state():
        stored = [
            pack({case: answer.value for case, answer in variant.answers.items()})
            for of_task in of_tiny.singles.values()
            for variant in of_task
        ]
        return [*stored, pack([known_case.expected for known_case in known])]

    for function in (lambda x: 3 * x, lambda x: 3 * x + 1, lambda x: 7 * x, lambda x: np.log(x)):
        with np.errstate(invalid="ignore"):
            all_answers = answers(known, function)
        before, copied = state(), copy.deepcopy(all_answers)
        first = diagnosed(of_tiny, all_answers, pool)
        assert diagnosed(of_tiny, all_answers, pool) == first
        assert state() == before
        assert all_answers.keys() == copied.keys()
        for case, answer in all_answers.items():
            np.testing.assert_array_equal(answer.value, copied[case].value)
