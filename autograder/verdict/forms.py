"""Checks that pass only because a returned form was put right: say of each which form it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.verdict.checks import Check, CheckResult, Outcome, run_checks
from autograder.verdict.fixtures import Fixtures


def with_forms(
    results: Sequence[CheckResult], checks: Sequence[Check], fixtures: Fixtures
) -> list[CheckResult]:
    """Return the results, with the form of the answers in each that only passes in spite of it.

    Another form costs the published check alone. What the others' sentences say does not hold as it stands.

    Args:
        results: the results of all checks of a homework, or of some.
        checks: all of them.
        fixtures: the values with which they were run.
    """
    submission = fixtures.submission
    forms = {}
    for task in fixtures.compare.homework.tasks:
        form = submission.answers.form(task.name)
        if form is not None:
            forms[task.name] = form.in_words
    passed = []
    result_of_check = {result.check: result for result in results}
    for check in checks:
        result = result_of_check.get(check.name)
        if result is None:
            continue  # a check of a task that was not asked for
        if result.outcome is Outcome.PASSED and result.task in forms:
            passed.append(replace(check, requires=()))
    if not passed:
        return list(results)

    # Run the same checks on the answers as they were returned.
    compare = fixtures.compare.with_answers(submission.answers.as_returned)
    compare = replace(compare, explain=None)  # only what passes is asked
    as_returned = replace(fixtures, submission=compare.submission, compare=compare)
    outcomes = {
        repeated.check: repeated.outcome for repeated in run_checks(passed, as_returned)
    }

    marked = []
    for result in results:
        if outcomes.get(result.check) is Outcome.FAILED:
            result = replace(result, form=forms[result.task])
        marked.append(result)
    return marked
