"""Find the one change of a student's own code that sets its answers right, and so the line that is wrong.

Each repair is run in the sandbox like the submission itself, on a small wrong case first. Those that answer it
rightly are run on all cases of the function. What is said is therefore true, whatever the cause is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.course.cases import EditedCall, FunctionCall, ModuleCall
from autograder.language import say
from autograder.reasons.agreement import LARGEST_CASE
from autograder.reasons.context import Context
from autograder.reasons.failed_cases import cases_of_one_function
from autograder.reasons.repairs import Repair, repairs_of
from autograder.reasons.student_code import WrittenFunction
from autograder.sandbox.report import Answer
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.known import KnownCase

MOST_REPAIRS = 1000
"""So many repairs are run on the small case at most, the most natural first."""
MOST_SECONDS = 4.0
"""So long may the runs on the small case take together, as far as the time of one call tells."""
LEAST_REPAIRS = 50
"""Where there is no time for so many, none is run."""
MOST_CONFIRMED = 12
"""So many repairs that fit the small case are run on the others."""
CALL_SECONDS = 0.3
"""A call with a repair may take so long: some repairs loop without end."""
ONE_CHANGE = (
    "With one change in {place}, `{line}`, all of these results are right: {hint}"
)


def find_repair(
    context: Context, task: str, failed: Sequence[KnownCase], *, unchanged: bool = False
) -> Reason:
    """Return the place of the change that sets all answers of a function right; no reason where there is none.

    Args:
        context: the submission.
        task: the task of the cases.
        failed: the failed cases of one check; those of the first one's function count.
        unchanged: the arguments must stay unchanged, too.
    """
    if context.read_code is None:
        return NO_REASON
    first = failed[0]
    call = first.case.call
    if not isinstance(call, FunctionCall | ModuleCall):
        return NO_REASON

    cases = []
    for known in cases_of_one_function(context, first):
        is_plain = known.gradients is None and known.case.expects
        if is_plain and known.size <= LARGEST_CASE:
            cases.append(known)
    wrong_cases = [known for known in cases if known in failed]
    if not wrong_cases:
        return NO_REASON
    repairs = []
    for function in _suspects(context, call.name, task):
        repairs += repairs_of(function)
    repairs.sort(key=lambda repair: repair.rank)

    # All repairs on one small case, as many as there is time for.
    sieve = min(wrong_cases, key=lambda known: known.size)
    seconds = context.submission.answers[sieve.case.id].seconds
    count = MOST_REPAIRS
    if seconds > 0:
        count = min(count, int(MOST_SECONDS / seconds))
    if count < LEAST_REPAIRS:
        return NO_REASON
    fitting = _right_for(context, repairs[:count], [sieve], unchanged=unchanged)

    # What fits, on all cases.
    others = [known for known in cases if known is not sieve]
    confirmed = _right_for(
        context, fitting[:MOST_CONFIRMED], others, unchanged=unchanged
    )
    if not confirmed:
        return NO_REASON
    repair = confirmed[0]
    place = repair.function.place(repair.line)
    if repair.function.name != call.name:
        place = say("{place} in `{name}`", place=place, name=repair.function.name)
    return Reason(
        says=say(
            ONE_CHANGE,
            place=place,
            line=repair.function.line(repair.line),
            hint=repair.hint,
        )
    )


def _suspects(context: Context, name: str, task: str) -> list[WrittenFunction]:
    """Return the functions in which the mistake may be: the called one, and those that it uses.

    A task that is right in all its own cases is none of them.
    """
    assert context.read_code is not None
    suspects = []
    for function in context.read_code().used_by(name):
        if function.name != name and _is_right_task(context, function.name):
            continue
        suspects.append(function)
    return suspects


def _is_right_task(context: Context, name: str) -> bool:
    """Return whether a function is a task of its own, and right in all cases."""
    cases = []
    for known in context.cases.known:
        if known.case.task == name and known.case.expects:
            cases.append(known)
    if not cases:
        return False
    return all(context.compare.judge(known) is None for known in cases)


def _right_for(
    context: Context,
    repairs: Sequence[Repair],
    cases: Sequence[KnownCase],
    *,
    unchanged: bool,
) -> list[Repair]:
    """Return the repairs with which the answers to all of some cases are right, in their order."""
    if not repairs or not cases:
        return list(repairs)
    calls = []
    for repair in repairs:
        for known in cases:
            calls.append(
                EditedCall(
                    known.case.call,
                    repair.function.name,
                    repair.definition,
                    CALL_SECONDS,
                )
            )
    answers = iter(context.submission.calls(calls))
    right_repairs = []
    for repair in repairs:
        answers_by_case: Mapping[KnownCase, Answer] = {
            known: next(answers) for known in cases
        }
        is_right = True
        for known, answer in answers_by_case.items():
            restored = context.submission.answers.restored(known, answer)
            is_right = is_right and known.is_right(restored)
            is_right = is_right and not (unchanged and answer.modified)
        if is_right:
            right_repairs.append(repair)
    return right_repairs
