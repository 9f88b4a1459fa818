"""Moodle's bulk download: folders, or files in one folder."""

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
from autograder.platforms.grades import above_maximum
from autograder.platforms.moodle import Moodle
from autograder.platforms.rosters import read_roster

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
