"""Verify the reference outputs: recompute them, hold them against the published values and an oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from autograder.course import Course, Homework, stored_cases
from autograder.judging.build import PUBLISHED_TEXT, changes, same_inputs
from autograder.judging.comparison import matches
from autograder.judging.known import KnownCase, know, run_course_file
from autograder.judging.published import disagreements, read_published, render_published
from autograder.judging.store import BUILD, MANIFEST, open_store
from autograder.judging.tolerances import ORACLE, Kinds, too_near, weigh, weigh_fresh
from autograder.sandbox import SandboxPool


def verify_reference(course: Course, homework: Homework, pool: SandboxPool) -> list[str]:
    """Return one line per contradiction between store, solution, published values, oracle and evidence."""
    store = open_store(course, homework)
    stored = store.read()
    computed = know(homework, stored_cases(homework), pool)
    lines = [
        *_other_cases(stored, computed),
        *changes({one.case.id: one for one in stored}, computed),
        *disagreements(read_published(homework), stored),
        *_oracle_disagreements(homework, stored, pool),
        *_stale_text(course, homework, stored),
    ]
    return lines or list(_untrue_evidence(homework, stored, computed, store.fresh_tolerances(), pool))


def _other_cases(stored: list[KnownCase], computed: list[KnownCase]) -> Iterator[str]:
    """Yield the differences between the stored cases and those that cases.py yields today."""
    before, now = ({one.case.id: one.case for one in some} for some in (stored, computed))
    yield from (f"{name}: not stored yet; {BUILD}" for name in sorted(now.keys() - before.keys()))
    yield from (
        f"{name}: stored, but cases.py no longer yields it" for name in sorted(before.keys() - now.keys())
    )
    for name in [name for name in now if name in before]:
        if not same_inputs(before[name], now[name]):
            yield f"{name}: cases.py yields other arguments; {BUILD}"
        elif before[name].topic != now[name].topic:
            yield f"{name}: cases.py yields another topic; {BUILD}"


def _untrue_evidence(
    homework: Homework,
    stored: list[KnownCase],
    computed: list[KnownCase],
    allowed: Kinds,
    pool: SandboxPool,
) -> Iterator[str]:
    """Measure the noise anew: yield what no longer holds, and each tolerance that would now be another."""
    asked = {one.case.id: one.case for one in computed}
    weighed = weigh(homework, [replace(one, case=asked[one.case.id]) for one in stored], pool)
    yield from (*weighed.unsound, *too_near(stored))
    for old, new in zip(stored, weighed.known, strict=True):
        if (old.tolerance, old.evidence) != (new.tolerance, new.evidence):
            evidence = new.evidence
            reason = f"noise {evidence.noise:g}, printed {evidence.printed:g}" if evidence else "no evidence"
            yield (
                f"{old.case.id}: its tolerance is {old.tolerance:g}; what is measured today ({reason}) asks "
                f"for {new.tolerance:g}; {BUILD}"
            )
    fresh, contradictions = weigh_fresh(homework, stored, allowed, pool)
    yield from contradictions
    if fresh != allowed:
        yield f"{MANIFEST} holds other tolerances of fresh cases than the evidence asks for; {BUILD}"


def _stale_text(course: Course, homework: Homework, stored: list[KnownCase]) -> Iterator[str]:
    path = open_store(course, homework).folder / PUBLISHED_TEXT
    wanted = render_published(homework, read_published(homework), stored)
    if not path.is_file() or path.read_bytes().decode("utf-8", "replace") != wanted:
        yield f"{PUBLISHED_TEXT} is not what would be written; {BUILD}"


def _oracle_disagreements(homework: Homework, stored: list[KnownCase], pool: SandboxPool) -> Iterator[str]:
    answers = run_course_file(homework, homework.folder / ORACLE, [one.case for one in stored], pool)
    for known, answer in zip(stored, answers, strict=True):
        if known.compare(answer.value) is not None:
            yield f"{known.case.id}: the independent oracle gives another value"
        gradients = {key: one for key, one in (known.gradients or {}).items() if one is not None}
        for key, gradient in gradients.items():
            if not matches(answer.gradients[key], gradient, tolerance=known.tolerance):
                yield f"{known.case.id}: the independent oracle gives another gradient of {key}"
