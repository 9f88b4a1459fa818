"""Files, folders and zips are read into memory: whole, damaged, enormous, and made to do harm."""

import codecs
import io
import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake import limits as intake
from autograder.intake import zips
from autograder.intake.files import read_files
from autograder.intake.limits import Intake
from autograder.intake.submission import ReadResult
from autograder.intake.text import decode
from autograder.intake.zips import open_zip, read_zip

from .makers import folder_of, is_one_clean_line, notebook_of, zip_of


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


def test_a_single_file_is_read_under_its_own_name(tmp_path):
    folder_of(tmp_path, {"x y.py": "a = 1\n"})
    read = read_files(tmp_path / "x y.py")
    assert [(file.path, file.data) for file in read.files] == [("x y.py", b"a = 1\n")]
    assert read.problems == ()


def test_a_folder_is_read_with_its_folders_and_the_rest_is_counted(tmp_path):
    folder_of(
        tmp_path / "my homework",
        {"b.py": "", "part 1/a.ipynb": "{}", "part 1/deep/C.PY": "", "report.pdf": "", "x.csv": ""},
    )
    read = read_files(tmp_path / "my homework")
    assert paths(read) == ["b.py", "part 1/a.ipynb", "part 1/deep/C.PY"]
    assert (read.others, read.other_names) == (2, ("report.pdf", "x.csv"))
    assert read.problems == ()


def test_zips_inside_a_folder_are_read_below_their_name(tmp_path):
    folder_of(tmp_path, {"sub/code.zip": zip_of({"a.py": "1", "lib/b.py": "2"})})
    assert paths(read_files(tmp_path)) == ["sub/code.zip/a.py", "sub/code.zip/lib/b.py"]


def test_hidden_files_checkpoints_and_installed_packages_are_left_alone(tmp_path):
    folder_of(
        tmp_path,
        {
            "a.py": "",
            ".ipynb_checkpoints/a-checkpoint.ipynb": "",
            "__MACOSX/._a.py": "",
            "__pycache__/a.py": "",
            "venv/lib/x.py": "",
            "work/b.py": "",
            "env/lib/python3.11/site-packages/numpy/x.py": "",
        },
    )
    read = read_files(tmp_path)
    assert paths(read) == ["a.py", "work/b.py"]
    assert (read.others, read.problems) == (0, ())


def test_links_are_reported_and_not_followed(tmp_path):
    folder_of(tmp_path, {"secret.py": "expected = 42", "work/a.py": ""})
    (tmp_path / "work/link.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "work/up").symlink_to(tmp_path)
    read = read_files(tmp_path / "work")
    assert paths(read) == ["a.py"]
    assert [problem.staff.split(" is a link")[0] for problem in read.problems] == ["link.py", "up"]


def test_a_submission_that_is_a_link_is_reported(tmp_path):
    folder_of(tmp_path, {"secret.py": "expected = 42"})
    (tmp_path / "alice.py").symlink_to(tmp_path / "secret.py")
    read = read_files(tmp_path / "alice.py")
    assert read.files == ()
    assert read.problems == (to_staff["read_folder.a-link-and-links"],)


def test_a_pipe_is_reported_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.py")
    read = read_files(tmp_path)
    assert read.files == ()
    assert read.problems[0] == to_staff["read_folder.not-an-ordinary-file"]


def test_folders_below_the_depth_limit_are_reported(tmp_path):
    deep = "d/" * intake.MAX_FOLDER_DEPTH
    folder_of(tmp_path, {deep + "read.py": "", deep + "d/unread.py": ""})
    read = read_files(tmp_path)
    assert paths(read) == [deep + "read.py"]
    assert read.problems[0] == to_staff["read_folder.folders-deep"]


def test_a_file_that_vanishes_is_a_problem(tmp_path):
    [problem] = read_files(tmp_path / "gone.py").problems
    assert problem == to_staff["read_folder.vanished-while-it-was-read"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            PermissionError(13, "Permission denied"),
            "cannot be read (permission denied): hand in a copy, or change its permissions",
        ),
        (FileNotFoundError(2, "No such file"), "vanished while it was read"),
        (OSError(5, "Input/output error"), "cannot be read (Input/output error)"),
    ],
)
def test_a_file_that_cannot_be_opened_is_a_problem_and_the_others_are_read(
    tmp_path, monkeypatch, error, words
):
    folder_of(tmp_path, {"a.py": "", "bad.py": ""})
    really_open = os.open

    def refuse(path, *args):
        if str(path).endswith("bad.py"):
            raise error
        return really_open(path, *args)

    monkeypatch.setattr("os.open", refuse)
    read = read_files(tmp_path)
    assert paths(read) == ["a.py"]
    assert read.problems[0].staff.startswith("bad.py ")
    assert words in read.problems[0].staff


def test_a_folder_that_cannot_be_listed_is_a_problem_and_the_others_are_read(tmp_path, monkeypatch):
    folder_of(tmp_path, {"a.py": "", "locked/b.py": ""})
    really_scan = os.scandir

    def refuse(path):
        if Path(path).name == "locked":
            raise PermissionError(13, "Permission denied")
        return really_scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    read = read_files(tmp_path)
    assert paths(read) == ["a.py"]
    assert read.problems == (to_staff["read_folder.locked-must-not-be-read"],)


def test_names_with_line_ends_and_foreign_bytes_are_read_under_a_clean_name(tmp_path):
    for name in (b"new\nline.py", b"latin\xe9.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"1")
    read = read_files(tmp_path)
    assert sorted(paths(read)) == ["latin_.py", "new_line.py"]
    assert len(read.problems) == 2
    assert all("has odd characters in its name" in problem.text for problem in read.problems)
    assert all(map(is_one_clean_line, read.problems))


def test_a_notebook_with_megabytes_of_outputs_is_read(tmp_path):
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 15_000_000}, "metadata": {}}
    data = notebook_of({"cell_type": "code", "source": "x = 1", "outputs": [picture], "metadata": {}})
    folder_of(tmp_path, {"a.ipynb": data})
    read = read_files(tmp_path)
    assert read.files[0].data == data
    assert read.problems == ()


def test_a_file_that_is_too_large_is_left_out_with_a_problem(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_FILE_BYTES", 1 << 20)
    folder_of(tmp_path, {"big.ipynb": bytes((1 << 20) + 1), "fits.ipynb": bytes(1 << 20)})
    read = read_files(tmp_path)
    assert paths(read) == ["fits.ipynb"]
    assert read.problems == (to_staff["read_folder.larger-than-mib-and-was-left"],)


def test_what_exceeds_the_total_is_left_out_with_a_problem(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 2 << 20)
    folder_of(tmp_path, {name: bytes(800_000) for name in ("a.py", "b.py", "c.py", "d/e.py")})
    read = read_files(tmp_path)
    assert paths(read) == ["a.py", "b.py"]
    assert all(to_staff["read_folder.unpacks-to-more-than-mib"] in problem.staff for problem in read.problems)


def test_the_files_on_top_are_read_first_when_there_are_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_FILES", 5)
    folder_of(tmp_path, {f"a{n}/x.py": "" for n in range(20)} | {"z.py": ""})
    read = read_files(tmp_path)
    assert len(read.files) == 5
    assert "z.py" in paths(read)
    assert read.problems == (to_staff["read_folder.submission-holds-more-than"],)


def test_a_folder_of_endless_files_is_not_walked_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_ENTRIES", 10)
    folder_of(tmp_path, {f"{n:02}.csv": "" for n in range(30)})
    read = read_files(tmp_path)
    assert (read.others, len(read.other_names)) == (10, 5)
    [problem] = read.problems
    assert problem == to_staff["read_folder.there-are-more-than-files"]
    assert problem.cause == problem.text


@pytest.mark.parametrize("name", ["work.rar", "work.7z", "work.tar.gz"])
def test_an_archive_that_is_no_zip_is_a_problem(tmp_path, name):
    folder_of(tmp_path, {name: "x"})
    [problem] = read_files(tmp_path / name).problems
    assert problem == to_staff["read_folder.not-a-zip"].given(name=name)


@pytest.mark.parametrize("name", ["a.py.txt", "a.ipynb.json", "a.ipynb.txt", "a.zip.download"])
def test_an_ending_that_a_browser_added_is_pointed_out(tmp_path, name):
    folder_of(tmp_path, {name: "x"})
    [problem] = read_files(tmp_path / name).problems
    assert problem.text.startswith(f"{name} is not read")
    assert problem.text.endswith(f"rename it to {name.rpartition('.')[0]}")


def test_the_limits_are_those_that_the_documentation_names():
    page = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
    assert f"| {intake.MAX_FILE_BYTES >> 20} MiB; {intake.MAX_TOTAL_BYTES >> 20} MiB |" in page
    assert f"| {intake.MAX_FILES:,}; {intake.MAX_ENTRIES:,}, counted" in page
    assert (
        f"| {intake.MAX_FOLDER_DEPTH} deep; {intake.MAX_ZIP_DEPTH} deep; {intake.MAX_PATH_LETTERS:,} |"
        in page
    )


def test_an_empty_folder_holds_nothing_and_is_no_problem(tmp_path):
    assert read_files(tmp_path) == ReadResult()


def test_reading_runs_no_code_and_writes_nothing(tmp_path):
    marker = tmp_path / "ran"
    folder_of(tmp_path / "s", {"a.py": f"open({str(marker)!r}, 'w')", "b.zip": zip_of({"c.py": "1"})})
    before = sorted(tmp_path.rglob("*"))
    read_files(tmp_path / "s")
    assert sorted(tmp_path.rglob("*")) == before


TEXT = "# α ≈ 0.5, naïve\nx = 'é'\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
def test_unicode_is_read_with_and_without_a_mark(data):
    decoded = decode(data, "a.py")
    assert (decoded.text, decoded.notes, decoded.problems) == (TEXT, (), ())


def test_the_encoding_named_in_the_file_counts():
    data = "# -*- coding: cp1251 -*-\nx = 'внимание'\n".encode("cp1251")
    decoded = decode(data, "a.py")
    assert "внимание" in decoded.text
    assert decoded.notes == ()


@pytest.mark.parametrize("data", [b"x = 'caf\xe9'\n", b"# coding: ascii\nx = 'caf\xe9'\n"])
def test_other_bytes_are_read_as_latin_1_with_a_note(data):
    decoded = decode(data, "a b.py")
    assert "café" in decoded.text
    assert decoded.notes == (to_staff["text.a-is-not-utf-so-it-was-read"],)


@pytest.mark.parametrize("name", ["no-such-encoding", "punycode", "idna", "unicode_escape", "hex", "rot13"])
def test_an_encoding_that_is_none_for_sources_changes_nothing(name):
    data = f"# coding: {name}\nx = 1\n".encode()
    assert decode(data, "a.py").text == data.decode()


def test_line_ends_of_all_systems_become_line_feeds():
    assert decode(b"a\r\nb\rc\n", "a.py").text == "a\nb\nc\n"


def test_nul_bytes_are_a_problem():
    decoded = decode("x = 1".encode("utf-16-le"), "a.py")
    assert decoded.problems == (to_staff["text.holds-nul-bytes"],)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=20))
def test_arbitrary_bytes_and_names_never_raise(data, name):
    decoded = decode(data, name)
    assert "\r" not in decoded.text
    assert all(map(is_one_clean_line, (*decoded.notes, *decoded.problems)))


@settings(max_examples=60, deadline=None)
@given(st.from_regex(rb"\A#[^\n]{0,5}coding[:=][ ]?[-_.\w]{1,20}\n", fullmatch=True), st.binary(max_size=60))
def test_arbitrary_declared_encodings_never_raise(head, tail):
    assert decode(head + tail, "a.py").text
