"""Gradescope's export: a folder per submission and a table of whose they are."""

import datetime as dt
import os
import zipfile

import pytest
from wording import to_staff

from autograder.intake.submission import SubmissionError

from . import downloads
from .downloads import as_zip, contents_of, find, ids, metadata, record
from .makers import zip_of

ROOT = "assignment_9_export"
TABLE = f"{ROOT}/submission_metadata.yml"
ADA = ("Ada Lovelace", "0012", "ada@example.org")
BO = ("Bo O'Brien", "0013", "bo@example.org")


def as_folder(root, contents):
    """The folder that the export unpacks to."""
    return downloads.as_folder(root, contents) / ROOT


BOTH = (as_folder, as_zip)


@pytest.mark.parametrize("make", BOTH)
def test_each_folder_has_its_student_from_the_table(make, tmp_path):
    download = make(
        tmp_path,
        {
            TABLE: metadata(record("submission_1", ADA), record("submission_2", BO)),
            f"{ROOT}/submission_1/attention_scores.py": "a",
            f"{ROOT}/submission_1/src/helper.py": "h",
            f"{ROOT}/submission_2/work.zip": zip_of({"a.py": "b"}),
        },
    )
    discovery = find(download)
    assert contents_of(discovery) == {
        "Ada Lovelace_0012": {"attention_scores.py": "a", "src/helper.py": "h"},
        "Bo O'Brien_0013": {"work.zip/a.py": "b"},
    }
    assert ids(discovery) == ["0012", "0013"]
    assert [entry.owner.email for entry in discovery.submissions if entry.owner] == [ADA[2], BO[2]]


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-02-05 06:54:05.212316000 Z", dt.datetime(2026, 2, 5, 6, 54, 5, 212316, dt.UTC)),
        ("2026-02-05 06:54:05 +01:00", dt.datetime(2026, 2, 5, 5, 54, 5, tzinfo=dt.UTC)),
        ("'2026-02-05T06:54:05-08:00'", dt.datetime(2026, 2, 5, 14, 54, 5, tzinfo=dt.UTC)),
        ("2026-02-05 06:54:05", None),
        ("yesterday", None),
    ],
)
def test_a_time_counts_only_with_its_zone(tmp_path, written, time):
    table = metadata(record("submission_1", ADA, created=written))
    [entry] = find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""})).submissions
    assert entry.owner.submitted_at == time


def test_earlier_submissions_count_as_attempts(tmp_path):
    history = "  :history:\n  - :id: 5\n    :created_at: 2026-02-01 06:54:05 Z\n  - :id: 6\n"
    table = metadata(record("submission_1", ADA) + history)
    [entry] = find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""})).submissions
    assert entry.owner.attempt == 3


def test_each_member_of_a_group_gets_the_submission(tmp_path):
    for make in BOTH:
        table = metadata(record("submission_1", ADA, BO))
        discovery = find(make(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": "a"}))
        assert contents_of(discovery) == {
            "Ada Lovelace_0012": {"a.py": "a"},
            "Bo O'Brien_0013": {"a.py": "a"},
        }
        assert any(to_staff["gradescope_export.submission_1-is-the-work"] in note for note in discovery.notes)


def test_a_student_without_sid_is_known_by_email(tmp_path):
    table = metadata(record("submission_1", ("Ada", "", "ada@example.org")))
    [entry] = find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""})).submissions
    assert entry.owner.student_id == "ada@example.org"


def test_a_student_called_null_has_a_name_and_one_without_a_name_has_none(tmp_path):
    table = metadata(record("submission_1", ("'null'", "7", "null")), record("submission_2", ("~", "8", "")))
    contents = {TABLE: table, f"{ROOT}/submission_1/a.py": "", f"{ROOT}/submission_2/a.py": ""}
    discovery = find(as_folder(tmp_path, contents))
    assert [entry.owner and (entry.owner.name, entry.owner.email) for entry in discovery.submissions] == [
        ("", ""),
        ("null", ""),
    ]


def test_a_submission_of_nobody_and_one_that_is_not_there_are_told(tmp_path):
    table = metadata(record("submission_1"), record("submission_3", ADA))
    contents = {TABLE: table, f"{ROOT}/submission_1/a.py": "", f"{ROOT}/submission_2/a.py": ""}
    discovery = find(as_folder(tmp_path, contents))
    assert ids(discovery) == [None, None]
    assert [entry.name for entry in discovery.submissions] == ["submission_1", "submission_2"]
    notes = " ".join(discovery.notes)
    assert to_staff["gradescope_export.does-not-say-whose"] in notes
    assert to_staff["gradescope_export.does-not-say-whose-2"] in notes
    assert to_staff["gradescope_export.lists-submission_3"] in notes


def test_a_name_that_is_no_file_name_is_made_one(tmp_path):
    table = metadata(record("submission_1", ('"../../etc/a|b"', "1", "")))
    for make in (as_folder, as_zip):
        discovery = find(make(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""}))
        assert [entry.name for entry in discovery.submissions] == ["_.._etc_a_b_1"]


def test_an_id_that_looks_like_a_number_of_another_base_stays_as_it_is(tmp_path):
    table = metadata(record("submission_1", ADA).replace("'0012'", "0012"))
    discovery = find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""}))
    assert ids(discovery) == ["0012"]


@pytest.mark.parametrize("table", ["- a\n- b\n", "a: [", "", "\x00"])
def test_a_table_that_is_none_stops_with_its_name(tmp_path, table):
    with pytest.raises(SubmissionError, check=to_staff["gradescope_export.submission_metadata-yml"]):
        find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""}))


def test_tags_in_the_table_make_nothing_but_text(tmp_path):
    marker = tmp_path / "made"
    table = f'submission_1:\n  :submitters:\n  - :sid: !!python/object/apply:os.mkdir ["{marker}"]\n'
    discovery = find(as_folder(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""}))
    assert ids(discovery) == [None]
    assert not marker.exists()


def test_a_table_that_is_enormous_stops(tmp_path, monkeypatch):
    from autograder.platforms import gradescope

    monkeypatch.setattr(gradescope, "MAX_METADATA_BYTES", 100)
    for make in BOTH:
        with pytest.raises(SubmissionError, check=to_staff["gradescope_export.larger-than"]):
            table = metadata(record("submission_1", ADA)) * 3
            find(make(tmp_path, {TABLE: table, f"{ROOT}/submission_1/a.py": ""}))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_table_packed_by_a_method_that_unpacks_without_limit_is_not_read(tmp_path, method):
    table = metadata(record("submission_1", ADA))
    download = tmp_path / "download.zip"
    download.write_bytes(zip_of({TABLE: table, f"{ROOT}/submission_1/a.py": ""}, method))
    with pytest.raises(SubmissionError, check=to_staff["gradescope_export.packed-with-a-method"]):
        find(download)


def test_submissions_without_their_table_are_refused_when_gradescope_is_asked_for(tmp_path):
    download = as_folder(tmp_path, {f"{ROOT}/submission_1/a.py": ""})
    with pytest.raises(SubmissionError, check=to_staff["gradescope_export.not-a-download"]):
        find(download, "gradescope")


def test_a_table_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path):
    download = as_folder(tmp_path, {f"{ROOT}/submission_1/a.py": ""})
    os.mkfifo(download / "submission_metadata.yml")
    with pytest.raises(SubmissionError, check=to_staff["gradescope_export.not-an-ordinary-file"]):
        find(download)
