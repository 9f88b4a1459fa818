"""Classes of arbitrary entries beside honest ones: reading never raises, ends soon, and loses nobody.

A few dozen classes are tried each time, always the same ones. ``AUTOGRADER_FUZZ_SECONDS=600`` goes on from
there with new ones for so long. The number in a failure makes the class again: keep it in ``KEPT``.
"""

import contextlib
import itertools
import os
import random
import shutil
import signal
import time
import unicodedata

import pytest
from fuzzing import new_numbers

from autograder.csv_table import TableError, read_table
from autograder.gradebook.fingerprint import fingerprint_submission
from autograder.intake.files import read_files
from autograder.intake.naming import as_results_folder
from autograder.intake.submission import SubmissionError
from autograder.platforms.discover import find_submissions

from .downloads import metadata, record
from .makers import code, match_read, notebook_of, task, zip_of

STUBS = {"hw1": "attention_scores.py", "hw2": "self_attention.py"}
TASKS = {"hw1": {"scores": task("scores", value="all_scores")}, "hw2": {"attend": task("attend")}}
PYTHON = "import numpy as np\n\n\ndef scores(q, k):\n    return q @ k.T  # what?\n"
MAGICS = ["%matplotlib inline\n!pip install torch\nx = !ls\nnp.dot?\n", "%%time\n" + PYTHON, "%%bash\nls\n"]
NOTEBOOK = notebook_of(*MAGICS, code(["def scores(q, k):\n", "    return q"], outputs=[{"text": "[1 2]"}]))
TABLE = metadata(
    record("submission_1", ("Ada", "12", "a@b.c")), record("submission_2", ("Bo", "13", ""))
).encode()
ZIP = zip_of(
    {"hw/attention_scores.py": PYTHON, "b.ipynb": NOTEBOOK, "in.zip": zip_of({"c.py": "1"}), "d.csv": "1"}
)
WHOLE = {".py": PYTHON.encode(), ".ipynb": NOTEBOOK, ".zip": ZIP, ".yml": TABLE, ".txt": b"hello"}
BYTES = (
    b";",
    b",",
    b"/",
    b"?",
    b"%",
    b"!",
    b"[",
    b"{",
    b'"',
    b"'",
    b"\\",
    b"\n",
    b"\\n",
    b" ",
    b"\t",
    b"\0",
    b"\r",
    b"\xff",
    b"\xcc\x81",
    b"\xff\xfe",
    b"PK\1\2",
    b"PK\3\4",
    b"PK\5\6",
    b"\xff\xff\xff\xff",
    b"# coding: utf-7\n",
    b"# coding: idna\n",
    b"+2AA-",
    b"\\ud800",
    b"1e999",
    b"9" * 5000,
    b'"cells": [',
    b"null",
    b"a" * 400,
    b"&a ",
    b"*a",
    b"- ",
    b"? ",
    b"%%time\n",
    b">>> ",
    b"In [1]: ",
    b"'''",
    b"(",
    b"def scores(): pass\n",
    b"\x85",
    b"\x0c",
)
NAMES = (
    b"ada",
    b"Ada",
    b"HONEST",
    b"honest",
    b".py",
    b".PY",
    b".ipynb",
    b".zip",
    b".yml",
    b".txt",
    b" ",
    b"..",
    b"con",
    b"\xff",
    b"e\xcc\x81",
    b"\xc3\xa9",
    b"\n",
    b"_12_700_",
    b"_LATE",
    b"_assignsubmission_file_",
    b"-1",
    b"submission_1",
    b"submission_metadata.yml",
    b"attention_scores",
    b"self_attention",
    b"x" * 100,
    b"\\",
    b"~",
    b"$",
    b"=",
)
HONEST = {
    "honest.py": PYTHON.encode(),
    "honest two/attention_scores.py": PYTHON.encode(),
    "honest three.zip": zip_of({"attention_scores.ipynb": NOTEBOOK}),
}
ALWAYS = range(40)
KEPT = (919325232492817669,)
ENTRY_SECONDS = 30  # what takes quadratic time takes longer than any machine needs for the rest


def numbers():
    """The classes that are always made and, for as long as is asked for, new ones; one that hangs fails."""
    before = signal.signal(signal.SIGALRM, _hangs)
    try:
        for number in itertools.chain(KEPT, ALWAYS, new_numbers()):
            signal.alarm(8 * ENTRY_SECONDS)
            yield number
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _hangs(*_):
    raise TimeoutError("reading hangs")


def changed(data, dice):
    """Some bytes with a few things cut out, doubled, turned over, put in, or put in many times."""
    for _ in range(dice.choice((0, 1, 1, 2, 5))):
        start, stop = sorted(dice.randint(0, len(data)) for _ in range(2))
        middle = data[start : min(stop, start + dice.choice((1, 4, 40, 4000)))]
        piece = dice.choice(BYTES) * dice.choice((1, 1, 1, 3, 500, 20_000 if len(data) < 10_000 else 1))
        middle = dice.choice(
            (b"", middle * 2, middle[::-1], piece, middle + piece, dice.randbytes(len(middle)))
        )
        data = data[:start] + middle + data[start + len(middle) :]
    return data[: 1 << 20]


def odd_name(dice):
    name = b"".join(dice.choices(NAMES, k=dice.randint(1, 4)))[:255]
    return b"_" + name[1:] if name.startswith(b".") else name


def odd_entry(where, dice, depth=0):
    """Make a file, a folder of more, a link, a pipe, or a file with an enormous hole."""
    kind = dice.choice(("file", "file", "file", "folder", "link", "pipe", "hole", "zip"))
    with contextlib.suppress(OSError):  # the same name twice, or one too long for the file system
        if kind == "folder" and depth < 4:
            os.mkdir(where)
            for _ in range(dice.randint(0, 5)):
                odd_entry(where + b"/" + odd_name(dice), dice, depth + 1)
        elif kind == "link":
            os.symlink(dice.choice((b"/proc/self/mem", b"..", b"a/" * 2000, b"nowhere", where)), where)
        elif kind == "pipe":
            os.mkfifo(where)
        elif kind == "zip":
            names = [odd_name(dice).decode("utf-8", "replace") for _ in range(dice.randint(0, 6))]
            content = {name: changed(dice.choice(list(WHOLE.values())), dice) for name in names}
            write(where + b".zip", changed(zip_of(content), dice))
        else:
            ending = where[where.rfind(b".") :].decode("utf-8", "replace").lower()
            write(where, changed(WHOLE.get(ending) or dice.choice(list(WHOLE.values())), dice))
            if kind == "hole" and dice.random() < 0.3:
                os.truncate(where, 1 << 38)


def write(where, data):
    with open(where, "xb") as file:
        file.write(data)


def read_entry(name, path, *parts):
    """Do with an entry what grading does, and hold it against the bounds."""
    begun = time.monotonic()
    fingerprint_submission(path, parts)
    matched = match_read(name, read_files(path, *parts), STUBS, tasks=TASKS)
    assert time.monotonic() - begun < ENTRY_SECONDS
    assert len(matched.problems) <= 42
    problems = (problem.staff for problem in matched.problems)
    texts = [*problems, *(note for handin in matched.handins for note in handin.notes), name]
    assert all(text.isprintable() and len(text) < 2000 for text in texts)
    for handin in matched.handins:
        sources = [*handin.code.files.values(), *(cell.source for cell in handin.code.cells or ())]
        assert sum(map(len, sources)) < 70 << 20
        "".join([handin.origin, handin.code.entry, *handin.code.files, *sources]).encode()
    return matched


@pytest.mark.parametrize("layout", ["auto", "plain"])
def test_a_class_of_arbitrary_entries_is_read_and_the_honest_ones_are_found(tmp_path, layout):
    for number in numbers():
        dice = random.Random(number)
        folder = tmp_path / f"class {number}"
        for name, content in HONEST.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        for _ in range(dice.randint(1, 4)):
            odd_entry(os.fsencode(folder) + b"/" + odd_name(dice), dice)
        paths = [folder] if dice.random() < 0.7 else sorted(folder.iterdir())
        discovery = find_submissions(paths, list(STUBS.values()), layout)
        names = [entry.name for entry in discovery.submissions]
        assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(names), number
        assert all(as_results_folder(name) == name for name in names), number
        by_path = {
            entry.path.name: (entry.name, read_entry(entry.name, entry.path, *entry.parts))
            for entry in discovery.submissions
        }
        assert by_path["honest.py"][0] in ("honest", "honest.py"), number
        assert by_path["honest three.zip"][0] == "honest three", number
        assert [handin.homework for handin in by_path["honest three.zip"][1].handins] == ["hw1"], number
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("layout", ["gradescope", "canvas", "moodle"])
def test_a_download_of_arbitrary_entries_is_read_or_refused(tmp_path, layout):
    table = {"submission_metadata.yml": TABLE, "submission_1/a.py": b"1"}
    for number in numbers():
        dice = random.Random(number)
        contents = {name: changed(data, dice) for name, data in table.items()}
        for _ in range(dice.randint(1, 5)):
            name = odd_name(dice).decode("utf-8", "replace") + dice.choice(("", "/a.py", "_12_700_a.py"))
            contents[name] = changed(dice.choice(list(WHOLE.values())), dice)
        download = tmp_path / f"{number}.zip"
        data = zip_of(contents)
        download.write_bytes(changed(data, dice) if dice.random() < 0.3 else data)
        with contextlib.suppress(SubmissionError):
            discovery = find_submissions([download], list(STUBS.values()), layout)
            for entry in discovery.submissions:
                assert as_results_folder(entry.name) == entry.name, number
                read_entry(entry.name, entry.path, *entry.parts)
                repr(entry.owner).encode()
        download.unlink()


def test_an_arbitrary_roster_is_read_or_refused(tmp_path):
    rows = b'Name,SIS User ID,Email\r\n"Lovelace, Ada",12,a@b.c\r\n'
    path = tmp_path / "roster.csv"
    for number in numbers():
        path.write_bytes(changed(rows, random.Random(number)))
        with contextlib.suppress(TableError):
            read_table(path, len)
