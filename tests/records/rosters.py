"""Classes as platforms know them, and grades in them."""

import csv
from pathlib import Path

from autograder.intake.roster import Roster
from autograder.platforms.platform import StudentGrade
from autograder.platforms.rosters import read_roster

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Scores (4711),Blocks (4712),Current Score
    Points Possible,,,,,20.00,10.00,(read only)
"Lovelace, Ada",12,S12,ada,"A, B",18.00,,90.0
"O'Brien, Zoë",13,S13,zoe,A,,,
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum grade,\
Last modified (grade),Feedback comments
Participant 12,Ada Lovelace,ada@example.org,Submitted for grading,1.00,5.00,-,Well done.
Participant 13,Zoë O'Brien,zoe@example.org,No submission,2.00,5.00,-,Ill.
"""
PLAIN = "student_id,name,email\nS12,Ada Lovelace,ada@example.org\nS13,Zoë O'Brien,zoe@example.org\n"


def roster_of(tmp_path: Path, text: str) -> Roster:
    path = tmp_path / "roster.csv"
    path.write_text(text, encoding="utf-8")
    return read_roster(path)


def with_points(roster: Roster, *points: float | None) -> list[StudentGrade]:
    return [StudentGrade(student, p) for student, p in zip(roster.students, points, strict=True)]


def table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))
