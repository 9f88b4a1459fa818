"""A size read from outside is proved by calling again with another one; a wrong shape is told by its sizes."""

import textwrap
import time
from dataclasses import replace

import numpy as np
import pytest
from wording import to_students

from autograder.course.arguments import tensor
from autograder.course.calls import (
    FunctionCall,
    ModuleCall,
    ReboundCall,
    ValueRead,
)
from autograder.course.cases import Case
from autograder.reasons.agreement import Variant, agreeing, tell
from autograder.reasons.axis_sizes import describe_axes
from autograder.reasons.outside import (
    LARGEST_TRY,
    MOST_CONFIRMED,
    OutsideSize,
    prove_beside_mistake,
    prove_outside_sizes,
    sizes_of,
)
from autograder.sandbox.report import Answer, FunctionFacts, Status
from autograder.sandbox.request import Code, Request
from autograder.verdict.failure import Reason
from autograder.verdict.known import KnownCase

from .test_fixtures import known


def case(label, rows, columns):
    """The mean of all entries of a matrix, times its number of rows, is asked for."""
    x = np.arange(1.0, rows * columns + 1).reshape(rows, columns)
    return KnownCase(Case(f"f/{label}", FunctionCall("f", (x,))), x.mean() * rows, None, 1e-5)


WIDE, TALL = case("wide", 3, 7), case("tall", 8, 5)


def as_it_came(known, answer):
    return answer


class Submission:
    """A text, run in a worker for each set of calls."""

    def __init__(self, text, pool):
        self.code = Code("homework.py", {"homework.py": textwrap.dedent(text)})
        self.pool = pool
        self.asked = []

    def ask(self, calls):
        self.asked += calls
        report = self.pool.run(Request(self.code, [call.as_mapping() for call in calls]))
        assert report.status is Status.GRADED, report
        return list(report.answers)

    @property
    def facts(self):
        report = self.pool.run(Request(self.code, [WIDE.case.call.as_mapping()]))
        return report.functions.get("f", FunctionFacts())

    def proof(self, *failed):
        return prove_outside_sizes(failed, self.facts, self.ask, as_it_came)


def test_the_one_size_that_sets_every_answer_right_is_the_proof(pool):
    submission = Submission("N = 4\ndef f(data): return data.mean() * N", pool)
    assert submission.proof(WIDE, TALL) == (OutsideSize("N", 4, 3, "the number of rows of `data`"),)
    assert len(submission.asked) == 2 + 1, "two sizes are tried on the first case, the right one on the other"


def test_a_size_of_a_matrix_is_the_same_size_of_a_batch_of_matrices(pool):
    x = np.arange(1.0, 31.0).reshape(2, 3, 5)
    batch = KnownCase(Case("f/batch", FunctionCall("f", (x,))), x.mean() * 3, None, 1e-5)
    proof = Submission("N = 4\ndef f(data): return data.mean() * N", pool).proof(batch, TALL)
    assert proof == (OutsideSize("N", 4, 8, "the number of rows of `data`"),)


def test_what_fits_one_answer_by_chance_is_no_proof(pool):
    """A factor of 3 is right for the one matrix with 3 rows, whatever the second one says."""
    text = "N = 4\ndef f(data): return data.mean() * (N if len(data) == 3 else 1)"
    submission = Submission(text, pool)
    assert submission.proof(WIDE) != ()
    assert submission.proof(WIDE, TALL) == ()


def test_two_names_are_proved_together(pool):
    text = "N, D = 4, 9\ndef f(data): return data.reshape(N, D).mean() * N"
    proof = Submission(text, pool).proof(WIDE, TALL)
    assert [(name_read.name, name_read.stands_for) for name_read in proof] == [
        ("D", to_students["outside.number-of-columns-of-data"]),
        ("N", to_students["outside.number-of-rows-of-data"]),
    ]


def test_another_mistake_beside_the_name_is_not_blamed_on_it(pool):
    assert Submission("N = 4\ndef f(data): return data.mean() * N + 1", pool).proof(WIDE, TALL) == ()


def shifted(cases, by):
    """What a known mistake returns that adds a number."""
    return Variant(
        (f"adds-{by:g}",),
        {known_case.case.id: Answer(value=known_case.expected + by) for known_case in cases},
    )


def beside(submission, *cases):
    """What is proved where adding 1 or 2 are the known mistakes."""
    on_masks = {
        known_case.case.id: Answer(value=known_case.expected + 3 * (known_case.case.topic == "masks"))
        for known_case in cases
    }
    mistakes = [shifted(cases, 1), shifted(cases, 2), Variant(("adds-3-to-masked",), on_masks)]
    sayings = {variant.labels[0]: Reason(variant.labels, "Nothing is to be added.") for variant in mistakes}

    def diagnose(task, answers, cases, *, pairs=True):
        assert not pairs
        return tell(agreeing(answers, cases, mistakes), sayings)

    answers = submission.ask([known_case.case.call for known_case in cases])
    before = {known_case.case.id: answer for known_case, answer in zip(cases, answers, strict=True)}
    submission.asked.clear()
    return prove_beside_mistake(cases, before, submission.facts, submission.ask, as_it_came, diagnose)


def test_a_known_mistake_and_a_size_from_outside_are_proved_together(pool):
    submission = Submission("N = 4\ndef f(data): return data.mean() * N + 2", pool)
    names, diagnosis = beside(submission, WIDE, TALL)
    assert names == (OutsideSize("N", 4, 3, "the number of rows of `data`"),)
    assert diagnosis.labels == ("adds-2",)
    assert len(submission.asked) == 2 + 1, "two sizes are tried on the first case, the right one on the other"


def test_a_mistake_that_shows_in_some_cases_only_is_proved_beside_a_size(pool):
    """As one with the mask shows in no case without a mask: there the size alone makes the answer right."""
    submission = Submission("N = 4\ndef f(data): return data.mean() * N + 3 * (len(data) == 8)", pool)
    masked = replace(TALL, case=replace(TALL.case, topic="masks"))
    names, diagnosis = beside(submission, WIDE, case("other", 5, 9), masked)
    assert [(name.name, name.stands_for) for name in names] == [("N", "the number of rows of `data`")]
    assert diagnosis.labels == ("adds-3-to-masked",)


@pytest.mark.parametrize(
    "text",
    [
        "M = N = 4\ndef f(data): return data.mean() * len(data) + 2 + 0 * M",
        "N = 4\ndef f(data): return data.mean() * N + 3",
        "N = 4\ndef f(data): return data.mean() * N + (2 if len(data) == 3 else 1)",
        "N = 4\ndef f(data): return data.mean() * N",
        "N = 4\ndef f(data): return data.mean() / (N - N)",
    ],
    ids=["no effect", "unknown mistake", "two mistakes", "no mistake", "raises"],
)
def test_what_is_not_both_proves_nothing(pool, text):
    names, diagnosis = beside(Submission(text, pool), WIDE, TALL)
    assert (names, diagnosis.labels) == ((), ())


@pytest.mark.parametrize(
    "value",
    [
        "np.array(4)",
        "4.0",
        "[4]",
        "True",
        "property(lambda self: 4)",
        "type('Odd', (int,), {'__int__': lambda self: 1 / 0, '__le__': lambda *_: 1 / 0})(4)",
        "type('Odd', (), {'__index__': lambda self: 4, '__rmul__': lambda self, x: x * 4})()",
    ],
)
def test_what_is_no_plain_whole_number_is_never_bound(pool, value):
    submission = Submission(f"import numpy as np\nN = {value}\ndef f(data): return data.mean() * N", pool)
    assert submission.facts.sizes == {}
    assert submission.proof(WIDE, TALL) == ()
    [answer] = submission.ask([ReboundCall(WIDE.case.call, {"N": 3})])
    assert answer.error is not None


def test_a_name_of_another_module_is_out_of_reach(pool):
    submission = Submission("import math\ndef f(data): return data.mean() * 2", pool)
    [answer] = submission.ask([ReboundCall(WIDE.case.call, {"math": 3})])
    assert answer.error is not None
    assert not answer.is_usable


def test_the_old_number_is_back_for_the_next_call(pool):
    submission = Submission("N = 4\ndef f(data):\n    return data.mean() * N", pool)
    answers = submission.ask([ReboundCall(WIDE.case.call, {"N": 3}), WIDE.case.call, ValueRead("N")])
    assert [float(answer.value) for answer in answers] == [33.0, 44.0, 4.0]


def test_a_call_that_ends_the_process_when_bound_proves_nothing(pool):
    text = "import os\nN = 4\ndef f(data):\n    return os._exit(3) if N != 4 else data.mean() * N"
    submission = Submission(text, pool)

    def ask(calls):
        report = pool.run(Request(submission.code, [call.as_mapping() for call in calls]))
        assert report.status is Status.CRASHED
        return [Answer(not_defined=True) for _ in calls]

    assert prove_outside_sizes([WIDE, TALL], submission.facts, ask, as_it_came) == ()


def test_only_so_many_guesses_are_made():
    facts = FunctionFacts(("data",), (), {f"N{i}": 100 + i for i in range(40)})
    calls_asked = []

    def ask(calls):
        calls_asked.extend(calls)
        return [Answer(value=0.0) for _ in calls]

    assert prove_outside_sizes([WIDE], facts, ask, as_it_came) == ()
    assert len(calls_asked) <= LARGEST_TRY


def test_nothing_is_asked_where_nothing_can_be_bound():
    def ask(calls):
        raise AssertionError("asked")

    assert prove_outside_sizes([WIDE, TALL], FunctionFacts(("data",), ("X",)), ask, as_it_came) == ()


def test_an_axis_of_length_one_is_no_guess():
    facts = FunctionFacts(("data",), ("AXIS",), {"AXIS": 0})
    calls_asked = []

    def ask(calls):
        calls_asked.extend(call.sizes["AXIS"] for call in calls if isinstance(call, ReboundCall))
        return [Answer(value=0.0) for _ in calls]

    prove_outside_sizes([case("row", 1, 4)], facts, ask, as_it_came)
    assert calls_asked == [4]


def test_sizes_are_told_in_the_words_of_the_students_own_parameters():
    call = FunctionCall(
        "f", (np.ones((3, 7)), [np.ones((2, 1))] * 5, 4, np.ones(6), tensor(np.ones((8, 9, 2))))
    )
    assert sizes_of(call, ("Q", "all_x", "d_k")) == {
        "the number of rows of `Q`": 3,
        "the number of columns of `Q`": 7,
        "the length of `all_x`": 5,
        "the number of rows of the first item of `all_x`": 2,
        "the number of columns of the first item of `all_x`": 1,
        "`d_k`": 4,
        "the length of argument 4": 6,
        "the size of axis 0 of argument 5": 8,
        "the size of axis 1 of argument 5": 9,
        "the size of axis 2 of argument 5": 2,
        "the number of rows of argument 5": 9,
        "the number of columns of argument 5": 2,
    }


def test_the_width_of_one_head_is_a_size_too():
    sizes = sizes_of(
        FunctionCall("f", (np.ones((2, 5, 12)), np.ones((12, 8)), 4, 0)), ("X", "W", "n", "none")
    )
    assert sizes["the number of columns of `X` divided by `n`"] == 3
    assert sizes["the number of columns of `W` divided by `n`"] == 2
    assert sum("divided" in size for size in sizes) == 2, (
        "no other axis, and none by zero or with a remainder"
    )


def test_the_sizes_of_a_module_are_those_of_its_constructor_and_input():
    call = ModuleCall("Block", (12, 3), tensor(np.ones((2, 12))))
    assert list(sizes_of(call, ()).items())[:3] == [
        (to_students["outside.argument-of-the-constructor"], 12),
        (to_students["outside.argument-of-the-constructor-2"], 3),
        (to_students["outside.number-of-rows-of-the-input"], 2),
    ]
    assert sizes_of(ValueRead("all_x"), ()) == {}


def test_thousands_of_names_that_cannot_be_meant_are_not_combined():
    """Each of them is the one size of this input already, so that there is nothing to try."""
    facts = FunctionFacts(("data",), (), {f"n{i}": 7 for i in range(3000)})
    started = time.perf_counter()
    assert prove_outside_sizes([case("row", 1, 7)], facts, lambda calls: [], as_it_came) == ()
    assert time.perf_counter() - started < 5


def test_few_of_the_tries_that_fit_one_case_are_held_against_the_others():
    facts = FunctionFacts(("data",), (), {f"N{i}": 100 + i for i in range(40)})
    runs = []

    def ask(calls):
        runs.append(calls)
        right = WIDE.expected if len(runs) == 1 else 0.0
        return [Answer(value=right) for _ in calls]

    assert prove_outside_sizes([WIDE, TALL], facts, ask, as_it_came) == ()
    assert [len(calls) > MOST_CONFIRMED for calls in runs] == [True, False], "tried, then confirmed at once"


SIZES = ((2, 3, 4), (5, 6, 7))


def cases_of(shape_of, sizes=SIZES):
    """Cases of a product of queries and keys, with answers of other shapes."""
    answers = {}
    for n_q, n_k, d_k in sizes:
        call = FunctionCall("double", (np.ones((n_q, d_k)), np.ones((n_k, d_k))))
        case = known(f"{n_q}-{n_k}", call=call, expected=np.ones((n_q, n_k)))
        answers[case] = Answer(np.ones(shape_of(n_q, n_k, d_k)))
    return answers


def told(answers):
    return describe_axes(answers, [*answers], ["Q", "K"])


def test_an_axis_of_another_size_is_named_with_both_sizes():
    text = told(cases_of(lambda n_q, n_k, d_k: (n_q, d_k)))
    assert (
        text
        == "Its number of columns is the number of columns of `Q`; it should be the number of rows of `K`."
    )


def test_a_size_that_no_argument_has_is_not_named():
    assert told(cases_of(lambda n_q, n_k, d_k: (n_q, 1))) == (
        "Its number of columns should be the number of rows of `K`."
    )


@pytest.mark.parametrize(
    ("shape_of", "sizes"),
    [
        (lambda n_q, n_k, d_k: (n_q,) if n_q == 2 else (n_q, n_k, 1), SIZES),  # once fewer axes, once more
        (lambda n_q, n_k, d_k: (n_q, d_k), SIZES[:1]),  # one case tells no size from another
    ],
)
def test_nothing_is_said_that_the_cases_do_not_show(shape_of, sizes):
    assert told(cases_of(shape_of, sizes)) == ""


def test_of_sizes_that_were_equal_in_wrong_cases_none_is_said_to_be_the_axis():
    answers = cases_of(lambda n_q, n_k, d_k: (n_q, d_k), [(2, 3, 2), (5, 6, 5)])
    right = cases_of(lambda n_q, n_k, d_k: (n_q, n_k), [(4, 8, 9)])
    text = describe_axes({**answers, **right}, [*answers], ["Q", "K"])
    assert text == "Its number of columns should be the number of rows of `K`."


def test_another_number_of_axes_comes_with_what_may_add_or_remove_one():
    assert "list of arrays" in told(cases_of(lambda n_q, n_k, d_k: (n_q, n_k, d_k)))
    assert "an index, a sum or a `squeeze`" in told(cases_of(lambda n_q, n_k, d_k: (n_q,)))


@pytest.mark.parametrize("leading", [(2,), (3, 2)])
def test_a_product_of_each_matrix_with_each_is_told_from_a_stack(leading):
    scores = np.ones((*leading, 5, 4))
    values = np.ones((*leading, 4, 6))
    call = FunctionCall("double", (scores, values))
    case = known("pairs", call=call, expected=scores @ values)
    text = describe_axes({case: Answer(np.dot(scores, values))}, [case], ["weights", "V"])
    assert text.startswith("It has the leading axes twice")
    assert "`@` (`np.matmul`)" in text
    stacked = Answer(np.ones((*leading, 5, 7, 6)))
    assert "list of arrays" in describe_axes({case: stacked}, [case], ["weights", "V"])


@pytest.mark.parametrize(
    ("sizes", "is_named"),
    [
        # a third of both widths is always that of `X`, too
        (((4, 2, 5), (3, 2, 5)), True),
        (((3, 2, 5), (4, 3, 6)), False),
    ],
)
def test_a_size_that_is_as_well_a_share_of_other_widths_is_not_named(sizes, is_named):
    """Three products in one matrix that is cut into equal parts, as np.split cuts it."""
    answers = {}
    for d_model, d_k, d_v in sizes:
        arguments = (
            np.ones((2, d_model)),
            np.ones((d_model, d_k)),
            np.ones((d_model, d_k)),
            np.ones((d_model, d_v)),
        )
        call = FunctionCall("double", arguments)
        case = known(f"{d_model}-{d_k}", call=call, expected=np.ones((2, d_k)))
        answers[case] = Answer(np.ones((2, d_model)))
    # The right width has to differ, so that it can be named.
    other = known("other", call=FunctionCall("double", tuple(map(np.ones, ((2, 9), (9, 7), (9, 7), (9, 8))))))
    other = replace(other, expected=np.ones((2, 7)))
    text = describe_axes({**answers, other: Answer(np.ones((2, 7)))}, [*answers], ["X", "W_q", "W_k", "W_v"])
    assert "should be the number of columns of `W_q`" in text
    assert ("is the number of columns of `X`" in text) == is_named


@pytest.mark.parametrize(
    ("shape_of", "is_told"),
    [
        (lambda n_q, n_k, d_k: (n_q, n_k) if n_k > 1 else (n_q, n_q), True),  # it broadcasts
        (lambda n_q, n_k, d_k: (n_q, n_k) if n_k > 1 else (n_q, 2), False),
        (lambda n_q, n_k, d_k: (n_q, n_q), False),  # wrong without such an axis as well
    ],
)
def test_an_axis_of_length_1_that_is_lost_and_broadcast_is_put_down_to_a_squeeze(shape_of, is_told):
    answers = cases_of(shape_of, [(3, 1, 4), (5, 6, 7)])
    wrong = [case for case, answer in answers.items() if answer.value.shape != case.expected.shape]
    text = describe_axes(answers, wrong, ["Q", "K"])
    assert (to_students["axes.squeeze"] in text) == is_told
