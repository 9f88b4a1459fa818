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
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.homework import Homework
from autograder.feedback.pages import (
    as_sentence,
    change_lines,
    page_of,
    render,
    without_work,
)
from autograder.gradebook.groups import Groups
from autograder.intake.csv_table import replacing
from autograder.reasons.mutation import as_diffs
from autograder.verdict.checks import CheckResult
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.results import (
    HomeworkResult,
    SubmissionResult,
    reasons_told_once,
)
from autograder.verdict.work import Work

SHARED = ("submission.js", "submission.css")
COURSE, INDEX = "course.js", "index.js"
ELSEWHERE = ("check", "task", "sentence", "points", "cause")
"""What a check says that is in ``course.js``, or is not shown."""
Row = Sequence[object]


Aside = Mapping[str, Sequence[Row]]
"""What a gradebook knows about a submission beside its results: rows that begin with the homework, of
``decisions`` that people made (what, points, why, when) and of the ``history`` of its grades."""


@dataclass
class Common:
    """What the pages of a class share, gathered while its results pass by."""

    forms: dict[str, object] = field(default_factory=dict)
    made: defaultdict[str, set[tuple[str, ...]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    names: list[str] = field(default_factory=list)

    def add(self, result: SubmissionResult) -> None:
        """Gather from one more submission; they come sorted by name."""
        self.names.append(result.name)
        for one in result.homeworks:
            key, form = _form_of(one)
            self.forms[key] = form
            for check in one.checks:
                self.made[one.homework].update(_made(check))

    def write(
        self, folder: Path, homeworks: Mapping[str, Homework], groups: Groups
    ) -> None:
        """Write the files that the pages share, as far as they are not there already."""
        there = sorted(
            (key, one) for key, one in homeworks.items() if one.solution.is_file()
        )
        diffs = {}
        for key, homework in there:
            if key in self.made:
                with explaining(f"the mistakes of {key} as edits of the solution"):
                    diffs[key] = as_diffs(homework, sorted(self.made[key]))
        tasks, alike = groups.tasks(), defaultdict[str, list[int]](list)
        members = sorted(groups.members().items())
        for number, (_, names) in enumerate(members):
            for name in names:
                alike[name].append(number)
        index = [[name, page_of(name), *alike[name]] for name in self.names]
        texts = {name: render(name) for name in SHARED} | {
            COURSE: _assigned(
                "COURSE", {"forms": dict(sorted(self.forms.items())), "diffs": diffs}
            ),
            INDEX: _assigned("GROUPS", [[group, *tasks[group]] for group, _ in members])
            + _assigned("INDEX", index),
        }
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            if (
                not (folder / name).is_file()
                or (folder / name).read_text("utf-8") != text
            ):
                with replacing(folder / name) as part:
                    part.write_text(text, "utf-8")


def write_submission_page(path: Path, result: SubmissionResult, aside: Aside) -> None:
    """Write the page of a submission, whose homeworks carry their works.

    Where what came out cannot be shown, the page has the points and reasons alone.
    """
    page = ""
    with explaining(f"what came out, on the staff's page of {result.name}"):
        page = _page(result, aside)
    path.write_text(
        page or _page(without_work(result), aside), "utf-8", errors="backslashreplace"
    )


def _page(result: SubmissionResult, aside: Aside) -> str:
    text = json.dumps(page_data(result, aside), default=vars, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    return render("submission.html", name=result.name, data=packed)


def page_data(result: SubmissionResult, aside: Aside) -> Mapping[str, object]:
    """Return what the page of a submission shows, as plain data."""
    own = {
        "status": result.status,
        "earned": result.earned,
        "problems": [one.staff for one in result.problems],
    }
    return {
        **vars(result),
        **own,
        "homeworks": [_homework(one) for one in result.homeworks],
        "aside": aside,
    }


def _homework(one: HomeworkResult) -> Mapping[str, object]:
    told, checks = reasons_told_once(one.checks), list[Mapping[str, object]]()
    for check in one.checks:
        its = {
            **vars(check),
            "reason": as_sentence(told[check.check]),
            "made": _made(check),
        }
        checks.append(
            {key: value for key, value in its.items() if value and key not in ELSEWHERE}
        )
    own = {
        "form": _form_of(one)[0],
        "earned": one.earned,
        "changes": change_lines(one),
        "checks": checks,
    }
    own["provisional"] = one.provisional
    return {
        **vars(one),
        **own,
        "work": replace(one.work or Work(), shown=(), behaviours=()),
    }


def _made(check: CheckResult) -> tuple[tuple[str, ...], ...]:
    """The mistakes, or pairs, whose diffs belong to a check; some labels have none."""
    return check.made or tuple((label,) for label in check.misconceptions)


def _form_of(one: HomeworkResult) -> tuple[str, object]:
    """What is equal in the results of a class that was graded by the same checks, after a name for it."""
    checks = [
        (check.check, check.task, check.sentence, check.points) for check in one.checks
    ]
    form = {"homework": one.homework, "title": one.title, "checks": checks}
    return hashlib.sha256(json.dumps(form).encode()).hexdigest()[:8], form


def _assigned(name: str, value: object) -> str:
    return f"window.{name} = {json.dumps(value, separators=(',', ':'))};\n"
