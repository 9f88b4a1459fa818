"""Find which file of a homework's folder is the student's work, as the grader finds it."""

from __future__ import annotations

import codecs
import io
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.course.homework import Task
from autograder.intake.naming import SOURCE_ENDINGS
from autograder.intake.submission import Problem, ReadResult, SubmissionHandins
from autograder.language import in_language, say
from autograder.sandbox.request import Code
from autograder.student.homework import PublicHomework
from autograder.untrusted_text import for_screen
from autograder.worker.inert import INERT_PACKAGES

OURS = frozenset({"check.py", "conftest.py", "public_checks.py"})
NOT_PLAIN_STARTS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"{")
NOT_PLAIN = re.compile(rb"\0|^[ \t]*[%!][A-Za-z]|coding[:=]|get_ipython", re.MULTILINE)
LONGEST_PLAIN = 1_000_000


@dataclass(frozen=True)
class OwnWork:
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
        if self.code is None:
            return False
        return self.code.mentions("breakpoint(") or self.code.mentions("set_trace(")


@in_language
def find_work(
    public: PublicHomework, folder: Path, chosen: str | None = None
) -> OwnWork:
    """Find the file to check: the stub's, or the notebook's when that one was worked on instead.

    Where a file is ``chosen`` by its name, of the others only modules that it may import count. The code is
    what grading makes of the files to hand in, and of no others.
    """
    files = {name: (folder / name).read_bytes() for name in own_files(folder)}
    if chosen is None:
        plain = _plain_stub(public, files)
        if plain is None:
            return _searched(public, files)
        data = files[plain.entry]
        is_untouched = bytes_digest(data) == public.handed_out_bytes.get(plain.entry)
        to_hand_in = {plain.entry: data}
        return OwnWork(plain, plain.entry, files=to_hand_in, is_untouched=is_untouched)
    if chosen not in files:
        return OwnWork(
            None,
            trouble=say(
                "there is no {chosen} in {folder}", chosen=chosen, folder=folder
            ),
        )
    considered = {}
    for name, data in files.items():
        is_module = name.endswith(".py") and not _is_stubs_name(public, name)
        if is_module or name == chosen:
            considered[name] = data
    return _searched(public, considered, chosen)


def own_files(folder: Path) -> list[str]:
    """Return the names of the student's files in a homework's folder, sorted.

    Modules for which grading has a stand-in are left out.
    """
    names = []
    for path in folder.iterdir():
        if path.suffix not in SOURCE_ENDINGS or not path.is_file():
            continue
        if path.name in OURS or path.stem in INERT_PACKAGES:
            continue
        if not path.name.startswith((".", "test_")):
            names.append(path.name)
    return sorted(names)


def unknown_task(word: str, tasks: Sequence[str]) -> str:
    """Say that a word is no task, which there are, and which one is the nearest."""
    from difflib import get_close_matches

    similar = get_close_matches(word, tasks, 1)
    question = "."
    if similar:
        question = say(": did you mean {name}?", name=similar[0])
    return say(
        "There is no task {word!r} here{question} The tasks are {tasks}.",
        word=for_screen(word),
        question=question,
        tasks=", ".join(tasks),
    )


def bytes_digest(data: bytes) -> str:
    """What distinguishes a file from another without reading it as text."""
    whole = data.replace(b"\r\n", b"\n")
    return f"{zlib.crc32(whole):08x}-{len(whole)}"


def digest(text: str) -> str:
    """What distinguishes a text from another, white space aside: line ends differ between systems."""
    words = " ".join(text.split())
    return bytes_digest(words.encode())


def match_as_graded(
    public: PublicHomework, read: ReadResult, chosen: Sequence[str]
) -> SubmissionHandins:
    """Say which file is for which homework, as grading does: of those ``chosen``, or of the whole course."""
    from autograder.intake.matching import HomeworkProfile, match
    from autograder.intake.text import Script

    digests = set(public.handed_out.values())

    def is_untouched(text: str) -> bool:
        return digest(text) in digests

    profiles = []
    for key, recorded in public.course.items():
        tasks = {}
        for name, (points, value) in recorded["tasks"].items():
            tasks[name] = Task(name, points, summary="", returns=(), value=value)
        stub = recorded["stub"]
        reference = Script(stub, recorded["signatures"])
        profile = HomeworkProfile(key, stub, tasks, reference)
        if key == public.homework.id:  # what other homeworks hand out is not known here
            profile = replace(profile, is_untouched=is_untouched)
        profiles.append(profile)
    return match(public.homework.title, read, profiles, chosen)


def _plain_stub(public: PublicHomework, files: Mapping[str, bytes]) -> Code | None:
    """The code where nothing has to be found out: the stub's file in plain Python, all else as handed out.

    This is only a shorter way to what the search returns; importing that takes longer than all checks. Plain
    is UTF-8 without a mark, a named encoding, magics or shell lines, and of a size that is read.
    """
    stub = public.homework.stub
    data = files.get(stub)
    if data is None:
        return None
    for name, other in files.items():
        if name == stub:
            continue
        is_untouched = public.handed_out_bytes.get(name) == bytes_digest(other)
        if not is_untouched or name.endswith(".py"):
            return None
    if len(data) > LONGEST_PLAIN or data.startswith(NOT_PLAIN_STARTS):
        return None
    if NOT_PLAIN.search(data):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return Code(stub, {stub: re.sub(r"\r\n?", "\n", text)})


def _searched(
    public: PublicHomework, files: Mapping[str, bytes], chosen: str | None = None
) -> OwnWork:
    """Let the grader's own search say which file is the hand-in, and which modules go with it."""
    # Imported late: reading submissions as grading does takes longer than all checks.
    from autograder.intake.limits import Intake
    from autograder.intake.notebook import read_script

    homework = public.homework
    handed_out = set(public.handed_out.values())

    # Read the files under the limits of grading.
    intake = Intake()
    for name, data in files.items():
        content = intake.read(io.BytesIO(data), name, len(data))
        if content is not None:
            intake.keep(name, content)
    read = intake.result()
    scripts = {file.path: read_script(file) for file in read.files}

    # Of the files with the stub's name, one may be worked on.
    candidates = []
    for name in files:
        if name == chosen or _is_stubs_name(public, name):
            candidates.append(name)
    stub_files = {}
    for name in candidates:
        if name in scripts:
            stub_files[name] = scripts[name]
    unread: list[Problem] = []
    for script in stub_files.values():
        if not script.is_readable:
            unread += script.problems
    if len(stub_files) < len(candidates):
        unread += read.problems
    untouched = []
    for name, script in scripts.items():
        if digest(script.text) in handed_out:
            untouched.append(name)
    worked_on = []
    for name in stub_files:
        if name not in untouched:
            worked_on.append(name)
    if len(worked_on) > 1:
        remedy = say(
            "keep your work in one, or name the one to check: python check.py NAME"
        )
        names = " and ".join(worked_on)
        return OwnWork(
            None,
            trouble=say(
                "you changed both {names}: {remedy}", names=names, remedy=remedy
            ),
        )
    if chosen is None and stub_files and not worked_on:
        other_texts = {}
        for name, script in scripts.items():
            if name not in stub_files and name not in untouched:
                other_texts[name] = script.text
        elsewhere = _file_with_tasks(homework.tasks, other_texts)
        if elsewhere is not None:
            remedy = say(
                'to check {elsewhere}, name it: python check.py "{elsewhere}"',
                elsewhere=elsewhere,
            )
            names = " and ".join(stub_files)
            return OwnWork(
                None,
                trouble=say(
                    "{names}: as handed out; {remedy}", names=names, remedy=remedy
                ),
            )

    # What grading would take.
    matched = match_as_graded(public, read, [homework.id])
    if not files:
        return OwnWork(
            None, trouble=say("{stub} is missing from this folder", stub=homework.stub)
        )
    if unread or not matched.handins:
        problems = unread or matched.problems
        trouble = " ".join(problem.text for problem in problems)
        return OwnWork(None, trouble=trouble)
    [handin] = matched.handins
    origin = handin.origin
    if chosen not in (None, origin):
        remedy = say("move it out of this folder")
        trouble = say(
            "{origin} would be graded in place of {chosen}: {remedy}",
            origin=origin,
            chosen=chosen,
            remedy=remedy,
        )
        return OwnWork(None, trouble=trouble)
    to_hand_in = {origin: files[origin]}
    texts = {}
    for name, text in handin.code.files.items():
        is_other_stub = name in stub_files and name not in (*worked_on, origin)
        if name == handin.code.entry:
            texts[name] = text
        elif not is_other_stub:
            texts[name] = text
            to_hand_in[name] = files[name]
    notes = [*handin.notes]
    for problem in matched.problems:
        notes.append(problem.text)
    return OwnWork(
        code=replace(handin.code, files=texts),
        origin=origin,
        notes=tuple(notes),
        files=to_hand_in,
        is_untouched=origin in untouched,
    )


def _file_with_tasks(tasks: Sequence[Task], texts: Mapping[str, str]) -> str | None:
    """Return the first file that defines a task."""
    for name, text in texts.items():
        for task in tasks:
            if f"def {task.name}" in text or f"class {task.name}" in text:
                return name
    return None


def _is_stubs_name(public: PublicHomework, name: str) -> bool:
    return Path(name).stem == Path(public.homework.stub).stem
