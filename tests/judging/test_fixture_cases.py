"""Which cases a check gets when it asks, in grading and with students."""

import pytest
from wording import to_authors

from autograder.course.cases import Case, FunctionCall, Group
from autograder.verdict.fixtures import Cases
from autograder.verdict.known import KnownCase


def known(name, group, topic="values"):
    case = Case(name, FunctionCall(name.partition("/")[0], ()), topic, group=group)
    return KnownCase(case, 0.0, None, 1e-5)


PUBLISHED = known("double/printed", Group.PUBLISHED)
SMALL = known("double/small", Group.PUBLIC)
WIDE = known("double/wide", Group.HIDDEN)
LARGE = known("double/huge", Group.HIDDEN, "large")
FRESH = known("double/drawn", Group.FRESH)
FRESH_LARGE = known("double/drawn-huge", Group.FRESH, "large")
TOTALS = known("totals/printed", Group.PUBLISHED)
KNOWN = (PUBLISHED, SMALL, WIDE, LARGE, FRESH, FRESH_LARGE, TOTALS)


def test_cases_are_picked_by_task_group_and_topic():
    cases = Cases(KNOWN)
    assert cases.published("double") == [PUBLISHED]
    assert cases.published("totals") == [TOTALS]
    assert cases.stored("double") == [SMALL, WIDE]
    assert cases.stored("double", "large") == [LARGE]
    assert cases.stored("double", None) == [SMALL, WIDE, LARGE]
    assert cases.fresh("double") == [FRESH, FRESH_LARGE]
    assert cases.fresh("double", "large") == [FRESH_LARGE]
    assert cases.stored("halve") == []
    assert cases.other_sizes("double") == [SMALL, WIDE, FRESH]
    assert cases.other_sizes("double", "large") == [LARGE, FRESH_LARGE]


def test_grading_misses_stored_or_fresh_cases_that_are_not_there():
    for lacking in ([PUBLISHED, SMALL], [PUBLISHED, FRESH]):
        with pytest.raises(LookupError, check=to_authors["case_groups.no-cases-of-double"]):
            Cases(lacking).other_sizes("double")


def test_students_have_the_public_cases_alone_and_miss_those():
    public = Cases([PUBLISHED, SMALL], public_only=True)
    assert public.other_sizes("double") == [SMALL]
    with pytest.raises(LookupError, check=to_authors["case_groups.no-cases-of-double-2"]):
        public.other_sizes("double", "large")


def test_a_case_is_found_by_its_label():
    assert Cases(KNOWN).labelled("double", "wide") is WIDE
    assert Cases(KNOWN).labelled("totals", "wide") is None


def test_a_case_knows_its_task_its_label_and_its_arguments():
    wide = KnownCase(Case("double/wide", FunctionCall("double", (3,))), 6.0, None, 1e-5)
    assert (wide.case.task, wide.case.label, wide.arguments) == ("double", "wide", (3,))
