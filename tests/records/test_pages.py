import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from results import FAILED, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from wording import to_staff

from autograder.feedback.pages import as_sentence, feedback_page, short_name
from autograder.feedback.results_json import results_mapping
from autograder.report.report import Overview, write_report
from autograder.report.submission_page import page_data
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome

EVIL = "<script>alert(1)</script>"
ANSI = "\x1b[2J\x1b[31mpassed\x07\u202e"


class Reader(HTMLParser):
    """Collects the tags and the visible text of a page; void tags aside, every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.text = ""
        self._open = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "br", "input"):
            self._open.append(tag)
        self.text += " " if tag == "td" else ""

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data


def feedback(tmp_path, result):
    (tmp_path / "feedback.html").write_text(feedback_page(result), "utf-8")
    return Reader((tmp_path / "feedback.html").read_text("utf-8"))


def report(tmp_path, *results):
    write_report(tmp_path / "report.html", Overview(results), ["hwx", "hwy"], 11)
    return Reader((tmp_path / "report.html").read_text("utf-8"))


def hostile(text):
    """A result with a text in every place where a submission's own words may end up."""
    check = replace(FAILED, reason=text, staff=text, misconceptions=(text,))
    homework_result = homework(
        checks=(check,), detail=text, notes=(text,), output=text, status=Status.CRASHED
    )
    return submission(text, homework_result, problems=(text,), fault=text)


@pytest.mark.parametrize("page", [feedback, report])
def test_markup_of_a_submission_is_shown_and_never_run(tmp_path, page):
    reader = page(tmp_path, hostile(EVIL))
    assert reader.tags.count("script") == (2 if page is report else 0), "data and code of the page"
    assert EVIL in reader.text


@pytest.mark.parametrize("page", [feedback, report])
def test_control_characters_are_shown_and_never_obeyed(tmp_path, page):
    reader = page(tmp_path, hostile(ANSI))
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in reader.text
    assert r"\x1b[2J\x1b[31mpassed\x07" in reader.text


@pytest.mark.parametrize("page", [feedback, report])
@pytest.mark.parametrize("text", ["ada\udcff", "two\nlines", "{{ 7 * 7 }}", "zoë 🎓", ""])
def test_any_text_can_be_written(tmp_path, page, text):
    reader = page(tmp_path, hostile(text))
    assert text.strip() in "".join(reader.text.split("\n")) or not text.isprintable()


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("hints", ["always", "after_published", "never"])
def test_both_pages_can_be_written_for_every_status(tmp_path, status, hints):
    homework_result = homework(status=status, hints=hints, detail="stopped after 12 s")
    words = str(status).replace("_", " ").capitalize()
    assert (words in feedback(tmp_path, submission("ada", homework_result)).text) == (
        status is not Status.GRADED
    )
    assert str(status) in report(tmp_path, submission("ada", homework_result)).text


def test_an_empty_class_can_be_reported(tmp_path):
    assert "0 submissions" in report(tmp_path).text


def test_a_submission_without_homeworks_says_why(tmp_path):
    result = submission("ada", problems=("no stub's name was found",))
    assert "no stub's name was found" in feedback(tmp_path, result).text
    assert "no stub's name was found" in report(tmp_path, result).text


def test_the_student_reads_nothing_that_is_for_the_staff(tmp_path):
    mine = homework(output="printed: secret", layers=("secret layer",))
    text = feedback(tmp_path, submission("ada", mine, ours(homework="hwy"), fault="Traceback: secret")).text
    assert FAILED.staff not in text
    assert "hard-coded-size" not in text
    assert "secret" not in text


def test_hints_never_hides_the_reasons_but_not_the_points(tmp_path):
    text = feedback(tmp_path, submission("ada", homework(hints="never"))).text
    assert "The shape of" not in text
    assert FAILED.sentence in text
    assert "0 / 2" in text


def test_our_fault_is_told_as_such_and_shows_no_zero(tmp_path):
    text = feedback(tmp_path, submission("ada", ours())).text
    assert "– of 5.5 points" in text
    assert to_staff["html.grader-failed-not-you"] in text
    assert "0 of" not in text


def test_the_reason_of_a_status_and_notes_are_told(tmp_path):
    note = "Cell 3 raised NameError at line 2 of cell 3."
    homework_result = homework(status=Status.TIME_LIMIT, detail="stopped after 12 s", notes=(note,))
    text = feedback(tmp_path, submission("ada", homework_result)).text
    assert to_staff["html.time-limit-stopped-after-s"] in text
    assert note in text


def test_the_staff_reads_everything():
    homework_result = homework(
        status=Status.CRASHED, detail="killed by SIGSEGV", output="printed this", notes=("a note",)
    )
    result = submission("ada", homework_result, ours(homework="hwy"), fault="Traceback: ours")
    text = json.dumps(page_data(result, {}), default=vars)
    for words in (
        FAILED.staff,
        "killed by SIGSEGV",
        "printed this",
        "a note",
        "secret",
        "Traceback: ours",
        '"seed": 7',
    ):
        assert words in text


def test_pages_tell_a_reason_once_and_results_json_with_each_check(tmp_path):
    failed = replace(FAILED, kind="shape", cause="x")
    checks = (failed, replace(failed, check="double_again", sentence="double works again."))
    result = submission("ada", homework(checks=checks))
    text = " ".join(feedback(tmp_path, result).text.split())
    assert text.count("the doubled numbers is (2,)") == 1
    outputs = [test["output"] for test in results_mapping(result)["tests"]]
    assert len(set(outputs)) == 1


def test_pages_load_nothing_from_elsewhere(tmp_path):
    report(tmp_path, submission("ada", homework()))
    feedback(tmp_path, submission("ada", homework()))
    for name in ("report.html", "feedback.html"):
        page = (tmp_path / name).read_text("utf-8")
        assert "http" not in page
        assert "src=" not in page


@pytest.mark.parametrize(
    ("reason", "shown"),
    [("not run because …", "Not run because …"), ("omega_c acts …", "omega_c acts …"), ("", "")],
)
def test_a_reason_begins_like_a_sentence_but_a_name_keeps_its_letters(reason, shown):
    assert as_sentence(reason) == shown


def test_the_head_of_a_narrow_column_is_the_number_of_its_homework():
    heads = {"hw1_attention_scores": "hw1", "hw1_scores_drill": "hw1_drill", "hw2_x_examples": "hw2_examples"}
    assert {homework_id: short_name(homework_id) for homework_id in heads} == heads


# How a written answer that nobody has marked yet looks

WAITING = CheckResult(
    "theory_why",
    "theory",
    "Why twice",
    2.0,
    Outcome.COLLECTED,
    reason="Collected for your TA (2 points).",
    answer=f"Because {EVIL}",
)


def waiting():
    return submission("ada", homework(points=3.0, checks=(PASSED, WAITING)))


def test_gradescope_shows_it_neither_as_passed_nor_as_failed():
    mapping = results_mapping(waiting())
    _, test = mapping["tests"]
    assert not {"score", "max_score", "status"} & set(test)
    assert test["output"] == "Collected for your TA (2 points)."
    assert test["extra_data"]["outcome"] == "collected"
    assert mapping["score"] == 1.0


def test_the_student_reads_that_it_waits(tmp_path):
    (tmp_path / "feedback.html").write_text(feedback_page(waiting()), "utf-8")
    text = Reader((tmp_path / "feedback.html").read_text("utf-8")).text
    assert "1 of 3 points" in text
    assert "– no points yet / 2" in text
    assert "Collected for your TA (2 points)." in text


def test_the_staff_reads_the_answer():
    assert f"Because {EVIL}" in json.dumps(page_data(waiting(), {}), default=vars)
