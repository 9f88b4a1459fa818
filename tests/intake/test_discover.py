"""Which submissions there are, what they are called, and when a folder or zip is a platform's download."""

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.gradebook.fingerprint import fingerprint_submission
from autograder.intake import limits as intake
from autograder.intake.files import read_files
from autograder.intake.submission import SubmissionError
from autograder.platforms.discover import find_submissions
from autograder.untrusted_text import name_in_message

from .downloads import (
    BOTH,
    as_folder,
    as_zip,
    canvas_name,
    contents_of,
    find,
    ids,
    metadata,
    moodle_name,
    record,
)
from .makers import folder_of, is_one_clean_line, zip_of

STUBS = ("attention_scores.py", "self_attention.py")


def names(*paths):
    return [entry.name for entry in find_submissions(paths).submissions]


@pytest.mark.parametrize(
    ("contents", "paths", "expected"),
    [
        ("jdoe.ipynb", "jdoe.ipynb", ["jdoe"]),
        ("zoe.py bo.zip ada/a.py mia.IPYNB essay.pdf", ".", ["ada", "bo", "essay.pdf", "mia", "zoe"]),
        ("Zoë_von_Ahn/a.py j.doe/a.py", ".", ["Zoë von Ahn", "j.doe"]),
        (".DS_Store __MACOSX/x __pycache__/x Thumbs.db desktop.ini a.py", ".", ["a"]),
        ("alice.zip alice/a.py alice.py bob.py", ".", ["alice", "alice.py", "alice.zip", "bob"]),
        ("A/alice/a.py B/alice/a.py B/bob.py", "A B", ["A-alice", "B-alice", "bob"]),
        ("2026/c/alice.py 2027/c/alice.py", "2026/c 2027/c", ["2026-c-alice", "2027-c-alice"]),
    ],
    ids=[
        "a file has its name without its ending",
        "each entry of a folder is one, sorted by name",
        "spaces, dots and accents stay",
        "the system's own files are none",
        "colliding names keep the full name of the file",
        "names that are still equal get the folder in front",
        "names that are equal for many folders get more of them",
    ],
)
def test_submissions_are_called_like_their_files_as_far_as_these_differ(tmp_path, contents, paths, expected):
    folder_of(tmp_path, {name.replace("_von_", " von "): "" for name in contents.split()})
    assert names(*(tmp_path / path for path in paths.split())) == expected


@pytest.mark.parametrize(
    ("contents", "path", "reason"),
    [
        ([], ["nowhere"], to_staff["discover.no-file-or-folder-nowhere"]),
        ([], ["."], to_staff["discover.empty-put-the-submissions"]),
        ([".DS_Store", "Thumbs.db"], ["."], to_staff["discover.only-files-that-are-ignored"]),
        ([], [], to_staff["discover.no-path-was-named"]),
    ],
)
def test_where_there_is_no_submission_the_error_says_what_to_name(tmp_path, contents, path, reason):
    folder_of(tmp_path, dict.fromkeys(contents, ""))
    with pytest.raises(SubmissionError, check=reason):
        find_submissions([tmp_path / name for name in path])


def test_a_name_in_several_folders_is_noted_as_several_submissions(tmp_path):
    folders = [folder_of(tmp_path / week, {"ada/doubles.py": "", "bob.py": ""}) for week in ("w1", "w2")]
    assert find_submissions([folders[0]]).notes == ()
    assert find_submissions(folders).notes == (to_staff["discover.several-folders"],)


def test_names_that_differ_only_in_case_are_kept_apart(tmp_path):
    folder_of(tmp_path, {"Alice.py": "", "alice.zip": ""})
    if len(os.listdir(tmp_path)) == 2:
        assert names(tmp_path) == ["Alice.py", "alice"]


def test_the_same_file_named_twice_is_read_once_with_a_note(tmp_path):
    folder_of(tmp_path, {"a.py": ""})
    discovery = find_submissions([tmp_path, tmp_path / "a.py"])
    assert [entry.name for entry in discovery.submissions] == ["a"]
    assert discovery.notes == (to_staff["discover.named-twice-it-is-read-once"],)


def test_beside_other_submissions_an_ignored_folder_is_only_noted(tmp_path):
    folder_of(tmp_path, {"one/.DS_Store": "", "two/a.py": ""})
    discovery = find_submissions([tmp_path / "one", tmp_path / "two"])
    assert [entry.name for entry in discovery.submissions] == ["a"]
    assert discovery.notes[0] == to_staff["discover.only-files-that-are-ignored-2"]


def test_a_refusal_of_the_system_is_an_error_with_a_remedy(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(SubmissionError, check=to_staff["discover.cannot-be-read-permission"]):
        find_submissions([tmp_path])


def test_one_students_folder_is_noticed(tmp_path):
    folder_of(tmp_path / "jdoe", {"attention_scores.py": "", "self_attention.ipynb": ""})
    [note] = find_submissions([tmp_path / "jdoe"], STUBS).notes
    assert note == to_staff["discover.jdoe-looks-like-one-students"]


def test_a_students_folder_of_another_week_is_that_student_again(tmp_path):
    folder_of(tmp_path, {f"{place}/attention_scores.py": "" for place in ("week1/ada", "week1/bo")})
    folder_of(tmp_path / "attention_scores", {"attention_scores.py": "", "cy.py": ""})
    earlier = {
        "ada": str(tmp_path / "week2" / "ada"),
        "attention_scores": str(tmp_path / "attention_scores.py"),
    }
    [entry] = find_submissions([tmp_path / "week1" / "ada"], STUBS, earlier=earlier).submissions
    assert (entry.name, entry.path.name) == ("ada", "ada")
    assert len(find_submissions([tmp_path / "attention_scores"], STUBS, earlier=earlier).submissions) == 2


def test_one_stub_name_among_submissions_is_nothing_special(tmp_path):
    folder_of(tmp_path, {"attention_scores.py": "", "bob.py": ""})
    assert find_submissions([tmp_path], STUBS).notes == ()


@pytest.mark.parametrize(
    "names",
    [
        ["Ada.py", "ada", "ada.zip"],
        ["Zoë.py", "zoe.py"],
        ["ada (1).ipynb", "ada.ipynb"],
        ["ada - Copy.py", "ada.py"],
        ["ada-final.py", "ada_v2.py"],
    ],
)
def test_names_that_may_be_one_students_are_told_and_stay_apart(tmp_path, names):
    folder_of(tmp_path, {**dict.fromkeys(names, ""), "bo.py": "", "bob.py": "", "bo-1.py": ""})
    discovery = find_submissions([tmp_path], STUBS)
    assert len(discovery.submissions) == len(names) + 3
    [note] = discovery.notes
    assert all(name_in_message(name) in note for name in names)
    assert "bo" not in note.replace("both", "")


def test_several_students_with_two_files_each_are_one_note(tmp_path):
    folder_of(tmp_path, {f"{who}.{kind}": "" for who in ("ada", "bo", "cy") for kind in ("py", "zip")})
    assert find_submissions([tmp_path], STUBS).notes == (to_staff["discover.may-be-one-students"],)


@pytest.mark.parametrize("name", ["attention_scores ({}).ipynb", "homework ({}).ipynb"])
def test_files_of_a_whole_class_that_a_browser_numbered_are_not_one_students(tmp_path, name):
    folder_of(tmp_path, dict.fromkeys(map(name.format, range(1, 9)), ""))
    assert find_submissions([tmp_path], STUBS).notes == ()


def test_a_submission_whose_name_begins_with_a_dot_is_told(tmp_path):
    folder_of(tmp_path, {".ann.py": "", "._bo.py": "", ".DS_Store": "", "bo.py": ""})
    discovery = find_submissions([tmp_path], STUBS)
    assert [entry.name for entry in discovery.submissions] == ["bo"]
    assert discovery.notes == (to_staff["discover.begins-with-a-dot"],)


def test_a_link_that_the_caller_named_is_followed_and_one_in_the_folder_is_not(tmp_path):
    folder_of(tmp_path, {"real/a.py": "", "class/b.py": ""})
    (tmp_path / "latest").symlink_to(tmp_path / "real")
    (tmp_path / "class/c.py").symlink_to(tmp_path / "real/a.py")
    discovery = find_submissions([tmp_path / "latest", tmp_path / "class"])
    paths = {entry.name: entry.path for entry in discovery.submissions}
    assert paths == {
        "a": tmp_path / "real/a.py",
        "b": tmp_path / "class/b.py",
        "c": tmp_path / "class/c.py",
    }


def test_odd_names_become_printable_and_stay_apart(tmp_path):
    for name in (b"eve\n.py", b"eve\t.py", b"na\xefve.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(b"")
    found_names = names(tmp_path)
    assert len(set(found_names)) == 3
    assert all(map(is_one_clean_line, found_names))


def test_a_name_of_blanks_alone_becomes_a_name(tmp_path):
    folder_of(tmp_path, {" ": "", "ada.py": ""})
    assert names(tmp_path) == ["_", "ada"]


file_names = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1, max_size=40
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(file_names, min_size=1, max_size=6, unique=True))
def test_no_submission_is_ever_lost_and_names_are_unique(tmp_path_factory, given_names):
    folder = tmp_path_factory.mktemp("class")
    for name in [*given_names, "always.py"]:
        if name not in (".", "..") and len(name.encode()) < 200:
            (folder / name).write_bytes(b"")
    entries = find_submissions([folder]).submissions
    visible = [path for path in folder.iterdir() if not path.name.startswith(".")]
    ignored = {"__macosx", "__pycache__", "thumbs.db", "desktop.ini"}
    assert {entry.path for entry in entries} == {p for p in visible if p.name.casefold() not in ignored}
    assert len({entry.name.casefold() for entry in entries}) == len(entries)
    assert all(is_one_clean_line(entry.name) for entry in entries)


NAME = canvas_name("Lovelace, Ada", 12, 700, "a.py")


def test_a_zip_that_is_no_download_is_one_submission(tmp_path):
    discovery = find(as_zip(tmp_path, {"a.py": "a", "b.py": "b"}))
    assert contents_of(discovery) == {"download": {"a.py": "a", "b.py": "b"}}
    assert discovery.notes == ()


def test_a_zip_that_points_outside_is_one_submission_and_told(tmp_path):
    [entry] = find(as_zip(tmp_path, {NAME: "a", f"../{NAME}": "b"})).submissions
    assert entry.parts == ()
    assert any(
        problem == to_staff["download.points-outside-its-zip"] for problem in read_files(entry.path).problems
    )


def test_a_damaged_zip_is_one_submission_and_told(tmp_path):
    path = tmp_path / "download.zip"
    path.write_bytes(zip_of({NAME: "a"})[:-30])
    [entry] = find(path).submissions
    assert read_files(entry.path).problems[0] == to_staff["download.cannot-be-opened-as-a-zip"]


def test_a_member_that_unpacks_to_too_much_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "MAX_TOTAL_BYTES", 1000)
    other = canvas_name("Kim, Min", 2, 701, "b.py")
    ada, min_kim = sorted(
        find(as_zip(tmp_path, {NAME: "a" * 2000, other: "b"})).submissions,
        key=lambda entry: entry.name != "lovelaceada_12",
    )
    assert read_files(ada.path, *ada.parts).problems[0] == to_staff["download.left-out"]
    assert [file.data for file in read_files(min_kim.path, *min_kim.parts).files] == [b"b"]


def test_a_link_in_a_zip_is_not_followed(tmp_path):
    link = zipfile.ZipInfo(NAME)
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "download.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    [entry] = find(tmp_path / "download.zip").submissions
    result = read_files(entry.path, *entry.parts)
    assert result.files == ()
    assert "is a link" in result.problems[0].staff


def test_a_zip_that_changes_is_read_anew(tmp_path):
    download = as_zip(tmp_path, {NAME: "a"})
    [before] = find(download).submissions
    assert contents_of(find(download)) == {"lovelaceada_12": {"a.py": "a"}}
    as_zip(tmp_path, {NAME: "other", f"{NAME}x": ""})
    assert read_files(before.path, *before.parts).files[0].data == b"other"


def test_a_zip_that_goes_away_is_told(tmp_path):
    download = as_zip(tmp_path, {NAME: "a"})
    [entry] = find(download).submissions
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
    before = {entry.name: fingerprints(entry) for entry in find(make(tmp_path, contents)).submissions}
    contents[second] = "changed"
    after = {entry.name: fingerprints(entry) for entry in find(make(tmp_path, contents)).submissions}
    assert {name for name in before if before[name] != after[name]} == {"lovelaceada_12"}


def test_folder_and_zip_of_one_download_have_equal_fingerprints(tmp_path):
    contents = {f"{moodle_name('Ada', 12)}/a.py": "a", f"{moodle_name('Ada', 12)}/s/b.py": "b"}
    first, second = (find(make(tmp_path, contents)).submissions[0] for make in BOTH)
    assert fingerprints(first) == fingerprints(second)


WHO = ("ann", "bob", "cy", "dan", "eve")
MOODLE_TWICE = [moodle_name(who, number) for who in WHO for number in (11, 12)]
NOT_CANVAS = {
    "year and month": [f"{who}_2027_02_attention_scores.py" for who in WHO],
    "year and a month of two digits": [f"{who}_2026_11_attention_scores.py" for who in WHO],
    "day, month and year": [f"{who}_17_11_2026_scores.py" for who in WHO],
    "one day for all": [f"{who}_20261117_{time}_scores.py" for who, time in zip(WHO, range(5), strict=True)],
    "the time of each": [f"scores_20261117_{12 + n}3015_{who}.py" for n, who in enumerate(WHO)],
    "otter": [f"demo_2024_05_01T12_30_00_{n}23456.zip" for n in range(5)],
    "otter at the turn of a month": ["demo_2024_10_31T23_59_58_123456.zip", "demo_2024_11_01T00_01_15_1.zip"],
    "otter within a minute": [f"demo_2024_12_01T12_30_{n}_123456.zip" for n in range(41, 46)],
    "sheet and serial number": [f"hw_4_{n}_{who}.py" for n, who in enumerate(WHO, 1)],
    "two school numbers": [f"hw4_{1234560 + n}_{7654320 + n}_scores.ipynb" for n in range(5)],
    "one number for all files": [f"{who}_123_456_{who}.py" for who in WHO],
    "one id with several names": [f"{who}_4711_{900 + n}_scores.py" for n, who in enumerate(WHO)],
    "half of the names": [f"{who}_{n}17_{n}99_scores.py" for n, who in enumerate(WHO, 1)]
    + [f"{who}2.py" for who in WHO],
}


def owners(discovery):
    return sum(owner_id is not None for owner_id in ids(discovery))


@pytest.mark.parametrize("kind", NOT_CANVAS)
def test_names_with_dates_and_serial_numbers_are_no_download(tmp_path, kind):
    content = zip_of({"demo.ipynb": "{}"})
    discovery = find(as_folder(tmp_path, dict.fromkeys(NOT_CANVAS[kind], content)))
    assert {entry.path.name for entry in discovery.submissions} == set(NOT_CANVAS[kind])
    assert len(discovery.submissions) == len(NOT_CANVAS[kind])
    assert owners(discovery) == 0


@pytest.mark.parametrize("kind", NOT_CANVAS)
def test_whoever_says_that_they_are_of_canvas_is_believed_but_names_stay_apart(tmp_path, kind):
    discovery = find(as_folder(tmp_path, dict.fromkeys(NOT_CANVAS[kind], "")), "canvas")
    assert owners(discovery)
    for entry in discovery.submissions:
        assert len({part.path.name.partition("_")[0] for part in entry.parts}) == 1


def test_a_number_with_two_names_in_a_download_of_moodle_is_in_doubt(tmp_path):
    download = as_folder(tmp_path, {f"{name}/a.py": "" for name in MOODLE_TWICE})
    plain, as_moodle = find(download), find(download, "moodle")
    assert owners(plain) == 0
    assert any("--layout moodle" in note for note in plain.notes)
    assert len(plain.submissions) == len(as_moodle.submissions) == owners(as_moodle) == len(MOODLE_TWICE)


REAL = {
    canvas_name(who, user, number, file): ""
    for who, user, number, file in [
        ("Lovelace, Ada", 2027, 70011, "scores.py"),
        ("Lovelace, Ada", 2027, 70012, "helper.py"),
        ("Kim, Min", 2026, 70013, "scores.py"),
        ("Kim, Min", 1012, 70014, "scores.py"),
        ("O_Brien 2, Zoë", 20261107, 70015, "2027_02_scores.py"),
        ("Müller, J", 9, 70016, "scores.py"),
    ]
}


@pytest.mark.parametrize("make", BOTH)
def test_a_real_download_is_one_whatever_the_staff_put_beside_it(make, tmp_path):
    beside = ["roster.csv", "results.json", ".DS_Store", "notes.txt", "grades.xlsx", "by mail.py"]
    discovery = find(make(tmp_path, {**REAL, **dict.fromkeys(beside, "")}))
    assert sorted(filter(None, ids(discovery))) == ["1012", "2026", "20261107", "2027", "9"]


def test_members_of_a_group_who_have_one_upload_are_still_canvas(tmp_path):
    shared = [canvas_name(who, user, 70011, "scores.py") for who, user in [("A, A", 5), ("B, B", 6)]]
    assert ids(find(as_folder(tmp_path, dict.fromkeys(shared, "")))) == ["5", "6"]


def test_one_student_with_all_files_of_a_download_is_one(tmp_path):
    uploads = [canvas_name("Lovelace, Ada", 12, 70011 + n, f"{n}.py") for n in range(3)]
    assert ids(find(as_folder(tmp_path, dict.fromkeys(uploads, "")))) == ["12"]


def test_a_date_among_real_names_belongs_to_nobody(tmp_path):
    strays = ["demo_2024_10_31T23_59_58_1.zip", "demo_2024_11_01T00_01_15_1.zip"]
    discovery = find(as_folder(tmp_path, {**REAL, **dict.fromkeys(strays, "")}))
    assert owners(discovery) == 5
    assert ids(discovery).count(None) == 2


def test_fewer_students_than_files_are_said_aloud(tmp_path):
    [note] = find(as_folder(tmp_path / "1", REAL)).notes
    assert to_staff["recognition.fewer-students-canvas"] in note
    assert "--layout plain" in note
    flat = {f"{moodle_name('Ada', 12)}{file}": "" for file in ("a.py", "b.py")}
    [note] = find(as_folder(tmp_path / "2", flat)).notes
    assert to_staff["recognition.fewer-students-moodle"] in note


def test_codes_in_place_of_names_are_explained(tmp_path):
    blind = {f"Participant_{n}_assignsubmission_file/a.py": "" for n in (12, 13)}
    anonymous = {"anon_Xy12z_70011_a.py": "", "anon_Q7b3k_70012_a.py": ""}
    assert find(as_folder(tmp_path / "1", blind)).notes[1:] == (to_staff["recognition.participant"],)
    assert find(as_folder(tmp_path / "2", anonymous)).notes[1:] == (to_staff["recognition.anonymous"],)


def test_as_many_students_as_folders_are_not_worth_a_word(tmp_path):
    table = metadata(record("submission_1", ("A", "1", "")), record("submission_2", ("B", "2", "")))
    contents = {"submission_metadata.yml": table, "submission_1/a.py": "", "submission_2/a.py": ""}
    [note] = find(as_folder(tmp_path, contents)).notes
    assert "(students: 2)" in note
    assert "put together" not in note
