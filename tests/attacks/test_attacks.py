"""Every attack ends with an honest score, nothing learnt, nothing left, and the next submission unharmed."""

import errno
from collections import Counter
from dataclasses import replace

import pytest
from few_reasons import first_reasons
from sandbox.asking import run

from autograder.grading.grade import grade_handin
from autograder.sandbox.request import Code

from .attack import CLASSES, corpus
from .secrets import expected_values_in
from .table import table
from .watch import descendants, peak_memory, processes_of_user, statuses

ATTACKS = [*corpus(), *table()]
MEMORY_OF_AN_ANSWER = 160  # MiB: the largest answer as bytes, once more as arrays, and some room

FEW = 3
"""So many attacks of each class are tried at once; ``whole`` tries the others."""


def first_attacks():
    """Return the first attacks of each class."""
    count = Counter()
    first = []
    for attack in ATTACKS:
        kind = attack.name.partition("/")[0]
        count[kind] += 1
        if count[kind] <= FEW:
            first.append(attack)
    return first


@pytest.mark.parametrize("attack", first_attacks(), ids=lambda attack: attack.name)
def test_attack_gains_nothing_at_the_full_level(attack, full, suites, secrets):
    attack_and_look(attack, full, suites[attack.homework], secrets)


CALLS = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)

def number(attempt):
    try:
        attempt()
    except OSError as error:
        return error.errno
    return ctypes.get_errno()

def f():
    kill_all, advise = lambda: os.kill(-1, 0), lambda: os.posix_fadvise(0, 0, 0, 0)
    return [number(each) for each in (socket.socket, os.fork, lambda: libc.ptrace(0, 0, 0, 0), kill_all, advise)]
"""


def test_calls_of_the_system_that_no_submission_needs_are_refused_or_do_not_exist(full):
    [answer] = run(full.sandbox("numpy"), CALLS).answers
    assert answer.value == [errno.EPERM] * 3 + [errno.ENOSYS] * 2


def test_every_class_has_many_attacks():
    per_class = Counter(attack.name.partition("/")[0] for attack in ATTACKS)
    assert set(per_class) == set(CLASSES)
    assert min(per_class.values()) >= 10
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 90


def attack_and_look(attack, pool, suite, secrets):
    """Grade an attack, and look for what it has learnt, left behind or disturbed."""
    sandbox = pool.sandbox(suite.homework.library)
    before = _processes(sandbox)
    code = attack.code(suite.homework.stub, secrets.places)
    pool.forget()
    # The search for reasons runs an attack again, in every way that it knows: the first failures show them.
    with peak_memory() as grown, first_reasons(2):
        result = grade_handin(code, limited(suite, attack.limits), pool)
    reports = pool.reports_of(code)
    assert secrets.found_in(reports) == []
    assert result.status in attack.statuses, _explain(result)
    assert result.earned == attack.score, _explain(result)
    if attack.name.startswith("reading/"):
        assert expected_values_in(reports, *_by_solved(suite, result)) == []
    assert grown[0] < MEMORY_OF_AN_ANSWER
    assert secrets.files_left() == []
    assert secrets.contacts() == 0
    assert pool.sandbox(suite.homework.library) is sandbox, "the sandbox died and was started anew"
    assert _processes(sandbox) == before
    _assert_the_next_one_is_graded(pool, suite)


def limited(suite, limits):
    """The same suite with other limits."""
    return replace(suite, homework=replace(suite.homework, limits=limits))


def _by_solved(suite, result):
    """The cases of tasks that the attack did not compute by itself, and those that it did."""
    solved = {check.task for check in result.checks if check.earned}
    other = [known for known in suite.known if known.case.task not in solved]
    return other, [known for known in suite.known if known.case.task in solved]


def _processes(sandbox):
    seen = statuses()
    pids = descendants(sandbox._process.pid, seen)
    if sandbox._user and "own-user" in sandbox.layers:
        pids |= processes_of_user(sandbox._user.uid, seen)
    return pids


def _assert_the_next_one_is_graded(pool, suite):
    stub = suite.homework.stub
    text = suite.homework.solution.read_text(encoding="utf-8")
    result = grade_handin(Code(stub, {stub: text}), suite, pool)
    full = sum(
        check.points for check in result.checks if check.outcome != "collected"
    )  # with the questions' bonus
    assert (result.status, result.earned) == ("graded", full), _explain(result)


def _explain(result):
    lines = [f"{check.check}: {check.outcome} {check.reason} {check.staff}" for check in result.checks]
    return "\n".join([result.detail, *lines, "printed:", result.output[:2000]])
