"""``results.json`` in the form that Gradescope reads, also the machine-readable result of one submission."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from autograder.feedback.pages import as_sentence, change_lines
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult

WITHOUT_POINTS = (Outcome.COLLECTED, Outcome.NOT_JUDGED)
"""Outcomes of which nobody knows the points yet."""
VISIBILITY = {
    "always": "visible",
    "after_published": "after_published",
    "never": "hidden",
}


def write_results(path: Path, result: SubmissionResult) -> None:
    """Write one submission's ``results.json``; without a fair grade it has no ``score``."""
    # Indented by the standard library, it takes four times as long.
    mapping = results_mapping(result)
    lines = (
        f" {json.dumps(key)}: {json.dumps(_storable(value))}"
        for key, value in mapping.items()
    )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _storable(value: object) -> object:
    """Replace what databases refuse in texts, NUL and halves of surrogate pairs, by question marks."""
    match value:
        case str():
            return value.replace("\0", "?").encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {key: _storable(one) for key, one in value.items()}
        case list():
            return [_storable(one) for one in value]
    return value


def results_mapping(result: SubmissionResult) -> dict[str, object]:
    """Return the content of ``results.json``; its output is what a student reads above the tests.

    Without a fair grade no test has a ``score`` either: Gradescope would take their sum for the whole. Nor
    has a written answer that waits for its reader, which would be shown as failed. Where some checks could
    not be judged, what the others have earned is in their ``extra_data``.
    """
    tests = []
    for number, homework in enumerate(result.homeworks, 1):
        counts = Counter[str]()  # of the checks of each task so far
        for check in homework.checks:
            counts[check.task] += 1
            place = (number, list(counts).index(check.task) + 1, counts[check.task])
            tests.append(
                _test(
                    homework, check, place if len(result.homeworks) > 1 else place[1:]
                )
            )
    if result.earned is None:
        tests = [
            {key: value for key, value in test.items() if key != "score"}
            for test in tests
        ]
    problems = [problem.text for problem in result.problems]
    lines = list(problems)
    if result.status.is_our_fault:
        lines.append(
            "The grader failed, not you: this submission will be graded again."
        )
    for homework in result.homeworks:
        points = (
            "not graded yet"
            if homework.earned is None
            else f"{homework.earned:g}/{homework.points:g}"
        )
        lines.append(f"{homework.title}: {points} ({homework.status})")
        if homework.provisional:
            lines.append(f"  {homework.provisional}")
        lines += [f"  {line}" for line in (*homework.notes, *change_lines(homework))]
    mapping: dict[str, object] = {
        "output": "\n".join(lines),
        **dict.fromkeys(
            ("output_format", "test_output_format", "test_name_format"), "text"
        ),
        "visibility": "visible",
        "tests": tests,
        "extra_data": {
            "submission": result.name,
            "status": str(result.status),
            "problems": problems,
            "homeworks": {
                one.homework: {
                    "status": str(one.status),
                    "score": one.earned,
                    "max_score": one.points,
                    "raw_score": one.raw,
                    **(
                        {"not_judged": [check.check for check in one.not_judged]}
                        if one.not_judged
                        else {}
                    ),
                    "adjustments": [asdict(change) for change in one.changes],
                    "not_marked_yet": list(one.awaiting),
                    "layers": list(one.layers),
                    "seed": one.seed,
                }
                for one in result.homeworks
            },
        },
    }
    return mapping if result.earned is None else {"score": result.earned, **mapping}


def _test(
    homework: HomeworkResult, check: CheckResult, place: Sequence[int]
) -> dict[str, object]:
    """Return one check as Gradescope reads it.

    Students see public checks at once. Without hints these say no reason, unless a policy shows all checks.
    """
    is_silent = (
        check.public and homework.hints == "never" and homework.shown in ("", "hidden")
    )
    judged: dict[str, object] = {
        "score": check.earned,
        "max_score": check.points,
        "status": "passed" if check.outcome is Outcome.PASSED else "failed",
    }
    earned = {}
    if homework.not_judged:  # then no test has a score
        earned["earned"] = None if check.outcome in WITHOUT_POINTS else check.earned
    return {
        "name": f"{homework.homework}: {check.sentence}",
        "number": ".".join(map(str, place)),
        "tags": [check.task, str(check.outcome)],
        **({} if check.outcome in WITHOUT_POINTS else judged),
        "output": "" if is_silent else as_sentence(check.reason),
        "visibility": "visible"
        if check.public
        else homework.shown or VISIBILITY[homework.hints],
        "extra_data": {
            "homework": homework.homework,
            "task": check.task,
            "check": check.check,
            "status": str(homework.status),
            "outcome": str(check.outcome),
            "misconceptions": list(check.misconceptions),
            **earned,
        },
    }
