"""Whose a submission is: by what identifies a student, and by nothing else."""

from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.roster import Roster, Student, match_roster
from autograder.intake.submission import Owner

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
