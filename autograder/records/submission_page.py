"""The page of one submission for the staff: a small shell that ``report/submission.js`` fills from its data.

What a whole class shares (titles, tasks, sentences and points of checks, diffs of known mistakes) lies once
in ``report/course.js``, and all names in ``report/index.js``: pages stay small, and need not be written again
when others join.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import zlib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder.course import Homework
from autograder.judging import CheckResult, HomeworkResult, SubmissionResult, as_diffs, reasons_told_once
from autograder.records.pages import as_sentence, change_lines, page_of, render, replacing

SHARED = ("submission.js", "submission.css")
COURSE, INDEX = "course.js", "index.js"
Row = Sequence[object]


@dataclass(frozen=True)
class Aside:
    """What a gradebook knows about a submission beside its results, as rows that begin with the homework.

    ``decisions`` are those of people: what, points, why, when; ``history`` are earlier grades.
    """

    decisions: list[Row]
    history: list[Row]


NOTHING = Aside([], [])


@dataclass
class Common:
    """What the pages of a class share, gathered while its results pass by."""

    forms: dict[str, object] = field(default_factory=dict)
    made: defaultdict[str, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    names: list[tuple[str, str]] = field(default_factory=list)

    def add(self, result: SubmissionResult) -> None:
        """Gather from one more submission; they come sorted by name."""
        self.names.append((result.name, page_of(result.name)))
        for one in result.homeworks:
            key, form = _form_of(*_shape(one))
            self.forms[key] = form
            for check in one.checks:
                self.made[one.homework].update(_made(check))

    def write(self, folder: Path, homeworks: Mapping[str, Homework]) -> None:
        """Write the files that the pages share, as far as they are not there already."""
        there = sorted((key, one) for key, one in homeworks.items() if one.solution.is_file())
        diffs = {key: as_diffs(one, sorted(self.made[key])) for key, one in there if key in self.made}
        texts = {name: render(name) for name in SHARED} | {
            COURSE: _assigned("COURSE", {"forms": dict(sorted(self.forms.items())), "diffs": diffs}),
            INDEX: _assigned("INDEX", self.names),
        }
        folder.mkdir(exist_ok=True)
        for name, text in texts.items():
            if not (folder / name).is_file() or (folder / name).read_text("utf-8") != text:
                with replacing(folder / name) as part:
                    part.write_text(text, "utf-8")


def write_submission_page(path: Path, result: SubmissionResult, aside: Aside) -> None:
    """Write the page of a submission, whose homeworks carry their works."""
    text = json.dumps(page_data(result, aside), default=vars, separators=(",", ":"))
    packed = base64.b64encode(zlib.compress(text.encode(), 9)).decode()
    page = render("submission.html", name=result.name, data=packed)
    path.write_text(page, encoding="utf-8", errors="backslashreplace")


def page_data(result: SubmissionResult, aside: Aside) -> Mapping[str, object]:
    """Return what the page of a submission shows, as plain data."""
    return {
        "name": result.name,
        "status": result.status,
        "earned": result.earned,
        "person": result.person,
        "problems": [problem.staff for problem in result.problems],
        "fault": result.fault,
        "homeworks": [_homework(one, aside) for one in result.homeworks],
    }


def _homework(one: HomeworkResult, aside: Aside) -> Mapping[str, object]:
    told, same = reasons_told_once(one.checks), ("status", "earned", "raw", "points", "detail", "notes")
    own = {key: getattr(one, key) for key in (*same, "output", "layers", "seed", "seconds")}
    checks = [
        {
            "is": check.outcome,
            "reason": as_sentence(told[check.check]),
            "staff": check.staff,
            "answer": check.answer,
            "labels": check.misconceptions,
            "made": _made(check),
        }
        for check in one.checks
    ]
    return own | {
        "form": _form_of(*_shape(one))[0],
        "changes": change_lines(one),
        "checks": [{key: value for key, value in check.items() if value} for check in checks],
        "file": one.work.file if one.work else "",
        "source": one.work.source if one.work else "",
        "exhibits": one.work.exhibits if one.work else (),
        "decisions": [row[1:] for row in aside.decisions if row[0] == one.homework],
        "history": [row[1:] for row in aside.history if row[0] == one.homework],
    }


def _made(check: CheckResult) -> Collection[tuple[str, ...]]:
    """The mistakes, or pairs, whose diffs belong to a check; some labels have none."""
    return check.made or tuple((label,) for label in check.misconceptions)


def _shape(one: HomeworkResult) -> tuple[str, str, tuple[tuple[str, str, str, float], ...]]:
    """What is equal in the results of a class that was graded by the same checks."""
    return one.homework, one.title, tuple((c.check, c.task, c.sentence, c.points) for c in one.checks)


@functools.lru_cache(maxsize=256)
def _form_of(homework: str, title: str, checks: Sequence[Row]) -> tuple[str, object]:
    form = {"homework": homework, "title": title, "checks": checks}
    return hashlib.sha256(json.dumps(form).encode()).hexdigest()[:8], form


def _assigned(name: str, value: object) -> str:
    return f"window.{name} = {json.dumps(value, separators=(',', ':'))};\n"
