from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from tiny import Tiny

from autograder.judging import diagnosis as diagnose_module
from autograder.judging.agreement import Diagnosis, Labels
from autograder.judging.catalogue import read_catalogue
from autograder.judging.diagnosis import NOTHING_KNOWN, Diagnostician
from autograder.judging.known import KnownCase
from autograder.judging.stored_mutants import read_singles
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.worker.wire import pack

from .mistakes import ADDS_ITSELF, add_mistake, build

TRIPLES = "Your numbers come back three times as large. Each one should be twice as large."
ADDS_ONE = "Your numbers are all one too large: nothing is to be added."


def diagnostician(tiny: Tiny) -> Diagnostician:
    known = tiny.store.read()
    singles = read_singles(tiny.store.folder, known)
    return Diagnostician(tiny.homework, read_catalogue(tiny.homework), known, singles)


def answers(known: list[KnownCase], function: Any, task: str = "double") -> dict[str, Answer]:
    """What a submission's function returns for the task's cases."""
    own = [one for one in known if one.case.task == task]
    return {one.case.id: Answer(value=function(one.case.call.args[0])) for one in own}


@pytest.fixture
def of_tiny(mistaken: Tiny) -> Diagnostician:
    return diagnostician(mistaken)


def test_a_single_mistake_is_named_with_its_sentence(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    found = of_tiny.diagnose("double", answers(known, lambda x: 3 * x), pool)
    assert found == Diagnosis(("triples",), TRIPLES)


def test_a_single_mistake_that_fixes_a_size_says_so(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    found = of_tiny.diagnose("double", answers(known, lambda x: 2 * x[:1]), pool)
    assert (found.labels, found.about_size) == (("first-only",), True)


def test_two_mistakes_at_once_are_both_named_with_both_sentences(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    found = of_tiny.diagnose("double", answers(known, lambda x: 3 * x + 1), pool)
    assert found == Diagnosis(("triples", "adds-one"), f"{TRIPLES} {ADDS_ONE}")


def test_a_pair_that_is_excluded_is_never_named(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    stands_alone = answers(known, lambda x: 3 * x[:1])
    assert of_tiny.diagnose("double", stands_alone, pool) == NOTHING_KNOWN


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
def test_an_unknown_mistake_gets_no_name(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool, function: Any
) -> None:
    assert of_tiny.diagnose("double", answers(known, function), pool) == NOTHING_KNOWN


def test_a_right_answer_gets_no_name(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    assert of_tiny.diagnose("double", answers(known, lambda x: 2 * x), pool) == NOTHING_KNOWN


def test_two_mistakes_that_return_the_same_are_not_told_apart(own: Tiny, pool: SandboxPool) -> None:
    add_mistake(own, "adds-itself", ADDS_ITSELF)
    build(own, pool)
    found = diagnostician(own).diagnose("double", answers(own.store.read(), lambda x: 3 * x), pool)
    assert found == NOTHING_KNOWN


def test_two_pairs_that_return_the_same_are_not_told_apart(own: Tiny, pool: SandboxPool) -> None:
    add_mistake(own, "adds-itself", ADDS_ITSELF)
    build(own, pool)
    found = diagnostician(own).diagnose("double", answers(own.store.read(), lambda x: 3 * x + 1), pool)
    assert found == NOTHING_KNOWN


def test_a_task_without_mistakes_or_without_stored_outputs_has_no_diagnosis(
    tiny: Tiny, mistaken: Tiny, known: list[KnownCase], pool: SandboxPool
) -> None:
    wrong = answers(known, lambda x: 3 * x)
    without = Diagnostician(mistaken.homework, read_catalogue(mistaken.homework), known, {})
    assert without.diagnose("double", wrong, pool) == NOTHING_KNOWN
    assert Diagnostician(tiny.homework, (), known, {}).diagnose("double", wrong, pool) == NOTHING_KNOWN


def test_pairs_are_run_only_where_no_single_mistake_explains_and_only_once(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[Labels]] = []
    really_run = diagnose_module.run_variants

    def run(homework: Any, cases: Any, labels: list[Labels], pool: SandboxPool) -> Any:
        ran.append(labels)
        return really_run(homework, cases, labels, pool)

    monkeypatch.setattr(diagnose_module, "run_variants", run)
    of_tiny.diagnose("double", answers(known, lambda x: 3 * x), pool)
    assert ran == []
    with ThreadPoolExecutor(4) as executor:
        unknown = answers(known, lambda x: 7 * x)
        list(executor.map(lambda _: of_tiny.diagnose("double", unknown, pool), range(8)))
    assert ran == [[("triples", "adds-one"), ("squares", "adds-one")]]
    of_tiny.diagnose("double", answers(known, lambda x: x**2 + 1), pool)
    assert ran[1:] == [[("squares", "adds-one")]], "of all pairs only the one that agrees is run on all cases"


def test_diagnosing_changes_nothing_and_gives_the_same_again(
    of_tiny: Diagnostician, known: list[KnownCase], pool: SandboxPool
) -> None:
    def state() -> list[bytes]:
        stored = [
            pack({case: answer.value for case, answer in variant.answers.items()})
            for of_task in of_tiny.singles.values()
            for variant in of_task
        ]
        return [*stored, pack([one.expected for one in known])]

    for function in (lambda x: 3 * x, lambda x: 3 * x + 1, lambda x: 7 * x, lambda x: np.log(x)):
        with np.errstate(invalid="ignore"):
            given = answers(known, function)
        before, kept = state(), copy.deepcopy(given)
        first = of_tiny.diagnose("double", given, pool)
        assert of_tiny.diagnose("double", given, pool) == first
        assert state() == before
        assert given.keys() == kept.keys()
        for case, answer in given.items():
            np.testing.assert_array_equal(answer.value, kept[case].value)
