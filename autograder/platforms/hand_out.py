"""Feedback by student: zips that Moodle and Canvas hand out, and a folder of pages to send by e-mail."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.archives import zipped
from autograder.csv_table import Cell, escape_formulas, write_table
from autograder.feedback.pages import feedback_page
from autograder.intake.naming import as_folder_name
from autograder.intake.roster import RosterMatch, Student
from autograder.platforms.discover import find_submissions
from autograder.platforms.platform import ExportError, Platform
from autograder.policy.grade import SubmissionGrade
from autograder.report.exports import FEEDBACK

EMAIL_FOLDER = "folder"
"""The target of ``autograder export --to`` that is no platform: a page for each e-mail address."""
INDEX = "index.csv"
_NO_ADDRESS = "the roster has no e-mail address of theirs"


@dataclass(frozen=True)
class _Page:
    """One student's feedback, and the name of its file; "" if the student cannot be given it."""

    name: str
    student: Student
    result: SubmissionGrade


def hand_out(
    folder: Path,
    platform: Platform | None,
    matching: RosterMatch,
    results: Sequence[SubmissionGrade],
    download: Path | None,
) -> tuple[Path, dict[int, str]]:
    """Write a zip for a platform, or a folder with ``index.csv``: for each student matched their own page.

    Args:
        folder: where to write it.
        platform: the platform that hands out the zip; None writes the folder, for e-mail.
        matching: whose each submission is.
        results: the submissions, with the points that count.
        download: the download that was graded, if the user named it.

    Returns:
        the zip or folder; and by line of the roster, who is not in it although they have a grade, and why.

    Raises:
        ExportError: nobody can be given feedback in this way.
    """
    uploads: Mapping[str, Sequence[str]] = {}
    nameless = _NO_ADDRESS
    if platform is not None:
        platform.check_feedback(download)
        if platform.needs_download and download is not None:
            uploads = _uploads(platform, download)
        nameless = platform.nameless

    pages = []
    for result in results:
        if result.earned is None:  # the grader failed, so there is nothing to read yet
            continue
        for student in matching.found.get(result.name, ()):
            if platform is None:
                name = _email_name(student)
            else:
                name = platform.feedback_name(student, uploads.get(result.name, ()))
            pages.append(_Page(name, student, result))

    # A team's members may share an address, and get the same page; strangers may not.
    submissions_by_name = defaultdict[str, set[str]](set)
    for page in pages:
        submissions_by_name[page.name.casefold()].add(page.result.name)
    left_out = {}
    for page in pages:
        if not page.name:
            left_out[page.student.line] = nameless
        elif len(submissions_by_name[page.name.casefold()]) > 1:
            left_out[page.student.line] = (
                f"several submissions would get the file name {page.name}"
            )
    addressed = []
    for page in pages:
        if page.student.line not in left_out:
            addressed.append(page)
    if not addressed:
        reasons = [*left_out.values(), "the grader itself failed on all of them"]
        raise ExportError(f"nobody can be given feedback: {reasons[0]}")

    files = {}
    for page in addressed:
        files[page.name] = _in_form_of(page.name, feedback_page(page.result))
    if platform is None:
        path = folder / "feedback"
        _write_email_folder(path, addressed, files)
    else:
        path = folder / f"{platform.name}_feedback.zip"
        path.write_bytes(zipped(files))
    return path, left_out


def _email_name(student: Student) -> str:
    is_address = (
        "@" in student.email and escape_formulas(student.email) == student.email
    )
    if is_address:
        return f"{as_folder_name(student.email)}.html"
    return ""


def _write_email_folder(
    path: Path, pages: Sequence[_Page], files: Mapping[str, bytes]
) -> None:
    """Write the pages and a table for a mail merge; pages of an earlier export are removed."""
    path.mkdir(exist_ok=True)
    for earlier in path.glob("*@*.html"):
        earlier.unlink()
    for name, data in files.items():
        (path / name).write_bytes(data)
    rows: list[list[Cell]] = []
    for page in pages:
        student = page.student
        points = maximum = None
        if (
            page.result.homeworks
        ):  # where nothing could be graded, a person has to look at it
            points = page.result.earned
            maximum = sum(homework.points for homework in page.result.homeworks)
        rows.append([student.email, student.name, page.name, points, maximum])
    write_table(path / INDEX, ["email", "name", "file", "points", "max"], rows)


def _uploads(platform: Platform, download: Path) -> dict[str, list[str]]:
    """Return the names that the files of each submission have in the download."""
    uploads = {}
    for entry in find_submissions([download], layout=platform.name).submissions:
        names = []
        for part in entry.parts:
            path = PurePosixPath(part.member or part.path.name)
            names.append(path.name)
        uploads[entry.name] = names
    return uploads


def _in_form_of(name: str, page: str) -> bytes:
    """Return a page as it opens under a name with this ending.

    Canvas shows a file under the name of the student's own: https://github.com/instructure/canvas-lms/issues/2406.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".html":
        return page.encode()
    if ending == ".zip":
        return zipped({FEEDBACK: page.encode()})
    text = _as_text(page)
    if ending == ".ipynb":
        cell = {"cell_type": "raw", "metadata": {}, "source": text}
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        return json.dumps(notebook).encode()
    return text.encode()


def _as_text(page: str) -> str:
    """Return the words of one of our pages; its markup is known, and what it quotes holds no tags."""
    inline = r"<(style|title)>.*?</\1>|</?(code|strong|span)\b[^>]*>|(?<=>)\n"
    markup = re.sub(inline, "", page, flags=re.DOTALL)
    markup = re.sub(r"</?h\d>|</(p|tr|li|table|summary)>|<br>", "\n", markup)
    text = re.sub(r"(<[^>]*>)+", " ", markup)
    text = re.sub(r" ?\n ?", "\n", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    return html.unescape(text).strip()
