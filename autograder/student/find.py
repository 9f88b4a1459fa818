"""Find which file of a homework's folder is the student's work, as the grader finds it."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.sandbox import Code
from autograder.student.homework import PublicHomework

OURS = frozenset({"check.py", "conftest.py", "public_checks.py"})
ENDINGS = (".py", ".ipynb")
NOT_PLAIN_STARTS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, b"{")
NOT_PLAIN = re.compile(rb"\0|^[ \t]*[%!][A-Za-z]|coding[:=]|get_ipython", re.MULTILINE)


@dataclass(frozen=True)
class Work:
    """The student's code in a folder, or in ``trouble`` why there is none; ``files`` are all they have."""

    code: Code | None
    origin: str = ""
    notes: tuple[str, ...] = ()
    trouble: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


def find_work(public: PublicHomework, folder: Path, chosen: str | None = None) -> Work:
    """Find the file to check: the stub's, or the notebook's when that one was worked on instead.

    Where a file is ``chosen`` by its name, of the others only modules that it may import count.
    """
    files = {name: (folder / name).read_bytes() for name in own_files(folder)}
    if chosen is None:
        plain = _plain_stub(public, files)
        return Work(plain, plain.entry, files=files) if plain else _searched(public, files, files)
    if chosen not in files:
        return Work(None, trouble=f"there is no {chosen} in {folder}", files=files)
    modules = {name for name in files if name.endswith(".py") and not _is_stubs_name(public, name)}
    return _searched(public, files, {name: files[name] for name in files if name in {*modules, chosen}})


def is_as_handed_out(public: PublicHomework, work: Work) -> bool:
    """Whether no file was changed yet, and none was added."""
    return {name: bytes_digest(data) for name, data in work.files.items()} == dict(public.handed_out_bytes)


def own_files(folder: Path) -> list[str]:
    """The names of the student's files in a homework's folder, sorted."""
    found = (path.name for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file())
    return sorted(name for name in found if name not in OURS and not name.startswith((".", "test_")))


def bytes_digest(data: bytes) -> str:
    """What tells a file from another without reading it as text."""
    whole = data.replace(b"\r\n", b"\n")
    return f"{zlib.crc32(whole):08x}-{len(whole)}"


def digest(text: str) -> str:
    """What tells a text from another, white space aside: line ends differ between systems."""
    return bytes_digest(" ".join(text.split()).encode())


def _plain_stub(public: PublicHomework, files: Mapping[str, bytes]) -> Code | None:
    """The code where nothing has to be found out: the stub's file in plain Python, all else as handed out.

    This is only a shorter way to what the search returns; importing that takes longer than all checks. Plain
    is UTF-8 without a mark, a named encoding, magics or shell lines.
    """
    stub = public.homework.stub
    others = {name: data for name, data in files.items() if name != stub}
    if stub not in files or any(
        public.handed_out_bytes.get(name) != bytes_digest(data) for name, data in others.items()
    ):
        return None
    modules = {name: data for name, data in files.items() if name.endswith(".py")}
    if any(data.startswith(NOT_PLAIN_STARTS) or NOT_PLAIN.search(data) for data in modules.values()):
        return None
    try:
        texts = {name: data.decode("utf-8") for name, data in modules.items()}
    except UnicodeDecodeError:
        return None
    return Code(stub, {name: re.sub(r"\r\n?", "\n", text) for name, text in texts.items()})


def _searched(public: PublicHomework, files: Mapping[str, bytes], looked_at: Mapping[str, bytes]) -> Work:
    """Let the grader's own search say which file is the hand-in."""
    from autograder.intake import ReadResult, Sought, SourceFile, match, read_script

    homework, handed_out = public.homework, set(public.handed_out.values())
    sources = [SourceFile(name, data) for name, data in looked_at.items()]
    texts = {one.path: read_script(one).text for one in sources if _is_stubs_name(public, one.path)}
    worked_on = [name for name, text in texts.items() if digest(text) not in handed_out]
    if len(worked_on) > 1:
        remedy = "keep your work in one, or name the one to check: python check.py NAME"
        trouble = f"you changed both {' and '.join(worked_on)}: {remedy}"
        return Work(None, trouble=trouble, files=files)
    matched = match(
        homework.title,
        ReadResult(tuple(sources)),
        {homework.id: homework.stub},
        [homework.id],
        lambda homework_id, text: digest(text) in handed_out,
        {homework.id: {task.name: Sought(task.points, task.value) for task in homework.tasks}},
    )
    if not matched.handins:
        missing = f"{homework.stub} is missing from this folder"
        trouble = " ".join(problem.text for problem in matched.problems) if looked_at else missing
        return Work(None, trouble=trouble, files=files)
    handin = matched.handins[0]
    notes = (*handin.notes, *(problem.text for problem in matched.problems))
    return Work(handin.code, handin.origin, notes, files=files)


def _is_stubs_name(public: PublicHomework, name: str) -> bool:
    return Path(name).stem == Path(public.homework.stub).stem
