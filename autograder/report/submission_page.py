"""The page of one submission for the staff: a small shell that ``report/submission.js`` fills from its data.

What a whole class shares (titles, tasks, sentences and points of checks, diffs of known mistakes) is written
once, to ``report/course.js``, and all names to ``report/index.js``: pages stay small, and need not be written
again when others join.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from autograder.atomic import replacing
from autograder.course.homework import Homework
from autograder.feedback.pages import without_work
from autograder.feedback.rendering import page_of, render
from autograder.feedback.words import as_sentence, change_lines
from autograder.gradebook.groups import Groups
from autograder.policy.grade import HomeworkGrade, SubmissionGrade
from autograder.reasons.mutation import as_diffs
from autograder.verdict.checks import CheckResult
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.results import (
    reasons_without_repeats,
)
from autograder.verdict.work import Work

SHARED = ("submission.js", "submission.css")
COURSE = "course.js"
INDEX = "index.js"
ELSEWHERE = ("check", "task", "sentence", "points", "cause")
"""Fields of a check that are in ``course.js``, or are not shown."""
Row = Sequence[object]
Aside = Mapping[str, Sequence[Row]]
"""What a gradebook knows about a submission besides its results: rows that begin with the homework, of
``decisions`` that people made (what, points, why, when) and of the ``history`` of its grades."""


@dataclass
class Common:
    """Data that all pages of a class share: texts of checks, diffs of mistakes, the index of names."""

    forms: dict[str, object] = field(default_factory=dict)
    made: defaultdict[str, set[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    names: list[str] = field(default_factory=list)

    def add(self, result: SubmissionGrade) -> None:
        """Gather from one more submission; they come sorted by name."""
        self.names.append(result.name)
        for homework in result.homeworks:
            key, form = _form_of(homework)
            self.forms[key] = form
            for check in homework.checks:
                self.made[homework.homework].update(_mistakes_with_diffs(check))

    def write(
        self, folder: Path, homeworks: Mapping[str, Homework], groups: Groups
    ) -> None:
        """Write the files that the pages share, as far as they are not there already."""
        diffs = {}
        for homework_id, homework in sorted(homeworks.items()):
            if homework_id in self.made and homework.solution.is_file():
                mistakes = sorted(self.made[homework_id])
                with explaining(
                    f"the mistakes of {homework_id} as edits of the solution"
                ):
                    diffs[homework_id] = as_diffs(homework, mistakes)
        course = {"forms": dict(sorted(self.forms.items())), "diffs": diffs}

        tasks = groups.tasks()
        group_rows = []
        groups_of_name = defaultdict[str, list[int]](list)
        members = sorted(groups.members().items())
        for number, (group, names) in enumerate(members):
            group_rows.append([group, *tasks[group]])
            for name in names:
                groups_of_name[name].append(number)
        index = []
        for name in self.names:
            index.append([name, page_of(name), *groups_of_name[name]])

        texts = {name: render(name) for name in SHARED}
        texts[COURSE] = _assignment("COURSE", course)
        texts[INDEX] = _assignment("GROUPS", group_rows) + _assignment("INDEX", index)
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            file = folder / name
            if not file.is_file() or file.read_text("utf-8") != text:
                with replacing(file) as part:
                    part.write_text(text, "utf-8")


def state_of(result: SubmissionGrade, aside: Aside) -> str:
    """Return, as text, everything that a submission's files show and that does not come from its checks."""
    adjusted = []
    for homework in result.homeworks:
        # Without points there is no change, but the rules say how many there will be.
        is_blank = homework.earned is None
        if homework.changes or homework.awaiting or homework.shown or is_blank:
            adjusted.append(
                [
                    homework.homework,
                    homework.points,
                    homework.extra_credit,
                    homework.final,
                    homework.bonus,
                    [asdict(change) for change in homework.changes],
                    homework.awaiting,
                    homework.shown,
                ]
            )
    if not adjusted and not aside:
        return ""
    return json.dumps([adjusted, aside])


def submission_page(result: SubmissionGrade, aside: Aside) -> str:
    """Return the page of a submission, whose homeworks carry their works.

    Where what came out cannot be shown, the page has only the points and reasons.
    """
    page = ""
    with explaining(f"what came out, on the staff's page of {result.name}"):
        page = _page(result, aside)
    if not page:
        page = _page(without_work(result), aside)
    return page


def _page(result: SubmissionGrade, aside: Aside) -> str:
    data = page_data(result, aside)
    text = json.dumps(data, default=vars, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return render("submission.html", name=result.name, data=packed)


def page_data(result: SubmissionGrade, aside: Aside) -> Mapping[str, object]:
    """Return what the page of a submission shows, as plain data."""
    return {
        **vars(result),
        "status": result.status,
        "earned": result.earned,
        "bonus": result.bonus,
        "problems": [problem.staff for problem in result.problems],
        "homeworks": list(map(_homework, result.homeworks)),
        "aside": aside,
    }


def _homework(homework: HomeworkGrade) -> Mapping[str, object]:
    reasons = reasons_without_repeats(homework.checks)
    checks = []
    for check in homework.checks:
        fields = {
            **vars(check),
            "reason": as_sentence(reasons[check.check]),
            "made": _mistakes_with_diffs(check),
        }
        for name, value in list(fields.items()):
            if name in ELSEWHERE or not value:
                del fields[name]
        checks.append(fields)
    key, _ = _form_of(homework)
    return {
        **vars(homework),
        "form": key,
        "earned": homework.earned,
        "changes": change_lines(homework),
        "checks": checks,
        "provisional": homework.provisional,
        "work": replace(homework.work or Work(), shown=(), behaviours=()),
    }


def _mistakes_with_diffs(check: CheckResult) -> tuple[tuple[str, ...], ...]:
    """Return the mistakes, or pairs, whose diffs belong to a check; some labels have none."""
    if check.made:
        return check.made
    return tuple((label,) for label in check.misconceptions)


def _form_of(homework: HomeworkGrade) -> tuple[str, object]:
    """Return the facts that are equal in all results of the same checks, after their key."""
    checks = []
    for check in homework.checks:
        checks.append((check.check, check.task, check.sentence, check.points))
    form = {"homework": homework.homework, "title": homework.title, "checks": checks}
    digest = hashlib.sha256(json.dumps(form).encode()).hexdigest()
    return digest[:8], form


def _assignment(name: str, value: object) -> str:
    return f"window.{name} = {json.dumps(value, separators=(',', ':'))};\n"
