import csv
import datetime as dt
import json
from dataclasses import replace

from results import homework_grade as homework
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.pages import change_lines, feedback_page
from autograder.feedback.results_json import results_mapping
from autograder.gradebook.decisions import PolicyLine
from autograder.policy.grade import Change
from autograder.report.exports import POLICY_COLUMNS, write_policy
from autograder.report.submission_page import page_data

TIME = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
LINE = PolicyLine(
    "ada", "hwx", 1.0, 0.9, 5.5, TIME, TIME, 1, 0, 10.0, 0.1, 0.5, 0.9, ("why", "how"), ("Late.", "Two.")
)
LATE = homework(
    final=1.4,
    changes=(
        Change("manual", 0.5, "Marked."),
        Change("late", -0.1, "Late."),
        Change("extra_credit", 0.0, "Extra."),
    ),
    awaiting=("why",),
)


def rows(tmp_path, *lines):
    write_policy(tmp_path / "policy.csv", lines)
    with (tmp_path / "policy.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_tells_the_way_from_raw_to_final_points(tmp_path):
    [row] = rows(tmp_path, LINE)
    assert tuple(row) == POLICY_COLUMNS
    assert list(row.values()) == [
        *("ada", "hwx", "1", "2027-02-05T23:59:00+00:00", "2027-02-05T23:59:00+00:00", "1", "0"),
        *("10", "0.1", "0.5", "0.9", "0.9", "5.5", "why, how", "Late. Two."),
    ]


def test_what_does_not_exist_is_blank_and_no_zero(tmp_path):
    [row] = rows(tmp_path, PolicyLine("ada", "hwx", None, None, 5.5, reasons=("Why.",)))
    blank = {key for key, value in row.items() if value == ""}
    assert blank == {"raw", "due", "submitted_at", "override", "final", "not_marked_yet"}


def test_no_cell_can_become_a_formula(tmp_path):
    [row] = rows(tmp_path, replace(LINE, submission="=ada", awaiting=("@why",), reasons=("-1",)))
    assert (row["submission"], row["not_marked_yet"], row["reason"]) == ("'=ada", "'@why", "'-1")


def test_the_file_is_there_only_while_something_bears_on_points_beside_checks(tmp_path):
    for line, is_there in ((LINE, True), (PolicyLine("ada", "hwx", 1.0, 1.0, 5.5), False)):
        write_policy(tmp_path / "policy.csv", [line])
        assert (tmp_path / "policy.csv").exists() == is_there


def test_the_student_reads_each_change_with_its_points_and_what_is_open():
    assert change_lines(LATE) == [
        to_staff["policy_csv.checks-gave-points"],
        "+0.5 points: Marked.",
        "−0.1 points: Late.",
        "Extra.",
        to_staff["policy_csv.not-marked-yet-so-the-points"],
    ]
    assert change_lines(homework()) == []
    assert change_lines(homework(final=1.0, changes=(Change("manual", -1.0, "So."),))) == ["−1 point: So."]


def test_pages_and_results_show_the_points_that_count_and_why(tmp_path):
    result = submission("ada", LATE)
    (tmp_path / "feedback.html").write_text(feedback_page(result), "utf-8")
    mapping = results_mapping(result)
    for text in (
        (tmp_path / "feedback.html").read_text("utf-8"),
        json.dumps(page_data(result, {}), default=vars, ensure_ascii=False),
        str(mapping["output"]),
    ):
        assert all(line in text for line in change_lines(LATE))
    assert mapping["score"] == 1.4
    homework_data = json.loads(json.dumps(mapping))["extra_data"]["homeworks"]["hwx"]
    assert (homework_data["score"], homework_data["raw_score"], homework_data["not_marked_yet"]) == (
        1.4,
        1.0,
        ["why"],
    )
    assert homework_data["adjustments"][1] == {"kind": "late", "points": -0.1, "reason": "Late."}
