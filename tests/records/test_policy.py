"""The rules of a policy: its file, the arithmetic of points, what holds for any policy, and the table of it."""

import csv
import datetime as dt
import json
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from asked import ask, asking, questions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results import FAILED, NOT_RUN, PASSED, homework, homework_grade, ours
from results import submission_grade as submission
from wording import to_staff

from autograder.course.homework import THEORY
from autograder.feedback.pages import feedback_page
from autograder.feedback.results_json import results_mapping
from autograder.feedback.words import change_lines
from autograder.gradebook.decisions import Comment, Mark, Override, PolicyLine
from autograder.policy.grade import Change, HomeworkGrade
from autograder.policy.points import Decided, adjust, line_of
from autograder.policy.policy import Lateness, PolicyError, Rules, parse_policy, read_policy
from autograder.report.exports import POLICY_COLUMNS, write_policy
from autograder.report.submission_page import page_data
from autograder.sandbox.report import Answer
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.theory import judge_theory

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
LATE = homework_grade(
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
    assert change_lines(homework_grade()) == []
    assert change_lines(homework_grade(final=1.0, changes=(Change("manual", -1.0, "So."),))) == [
        "−1 point: So."
    ]


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


ALL = homework(checks=tuple(replace(check, outcome=Outcome.PASSED) for check in (PASSED, FAILED, NOT_RUN)))
WRITTEN = CheckResult("theory_why", "theory", "Why?", 2.0, Outcome.COLLECTED, "Collected for your TA.")
ASKED = homework(checks=(PASSED, FAILED, NOT_RUN, WRITTEN))


def late(days, used=0):
    return Lateness(days, used, DUE + dt.timedelta(days=days) - dt.timedelta(hours=1))


def rules(**changes):
    return replace(Rules(due=DUE, penalty_per_day=10), **changes)


def override(points, reason="read by hand", **subject):
    return Override("ada", "hwx", points, reason, **subject)


def mark(points, question="why", maximum=2.0, comment=""):
    return Mark("ada", "hwx", question, points, maximum, comment)


ALL_OR_NOTHING = Rules(all_or_nothing=("double", "totals"))


@pytest.mark.parametrize(
    ("result", "decided"),
    [
        (homework(), Decided()),
        (ALL, Decided(rules(extra_credit=()), late(0))),
        (ALL, Decided(Rules(due=DUE), late(3))),
        (ALL, Decided(ALL_OR_NOTHING)),
    ],
    ids=["no policy", "in time", "lateness costs nothing", "all of all or nothing"],
)
def test_what_no_rule_changes_stays_as_it_is(result, decided):
    assert adjust(result, decided) == HomeworkGrade.of(result)


SLIP = override(1.5, "one slip", check="double_sizes")
TASK = override(2.5, task="double")
LONG_SUM = homework(checks=(replace(PASSED, points=1.94), replace(PASSED, check="other", points=32.12)))
STEPS = {
    "an all-or-nothing task that is partly right gives nothing":
        (homework(), Decided(ALL_OR_NOTHING), 0.0, "all_or_nothing -1"),
    "an override of a check comes before all-or-nothing":
        (homework(), Decided(ALL_OR_NOTHING, overrides=[override(2, check="double_sizes")]), 3.0, "override +2"),
    "points of a person for a task are not taken by all-or-nothing":
        (homework(), Decided(ALL_OR_NOTHING, overrides=[TASK]), 2.5, "all_or_nothing -1 override +2.5"),
    "an override of a check keeps the others": (homework(), Decided(overrides=[SLIP]), 2.5, "override +1.5"),
    "an override of a task replaces the points of its checks":
        (homework(), Decided(overrides=[TASK]), 2.5, "override +1.5"),
    "an override of the homework is final, also after a penalty":
        (ALL, Decided(rules(), late(2), [override(5)]), 5.0, "late -1.1 override +0.6"),
    "an override above what there is to earn is capped":
        (homework(), Decided(overrides=[override(9)]), 5.5, "override +4.5"),
    "what there is to earn adds up as with a pencil":
        (LONG_SUM, Decided(overrides=[override(99)]), 34.06, "override +0"),
    "a person can give points where the fault was ours":
        (ours(), Decided(overrides=[override(4)]), 4.0, "override +4"),
    "marks are late as well":
        (homework(), Decided(rules(), late(5), marks=[mark(1, "oral", 3)]), 1.0, "manual +1 late -1"),
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_the_steps_are_taken_in_their_order(step):
    result, decided, earned, changes = STEPS[step]
    grade = adjust(result, decided)
    assert (grade.earned, grade.raw) == (earned, result.raw)
    assert " ".join(f"{change.kind} {change.points:+g}" for change in grade.changes) == changes


@pytest.mark.parametrize(
    ("decided", "reason"),
    [
        (Decided(ALL_OR_NOTHING), to_staff["points.points"]),
        (Decided(overrides=[SLIP]), to_staff["points.double_sizes-points-instead"]),
        (Decided(overrides=[override(9)]), to_staff["points.given-is-the-most"]),
        (Decided(rules(), late(3, 1)), to_staff["points.handed-in-days-late-due-utc"]),
    ],
)
def test_each_change_is_told_with_its_reason(decided, reason):
    [change] = adjust(homework() if not decided.late.days else ALL, decided).changes
    assert change.reason == reason


@pytest.mark.parametrize(
    ("days", "used", "final"),
    [(1, 0, 4.95), (2, 0, 4.4), (3, 1, 4.4), (4, 4, 5.5), (9, 0, 3.85), (99, 0, 3.85)],
)
def test_each_day_costs_its_part_up_to_the_cap_and_late_days_cost_nothing(days, used, final):
    assert adjust(ALL, Decided(rules(max_penalty=30), late(days, used))).earned == final


def test_the_student_reads_that_late_days_cost_nothing():
    [change] = adjust(ALL, Decided(rules(), late(1, 1))).changes
    assert change.reason.endswith(" 1 late day used. Nothing off.")


def test_both_times_are_told_in_the_zone_of_the_due_date():
    zone = dt.timezone(dt.timedelta(hours=1), "CET")
    [change] = adjust(ALL, Decided(rules(due=DUE.astimezone(zone)), late(1))).changes
    assert change.reason == to_staff["points.due-cet-handed-in-cet"]


def test_all_or_nothing_waits_for_the_marks():
    right = replace(PASSED, check="theory_size", task="theory")
    homework_result = homework(checks=(right, WRITTEN), points=3)
    rules = Rules(all_or_nothing=("theory",))
    assert [adjust(homework_result, Decided(rules, marks=[mark(p)])).earned for p in (None, 1, 2)] == [
        1,
        0,
        3,
    ]


def test_extra_credit_counts_in_points_and_not_in_the_maximum():
    result = adjust(ALL, Decided(Rules(extra_credit=("totals",))))
    assert (result.earned, result.points) == (5.5, 3.0)
    assert result.changes[0].reason == to_staff["points.extra-credit-up-to-points"]


@pytest.mark.parametrize(
    ("decided", "earned", "bonus"),
    [
        (Decided(Rules(extra_credit=("totals",))), 5.5, 2.5),
        (Decided(rules(extra_credit=("totals",)), late(2)), 4.4, 2.0),
        (Decided(Rules(extra_credit=("totals",)), overrides=[override(1, task="totals")]), 4.0, 1.0),
        (Decided(Rules(extra_credit=("totals",)), overrides=[override(4)]), 4.0, 1.0),
        (Decided(Rules(extra_credit=("totals",)), overrides=[override(2)]), 2.0, 0.0),
        (Decided(Rules(extra_credit=("double", "totals"))), 5.5, 5.5),
        (Decided(Rules()), 5.5, 0.0),
    ],
    ids=[
        "all of it",
        "late",
        "part of it",
        "beyond the maximum",
        "below the maximum",
        "of two tasks",
        "none",
    ],
)
def test_a_bonus_is_what_extra_credit_gave(decided, earned, bonus):
    result = adjust(ALL, decided)
    assert (result.earned, result.bonus) == (earned, bonus)


def test_answers_that_do_not_count_are_a_bonus_with_and_without_a_policy():
    answer = replace(PASSED, check="theory_size", task="theory", points=1.5)
    homework_result = homework(checks=(PASSED, answer), points=1)
    for grade in (
        HomeworkGrade.of(homework_result),
        adjust(homework_result, Decided(Rules(extra_credit=("theory",)))),
    ):
        assert (grade.earned, grade.points, grade.bonus) == (2.5, 1, 1.5)
        assert grade.extra_credit == ("theory",)
    counted = HomeworkGrade.of(replace(homework_result, points=2.5))
    assert (counted.bonus, counted.extra_credit) == (0.0, ())


def test_marks_on_paper_for_answers_that_do_not_count_are_a_bonus():
    decided = Decided(Rules(extra_credit=("theory",)), marks=[mark(1.5)], questions=("why",))
    for result, earned in ((ALL, 7.0), (homework(), 2.5)):
        grade = adjust(result, decided)
        assert (grade.earned, grade.points, grade.bonus) == (earned, 5.5, 1.5)


def test_our_fault_stays_blank_whatever_the_policy_says():
    decided = Decided(rules(extra_credit=("totals",)), late(3), marks=[mark(1)])
    result = adjust(ours(), decided)
    assert (result.earned, result.changes) == (None, ())
    assert line_of("ada", ours(), result, decided).final is None


def test_a_mark_gives_the_points_of_the_answer_that_was_collected():
    result = adjust(ASKED, Decided(marks=[mark(1.5, comment="names the variance")]))
    assert (result.earned, result.points, result.awaiting) == (2.5, 7.5, ())
    assert result.changes[0].reason == to_staff["points.marked-by-hand-why-of-points"]


@pytest.mark.parametrize("marks", [(), (mark(None),)])
def test_an_answer_without_a_mark_is_open_and_not_a_zero_in_silence(marks):
    result = adjust(ASKED, Decided(marks=marks))
    assert (result.earned, result.awaiting) == (1.0, ("why",))


def test_a_mark_for_something_that_was_not_collected_counts_beside_the_checks():
    result = adjust(homework(), Decided(marks=[mark(1, "oral", 3), mark(None, "essay", 4)]))
    assert (result.earned, result.points, result.awaiting) == (2.0, 12.5, ("essay",))
    assert result.changes[0].reason == "Marked by hand, `oral`: 1 of 3 points."


def test_the_line_tells_every_step():
    decided = Decided(rules(), late(3, 1), [override(3)], [mark(1)])
    line = line_of("ada", ASKED, adjust(ASKED, decided), decided)
    assert (line.raw, line.final, line.maximum, line.days_late, line.late_days_used) == (1.0, 3.0, 7.5, 3, 1)
    assert (line.penalty_percent, line.penalty, line.manual, line.override) == (20.0, 0.4, 1.0, 3.0)
    assert len(line.reasons) == 3


# Whatever the policy

calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No test depends on how fast the machine is."""
points = st.floats(0, 50).map(lambda value: round(value, 2))
outcomes = st.sampled_from(Outcome)
tasks = st.sampled_from(["a", "b", "theory"])
subjects = st.sampled_from(
    [{}, {"task": "a"}, {"task": "b"}, {"check": "c0"}, {"check": "c1"}, {"check": "gone"}]
)


@st.composite
def works(draw):
    checks_drawn = draw(st.lists(st.tuples(tasks, points, outcomes), max_size=5))
    checks = tuple(
        CheckResult(f"c{n}", task, "", p, outcome) for n, (task, p, outcome) in enumerate(checks_drawn)
    )
    return homework(checks=checks, points=round(sum(check.points for check in checks), 6))


@st.composite
def decisions(draw):
    return Decided(
        Rules(
            due=DUE,
            penalty_per_day=draw(st.floats(0, 100)),
            max_penalty=draw(st.floats(0, 100)),
            extra_credit=tuple(draw(st.sets(tasks))),
            all_or_nothing=tuple(draw(st.sets(tasks))),
        ),
        late(days := draw(st.integers(0, 12)), draw(st.integers(0, days))),
        [override(draw(points), **subject) for subject in draw(st.lists(subjects, max_size=3))],
        [
            mark(draw(st.none() | st.floats(0, maximum)), question, maximum)
            for question in draw(st.sets(st.sampled_from(["c0", "c2", "oral"])))
            for maximum in [draw(points)]
        ],
        [
            Comment("", "ada", "hwx", task, draw(st.sampled_from(["", "See me"])), draw(st.none() | points))
            for task in draw(st.lists(st.sampled_from(["", "a", "b", "gone"]), max_size=3))
        ],
    )


@calm
@given(works(), decisions())
def test_points_are_never_below_zero_nor_above_maximum_and_extra_credit(work, decided):
    result = adjust(work, decided)
    extra = sum(check.points for check in work.checks if check.task in decided.rules.extra_credit)
    assert 0 <= result.earned <= result.points + extra + 1e-6
    assert 0 <= result.bonus <= result.earned
    assert result.earned - result.bonus <= result.points + 1e-6


@calm
@given(works(), decisions(), st.integers(0, 30))
def test_later_is_never_more_points(work, decided, more):
    later = replace(decided, late=late(decided.late.days + more, decided.late.used))
    first, second = (adjust(work, decision).earned for decision in (decided, later))
    assert second <= first


@calm
@given(works(), decisions())
def test_the_changes_add_up_to_the_difference(work, decided):
    result = adjust(work, decided)
    assert result.earned - work.raw == pytest.approx(sum(c.points for c in result.changes), abs=1e-4)
    assert (result, result.raw) == (adjust(work, decided), work.raw), "the same each time"


@pytest.mark.parametrize(
    ("reason", "end"), [("why", " why."), ("Why?", " Why?"), ("Well done! ", " Well done!"), ("So.", " So.")]
)
def test_a_reason_is_quoted_as_one_sentence(reason, end):
    [change] = adjust(homework(), Decided(overrides=[override(1.5, reason, check="double_sizes")])).changes
    assert change.reason.endswith(f"points instead of 0.{end}")


def test_where_nothing_was_judged_an_override_names_no_earlier_points():
    result = adjust(ours(), Decided(overrides=[override(2)]))
    assert result.earned == 2.0
    assert result.changes[0].reason.endswith(": 2 points. read by hand.")


def test_only_an_override_of_the_whole_settles_a_homework():
    assert adjust(homework(), Decided(overrides=[override(2)])).is_settled
    assert not adjust(homework(), Decided(overrides=[override(2, check="double_sizes")])).is_settled


CODE = 10
IDS = ("shape", "total", "why")
whole_points = st.integers(0, CODE).map(float)
ANSWERS = st.dictionaries(
    st.sampled_from([*IDS, "other"]),
    st.sampled_from(["a", "b", "e", "", None, -2.5, 6.5, "3x5", "Because.", [1, 2], True]),
)


@pytest.fixture(scope="module", params=[False, True], ids=["bonus", "counted"])
def suite(request, tmp_path_factory):
    return asking(questions(tmp_path_factory.mktemp("asked")), counted=request.param)


def handed_in(suite, earned, answer):
    code = (
        CheckResult("c0", "double", "", earned, Outcome.PASSED),
        CheckResult("c1", "double", "", CODE - earned, Outcome.FAILED),
    )
    return homework(checks=(*code, *judge_theory(suite, answer).checks), points=suite.points)


@st.composite
def decisions_on_questions(draw):
    """What bears on the points, whether or not the questions were answered."""
    overrides = draw(st.lists(st.sampled_from([{}, {"task": "double"}, {"check": "c0"}]), max_size=2))
    comments = draw(st.lists(st.sampled_from(["", "double"]), max_size=2))
    return {
        "rules": Rules(
            due=DUE,
            penalty_per_day=draw(st.floats(0, 60)),
            max_penalty=draw(st.floats(0, 100)),
            extra_credit=tuple(draw(st.sets(st.just("double")))),
            all_or_nothing=tuple(draw(st.sets(st.sampled_from(["double", THEORY])))),
        ),
        "late": Lateness(
            days := draw(st.integers(0, 5)), draw(st.integers(0, days)), DUE + dt.timedelta(days)
        ),
        "overrides": [
            Override("ada", "hwx", draw(whole_points), "read", **override) for override in overrides
        ],
        "comments": [
            Comment("", "ada", "hwx", task, "See me.", draw(st.none() | whole_points)) for task in comments
        ],
    }


def settled(suite, result, decided, *marks):
    rules = decided["rules"]
    bonus = () if suite.questions_count else (THEORY,)
    own_rules = replace(rules, extra_credit=(*rules.extra_credit, *bonus))
    return adjust(result, Decided(**{**decided, "rules": own_rules}, marks=marks, questions=IDS))


@given(whole_points, ANSWERS, decisions_on_questions(), st.none() | st.floats(0, 2))
def test_an_answer_never_lowers_a_score_nor_changes_the_maximum(suite, earned, answers, decided, marked):
    without = settled(suite, handed_in(suite, earned, Answer(not_defined=True)), decided)
    handed = handed_in(suite, earned, Answer(value=answers))
    is_written = any(check.outcome is Outcome.COLLECTED for check in handed.checks)
    after = settled(suite, handed, decided, *[Mark("ada", "hwx", "why", marked, 2.0)] * is_written)
    assert after.points == without.points
    assert after.earned >= without.earned - 1e-6


@given(whole_points, decisions_on_questions())
def test_right_code_alone_has_the_same_part_of_the_maximum_whatever_the_bonus(suite, earned, decided):
    never_asked = settled(asking(()), handed_in(asking(()), earned, Answer()), decided)
    without = settled(suite, handed_in(suite, earned, Answer(not_defined=True)), decided)
    assert (without.earned == never_asked.earned) or suite.questions_count  # there a cap may lie higher
    assert without.points == never_asked.points + suite.questions_count * suite.theory_points


def test_a_mark_of_an_answer_on_paper_leaves_the_maximum(suite):
    rules = Rules(extra_credit=() if suite.questions_count else (THEORY,))
    decided = Decided(rules, marks=[Mark("ada", "hwx", "why", 1.5, 2.0)], questions=IDS)
    nothing_came = homework(checks=(), points=suite.points)
    for result in (handed_in(suite, 10, Answer(not_defined=True)), nothing_came):
        after = adjust(result, decided)
        assert (after.earned, after.points) == (result.raw + 1.5, suite.points)


def test_a_result_of_an_older_gradebook_whose_points_hold_those_of_answers_reads_the_same(tmp_path):
    suite = asking(questions(tmp_path))
    now = handed_in(suite, 10, Answer(value={"shape": "b", "total": -2.5, "why": "Because."}))
    older, decided = replace(now, points=11.5), Decided(Rules(extra_credit=(THEORY,)), questions=IDS)
    assert adjust(older, decided) == adjust(now, decided)
    assert (adjust(now, decided).earned, adjust(now, decided).points) == (11.5, 10)
