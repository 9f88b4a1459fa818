"""Answering is never worse than leaving out, whatever the policy; a bonus leaves the maximum."""

import datetime as dt
from dataclasses import replace

import pytest
from asked import asking, questions
from hypothesis import given
from hypothesis import strategies as st
from results import homework

from autograder.course.homework import THEORY
from autograder.gradebook.decisions import Comment, Mark, Override
from autograder.policy.points import Decided, adjust
from autograder.policy.policy import Lateness, Rules
from autograder.sandbox.report import Answer
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.theory import judge_theory

CODE = 10
DUE = dt.datetime(2027, 2, 5, 23, 59, tzinfo=dt.UTC)
IDS = ("shape", "total", "why")
points = st.integers(0, CODE).map(float)
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
def decisions(draw):
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
        "overrides": [Override("ada", "hwx", draw(points), "read", **override) for override in overrides],
        "comments": [
            Comment("", "ada", "hwx", task, "See me.", draw(st.none() | points)) for task in comments
        ],
    }


def settled(suite, result, decided, *marks):
    rules = decided["rules"]
    bonus = () if suite.counted else (THEORY,)
    own_rules = replace(rules, extra_credit=(*rules.extra_credit, *bonus))
    return adjust(result, Decided(**{**decided, "rules": own_rules}, marks=marks, questions=IDS))


@given(points, ANSWERS, decisions(), st.none() | st.floats(0, 2))
def test_an_answer_never_lowers_a_score_nor_changes_the_maximum(suite, earned, answers, decided, marked):
    without = settled(suite, handed_in(suite, earned, Answer(not_defined=True)), decided)
    handed = handed_in(suite, earned, Answer(value=answers))
    is_written = any(check.outcome is Outcome.COLLECTED for check in handed.checks)
    after = settled(suite, handed, decided, *[Mark("ada", "hwx", "why", marked, 2.0)] * is_written)
    assert after.points == without.points
    assert after.earned is not None
    assert without.earned is not None
    assert after.earned >= without.earned - 1e-6


@given(points, decisions())
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
