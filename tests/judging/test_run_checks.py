import pytest
from wording import to_students

from autograder.course.homework import CourseError
from autograder.sandbox.report import LayerRefusedError
from autograder.verdict.checks import Check, CheckResult, Outcome, run_checks
from autograder.verdict.failure import CheckFailed, Failure, FailureKind
from autograder.verdict.fixtures import Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored

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
    assert "test_run_checks.py:" in first_line
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
