"""``results.json`` in the form that Gradescope reads, also the machine-readable result of one submission."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from autograder.feedback.words import as_sentence, change_lines, with_bonus
from autograder.language import say, speaking
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.verdict.checks import CheckResult, Outcome

WITHOUT_POINTS = (Outcome.COLLECTED, Outcome.NOT_JUDGED)
"""Outcomes of which nobody knows the points yet."""
REFUSED = re.compile(r"\\u(0000|d[89a-f])")
"""What stands in JSON where a text may hold a character that databases refuse."""
VISIBILITY = {
    "always": "visible",
    "after_published": "after_published",
    "never": "hidden",
}


def write_results(
    path: Path, result: SubmissionGrade, *, is_blank: bool = False
) -> None:
    """Write one submission's ``results.json``; see ``results_text``."""
    path.write_text(results_text(result, is_blank=is_blank), encoding="utf-8")


def results_text(result: SubmissionGrade, *, is_blank: bool = False) -> str:
    """Return a ``results.json``; without a fair grade, or if it is blank, it has no ``score``."""
    # Indented by the standard library, it takes four times as long.
    with speaking(result.language):
        mapping = results_mapping(result)
    if is_blank:
        mapping.pop("score", None)
    lines = []
    for key, value in mapping.items():
        text = json.dumps(value)
        if REFUSED.search(text):
            text = json.dumps(_storable(value))
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _storable(value: object) -> object:
    """Replace characters that databases refuse, NUL and halves of surrogate pairs, with question marks."""
    match value:
        case str():
            return value.replace("\0", "?").encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {key: _storable(item) for key, item in value.items()}
        case list():
            return [_storable(item) for item in value]
    return value


def results_mapping(result: SubmissionGrade) -> dict[str, object]:
    """Return the content of ``results.json``; its ``output`` is the text above the tests.

    Without a fair grade no test has a ``score`` either: Gradescope would take their sum for the whole. Nor
    has a written answer that waits for its reader, which would be shown as failed. Where some checks could
    not be judged, what the others have earned is in their ``extra_data``.
    """
    tests = []
    for number, homework in enumerate(result.homeworks, 1):
        checks_of_task = Counter[str]()  # so far
        for check in homework.checks:
            checks_of_task[check.task] += 1
            task_number = list(checks_of_task).index(check.task) + 1
            name = check.sentence
            place = f"{task_number}.{checks_of_task[check.task]}"
            if len(result.homeworks) > 1:
                name = f"{homework.title}: {name}"
                place = f"{number}.{place}"
            test = _test(homework, check, name, place)
            if result.earned is None:
                test.pop("score", None)
            tests.append(test)

    problems = [problem.text for problem in result.problems]
    homeworks = {}
    for homework in result.homeworks:
        homeworks[homework.homework] = _facts(homework)
    mapping: dict[str, object] = {}
    if result.earned is not None:
        mapping["score"] = result.earned
    mapping |= {
        "output": "\n".join(_output_lines(result)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": tests,
        "extra_data": {
            "submission": result.name,
            "status": str(result.status),
            "problems": problems,
            "homeworks": homeworks,
        },
    }
    return mapping


def _output_lines(result: SubmissionGrade) -> list[str]:
    """Return the lines above the tests."""
    lines = [problem.text for problem in result.problems]
    if result.status.is_our_fault:
        lines.append(
            say("The grader failed, not you: this submission will be graded again.")
        )
    for homework in result.homeworks:
        points = say("not graded yet")
        if homework.earned is not None:
            points = say(
                "{count} of {total}",
                count=f"{homework.earned:g}",
                total=f"{homework.points:g}",
            )
            points = with_bonus(points, homework.bonus)
        status = say(str(homework.status))
        lines.append(f"{homework.title}: {points} ({status})")
        if homework.provisional:
            lines.append(f"  {homework.provisional}")
        for line in (*homework.notes, *change_lines(homework)):
            lines.append(f"  {line}")
    return lines


def _facts(homework: HomeworkGrade) -> dict[str, object]:
    """Return the lines about one homework besides its tests."""
    facts: dict[str, object] = {
        "status": str(homework.status),
        "score": homework.earned,
        "max_score": homework.points,
        "raw_score": homework.raw,
    }
    if homework.bonus:
        facts["bonus"] = homework.bonus
    if homework.not_judged:
        facts["not_judged"] = [check.check for check in homework.not_judged]
    return facts | {
        "adjustments": list(map(asdict, homework.changes)),
        "not_marked_yet": list(homework.awaiting),
        "layers": list(homework.layers),
        "seed": homework.seed,
    }


def _test(
    homework: HomeworkGrade, check: CheckResult, name: str, place: str
) -> dict[str, object]:
    """Return one check as Gradescope reads it, under a name and a number such as 2.1.

    Students see public checks at once. Without hints these say no reason, unless a policy shows all checks.
    """
    hides_hidden_checks = homework.shown in ("", "hidden")
    is_silent = check.public and homework.hints == "never" and hides_hidden_checks
    visibility = homework.shown or VISIBILITY[homework.hints]
    if check.public:
        visibility = "visible"
    has_points = check.outcome not in WITHOUT_POINTS

    test: dict[str, object] = {
        "name": name,
        "number": place,
        "tags": [check.task, str(check.outcome)],
    }
    if has_points:
        is_passed = check.outcome is Outcome.PASSED
        test["score"] = check.earned
        test["max_score"] = check.points
        test["status"] = "passed" if is_passed else "failed"
    test["output"] = ""
    if check.counted_although and not is_silent:
        test["output"] = f"{as_sentence(check.counted_although)}."
    elif not is_silent:
        test["output"] = as_sentence(check.reason)
    test["visibility"] = visibility
    extra_data: dict[str, object] = {
        "homework": homework.homework,
        "task": check.task,
        "check": check.check,
        "status": str(homework.status),
        "outcome": str(check.outcome),
        "misconceptions": list(check.misconceptions),
    }
    if homework.not_judged:  # then no test has a score
        extra_data["earned"] = check.earned if has_points else None
    test["extra_data"] = extra_data
    return test
