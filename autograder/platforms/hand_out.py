"""Feedback by student: zips that Moodle and Canvas hand out, and a folder of pages to send by e-mail."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from autograder.feedback.pages import feedback_page
from autograder.intake.csv_table import safe, write_table
from autograder.intake.naming import fit
from autograder.intake.roster import Matching, Student
from autograder.intake.submission import Layout
from autograder.intake.zips import zipped
from autograder.platforms.discover import find_entries
from autograder.platforms.lms import ExportError
from autograder.report.exports import FEEDBACK
from autograder.verdict.results import SubmissionResult

INDEX = "index.csv"
FORMS = (".py", ".ipynb", ".zip", ".txt")
NAMELESS = {
    "canvas": f"Canvas's download has no {', '.join(FORMS)} of theirs to add feedback to",
    "moodle": "Moodle needs the participant's number: give its grading worksheet as --roster",
    "folder": "the roster has no e-mail address of theirs",
}


def name_for(platform: str, student: Student, uploads: Sequence[str]) -> str:
    """Return how a student's file must be called for a platform to hand it out; "" where it cannot.

    Moodle, "Upload multiple feedback files in a zip", reads a name up to its fourth underscore: somebody's
    name, which does not count, the participant's number, and what was handed in; the rest is what the student
    sees (``is_valid_filename_for_import`` in ``mod/assign/feedback/file/importziplib.php``; it ignores what
    begins with "." or "~"). Canvas, "Re-upload Submissions", finds student and upload by the numbers in the
    name that it gave to an upload (``infer_comment_context_from_filename`` in
    ``app/models/abstract_assignment.rb``).
    """
    if platform == "canvas":
        return next((name for name in uploads if name.lower().endswith(FORMS)), "")
    if platform == "moodle":
        number = re.search(r"\d+", student.number)
        name = fit(student.name).replace("_", " ").strip(" .~") or "Participant"
        return f"{name}_{number[0]}_assignsubmission_file_{FEEDBACK}" if number else ""
    is_address = "@" in student.email and safe(student.email) == student.email
    return f"{fit(student.email)}.html" if is_address else ""


def hand_out(
    folder: Path,
    platform: str,
    matching: Matching,
    results: Sequence[SubmissionResult],
    download: Path | None,
) -> tuple[Path, dict[int, str]]:
    """Write a zip for a platform, or a folder with ``index.csv``: for each student matched their own page.

    Return it; and by line of the roster, who is not in it although they have a grade, and why.

    Raises:
        ExportError: nobody can be given feedback in this way.
    """
    uploads = _uploads(platform, download)
    named = [  # where the grader failed there is nothing to read yet
        (name_for(platform, student, uploads.get(one.name, ())), student, one)
        for one in results
        for student in matching.found.get(one.name, ())
        if one.earned is not None
    ]
    sent = defaultdict[str, set[str]](
        set
    )  # a team's members may share an address, strangers may not
    for name, _, result in named:
        sent[name.casefold()].add(result.name)
    left_out = {
        student.line: f"several submissions would get the file name {name}"
        if name
        else NAMELESS[platform]
        for name, student, _ in named
        if not name or len(sent[name.casefold()]) > 1
    }
    kept = [one for one in named if one[1].line not in left_out]
    if not kept:
        why = next(iter(left_out.values()), "the grader itself failed on all of them")
        raise ExportError(f"nobody can be given feedback: {why}")
    path = folder / ("feedback" if platform == "folder" else f"{platform}_feedback.zip")
    files = {name: _in_form_of(name, feedback_page(result)) for name, _, result in kept}
    if platform == "folder":
        path.mkdir(exist_ok=True)
        for old in path.glob("*@*.html"):
            old.unlink()
        for name, data in files.items():
            (path / name).write_bytes(data)
        rows = (
            [
                who.email,
                who.name,
                name,
                one.earned,
                sum(own.points for own in one.homeworks),
            ]
            for name, who, one in kept
        )
        write_table(path / INDEX, ["email", "name", "file", "points", "max"], rows)
    else:
        path.write_bytes(zipped(files))
    return path, left_out


def _uploads(platform: str, download: Path | None) -> dict[str, list[str]]:
    if platform == "gradescope":
        raise ExportError(
            "Gradescope's results.json hold the feedback: leave --feedback out"
        )
    if platform == "canvas" and download is None:
        raise ExportError(
            "name Canvas's download with --download: feedback goes back under the names in it"
        )
    entries = find_entries([download], layout=Layout.CANVAS).entries if download else ()
    return {
        one.name: [PurePosixPath(p.member or p.path.name).name for p in one.parts]
        for one in entries
    }


def _in_form_of(name: str, page: str) -> bytes:
    """Return a page as it opens under a name with this ending.

    Canvas shows a file under the name of the student's own: https://github.com/instructure/canvas-lms/issues/2406.
    """
    within = r"<(style|title)>.*?</\1>|</?(code|strong|span)\b[^>]*>|(?<=>)\n"
    shown = re.sub(
        within, "", page, flags=re.DOTALL
    )  # the page is ours: what it quotes holds no tags
    shown = re.sub(r"</?h\d>|</(p|tr|li|table|summary)>|<br>", "\n", shown)
    lines = re.sub(r" ?\n ?", "\n", re.sub(r"(<[^>]*>)+", " ", shown))
    text = html.unescape(re.sub(r"\n{3,}", "\n\n", lines)).strip()
    cell = {"cell_type": "raw", "metadata": {}, "source": text}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".zip":
        return zipped({FEEDBACK: page.encode()})
    return {".html": page, ".ipynb": json.dumps(notebook)}.get(ending, text).encode()
