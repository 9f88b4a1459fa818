"""Tell whether stored reference outputs still belong to the files that they were built from.

The manifest holds a fingerprint of each of these files. Only where one differs are the cases drawn and the
solution and its mutants run again, so that a reworded comment is no complaint.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence

from autograder.course.cases import CASES, Case, stored_cases
from autograder.course.homework import CourseError, Homework
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.mutation import compute_singles, out_of_date
from autograder.sandbox.pool import SandboxPool
from autograder.verdict.arrays import deviation
from autograder.verdict.known import KnownCase
from autograder.verdict.reference import know
from autograder.verdict.store import BUILD, Store
from autograder.worker.wire import pack


def fingerprints(homework: Homework) -> dict[str, str]:
    """Return a digest of each file that the reference outputs are built from, by its name."""
    files = (homework.solution, homework.folder / CASES, homework.folder / CATALOGUE)
    texts = {
        one.name: one.read_text(encoding="utf-8") for one in files if one.is_file()
    }
    return {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()
    }


def check_current(
    homework: Homework, store: Store, stored: Sequence[KnownCase], pool: SandboxPool
) -> None:
    """Raise ``CourseError`` where the stored outputs are not those of today's files, and say what changed."""
    made_from, today = store.manifest().made_from, fingerprints(homework)
    if not made_from or made_from == today:  # older manifests do not say
        return
    cases = stored_cases(homework)
    changed = [*other_cases(stored, cases)]
    what, accept = CASES, ""
    if not changed:
        computed = know(homework, cases, pool)
        changed = [*changes({one.case.id: one for one in stored}, computed)]
        what, accept = (
            homework.solution.name,
            ", and add --accept if the new values are right",
        )
        if not changed:
            changed = out_of_date(
                store.folder, compute_singles(homework, stored, pool), stored
            )
            what = CATALOGUE
    if changed:
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        since = f"{what} has changed since the reference outputs were built"
        build = f"run `autograder reference build {homework.id}`{accept}"
        first = changed[0].removesuffix(f"; {BUILD}")
        raise CourseError(f"{homework.id}: {since}; {first}{more}; {build}")


def other_cases(stored: Sequence[KnownCase], now: Sequence[Case]) -> Iterator[str]:
    """Yield the differences between the stored cases and those that cases.py yields today."""
    before, today = (
        {one.case.id: one.case for one in stored},
        {case.id: case for case in now},
    )
    for name in sorted(today.keys() - before.keys()):
        yield f"{name} is not stored yet"
    for name in sorted(before.keys() - today.keys()):
        yield f"{name} is stored, but {CASES} no longer yields it"
    for name, case in today.items():
        if name in before and not same_inputs(before[name], case):
            yield f"{name} has other arguments"
        elif name in before and before[name].topic != case.topic:
            yield f"{name} has another topic"


def same_inputs(old: Case, new: Case) -> bool:
    """Whether two cases make the same call with the same arguments, bit for bit."""
    return pack(dict(old.call.as_mapping())) == pack(dict(new.call.as_mapping()))


def changes(
    stored: Mapping[str, KnownCase], computed: Sequence[KnownCase]
) -> Iterator[str]:
    """Yield one line per stored case whose value has changed."""
    for new in computed:
        old = stored.get(new.case.id)
        if old and (told := difference(old, new)):
            drawn = (
                ""
                if same_inputs(old.case, new.case)
                else "it has other arguments, and so "
            )
            yield f"{new.case.id}: {drawn}{told}"


def difference(old: KnownCase, new: KnownCase) -> str | None:
    """Say how far new values lie from the stored ones, or None where they agree within tolerance."""
    pairs = [("value", old.expected, new.expected)]
    gradients = new.gradients or {}
    for key, before in (old.gradients or {}).items():
        if key in gradients:
            pairs.append((f"gradient of {key}", before, gradients[key]))
    for name, before, after in pairs:
        if (before is None) != (after is None):
            return f"the {name} differs"
        distance = 0.0 if before is None else deviation(after, before)
        if distance > old.tolerance:
            how = (
                "in shape"
                if math.isinf(distance)
                else f"by {distance:.3g}, allowed is {old.tolerance:g}"
            )
            return f"the {name} differs {how}"
    asked = [
        None if one.gradients is None else one.gradients.keys() for one in (old, new)
    ]
    return None if asked[0] == asked[1] else "the set of gradients differs"
