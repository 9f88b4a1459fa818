"""Downloads as the learning platforms make them, written to a folder or packed into a zip."""

import re
from collections.abc import Sequence
from pathlib import Path

from autograder.intake.files import read_files
from autograder.intake.submission import Discovery, Submission
from autograder.platforms.discover import find_submissions

from .makers import Contents, folder_of, zip_of

STUBS = ("attention_scores.py", "self_attention.py")


def canvas_name(name: str, user: int, number: int, file: str, late: bool = False) -> str:
    """The name that Canvas gives to an upload; ``name`` is "Lovelace, Ada"."""
    who = re.sub(r"[^\w]", "", name).lower()
    return f"{who}{'_LATE' if late else ''}_{user}_{number}_{file}"


def moodle_name(name: str, participant: int, kind: str = "file") -> str:
    """The folder that Moodle makes for a submission; it drops apostrophes."""
    who = name.replace("_", " ").replace("'", "")
    return f"{who}_{participant}_assignsubmission_{kind}_"


def metadata(*records: str) -> str:
    """Gradescope's table of submissions."""
    return "---\n" + "".join(records)


def record(
    key: str, *submitters: tuple[str, str, str], created: str = "2026-02-05 06:54:05.212316000 Z"
) -> str:
    """One submission in Gradescope's table; a submitter is name, sid and email."""
    people = "".join(
        f"  - :name: {name}\n    :sid: '{sid}'\n    :email: {email}\n" for name, sid, email in submitters
    )
    listed = f"  :submitters:\n{people}" if people else "  :submitters: []\n"
    return f"{key}:\n{listed}  :created_at: {created}\n  :score: 0.0\n"


def as_folder(root: Path, contents: Contents) -> Path:
    return folder_of(root / "download", contents)


def as_zip(root: Path, contents: Contents) -> Path:
    path = root / "download.zip"
    path.write_bytes(zip_of(contents))
    return path


BOTH = (as_folder, as_zip)


def find(path: Path, layout: str = "auto") -> Discovery:
    return find_submissions([path], STUBS, layout)


def read(entry: Submission) -> dict[str, str]:
    """The files of an entry by their path in it."""
    return {file.path: file.data.decode() for file in read_files(entry.path, *entry.parts).files}


def contents_of(discovery: Discovery) -> dict[str, dict[str, str]]:
    """The files of each entry."""
    return {entry.name: read(entry) for entry in discovery.submissions}


def ids(discovery: Discovery) -> Sequence[str | None]:
    """The id, or on GitHub the login, of each entry's owner."""
    owners = [entry.owner for entry in discovery.submissions]
    return [owner and (owner.student_id or owner.login) for owner in owners]
