"""What settles the points of a class: times, late days, decisions, and what Gradescope's container says."""

import datetime as dt
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from results import homework, ours, submission
from wording import to_staff

from autograder.gradebook.decisions import Comment, Mark, Override
from autograder.gradebook.gradings import BITS_PER_CHECK, BITS_PER_PAGE
from autograder.gradebook.opening import open_gradebook
from autograder.intake.submission import Owner
from autograder.language import Language
from autograder.policy import settlement
from autograder.policy.decision_input import (
    keep_policy,
    load_policy,
    take_metadata,
    take_override,
    take_times,
)
from autograder.policy.grade import SubmissionGrade
from autograder.policy.names import Names
from autograder.policy.policy import PolicyError, Rules
from autograder.policy.settlement import Handed, days_late, remarks, settle, spend
from autograder.report.situation import situation_of
from autograder.sandbox.report import Status
from autograder.verdict.work import Work

DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
TEN = "penalty_per_day = 10\n"


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path / "out") as opened:
        for name in ("ada", "bob"):
            opened.keep(submission(name, homework()), "c", "g")
        yield opened


def write_policy(tiny, text=TEN):
    path = tiny.course.root / "policy.toml"
    path.write_text(text, "utf-8")
    return path


def owner(days, **changes):
    return replace(Owner("1", "Ada", DUE + dt.timedelta(days=days, hours=-1)), **changes)


def earned(book, tiny):
    return {result.name: result.earned for result in settle(book, tiny.course).grades()}


def remarks_on(book, tiny):
    settled = settle(book, tiny.course)
    lines = [line for result in book.results() for line in settled.apply(result)[1]]
    return [str(remark) for remark in remarks(book, settled, lines)]


def test_without_a_policy_the_points_of_the_checks_count(book, tiny):
    book.remember_owners({"ada": owner(3), "bob": None})
    ada, bob = settle(book, tiny.course).grades()
    assert ada.person == ("Ada", "1", "", "yes")
    days = set(book.graded_on().values())
    assert {ada.graded_on, bob.graded_on} == days
    ada, bob = (replace(result, person=(), graded_on="") for result in (ada, bob))
    assert [ada, bob] == list(map(SubmissionGrade.of, book.results()))
    assert remarks_on(book, tiny) == []


def test_a_grade_has_what_pages_say_of_its_student_and_its_course():
    told = {"person": ("Ada",), "course": "NLP", "graded_on": "today", "language": Language("de")}
    grade = SubmissionGrade.of(submission("ada", homework()), **told)
    assert {key: getattr(grade, key) for key in told} == told
    assert [grade.homework(homework_id) for homework_id in ("hwx", "hwy")] == [grade.homeworks[0], None]


def test_the_flag_of_one_homework_outlives_the_next_one(book, tiny):
    """Each homework has the flag of its own hand-in, and whoever was late in one of them was late."""
    write_policy(tiny)
    book.remember_owners({"ada": owner(0, submitted_at=None, late=True)})
    late = remarks_on(book, tiny)
    assert [text.partition(":")[0] for text in late] == [
        "the platform reports lateness but no time, so no late penalty",
        "no submission time is known, so no late penalty",
    ]
    book.remember_owners({"ada": owner(0, late=False)}, {"ada": "c2"})
    book.keep(submission("ada", homework(homework="hw2")), "c2", "g")
    assert remarks_on(book, tiny) == late
    ada, _ = settle(book, tiny.course).grades()
    assert ada.person[3] == "yes"
    book.decisions.set_times({("ada", "hwx"): DUE})
    ada, _ = settle(book, tiny.course).grades()
    assert ada.person[3] == "no"


def test_the_platforms_time_makes_a_hand_in_late(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": owner(3), "bob": owner(0)})
    assert earned(book, tiny) == {"ada": 0.7, "bob": 1.0}


def test_a_time_that_a_person_gives_counts_more_and_that_for_one_homework_most(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": owner(3), "bob": owner(3)})
    book.decisions.set_times({("ada", ""): DUE, ("bob", ""): DUE, ("bob", "hwx"): DUE + dt.timedelta(days=2)})
    assert earned(book, tiny) == {"ada": 1.0, "bob": 0.8}


def times_table(folder, rows):
    path = folder / "times.csv"
    path.write_text(f"submission,submitted_at,homework\n{rows}", "utf-8")
    return path


def test_a_time_without_a_homework_is_for_those_that_are_there_and_for_no_later_one(book, tiny, tmp_path):
    write_policy(tiny)
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{DUE + dt.timedelta(days=2)},\n"))
    book.keep(submission("ada", homework(homework="hwy")), "c2", "g")
    assert book.decisions.times().keys() == {("ada", "hwx")}
    [ada, _] = settle(book, tiny.course).grades()
    assert {homework.homework: homework.earned for homework in ada.homeworks} == {"hwx": 0.8, "hwy": 1.0}


def test_the_table_of_a_second_week_leaves_the_times_of_the_first(book, tiny, tmp_path):
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{DUE},\n"))
    book.keep(submission("ada", homework(homework="hwy")), "c2", "g")
    later = DUE + dt.timedelta(days=7)
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{later},\n"))
    assert book.decisions.times() == {("ada", "hwx"): DUE, ("ada", "hwy"): later}


def test_a_second_table_may_call_a_student_by_another_name(book, tiny, tmp_path):
    book.remember_owners({"ada": Owner("S1", "Ada", email="ada@x.edu")})
    take_times(book, tiny.course, times_table(tmp_path, f"S1,{DUE},\n"))
    book.keep(submission("ada", homework(homework="hwy")), "c2", "g")
    later = DUE + dt.timedelta(days=7)
    take_times(book, tiny.course, times_table(tmp_path, f"ada@x.edu,{later},\n"))
    assert book.decisions.times() == {("S1", "hwx"): DUE, ("ada@x.edu", "hwy"): later}
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{later},hwx\n"))
    assert book.decisions.times() == {("ada", "hwx"): later, ("ada@x.edu", "hwy"): later}


def test_a_time_without_a_homework_is_for_what_was_handed_in_again_and_leaves_the_others(
    book, tiny, tmp_path
):
    def keep(source):
        work = Work("doubles.py", source)
        book.keep(submission("ada", homework(homework="hwy", work=work)), source, "g")

    keep("first = 1")
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{DUE},\n"))
    keep("second = 2")
    later = DUE + dt.timedelta(days=7)
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{later},\n"))
    assert book.decisions.times() == {("ada", "hwx"): DUE, ("ada", "hwy"): later}


def test_a_time_counts_for_what_was_handed_in_and_not_for_a_later_hand_in(book, tiny, tmp_path):
    def keep(source, graders="g"):
        book.keep(submission("ada", homework(work=Work("doubles.py", source))), source, graders)

    write_policy(tiny)
    keep("first = 1")
    take_times(book, tiny.course, times_table(tmp_path, f"ada,{DUE},\n"))
    book.remember_owners({"ada": owner(0, submitted_at=None, late=True)})
    keep("second = 2")
    assert remarks_on(book, tiny)[0] == to_staff["settle.platform-says-late"]
    assert any("handed in again since a time was given" in line for line in remarks_on(book, tiny))
    keep("first = 1", "other graders")
    assert not any("handed in again" in line for line in remarks_on(book, tiny))


def test_a_flag_of_the_platform_that_contradicts_the_time_is_listed(book, tiny):
    write_policy(tiny)
    book.decisions.set_times({("ada", "hwx"): DUE, ("bob", "hwx"): DUE + dt.timedelta(days=1)})
    book.remember_owners({"ada": owner(0, late=True), "bob": owner(0, student_id="2", late=False)})
    lines = remarks_on(book, tiny)
    assert any(
        "late according to the platform, but on time by the time that counts: ada" in line for line in lines
    )
    assert any(
        "on time according to the platform, but late by the time that counts: bob" in line for line in lines
    )


@pytest.mark.parametrize("late", [False, True])
def test_a_flag_contradicts_nothing_whether_or_not_the_platform_knows_of_an_extension(book, tiny, *, late):
    write_policy(tiny)
    book.decisions.set_times({("ada", "hwx"): DUE + dt.timedelta(days=1)})
    book.remember_owners({"ada": owner(0, late=late), "bob": owner(0, student_id="2")})
    book.decisions.set_extensions({("ada", "hwx"): DUE + dt.timedelta(days=2)})
    assert remarks_on(book, tiny) == []


def test_a_time_that_nobody_knows_is_listed_and_costs_nothing(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": owner(0, submitted_at=None, late=True), "bob": None})
    assert earned(book, tiny) == {"ada": 1.0, "bob": 1.0}
    assert remarks_on(book, tiny) == [
        to_staff["settle.platform-says-late"],
        to_staff["settle.no-time-of-submission"],
    ]


def test_what_an_override_of_the_whole_homework_settled_needs_no_time_and_no_marks(book, tiny):
    write_policy(tiny)
    book.decisions.mark([Mark("ada", "hwx", "oral", None, 2.0)])
    assert len(remarks_on(book, tiny)) == 2
    for name in ("ada", "bob"):
        book.decisions.override(Override(name, "hwx", 0.5, "we agreed on it"))
    assert remarks_on(book, tiny) == []
    situation = situation_of(book, settle(book, tiny.course))
    assert (situation.without_time, situation.unmarked) == ([], {})


def test_late_days_are_one_students_over_several_submissions(book, tiny):
    write_policy(tiny, f"late_days = 2\n{TEN}")
    book.remember_owners({"ada": owner(2), "bob": owner(4)})
    assert earned(book, tiny) == {"ada": 1.0, "bob": 0.6}
    book.remember_owners({"bob": owner(4, student_id="2")})
    assert earned(book, tiny) == {"ada": 1.0, "bob": 0.8}


def test_our_fault_stays_blank(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": owner(2)})
    book.keep(submission("ada", ours()), "c", "g")
    book.keep(submission("bob", homework(), fault="Traceback"), "c", "g")
    assert earned(book, tiny) == {"ada": None, "bob": None}


# What pages may quote over all gradings of a student's homework


PAGE_BITS = len(homework().checks) * BITS_PER_CHECK + BITS_PER_PAGE


def grade_again(book, name, times):
    for attempt in range(times):
        book.keep(submission(name, homework()), f"attempt {attempt}", "g")


def hints(book, tiny):
    return {result.name: result.homeworks[0].hints for result in settle(book, tiny.course).grades()}


def test_pages_give_no_reasons_once_their_gradings_may_have_quoted_too_much(book, tiny, monkeypatch):
    monkeypatch.setattr(settlement, "MOST_QUOTED_BITS", 5 * PAGE_BITS)
    assert hints(book, tiny) == {"ada": "always", "bob": "always"}
    grade_again(book, "ada", times=4)
    assert hints(book, tiny) == {"ada": "always", "bob": "always"}
    grade_again(book, "ada", times=1)
    assert hints(book, tiny) == {"ada": "never", "bob": "always"}
    ada, _ = settle(book, tiny.course).grades()
    assert (ada.earned, ada.homeworks[0].notes) == (1.0, (settlement.SILENT,))
    assert remarks_on(book, tiny) == [to_staff["settle.pages-without-reasons"]]


def test_a_student_has_one_budget_for_all_submissions_of_a_homework(book, tiny, monkeypatch):
    monkeypatch.setattr(settlement, "MOST_QUOTED_BITS", 5 * PAGE_BITS)
    book.remember_owners({"ada": owner(0), "bob": owner(0)})
    grade_again(book, "ada", times=2)
    grade_again(book, "bob", times=2)
    assert hints(book, tiny) == {"ada": "never", "bob": "never"}
    book.remember_owners({"bob": owner(0, student_id="2")})
    assert hints(book, tiny) == {"ada": "always", "bob": "always"}


def test_what_pages_may_have_quoted_counts_every_grading(book):
    grade_again(book, "ada", times=1)
    assert book.quoted_bits() == {("ada", "hwx"): 2 * PAGE_BITS, ("bob", "hwx"): PAGE_BITS}


def test_points_by_hand_stand_at_the_place_of_their_homework(book, tiny):
    handed_in = [homework(homework=homework_id) for homework_id in ("hw2", "project")]
    book.keep(submission("yan", *handed_in), "c", "g")
    book.decisions.mark([Mark("yan", "hwx", "oral", 1, 2)])
    [*_, yan] = settle(book, tiny.course).grades()
    assert [homework.homework for homework in yan.homeworks] == ["hw2", "hwx", "project"]


def test_points_by_hand_for_a_homework_that_was_not_handed_in_appear(book, tiny):
    book.keep(submission("cyd"), "c", "g")
    book.decisions.override(Override("cyd", "hwx", 4, "shown in the lab"))
    result = next(grade for grade in settle(book, tiny.course).grades() if grade.name == "cyd")
    assert (result.earned, result.status) == (4.0, Status.GRADED)
    assert [homework.title for homework in result.homeworks] == ["Doubles and totals"]


def test_an_override_of_a_check_alone_makes_no_hand_in(book, tiny):
    book.keep(submission("cyd"), "c", "g")
    book.decisions.override(Override("cyd", "hwx", 1, "x", check="double_sizes"))
    assert earned(book, tiny)["cyd"] == 0
    assert remarks_on(book, tiny) == [to_staff["settle.override-has-no-effect-cyd"]]


def test_decisions_on_submissions_that_are_gone_are_listed(book, tiny):
    book.decisions.override(Override("zoe", "hwx", 1, "x"))
    book.decisions.mark([Mark("yan", "hwx", "oral", 1, 2)])
    [line] = remarks_on(book, tiny)
    assert line.startswith("overrides or marks are kept for yan and zoe, but no submission")
    comments = [("no-group", ""), ("", "zoe"), ("", "ada")]
    book.decisions.comment([Comment(group, name, "", "", "See me") for group, name in comments])
    [line] = [line for line in remarks_on(book, tiny) if line.startswith("comments")]
    assert line.startswith("comments are kept for no-group and zoe, but no submission")


def test_answers_without_a_mark_are_listed(book, tiny):
    book.decisions.mark([Mark("ada", "hwx", "oral", None, 2)])
    assert remarks_on(book, tiny) == [to_staff["settle.provisional-for-answers"]]


def test_no_sentence_for_the_report_names_an_option(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": replace(owner(3), submitted_at=None, late=True), "bob": None})
    book.decisions.mark([Mark("ada", "hwx", "oral", None, 2)])
    settled = settle(book, tiny.course)
    lines = [line for result in book.results() for line in settled.apply(result)[1]]
    sentences = list(remarks(book, settled, lines))
    assert [remark.hint for remark in sentences] == ["see --times", "see --times", "see --manual"]
    assert not [remark for remark in sentences if "--" in remark.sentence]


def test_decisions_on_an_earlier_hand_in_are_listed(book, tiny):
    book.decisions.override(Override("ada", "hwx", 1, "x"))
    book.keep(submission("ada", homework()), "c2", "g")
    assert remarks_on(book, tiny) == [to_staff["settle.handed-in-anew-since"]]


def test_a_kept_policy_goes_before_the_courses_own(book, tiny, tmp_path):
    policy_of_course = write_policy(tiny, "late_days = 1\n")
    policy_file = tmp_path / "ours.toml"
    policy_file.write_text("late_days = 2\n", "utf-8")
    keep_policy(book, tiny.course, policy_file)
    policy_file.unlink()
    assert load_policy(book, tiny.course).late_days == 2
    keep_policy(book, tiny.course, policy_of_course)
    write_policy(tiny, "late_days = 3\n")
    assert load_policy(book, tiny.course).late_days == 3


def test_a_wrong_policy_is_not_kept(book, tiny, tmp_path):
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("late_dayz = 2\n", "utf-8")
    with pytest.raises(PolicyError, check=to_staff["settle.late_dayz-is-unknown"]):
        keep_policy(book, tiny.course, wrong)
    assert load_policy(book, tiny.course).late_days == 0


def test_a_submission_is_found_by_name_or_by_the_id_of_its_only_student(book):
    book.remember_owners({"ada": Owner("77"), "bob": Owner("88")})
    assert [Names(book).find(text) for text in ("ada", "77", "99")] == ["ada", "ada", "99"]
    book.remember_owners({"bob": Owner("77")})
    assert Names(book).find("77") == "77"
    with pytest.raises(PolicyError, check=to_staff["settle.no-submission-adda-did-you"]):
        Names(book).need("adda")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"points": 6}, "6 points are more than the 5.5 of the whole homework"),
        ({"points": 3, "check": "double_sizes"}, "3 points are more than the 2 of `double_sizes`"),
        ({"points": 1, "check": "double"}, "hwx of ada has no `double`; it has: double_published, "),
        ({"points": 4, "task": "double"}, "4 points are more than the 3 of `double`"),
        ({"points": 1, "task": "trouble"}, "it has: double, totals"),
    ],
)
def test_an_override_that_fits_nothing_is_refused(book, tiny, changes, complaint):
    with pytest.raises(PolicyError) as caught:
        take_override(book, tiny.course, replace(Override("ada", "hwx", 0, "x"), **changes))
    assert complaint in str(caught.value)
    assert book.decisions.overrides() == []


def test_settling_twice_gives_the_same(book, tiny):
    write_policy(tiny, f"late_days = 1\n{TEN}")
    book.remember_owners({"ada": owner(3)})
    settled = [list(settle(book, tiny.course).grades()) for _ in range(2)]
    assert settled[0] == settled[1]


def test_a_student_whose_id_is_the_address_is_one_student(book):
    book.remember_owners({"ada": Owner("ada@x.edu", "Ada", email="ada@x.edu"), "bob": None})
    assert Names(book).find("ada@x.edu") == "ada"


def test_points_by_hand_for_what_was_handed_in_add_no_second_homework(book, tiny):
    book.decisions.override(Override("ada", "hwx", 4, "shown in the lab"))
    book.keep(submission("zoe"), "c", "g")
    grades = {grade.name: grade for grade in settle(book, tiny.course).grades()}
    assert [homework.homework for homework in grades["ada"].homeworks] == ["hwx"]
    assert grades["ada"].earned == 4.0
    assert grades["zoe"].homeworks == ()


def test_extra_credit_leaves_the_maximum_of_what_was_not_handed_in(book, tiny):
    write_policy(tiny, '[homeworks.hwx]\nextra_credit = ["totals"]\n')
    book.keep(submission("cyd"), "c", "g")
    book.decisions.override(Override("cyd", "hwx", 4, "shown in the lab"))
    [cyd] = [grade for grade in settle(book, tiny.course).grades() if grade.name == "cyd"]
    [hwx] = cyd.homeworks
    assert (hwx.earned, hwx.points, hwx.bonus, hwx.extra_credit) == (4.0, 3.0, 1.0, ("totals",))


def test_a_homework_that_the_course_no_longer_has_keeps_its_points(book, tiny):
    write_policy(tiny)
    old_homework = homework(homework="gone", status=Status.NOT_SUBMITTED, checks=())
    book.keep(submission("cyd", old_homework), "c", "g")
    [cyd] = [grade for grade in settle(book, tiny.course).grades() if grade.name == "cyd"]
    assert [(homework.homework, homework.earned, homework.points) for homework in cyd.homeworks] == [
        ("gone", 0.0, 5.5)
    ]


def test_a_time_that_names_a_student_with_two_submissions_is_listed_as_one_that_counts_for_nobody(book, tiny):
    book.remember_owners({"ada": Owner("1", "Ada"), "bob": Owner("1", "Ada")})
    book.decisions.set_times({("1", ""): DUE})
    one = "'1' has the submissions ada and bob"
    assert f"a submission time applies to nobody: {one}" in remarks_on(book, tiny)
    book.decisions.set_times({("id:1", ""): DUE})
    two = f"{one} and 'id:1'{one[3:]}"
    assert f"a submission time applies to nobody (such cases: 2): {two}" in remarks_on(book, tiny)


def test_an_extension_or_time_that_may_mean_two_students_is_listed_and_counts_for_nobody(book, tiny):
    write_policy(tiny)
    book.remember_owners({"ada": Owner("bob", "Ada", DUE + dt.timedelta(hours=30)), "bob": owner(2)})
    before = earned(book, tiny)
    book.decisions.set_extensions({("bob", "hwx"): DUE + dt.timedelta(days=9)})
    book.decisions.set_times({("bob", "hwx"): DUE})
    assert earned(book, tiny) == before
    lines = [
        line for line in remarks_on(book, tiny) if "applies to nobody: 'bob' may mean the submissions" in line
    ]
    assert [line.split()[1] for line in lines] == ["extension", "submission"]


# Late days

RULES = {
    "hw1": Rules(due=DUE),
    "hw2": Rules(due=DUE + dt.timedelta(days=7)),
    "hw3": Rules(due=DUE + dt.timedelta(days=14)),
    "free": Rules(),
}
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No test depends on how fast the machine is."""
hours = st.floats(min_value=-100, max_value=1000, allow_nan=False)


def after(hours):
    return DUE + dt.timedelta(hours=hours)


@pytest.mark.parametrize(
    ("hours", "days"), [(-1, 0), (0, 0), (0.001, 1), (1, 1), (24, 1), (24.01, 2), (48, 2), (240.5, 11)]
)
def test_each_day_that_has_begun_counts(hours, days):
    assert days_late(after(hours), RULES["hw1"]) == days


def test_grace_moves_the_beginning_of_every_day():
    rules = Rules(due=DUE, grace_minutes=15)
    assert [days_late(after(hours), rules) for hours in (0.25, 0.26, 24.25, 24.26)] == [0, 1, 1, 2]


def test_what_is_not_due_is_never_late():
    assert days_late(after(9999), Rules()) == 0


def test_a_time_in_another_zone_is_the_same_time():
    tokyo = dt.timezone(dt.timedelta(hours=9))
    assert days_late(after(1).astimezone(tokyo), RULES["hw1"]) == 1


def hand(homework, hours, student="ada", submission="ada"):
    return Handed(student, submission, homework, after(hours), RULES[homework])


def used(budget, *handed, spent=None):
    sentences = spend(handed, budget, spent or {})
    return {homework: late.used for (_, homework), late in sentences.items()}


def test_late_days_are_spent_in_the_order_of_submission_time():
    """The second homework comes in before the first, and takes the days."""
    assert used(2, hand("hw1", 24 * 20), hand("hw2", 24 * 9)) == {"hw1": 0, "hw2": 2}


def test_at_one_time_the_earlier_due_date_comes_first():
    assert used(8, hand("hw2", 24 * 8), hand("hw1", 24 * 8)) == {"hw1": 8, "hw2": 0}


def test_a_hand_in_takes_what_is_left_of_the_budget():
    late = spend([hand("hw1", 70)], 2, {})["ada", "hw1"]
    assert (late.days, late.used, late.submitted_at) == (3, 2, after(70))


def test_days_spent_elsewhere_are_gone_and_never_more_than_all():
    assert used(3, hand("hw1", 70), spent={"ada": 2, "bob": 3}) == {"hw1": 1}
    assert used(3, hand("hw1", 70), spent={"ada": 9}) == {"hw1": 0}


def test_each_student_has_a_budget_of_their_own_over_all_their_submissions():
    sentences = spend(
        [hand("hw1", 20, "1", "ada-a"), hand("hw2", 24 * 8, "1", "ada-b"), hand("hw1", 20, "2", "bob")],
        1,
        {},
    )
    assert {key: late.used for key, late in sentences.items()} == {
        ("ada-a", "hw1"): 1,
        ("ada-b", "hw2"): 0,
        ("bob", "hw1"): 1,
    }


@calm
@given(st.dictionaries(st.sampled_from(sorted(RULES)), hours), st.integers(0, 20))
def test_never_more_days_are_spent_than_late_nor_than_the_budget(when, budget):
    sentences = spend([hand(homework, hour) for homework, hour in when.items()], budget, {})
    assert all(0 <= late.used <= late.days for late in sentences.values())
    assert sum(late.used for late in sentences.values()) == min(
        budget, sum(one.days for one in sentences.values())
    )


@calm
@given(st.lists(hours, min_size=1, max_size=6), st.integers(0, 9), st.randoms())
def test_the_order_in_the_list_does_not_matter(when, budget, random):
    handed = [hand("hw1", hour, submission=str(number)) for number, hour in enumerate(when)]
    shuffled = list(handed)
    random.shuffle(shuffled)
    assert spend(handed, budget, {}) == spend(shuffled, budget, {})


@calm
@given(st.lists(hours, min_size=1, max_size=4), st.integers(0, 9), st.floats(0, 500))
def test_a_later_hand_in_never_has_fewer_days_to_pay_for(when, budget, more):
    others = [hand("hw1", hour, submission=str(number)) for number, hour in enumerate(when[1:])]
    paid = [
        (late := spend([*others, hand("hw1", hour)], budget, {})["ada", "hw1"]).days - late.used
        for hour in (when[0], when[0] + more)
    ]
    assert paid[0] <= paid[1]


DUE_ON_GRADESCOPE = dt.datetime(2027, 3, 1, 12, tzinfo=dt.timezone(-dt.timedelta(hours=8)))
OF_THE_HOMEWORK = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
TABLE = "submission,due\nS1@x.edu,2027-03-09T12:00:00Z\nS9@x.edu,2027-04-09T12:00:00Z\n"


@pytest.fixture
def book_of_platform(tmp_path):
    with open_gradebook(tmp_path / "out") as opened:
        opened.keep(submission("submission", homework()), "c", "g")
        yield opened


@pytest.fixture
def settled(book_of_platform, tiny, tmp_path):
    def settled(rules, table="", hours=30, days=(0,), due=DUE_ON_GRADESCOPE):
        def date(more):
            return due and (due + dt.timedelta(hours=more)).isoformat()

        users = [
            {"email": f"s{number}@x.edu", "id": number, "assignment": {"due_date": date(more)}}
            for number, more in enumerate(days, 1)
        ]
        at = (due or OF_THE_HOMEWORK) + dt.timedelta(hours=hours)
        metadata = {"created_at": at.isoformat(), "assignment": {"due_date": date(0)}, "users": users}
        (tmp_path / "metadata.json").write_text(json.dumps(metadata), "utf-8")
        (tiny.course.root / "policy.toml").write_text(rules, "utf-8")
        if table:
            (tiny.course.root / "extensions.csv").write_text(table, "utf-8")
        take_metadata(book_of_platform, tiny.course, ["submission"], tmp_path / "metadata.json")
        [result] = settle(book_of_platform, tiny.course).grades()
        return result.homeworks[0]

    return settled


@pytest.mark.parametrize(
    ("earned", "rules", "more"),
    [
        (1.0, TEN, {"hours": -1}),
        (0.8, TEN, {}),
        (1.0, f"{TEN}grace_minutes = 60", {"hours": 0.9}),
        (0.7, f"{TEN}[homeworks.hwx]\ndue = 2027-02-28T18:00:00Z", {}),
        (0.9, TEN, {"hours": 1, "due": None}),
        (1.0, TEN, {"days": [48]}),
        (0.9, TEN, {"days": [0, 10]}),
        (1.0, TEN, {"table": TABLE}),
        (0.8, TEN, {"table": TABLE.replace("S1", "S2")}),
        (1.0, TEN, {"table": TABLE.replace("S1", "S2"), "days": [0, 10]}),
        (1.0, TEN, {"table": TABLE.replace("03-09", "03-02"), "days": [48]}),
    ],
)
def test_lateness_is_counted_from_the_due_date_that_holds(settled, earned, rules, more):
    """That of the policy, else Gradescope's, else the homework's; or the latest extension of a member."""
    assert settled(rules, **more).earned == pytest.approx(earned)


def test_late_days_are_counted_as_if_none_were_used_elsewhere_and_that_is_said(settled):
    result = settled(f"{TEN}late_days = 1")
    assert result.earned == pytest.approx(0.9)
    assert any("another homework" in note for note in result.notes)
    assert not settled(TEN).notes


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"created_at": "2027-03-01T12:00:00", "assignment": {}, "users": []}']
)
def test_metadata_that_cannot_be_read_is_an_error(book_of_platform, tiny, tmp_path, text):
    path = tmp_path / "submission_metadata.json"
    path.write_text(text, "utf-8")
    with pytest.raises(PolicyError, match=r"submission_metadata\.json"):
        take_metadata(book_of_platform, tiny.course, ["submission"], path)


def test_an_address_that_nobody_gave_is_nobodys(book_of_platform, tiny, tmp_path):
    path = tmp_path / "metadata.json"
    metadata = {
        "created_at": DUE_ON_GRADESCOPE.isoformat(),
        "assignment": {},
        "users": [{"email": None, "assignment": None}],
    }
    path.write_text(json.dumps(metadata), "utf-8")
    take_metadata(book_of_platform, tiny.course, ["submission"], path)
    assert book_of_platform.decisions.times() == {("submission", ""): DUE_ON_GRADESCOPE}
