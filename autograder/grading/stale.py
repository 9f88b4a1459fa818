"""Tell whether stored reference outputs still belong to the files that they were built from.

The manifest holds a fingerprint of each of these files. Only where one differs are the cases drawn and the
solution and its mutants run again, so that rewording a comment does not stop grading.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from autograder.course.cases import Case, stored_cases
from autograder.course.course_files import CASES
from autograder.course.homework import CourseError, Homework
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.mutation import compute_singles, out_of_date
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import deviation, largest_magnitude
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know
from autograder.verdict.store import BUILD, Store
from autograder.worker.wire import Array, Bag, encode

ROUNDINGS = 16
"""Numbers that differ by so many roundings of the largest one are the same."""


def fingerprints(homework: Homework) -> dict[str, str]:
    """Return a digest of each file that the reference outputs are built from, by its name."""
    digests = {}
    cases_file = homework.folder / CASES
    catalogue = homework.folder / CATALOGUE
    for file in (homework.solution, cases_file, catalogue):
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            digest = hashlib.sha256(text.encode())
            digests[file.name] = digest.hexdigest()
    for name, content in homework.data_files.files.items():
        digest = hashlib.sha256(content)
        digests[name] = digest.hexdigest()
    return digests


def check_current(
    homework: Homework, store: Store, stored: Sequence[KnownCase], pool: SandboxPool
) -> None:
    """Check that the stored outputs belong to today's files.

    Args:
        homework: the homework.
        store: its stored outputs.
        stored: the cases of the store.
        pool: runs the reference solution and its mutants, where a file has changed.

    Raises:
        CourseError: they are not; it says what changed.
    """
    # A drill is judged by the stored outputs of its homework, whose id seeds their inputs.
    homework = homework.base or homework
    made_from = store.manifest().made_from
    if not made_from:  # older manifests do not say
        return
    made_now = fingerprints(homework)
    if made_from == made_now:
        return

    # First the cases, then the solution's answers to them, then those of the mutants.
    file = CASES
    remedy = ""
    cases = stored_cases(homework)
    changed = list(other_cases(stored, cases))
    if not changed:
        file = homework.solution.name
        for name in homework.data:
            if made_from.get(name) != made_now[name]:
                file = name
        remedy = ", and add --accept if the new values are right"
        stored_by_id = {known.case.id: known for known in stored}
        computed = know(homework, cases, pool)
        changed = list(changes(stored_by_id, computed))
    if not changed:
        file = CATALOGUE
        singles = compute_singles(homework, stored, pool)
        changed = out_of_date(store.folder, singles, stored)
    if not changed:
        return
    first, *others = changed
    first = first.removesuffix(f"; {BUILD}")
    more = ""
    if others:
        more = f" (and {len(others)} more)"
    raise CourseError(
        f"{homework.id}: {file} has changed since the reference outputs were built; "
        f"{first}{more}; run `autograder reference build {homework.id}`{remedy}"
    )


def other_cases(stored: Sequence[KnownCase], now: Sequence[Case]) -> Iterator[str]:
    """Yield the differences between the stored cases and the cases that cases.py yields today."""
    before = {known.case.id: known.case for known in stored}
    today = {case.id: case for case in now}
    new_names = today.keys() - before.keys()
    old_names = before.keys() - today.keys()
    for name in sorted(new_names):
        yield f"{name} is not stored yet"
    for name in sorted(old_names):
        yield f"{name} is stored, but {CASES} no longer yields it"
    for name, case in today.items():
        if name in before and not same_inputs(before[name], case):
            yield f"{name} has other arguments"
        elif name in before and before[name].topic != case.topic:
            yield f"{name} has another topic"


def same_inputs(old: Case, new: Case) -> bool:
    """Return whether two cases make the same call with the same arguments.

    Arguments that cases.py computes, such as scores, may differ by rounding: another machine multiplies
    matrices in another order.
    """
    old_arrays = Bag()
    new_arrays = Bag()
    old_tree = encode(dict(old.call.as_mapping()), old_arrays)
    new_tree = encode(dict(new.call.as_mapping()), new_arrays)
    if old_tree != new_tree:
        return False
    return all(_same_numbers(old_arrays[key], new_arrays[key]) for key in old_arrays)


def _same_numbers(array: Array, other: Array) -> bool:
    if array.dtype != other.dtype or array.shape != other.shape:
        return False
    if array.dtype.kind != "f":
        return np.array_equal(array, other)
    rounding = ROUNDINGS * np.finfo(array.dtype).eps
    finite_numbers = array[np.isfinite(array)]
    allowed = rounding * largest_magnitude(finite_numbers)
    return np.allclose(array, other, rtol=0.0, atol=allowed, equal_nan=True)


def changes(
    stored: Mapping[str, KnownCase], computed: Sequence[KnownCase]
) -> Iterator[str]:
    """Yield one line per stored case whose value has changed."""
    for new in computed:
        old = stored.get(new.case.id)
        if old is None:
            continue
        change = difference(old, new)
        if change is None:
            continue
        if not same_inputs(old.case, new.case):
            change = f"it has other arguments, and so {change}"
        yield f"{new.case.id}: {change}"


def difference(old: KnownCase, new: KnownCase) -> str | None:
    """Say how far new values are from the stored ones, or None where they agree within tolerance."""
    pairs = [("value", old.expected, new.expected)]
    old_gradients = old.gradients or {}
    new_gradients = new.gradients or {}
    for key, before in old_gradients.items():
        if key in new_gradients:
            after = new_gradients[key]
            pairs.append((f"gradient of {key}", before, after))
    for name, before, after in pairs:
        if (before is None) != (after is None):
            return f"the {name} differs"
        distance = 0.0
        if before is not None:
            distance = deviation(after, before)
        if math.isinf(distance):
            return f"the {name} differs in shape"
        if distance > old.tolerance:
            return f"the {name} differs by {distance:.3g}, allowed is {old.tolerance:g}"
    had_gradients = old.gradients is not None
    has_gradients = new.gradients is not None
    if had_gradients != has_gradients or old_gradients.keys() != new_gradients.keys():
        return "the set of gradients differs"
    return None
