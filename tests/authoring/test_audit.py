"""The audit of a homework: violations, margins, and what is recorded of it."""

import ast
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from judging.answers import RAISED, RIGHT, X, known, times, variant
from judging.mistakes import ADDS_ITSELF, HARMLESS, PAIRS, SINGLES, add_mistake
from tiny import forget_fingerprints
from wording import to_authors

from autograder.authoring import audit as audit_module
from autograder.authoring.audit import Audit, Kind, Margin, Trial, margins
from autograder.authoring.audit_forms import with_outside_sizes
from autograder.course.cases import Group
from autograder.grading.suite import Suite, prepare_suite
from autograder.reasons.catalogue import CATALOGUE
from autograder.reasons.diagnosis import Diagnostician
from autograder.reasons.mutation import compute_singles, write_singles
from autograder.reasons.outside import OUTSIDE
from autograder.sandbox.report import Status
from autograder.verdict.known import Evidence


def about(audit, word):
    return [line for line in audit.violations if word in line]


def test_a_course_in_order_has_no_violations(audited):
    audit = audited.audit()
    assert audit.violations == ()
    assert Counter(trial.kind for trial in audit.trials) == {
        Kind.SINGLE: 6,
        Kind.NOTEBOOK: 6,
        Kind.VALUE: 4,
        Kind.PAIR: 5,
        Kind.CORRECT: 2,
        Kind.STUB: 1,
        Kind.ODD: 2,
    }
    assert {trial.earned for trial in audit.of(Kind.CORRECT)} == {5.5}
    assert [trial.earned for trial in audit.of(Kind.STUB)] == [0]


def test_a_sample_tries_every_single_mistake_and_some_of_the_rest(audited):
    audit = audited.audit(every_pair=4, every_form=3)
    assert Counter(trial.kind for trial in audit.trials) == {
        Kind.SINGLE: 6,
        Kind.NOTEBOOK: 2,
        Kind.VALUE: 2,
        Kind.PAIR: 2,
        Kind.CORRECT: 2,
        Kind.STUB: 1,
        Kind.ODD: 1,
    }
    assert audit.violations == ()


def test_a_sample_tries_every_right_submission_and_some_of_the_mistaken(audited):
    for number in range(4):
        text = f'"""loses: double_published, double_sizes"""\ndef double(x):\n    return {number} - x\n'
        audited.right(f"subtracts_from_{number}", text, "mistaken")
    trials = [audited.audit(every_pair=100, every_form=every).trials for every in (1, 3)]
    kinds = [Counter(trial.kind for trial in of_sample) for of_sample in trials]
    assert [kind[Kind.MISTAKEN] for kind in kinds] == [4, 2]
    assert [kind[Kind.CORRECT] for kind in kinds] == [2, 2]


def test_every_mistake_and_pair_is_tried_once_and_loses_its_checks(audited):
    audit = audited.audit()
    singles = {labels for of_task in SINGLES.values() for labels in of_task}
    pairs = {labels for of_task in PAIRS.values() for labels in of_task}
    assert Counter(trial.mistakes for trial in audit.of(Kind.SINGLE)) == Counter(singles)
    assert Counter(trial.mistakes for trial in audit.of(Kind.PAIR)) == Counter(pairs)
    lost = {trial.name: set(trial.failed) for trial in audit.of(Kind.SINGLE)}
    assert lost["triples"] == {"double_published", "double_sizes"}
    assert lost["mean-for-sum"] == {"totals"}
    assert lost["adds-one"] == {"double_published", "double_sizes", "totals"}


def test_trials_come_sorted_and_each_is_told_as_it_ends(audited):
    audit = audited.audit()
    assert list(audit.trials) == sorted(audit.trials, key=lambda t: (t.homework, t.kind, t.name))
    assert Counter(t.name for t in audited.heard) == Counter(t.name for t in audit.trials)


# The forms of a single mistake


def test_a_mistake_is_tried_cell_by_cell_and_as_a_value_where_it_shows_in_the_example(audited):
    audit = audited.audit()
    singles = [trial.name for trial in audit.of(Kind.SINGLE)]
    assert [trial.name for trial in audit.of(Kind.NOTEBOOK)] == singles
    assert {(trial.name,) for trial in audit.of(Kind.VALUE)} == set(SINGLES["double"])
    assert all(trial.is_named for kind in (Kind.NOTEBOOK, Kind.VALUE) for trial in audit.of(kind))


def test_a_mistake_is_tried_with_sizes_from_outside_and_both_must_be_told(audited):
    audited.tiny.edit("doubles.py", "factor = 2\n", "factor = 2 * len(x) / x.size\n")
    audited.build()
    audit = audited.audit()
    labels = {trial.name: set().union(*trial.labels) for trial in audit.of(Kind.OUTSIDE)}
    assert labels == {"adds-one": {"adds-one", OUTSIDE}, "squares": {"squares"}, "triples": {"triples"}}
    assert audit.violations == ()


FUNCTIONS = """
def given(x):
    return len(x)

def written(x):
    # BEGIN SOLUTION
    return x.shape[0]
    # END SOLUTION

def double(x):
    return 2 * x[:len(x)] + 0 * given(x) * written(x)

def totals(x):
    return (x.shape[0], given(x))"""


def test_only_what_students_write_for_its_own_tasks_reads_sizes_from_outside(audited):
    """What is given to students, and tasks that the mistake does not reach, stay as they are."""
    published = [known for known in audited.tiny.store.read() if known.case.group is Group.PUBLISHED]
    outside = with_outside_sizes(FUNCTIONS, published, ["double"])
    assert outside.sizes == ("x.shape[0] in written", "len(x) in double")
    expected = FUNCTIONS.replace("x[:len(x)]", "x[:SIZE_2]").replace("return x.shape[0]\n", "return SIZE_1\n")
    assert outside.text.endswith(ast.unparse(ast.parse(expected)))
    assert with_outside_sizes(FUNCTIONS, published, ["triple"]) is None


def test_what_was_not_proved_of_outside_sizes_is_told_with_the_size_and_the_check():
    unproved = audit_module.Trial(
        "hwx",
        Kind.OUTSIDE,
        "triples",
        ("triples", OUTSIDE),
        earned=0,
        points=1,
        unexplained=("double_sizes",),
        outside_sizes=("len(x) in double",),
    )
    assert list(audit_module._violations([unproved], [])) == [to_authors["audit.outside-size-not-proved"]]
    assert list(audit_module._violations([unproved], [], is_sample=True)) == [
        to_authors["audit.outside-size-not-proved"]
    ]


@pytest.mark.parametrize(
    ("unnamed", "is_sample", "complaints"), [(1, True, 0), (1, False, 1), (2, True, 1), (2, False, 1)]
)
def test_only_a_sample_of_sizes_from_outside_may_hold_one_without_a_name(unnamed, is_sample, complaints):
    trials = []
    for number in range(4):
        labels = () if number < unnamed else (("m", OUTSIDE),)
        trials.append(audit_module.Trial("hwx", Kind.OUTSIDE, f"m{number}", ("m", OUTSIDE), 0, 1, labels))
    assert len(list(audit_module._violations(trials, [], is_sample=is_sample))) == complaints


def test_a_check_that_fails_without_a_reason_leaves_an_outside_size_unnamed():
    trial = audit_module.Trial("hwx", Kind.OUTSIDE, "m", ("m", OUTSIDE), 0, 1, (("m",),))
    assert trial.is_named
    assert not replace(trial, unexplained=("sizes",)).is_named


# Each promise that is broken is told


def test_a_mistake_that_loses_nothing_is_told(audited):
    add_mistake(audited.tiny, "harmless", HARMLESS)
    audited.build()
    audit = audited.audit()
    assert about(audit, "single harmless") == [to_authors["audit.hwx-single-harmless-loses"]]


def test_a_pair_that_cancels_itself_out_is_told(audited):
    add_mistake(audited.tiny, "two-thirds", 'edits.double = [["* x", "* x * 2 / 3"]]')
    audited.build()
    assert about(audited.audit(), "two-thirds loses") == [to_authors["audit.hwx-pair-triples-two-thirds"]]


def test_a_mistake_that_is_called_by_another_name_is_told(audited):
    """Its edit makes something else than what was stored under its name."""
    audited.tiny.edit(CATALOGUE, "return x", "return 3.0")
    forget_fingerprints(audited.tiny.store)
    audit = audited.audit()
    assert to_authors["audit.hwx-single-squares-is-called"].among(audit.violations)


def test_a_right_answer_that_loses_anything_is_told_with_the_checks(audited):
    audited.right("in_lists", "def double(x):\n    return x * 2\n\ndef totals(x):\n    return list(x)\n")
    assert "hwx: correct in_lists loses totals" in audited.audit().violations


def test_a_stub_that_earns_points_is_told(audited):
    solution = "    factor = 2\n    return factor * x\n"
    unreachable = "    if x is None:\n        # BEGIN SOLUTION\n        x = 0\n        # END SOLUTION\n"
    region = f"    # BEGIN SOLUTION\n{solution}    # END SOLUTION\n"
    audited.tiny.edit("doubles.py", region, f"{unreachable}{solution}")
    assert audited.audit().violations == ("hwx: stub doubles.py earns 3",)


def test_a_mistake_too_close_to_the_right_answer_is_told_with_its_distance(audited):
    add_mistake(audited.tiny, "nearly", 'edits.double = [["return factor", "return 2.0001"]]')
    folder, known = audited.tiny.store.folder, audited.tiny.store.read()
    write_singles(folder, compute_singles(audited.tiny.homework, known, audited.pool), known)
    violations = about(audited.audit(), "separates")
    assert to_authors["audit.hwx-hidden-double-wide"].among(violations)


def test_what_could_not_be_graded_is_told_and_counts_for_nothing_else(audited, monkeypatch):
    really_grade = audit_module.grade_handin

    def grade(code, suite, pool):
        result = really_grade(code, suite, pool)
        text = code.files.get(code.entry, "")
        broken = "np.add" in text or ("return 3" in text and "+ 1" not in text)
        ours = replace(result, status=Status.INFRASTRUCTURE_ERROR, checks=(), detail="no memory\nand more")
        return ours if broken else result

    monkeypatch.setattr(audit_module, "grade_handin", grade)
    audit = audited.audit()
    assert about(audit, "could not be graded") == [to_authors["audit.could-not-be-graded"]]
    assert not about(audit, "loses")


def test_a_check_that_breaks_is_told_once_with_its_file_and_line(audited):
    audited.tiny.edit("test_hwx.py", 'cases.published("double")', 'cases.publishd("double")')
    assert audited.audit().violations == (to_authors["audit.a-check-breaks"],)


def test_pairs_that_are_taken_for_another_mistake_give_the_line_to_paste(audited):
    suite = prepare_suite(audited.tiny.course, audited.tiny.homework, 0, audited.pool)
    pairs = [("squares", "adds-one"), ("squares", "triples"), ("triples", "adds-one")]
    trials = [
        audit_module.Trial(
            "hwx", Kind.PAIR, " + ".join(pair), pair, 0, 1, (("other",),) if i < 2 else (pair,)
        )
        for i, pair in enumerate(pairs)
    ]
    assert list(audit_module.exclusions(suite, trials)) == [to_authors["audit.exclusions"]]


def test_too_many_mistakes_without_a_name_are_told_with_their_names(audited):
    """Two mistakes that return the same cannot be told apart."""
    add_mistake(audited.tiny, "adds-itself", ADDS_ITSELF)
    audited.build()
    violations = about(audited.audit(), "not named")
    assert violations[0] == to_authors["audit.hwx-of-singles-are-not-named"]
    assert [line.split(" are ")[0] for line in violations] == [
        "hwx: 2 of 7 singles",
        "hwx: 2 of 7 notebooks",
        "hwx: 2 of 5 values",
    ]


@pytest.mark.parametrize(("named_count", "complaints"), [(100, 0), (99, 1)])
def test_every_single_mistake_must_be_named(named_count, complaints):
    assert len(list(audit_module._violations(singles(named_count, 100), []))) == complaints


def singles(named_count, count):
    return [
        audit_module.Trial(
            "hwx", Kind.SINGLE, f"m{i}", (f"m{i}",), 0, 1, ((f"m{i}",),) if i < named_count else ()
        )
        for i in range(count)
    ]


def test_an_answer_that_breaks_the_audit_itself_ends_it(audited, monkeypatch):
    def broken(variant, pool):
        raise ZeroDivisionError("in the audit")

    monkeypatch.setattr(audit_module, "try_candidate", broken)
    with pytest.raises(ZeroDivisionError, match="in the audit"):
        audited.audit()


def test_a_homework_without_mistakes_is_audited_by_its_answers_and_its_stub(audited):
    (audited.tiny.folder / CATALOGUE).unlink()
    audited.build()
    audit = audited.audit()
    assert {trial.kind for trial in audit.trials} == {Kind.CORRECT, Kind.STUB, Kind.ODD}
    assert (audit.violations, audit.margins) == ((), ())


# A real homework


@pytest.fixture
def suite(audited):
    """Make a suite in which these mistakes are known."""
    homework = audited.tiny.homework

    def make(*variants, cases=None):
        singles = {"double": list(variants)}
        return Suite(homework, (), (), Diagnostician(homework, (), cases or known(), singles), 0)

    return make


def off_by(tolerances):
    """The right answers, with their largest difference that many tolerances away."""
    return {name: value + tolerances * 1e-5 * max(1, np.abs(value).max()) for name, value in RIGHT.items()}


def test_each_case_is_separated_from_its_closest_mistake_in_tolerances(suite):
    close = list(margins(suite(variant("far", times(9)), variant("near", off_by(50)))))
    assert [(margin.homework, margin.case, margin.mistake) for margin in close] == [
        ("hwx", "hidden/double/small", "near"),
        ("hwx", "hidden/double/wide", "near"),
    ]
    assert [round(margin.tolerances, 3) for margin in close] == [50, 50]


def test_a_mistake_that_does_not_show_in_a_case_has_no_margin_there(suite):
    only_wide = {"small": RIGHT["small"], "wide": times(3)["wide"]}
    assert [margin.case for margin in margins(suite(variant("only-wide", only_wide)))] == [
        "hidden/double/wide"
    ]
    assert list(margins(suite(variant("harmless", RIGHT)))) == []


def test_a_mistake_that_raises_has_no_margin(suite):
    assert list(margins(suite(variant("raises", {"small": RAISED, "wide": RAISED})))) == []


@pytest.mark.parametrize(
    "value", [X["wide"][:2], np.array([np.nan, 2.0, 8.0]), (X["wide"], X["wide"]), None, [[1.0], [2.0, 3.0]]]
)
def test_another_form_and_nan_are_infinitely_far(suite, value):
    close = margins(suite(variant("odd", {"small": RIGHT["small"], "wide": value})))
    assert [margin.tolerances for margin in close] == [np.inf]


def test_of_several_parts_the_farthest_counts(suite):
    (first,) = known({"small": (np.zeros(2), np.zeros(3))})
    near_and_far = {"small": (np.full(2, 20e-5), np.full(3, 30e-5))}
    (close,) = margins(suite(variant("both", near_and_far), cases=[first]))
    assert close.tolerances == pytest.approx(30)


def test_whole_numbers_have_a_distance(suite):
    values = {name: value.astype(np.int64) + 1 for name, value in RIGHT.items()}
    assert all(np.isfinite(margin.tolerances) for margin in margins(suite(variant("adds-one", values))))


def test_what_honest_answers_may_do_too_has_no_margin(suite):
    """Such as printed decimals typed in; what strays further shows, also below the tolerance."""
    evidence = Evidence(noise=1e-8, printed=1e-6)
    cases = [replace(known_case, evidence=evidence) for known_case in known()]
    assert list(margins(suite(variant("typed-in", off_by(0.09)), cases=cases))) == []
    close = list(margins(suite(variant("close", off_by(0.2)), cases=cases)))
    assert [round(margin.tolerances, 3) for margin in close] == [0.2, 0.2]


def test_a_margin_says_homework_case_mistake_and_distance(audited):
    close = audited.audit().margins
    assert {margin.case for margin in close} >= {
        "hidden/double/wide",
        "public/double/small",
        "hidden/totals/wide",
    }
    assert all(
        isinstance(margin, Margin) and margin.homework == "hwx" and margin.tolerances > 10 for margin in close
    )


def trial(**changes):
    fields = {
        "homework": "hwx",
        "kind": Kind.SINGLE,
        "name": "a",
        "mistakes": ("a",),
        "earned": 1.0,
        "points": 2.0,
    }
    return Trial(**(fields | changes))


@pytest.mark.parametrize(
    ("mistakes", "labels", "is_named", "wrong"),
    [
        (("a",), (("a",),), True, ()),
        (("a",), (), False, ()),
        (("a",), (("b",),), False, ("b",)),
        (("a",), (("a",), ("argument-unused",)), True, ()),
        (("a",), (("argument-unused",),), False, ()),
        (("a",), (("a",), ("b",)), False, ("b",)),
        (("a",), (("c", "a", "b"),), False, ("b", "c")),
        (("a", "b"), (("a",),), True, ()),
        (("a", "b"), (("b",), ("a", "b")), True, ()),
        (("a", "b"), (("a",), ("c",)), False, ("c",)),
        ((), (("a",),), False, ("a",)),
    ],
)
def test_a_trial_is_named_by_one_of_its_mistakes_and_by_no_other(mistakes, labels, is_named, wrong):
    record = trial(mistakes=mistakes, labels=labels)
    assert (record.is_named, record.wrong_labels) == (is_named, wrong)


@pytest.mark.parametrize(("earned", "loses"), [(2.0, False), (1.99, True), (0.0, True), (None, False)])
def test_only_what_was_graded_can_lose_points(earned, loses):
    assert trial(earned=earned).loses_points is loses


def test_trials_are_picked_by_kind():
    pair = trial(kind=Kind.PAIR)
    assert Audit((trial(), pair), ()).of(Kind.PAIR) == [pair]
