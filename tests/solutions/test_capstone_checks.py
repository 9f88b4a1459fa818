"""Checks and cases of the real homeworks: the capstone's, public ones, and the manifests."""

from dataclasses import replace

import numpy as np
import pytest
from homeworks import TEN
from released import unzip
from submissions import mistaken_text

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.course.course import find_course
from autograder.decoders.memory import remembers_calls
from autograder.decoders.stops import why_no_row
from autograder.grading.stale import fingerprints
from autograder.sandbox.report import Answer, IndexOutOfTable, StudentError
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.verdict.checks import Outcome, load_checks, run_checks
from autograder.verdict.fixtures import Cases, Compare, Fixtures, SubmissionProxy
from autograder.verdict.interface import Restored
from autograder.verdict.store import open_store

CAPSTONE = "capstone_tiny_transformer"


def test_no_outputs_at_all_are_judged_as_wrong_logits(course):
    homework = course.homework(CAPSTONE)
    cases = Cases(open_store(course, homework).read())
    answers = {known.case.id: Answer(value=[]) for known in cases.known}
    submission = SubmissionProxy(Restored(answers), dict, tuple, lambda calls: [])
    compare = Compare(homework, submission, cases)
    checks = {check.name: check for check in load_checks(homework)}
    pieces = replace(checks["model_pieces"], requires=())
    [result] = run_checks([pieces], Fixtures(submission, cases, compare))
    assert result.outcome is Outcome.FAILED
    assert result.reason.endswith("what comes first is not an array.")


def test_an_index_without_a_row_is_compared_with_the_sizes_of_the_batch(course):
    homework = course.homework(CAPSTONE)
    cases = Cases(open_store(course, homework).read())
    known, *_ = cases.published("TinyTransformer", "steps")
    texts = []
    for number in (8, 9):
        out = IndexOutOfTable("places", "max", number, (7, 16))
        error = StudentError("IndexError", shapes={"places": (1,)}, out_of_table=out)
        texts.append(why_no_row(known, error))
    assert "8 is the number of sequences in the batch" in texts[0]
    assert texts[1] == ""


@pytest.mark.parametrize(
    ("second", "remembers"),
    [
        (Answer(error=StudentError("IndexError")), True),
        (Answer(error=StudentError("TimeLimit")), False),
        (Answer(value=1.0), True),
        (Answer(value=0.0), False),
    ],
    ids=["stops", "is cut off", "has other logits", "has the same logits"],
)
def test_a_model_remembers_if_a_second_new_one_differs(course, second, remembers):
    homework = course.homework(CAPSTONE)
    cases = Cases(open_store(course, homework).read())
    logits = np.ones((8, 7, 11))
    first = Answer(value=(logits, []))
    if second.is_usable:
        second = replace(second, value=(logits + second.value * np.arange(11), []))
    submission = SubmissionProxy(Restored({}), dict, tuple, lambda calls: [first, second])
    known, *_ = cases.published("TinyTransformer", "one-layer")
    assert remembers_calls(submission, known) is remembers


@pytest.mark.parametrize("homework_id", find_course().homework_ids())
def test_no_file_has_changed_since_the_outputs_were_stored(course, homework_id):
    """Where one has, no value may differ, but every run computes them all again to be sure."""
    homework = course.homework(homework_id)
    assert open_store(course, homework).manifest().made_from == fingerprints(homework)


HOMEWORKS = TEN
HW4 = "hw4_self_attention_columns"
MOST = 16


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_most_points_can_be_checked_before_handing_in(homework_id, course):
    homework = course.homework(homework_id)
    public = sum(check.points for check in load_checks(homework) if check.public)
    assert public >= MOST
    assert checks_text(homework, public_checks(homework))


def test_code_for_the_published_number_of_tokens_alone_fails_public_checks(tmp_path):
    public = open_homework(unzip(HW4, tmp_path))
    text = mistaken_text(HW4, "hard-coded-size-three-tokens")
    (tmp_path / public.homework.stub).write_text(text, encoding="utf-8")
    report = check_work(public, find_work(public, tmp_path))
    failed = {result.check for result in report.results if result.outcome is Outcome.FAILED}
    assert failed == {"softmax_sizes", "per_token_sizes", "matrix_sizes", "scaled_sizes"}
