"""What a check has at hand: cases, the submission, the comparison, and what names from outside explain."""

from dataclasses import replace

import numpy as np
import pytest
from wording import to_authors, to_students

from autograder.course.arguments import tensor
from autograder.course.calls import FunctionCall, ModuleCall, ReboundCall, object_call
from autograder.course.cases import Case, Group
from autograder.reasons.explain import Explainer
from autograder.sandbox.report import Answer, FunctionFacts, Stop, StudentError
from autograder.verdict.failure import NO_REASON, CheckFailed, FailureKind, Reason
from autograder.verdict.fixtures import Cases, Compare, SubmissionProxy
from autograder.verdict.interface import Restored, value_key
from autograder.verdict.known import KnownCase
from autograder.worker.wire import Tensor

X = np.array([1.0, 2.0, 3.0])
NOT_WRITTEN = Answer(error=StudentError("NotImplementedError", line=8))
NOT_DEFINED = Answer(not_defined=True)
RAISED = Answer(error=StudentError("ValueError", "shapes", "doubles.py", 4, "return x @ y"))


def known(
    label, group=Group.HIDDEN, task="double", topic="values", expected=2 * X, gradients=None, call=None
):
    case = Case(f"{task}/{label}", call or FunctionCall(task, (X,)), topic, group=group)
    return KnownCase(case, expected, gradients, 1e-5)


PUBLISHED = known("printed", Group.PUBLISHED)
SMALL = known("small", Group.PUBLIC, expected=2 * X[:2])
WIDE = known("wide")
LARGE = known("huge", topic="large")
FRESH = known("drawn", Group.FRESH)
FRESH_LARGE = known("drawn-huge", Group.FRESH, topic="large")
TOTALS = known("printed", Group.PUBLISHED, "totals", expected=(6.0, 6.0))
KNOWN = (PUBLISHED, SMALL, WIDE, LARGE, FRESH, FRESH_LARGE, TOTALS)


def nothing_asked(calls):
    """Raise where outside names are bound to sizes; other calls raise in the student's code."""
    if any(getattr(call, "sizes", None) for call in calls):
        raise AssertionError("no further call was expected")
    return [RAISED] * len(calls)


class Setup:
    """A comparison for the tiny homework whose submission answers as told, right where nothing is told."""

    def __init__(self, tiny):
        self.cases = Cases(KNOWN)
        self.diagnosed = []
        self.looked_at = {}
        self.diagnosis = NO_REASON
        self._homework = tiny.homework

    def proxy(self, *arrays, value=NOT_DEFINED, globals_read=(), sizes=None, ask=None, stops=()):
        answers = {known_case.case.id: Answer(value=known_case.expected) for known_case in KNOWN}
        answers |= {known_case.case.id: answer for known_case, answer in arrays} | {
            value_key("all_doubled"): value
        }
        facts = {"double": FunctionFacts(("x",), globals_read, sizes or {})}
        submission = SubmissionProxy(Restored(answers), lambda: facts, lambda: stops, ask or nothing_asked)
        submission.steady.add("double")  # nothing is kept from one call to the next
        return submission

    def compare(self, submission):
        def diagnose(task, answers, cases, *, pairs=True):
            self.diagnosed.append((task, pairs))
            self.looked_at = {known_case.case.id: answers[known_case.case.id] for known_case in cases}
            return self.diagnosis if pairs or len(self.diagnosis.labels) < 2 else NO_REASON

        return Compare(self._homework, submission, self.cases, Explainer(diagnose))

    def finding(self, submission, *cases):
        """What the comparison finds wrong."""
        with pytest.raises(CheckFailed) as caught:
            self.compare(submission)(cases)
        return caught.value.failure


@pytest.fixture
def setup(tiny):
    return Setup(tiny)


def right(value=None, **more):
    return Answer(value=2 * X if value is None else value, **more)


def wrong():
    return Answer(value=3 * X)


# Proxy


def test_the_proxy_gives_answers_values_and_facts():
    answer, value = right(), Answer(value=7)
    facts = {"double": FunctionFacts(("x",), ("N",))}
    proxy = SubmissionProxy(
        Restored({WIDE.case.id: answer, value_key("v"): value}), lambda: facts, tuple, nothing_asked
    )
    assert proxy.answer(WIDE) is answer
    assert proxy.value("v") is value
    assert proxy.facts("double").globals_read == ("N",)
    assert proxy.facts("unknown") == FunctionFacts()


def test_one_more_call_is_asked_of_the_worker():
    calls_asked = []

    def ask(calls):
        calls_asked.extend(calls)
        return [right()]

    call = FunctionCall("double", (X,))
    assert SubmissionProxy(Restored({}), dict, tuple, ask).call(call).is_usable
    assert calls_asked == [call]


def test_a_further_call_that_several_checks_need_is_made_once():
    calls_asked = []

    def ask(calls):
        calls_asked.extend(calls)
        return [right()]

    call = FunctionCall("double", (X,))
    proxy = SubmissionProxy(Restored({}), dict, tuple, ask)
    assert proxy.call_once("again", call) is proxy.call_once("again", call)
    assert calls_asked == [call]


def test_answers_with_and_without_earlier_calls_are_kept_apart_under_the_same_key():
    after_others, anew = right(), right()
    call = FunctionCall("double", (X,))
    proxy = SubmissionProxy(
        Restored({}), dict, tuple, lambda calls: [after_others], ask_anew=lambda calls: [anew]
    )
    for _ in range(2):
        [answer] = proxy.calls_once("again", [call])
        assert answer is after_others
        [answer] = proxy.calls_anew("again", [call])
        assert answer is anew


# Values


def test_right_answers_pass(setup):
    setup.compare(setup.proxy())([PUBLISHED, SMALL, WIDE, LARGE, FRESH])
    assert setup.diagnosed == []


def test_a_check_that_asks_for_no_case_is_a_fault_of_the_check(setup):
    compare = setup.compare(setup.proxy())
    for judge in (compare, compare.gradients, compare.unchanged):
        with pytest.raises(LookupError, match="no case at all"):
            judge([])


def test_the_first_wrong_case_gives_the_reason_and_the_staff_reads_all_of_them(setup):
    finding = setup.finding(setup.proxy((SMALL, right(X)), (LARGE, wrong())), PUBLISHED, SMALL, WIDE, LARGE)
    assert finding.kind is FailureKind.SHAPE
    assert finding.student == to_authors["fixtures.shape-of-the-doubled-numbers"]
    assert finding.staff.endswith("failed cases: public/double/small, hidden/double/huge (2 of 4)")


def test_the_student_reads_neither_case_names_nor_numbers_of_the_hidden_answer(setup):
    finding = setup.finding(setup.proxy((WIDE, wrong())), WIDE)
    assert "hidden" not in finding.student
    assert not any(str(number) in finding.student for number in (4.0, 6.0))


def test_parts_of_a_tuple_are_called_as_the_homework_calls_them(setup):
    finding = setup.finding(setup.proxy((TOTALS, Answer(value=(6.0, 7.0)))), TOTALS)
    assert "product" in finding.student


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (NOT_DEFINED, FailureKind.NOT_DEFINED, "`double` is not defined."),
        (NOT_WRITTEN, FailureKind.NOT_WRITTEN, "`double` stops at line 8"),
        (RAISED, FailureKind.RAISED, "`double` raised ValueError at line 4 of doubles.py: `return x @ y`."),
        (Answer(value=None), FailureKind.ARITY, "It returned nothing (None)"),
    ],
)
def test_a_call_without_a_value_is_told_as_such(setup, answer, kind, words):
    finding = setup.finding(setup.proxy((WIDE, answer)), WIDE)
    assert finding.kind is kind
    assert finding.student.startswith(words)


def test_a_missing_function_names_the_cell_that_stopped(setup):
    cells = [Stop(3, StudentError("NameError", line=2)), Stop(5, StudentError("TypeError"))]
    finding = setup.finding(setup.proxy((WIDE, NOT_DEFINED), stops=cells), WIDE)
    assert finding.student == to_authors["fixtures.double-is-not-defined-cell"]


# Reason


def test_a_known_mistake_is_named_before_the_numbers(setup):
    setup.diagnosis = Reason(("no-scaling",), "The numbers are tripled.")
    finding = setup.finding(setup.proxy((WIDE, wrong())), WIDE)
    assert finding.student.startswith("The numbers are tripled. (3 of 3 numbers")
    assert finding.misconceptions == ("no-scaling",)
    assert setup.diagnosed == [("double", False)]


def test_a_pair_of_mistakes_is_looked_for_after_single_ones(setup):
    setup.diagnosis = Reason(("triples", "adds-one"), "Tripled. And one is added.")
    finding = setup.finding(setup.proxy((WIDE, wrong())), WIDE)
    assert finding.misconceptions == ("triples", "adds-one")
    assert setup.diagnosed == [("double", False), ("double", True)]


def test_a_mistake_that_is_known_by_its_form_is_not_diagnosed_again(setup):
    finding = setup.finding(setup.proxy((WIDE, Answer(value=(2 * X,)))), WIDE)
    assert finding.misconceptions == ("returns-tuple",)
    assert setup.diagnosed == []


@pytest.mark.parametrize("answer", [NOT_DEFINED, NOT_WRITTEN, Answer(error=StudentError("TimeLimit"))])
def test_what_brought_no_numbers_to_compare_is_not_diagnosed(setup, answer):
    setup.diagnosis = Reason(("no-scaling",), "The numbers are tripled.")
    finding = setup.finding(setup.proxy((WIDE, answer)), WIDE)
    assert "no-scaling" not in finding.misconceptions


# A value in place of a function


@pytest.mark.parametrize("answer", [NOT_DEFINED, NOT_WRITTEN])
def test_a_value_counts_for_every_case_where_the_function_is_missing_or_still_a_stub(setup, answer):
    submission = setup.proxy((PUBLISHED, answer), (WIDE, answer), (FRESH, answer), value=right())
    setup.compare(submission)([PUBLISHED, WIDE, FRESH])


def test_a_wrong_value_is_judged_against_the_published_case(setup):
    submission = setup.proxy((PUBLISHED, NOT_DEFINED), (SMALL, NOT_DEFINED), value=wrong())
    assert setup.finding(submission, SMALL).student == to_authors["fixtures.numbers-of-the-doubled"]


def test_the_reason_of_a_wrong_value_is_looked_for_in_that_value(setup):
    setup.diagnosis = Reason(("triples",), "The numbers are tripled.")
    missing = [(known_case, NOT_DEFINED) for known_case in KNOWN if known_case.case.task == "double"]
    finding = setup.finding(setup.proxy(*missing, value=wrong()), SMALL)
    assert finding.misconceptions == ("triples",)
    assert [(case, answer.value[0]) for case, answer in setup.looked_at.items()] == [(PUBLISHED.case.id, 3.0)]


def test_the_reason_of_a_wrong_function_is_looked_for_in_all_its_stored_answers(setup):
    setup.finding(setup.proxy((WIDE, wrong()), value=right()), WIDE)
    assert list(setup.looked_at) == [known_case.case.id for known_case in (PUBLISHED, SMALL, WIDE, LARGE)]


def test_a_reason_is_looked_for_once_in_a_task(setup):
    compare = setup.compare(setup.proxy((WIDE, wrong()), (SMALL, wrong())))
    for case in (WIDE, SMALL):
        with pytest.raises(CheckFailed):
            compare([case])
    assert setup.diagnosed == [("double", False), ("double", True)]


def test_what_is_possible_but_not_certain_is_told_without_a_label(setup):
    setup.diagnosis = Reason((), "Either this or that.")
    finding = setup.finding(setup.proxy((WIDE, wrong())), WIDE)
    assert finding.student.startswith("Either this or that. (3 of 3")
    assert finding.misconceptions == ()


@pytest.mark.parametrize("answer", [wrong(), RAISED])
def test_a_function_that_was_written_counts_and_not_the_value(setup, answer):
    setup.finding(setup.proxy((PUBLISHED, answer), value=right()), PUBLISHED)


def test_without_function_and_value_the_function_is_missed(setup):
    assert setup.finding(setup.proxy((PUBLISHED, NOT_DEFINED)), PUBLISHED).kind is FailureKind.NOT_DEFINED


def test_a_task_without_such_a_value_needs_its_function(setup):
    submission = setup.proxy((TOTALS, NOT_DEFINED), value=right())
    assert setup.finding(submission, TOTALS).kind is FailureKind.NOT_DEFINED


# Unchanged arguments


def unchanged(setup, submission, *cases):
    try:
        setup.compare(submission).unchanged(cases)
    except CheckFailed as failure:
        return failure.failure
    return None


def test_arguments_left_alone_pass(setup):
    assert unchanged(setup, setup.proxy(), PUBLISHED, WIDE) is None


def test_a_changed_argument_is_named_as_the_student_named_it(setup):
    finding = unchanged(setup, setup.proxy((WIDE, right(modified=(0,)))), PUBLISHED, WIDE)
    assert finding.student.startswith("`double` changes its argument `x` in place")
    assert (finding.kind, finding.misconceptions) == (FailureKind.MODIFIED, ("modifies-input",))
    assert "hidden/double/wide (1 of 2)" in finding.staff
    assert setup.diagnosed == []


def test_a_changed_argument_without_a_known_name_is_counted(setup):
    case = known("two", task="totals", call=FunctionCall("totals", (X, X)))
    finding = unchanged(setup, setup.proxy((case, Answer(value=(6.0, 6.0), modified=(0, 1)))), case)
    assert "argument `0`, `1`" in finding.student


@pytest.mark.parametrize(("name", "shown"), [("double", "x"), ("halve", "input")])
def test_the_input_of_a_module_has_the_students_own_name_if_that_is_known(setup, name, shown):
    call = ModuleCall(name, (3,), tensor(X))
    case = known("module", call=call)
    finding = unchanged(setup, setup.proxy((case, right(modified=(0,)))), case)
    assert finding is not None
    if shown == "x":
        assert finding.student.startswith("`double` changes its argument `x` in place")
        return
    assert finding.student == to_authors["fixtures.argument-input-in-place"]


@pytest.mark.parametrize(
    ("call", "position", "entry"),
    [
        (FunctionCall("double", ([1.0], tensor(X))), 0, "list-in-place"),
        (FunctionCall("double", ([1.0], tensor(X))), 1, "tensor-in-place"),
        (FunctionCall("double", ([1.0], X)), 1, "array-in-place"),
        (FunctionCall("double", ({"a": 1.0},)), 0, "value-in-place"),
        (object_call("double", ([1.0],), ("push", X)), 0, "list-in-place"),
        (object_call("double", ([1.0],), ("push", tensor(X))), 1, "tensor-in-place"),
        (object_call("double", ([1.0],), ("push", X)), 1, "array-in-place"),
    ],
)
def test_the_way_not_to_change_an_argument_is_that_of_its_type(setup, call, position, entry):
    case = known("changed", call=call)
    finding = unchanged(setup, setup.proxy((case, right(modified=(position,)))), case)
    assert to_students[f"fixtures.{entry}"] in finding.student


# Gradients


GRADIENTS = {"0": Tensor(np.array([2.0, 2.0, 2.0])), "1": None}
WITH_GRADIENTS = known("gradients", gradients=GRADIENTS)


def gradients(setup, answer):
    try:
        setup.compare(setup.proxy((WITH_GRADIENTS, answer))).gradients([WITH_GRADIENTS])
    except CheckFailed as failure:
        return failure.failure
    return None


def test_right_gradients_pass_and_those_that_are_not_expected_do_not_count(setup):
    assert gradients(setup, right(gradients=GRADIENTS)) is None
    assert gradients(setup, right(gradients={"0": GRADIENTS["0"], "1": Tensor(X), "2": Tensor(X)})) is None


@pytest.mark.parametrize("got", [None, {}, {"0": None}, {"1": Tensor(X)}, {"0": "text"}, [Tensor(X)], "text"])
def test_a_missing_gradient_is_told_with_its_usual_causes(setup, got):
    finding = gradients(setup, right(gradients=got))
    assert finding.student.startswith("The gradient of `x` is missing")
    assert (finding.kind, finding.misconceptions) == (FailureKind.GRADIENT, ("gradient-cut",))


def test_a_gradient_of_what_nothing_depends_on_is_not_told_as_cut(setup):
    finding = gradients(setup, right(gradients={"0": False}))
    assert finding.student == to_students["fixtures.nothing-depends-on-it"]
    assert (finding.kind, finding.misconceptions) == (FailureKind.GRADIENT, ())


def test_a_wrong_gradient_is_named(setup):
    finding = gradients(setup, right(gradients={"0": Tensor(np.array([2.0, 2.0, 5.0]))}))
    assert finding.student == to_authors["fixtures.numbers-of-the-gradient-of-x"]


def test_gradients_count_though_the_values_are_wrong(setup):
    """A fault of the values costs the checks of values, not those of gradients."""
    assert gradients(setup, Answer(value=5 * X, gradients=GRADIENTS)) is None


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RAISED, FailureKind.RAISED),
        (Answer(value=None), FailureKind.ARITY),
        (Answer(value=X[:1]), FailureKind.SHAPE),
    ],
)
def test_without_an_output_of_the_right_form_that_is_the_reason(setup, answer, kind):
    finding = gradients(setup, answer)
    assert finding.kind is kind


@pytest.mark.parametrize("stored", [None, {}, {"0": None}])
def test_a_case_without_expected_gradients_is_a_fault_of_the_check(setup, stored):
    with pytest.raises(LookupError, match="no gradients are stored for hidden/double/wide"):
        setup.compare(setup.proxy()).gradients([known("wide", gradients=stored)])


# Names


@pytest.mark.parametrize("judge", ["__call__", "gradients", "unchanged"])
def test_an_unknown_case_is_a_fault_of_the_check(setup, judge):
    with pytest.raises(KeyError):
        getattr(setup.compare(setup.proxy()), judge)([known("unknown", gradients={})])


def test_other_answers_are_compared_as_they_are(setup):
    compare = setup.compare(setup.proxy((PUBLISHED, wrong())))
    compare.with_answers({PUBLISHED.case.id: right()})([PUBLISHED])


def test_a_call_without_a_value_is_no_usable_answer(setup):
    compare = setup.compare(setup.proxy((WIDE, RAISED)))
    assert compare.usable_answer(PUBLISHED).is_usable
    with pytest.raises(CheckFailed):
        compare.usable_answer(WIDE)


# Which cases a check gets when it asks, in grading and with students


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


# What an exception says is quoted only from the same stop of the same function in a public case


@pytest.mark.parametrize(
    ("case", "change", "is_shown"),
    [
        (SMALL, {}, True),
        (PUBLISHED, {}, True),
        (SMALL, {"line": 5}, False),
        (SMALL, {"type": "IndexError"}, False),
        (SMALL, {"file": "other.py"}, False),
        (TOTALS, {}, False),
        (WIDE, {}, False),
    ],
    ids=[
        *("a public case", "a published case", "another line", "another exception", "another file"),
        *("another function", "a hidden case"),
    ],
)
def test_a_message_is_shown_where_a_public_case_of_the_function_raises_the_same(
    case, change, is_shown, setup
):
    assert RAISED.error is not None
    openly = {case.case.id: Answer(error=replace(RAISED.error, message="said openly", **change))}
    submission = replace(setup.proxy((WIDE, RAISED)), ask_openly=lambda: openly)
    finding = setup.finding(submission, WIDE)
    assert ("said openly" in finding.student) == is_shown
    assert "shapes" not in finding.student, "that message comes from a run with hidden inputs"


def right_when_rebound(calls):
    """The answers of a function that is right as soon as `N` is 3, the length of its argument."""
    return [right() if isinstance(call, ReboundCall) and call.sizes["N"] == 3 else wrong() for call in calls]


@pytest.mark.parametrize("group_case", [WIDE, FRESH])
def test_a_global_is_named_where_a_size_in_its_place_makes_the_answer_right(setup, group_case):
    submission = setup.proxy(
        (group_case, wrong()), globals_read=("M", "N"), sizes={"N": 2}, ask=right_when_rebound
    )
    finding = setup.finding(submission, group_case)
    assert finding.misconceptions == ("depends-on-global",)
    assert finding.student.startswith(
        "It is right for the published inputs and wrong for others: it reads `N` from outside"
    )
    assert finding.student == to_students["outside_names.n-is-there"]
    assert "3 of 3 numbers" in finding.student


def test_a_global_is_named_where_the_published_values_are_wrong_too(setup):
    facts = {"globals_read": ("N",), "sizes": {"N": 2}, "ask": right_when_rebound}
    finding = setup.finding(setup.proxy((PUBLISHED, wrong()), **facts), PUBLISHED)
    assert finding.misconceptions == ("depends-on-global",)
    assert finding.student.startswith("It reads `N` from outside")


def test_no_size_written_as_a_number_is_suspected_where_a_larger_input_is_right(setup):
    larger = known("larger", call=FunctionCall("double", (np.arange(7.0),)), expected=2 * np.arange(7.0))
    setup.cases = Cases((*setup.cases.known, larger))
    suspected = setup.finding(setup.proxy((WIDE, wrong()), (larger, wrong())), WIDE)
    assert suspected.student == to_students["outside_names.size-as-a-number"]
    spared = setup.finding(setup.proxy((WIDE, wrong()), (larger, right(larger.expected))), WIDE)
    assert spared.student == to_students["outside_names.three-of-three"]


def test_an_axis_written_as_a_number_is_suspected_where_the_wrong_input_has_another_number_of_axes(setup):
    larger = known("larger", call=FunctionCall("double", (np.arange(7.0),)), expected=2 * np.arange(7.0))
    square = known("square", call=FunctionCall("double", (np.eye(3),)))
    setup.cases = Cases((*setup.cases.known, larger, square))
    submission = setup.proxy((square, wrong()), (larger, right(larger.expected)))
    assert setup.finding(submission, square).student == to_students["outside_names.size-as-a-number"]


def test_a_global_is_mentioned_without_a_name_where_no_size_helps(setup):
    submission = setup.proxy(
        (WIDE, wrong()), globals_read=("N",), sizes={"N": 2}, ask=lambda calls: [RAISED for _ in calls]
    )
    finding = setup.finding(submission, WIDE)
    assert finding.misconceptions == ()
    assert finding.student.startswith(
        "It is right for the published inputs and wrong for others, and it reads `N` from"
    )


def test_of_thousands_of_names_the_first_are_mentioned(setup):
    names = tuple(f"n{number}" for number in range(3000))
    finding = setup.finding(setup.proxy((WIDE, RAISED), globals_read=names), WIDE)
    assert finding.student == to_students["outside_names.n9-and-more-from-outside"]
    assert "`n10`" not in finding.student


@pytest.mark.parametrize("group_case", [SMALL, WIDE, FRESH])
def test_data_outside_that_is_no_number_is_mentioned(setup, group_case):
    finding = setup.finding(setup.proxy((group_case, RAISED), globals_read=("N", "D")), group_case)
    assert finding.misconceptions == ()
    assert finding.student == to_students["outside_names.reads-n-d-from-outside"]


def test_no_global_is_blamed_where_the_published_values_are_wrong_too(setup):
    submission = setup.proxy((PUBLISHED, wrong()), (WIDE, wrong()), globals_read=("N",))
    assert setup.finding(submission, WIDE).misconceptions == ()
    assert setup.finding(submission, PUBLISHED).misconceptions == ()


def test_no_global_is_blamed_for_large_numbers(setup):
    submission = setup.proxy((LARGE, wrong()), globals_read=("N",))
    assert setup.finding(submission, LARGE).misconceptions == ()


def test_no_global_is_blamed_where_none_is_read(setup):
    assert "from outside" not in setup.finding(setup.proxy((WIDE, wrong())), WIDE).student
