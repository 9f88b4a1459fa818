"""Checks of a homework: how they are found and run, and what the lines of a test may be."""

from types import ModuleType

import numpy as np
import pytest
from tiny import CHECKS_FILE
from wording import to_authors, to_students

from autograder.course.schema import CourseError
from autograder.otter.recorded_tests import same_text
from autograder.sandbox.report import LayerRefusedError
from autograder.verdict import checks as mark
from autograder.verdict.checks import Check, CheckResult, Outcome, check, load_checks, read_checks, run_checks
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Fixtures, SubmissionProxy
from autograder.verdict.for_checks.scripts import as_objects, scripted
from autograder.verdict.interface import Restored
from autograder.worker.composites import Composite
from autograder.worker.wire import Unsendable


def make(name, points=3, task="double", requires=(), doc="It works."):
    """Return a check function of one fixture."""

    def function(submission): ...

    function.__name__ = f"test_{name}"
    function.__doc__ = doc
    return check(task=task, points=points, requires=requires)(function)


TOTALS = make("totals", 2.5, "totals")


@pytest.fixture
def load(tiny, monkeypatch):
    """Load hidden checks that are these functions."""

    def load(*functions):
        module = ModuleType("test_hwx")
        vars(module).update({function.__name__: function for function in functions})
        monkeypatch.setattr(mark, "load_module", lambda path: module)
        return load_checks(tiny.homework)

    return load


def test_checks_come_in_their_order_with_all_that_the_mark_says(tiny):
    first, second, third = load_checks(tiny.homework)
    assert [check.name for check in (first, second, third)] == ["double_published", "double_sizes", "totals"]
    assert (second.task, second.points, second.requires) == ("double", 2, ("double_published",))
    assert second.sentence == to_authors["checks.double-works-for-any-number"]
    assert second.function.__name__ == "test_double_sizes"


def test_a_docstring_of_several_lines_becomes_one(load):
    [first, _] = load(make("a", doc="It works\n\n    for any   size.\n    "), TOTALS)
    assert first.sentence == "It works for any size."


def test_helpers_beside_the_checks_are_no_checks(load):
    def helper(anything): ...

    assert len(load(make("a"), helper, TOTALS)) == 2


def test_a_homework_without_checks_is_told_where_they_belong(tiny):
    (tiny.folder / CHECKS_FILE).unlink()
    with pytest.raises(CourseError, check=to_authors["checks.missing"]):
        load_checks(tiny.homework)


def test_checks_that_do_not_run_are_told_with_their_line(tiny):
    (tiny.folder / CHECKS_FILE).write_text("\nimport nummpy\n", "utf-8")
    with pytest.raises(CourseError, match=rf"{CHECKS_FILE}, line 2: ModuleNotFoundError: .*nummpy"):
        load_checks(tiny.homework)


def unmarked(submission):
    """It works."""


unmarked.__name__ = "test_unmarked"


@check(task="double", points=3)
def with_own_fixture(submission, tmp_path):
    """It works."""


with_own_fixture.__name__ = "test_with_own_fixture"


@pytest.mark.parametrize(
    ("functions", "complaint"),
    [
        ((check(task="double", points=1)(make("twice")), TOTALS), "test_twice needs exactly one @check"),
        ((unmarked, TOTALS), "test_unmarked needs exactly one @check"),
        ((make("a", doc=None), TOTALS), "test_a needs a docstring"),
        ((make("a", doc="  \n "), TOTALS), "test_a needs a docstring"),
        ((with_own_fixture, TOTALS), "takes only cases, compare, submission"),
        ((make("a", 2), TOTALS), "the checks of double give 2 points, but homework.toml says 3"),
        ((make("a"), make("b"), TOTALS), "the checks of double give 6 points"),
        ((make("a"),), "the checks of totals give 0 points, but homework.toml says 2.5"),
        ((make("a"), TOTALS, make("b", 1, "dobule")), "hwx: homework.toml has no task named 'dobule'"),
        ((make("a", 4), make("b", -1), TOTALS), "check b has points = -1"),
        (
            (make("a", requires=("nothing",)), TOTALS),
            r"check a requires \['nothing'\], not defined before it",
        ),
        ((make("a", requires=("totals",)), TOTALS), r"check a requires \['totals'\], not defined before it"),
        ((make("a", requires=("a",)), TOTALS), r"check a requires \['a'\]"),
    ],
)
def test_checks_that_do_not_fit_are_refused(load, functions, complaint):
    with pytest.raises(CourseError, match=complaint):
        load(*functions)


def test_something_else_named_like_a_check_is_refused():
    with pytest.raises(CourseError, check=to_authors["checks.test_sizes-needs-exactly-one"]):
        read_checks("test_hwx", {"test_sizes": (2, 3)})


def test_fractions_of_points_may_add_up_inexactly(load, tiny):
    tiny.edit("homework.toml", "points = 3\n", "points = 0.3\n")
    assert len(load(make("a", 0.1), make("b", 0.1), make("c", 0.1), TOTALS)) == 4


def test_a_failed_check_carries_its_finding_and_reads_as_its_reason():
    finding = Failure(FailureKind.SHAPE, "The shape is wrong.", "hidden/double/wide")
    failure = CheckFailed(finding)
    assert str(failure) == "The shape is wrong."
    assert failure.failure is finding
    assert isinstance(failure, AssertionError)


SUBMISSION = SubmissionProxy(Restored({}), dict, tuple, lambda calls: [])
FIXTURES = Fixtures(SUBMISSION, "the cases", "the comparison")
FINDING = Failure(
    FailureKind.VALUES, "2 of 3 numbers are wrong.", "hidden/double/wide", ("no-scaling", "hardmax")
)


def check_of(name, function, *requires, points=2.0):
    return Check(name, "double", points, f"{name} works.", requires, function)


def passes(): ...


def fails():
    raise CheckFailed(FINDING)


def run(*checks):
    return run_checks(checks, FIXTURES)


def test_a_check_that_returns_has_passed_and_earns_its_points():
    assert run(check_of("a", passes)) == [CheckResult("a", "double", "a works.", 2.0, Outcome.PASSED)]
    assert run(check_of("a", passes))[0].earned == 2.0


def test_a_failed_check_keeps_words_for_student_and_staff_and_labels():
    [result] = run(check_of("a", fails))
    assert (result.outcome, result.earned) == (Outcome.FAILED, 0.0)
    assert (result.reason, result.staff) == (FINDING.student, FINDING.staff)
    assert result.misconceptions == ("no-scaling", "hardmax")


def test_a_plain_assertion_fails_with_its_message():
    def asserts():
        raise AssertionError("the norms are shared")

    [result] = run(check_of("a", asserts))
    assert (result.outcome, result.reason, result.staff) == (Outcome.FAILED, "the norms are shared", "")


def test_a_plain_assertion_without_message_still_has_a_reason():
    def asserts():
        raise AssertionError

    assert run(check_of("a", asserts))[0].reason == to_students["check_results.assertion-of-this-check"]


def test_pytest_fail_fails_with_its_message():
    assert run(check_of("a", lambda: pytest.fail("the norms are shared")))[0].reason == "the norms are shared"


@pytest.mark.parametrize(
    "error", [KeyError("x"), LookupError("no case"), TypeError(), RecursionError(), CourseError("gone")]
)
def test_a_check_that_raises_anything_else_is_not_judged_and_the_others_are(error):
    def breaks():
        raise error

    broken, other = run(check_of("a", breaks), check_of("b", passes))
    assert (broken.outcome, broken.earned, broken.misconceptions) == (Outcome.NOT_JUDGED, 0.0, ())
    assert broken.reason == to_students["check_results.not-judged"]
    first_line = broken.staff.partition("\n")[0]
    assert first_line.startswith(type(error).__name__)
    assert "test_checks.py:" in first_line
    assert first_line.endswith("after the answer to no answer yet")
    assert (other.outcome, other.earned) == (Outcome.PASSED, 2.0)


@pytest.mark.parametrize("error", [MemoryError, LayerRefusedError])
def test_what_has_a_meaning_of_its_own_is_no_fault_of_the_check(error):
    def breaks():
        raise error

    with pytest.raises(error):
        run(check_of("a", breaks))


@pytest.mark.parametrize("leave", [pytest.skip, pytest.xfail])
def test_a_check_that_skips_is_not_judged_and_stops_no_batch(leave):
    [result] = run(check_of("a", lambda: leave("not today")))
    assert result.outcome is Outcome.NOT_JUDGED
    assert to_students["check_results.a-neither-skips-nor-expects"] in result.staff


def test_what_requires_a_check_that_was_not_judged_is_not_judged_either():
    def breaks():
        raise KeyError("x")

    def never():
        raise RuntimeError("this check must not run")

    results = run(
        check_of("a", breaks), check_of("b", never, "a"), check_of("c", never, "b"), check_of("d", passes)
    )
    assert [result.outcome for result in results] == ["not_judged", "not_judged", "not_judged", "passed"]
    assert [result.staff for result in results[1:3]] == [
        "it requires a, which was not judged",
        "it requires b, which was not judged",
    ]


def test_what_requires_a_failed_check_as_well_is_not_run_whatever_the_other_would_say():
    def breaks():
        raise KeyError("x")

    results = run(check_of("a", breaks), check_of("b", fails), check_of("c", passes, "a", "b"))
    assert results[2].outcome is Outcome.NOT_RUN
    assert "b works." in results[2].reason


def test_a_check_gets_the_fixtures_it_names_and_no_others():
    arguments = []

    def all_three(compare, submission, cases):
        arguments.append({"submission": submission, "cases": cases, "compare": compare})

    def only_cases(cases):
        arguments.append({"cases": cases})

    run(check_of("a", all_three), check_of("b", only_cases), check_of("c", passes))
    assert arguments == [
        {"submission": SUBMISSION, "cases": "the cases", "compare": "the comparison"},
        {"cases": "the cases"},
    ]


def test_a_check_whose_prerequisite_failed_is_not_run_and_says_why():
    def never():
        raise RuntimeError("this check must not run")

    _, blocked = run(check_of("sizes", fails), check_of("fresh", never, "sizes"))
    assert (blocked.outcome, blocked.earned) == (Outcome.NOT_RUN, 0.0)
    assert blocked.reason == to_students["check_results.not-run-because-sizes-works"]
    assert (blocked.staff, blocked.misconceptions) == ("", ())


def test_a_check_that_was_not_run_blocks_those_that_require_it():
    results = run(
        check_of("a", fails), check_of("b", passes, "a"), check_of("c", passes, "b"), check_of("d", passes)
    )
    assert [result.outcome for result in results] == ["failed", "not_run", "not_run", "passed"]
    assert "b works." in results[2].reason


def test_all_prerequisites_must_pass_and_the_first_missing_one_is_named():
    results = run(
        check_of("a", passes),
        check_of("b", fails),
        check_of("c", fails),
        check_of("d", passes, "a", "b", "c"),
    )
    assert "b works." in results[3].reason
    assert (
        run(check_of("a", passes), check_of("b", passes), check_of("c", passes, "a", "b"))[2].outcome
        is Outcome.PASSED
    )


def test_results_keep_the_order_of_the_checks():
    assert [
        result.check for result in run(check_of("z", passes), check_of("a", fails), check_of("m", passes))
    ] == [
        "z",
        "a",
        "m",
    ]


TEXT = "Test 1 does not pass."


@pytest.mark.parametrize(
    ("shows", "value"),
    [
        ("True", True),
        ("True", np.True_),
        ("9", np.int64(9)),
        ("9.0", np.float64(9)),
        ("np.float64(0.25)", 0.25),
        ("array([1., 2.])", np.array([1.0, 2.0])),
        ("'match maker'", "match maker"),
        ("['x', 'y']", ["x", "y"]),
        ("", None),
    ],
)
def test_lines_pass_that_show_the_same(shows, value):
    with scripted(shows, TEXT) as (show, _):
        show(value)


@pytest.mark.parametrize(
    ("shows", "value"),
    [
        ("True", False),
        ("9", 9.0001),
        ("19.99909998", 19.99909999),
        ("'match maker'", "matchmaker"),
        ("'a 1'", "a 1.0"),
        ("['x', 'y']", ["y", "x"]),
        ("array([1, 2])", [1, 2]),
        ("array([1, 2])", np.array([12])),
        ("", 3),
        ("None", None),
    ],
)
def test_lines_fail_that_show_something_else(shows, value):
    with pytest.raises(CheckFailed) as failed, scripted(shows, TEXT) as (show, _):
        show(value)
    assert failed.value.failure.student == TEXT


def test_numbers_next_to_each_other_are_not_one_number():
    for shows, text in (("[1 2]", "[12]"), ("[1 23]", "[12 3]"), ("3\n4", "34")):
        assert not same_text(shows, text)
        with pytest.raises(CheckFailed), scripted(shows, TEXT) as (_, print_text):
            print_text(text)
    assert same_text("[ 1  23]", "[1 23]")


def test_what_is_printed_counts_and_stays_unseen(capsys):
    with scripted("a-b\n'None'", TEXT) as (show, print_text):
        print_text("a", "b", sep="-")
        show("None")
    with pytest.raises(CheckFailed), scripted("", TEXT) as (_, print_text):
        print_text("not sorted")
    assert capsys.readouterr().out == ""


def test_an_assertion_and_an_exception_of_the_test_fail_the_answer():
    value = "text"
    with pytest.raises(CheckFailed) as failed, scripted("", TEXT):
        assert value == 3
    assert failed.value.failure.student == TEXT
    with pytest.raises(CheckFailed) as failed, scripted("True", TEXT) as (show, _):
        show(value < 3)
    assert failed.value.failure.student == f"{TEXT} It stops with TypeError."


@pytest.mark.parametrize(
    "hidden_in",
    [
        lambda value: value,
        lambda value: [1, (value,)],
        lambda value: {"a": value},
        lambda value: Composite("objects", {"dtype": "object", "items": [value]}),
        lambda value: Composite("set", {"items": [[1]]}),
        lambda value: Composite("series", {"values": [1, 2], "index": [1]}),
        lambda value: Unsendable("an object"),
    ],
)
def test_an_answer_is_never_code(hidden_in):
    source = "raise SystemExit('the answer ran')"
    function = Composite("function", {"name": "f", "source": source, "first": []})
    with pytest.raises(CheckFailed):
        as_objects(hidden_in(function))


def test_answers_are_the_objects_that_they_stand_for():
    answer = [np.array(2.5), {"a": np.array(1)}, Composite("set", {"items": [1, 2]}), np.array([3])]
    number, dictionary, items, array = as_objects(answer)
    assert isinstance(number, float)
    assert dictionary == {"a": 1}
    assert items == {1, 2}
    assert isinstance(array, np.ndarray)
