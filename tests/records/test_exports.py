from results import homework_grade as homework
from results import submission_grade as submission

from autograder.report.exports import write_submission


def test_a_submission_gets_results_and_feedback_in_a_folder_of_its_name(tmp_path):
    write_submission(tmp_path, submission("zoë (2)", homework()))
    own = tmp_path / "submissions" / "zoë (2)"
    assert sorted(path.name for path in own.iterdir()) == ["feedback.html", "results.json"]


def test_a_submission_is_written_over_an_earlier_one(tmp_path):
    write_submission(tmp_path, submission("ada", homework()))
    first = (tmp_path / "submissions" / "ada" / "results.json").read_text("utf-8")
    write_submission(tmp_path, submission("ada"))
    assert (tmp_path / "submissions" / "ada" / "results.json").read_text("utf-8") != first
