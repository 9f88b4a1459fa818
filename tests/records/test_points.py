"""The arithmetic of points: each rule of the policy, and what holds whatever the policy is."""

import datetime as dt
from dataclasses import replace

import pytest
from asked import asking, questions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results import FAILED, NOT_RUN, PASSED, homework, ours
from wording import to_staff

from autograder.course.homework import THEORY
from autograder.gradebook.decisions import Comment, Mark, Override
from autograder.policy.grade import HomeworkGrade
from autograder.policy.points import Decided, adjust, line_of
from autograder.policy.policy import Lateness, Rules
from autograder.sandbox.report import Answer
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.theory import judge_theory

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
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
    bonus = () if suite.counted else (THEORY,)
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
    assert (without.earned == never_asked.earned) or suite.counted  # there a cap may lie higher
    assert without.points == never_asked.points + suite.counted * suite.theory_points


def test_a_mark_of_an_answer_on_paper_leaves_the_maximum(suite):
    rules = Rules(extra_credit=() if suite.counted else (THEORY,))
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
