"""What somebody hands in to stop the reading of a class: each case ends, and only in its own entry.

Every case is read in a process of its own, within seconds and a GiB, beside an honest submission.
"""

import io
import json
import os
import struct
import subprocess
import sys
import zipfile

import pytest

from ..makers import code, folder_of, nested_folders, notebook_of, zip_of

STUB = "attention_scores.py"
SECONDS = 20
MEMORY = 1 << 30
READER = """
import json, os, resource, signal, sys, traceback
from pathlib import Path
from autograder.gradebook.fingerprint import fingerprint_submission
from autograder.intake.files import read_files
from autograder.platforms.discover import find_submissions
from autograder.course.homework import Task
from autograder.intake.matching import HomeworkProfile, match
STUBS = {"hw1": "attention_scores.py", "hw2": "self_attention.py"}
SECONDS, MEMORY = map(int, sys.argv[1:])

def read_class(paths):
    found = find_submissions([Path(one) for one in paths], list(STUBS.values()))
    told = {"notes": list(found.notes)}
    for entry in found.submissions:
        fingerprint_submission(entry.path, entry.parts)
        tasks = {"scores": Task("scores", 1, "", ())}
        profiles = [HomeworkProfile("hw1", STUBS["hw1"], tasks), HomeworkProfile("hw2", STUBS["hw2"])]
        matched = match(entry.name, read_files(entry.path, *entry.parts), profiles)
        told[entry.name] = [[one.origin for one in matched.handins], [one.staff for one in matched.problems]]
    return told

for line in sys.stdin:
    report, *paths = json.loads(line)
    process = os.fork()
    if process == 0:
        status = 1
        try:
            signal.alarm(SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            Path(report).write_text(json.dumps(read_class(paths)), "utf-8")
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""
"""Reads each class that it is told of in a fork of itself: its imports cost more than most cases."""


@pytest.fixture(scope="module")
def reader():
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(SECONDS), str(MEMORY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process


@pytest.fixture
def read_class(reader, tmp_path):
    """Find, fingerprint and match in a process that is ended when it takes too long or too much."""

    def read(*paths):
        path = tmp_path / "report.json"
        reader.stdin.write(json.dumps([str(path), *map(str, paths)]) + "\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "0\n"
        report = json.loads(path.read_text("utf-8"))
        assert len(report.pop("notes")) <= 21
        assert all(len(problems) <= 42 for _, problems in report.values())
        return report

    return read


def zip_with_names(names, content=b""):
    """A zip of many entries, made by hand, for ``zipfile`` would take a minute."""
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0x800, 0, 0, 0, 0, 0, 0, 1, 0) + b"x" + content
    entries = b"".join(
        struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0x800, 0, 0, 0, 0, 0, 0, len(n), 0, 0, 0, 0, 0, 0) + n
        for n in names
    )
    count = min(len(names), 0xFFFF)
    return (
        local + entries + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(entries), len(local), 0)
    )


def many_entries(eve):
    inner = zip_with_names([b"%d" % n for n in range(80_000)])
    eve.with_suffix(".zip").write_bytes(zip_of({f"{n}.zip": inner for n in range(16)}))


def combining_marks(eve):
    name = "\u0301\u0323" * 16_000
    eve.with_suffix(".zip").write_bytes(zip_of({name[:-1] + ".py": "x = 1", f"a/{name}.py": ""}))


def combining_marks_in_many(eve):
    name = "\u0301\u0323" * 5000
    eve.with_suffix(".zip").write_bytes(zip_of({f"{n}{name}.py": "" for n in range(300)}))


def long_folders_in_nested_zips(eve):
    inner = zip_of({f"{n}.py": "" for n in range(2000)})
    eve.with_suffix(".zip").write_bytes(zip_of({"d/" * 30_000 + "in.zip": inner}))


def repeated_escapes(eve):
    cells = [code("%x\n" + ";" * 600 + "\n" + "x = 1\n" * 1000) for _ in range(50)]
    folder_of(eve, {"attention_scores.ipynb": notebook_of(*cells)})


def slow_help(eve):
    lines = "a" * 1990 + "\n"
    folder_of(eve, {"attention_scores.ipynb": notebook_of("%x\n(" + lines * 70 + "b ?\n")})


def slow_help_continued(eve):
    text = "!x\n" + "\\\n".join(["a.b" * 660] * 70) + " ?\n"
    folder_of(eve, {STUB: text})


def many_cells(eve):
    folder_of(eve, {"attention_scores.ipynb": notebook_of(*["raise ValueError"] * 14_000)})


def many_bytes_of_source(eve):
    folder_of(eve, {STUB: "def a1(): pass\n" * 1_000_000})


def many_candidates(eve):
    folder_of(eve, {f"{n}_attention_scores.py": f"x = {n}" for n in range(2000)})


def many_leftovers(eve):
    folder_of(eve, {f"w{n}.py": f"def scores(): return {n}" for n in range(2000)})


def many_unreadable_notebooks(eve):
    folder_of(eve, {f"{n}.ipynb": "[" for n in range(1999)})


def long_link(eve):
    os.symlink("a/" * 2000, eve)


def link_with_a_long_part(eve):
    os.symlink("a" * 3000, eve.with_suffix(".py"))


def link_to_itself(eve):
    eve.symlink_to(eve)


def link_into_proc(eve):
    folder_of(eve, {"x.txt": ""})
    (eve / STUB).symlink_to("/proc/self/pagemap")
    (eve / "mem.txt").symlink_to("/proc/self/mem")


def sparse(eve):
    folder_of(eve, {"data.bin": "", "work.zip": "", STUB: ""})
    for name in ("data.bin", "work.zip", STUB):
        os.truncate(eve / name, 1 << 40)


def special_files(eve):
    eve.mkdir()
    os.mkfifo(eve / STUB)
    os.mkfifo(eve / "x.zip")
    os.mkfifo(eve / "notes.txt")


def pipe_as_submission(eve):
    os.mkfifo(eve.with_suffix(".py"))


def pipe_as_zip(eve):
    os.mkfifo(eve.with_suffix(".zip"))


def pipe_as_table(eve):
    os.mkfifo(eve.parent / "submission_metadata.yml")


def yaml_of_brackets(eve):
    (eve.parent / "submission_metadata.yml").write_text("[" * 200_000)


def table_of_a_student(eve):
    table = "bo.py:\n  :submitters:\n  - :sid: '1'\n    :name: Eve\n"
    (eve.parent / "submission_metadata.yml").write_text(table)


def many_objects(eve):
    folder_of(eve, {f"{n}.ipynb": '{"cells": [' + "{}," * 990_000 + "{}]}" for n in range(3)})


def deep_json(eve):
    folder_of(eve, {"attention_scores.ipynb": '{"cells":' + "[" * 900_000})


def odd_types(eve):
    odd = [None, 1, "x", [], {}, {"cell_type": "code"}, {"cell_type": ["code"], "source": 1}]
    odd += [{"cell_type": "code", "source": value} for value in (1, None, {"a": 1}, [1, None, ["x"]], True)]
    folder_of(eve, {"attention_scores.ipynb": json.dumps({"cells": odd, "metadata": {"kernelspec": [1]}})})


def name_of_an_encoding(eve):
    folder_of(eve, {STUB: "# coding: " + "a" * 5_000_000, "b.py": b"# coding: utf-7\nx = '+2AA-'\n"})


def files_of_nothing_but_line_ends(eve):
    folder_of(eve, {"attention_scores.ipynb": notebook_of("\n" * 1_900_000 + " " * 1000 + "?")})


def bomb_of_overlapping_members(eve):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.py", bytes(19 << 20))
        for number in range(1, 1500):
            archive.infolist()[0].filename = "0.py"
            twin = zipfile.ZipInfo(f"{number}.py")
            for name in ("compress_type", "CRC", "compress_size", "file_size", "header_offset"):
                setattr(twin, name, getattr(archive.infolist()[0], name))
            archive.filelist.append(twin)
    eve.with_suffix(".zip").write_bytes(buffer.getvalue())


@pytest.fixture(autouse=True)
def _removed(tmp_path):
    """Python's own way of removing folders recurses, and pytest keeps them until a later run."""
    yield
    subprocess.run(["rm", "-rf", tmp_path / "class"], check=True)


CASES = [
    many_entries,
    combining_marks,
    combining_marks_in_many,
    long_folders_in_nested_zips,
    repeated_escapes,
    slow_help,
    slow_help_continued,
    many_cells,
    many_bytes_of_source,
    many_candidates,
    many_leftovers,
    many_unreadable_notebooks,
    long_link,
    link_with_a_long_part,
    link_to_itself,
    link_into_proc,
    nested_folders,
    sparse,
    special_files,
    pipe_as_submission,
    pipe_as_zip,
    pipe_as_table,
    yaml_of_brackets,
    table_of_a_student,
    many_objects,
    deep_json,
    odd_types,
    name_of_an_encoding,
    files_of_nothing_but_line_ends,
    bomb_of_overlapping_members,
]


@pytest.mark.parametrize("make", CASES, ids=lambda case: case.__name__)
def test_a_hostile_entry_ends_and_the_honest_one_is_read(make, read_class, tmp_path):
    folder_of(tmp_path / "class", {f"bo/{STUB}": "def scores(): pass"})
    make(tmp_path / "class" / "eve")
    report = read_class(tmp_path / "class")
    assert report["bo"] == [[STUB], []]
    assert set(report) <= {"bo", "eve", "submission_metadata.yml"}


@pytest.mark.parametrize(
    "make",
    [long_link, link_to_itself, pipe_as_submission, pipe_as_zip, nested_folders, sparse],
    ids=lambda case: case.__name__,
)
def test_the_same_where_the_shell_names_every_entry(make, read_class, tmp_path):
    folder_of(tmp_path / "class", {"bo.py": "def scores(): pass"})
    make(tmp_path / "class" / "eve")
    report = read_class(*sorted((tmp_path / "class").iterdir()))
    assert "bo" in report
    assert report["bo"] == [["bo.py"], []]
