"""The file of the policy, and the table of what it did."""

import csv
import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from asked import ask
from results import homework_grade as homework
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.pages import change_lines, feedback_page
from autograder.feedback.results_json import results_mapping
from autograder.gradebook.decisions import PolicyLine
from autograder.policy.grade import Change
from autograder.policy.policy import PolicyError, Rules, parse_policy, read_policy
from autograder.report.exports import POLICY_COLUMNS, write_policy
from autograder.report.submission_page import page_data

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
FULL = """
time_zone = "Europe/Berlin"
late_days = 4
grace_minutes = 10
penalty_per_day = 10
max_penalty = 50

[homeworks.hwx]
due = 2027-02-06T12:00:00
penalty_per_day = 5.5
extra_credit = ["totals"]
all_or_nothing = ["double"]
"""


COUNTED = 'questions = "counted"'


@pytest.mark.parametrize(
    ("setting", "text", "extra_credit", "maximum"),
    [
        ("", "", ("theory",), 5.5),
        (COUNTED, "", (), 9.0),
        (COUNTED, '[homeworks.hwx]\nextra_credit = ["theory"]', ("theory",), 5.5),
        ("", '[homeworks.hwx]\nextra_credit = ["totals"]', ("totals", "theory"), 3.0),
        ("", '[homeworks.hw]\nextra_credit = ["totals"]', ("totals", "theory"), 3.0),
    ],
)
def test_extra_credit_leaves_the_maximum_and_so_do_questions_that_are_not_counted(
    tiny, setting, text, extra_credit, maximum
):
    ask(tiny)
    metadata = tiny.folder / "homework.toml"
    metadata.write_text(f"{setting}\n{metadata.read_text('utf-8')}", encoding="utf-8")
    policy = parse_policy(text, tiny.course, "policy.toml")
    assert policy.of("hwx").extra_credit == extra_credit
    assert policy.maximum(tiny.homework) == maximum
    assert tiny.homework.points == (9.0 if setting else 5.5)


def test_every_key_is_read(tiny):
    policy = parse_policy(FULL, tiny.course, "policy.toml")
    zone = ZoneInfo("Europe/Berlin")
    assert (policy.late_days, policy.zone) == (4, zone)
    due = dt.datetime(2027, 2, 6, 12, tzinfo=zone)
    assert policy.of("hwx") == Rules(due, 10, 5.5, 50, ("totals",), ("double",))


def test_an_empty_policy_changes_nothing_and_knows_the_due_dates(tiny):
    policy = parse_policy("", tiny.course, "policy.toml")
    assert policy.late_days == 0
    assert policy.of("hwx") == Rules(DUE)
    assert policy.maximum(tiny.homework) == 5.5


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("latedays = 3", "latedays is unknown"),
        ("late_days = 1.5", "late_days: expected"),
        ("penalty_per_day = -1", "penalty_per_day: expected"),
        ("penalty_per_day = 101", "penalty_per_day: expected per cent, from 0 to 100, got 101"),
        ("max_penalty = 'half'", "max_penalty: expected"),
        ("time_zone = 'Mars/Olympus'", "time_zone: expected"),
        ("homeworks = 3", "homeworks: expected"),
        ("[homeworks.hwy]", "homeworks.hwy: there is no homework 'hwy'; known here: hwx"),
        ("[homeworks.hwx]\nlate_days = 3", "homeworks.hwx.late_days is unknown"),
        (
            "[homeworks.hwx]\nextra_credit = ['tripel']",
            'extra_credit: expected names from: double, totals, got "tripel"',
        ),
        ("[homeworks.hwx]\nall_or_nothing = 'double'", "homeworks.hwx.all_or_nothing"),
        ("[homeworks.hwx]\ndue = 2027-02-05T23:59:00", "homeworks.hwx.due has no time zone"),
        ("[homeworks.hwx]\ndue = 'friday'", "homeworks.hwx.due: expected"),
        ("late_days = ", "Invalid value"),
        ("[homeworks.hw]\n[homeworks.hwx]", "the same homework"),
    ],
)
def test_a_mistake_is_told_with_its_key(tiny, text, complaint):
    with pytest.raises(PolicyError, match=r"policy\.toml: ") as caught:
        parse_policy(text, tiny.course, "policy.toml")
    assert complaint in str(caught.value)


def test_a_due_date_of_the_homework_without_a_zone_asks_for_one(tiny):
    tiny.edit("homework.toml", "23:59:00Z", "23:59:00")
    with pytest.raises(PolicyError, match="the due date of hwx has no time zone"):
        parse_policy("", tiny.course, "policy.toml")
    assert parse_policy('time_zone = "UTC"', tiny.course, "policy.toml").of("hwx").due == DUE


def test_a_file_that_cannot_be_read_is_named(tiny, tmp_path):
    path = tmp_path / "policy.toml"
    with pytest.raises(PolicyError, check=to_staff["policy.cannot-be-read"]):
        read_policy(path, tiny.course)
    path.write_bytes(b"late_days = 3 # \xff")
    with pytest.raises(PolicyError, check=to_staff["policy.cannot-be-read-2"]):
        read_policy(path, tiny.course)


def test_the_policy_in_the_documentation_is_one(tiny):
    page = (Path(__file__).resolve().parents[2] / "docs" / "policy.md").read_text("utf-8")
    text = page.split("```toml\n")[1].split("```")[0].replace("hw1_attention_scores", "hwx")
    policy = parse_policy(
        text.replace("softmax", "double").replace("attention_flow", "totals"), tiny.course, ""
    )
    assert policy.late_days > 0
    assert policy.of("hwx").extra_credit == ("totals",)


def test_an_extension_moves_a_due_date_back_in_its_own_zone_and_changes_nothing_else():
    rules = Rules(DUE.astimezone(ZoneInfo("Europe/Berlin")), 10, 5.5, 50, ("totals",), ("double",))
    later = DUE + dt.timedelta(days=2)
    extended = rules.extended(later)
    assert (extended.due, extended.extended_from) == (later, DUE)
    assert extended.due.tzinfo == ZoneInfo("Europe/Berlin")
    assert replace(extended, due=rules.due, extended_from=None) == rules
    assert rules.extended(DUE) == rules.extended(None) == rules
    assert Rules().extended(later) == Rules()


def test_a_drill_may_have_a_table_of_its_own(course):
    policy = parse_policy("[homeworks.hw3_examples]\npenalty_per_day = 3", course, "policy.toml")
    assert policy.of("hw3_scaled_dot_product_attention_examples").penalty_per_day == 3
    assert policy.of("hw3_scaled_dot_product_attention").penalty_per_day == 0


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
