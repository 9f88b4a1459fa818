from dataclasses import replace

import pytest
from results import FAILED, NOT_RUN, PASSED, homework, ours, submission

from autograder.sandbox.report import Status
from autograder.verdict.checks import Check, CheckResult, Outcome
from autograder.verdict.failure import Failure, FailureKind
from autograder.verdict.results import UNWRITTEN, most_fundamental, reasons_without_repeats

MOST_URGENT_LAST = [
    Status.GRADED,
    Status.NOT_SUBMITTED,
    Status.IMPORT_FAILED,
    Status.INVALID_ANSWER,
    Status.CRASHED,
    Status.MEMORY_LIMIT,
    Status.TIME_LIMIT,
    Status.INFRASTRUCTURE_ERROR,
]


def test_only_passed_checks_earn_points():
    assert homework().earned == 1.0
    assert homework(checks=(PASSED, PASSED, FAILED, NOT_RUN)).earned == 2.0
    assert homework(checks=()).earned == 0.0


def test_fractions_of_points_add_up_without_dust():
    tenth = replace(PASSED, points=0.1)
    assert homework(checks=(tenth,) * 3).earned == 0.3
    assert submission("ada", *(homework(checks=(tenth,)) for _ in range(3))).earned == 0.3


def test_our_fault_earns_nothing_that_could_be_taken_for_a_grade():
    assert homework(status=Status.INFRASTRUCTURE_ERROR).earned is None
    assert submission("ada", homework(), ours()).earned is None
    assert submission("ada", homework(), fault="Traceback").earned is None


@pytest.mark.parametrize("status", MOST_URGENT_LAST[:-1])
def test_every_other_status_keeps_its_points(status):
    assert homework(status=status).earned == 1.0


def test_the_status_that_needs_most_attention_is_that_of_the_submission():
    assert set(MOST_URGENT_LAST) == set(Status)
    for position, status in enumerate(MOST_URGENT_LAST):
        others = [homework(status=kind) for kind in MOST_URGENT_LAST[: position + 1]]
        assert submission("ada", *others).status is status
        assert submission("ada", *reversed(others)).status is status


def test_nothing_found_is_not_submitted_with_no_points():
    assert (submission("ada").status, submission("ada").earned) == (Status.NOT_SUBMITTED, 0)


def test_a_fault_of_ours_comes_before_everything_else():
    assert (
        submission("ada", homework(status=Status.CRASHED), fault="Traceback").status
        is Status.INFRASTRUCTURE_ERROR
    )
    assert submission("ada", fault="Traceback").status is Status.INFRASTRUCTURE_ERROR


def test_a_homework_is_found_by_its_id():
    result = submission("ada", homework(), homework(homework="hwy"))
    assert result.homework("hwy") is result.homeworks[1]
    assert result.homework("hwz") is None


def failing(name, kind, cause, *labels, reason="Why."):
    sentence = f"{name} works."
    check = CheckResult(name, name.partition("_")[0], sentence, 1.0, Outcome.FAILED, reason, "", labels)
    return replace(check, kind=str(kind), cause=cause)


def test_a_reason_is_told_once_and_says_where_else_it_holds():
    checks = [
        failing("a_published", FailureKind.VALUES, "x", "no-scaling", reason="Divide. (2 of 4.)"),
        failing("a_sizes", FailureKind.VALUES, "x", "no-scaling", reason="Divide. (6 of 9.)"),
        failing("b_sizes", FailureKind.VALUES, "x", "no-scaling", reason="Divide. (1 of 3.)"),
        PASSED,
        NOT_RUN,
    ]
    assert reasons_without_repeats(checks) == {
        "a_published": "Divide. (2 of 4.) Also in 2 more checks of `a`, `b`.",
        "a_sizes": "Same reason as for “a_published works”.",
        "b_sizes": "Same reason as for “a_published works”.",
        PASSED.check: "",
        NOT_RUN.check: NOT_RUN.reason,
    }


@pytest.mark.parametrize(
    ("cause", "other"),
    [
        (
            failing("a", FailureKind.VALUES, "x", "no-scaling"),
            failing("b", FailureKind.VALUES, "y", "no-scaling"),
        ),
        (failing("a", FailureKind.RAISED, ""), failing("b", FailureKind.RAISED, "")),
        (
            failing("a", FailureKind.VALUES, "x", "no-scaling"),
            failing("b", FailureKind.VALUES, "x", "scale-by-d"),
        ),
    ],
    ids=["another cause", "no cause known", "another mistake"],
)
def test_what_may_have_another_cause_is_told_by_itself(cause, other):
    assert reasons_without_repeats([cause, other]) == {"a": "Why.", "b": "Why."}


def test_what_explains_numbers_is_one_cause_and_numbers_alone_are_none():
    check = Check("a", "a", 1.0, "a works.", (), lambda: None)
    failure = Failure(FailureKind.VALUES, "Divide.", misconceptions=("no-scaling",))
    explained = Failure(FailureKind.VALUES, "2 of 4.", misconceptions=("no-scaling",)).explained_by("Divide.")
    alone = Failure(FailureKind.VALUES, "2 of 4 numbers are wrong.")
    assert check.failed(failure).cause == check.failed(explained).cause != ""
    assert check.failed(alone).cause == check.failed(replace(alone, kind=FailureKind.NOT_FINITE)).cause == ""
    assert check.failed(replace(alone, kind=FailureKind.SHAPE)).cause


def test_what_stops_first_is_looked_at_first():
    stages = [FailureKind.VALUES, FailureKind.SHAPE, FailureKind.RAISED, FailureKind.NOT_DEFINED]
    checks = [failing(f"a_{number}", kind, str(kind)) for number, kind in enumerate(stages)]
    looked_at = []
    while (first := most_fundamental([PASSED, NOT_RUN, *checks])) is not None:
        looked_at.append(first.kind)
        checks.remove(first)
    assert looked_at == list(map(str, reversed(stages)))
    alike = [failing("a", FailureKind.SHAPE, "x"), failing("b", FailureKind.SHAPE, "y")]
    assert most_fundamental(alike) is alike[0]


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind not in UNWRITTEN])
def test_the_task_on_which_others_depend_is_looked_at_first_at_whatever_stage_it_stopped(kind):
    earlier, raised = failing("a_sizes", kind, "x"), failing("b_sizes", FailureKind.RAISED, "y")
    assert most_fundamental([earlier, raised]) is earlier


def test_within_one_reason_the_first_task_is_looked_at_first_at_whatever_stage_it_stopped():
    published, sizes = (
        failing(f"a_{kind}", FailureKind.VALUES, "x", "query-key-swapped") for kind in ("sizes", "more")
    )
    raised = failing("b_sizes", FailureKind.RAISED, "x", "query-key-swapped", reason="It raised.")
    assert most_fundamental([published, sizes, raised]) is published
    assert most_fundamental([published, replace(raised, cause="y")]) is published
    told_checks = reasons_without_repeats([published, sizes, raised])
    assert told_checks["a_sizes"] == "Why. Also in 2 more checks of `a`, `b`."
    assert told_checks["b_sizes"] == "Same reason as for “a_sizes works”."


UNWRITTEN_KINDS = [FailureKind.NOT_DEFINED, FailureKind.NOT_WRITTEN]


@pytest.mark.parametrize("unwritten", UNWRITTEN_KINDS)
@pytest.mark.parametrize("kind", [FailureKind.RAISED, FailureKind.SHAPE, FailureKind.VALUES])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_written_and_fails_is_looked_at_before_what_is_not_written(unwritten, kind, is_first):
    missing = failing("softmax_sizes", unwritten, "x")
    wrong = failing("scores_sizes", kind, "y", reason="`scores` raised ValueError at line 3: `return Q @ K`.")
    assert most_fundamental([missing, wrong] if is_first else [wrong, missing]) is wrong
    assert most_fundamental([missing]) is missing


@pytest.mark.parametrize("unwritten", UNWRITTEN_KINDS)
def test_what_raises_because_another_task_is_missing_is_not_looked_at_first(unwritten):
    missing = failing("softmax_sizes", unwritten, "x")
    caller = failing(
        "flow_sizes", FailureKind.RAISED, "y", reason="`flow` raised NameError at line 9: `w = softmax(s)`."
    )
    assert most_fundamental([caller, missing]) is missing
    wrong = failing("scores_sizes", FailureKind.VALUES, "z")
    assert most_fundamental([caller, missing, wrong]) is wrong


def test_theory_questions_are_looked_at_after_what_is_not_written():
    theory = replace(failing("theory_heads", FailureKind.VALUES, ""), kind="")
    missing = failing("softmax_sizes", FailureKind.NOT_WRITTEN, "x")
    assert most_fundamental([missing, theory]) is missing
    assert most_fundamental([theory]) is theory


def test_the_kinds_stand_in_the_order_of_comparison():
    order = [
        FailureKind.NOT_DEFINED,
        FailureKind.RAISED,
        FailureKind.ARITY,
        FailureKind.SHAPE,
        FailureKind.DTYPE,
        FailureKind.NOT_FINITE,
        FailureKind.VALUES,
    ]
    assert [kind for kind in FailureKind if kind in order] == order
