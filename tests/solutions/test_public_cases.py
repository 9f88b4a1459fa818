"""What students' public checks show: most points, and code for the published sizes alone."""

import pytest
from homeworks import TEN
from released import unzip
from submissions import mistaken_text

from autograder.authoring.checks_package import checks_text, public_checks
from autograder.student.find import find_work
from autograder.student.homework import open_homework
from autograder.student.load import check_work
from autograder.verdict.checks import Outcome, load_checks

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
