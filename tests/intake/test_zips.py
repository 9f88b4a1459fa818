"""Zips: whole, damaged, enormous, and made to do harm."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake import limits as intake
from autograder.intake import zips
from autograder.intake.files import read_files
from autograder.intake.limits import Intake
from autograder.intake.zips import open_zip, read_zip

from .makers import is_one_clean_line, zip_of


def read(data, name="alice.zip"):
    reading = Intake()
    read_zip(reading, io.BytesIO(data), name, "")
    return reading.result()


def paths(result):
    return [file.path for file in result.files]


def with_member(name, *, link=False, flags=0):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        member = zipfile.ZipInfo(name)
        member.external_attr = 0o120777 << 16 if link else 0
        member.flag_bits |= flags
        archive.writestr(member, "x = 1")
        archive.writestr("good.py", "y = 2")
    return buffer.getvalue()


def nested(depth, contents):
    data = zip_of(contents)
    for _ in range(depth - 1):
        data = zip_of({"inner.zip": data})
    return data


def test_members_are_read_with_their_folders_and_the_rest_is_counted():
    result = read(zip_of({"hw/a.py": "1", "hw/b.ipynb": "{}", "hw/data.csv": "", "__MACOSX/hw/._a.py": ""}))
    assert paths(result) == ["hw/a.py", "hw/b.ipynb"]
    assert (result.others, result.other_names, result.problems) == (1, ("hw/data.csv",), ())


def damaged():
    data = zip_of({"a.py": "x = 12345", "b.py": "1"}, zipfile.ZIP_STORED)
    return data.replace(b"12345", b"12349", 1)


def bomb():
    return zip_of({"bomb.py": bytes(30 << 20), "a.py": "1"})


def lying_bomb():
    return bomb().replace(struct.pack("<I", 30 << 20), struct.pack("<I", 10))


def locked():
    data = bytearray(zip_of({"a.py": "1"}))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def unmarked():
    """A name in UTF-8 without the mark that says so."""
    data = bytearray(zip_of({"注.py": "1"}))
    data[6:8] = b"\0\0"
    at = data.index(b"PK\x01\x02")
    data[at + 8 : at + 10] = b"\0\0"
    return bytes(data)


@pytest.mark.parametrize(
    ("make", "read_paths", "problem"),
    [
        (lambda: nested(4, {"a.py": "1"}), [], to_staff["read_zip.lies-more-than-zips-deep"]),
        (damaged, ["b.py"], to_staff["read_zip.damaged-inside-its-zip-ask"]),
        (bomb, ["a.py"], to_staff["read_zip.larger-than-mib"]),
        (lying_bomb, ["a.py"], to_staff["read_zip.damaged-inside-its-zip-ask-2"]),
        (lambda: zip_of({"a.py": "1"}, zipfile.ZIP_BZIP2), [], to_staff["read_zip.packed-with-a-method"]),
        (lambda: zip_of({"a.py": "1"}, zipfile.ZIP_LZMA), [], to_staff["read_zip.packed-with-a-method"]),
        (lambda: with_member("link.py", link=True), ["good.py"], to_staff["read_zip.a-link-and-links"]),
        (locked, [], to_staff["read_zip.locked-with-a-password-ask"]),
    ],
    ids=["four deep", "damaged", "a bomb", "a bomb that lies", "bzip2", "lzma", "a link", "locked"],
)
def test_a_member_that_cannot_or_may_not_be_read_is_a_problem_and_the_others_are_read(
    make, read_paths, problem
):
    result = read(make())
    assert (paths(result), result.problems) == (read_paths, (problem,))


@pytest.mark.parametrize(
    ("data", "read_paths"),
    [
        (nested(3, {"a.py": "1"}), ["inner.zip/inner.zip/a.py"]),
        (with_member("hw\\part\\a.py"), ["good.py", "hw/part/a.py"]),
        (zip_of({"naïve – α.py": "1", "注意力.py": "1"}), ["naïve – α.py", "注意力.py"]),
        (unmarked(), ["注.py"]),
        (zip_of({"X.py": "1", "b.py": "2"}).replace(b"X.py", b"\0.py"), ["b.py"]),
    ],
    ids=[
        "three deep",
        "backslashes",
        "beyond ASCII",
        "UTF-8 that does not say so",
        "a member without a name",
    ],
)
def test_members_are_found_however_their_zip_was_made(data, read_paths):
    assert paths(read(data)) == read_paths


def test_a_large_zip_in_a_zip_is_read_when_the_total_allows_it(monkeypatch):
    monkeypatch.setattr(intake, "MAX_FILE_BYTES", 1 << 20)
    inner = zip_of({"a.py": "1", "data.bin": bytes(3 << 20)}, zipfile.ZIP_STORED)
    assert paths(read(zip_of({"inner.zip": inner}))) == ["inner.zip/a.py"]


@pytest.mark.parametrize(
    "data",
    [b"", b"no zip", b"PK\x05\x06", b"Rar!\x1a\x07\x00", zip_of({"a.py": "1"})[:-30]],
    ids=["empty", "text", "signature alone", "rar", "cut short"],
)
def test_what_is_no_zip_is_a_problem_with_a_remedy(data):
    assert read(data).files == ()
    assert read(data).problems == (to_staff["read_zip.cannot-be-opened-as-a-zip"],)


def test_a_bomb_of_many_members_stops_at_the_total(monkeypatch):
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 4 << 20)
    result = read(zip_of({f"{n:03}.py": bytes(1 << 20) for n in range(50)}))
    assert len(result.files) == 4
    assert result.problems == (to_staff["read_zip.submission-unpacks-to-more"],)


def test_what_is_refused_unread_does_not_count(monkeypatch):
    monkeypatch.setattr(intake, "MAX_FILE_BYTES", 1 << 20)
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 4 << 20)
    result = read(zip_of({f"{n}.py": bytes(2 << 20) for n in range(9)} | {"small.py": "1"}))
    assert paths(result) == ["small.py"]
    assert len(result.problems) == 9


def test_members_on_top_are_read_first_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(intake, "MAX_FILES", 3)
    result = read(zip_of({f"lib/{n}.py": "" for n in range(9)} | {"a.py": "1"}))
    assert "a.py" in paths(result)


def test_what_is_read_in_vain_counts_as_well(monkeypatch):
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 4 << 20)
    data = bytearray(zip_of({f"{n:03}.py": bytes(1 << 20) for n in range(50)}))
    at = 0
    while (at := data.find(b"PK\x01\x02", at + 1)) > 0:
        data[at + 16 : at + 20] = b"evil"
    result = read(bytes(data))
    assert result.files == ()
    assert sum(to_staff["read_zip.damaged"] in problem.staff for problem in result.problems) <= 5


@pytest.mark.parametrize(
    "name", ["../evil.py", "a/../../evil.py", "/etc/evil.py", "C:\\evil.py", "..\\evil.py", "//host/evil.py"]
)
def test_members_that_point_outside_are_reported_and_left_out(name):
    result = read(with_member(name))
    assert paths(result) == ["good.py"]
    assert to_staff["read_zip.points-outside-its-zip"] in result.problems[0].staff


def test_a_member_twice_with_different_contents_is_reported_and_the_last_counts():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.py", "old")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.py", "new")
        archive.writestr("b.py", "same")
        archive.writestr("./b.py", "same")
    result = read(buffer.getvalue())
    assert [(file.path, file.data) for file in result.files] == [("a.py", b"new"), ("b.py", b"same")]
    assert len(result.problems) == 1
    assert result.problems[0] == to_staff["read_zip.in-the-submission-twice"]


def test_odd_member_names_are_read_under_a_clean_name():
    result = read(with_member("new\nline\x1b[31m.py"))
    assert paths(result) == ["good.py", "new_line_[31m.py"]
    assert all(map(is_one_clean_line, result.problems))


def test_problems_are_counted_after_the_first_twenty():
    result = read(zip_of({f"../{n}.py": "" for n in range(100)}))
    assert len(result.problems) == 21
    assert result.problems[-1] == to_staff["read_zip.more-problems"]


def test_an_enormous_table_of_contents_is_refused(monkeypatch):
    monkeypatch.setattr(zips, "MAX_DIRECTORY_BYTES", 100_000)
    result = read(zip_of({f"{n:05}.csv": "" for n in range(3000)}))
    assert result.problems[0] == to_staff["read_zip.lists-too-many-files"]
    small = zip_of({f"{n}.csv": "" for n in range(9)})
    assert len(open_zip(io.BytesIO(small), max_entries=9).namelist()) == 9
    for data, reason in ((small, None), (b"no zip", "not a zip")):
        with pytest.raises(zipfile.BadZipFile, match=reason):
            open_zip(io.BytesIO(data), max_entries=8)


def test_a_zip_on_disk_is_read_without_unpacking(tmp_path):
    (tmp_path / "alice.zip").write_bytes(zip_of({"a.py": "1"}))
    assert paths(read_files(tmp_path / "alice.zip")) == ["a.py"]
    assert [path.name for path in tmp_path.iterdir()] == ["alice.zip"]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes_never_raise(data):
    assert all(map(is_one_clean_line, read(data).problems))


WHOLE = zip_of({"hw/a.py": "x = 1\n" * 50, "b.ipynb": "{}", "in.zip": zip_of({"c.py": "1"})})


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=6))
def test_a_zip_with_flipped_bytes_never_raises(flips):
    data = bytearray(WHOLE)
    for at, value in flips:
        data[at] = value
    result = read(bytes(data))
    assert all(map(is_one_clean_line, result.problems))
    assert all(is_one_clean_line(file.path) for file in result.files)
    assert not any(part == ".." for file in result.files for part in file.path.split("/"))


ESCAPES = [b"../", b"/", b"..\\", b"C:\\", b"a/../../", b"./../", b"\n"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=30) | st.sampled_from(ESCAPES), min_size=1, max_size=5))
def test_arbitrary_member_names_never_raise_or_escape(names):
    data = zip_of({f"{n}{'x' * len(name)}.py": str(n) for n, name in enumerate(names)})
    for number, name in enumerate(names):
        data = data.replace(b"%d%s.py" % (number, b"x" * len(name)), b"%sy.py" % name)
    result = read(data)
    assert all(map(is_one_clean_line, result.problems))
    for path in paths(result):
        assert is_one_clean_line(path)
        assert not path.startswith("/")
        assert ".." not in path.split("/")
