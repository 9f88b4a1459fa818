"""Feedback by student: zips that Moodle and Canvas hand out, and a folder of pages to send by e-mail."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from autograder.intake import Cell, Entry, Student, fit, safe, write_table
from autograder.judging import SubmissionResult
from autograder.records.exports import FEEDBACK
from autograder.records.lms import ExportError
from autograder.records.pages import render

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
    path: Path,
    platform: str,
    addressed: Sequence[tuple[Student, SubmissionResult]],
    download: Sequence[Entry] = (),
) -> dict[int, str]:
    """Write the pages of students into a zip, or into a folder with ``index.csv``; each has one of their own.

    Returns:
        By line of the roster, who has no file, and why.

    Raises:
        ExportError: nobody has one.
    """
    uploads = {one.name: [PurePosixPath(p.member or p.path.name).name for p in one.parts] for one in download}
    named = [(name_for(platform, who, uploads.get(one.name, ())), who, one) for who, one in addressed]
    sent = defaultdict[str, set[str]](set)  # a team's members may share an address, strangers may not
    for name, _, result in named:
        sent[name.casefold()].add(result.name)
    left_out, files, rows = dict[int, str](), dict[str, bytes](), list[list[Cell]]()
    for name, student, result in named:
        if not name or len(sent[name.casefold()]) > 1:
            left_out[student.line] = f"several would be sent as {name}" if name else NAMELESS[platform]
            continue
        files[name] = _in_form_of(name, render(FEEDBACK, result=result))
        most = sum(one.points for one in result.homeworks)
        rows.append([student.email, student.name, name, result.earned, most])
    if not files:
        raise ExportError(
            f"nobody can be given feedback: {next(iter(left_out.values()), 'nobody has a grade')}"
        )
    if path.suffix == ".zip":
        path.write_bytes(_zipped(files))
        return left_out
    path.mkdir(exist_ok=True)
    for old in path.glob("*@*.html"):
        old.unlink()
    for name, data in files.items():
        (path / name).write_bytes(data)
    write_table(path / INDEX, ["email", "name", "file", "points", "max"], rows)
    return left_out


def _in_form_of(name: str, page: str) -> bytes:
    """Return a page as it opens under a name with this ending.

    Canvas shows a file under the name of the student's own: https://github.com/instructure/canvas-lms/issues/2406.
    """
    shown = re.sub(r"<(style|title)>.*?</\1>|(?<=>)\n", "", page, flags=re.DOTALL)
    shown = re.sub(r"</?h\d>|</(p|tr)>|<br>", "\n", shown)  # the page is ours: what it quotes holds no tags
    text = html.unescape(re.sub(r"(<[^>]*>)+", " ", shown)).strip()
    cell = {"cell_type": "raw", "metadata": {}, "source": text}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    ending = PurePosixPath(name).suffix.lower()
    if ending == ".zip":
        return _zipped({FEEDBACK: page.encode()})
    return {".html": page, ".ipynb": json.dumps(notebook)}.get(ending, text).encode()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()
