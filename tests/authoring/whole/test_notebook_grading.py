import pytest
from homeworks import TEN

from autograder.grading.grade import grade_handin
from autograder.intake.notebook import parse_notebook
from autograder.sandbox.request import Code
from autograder.verdict.checks import Outcome

HOMEWORKS = TEN


@pytest.fixture
def grade_notebook(suite_of, pool):
    def grade(homework_id, text):
        cells = parse_notebook(text.encode(), "handed_in.ipynb").cells
        return grade_handin(Code("handed_in.ipynb", {}, cells), suite_of(homework_id), pool)

    return grade


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_the_filled_notebook_passes_every_hidden_check_without_a_note_on_cells(
    assigned, grade_notebook, homework_id
):
    result = grade_notebook(homework_id, assigned(homework_id)[1])
    not_passed = {check.check for check in result.checks if check.outcome is not Outcome.PASSED}
    assert not_passed == {check.check for check in result.checks if check.outcome is Outcome.COLLECTED}
    assert not [note for note in result.notes if note.startswith("Cell ")]


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_the_notebook_as_handed_out_earns_nothing(assigned, grade_notebook, homework_id):
    assert grade_notebook(homework_id, assigned(homework_id)[0]).earned == 0


def test_pictures_handed_in_beside_the_notebook_are_not_run(assigned, suite_of, pool):
    cells = parse_notebook(assigned(HOMEWORKS[0])[1].encode(), "handed_in.ipynb").cells
    files = {"attention_plots.py": "raise RuntimeError('drawn')\n"}
    result = grade_handin(Code("handed_in.ipynb", files, cells), suite_of(HOMEWORKS[0]), pool)
    assert result.earned == result.points
    assert result.notes == ()
