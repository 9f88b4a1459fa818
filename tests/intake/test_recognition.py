"""When a folder is a platform's download, and when its names only look like it: in doubt nobody is merged."""

import pytest
from wording import to_staff

from .downloads import BOTH, as_folder, canvas_name, find, ids, metadata, moodle_name, record
from .makers import zip_of

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
    assert {entry.path.name for entry in discovery.entries} == set(NOT_CANVAS[kind])
    assert len(discovery.entries) == len(NOT_CANVAS[kind])
    assert owners(discovery) == 0


@pytest.mark.parametrize("kind", NOT_CANVAS)
def test_whoever_says_that_they_are_of_canvas_is_believed_but_names_stay_apart(tmp_path, kind):
    discovery = find(as_folder(tmp_path, dict.fromkeys(NOT_CANVAS[kind], "")), "canvas")
    assert owners(discovery)
    for entry in discovery.entries:
        assert len({part.path.name.partition("_")[0] for part in entry.parts}) == 1


def test_a_number_with_two_names_in_a_download_of_moodle_is_in_doubt(tmp_path):
    download = as_folder(tmp_path, {f"{name}/a.py": "" for name in MOODLE_TWICE})
    plain, as_moodle = find(download), find(download, "moodle")
    assert owners(plain) == 0
    assert any("--layout moodle" in note for note in plain.notes)
    assert len(plain.entries) == len(as_moodle.entries) == owners(as_moodle) == len(MOODLE_TWICE)


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
