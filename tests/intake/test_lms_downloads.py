"""Bulk downloads of Canvas and Moodle: a file per upload, or a folder or file per student."""

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from records.rosters import table, with_points
from wording import to_staff

from autograder.intake.download import Item
from autograder.intake.files import read_files
from autograder.intake.roster import keys_of, match_roster
from autograder.intake.submission import Owner, SubmissionError
from autograder.platforms.canvas import Canvas
from autograder.platforms.grades import above_maximum
from autograder.platforms.moodle import Moodle
from autograder.platforms.rosters import read_roster

from .downloads import BOTH, STUBS, as_folder, as_zip, canvas_name, contents_of, find, ids, moodle_name, read
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
    late = {entry.name: entry.owner and entry.owner.late for entry in find(download).submissions}
    assert late == {"lovelaceada_12": True, "latebo_13": False}


def test_canvas_tells_no_time_and_none_is_made_up(tmp_path):
    [entry] = find(as_folder(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "a.py"): ""})).submissions
    assert (entry.owner.submitted_at, entry.owner.attempt) == (None, None)


def test_two_students_of_one_name_stay_two(tmp_path):
    names = (canvas_name("Kim, Min", 1, 700, "a.py"), canvas_name("Kim, Min", 2, 701, "a.py"))
    discovery = find(as_folder(tmp_path, dict.fromkeys(names, "")))
    assert [entry.name for entry in discovery.submissions] == ["kimmin_1", "kimmin_2"]


def test_an_anonymous_download_is_grouped_by_its_code(tmp_path):
    download = as_folder(
        tmp_path,
        {"anon_Xy12z_700_a.py": "1", "LATE_anon_Q7b3k_701_a.py": "2", "anon_Xy12z_702_b.py": "3"},
    )
    discovery = find(download)
    assert ids(discovery) == ["anon_Q7b3k", "anon_Xy12z"]
    assert [entry.owner.late for entry in discovery.submissions if entry.owner] == [True, False]
    assert read(discovery.submissions[1]) == {"a.py": "1", "b.py": "3"}


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
    assert read_files(discovery.submissions[2].path, *discovery.submissions[2].parts).other_names == (
        "text.html",
    )


def test_of_files_handed_in_again_the_last_one_counts_under_its_own_name(tmp_path):
    download = as_folder(
        tmp_path,
        {
            canvas_name("Lovelace, Ada", 12, 700, "scores.py"): "first",
            canvas_name("Lovelace, Ada", 12, 705, "scores-2.py"): "third",
            canvas_name("Lovelace, Ada", 12, 703, "scores-1.py"): "second",
        },
    )
    [entry] = find(download).submissions
    result = read_files(entry.path, *entry.parts)
    assert read(entry) == {"scores.py": "third"}
    [problem] = result.problems
    assert problem == to_staff["canvas.scores-was-handed-in-last"]
    assert "not scores.py and scores-1.py" in problem.staff


def test_a_zip_within_a_download_is_opened(tmp_path):
    inner = zip_of({"work/attention_scores.py": "a", "more.zip": zip_of({"helper.py": "h"})})
    for make in BOTH:
        [entry] = find(
            make(tmp_path, {canvas_name("Lovelace, Ada", 12, 700, "my work.zip"): inner})
        ).submissions
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
    assert len(find(download).submissions) == 3
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
    from autograder.platforms.discover import find_submissions

    for week in ("week1", "week2"):
        (tmp_path / f"{week}.zip").write_bytes(zip_of({canvas_name("Lovelace, Ada", 12, 700, "a.py"): week}))
    discovery = find_submissions([tmp_path / "week1.zip", tmp_path / "week2.zip"], layout="canvas")
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
    entries = Canvas().read(items, STUBS).submissions
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
    ada, bo = find(download).submissions
    assert read_files(ada.path, *ada.parts).others == 1
    assert read_files(bo.path, *bo.parts).files == ()


def test_two_participants_of_one_name_stay_two(tmp_path):
    names = (moodle_name("Min Kim", 1), moodle_name("Min Kim", 2))
    discovery = find(as_folder(tmp_path, {f"{name}/a.py": "" for name in names}))
    assert [entry.name for entry in discovery.submissions] == ["Min Kim_1", "Min Kim_2"]


def test_moodle_tells_neither_time_nor_lateness(tmp_path):
    [entry] = find(as_folder(tmp_path, {f"{moodle_name('Ada', 12)}/a.py": ""})).submissions
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
    entries = Moodle().read(items).submissions
    assert [entry.owner and entry.owner.student_id for entry in entries] == [str(number) for number in people]


GERMAN = """ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,\
Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar
Teilnehmer/in{}12,Ada Lovelace,ada@example.org,Zur Bewertung abgegeben,,"5,00",Ja,-,-,
Teilnehmer/in{}13,Zoë O'Brien,zoe@example.org,Keine Abgabe,,"5,00",Ja,-,-,
"""
FRENCH = """Identifiant\tNom complet\tAdresse de courriel\tStatut\tNote\tNote maximale\tLa note peut être \
modifiée\tDernière modification (note)\tFeedback par commentaires
Participant12\tAda Lovelace\tada@example.org\t-\t\t5,00\tOui\t-\t
Participant13\tZoë O'Brien\tzoe@example.org\t-\t\t5,00\tOui\t-\t
"""
SPANISH = """Identificador,Nombre completo,Dirección de correo,Estado,Calificación,Calificación máxima,\
La calificación puede ser cambiada,Última modificación (calificación),Comentarios de retroalimentación
Participante 12,Ada Lovelace,ada@example.org,-,,"5,00",Sí,-,
Participante 13,Zoë O'Brien,zoe@example.org,-,,"5,00",Sí,-,
"""
UNKNOWN = """Aa;Bb;Cc;Dd;Ee;Ff;Gg;Hh
Xyz 12;Ada Lovelace;ada@example.org;s;;5,00;j;-
Xyz 13;Zoë O'Brien;zoe@example.org;s;;5,00;j;-
"""
WORKSHEETS = {
    "German": (GERMAN.format(" ", " "), "Bewertung", "Feedback als Kommentar"),
    "German without a space": (GERMAN.format("", ""), "Bewertung", "Feedback als Kommentar"),
    "French": (FRENCH, "Note", "Feedback par commentaires"),
    "Spanish": (SPANISH, "Calificación", "Comentarios de retroalimentación"),
    "no known word": (UNKNOWN, "Ee", None),
}


def written(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(("text", "grade", "comments"), WORKSHEETS.values(), ids=WORKSHEETS)
def test_a_worksheet_is_known_in_any_language_and_comes_back_with_its_own_titles(
    tmp_path, text, grade, comments
):
    roster = read_roster(written(tmp_path / "roster.csv", text))
    assert (roster.kind, roster.teams_share_numbers) == ("moodle", True)
    ada, zoe = roster.students
    assert (ada.name, ada.email, ada.student_id) == ("Ada Lovelace", "ada@example.org", "")
    assert "12" in list(keys_of(ada))
    owners = {"x": Owner("12", "Ada Lovelace"), "y": Owner("13", "Zoë OBrien")}
    assert match_roster(owners, roster).found == {"x": (ada,), "y": (zoe,)}

    grades = with_points(roster, 4.5, 6.0)
    Moodle().write_grades(tmp_path, roster, grades, "Grade")
    header, *rows = table(tmp_path / "moodle.csv")
    assert tuple(header) == roster.columns
    assert [row[header.index(grade)] for row in rows] == ["4.5", "6"]
    assert comments is None or comments in header
    assert Moodle().maxima(roster, "Grade") == {2: 5.0, 3: 5.0}
    assert len(list(above_maximum(Moodle(), roster, grades, "Grade"))) == 1


def test_where_marking_is_blind_a_worksheet_has_numbers_and_no_names(tmp_path):
    text = "ID,Status,Bewertung,Bestwertung\nTeilnehmer/in 12,-,,5\nTeilnehmer/in 13,-,,5\n"
    roster = read_roster(written(tmp_path / "roster.csv", text))
    assert [student.name for student in roster.students] == ["", ""]
    matching = match_roster({"x": Owner("12", "Teilnehmerin")}, roster)
    assert [student.number for student in matching.found["x"]] == ["Teilnehmer/in 12"]


@pytest.mark.parametrize(
    "text", [UNKNOWN.replace(";;5,00", ";0,00;5,00"), GERMAN.format(" ", " ").replace(',,"5', ',0,"5')]
)
def test_where_all_have_the_same_grade_the_maximum_is_the_column_beside_it(tmp_path, text):
    roster = read_roster(written(tmp_path / "roster.csv", text))
    assert Moodle().maxima(roster, "Grade") == {2: 5.0, 3: 5.0}
    Moodle().write_grades(tmp_path, roster, with_points(roster, 4.5, 6.0), "Grade")
    assert [row[4:6] for row in table(tmp_path / "moodle.csv")[1:]] == [["4.5", "5,00"], ["6", "5,00"]]


@pytest.mark.parametrize(
    "text",
    [
        "student_id,name,grade\nstudent1,Ada,\nstudent2,Bo,\n",
        "login,name,points,max\nstudent1,Ada,3,20\nstudent2,Bo,4,20\n",
        "Student_ID,name,grade,max\nstudent1,Ada,3,20\nstudent2,Bo,4,20\n",
        "login,name\nada12,Ada\nbo13,Bo\n",
        "id,name,section\nS12,Ada,Lab 3\nS13,Bo,Lab 3\n",
    ],
)
def test_a_table_of_ones_own_is_no_worksheet(tmp_path, text):
    roster = read_roster(written(tmp_path / "roster.csv", text))
    assert roster.kind == "plain"
    assert all(student.student_id or student.login for student in roster.students)


@pytest.mark.parametrize(
    "owner", ["Gruppe A-Ada Lovelace", "Lab-3-Ada Lovelace", "Gruppe A-Lovelace Ada", "Ada Lovelace"]
)
def test_a_groups_name_before_the_students_is_the_same_person(tmp_path, owner):
    roster = read_roster(written(tmp_path / "roster.csv", GERMAN.format(" ", " ")))
    assert match_roster({"x": Owner("12", owner)}, roster).found == {"x": (roster.students[0],)}


@pytest.mark.parametrize("owner", ["Gruppe A-Zoë OBrien", "Gruppe A", "Team Ada Lovelace", "Ada Lovelace-B"])
def test_a_name_that_ends_otherwise_is_somebody_elses(tmp_path, owner):
    roster = read_roster(written(tmp_path / "roster.csv", GERMAN.format(" ", " ")))
    assert match_roster({"x": Owner("12", owner)}, roster).found == {}
