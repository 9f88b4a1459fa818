"""Find which file of a homework's folder is the student's work, as the grader finds it."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course.homework import Task
from autograder.sandbox.report import escaped
from autograder.sandbox.request import Code
from autograder.student.homework import PublicHomework
from autograder.worker.inert import INERT_PACKAGES

if TYPE_CHECKING:  # reading submissions as grading does takes longer than all checks
    from autograder.intake.submission import Matched, ReadResult

OURS = frozenset({"check.py", "conftest.py", "public_checks.py"})
ENDINGS = (".py", ".ipynb")
NOT_PLAIN_STARTS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"{")
NOT_PLAIN = re.compile(rb"\0|^[ \t]*[%!][A-Za-z]|coding[:=]|get_ipython", re.MULTILINE)
LONGEST_PLAIN = 1_000_000


@dataclass(frozen=True)
class Work:
    """The student's code in a folder, or in ``trouble`` why there is none; ``files`` are those to hand in.

    ``is_untouched`` says that the file to hand in is as it was handed out.
    """

    code: Code | None
    origin: str = ""
    notes: tuple[str, ...] = ()
    trouble: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    is_untouched: bool = False

    @property
    def stops_to_look(self) -> bool:
        """Whether the code may stop for a debugger."""
        return self.code is not None and any(
            map(self.code.mentions, ("breakpoint(", "set_trace("))
        )


def find_work(public: PublicHomework, folder: Path, chosen: str | None = None) -> Work:
    """Find the file to check: the stub's, or the notebook's when that one was worked on instead.

    Where a file is ``chosen`` by its name, of the others only modules that it may import count. The code is
    what grading makes of the files to hand in, and of no others.
    """
    files = {name: (folder / name).read_bytes() for name in own_files(folder)}
    if chosen is None:
        if (plain := _plain_stub(public, files)) is None:
            return _searched(public, files)
        own = files[plain.entry]
        is_untouched = bytes_digest(own) == public.handed_out_bytes.get(plain.entry)
        return Work(
            plain, plain.entry, files={plain.entry: own}, is_untouched=is_untouched
        )
    if chosen not in files:
        return Work(None, trouble=f"there is no {chosen} in {folder}")
    modules = {
        name
        for name in files
        if name.endswith(".py") and not _is_stubs_name(public, name)
    }
    return _searched(
        public, {one: files[one] for one in files if one in {*modules, chosen}}, chosen
    )


def own_files(folder: Path) -> list[str]:
    """The names of the student's files in a homework's folder, sorted, without what has a stand-in."""
    found = [
        path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file()
    ]
    own = (
        path.name
        for path in found
        if path.name not in OURS and path.stem not in INERT_PACKAGES
    )
    return sorted(name for name in own if not name.startswith((".", "test_")))


def unknown_task(word: str, tasks: Sequence[str]) -> str:
    """Say that a word is no task, which there are, and which one is the nearest."""
    from difflib import get_close_matches

    near = get_close_matches(word, tasks, 1)
    meant = f": did you mean {near[0]}?" if near else "."
    return f"There is no task {escaped(word)!r} here{meant} The tasks are {', '.join(tasks)}."


def bytes_digest(data: bytes) -> str:
    """What tells a file from another without reading it as text."""
    whole = data.replace(b"\r\n", b"\n")
    return f"{zlib.crc32(whole):08x}-{len(whole)}"


def digest(text: str) -> str:
    """What tells a text from another, white space aside: line ends differ between systems."""
    return bytes_digest(" ".join(text.split()).encode())


def match_as_graded(
    public: PublicHomework, read: ReadResult, chosen: Sequence[str]
) -> Matched:
    """Say which file is for which homework, as grading does: of those ``chosen``, or of the whole course."""
    from autograder.intake.matching import HomeworkProfile, match
    from autograder.intake.text import Script

    digests = set(public.handed_out.values())

    def is_untouched(text: str) -> bool:
        return digest(text) in digests

    def never(text: str) -> bool:  # what other homeworks hand out is not known here
        return False

    profiles = []
    for key, recorded in public.course.items():
        tasks = {}
        for name, (points, value) in recorded["tasks"].items():
            tasks[name] = Task(name, points, summary="", returns=(), value=value)
        profiles.append(
            HomeworkProfile(
                key,
                recorded["stub"],
                tasks,
                Script(recorded["stub"], recorded["signatures"]),
                is_untouched if key == public.homework.id else never,
            )
        )
    return match(public.homework.title, read, profiles, chosen)


def _plain_stub(public: PublicHomework, files: Mapping[str, bytes]) -> Code | None:
    """The code where nothing has to be found out: the stub's file in plain Python, all else as handed out.

    This is only a shorter way to what the search returns; importing that takes longer than all checks. Plain
    is UTF-8 without a mark, a named encoding, magics or shell lines, and of a size that is read.
    """
    stub = public.homework.stub
    own = files.get(stub, b"{")
    others = {name: data for name, data in files.items() if name != stub}
    if any(
        public.handed_out_bytes.get(name) != bytes_digest(data)
        for name, data in others.items()
    ):
        return None
    if any(name.endswith(".py") for name in others):
        return None
    if (
        len(own) > LONGEST_PLAIN
        or own.startswith(NOT_PLAIN_STARTS)
        or NOT_PLAIN.search(own)
    ):
        return None
    try:
        return Code(stub, {stub: re.sub(r"\r\n?", "\n", own.decode("utf-8"))})
    except UnicodeDecodeError:
        return None


def _searched(
    public: PublicHomework, files: Mapping[str, bytes], chosen: str | None = None
) -> Work:
    """Let the grader's own search say which file is the hand-in, and which modules go with it."""
    from autograder.intake.limits import Intake
    from autograder.intake.notebook import read_script

    homework, handed_out, intake = (
        public.homework,
        set(public.handed_out.values()),
        Intake(),
    )
    for name, data in files.items():
        if (kept := intake.read(io.BytesIO(data), name, len(data))) is not None:
            intake.keep(name, kept)
    read = intake.result()
    scripts = {one.path: read_script(one) for one in read.files}
    meant = [name for name in files if name == chosen or _is_stubs_name(public, name)]
    named = {name: scripts[name] for name in meant if name in scripts}
    unread = [
        problem
        for script in named.values()
        if not script.is_readable
        for problem in script.problems
    ]
    unread += read.problems if len(named) < len(meant) else ()
    untouched = [
        name for name, script in scripts.items() if digest(script.text) in handed_out
    ]
    worked_on = [name for name in named if name not in untouched]
    if len(worked_on) > 1:
        remedy = "keep your work in one, or name the one to check: python check.py NAME"
        return Work(
            None, trouble=f"you changed both {' and '.join(worked_on)}: {remedy}"
        )
    if chosen is None and named and not worked_on:
        starts = [
            start + task.name for task in homework.tasks for start in ("def ", "class ")
        ]
        more = {
            name: one.text
            for name, one in scripts.items()
            if name not in (*named, *untouched)
        }
        if other := next(
            (one for one in more if any(start in more[one] for start in starts)), None
        ):
            remedy = f'to check {other}, name it: python check.py "{other}"'
            return Work(None, trouble=f"{' and '.join(named)}: as handed out; {remedy}")
    matched = match_as_graded(public, read, [homework.id])
    if unread or not matched.handins:
        problems = " ".join(problem.text for problem in unread or matched.problems)
        return Work(
            None,
            trouble=problems
            if files
            else f"{homework.stub} is missing from this folder",
        )
    [handin] = matched.handins
    if chosen not in (None, handin.origin):
        remedy = "move it out of this folder"
        return Work(
            None,
            trouble=f"{handin.origin} would be graded in place of {chosen}: {remedy}",
        )
    code, stays = handin.code, {*named} - {*worked_on, handin.origin}
    modules = [one for one in code.files if one != code.entry and one not in stays]
    code = replace(
        code,
        files={
            one: code.files[one] for one in code.files if one in (code.entry, *modules)
        },
    )
    notes = (*handin.notes, *(problem.text for problem in matched.problems))
    own = {name: files[name] for name in (handin.origin, *modules)}
    return Work(
        code, handin.origin, notes, files=own, is_untouched=handin.origin in untouched
    )


def _is_stubs_name(public: PublicHomework, name: str) -> bool:
    return Path(name).stem == Path(public.homework.stub).stem
