"""Find which file of a homework's folder is the student's work, as the grader finds it."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from autograder.intake import Matched
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

    Args:
        public: the homework.
        folder: the homework's folder.
        chosen: the only file to look at, by its name.
    """
    files = {name: (folder / name).read_bytes() for name in own_files(folder)}
    if chosen is None:
        plain = _plain_stub(public, files)
        return Work(plain, plain.entry, files=files) if plain else _searched(public, files, files)
    if chosen not in files:
        return Work(None, trouble=f"there is no {chosen} in {folder}", files=files)
    modules = {name: data for name, data in files.items() if name.endswith(".py")}
    beside = modules if not _is_stubs_name(public, chosen) else {}
    looked_at = {name: data for name, data in beside.items() if not _is_stubs_name(public, name)}
    return _searched(public, files, {**looked_at, chosen: files[chosen]})


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


def untouched(public: PublicHomework) -> Callable[[str, str], bool]:
    """Return the question whether a text is still as it was handed out, in the form that searching takes."""
    handed_out = set(public.handed_out.values())
    return lambda homework, text: digest(text) in handed_out


def _plain_stub(public: PublicHomework, files: Mapping[str, bytes]) -> Code | None:
    """The code where nothing has to be found out: the stub's file in plain Python, all else as handed out.

    This is only a shorter way to what the search returns; importing that takes longer than all checks.
    """
    stub = public.homework.stub
    others = {name: data for name, data in files.items() if name != stub}
    modules = {name: data for name, data in files.items() if name.endswith(".py")}
    if stub not in files or not all(map(_is_plain, modules.values())):
        return None
    if any(public.handed_out_bytes.get(name) != bytes_digest(data) for name, data in others.items()):
        return None
    return Code(stub, {name: _text(data) for name, data in modules.items()})


def _is_plain(data: bytes) -> bool:
    """Whether bytes are UTF-8 without marks, a named encoding, magics or shell lines."""
    if data.startswith(NOT_PLAIN_STARTS) or NOT_PLAIN.search(data):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _text(data: bytes) -> str:
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _searched(public: PublicHomework, files: Mapping[str, bytes], looked_at: Mapping[str, bytes]) -> Work:
    """Let the grader's own search say which file is the hand-in."""
    both = _both_worked_on(public, looked_at)
    if both:
        trouble = f"{both}: keep your work in one, or name the one to check: python check.py NAME"
        return Work(None, trouble=trouble, files=files)
    matched = _match(public, looked_at)
    if not matched.handins:
        stub = public.homework.stub
        trouble = " ".join(matched.problems) if looked_at else f"{stub} is missing from this folder"
        return Work(None, trouble=trouble, files=files)
    handin = matched.handins[0]
    return Work(handin.code, handin.origin, (*handin.notes, *matched.problems), files=files)


def _both_worked_on(public: PublicHomework, files: Mapping[str, bytes]) -> str:
    changed = [
        name
        for name, data in files.items()
        if _is_stubs_name(public, name) and public.handed_out_bytes.get(name) != bytes_digest(data)
    ]
    return f"you changed both {' and '.join(changed)}" if len(changed) > 1 and _differ(public, files) else ""


def _differ(public: PublicHomework, files: Mapping[str, bytes]) -> bool:
    """Whether both files hold work: a notebook that was only opened and saved is not changed in its code."""
    from autograder.intake import SourceFile, read_script

    texts = [read_script(SourceFile(n, data)).text for n, data in files.items() if _is_stubs_name(public, n)]
    is_untouched = untouched(public)
    return sum(not is_untouched(public.homework.id, text) for text in texts) > 1


def _is_stubs_name(public: PublicHomework, name: str) -> bool:
    return Path(name).stem == Path(public.homework.stub).stem


def _match(public: PublicHomework, files: Mapping[str, bytes]) -> Matched:
    from autograder.intake import ReadResult, SourceFile, match

    homework = public.homework
    read = ReadResult(tuple(SourceFile(name, data) for name, data in files.items()))
    tasks = {homework.id: [task.name for task in homework.tasks]}
    return match(homework.title, read, {homework.id: homework.stub}, [homework.id], untouched(public), tasks)
