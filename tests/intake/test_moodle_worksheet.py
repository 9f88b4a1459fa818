"""Grading worksheets of a Moodle in any language, and names of a class in separate groups."""

import pytest
from records.rosters import table, with_points

from autograder.intake.roster import keys_of, match_roster
from autograder.intake.submission import Owner
from autograder.platforms.grades import above_maximum
from autograder.platforms.moodle import Moodle
from autograder.platforms.rosters import read_roster

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
