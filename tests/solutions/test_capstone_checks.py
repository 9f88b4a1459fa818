"""Checks and cases of the real homeworks: the capstone's, public ones, and the manifests."""

from dataclasses import replace

import numpy as np
import pytest
from homeworks import TEN
from released import unzip
from submissions import mistaken_text

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.course.cases import load_module, tensor
from autograder.course.course import find_course
from autograder.grading.stale import fingerprints
from autograder.sandbox.report import Answer, StudentError
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.verdict.checks import Outcome, checks_file, load_checks, run_checks
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


@pytest.mark.parametrize(
    ("second_gain", "is_untouched"),
    [([1, 1, 1], True), ([1, 0.97, 1.02], False)],
    ids=["no norm has moved", "one norm has moved"],
)
def test_a_model_with_a_norm_that_moved_has_learned(course, second_gain, is_untouched):
    module = load_module(checks_file(course.homework(CAPSTONE)))
    arrays = [np.ones(3), np.zeros(3), second_gain, [0.02, -0.01, 0.0], np.ones(3), np.eye(3)]
    assert module._has_untouched_norms(map(tensor, arrays)) is is_untouched


@pytest.mark.parametrize(
    ("old_part", "is_changed"),
    [([1, 2], False), ([1, 5], True)],
    ids=["as it was", "changed"],
)
def test_a_cache_that_grows_keeps_its_numbers(course, old_part, is_changed):
    module = load_module(checks_file(course.homework(CAPSTONE)))
    old = np.array([[1.0, 2.0]])
    new_number = [[3.0]]
    grown = np.append([old_part], new_number, axis=1)
    grown_in_front = np.append(new_number, [old_part], axis=1)
    assert module._old_part_has_changed([(old, old)], [(grown, grown_in_front)]) is is_changed
    assert not module._old_part_has_changed([old], [old])
    assert not module._old_part_has_changed([old], [grown, grown])


def test_an_index_without_a_row_is_compared_with_the_sizes_of_the_batch(course):
    homework = course.homework(CAPSTONE)
    cases = Cases(open_store(course, homework).read())
    known, *_ = cases.published("TinyTransformer", "steps")
    index = (
        "index out of range in self\nHere `places` is (1,), `places.max()` is {}, `nn.Embedding` is (7, 16)"
    )
    module = load_module(checks_file(homework))
    texts = []
    for number in (8, 9):
        error = StudentError("IndexError", index.format(number))
        answers = {known.case.id: Answer(error=error)}
        submission = SubmissionProxy(Restored(answers), dict, tuple, lambda calls: [])
        texts.append(module._size_of_index(Compare(homework, submission, cases), known))
    assert "8 is the number of sequences in the batch" in texts[0]
    assert texts[1] == ""


@pytest.mark.parametrize(
    ("names", "further_layers"),
    [
        (["blocks.0.up.weight"], 0),
        (["blocks.0.up.weight", "blocks.1.up.weight", "blocks.2.up.weight"], 2),
        (["blocks.0.up.weight", "layers.0.up.weight"], 0),
        (["blocks.0.heads.0.weight", "blocks.0.heads.1.weight"], 0),
        (["network.0.weight", "blocks.0.network.0.weight", "blocks.1.network.0.weight"], 1),
        (["layer1.weight", "layer2.weight"], 1),
        (["embedding.weight", "logits.weight"], 0),
    ],
)
def test_the_layers_that_share_a_parameter_are_told_by_its_names(names, further_layers, course):
    module = load_module(checks_file(course.homework(CAPSTONE)))
    assert module._layers_beyond_one(names) == further_layers


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
    module = load_module(checks_file(homework))
    assert module._remembers_calls(Compare(homework, submission, cases)) is remembers


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
