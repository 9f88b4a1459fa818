"""A sample of `whole/test_hints.py`: public checks name no mistake beside the one that grading names."""

from dataclasses import replace

import pytest
from submissions import mistaken_text

from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work

from .conftest import libraries_as_before

HW5, HW9 = "hw5_multihead_attention", "hw9_positions_and_cache"
SUM_OF_ROWS = ("softmax-no-keepdims-copied", "softmax-no-keepdims-both")

FLATTENED = """
import numpy as np

def attend_one_step(q, k_new, v_new, cache_k, cache_v):
    cache_k = np.append(cache_k, k_new)
    cache_v = np.append(cache_v, v_new)
    scores = {} / np.sqrt(len(q))
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum() @ cache_v, cache_k, cache_v
"""


def labels_of(report):
    return {label for check in report.results for label in check.misconceptions}


@pytest.mark.parametrize("name", SUM_OF_ROWS)
def test_a_sum_along_the_rows_is_not_taken_for_code_that_expects_a_batch(name, students):
    report = students.check(HW5, mistaken_text(HW5, name))
    assert labels_of(report) == {"softmax-no-keepdims"}


@pytest.mark.parametrize("name", SUM_OF_ROWS)
def test_square_scores_are_what_tells_it_from_that(name, students):
    folder = students.folder(HW5)
    public = open_homework(folder)
    # The single column of one token tells them apart, too.
    known = []
    for known_case in public.known:
        if "head-" not in known_case.case.id and "one-token" not in known_case.case.id:
            known.append(known_case)
    assert len(known) < len(public.known)
    (folder / public.homework.stub).write_text(mistaken_text(HW5, name), encoding="utf-8")
    with libraries_as_before():
        report = check_work(replace(public, known=tuple(known)), find_work(public, folder))
    assert "batch-only" in labels_of(report)


@pytest.mark.parametrize("product", ["cache_k @ q", "q @ cache_k.T", "np.dot(cache_k, q)"])
def test_a_cache_that_is_appended_to_without_an_axis_is_named_on_either_side_of_the_product(
    product, students
):
    report = students.check(HW9, FLATTENED.format(product))
    assert labels_of(report) == {"cache-flattened"}
