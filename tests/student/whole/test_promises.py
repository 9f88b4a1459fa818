"""What the check on a student's machine promises is what grading gives, to the point."""

import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from homeworks import SIX
from released import unzip

from autograder.batch.session import open_session
from autograder.intake.submission import Submission
from autograder.student.find import OwnWork, find_work, own_files
from autograder.student.homework import open_homework
from autograder.student.judge import Report
from autograder.student.load import check_work
from autograder.student.pack import NotGraded, pack
from autograder.verdict.checks import Outcome

from ..conftest import libraries_as_before
from ..work_of_students import leave

pytestmark = pytest.mark.usefixtures("searches_are_short")

SEEDS = range(int(os.environ.get("AUTOGRADER_PROMISES", "60")))
"""Folders that are drawn."""


@dataclass
class Promise:
    """What the local check said: the report, and the zip or why there is none."""

    work: OwnWork
    report: Report
    zip: Path | None = None
    refusal: str = ""


def check_and_pack(folder, chosen):
    public = open_homework(folder)
    work = find_work(public, folder, chosen)
    with libraries_as_before():
        report = check_work(public, work)
    try:
        pack(public, folder, work, report)
    except NotGraded as error:
        return Promise(work, report, refusal=str(error))
    return Promise(work, report, folder / f"{public.homework.id}_handin.zip")


@pytest.fixture(scope="module")
def sessions(course):
    """One session for each homework that is graded alone; without homeworks, files are only matched."""
    return {key: open_session(3, [key] if key else [], course) for key in ("", *SIX)}


def passing(results):
    return {result.check: (result.outcome is Outcome.PASSED, result.earned) for result in results}


def disagreements(promise, result):
    """Where the promise is not kept."""
    points_of_grading, differences = passing(result.checks), []
    for name, promised in passing(promise.report.results).items():
        if points_of_grading[name] != promised:
            reason = next(result.reason for result in promise.report.results if result.check == name)
            got = next(check.reason for check in result.checks if check.check == name)
            differences.append(
                f"{name}: promised {promised} ({reason}), given {points_of_grading[name]} ({got})"
            )
    reason, given_notes = (  # grading quotes no exception that a library defines
        {
            re.sub(r" raised (an uncommon exception|URLError) (at line \d+).*", r" raised … \2", note)
            for note in notes
        }
        for notes in (promise.report.notes, result.notes)
    )
    notes = (reason ^ given_notes) - set(promise.work.notes)
    return differences + [
        f"note of one side: {note}" for note in sorted(notes) if not re.search("answer|question", note)
    ]


def by_hand(folder, promise):
    """The zip that the student would make of the files without the kit."""
    path = folder / "by_hand.zip"
    names = list(promise.work.files) or own_files(folder)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.write(folder / name, name)
    return path


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_promised_is_what_grading_gives(seed, tmp_path, sessions, pool):
    session = sessions[SIX[seed % len(SIX)]]
    homework = session.course.homework(session.chosen[0])
    folder = unzip(homework.id, tmp_path / "homework")
    work_left = leave(homework, folder, seed)
    work_left.lay(folder)
    promise = check_and_pack(folder, work_left.chosen)
    story = "\n".join(work_left.said)
    if promise.zip is None:
        entry = Submission("me", by_hand(folder, promise))
        matched = sessions[""].match(entry)
        handin_by_homework = {handin.homework: handin for handin in matched.handins}
        as_checked = (
            handin_by_homework.keys() == {homework.id}
            and handin_by_homework[homework.id].code == promise.work.code
        )
        result = session.grade(entry, pool).homeworks
        earned = sum(check.earned for check in result[0].checks) if result else 0
        assert not (as_checked and earned), f"{promise.refusal}\n{story}"
        return
    entry = Submission("me", promise.zip)
    assert [handin.code for handin in sessions[""].match(entry).handins] == [promise.work.code], story
    [result] = session.grade(entry, pool).homeworks
    assert result.homework == homework.id
    assert disagreements(promise, result) == [], story
