"""Rosters as platforms and people write them, and whose a submission is by them."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.csv_table import TableError, unescape_formulas
from autograder.intake.roster import Roster, Student, keys_of, match_roster
from autograder.intake.submission import Owner
from autograder.platforms.rosters import read_roster

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Scores (4711),Current Score
,,,,,Manual Posting,
    Points Possible,,,,,20.00,(read only)
"Lovelace, Ada",12,S0012,ada,"A, B",18.00,90.0
"O'Brien, Zoë",13,S0013,zoe,A,,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum grade,\
Last modified (grade),Feedback comments
Participant 12,Ada Lovelace,ada@example.org,Submitted for grading,,20.00,-,
Participant 13,Zoë O'Brien,zoe@example.org,No submission,,20.00,-,
"""


def write(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return path


def students(tmp_path, text, encoding="utf-8"):
    return read_roster(write(tmp_path, text, encoding)).students


def test_an_export_of_canvas_is_a_roster_without_its_rows_on_assignments(tmp_path):
    roster = read_roster(write(tmp_path, CANVAS))
    ada, zoe = roster.students
    assert roster.kind == "canvas"
    assert (ada.name, ada.number, ada.student_id, ada.login) == ("Lovelace, Ada", "12", "S0012", "ada")
    assert (zoe.name, zoe.section) == ("O'Brien, Zoë", "A")
    assert [row["Scores (4711)"] for row in roster.extra] == ["Manual Posting", "20.00"]


def test_canvas_without_numbers_of_the_school_gives_none(tmp_path):
    [ada] = students(tmp_path, "Student,ID,SIS Login ID,Section\nAda,12,ada,A\n")
    assert (ada.number, ada.student_id, ada.login) == ("12", "", "ada")


def test_a_grading_worksheet_of_moodle_is_a_roster(tmp_path):
    roster = read_roster(write(tmp_path, MOODLE))
    assert roster.kind == "moodle"
    ada = roster.students[0]
    assert (ada.number, ada.name, ada.email) == ("Participant 12", "Ada Lovelace", "ada@example.org")
    assert "12" in list(keys_of(ada))


@pytest.mark.parametrize("further", ["Role,Sections", "Sections,Total Score,Max Points,Status"])
def test_a_roster_and_the_grades_of_gradescope_are_known_by_their_columns(tmp_path, further):
    mine = "First Name,Last Name,SID,Email"
    assert read_roster(write(tmp_path, f"{mine},{further}\nAda,King,1,a@b.c\n")).kind == "gradescope"
    assert read_roster(write(tmp_path, f"{mine}\nAda,King,1,a@b.c\n")).kind == "plain"


@pytest.mark.parametrize(
    ("text", "student"),
    [
        ("student_id,name\nS1,Ada\n", Student("Ada", student_id="S1")),
        ("ID;Name\n1;Ada\n", Student("Ada", student_id="1")),
        ("First Name,Last Name,SID,Email\nAda,King,1,a@b.c\n", Student("Ada King", "1", email="a@b.c")),
        ("login\tEmail Address\nada\ta@b.c\n", Student("", login="ada", email="a@b.c")),
        ("Username,ID number\nada,0012\n", Student("", login="ada", student_id="0012")),
    ],
)
def test_columns_are_known_by_their_names_in_any_order_and_form(tmp_path, text, student):
    [students_read] = students(tmp_path, text)
    assert students_read == Student(**{**vars(student), "line": 2, "cells": {}})


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_files_that_spreadsheets_save_are_read(tmp_path, encoding):
    [student] = students(tmp_path, "email,name\nz@b.c,Zoë\n", encoding)
    assert student.name == "Zoë"


def test_empty_rows_are_nobody(tmp_path):
    assert len(students(tmp_path, "id,name\n1,Ada\n,\n\n2,Bo\n")) == 2


def test_a_row_that_is_there_twice_word_for_word_is_one_student(tmp_path):
    both = students(tmp_path, "id,name\n1,Ada\n2,Bo\n1,Ada \n1,Ada King\n")
    assert [(student.name, student.line) for student in both] == [("Ada", 2), ("Bo", 3), ("Ada King", 5)]


def test_only_students_of_gradescopes_roster_count(tmp_path):
    text = """First Name,Last Name,SID,Email,Role
Ada,King,1,a@b.c,Student
Ina,Structor,2,i@b.c,Instructor
Ta,Ylor,3,t@b.c,TA
Bo,No Role,4,b@b.c,
"""
    roster = read_roster(write(tmp_path, text))
    assert [student.name for student in roster.students] == ["Ada King", "Bo No Role"]


def test_a_roster_of_western_windows_comes_with_a_note(tmp_path):
    roster = read_roster(write(tmp_path, "id;name\n1;Zoë\n", "cp1252"))
    assert roster.students[0].name == "Zoë"
    assert "Windows-1252" in roster.note


def test_a_file_without_an_identifying_column_is_refused_with_its_columns(tmp_path):
    with pytest.raises(TableError, check=to_staff["roster.no-column-it-has-name-points"]):
        read_roster(write(tmp_path, "name,points\nAda,3\n"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"id,name\n", "lists no students"),
        (b"", "has no column"),
    ],
)
def test_a_file_that_is_no_roster_is_refused_with_the_remedy(tmp_path, data, reason):
    path = tmp_path / "roster.csv"
    path.write_bytes(data)
    with pytest.raises(TableError, match=reason):
        read_roster(path)


cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)


@given(
    st.lists(st.tuples(st.integers(1, 10**9), cells), min_size=1, max_size=5, unique_by=lambda row: row[0])
)
@settings(deadline=None)
def test_any_names_come_through_unchanged(tmp_path_factory, rows):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("student_id", "name"), *rows])
    students_read = students(tmp_path_factory.mktemp("roster"), text.getvalue())
    # An apostrophe in front of a formula is a table's own, and no part of a name.
    assert [(student.student_id, student.name) for student in students_read] == [
        (str(n), unescape_formulas(name).strip()) for n, name in rows
    ]


ADA = Student("Ada Lovelace", "S12", "12", "ada", "ada@example.org", line=2)
BO = Student("Bo O'Brien", "S13", "13", "bo", "bo@example.org", line=3)


def match(owners, *students, kind="plain"):
    roster = Roster("roster.csv", kind, (), students, teams_share_numbers=kind == "moodle")
    matching = match_roster(owners, roster)
    return {name: [student.name for student in members] for name, members in matching.found.items()}, matching


def test_every_identifier_leads_to_its_student():
    for key in ("S12", "12", "ada", "ada@example.org", "ADA@Example.org"):
        names_by_entry, matching = match({"x": Owner(key)}, ADA, BO)
        assert names_by_entry == {"x": ["Ada Lovelace"]}, key
        assert matching.missing == (BO,)


def test_a_login_on_github_is_nobodys_id_number_or_address():
    cy = Student("Cy", student_id="ada", line=4)
    assert match({"x": Owner("", "ada", login="ada")}, ADA, cy)[0] == {"x": ["Ada Lovelace"]}
    for key in ("S12", "12", "ada@example.org"):
        assert match({key: Owner("", key, login=key)}, ADA, BO)[0] == {}, key


def test_where_a_roster_has_no_logins_its_ids_may_be_logins():
    eve = Student("Eve", student_id="eve-l", line=4)
    assert match({"x": Owner("", "eve-l", login="eve-l")}, eve)[0] == {"x": ["Eve"]}


def test_the_mail_address_helps_where_the_id_is_unknown():
    assert match({"x": Owner("?", email="bo@example.org")}, ADA, BO)[0] == {"x": ["Bo O'Brien"]}


def test_a_plain_submission_is_matched_by_its_own_name():
    assert match({"ada": None, "S13": None}, ADA, BO)[0] == {"ada": ["Ada Lovelace"], "S13": ["Bo O'Brien"]}


def test_what_stands_before_the_name_of_a_stub_identifies_a_student():
    names = ("ada_attention_scores", "S13-Attention_Scores", "bob_attention_scores", "bo_attention")
    roster = Roster("roster.csv", "plain", (), (ADA, BO))
    matching = match_roster(dict.fromkeys(names), roster, ["attention_scores.py"])
    assert matching.found == {names[0]: (ADA,), names[1]: (BO,)}
    assert list(matching.unmatched) == ["bo_attention", "bob_attention_scores"]


def test_a_name_never_matches_nor_does_a_part_of_an_id():
    owners = {"Ada Lovelace": None, "x": Owner("?", "Bo O'Brien"), "y": Owner("S1"), "z": Owner("S123")}
    names_by_entry, matching = match(owners, ADA, BO)
    assert names_by_entry == {}
    assert matching.missing == (ADA, BO)
    assert matching.unmatched["x"] == to_staff["roster_match.no-student"]


def test_an_identifier_of_two_students_is_left_to_a_person():
    other = Student("Cy", student_id="ada", line=4)
    names_by_entry, matching = match({"x": Owner("ada")}, ADA, other)
    assert names_by_entry == {}
    assert matching.unmatched["x"] == to_staff["roster_match.ada-stands-for-students"]


def test_two_submissions_of_one_student_are_left_to_a_person():
    names_by_entry, matching = match({"x": Owner("12"), "y": Owner("S12"), "z": Owner("13")}, ADA, BO)
    assert names_by_entry == {"z": ["Bo O'Brien"]}
    assert matching.unmatched == dict.fromkeys(("x", "y"), "Ada Lovelace (S12) has 2 submissions: x and y")
    assert matching.missing == (ADA,)


def moodle(name, number, group="", line=2):
    return Student(name, number=f"Participant {number}", group=group, line=line)


def test_a_participant_of_moodle_is_found_by_number_whatever_signs_the_name_lost():
    bo = moodle("Bo O'Brien", 13)
    assert match({"x": Owner("13", "Bo OBrien")}, bo, kind="moodle")[0] == {"x": ["Bo O'Brien"]}
    assert match({"x": Owner("13", "Participant")}, bo, kind="moodle")[0] == {"x": ["Bo O'Brien"]}


def test_a_teams_number_is_not_taken_for_a_participants():
    names_by_entry, matching = match({"x": Owner("13", "Team A")}, moodle("Bo", 13), kind="moodle")
    assert names_by_entry == {}
    assert matching.unmatched["x"] == to_staff["roster_match.bo-participant"]


def test_a_team_of_moodle_is_all_its_members():
    class_ = (moodle("Bo", 13, "Team A"), moodle("Cy", 14, "Team B", 3), moodle("Di", 15, "Team A", 4))
    names_by_entry, matching = match({"x": Owner("14", "Team A")}, *class_, kind="moodle")
    assert names_by_entry == {"x": ["Bo", "Di"]}
    assert [student.name for student in matching.missing] == ["Cy"]


keys = st.sampled_from(["1", "2", "3", "4", "a", "b"])
people = st.lists(st.tuples(keys, st.one_of(st.just(""), keys)), max_size=5)


@settings(deadline=None)
@given(people, st.dictionaries(st.text("xyz", min_size=1, max_size=3), keys, max_size=5))
def test_each_student_and_each_submission_is_accounted_for_once(drawn, submissions):
    class_ = [Student("", key, login=login, line=line) for line, (key, login) in enumerate(drawn)]
    _, matching = match({name: Owner(key) for name, key in submissions.items()}, *class_)
    assert sorted([*matching.found, *matching.unmatched]) == sorted(submissions)
    lines = [student.line for students in matching.found.values() for student in students]
    assert sorted([*lines, *(student.line for student in matching.missing)]) == list(range(len(class_)))
    for name, students in matching.found.items():
        assert all(submissions[name] in (student.student_id, student.login) for student in students)


def test_whose_submission_may_be_among_the_unmatched_is_in_doubt():
    cy, di = Student("Cy", student_id="ada", line=4), Student("Di", "S15", line=5)
    assert match({"x": Owner("ada")}, ADA, BO, cy)[1].doubtful == {ADA, cy}  # an id of two students
    assert match({"x": Owner("12"), "y": Owner("S12")}, ADA, BO)[1].doubtful == {ADA}  # two submissions
    assert match({"lovelace-ada": None, "B": Owner("9", "obrienbo")}, ADA, BO, di)[1].doubtful == {ADA, BO}
    assert match({"hw1": None, "ada": None, "": None}, ADA, BO, Student("", "S16"))[1].doubtful == set()
    team = (moodle("Bo", 13, "Team A"), moodle("Di", 15, "Team A", 4))
    twice = {"x": Owner("99", "Team A"), "y": Owner("13", "Bo")}
    assert match(twice, *team, kind="moodle")[1].doubtful == set(team)
