"""Canvas's bulk download: one flat folder, a file per upload."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.download import Item
from autograder.intake.files import read_files
from autograder.intake.submission import SubmissionError
from autograder.platforms.canvas import Canvas

from .downloads import BOTH, STUBS, as_folder, as_zip, canvas_name, contents_of, find, ids, read
from .makers import folder_of, is_one_clean_line, zip_of

HERE = Path("download")


@pytest.mark.parametrize("make", BOTH)
def test_the_files_of_one_student_are_one_entry_under_their_own_names(make, tmp_path):
    download = make(
        tmp_path,
        {
            canvas_name("Lovelace, Ada", 12, 700, "attention_scores.py"): "a",
            canvas_name("Lovelace, Ada", 12, 701, "helper.py"): "h",
            canvas_name("O'Brien, Zoë", 13, 702, "self_attention.ipynb"): "{}",
        },
    )
    assert contents_of(find(download)) == {
        "lovelaceada_12": {"attention_scores.py": "a", "helper.py": "h"},
        "obrienzoë_13": {"self_attention.ipynb": "{}"},
    }


@pytest.mark.parametrize("make", BOTH)
def test_a_note_says_what_was_recognised_and_how_to_refuse_it(make, tmp_path):
    download = make(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "a.py"): ""})
    [note] = find(download).notes
    assert to_staff["canvas.download-from-canvas"] in note
    assert to_staff["canvas.layout-plain"] in note


def test_the_late_marker_is_a_flag_and_no_part_of_the_name(tmp_path):
    download = as_folder(
        tmp_path,
        {
            canvas_name("Lovelace, Ada", 12, 700, "a.py", late=True): "",
            canvas_name("Late, Bo", 13, 701, "b.py"): "",
        },
    )
    late = {entry.name: entry.owner and entry.owner.late for entry in find(download).entries}
    assert late == {"lovelaceada_12": True, "latebo_13": False}


def test_canvas_tells_no_time_and_none_is_made_up(tmp_path):
    [entry] = find(as_folder(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "a.py"): ""})).entries
    assert (entry.owner.submitted_at, entry.owner.attempt) == (None, None)


def test_two_students_of_one_name_stay_two(tmp_path):
    names = (canvas_name("Kim, Min", 1, 700, "a.py"), canvas_name("Kim, Min", 2, 701, "a.py"))
    discovery = find(as_folder(tmp_path, dict.fromkeys(names, "")))
    assert [entry.name for entry in discovery.entries] == ["kimmin_1", "kimmin_2"]


def test_an_anonymous_download_is_grouped_by_its_code(tmp_path):
    download = as_folder(
        tmp_path,
        {"anon_Xy12z_700_a.py": "1", "LATE_anon_Q7b3k_701_a.py": "2", "anon_Xy12z_702_b.py": "3"},
    )
    discovery = find(download)
    assert ids(discovery) == ["anon_Q7b3k", "anon_Xy12z"]
    assert [entry.owner.late for entry in discovery.entries if entry.owner] == [True, False]
    assert read(discovery.entries[1]) == {"a.py": "1", "b.py": "3"}


def test_text_and_links_belong_to_their_student(tmp_path):
    download = as_folder(
        tmp_path,
        {
            "lovelaceada_12_text.html": "I was ill.",
            "hopper_LATE_13_link.html": "",
            canvas_name("Kim, Min", 2, 701, "a.py"): "",
        },
    )
    discovery = find(download)
    assert ids(discovery) == ["13", "2", "12"]
    assert read_files(discovery.entries[2].path, *discovery.entries[2].parts).other_names == ("text.html",)


def test_of_files_handed_in_again_the_last_one_counts_under_its_own_name(tmp_path):
    download = as_folder(
        tmp_path,
        {
            canvas_name("Lovelace, Ada", 12, 700, "scores.py"): "first",
            canvas_name("Lovelace, Ada", 12, 705, "scores-2.py"): "third",
            canvas_name("Lovelace, Ada", 12, 703, "scores-1.py"): "second",
        },
    )
    [entry] = find(download).entries
    result = read_files(entry.path, *entry.parts)
    assert read(entry) == {"scores.py": "third"}
    [problem] = result.problems
    assert problem == to_staff["canvas.scores-was-handed-in-last"]
    assert "not scores.py and scores-1.py" in problem.staff


def test_a_zip_within_a_download_is_opened(tmp_path):
    inner = zip_of({"work/attention_scores.py": "a", "more.zip": zip_of({"helper.py": "h"})})
    for make in BOTH:
        [entry] = find(make(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "my work.zip"): inner})).entries
        assert read(entry) == {
            "my work.zip/more.zip/helper.py": "h",
            "my work.zip/work/attention_scores.py": "a",
        }


def test_an_upload_that_somebody_unpacked_is_read_as_a_folder(tmp_path):
    name = canvas_name("Lovelace, Ada", 12, 700, "my work")
    for make in BOTH:
        download = make(tmp_path, {f"{name}/in/attention_scores.py": "a", f"{name}/helper.py": "h"})
        discovery = find(download, "canvas")
        assert contents_of(discovery) == {"lovelaceada_12": {"helper.py": "h", "in/attention_scores.py": "a"}}


@pytest.mark.parametrize("make", BOTH)
def test_what_canvas_did_not_name_is_an_entry_of_its_own_with_a_note(make, tmp_path):
    contents = {
        canvas_name("Lovelace, Ada", 12, 700, "a.py"): "",
        "by e-mail.py": "b",
        canvas_name("Kim, Min", 2, 701, "a.py"): "",
    }
    discovery = find(make(tmp_path, contents))
    assert contents_of(discovery)["by e-mail"] == {"by e-mail.py": "b"}
    assert any("whose 'by e-mail.py' is" in note for note in discovery.notes)
    assert None in ids(discovery)


def test_a_folder_with_a_few_such_names_stays_plain_unless_canvas_is_asked_for(tmp_path):
    download = as_folder(tmp_path, {"ada_1_2_a.py": "", "bo.py": "", "cy.py": ""})
    assert len(find(download).entries) == 3
    assert find(download).notes == ()
    assert ids(find(download, "canvas")) == ["1", None, None]


def test_plain_takes_each_file_as_a_submission(tmp_path):
    names = [canvas_name("Lovelace, Ada", 12, number, f"{number}.py") for number in (700, 701)]
    discovery = find(as_folder(tmp_path, dict.fromkeys(names, "")), "plain")
    assert ids(discovery) == [None, None]


def test_a_folder_that_is_no_download_of_canvas_is_refused_when_it_should_be(tmp_path):
    download = as_folder(tmp_path, {"bo.py": ""})
    with pytest.raises(SubmissionError, check=to_staff["canvas.not-a-download-from-canvas"]):
        find(download, "canvas")


def test_one_folder_around_the_download_does_not_matter(tmp_path):
    name = canvas_name("Lovelace, Ada", 12, 700, "a.py")
    contents = {f"submissions/{name}": "a"}
    discoveries = (find(as_zip(tmp_path, contents)), find(as_folder(tmp_path, contents), "canvas"))
    for discovery in discoveries:
        assert contents_of(discovery) == {"lovelaceada_12": {"a.py": "a"}}


def test_the_same_student_in_two_downloads_has_two_entries_named_by_download(tmp_path):
    from autograder.platforms.discover import find_entries

    for week in ("week1", "week2"):
        (tmp_path / f"{week}.zip").write_bytes(zip_of({canvas_name("Lovelace, Ada", 12, 700, "a.py"): week}))
    discovery = find_entries([tmp_path / "week1.zip", tmp_path / "week2.zip"], layout="canvas")
    assert contents_of(discovery) == {
        "week1-lovelaceada_12": {"a.py": "week1"},
        "week2-lovelaceada_12": {"a.py": "week2"},
    }


def test_a_download_changes_nothing_on_disk(tmp_path):
    download = as_folder(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "a.zip"): zip_of({"a.py": "a"})})
    before = sorted(tmp_path.rglob("*"))
    contents_of(find(download))
    assert sorted(tmp_path.rglob("*")) == before


def test_names_from_a_mac_keep_their_accents_apart_from_the_letter(tmp_path):
    name = unicodedata.normalize("NFD", canvas_name("Núñez, José", 12, 700, "a.py"))
    assert ids(find(folder_of(tmp_path / "download", {name: ""}))) == ["12"]


words = st.from_regex(re.compile(r"[a-zé]([a-z0-9é]|_(?=[a-z]))*"), fullmatch=True)
files = st.text(st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=30)
uploads = st.tuples(words, st.integers(1, 10**7), st.booleans(), files)


@settings(deadline=None)
@given(st.lists(uploads, min_size=1, max_size=6))
def test_every_upload_is_found_with_its_student_or_stood_in_for_by_a_later_one(drawn):
    owners = {
        f"{who}{'_LATE' if late else ''}_{user}_{900 + place}_{file}": (str(user), who)
        for place, (who, user, late, file) in enumerate(drawn)
    }
    items = [Item(name, HERE / name, is_folder=False) for name in owners]
    entries = Canvas().read(items, STUBS).entries
    assert {entry.owner.student_id for entry in entries if entry.owner} == {
        user for user, _ in owners.values()
    }
    assert len(entries) == len(set(owners.values()))
    assert all(entry.owner for entry in entries)
    for entry in entries:
        kept_names = [part.path.name for part in entry.parts]
        own_names = [name for name in owners if owners[name] == owners[kept_names[0]]]
        assert set(kept_names) <= set(own_names)
        assert len(kept_names) == len(own_names) or any(part.note for part in entry.parts)
        assert all(is_one_clean_line(part.note) for part in entry.parts if part.note)
