"""Reading files and folders into memory, and their bytes as text."""

import codecs
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake import limits as intake
from autograder.intake.files import read_files
from autograder.intake.submission import ReadResult
from autograder.intake.text import decode

from .makers import folder_of, is_one_clean_line, notebook_of, zip_of


def paths(read):
    return [file.path for file in read.files]


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
