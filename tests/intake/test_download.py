"""A class's download as a zip: read where it lies, under the limits of any submission."""

import zipfile

import pytest
from wording import to_staff

from autograder.gradebook.fingerprint import fingerprint_submission
from autograder.intake import limits as intake
from autograder.intake.files import read_files

from .downloads import BOTH, as_zip, canvas_name, contents_of, find, moodle_name
from .makers import zip_of

NAME = canvas_name("Lovelace, Ada", 12, 700, "a.py")


def test_a_zip_that_is_no_download_is_one_submission(tmp_path):
    discovery = find(as_zip(tmp_path, {"a.py": "a", "b.py": "b"}))
    assert contents_of(discovery) == {"download": {"a.py": "a", "b.py": "b"}}
    assert discovery.notes == ()


def test_a_zip_that_points_outside_is_one_submission_and_told(tmp_path):
    [entry] = find(as_zip(tmp_path, {NAME: "a", f"../{NAME}": "b"})).entries
    assert entry.parts == ()
    assert any(
        problem == to_staff["download.points-outside-its-zip"] for problem in read_files(entry.path).problems
    )


def test_a_damaged_zip_is_one_submission_and_told(tmp_path):
    path = tmp_path / "download.zip"
    path.write_bytes(zip_of({NAME: "a"})[:-30])
    [entry] = find(path).entries
    assert read_files(entry.path).problems[0] == to_staff["download.cannot-be-opened-as-a-zip"]


def test_a_member_that_unpacks_to_too_much_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 1000)
    other = canvas_name("Kim, Min", 2, 701, "b.py")
    ada, min_kim = sorted(
        find(as_zip(tmp_path, {NAME: "a" * 2000, other: "b"})).entries,
        key=lambda entry: entry.name != "lovelaceada_12",
    )
    assert read_files(ada.path, *ada.parts).problems[0] == to_staff["download.left-out"]
    assert [file.data for file in read_files(min_kim.path, *min_kim.parts).files] == [b"b"]


def test_a_link_in_a_zip_is_not_followed(tmp_path):
    link = zipfile.ZipInfo(NAME)
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    [entry] = find(tmp_path / "download.zip").entries
    result = read_files(entry.path, *entry.parts)
    assert result.files == ()
    assert "is a link" in result.problems[0].staff


def test_a_zip_that_changes_is_read_anew(tmp_path):
    download = as_zip(tmp_path, {NAME: "a"})
    [before] = find(download).entries
    assert contents_of(find(download)) == {"lovelaceada_12": {"a.py": "a"}}
    as_zip(tmp_path, {NAME: "other", f"{NAME}x": ""})
    assert read_files(before.path, *before.parts).files[0].data == b"other"


def test_a_zip_that_goes_away_is_told(tmp_path):
    download = as_zip(tmp_path, {NAME: "a"})
    [entry] = find(download).entries
    download.unlink()
    [problem] = read_files(entry.path, *entry.parts).problems
    assert problem.staff.startswith(f"{download.name} vanished")


def fingerprints(entry):
    return fingerprint_submission(entry.path, entry.parts)


@pytest.mark.parametrize("make", BOTH)
def test_a_fingerprint_covers_all_parts_and_no_other_student(make, tmp_path):
    second = canvas_name("Lovelace, Ada", 12, 701, "b.py")
    other = canvas_name("Kim, Min", 2, 702, "b.py")
    contents = {NAME: "a", second: "b", other: "c"}
    before = {entry.name: fingerprints(entry) for entry in find(make(tmp_path, contents)).entries}
    contents[second] = "changed"
    after = {entry.name: fingerprints(entry) for entry in find(make(tmp_path, contents)).entries}
    assert {name for name in before if before[name] != after[name]} == {"lovelaceada_12"}


def test_folder_and_zip_of_one_download_have_equal_fingerprints(tmp_path):
    contents = {f"{moodle_name('Ada', 12)}/a.py": "a", f"{moodle_name('Ada', 12)}/s/b.py": "b"}
    first, second = (find(make(tmp_path, contents)).entries[0] for make in BOTH)
    assert fingerprints(first) == fingerprints(second)
