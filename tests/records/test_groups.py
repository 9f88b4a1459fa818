"""Groups of wrong answers in the gradebook: who is in which, under which name, and for how long."""

import time
from dataclasses import replace

import pytest
from results import FAILED, PASSED, homework, submission

from autograder.gradebook.opening import open_gradebook
from autograder.report.answer_groups import examples_of, function_in, groups_of
from autograder.verdict.work import Behaviour, Work

ONE = Behaviour("double", "f0", (0.0, 1000.0, -2000.0))
NEAR = Behaviour("double", "f0", (0.0, 1001.0, -2001.0))
FAR = Behaviour("double", "f0", (0.0, 1001.0, -2010.0))


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path) as opened:
        yield opened


def keep(book, name, *behaviours, checks=(FAILED,), source=""):
    work = Work("hwx.py", source, behaviours=behaviours)
    book.keep(submission(name, homework(checks=checks, work=work)), "c", "g")


def members(book):
    return sorted(group.submissions for group in groups_of(book.groups))


def test_answers_that_are_the_same_are_one_group_the_largest_first(book):
    for name, behaviour in (("cyd", NEAR), ("bob", FAR), ("ada", ONE), ("dan", replace(ONE, form="f1"))):
        keep(book, name, behaviour)
    groups = groups_of(book.groups)
    assert [(group.size, group.submissions) for group in groups[:1]] == [(2, ("ada", "cyd"))]
    assert members(book) == [("ada", "cyd"), ("bob",), ("dan",)]
    assert {(group.homework, group.task) for group in groups} == {("hwx", "double")}
    assert all(group.id.startswith("hwx-double-") for group in groups)
    assert len({group.id for group in groups}) == 3


def test_groups_keep_their_names_when_submissions_come_again_and_change(book):
    keep(book, "ada", ONE)
    keep(book, "bob", FAR)
    before = {group.submissions: group.id for group in groups_of(book.groups)}
    keep(book, "ada", FAR)
    assert {group.id: group.submissions for group in groups_of(book.groups)} == {
        before["bob",]: ("ada", "bob")
    }
    keep(book, "ada", NEAR)
    assert {group.submissions: group.id for group in groups_of(book.groups)} == before
    keep(book, "ada", checks=(PASSED,))
    assert members(book) == [("bob",)]
    assert set(book.groups.tasks()) == set(before.values())


def test_equal_answers_get_the_same_name_in_another_gradebook(book, tmp_path):
    keep(book, "ada", ONE)
    with open_gradebook(tmp_path / "other") as other:
        keep(other, "bob", FAR)
        keep(other, "cyd", ONE)
        assert groups_of(book.groups)[0].id in {group.id for group in groups_of(other.groups)}


def test_names_of_which_the_first_digits_are_taken_get_more(book):
    keep(book, "ada", ONE)
    group_id = groups_of(book.groups)[0].id
    book.groups._execute("UPDATE behaviour_groups SET form = 'another'")
    keep(book, "bob", ONE)
    assert sorted(group.id.startswith(group_id) for group in groups_of(book.groups)) == [True, True]


def test_a_submission_that_is_forgotten_leaves_its_group(book):
    keep(book, "ada", ONE)
    keep(book, "bob", ONE)
    book.forget_missing({"bob": "c"}, "g", ())
    assert members(book) == [("bob",)]


def test_what_most_members_share_is_told(book):
    other = replace(FAILED, misconceptions=("hard-coded-size",), reason="too short")
    for name, check in (("ada", other), ("bob", FAILED), ("cyd", FAILED)):
        keep(book, name, ONE, checks=(PASSED, check))
    (group,) = groups_of(book.groups)
    assert group.misconceptions == ("hard-coded-size", "returns-tuple")
    assert (group.representative, group.reason) == ("bob", FAILED.reason)
    assert groups_of(book.groups, ["other"]) == []
    assert groups_of(book.groups, ["hwx"]) == [group]


def test_examples_are_codes_of_the_task_that_differ(book):
    for name, body in (
        ("ada", "x * 3"),
        ("bob", "x  * 3"),
        ("cyd", "3 * x"),
        ("dan", "4 * x"),
        ("eve", "5 * x"),
    ):
        keep(book, name, ONE, source=f"import numpy\n\ndef double(x):\n    return {body}\n\nprint(1)\n")
    examples = examples_of(groups_of(book.groups)[0], book.groups)
    assert [name for name, _ in examples] == ["ada", "cyd", "dan"]
    assert examples[0][1] == "def double(x):\n    return x * 3"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (
            "# In [1]\n%matplotlib inline\ndef f(x):\n    return x\n\n# In [2]\nthis is no Python",
            "def f(x):\n    return x",
        ),
        ("def f(x): return 1\n\n@cached\ndef f(x):\n    return 2", "@cached\ndef f(x):\n    return 2"),
        ("class f:\n    a = 1\nf.b = 2", "class f:\n    a = 1"),
        ("f = lambda x: x", ""),
        ("def f(x:", ""),
        ("def f(x):\n    return " + "(" * 5000, ""),
        ("def f(x):\n\0", ""),
    ],
)
def test_a_function_is_cut_from_its_file_or_cell(source, code):
    assert function_in(source, "f") == code


def test_names_that_no_file_should_have_are_kept(book):
    keep(book, "a\udc80\\b", ONE)
    assert members(book) == [("a\udc80\\b",)]


def test_thousands_of_wrong_answers_are_assigned_and_listed_quickly(book):
    started = time.perf_counter()
    for place in range(1000):
        sketch = tuple(float(place // 2 * 50 + entry) for entry in range(300))
        keep(book, f"s{place}", Behaviour("double", "f0", sketch))
    assert len(groups_of(book.groups)) == 500
    assert time.perf_counter() - started < 60
