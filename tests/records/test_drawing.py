"""Files that a worker draws with a result: as drawn here, and used only where they show all that is known."""

import pickle
from datetime import UTC, datetime

import pytest
from results import FAILED, homework, submission

from autograder.feedback import rendering
from autograder.feedback.task_parts import task_parts
from autograder.gradebook.opening import open_gradebook
from autograder.policy.policy import Policy
from autograder.policy.settlement import undecided
from autograder.report.drawing import Drawing, DrawnResult, without_files
from autograder.report.exports import files_of, write_graded
from autograder.verdict.explanation_faults import recording_faults
from autograder.verdict.work import Behaviour, Work

BEHAVIOUR = Behaviour("double", "a form", (0.25, 1.0))
ADA = submission("ada", homework(work=Work("doubles.py", "x = 1\n" * 20_000, behaviours=(BEHAVIOUR,))))


@pytest.fixture
def drawing(tiny):
    return Drawing(tiny.course, Policy())


def drawn_by(drawing, result):
    """The result as it comes from a worker."""
    return pickle.loads(pickle.dumps(drawing)).draw(result)


def kept(folder, tiny, *results):
    """Keep results one after the other as ``grade`` does; return the contents of the last one's files."""
    with open_gradebook(folder) as book:
        settlement = undecided(book, tiny.course)
        for result in results:
            whole = book.keep(without_files(result), "c", "g").whole
            book.files_written(result.name, write_graded(folder, whole, settlement, result))
    return [path.read_bytes() for path in files_of(folder, results[-1].name)]


def test_files_are_those_that_the_keeper_of_the_grades_would_draw(tmp_path, tiny, drawing):
    result = drawn_by(drawing, ADA)
    written = kept(tmp_path / "drawn", tiny, result)
    assert written == [result.drawn.results, result.drawn.feedback, result.drawn.page]
    assert written == kept(tmp_path / "here", tiny, ADA)


def test_files_are_drawn_again_where_an_earlier_result_stays(tmp_path, tiny, drawing):
    earlier = submission("ada", homework(homework="hwy", title="Of last week", checks=(FAILED,)))
    result = drawn_by(drawing, ADA)
    assert isinstance(result, DrawnResult)
    written = kept(tmp_path / "drawn", tiny, earlier, result)
    assert b"Of last week" in written[0]
    assert written == kept(tmp_path / "here", tiny, earlier, ADA)


def test_what_cannot_be_drawn_is_left_to_the_keeper_who_tells_of_it(monkeypatch, tmp_path, tiny, drawing):
    def fail_with_work(homework):
        if homework.work:
            raise LookupError("no parts")
        return task_parts(homework)

    monkeypatch.setitem(rendering._environment().filters, "parts", fail_with_work)
    result = drawing.draw(ADA)
    assert result is ADA
    with recording_faults() as faults:
        kept(tmp_path, tiny, result)
    assert len(faults) == 1


def test_the_day_is_that_of_drawing(drawing):
    today = datetime.now(UTC).date().isoformat()
    assert f"graded {today}".encode() in drawing.draw(ADA).drawn.feedback
