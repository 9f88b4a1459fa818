import datetime as dt
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from asked import ask
from wording import to_staff

from autograder.policy.policy import PolicyError, Rules, parse_policy, read_policy

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
