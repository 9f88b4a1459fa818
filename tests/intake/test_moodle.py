"""Moodle's bulk download: folders, or files in one folder."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.download import Item
from autograder.intake.files import read_files
from autograder.intake.submission import SubmissionError
from autograder.platforms.moodle import Moodle

from .downloads import BOTH, as_folder, contents_of, find, ids, moodle_name
from .makers import zip_of


@pytest.mark.parametrize("make", BOTH)
def test_a_folder_is_its_participants_submission(make, tmp_path):
    download = make(
        tmp_path,
        {
            f"{moodle_name('Ada Lovelace', 12)}/attention_scores.py": "a",
            f"{moodle_name('Ada Lovelace', 12)}/src/helper.py": "h",
            f"{moodle_name('Zoë O’Brien', 13)}/self_attention.ipynb": "{}",
        },
    )
    discovery = find(download)
    assert contents_of(discovery) == {
        "Ada Lovelace_12": {"attention_scores.py": "a", "src/helper.py": "h"},
        "Zoë O’Brien_13": {"self_attention.ipynb": "{}"},
    }
    assert ids(discovery) == ["12", "13"]
    assert to_staff["moodle.download-from-moodle"] in discovery.notes[0]


@pytest.mark.parametrize("make", BOTH)
def test_flat_files_are_put_together_by_participant(make, tmp_path):
    download = make(
        tmp_path,
        {
            f"{moodle_name('Ada Lovelace', 12)}attention_scores.py": "a",
            f"{moodle_name('Ada Lovelace', 12)}my_helper.py": "h",
            f"{moodle_name('Ada Lovelace', 12, 'onlinetext')}onlinetext.html": "See my file.",
        },
    )
    assert contents_of(find(download)) == {
        "Ada Lovelace_12": {"attention_scores.py": "a", "my_helper.py": "h"}
    }


def test_newer_folders_without_their_last_underscore_are_known(tmp_path):
    download = as_folder(tmp_path, {"Ada Lovelace_12_assignsubmission_file/a.py": "a"})
    assert contents_of(find(download)) == {"Ada Lovelace_12": {"a.py": "a"}}


def test_online_text_beside_a_file_belongs_to_the_same_student(tmp_path):
    download = as_folder(
        tmp_path,
        {
            f"{moodle_name('Ada Lovelace', 12)}/a.py": "a",
            f"{moodle_name('Ada Lovelace', 12, 'onlinetext')}/onlinetext.html": "text",
            f"{moodle_name('Bo', 14, 'onlinetext')}/onlinetext.html": "text",
        },
    )
    ada, bo = find(download).entries
    assert read_files(ada.path, *ada.parts).others == 1
    assert read_files(bo.path, *bo.parts).files == ()


def test_two_students_of_one_name_stay_two(tmp_path):
    names = (moodle_name("Min Kim", 1), moodle_name("Min Kim", 2))
    discovery = find(as_folder(tmp_path, {f"{name}/a.py": "" for name in names}))
    assert [entry.name for entry in discovery.entries] == ["Min Kim_1", "Min Kim_2"]


def test_moodle_tells_neither_time_nor_lateness(tmp_path):
    [entry] = find(as_folder(tmp_path, {f"{moodle_name('Ada', 12)}/a.py": ""})).entries
    assert (entry.owner.submitted_at, entry.owner.late, entry.owner.attempt) == (None, None, None)


def test_a_zip_in_a_folder_is_opened(tmp_path):
    inner = zip_of({"a.py": "a", "more.zip": zip_of({"b.py": "b"})})
    for make in BOTH:
        download = make(tmp_path, {f"{moodle_name('Ada', 12)}/work.zip": inner})
        assert contents_of(find(download)) == {
            "Ada_12": {"work.zip/a.py": "a", "work.zip/more.zip/b.py": "b"}
        }


def test_students_without_a_team_share_an_entry_of_nobody_with_a_note(tmp_path):
    download = as_folder(
        tmp_path,
        {"Default group_assignsubmission_file/a.py": "", "Team A_77_assignsubmission_file/a.py": ""},
    )
    discovery = find(download)
    assert ids(discovery) == [None, "77"]
    assert any("whose 'Default group' is" in note for note in discovery.notes)


def test_what_moodle_did_not_name_is_an_entry_of_its_own_with_a_note(tmp_path):
    folders = {f"{moodle_name('Ada', 12)}/a.py": "", f"{moodle_name('Bo', 13)}/a.py": ""}
    for make in BOTH:
        discovery = find(make(tmp_path, {**folders, "late by mail/a.py": "m", "later.py": "l"}))
        assert contents_of(discovery)["late by mail"] == {"a.py": "m"}
        assert contents_of(discovery)["later"] == {"later.py": "l"}
        assert any("whose 'late by mail' is" in note for note in discovery.notes)


def test_a_folder_that_is_no_download_of_moodle_is_refused_when_it_should_be(tmp_path):
    with pytest.raises(SubmissionError, check=to_staff["moodle.not-a-download-from-moodle"]):
        find(as_folder(tmp_path, {"bo.py": ""}), "moodle")


names = st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=20)


@settings(deadline=None)
@given(st.dictionaries(st.integers(1, 10**7), names, min_size=1, max_size=6))
def test_any_name_leads_to_the_participants_number(people):
    folder_names = [f"{name}_{number}_assignsubmission_file_" for number, name in people.items()]
    items = [Item(name, Path(name), is_folder=True) for name in folder_names]
    entries = Moodle().read(items).entries
    assert [entry.owner and entry.owner.student_id for entry in entries] == [str(number) for number in people]
