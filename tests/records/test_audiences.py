"""Students read what is wrong and what they can do; what else the staff can do stands in the report."""

import re
from pathlib import Path

import pytest
from intake.makers import folder_of, match_read, notebook_of, tasks_of, zip_of
from wording import read, to_students

from autograder.batch.workers import over_budget, result_of_lost_entry
from autograder.intake.files import read_files
from autograder.intake.submission import Submission
from autograder.policy.grade import SubmissionGrade
from autograder.report.exports import write_submission
from autograder.report.report import Overview, write_report
from autograder.report.submission_page import page_data
from autograder.sandbox.report import Status
from autograder.verdict.results import HomeworkResult, SubmissionResult

STUBS = {"hw1": "attention_scores.py", "hw2": "self_attention.py", "hw5": "multihead_attention.py"}
TASKS = {
    "hw1": ("qk_scores", "softmax"),
    "hw2": ("self_attention_numpy", "softmax"),
    "hw5": ("multihead_scaled_self_attention",),
}
STAFF_ONLY = re.compile(
    r"autograder (?!folder)|--(?!all|pack|watch|time)\w|(?<!checks )\bask (for|which)\b|by hand|unpack it|grade it"
    r"|grade the right|permissions|download it again|same command|Traceback|\bTA\b(?! \()"
)
SCORES = "def qk_scores(Q, K):\n    return Q @ K.T\n"
SHARED = "def softmax(x):\n    return x\n"
HEADS = "def multihead_scaled_self_attention(X):\n    return X\n"

BROKEN = {
    "nothing": {},
    "an essay": {"essay.pdf": "x"},
    "another name": {"work.py": SHARED},
    "two that differ": {"attention_scores.py": SCORES, "old/attention_scores.py": SCORES + "# old\n"},
    "another's content": {"my_self_attention.py": HEADS, "multihead_attention.py": HEADS + "# 2\n"},
    "a false notebook": {"attention_scores.ipynb": "no json"},
    "an empty notebook": {"attention_scores.ipynb": notebook_of("")},
    "a rar": {"work.rar": "x"},
    "a hidden ending": {"attention_scores.py.txt": SCORES},
    "a damaged zip": {"work.zip": zip_of({"attention_scores.py": SCORES})[:-30]},
    "zips in zips": {"a.zip": zip_of({"b.zip": zip_of({"c.zip": zip_of({"d.zip": zip_of({})})})})},
    "a zip that points outside": {"a.zip": zip_of({"../evil.py": SCORES})},
    "the same file twice": {"work/a\u0301.py": "1", "work.zip": zip_of({"b\x07.py": "2", "b_.py": "1"})},
    "no text": {"attention_scores.py": b"\0\0"},
    "names of modules": {"numpy.py": SCORES, "attention_scores.py": SCORES},
}


def rendered(folder, *results):
    """All that students can see of these results."""
    for result in results:
        write_submission(folder, SubmissionGrade.of(result))
    pages = "\n".join(path.read_text("utf-8") for path in folder.glob("submissions/*/*") if path.is_file())
    return re.sub(r"<style>.*?</style>", "", pages, flags=re.DOTALL)


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize("chosen", [(), ("hw1",), ("hw1", "hw2")], ids=str)
def test_no_text_for_students_speaks_to_the_staff(tmp_path, broken, chosen):
    read_as = read_files(folder_of(tmp_path / "ada", BROKEN[broken]))
    matched = match_read("ada", read_as, STUBS, chosen, tasks=tasks_of(TASKS))
    homeworks = tuple(
        HomeworkResult(handin.homework, handin.homework, Status.GRADED, 1, notes=handin.notes)
        for handin in matched.handins
    )
    result = SubmissionResult("ada", "ada", homeworks, matched.problems)
    assert STAFF_ONLY.findall(rendered(tmp_path / "out", result)) == []


def test_a_submission_that_cost_too_much_and_a_fault_of_ours_are_told_without_commands(tmp_path):
    results = [
        over_budget(Submission("ada", Path()), Status.TIME_LIMIT, "20 s"),
        result_of_lost_entry(Submission("bo", Path()), "the grader: Traceback"),
    ]
    assert STAFF_ONLY.findall(rendered(tmp_path, *results)) == []


@pytest.mark.parametrize(
    ("broken", "remedy"),
    [
        ("an essay", "`autograder grade FILE --homework ID`"),
        ("another name", "`autograder grade FILE --homework ID`"),
        ("two that differ", "`autograder grade FILE --homework hw1`"),
        ("an empty notebook", "ask for it"),
        ("a rar", "unpack it by hand"),
        ("a damaged zip", "ask for it again"),
    ],
)
def test_the_staff_reads_the_command_or_what_else_to_do(tmp_path, broken, remedy):
    read_as = read_files(folder_of(tmp_path / "ada", BROKEN[broken]))
    matched = match_read("ada", read_as, STUBS, tasks=tasks_of(TASKS))
    result = SubmissionGrade.of(SubmissionResult("ada", "ada", (), matched.problems))
    write_report(tmp_path / "report.html", Overview([result]), ["hw1"], 1)
    assert "--homework" not in (tmp_path / "report.html").read_text("utf-8")
    [*problems] = page_data(result, {})["problems"]
    assert any(remedy in problem for problem in problems), "the submission's page names the command"


def test_no_pinned_text_for_students_speaks_to_the_staff():
    texts = {key: text for key, text in read(to_students.path).items() if STAFF_ONLY.search(text)}
    assert texts == {}
