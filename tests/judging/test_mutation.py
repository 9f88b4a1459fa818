from dataclasses import replace

import numpy as np
import pytest
from homeworks import SIX
from wording import to_authors

from autograder.course.cases import Case, FunctionCall, Group
from autograder.course.schema import CourseError
from autograder.reasons.agreement import LARGEST_CASE, diagnostic_cases
from autograder.reasons.catalogue import CATALOGUE, read_catalogue
from autograder.reasons.mutation import as_diffs, mutants, pair_labels, run_variants, single_labels

from .mistakes import PAIRS, SINGLES


def test_each_mistake_of_a_task_is_tried_alone(mistaken):
    catalogue = read_catalogue(mistaken.homework)
    assert {task: single_labels(catalogue, task) for task in SINGLES} == SINGLES


def test_pairs_leave_out_what_is_excluded_or_stands_alone(mistaken):
    catalogue = read_catalogue(mistaken.homework)
    assert {task: pair_labels(catalogue, task) for task in PAIRS} == PAIRS


def test_no_pair_of_the_course_is_excluded_by_either_side(course):
    for homework in course.homeworks(SIX):
        catalogue = read_catalogue(homework)
        by_id = {mistake.id: mistake for mistake in catalogue}
        for task in homework.tasks:
            for labels in pair_labels(catalogue, task.name):
                mistake, other = (by_id[label] for label in labels)
                assert not {mistake.id, other.id} & (mistake.excludes | other.excludes), labels
                assert not mistake.alone, labels
                assert not other.alone, labels
                assert task.name in mistake.tasks, labels
                assert task.name in other.tasks, labels


def test_diagnosis_looks_at_stored_cases_of_moderate_size_and_without_gradients(known):
    fresh = replace(known[0], case=replace(known[0].case, group=Group.FRESH))
    with_gradients = replace(known[0], gradients={"0": np.ones(3)})
    too_large = replace(known[0], expected=np.ones(LARGEST_CASE + 1))
    large_in_parts = replace(known[0], expected=(np.ones(LARGEST_CASE), np.ones(1)))
    just_fits = replace(known[0], expected=np.ones(LARGEST_CASE))
    others = [fresh, with_gradients, too_large, large_in_parts]
    assert diagnostic_cases([*others, just_fits], "double") == [just_fits]
    of_double = [known_case.case.id for known_case in diagnostic_cases(known, "double")]
    assert of_double == [
        f"{name}" for name in (known_case.case.id for known_case in known) if "/double/" in name
    ]


def test_variants_answer_with_their_mistakes_and_no_others(mistaken, pool):
    case = Case("double/x", FunctionCall("double", (np.array([1.0, 4.0]),)))
    labels = [("triples",), ("triples", "adds-one"), ("adds-one",), ()]
    variants = run_variants(mistaken.homework, [case], labels, pool)
    assert [variant.labels for variant in variants] == labels
    values = [variant.answers[case.id].value.tolist() for variant in variants]
    assert values == [[3.0, 12.0], [4.0, 13.0], [3.0, 9.0], [2.0, 8.0]]


def test_a_variant_may_raise_without_ending_the_others(mistaken, pool):
    cases = [
        Case("double/bad", FunctionCall("double", (None,))),
        Case("double/x", FunctionCall("double", (1,))),
    ]
    (variant,) = run_variants(mistaken.homework, cases, [("squares",)], pool)
    assert [variant.answers[case.id].is_usable for case in cases] == [False, True]


def test_edits_that_make_no_python_are_refused_with_the_file_and_the_mistake(own_course, pool):
    path = own_course.edit(CATALOGUE, "return 3", "return (3")
    with pytest.raises(CourseError, check=to_authors["mutants.triples-syntaxerror"]) as caught:
        run_variants(own_course.homework, [], [("triples",)], pool)
    assert str(path) in str(caught.value)


def test_a_mistake_that_there_is_not_is_refused_with_its_name(mistaken, pool):
    with pytest.raises(CourseError, check=to_authors["mutants.no-mistake-trebles"]):
        run_variants(mistaken.homework, [], [("trebles",)], pool)


def test_a_mutant_is_the_solution_with_the_edits_and_nothing_else(mistaken):
    right = mistaken.homework.solution.read_text("utf-8")
    triples = right.replace("return factor", "return 3")
    both = triples.replace("3 * x", "3 * x + 1").replace(
        "return x.sum(), np.prod(x)", "return 1 + x.sum(), 1 + np.prod(x)"
    )
    assert list(mutants(mistaken.homework, [(), ("triples",), ("triples", "adds-one")])) == [
        right,
        triples,
        both,
    ]


def test_a_diff_shows_what_a_mistake_changes_in_the_solution(mistaken):
    diffs = as_diffs(mistaken.homework, [("triples",), ("no-such-mistake",)])
    assert list(diffs) == ["triples"]
    lines = diffs["triples"].splitlines()
    assert lines[:2] == ["--- doubles.py", "+++ doubles.py with triples"]
    changed = [line for line in lines[2:] if line.startswith(("+", "-"))]
    assert changed == ["-    return factor * x", "+    return 3 * x"]


def test_every_mistake_of_the_course_has_a_diff_that_makes_python(course):
    for homework in course.homeworks(SIX):
        every = [(mistake.id,) for mistake in read_catalogue(homework)]
        diffs = as_diffs(homework, every).values()
        for labels, text, diff in zip(every, mutants(homework, every), diffs, strict=True):
            compile(text, labels[0], "exec")
            assert diff.startswith(f"--- {homework.stub}\n+++ "), labels
