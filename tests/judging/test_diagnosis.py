"""Which known mistakes explain a wrong answer, and what counts as the same answer."""

import copy
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from wording import to_students

from autograder.course.cases import Group
from autograder.reasons import diagnosis as diagnosis_module
from autograder.reasons.agreement import (
    Variant,
    agreeing,
    explaining_what_is_wrong,
    is_visible,
    proved_by_exceptions,
    same_answer,
    tell,
)
from autograder.reasons.catalogue import read_catalogue
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.mutation import read_singles
from autograder.sandbox.report import Answer, Operand, StudentError
from autograder.verdict.failure import NO_REASON, Reason
from autograder.verdict.misfits import misfits_of
from autograder.worker.wire import Tensor, Unsendable, pack

from .answers import NOT_DEFINED, RAISED, RIGHT, answers, known, times, variant
from .mistakes import ADDS_ITSELF, add_mistake, build

SAYS_TRIPLES = "Your numbers come back three times as large. Each one should be twice as large."
ADDS_ONE = "Your numbers are all one too large: nothing is to be added."


def diagnostician(tiny):
    known = tiny.store.read()
    singles = read_singles(tiny.store.folder, known)
    return Diagnostician(tiny.homework, read_catalogue(tiny.homework), known, singles)


def answers_of_tiny(known, function, task="double"):
    """What a submission's function returns for the task's cases."""
    known_of_task = [known_case for known_case in known if known_case.case.task == task]
    return {
        known_case.case.id: Answer(value=function(known_case.case.call.args[0]))
        for known_case in known_of_task
    }


def diagnosed(of, answers_of_tiny, pool):
    """What is told of the answers to these cases of `double`."""
    return of.diagnose(
        "double",
        answers_of_tiny,
        [known_case for known_case in of.known if known_case.case.id in answers_of_tiny],
        pool,
    )


@pytest.fixture
def of_tiny(mistaken):
    return diagnostician(mistaken)


def test_a_single_mistake_is_named_with_its_sentence(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers_of_tiny(known, lambda x: 3 * x), pool)
    assert diagnosis == Reason(("triples",), SAYS_TRIPLES)


def test_a_single_mistake_that_fixes_a_size_says_so(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers_of_tiny(known, lambda x: 2 * x[:1]), pool)
    assert (diagnosis.labels, diagnosis.about_size) == (("first-only",), True)


def test_two_mistakes_at_once_are_both_named_with_both_sentences(of_tiny, known, pool):
    diagnosis = diagnosed(of_tiny, answers_of_tiny(known, lambda x: 3 * x + 1), pool)
    assert diagnosis == Reason(("triples", "adds-one"), f"{SAYS_TRIPLES} {ADDS_ONE}")


def test_a_pair_that_is_excluded_is_never_named(of_tiny, known, pool):
    stands_alone = answers_of_tiny(known, lambda x: 3 * x[:1])
    assert diagnosed(of_tiny, stands_alone, pool) == NO_REASON


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 5 * x,
        lambda x: 0 * x,
        lambda x: 2 * x + 0.25,
        lambda x: x[::-1] * 2,
        lambda x: None,
        lambda x: np.concatenate([3 * x[:1], 2 * x[1:]]),
        lambda x: 3 * x if len(x) > 2 else 2 * x,
        lambda x: (3 * x, x),
        lambda x: 3 * x + np.nan,
    ],
)
def test_an_unknown_mistake_gets_no_name(of_tiny, known, pool, function):
    assert diagnosed(of_tiny, answers_of_tiny(known, function), pool) == NO_REASON


def test_a_right_answer_gets_no_name(of_tiny, known, pool):
    assert diagnosed(of_tiny, answers_of_tiny(known, lambda x: 2 * x), pool) == NO_REASON


def test_two_mistakes_that_return_the_same_are_told_as_possible(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    build(own_course, pool)
    diagnosis = diagnosed(
        diagnostician(own_course), answers_of_tiny(own_course.store.read(), lambda x: 3 * x), pool
    )
    assert diagnosis.labels == ()
    assert SAYS_TRIPLES in diagnosis.says


def test_of_two_pairs_that_return_the_same_what_both_share_is_named(own_course, pool):
    add_mistake(own_course, "adds-itself", ADDS_ITSELF)
    build(own_course, pool)
    diagnosis = diagnosed(
        diagnostician(own_course), answers_of_tiny(own_course.store.read(), lambda x: 3 * x + 1), pool
    )
    assert diagnosis.labels == ("adds-one",)
    assert diagnosis.says.startswith(ADDS_ONE)


@pytest.mark.parametrize(("function", "labels"), [(lambda x: 3 * x, 1), (lambda x: 3 * x + 1, 2)])
def test_a_single_case_is_enough_to_look_at(of_tiny, known, pool, function, labels):
    """A value at the top level of a notebook answers no other."""
    printed = {"published/double/printed": answers_of_tiny(known, function)["published/double/printed"]}
    assert diagnosed(of_tiny, printed, pool).labels == ("triples", "adds-one")[:labels]


def test_a_mistake_that_does_not_show_in_the_case_looked_at_is_not_named(of_tiny, known, pool):
    printed = {"published/double/printed": Answer(value=known[0].expected)}
    assert diagnosed(of_tiny, printed, pool) == NO_REASON


def test_without_a_pool_no_pair_is_looked_for(of_tiny, known):
    assert diagnosed(of_tiny, answers_of_tiny(known, lambda x: 3 * x), None).labels == ("triples",)
    assert diagnosed(of_tiny, answers_of_tiny(known, lambda x: 3 * x + 1), None) == NO_REASON


def test_a_task_without_mistakes_or_without_stored_outputs_has_no_diagnosis(tiny, mistaken, known, pool):
    wrong = answers_of_tiny(known, lambda x: 3 * x)
    without = Diagnostician(mistaken.homework, read_catalogue(mistaken.homework), known, {})
    assert diagnosed(without, wrong, pool) == NO_REASON
    assert diagnosed(Diagnostician(tiny.homework, (), known, {}), wrong, pool) == NO_REASON


def test_pairs_are_run_only_where_no_single_mistake_explains_and_only_once(of_tiny, known, pool, monkeypatch):
    ran = []
    really_run = diagnosis_module.run_variants

    def run(homework, cases, labels, pool):
        ran.append(labels)
        return really_run(homework, cases, labels, pool)

    monkeypatch.setattr(diagnosis_module, "run_variants", run)
    diagnosed(of_tiny, answers_of_tiny(known, lambda x: 3 * x), pool)
    assert ran == []
    with ThreadPoolExecutor(4) as executor:
        unknown = answers_of_tiny(known, lambda x: 7 * x)
        list(executor.map(lambda _: diagnosed(of_tiny, unknown, pool), range(8)))
    assert ran == [[("triples", "adds-one"), ("squares", "adds-one")]]
    diagnosed(of_tiny, answers_of_tiny(known, lambda x: x**2 + 1), pool)
    first_pair, *further_pairs = (pair for pairs in ran[1:] for pair in pairs)
    assert first_pair == ("squares", "adds-one")
    assert set(further_pairs) <= {first_pair}, "only the pair that agrees is run on further cases"
    count = len(ran)
    diagnosed(of_tiny, answers_of_tiny(known, lambda x: x**2 + 1), pool)
    assert len(ran) == count, "what a pair answers is remembered for the next submission"


def test_pairs_are_sifted_on_a_case_that_has_a_wrong_value(of_tiny, known, pool, monkeypatch):
    """Many pairs raise, or are right, on the same small case, and each would be run on all others."""
    sifted = []
    really_run = diagnosis_module.run_variants

    def run(homework, cases, labels, pool):
        sifted.append(cases[0].id)
        return really_run(homework, cases, labels, pool)

    monkeypatch.setattr(diagnosis_module, "run_variants", run)
    all_answers = answers_of_tiny(known, lambda x: 7 * x)
    known_in_answers = [known_case for known_case in known if known_case.case.id in all_answers]
    raised, right, *_ = sorted(all_answers, key=lambda case: all_answers[case].value.size)
    all_answers[raised] = Answer(error=StudentError("ValueError"))
    all_answers[right] = Answer(
        value=next(known_case.expected for known_case in known_in_answers if known_case.case.id == right)
    )
    diagnosed(of_tiny, all_answers, pool)
    assert sifted
    assert not {raised, right} & set(sifted)
    sifted.clear()
    nothing = dict.fromkeys(all_answers, Answer(error=StudentError("ValueError")))
    assert diagnosed(of_tiny, nothing, pool) == NO_REASON
    assert sifted == [], "what raises everywhere agrees with no mistake"


def test_diagnosing_changes_nothing_and_gives_the_same_again(of_tiny, known, pool):
    def state():
        stored = [
            pack({case: answer.value for case, answer in variant.answers.items()})
            for of_task in of_tiny.singles.values()
            for variant in of_task
        ]
        return [*stored, pack([known_case.expected for known_case in known])]

    for function in (lambda x: 3 * x, lambda x: 3 * x + 1, lambda x: 7 * x, lambda x: np.log(x)):
        with np.errstate(invalid="ignore"):
            all_answers = answers_of_tiny(known, function)
        before, copied = state(), copy.deepcopy(all_answers)
        first = diagnosed(of_tiny, all_answers, pool)
        assert diagnosed(of_tiny, all_answers, pool) == first
        assert state() == before
        assert all_answers.keys() == copied.keys()
        for case, answer in all_answers.items():
            np.testing.assert_array_equal(answer.value, copied[case].value)


TRIPLES = variant("triples", times(3))
SQUARES = variant("squares", {"small": np.array([1.0, 4.0]), "wide": np.array([0.25, 1.0, 16.0])})
NAN = np.array([1.0, np.nan])


def product(*sizes, arguments=(0, 1)):
    """The exception of a product of matrices, (a, b) with (c, d)."""
    a, b, c, d = sizes
    message = f"shapes ({a},{b}) and ({c},{d}) not aligned: {b} (dim 1) != {c} (dim 0)"
    operands = (Operand((a, b), arguments[0]), Operand((c, d), arguments[1]))
    return Answer(error=StudentError("ValueError", message, operands=operands))


def raising(label, values):
    changed_variant = variant(label, values)
    return Variant(changed_variant.labels, changed_variant.answers, misfits_of(changed_variant.answers))


FAR = {"public": np.arange(1.0, 6.0), "hidden": np.arange(7.0, 13.0), "caught": np.arange(20.0, 25.0)}
MISFITS = {"small": product(7, 6, 5, 8), "wide": product(3, 4, 9, 2)}


RAISES = {"small": RAISED, "wide": RAISED}
RAISES_WIDE = {"small": times(3)["small"], "wide": RAISED}
SAME_MISFIT = dict.fromkeys(("small", "wide"), MISFITS["small"])
ONE_MISFIT = {**RIGHT, "wide": MISFITS["wide"]}
LAST_MISFIT = {"small": times(3)["small"], "wide": MISFITS["wide"]}
OVERFLOWS = {"small": NAN, "wide": np.array([np.inf, 2.0, 8.0])}
NAN_BESIDE = {"small": NAN, "wide": RIGHT["wide"]}
OTHER_CAUSES = {
    "another shape": product(3, 4, 9, 3),
    "computed": product(3, 4, 9, 2, arguments=(0, None)),
    "no misfit": RAISED,
    "not defined": NOT_DEFINED,
    "another operation": Answer(error=StudentError("ValueError", "axes don't match array")),
    "right": Answer(value=RIGHT["wide"]),
}
AGREE = {
    "the one variant that agrees everywhere": (times(3), [SQUARES, TRIPLES], "triples"),
    "all that agree equally well": (times(3), [TRIPLES, variant("twice", times(3))], "triples twice"),
    "numbers within the tolerance": (times(3 + 1e-7), [TRIPLES], "triples"),
    "numbers outside of it": (times(3 + 1e-3), [TRIPLES], ""),
    "some cases": ({"small": times(3)["small"], "wide": times(5)["wide"]}, [TRIPLES, SQUARES], ""),
    "some cases, right elsewhere": ({"small": times(3)["small"], "wide": RIGHT["wide"]}, [TRIPLES], ""),
    "what no variant gives": (times(7), [TRIPLES, SQUARES], ""),
    "no variant": (times(3), [], ""),
    "a variant that changes nothing": (RIGHT, [variant("harmless", RIGHT)], ""),
    "a variant that only raises": (RAISES, [variant("raises", RAISES)], ""),
    "a variant that only raises, and nothing defined": (
        dict.fromkeys(RAISES, NOT_DEFINED), [variant("raises", RAISES)], ""
    ),
    "raising for some sizes": (RAISES_WIDE, [variant("square-only", RAISES_WIDE)], "square-only"),
    "raising for no size": (times(3), [variant("square-only", RAISES_WIDE)], ""),
    "misfits everywhere": (MISFITS, [raising("exchanged", MISFITS)], "exchanged"),
    **{
        f"a misfit and something else: {name}": ({**MISFITS, "wide": other}, [raising("exchanged", MISFITS)], "")
        for name, other in OTHER_CAUSES.items()
    },
    "one misfit twice, perhaps by chance": (SAME_MISFIT, [raising("exchanged", SAME_MISFIT)], ""),
    "one misfit": (ONE_MISFIT, [raising("exchanged", ONE_MISFIT)], ""),
    "wrong numbers, which tell more than the exceptions of another style": (
        {**LAST_MISFIT, "wide": product(2, 9, 4, 3)}, [raising("exchanged", LAST_MISFIT)], "exchanged"
    ),
    "nan and infinity in the same places": (OVERFLOWS, [variant("overflows", OVERFLOWS)], "overflows"),
    "nan in another place": (
        {**OVERFLOWS, "small": NAN[::-1].copy()}, [variant("overflows", OVERFLOWS)], ""
    ),
    "a number in place of nan": (
        {**OVERFLOWS, "small": np.array([1.0, 0.0])}, [variant("overflows", OVERFLOWS)], ""
    ),
    "another number beside nan": (
        {**NAN_BESIDE, "small": np.array([1.5, np.nan])}, [variant("overflows", NAN_BESIDE)], ""
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", AGREE)
def test_a_variant_explains_answers_that_agree_with_its_own_everywhere(what):
    values, variants, expected = AGREE[what]
    reason = agreeing(answers(values), known(), variants)
    assert [label for variant in reason for label in variant.labels] == expected.split()


def test_a_variant_that_changes_an_answer_is_visible():
    assert is_visible(variant("raises", RAISES), known())
    assert not is_visible(variant("harmless", RIGHT), known())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({}, ["triples"]),
        ({"caught": 2 * FAR["caught"]}, ["triples"]),
        ({"hidden": 2 * FAR["hidden"], "caught": 2 * FAR["caught"]}, []),
        ({"public": 2 * FAR["public"]}, []),
        ({"caught": 5 * FAR["caught"]}, []),
    ],
    ids=[
        "wrong everywhere",
        "right in a hidden case",
        "too few numbers",
        "right in public",
        "wrong otherwise",
    ],
)
def test_a_mistake_that_explains_all_that_is_wrong_may_be_right_in_hidden_cases_only(changed, reason):
    cases = []
    for case in known({name: 2 * x for name, x in FAR.items()}):
        if case.case.label == "public":
            case = replace(case, case=replace(case.case, group=Group.PUBLIC))
        cases.append(case)
    given = {}
    triple = {}
    for case in cases:
        x = FAR[case.case.label]
        given[case.case.id] = Answer(value=changed.get(case.case.label, 3 * x))
        triple[case.case.id] = Answer(value=3 * x)
    told = explaining_what_is_wrong(given, cases, [Variant(("triples",), triple)])
    assert [label for variant in told for label in variant.labels] == reason


def test_code_that_is_right_in_some_cases_and_raises_in_others_agrees_by_misfits_only():
    for_matrices = {**RIGHT, "wide": RAISED}
    sized = raising("first-only", for_matrices)
    assert agreeing(answers(for_matrices), known(), [sized]) == []
    assert agreeing(answers(for_matrices), known(), [sized], any_exception=True) == [sized]


def test_a_mistake_that_its_exception_proves_needs_no_agreement_elsewhere():
    cases = known({**RIGHT, "square": np.ones(2)})
    proving = raising("proving", {**MISFITS, "square": np.zeros(2)})
    other = raising("other", {**MISFITS, "square": np.full(2, 5.0)})
    sayings = {
        letter: Reason((letter,), letter, by_exception=letter == "proving") for letter in ("proving", "other")
    }
    wrong = answers({**MISFITS, "square": np.full(2, 7.0)})
    assert agreeing(wrong, cases, [proving, other]) == []
    assert proved_by_exceptions(wrong, cases, [proving], sayings) == [proving]
    assert proved_by_exceptions(wrong, cases, [other], sayings) == []
    assert proved_by_exceptions(wrong, cases, [proving, other], sayings) == [proving, other], "as possible"
    assert tell([proving, other], sayings).labels == ()


@pytest.mark.parametrize(
    ("value", "other", "same"),
    [
        (np.ones(2), np.ones(2), True),
        (np.ones(2), np.ones((2, 1)), False),
        (np.ones(2), np.ones(1), False),
        (np.ones(2), [1.0, 1.0], True),
        (np.ones(2), Tensor(np.ones(2, np.float32)), True),
        (np.ones(2, np.int64), np.ones(2), True),
        (np.ones(2), np.ones(2, np.complex128), False),
        (np.ones(2), np.ones(2, np.bool_), True),
        (np.ones(2), None, False),
        (np.ones(2), Unsendable("a generator"), False),
        (None, None, False),
        ((np.ones(2), np.zeros(3)), (np.ones(2), np.zeros(3)), True),
        ((np.ones(2), np.zeros(3)), [np.ones(2), np.zeros(3)], True),
        ((np.ones(2), np.zeros(3)), (np.zeros(3), np.ones(2)), False),
        ((np.ones(2), np.zeros(3)), (np.ones(2),), False),
        (np.array(np.nan), np.array(np.nan), True),
        (np.array([]), np.array([]), True),
    ],
)
def test_two_values_are_the_same_in_form_and_numbers(value, other, same):
    assert same_answer(Answer(value=value), Answer(value=other), 1e-5) is same
    assert same_answer(Answer(value=other), Answer(value=value), 1e-5) is same


def test_a_value_is_never_the_same_as_none():
    assert not same_answer(Answer(value=np.ones(2)), RAISED, 1e-5)
    assert same_answer(RAISED, NOT_DEFINED, 1e-5)


def test_the_tolerance_grows_with_the_largest_number():
    large, near = np.array([1e6, 1.0]), np.array([1e6, 1.5])
    assert same_answer(Answer(value=large), Answer(value=near), 1e-5)
    assert not same_answer(Answer(value=large / 1e6), Answer(value=near / 1e6), 1e-7)


def test_extreme_numbers_are_compared_without_a_warning(recwarn):
    huge = np.array([1e308, -1e308])
    assert not same_answer(Answer(value=huge), Answer(value=-huge), 1e-5)
    assert not [str(warning.message) for warning in recwarn]


# What is told of those that agree

SAYINGS = {letter: Reason((letter,), f"{letter.upper()}.") for letter in "abcde"} | {
    "a-otherwise": Reason(("a",), "A."),
    "sized": Reason(("sized",), "SIZED.", about_size=True),
}


def reason_for(*labels):
    return tell([Variant(tuple(label.split("+")), {}) for label in labels], SAYINGS)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("", Reason()),
        ("a", Reason(("a",), "A.")),
        ("a+b", Reason(("a", "b"), "A. B.")),
        ("a a-otherwise", Reason(("a",), "A.")),
        ("a+b a-otherwise+b", Reason(("a", "b"), "A. B.")),
        ("a+a-otherwise", Reason(("a",), "A.")),
        ("a+b c+a", Reason(("a",), to_students["agreement.a-besides-any-of-the-following"])),
        ("a b", Reason((), to_students["agreement.any-of-the-following-gives"])),
        ("a+b a+c a+d a+e", Reason(("a",), "A.")),
        ("a b c d", Reason()),
        ("sized", Reason(("sized",), "SIZED.", about_size=True)),
        ("a+sized", Reason(("a", "sized"), "A. SIZED.", about_size=True)),
    ],
)
def test_what_all_that_agree_share_is_named_and_few_others_are_told_as_possible(labels, expected):
    assert reason_for(*labels.split()) == expected
