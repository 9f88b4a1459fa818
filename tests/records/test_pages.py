from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from results import FAILED, homework, ours, submission
from wording import to_staff

from autograder.judging.checks import CheckResult
from autograder.judging.results import SubmissionResult
from autograder.records.pages import write_feedback, write_report
from autograder.records.results_json import results_mapping
from autograder.sandbox.report import Status

EVIL = "<script>alert(1)</script>"
ANSI = "\x1b[2J\x1b[31mpassed\x07\u202e"


class Reader(HTMLParser):
    """Collects the tags and the visible text of a page; void tags aside, every tag must be closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "br", "input"):
            self._open.append(tag)
        self.text += " " if tag == "td" else ""

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def feedback(tmp_path: Path, result: SubmissionResult) -> Reader:
    write_feedback(tmp_path / "feedback.html", result)
    return Reader((tmp_path / "feedback.html").read_text("utf-8"))


def report(tmp_path: Path, *results: SubmissionResult) -> Reader:
    write_report(tmp_path / "report.html", results, ["hwx", "hwy"], 11)
    return Reader((tmp_path / "report.html").read_text("utf-8"))


def hostile(text: str) -> SubmissionResult:
    """A result with a text in every place where a submission's own words may end up."""
    check = replace(FAILED, reason=text, staff=text, misconceptions=(text,))
    one = homework(checks=(check,), detail=text, notes=(text,), output=text, status=Status.CRASHED)
    return submission(text, one, problems=(text,), fault=text)


@pytest.mark.parametrize("page", [feedback, report])
def test_markup_of_a_submission_is_shown_and_never_run(tmp_path: Path, page: object) -> None:
    reader = page(tmp_path, hostile(EVIL))  # type: ignore[operator]
    assert "script" not in reader.tags
    assert EVIL in reader.text


@pytest.mark.parametrize("page", [feedback, report])
def test_control_characters_are_shown_and_never_obeyed(tmp_path: Path, page: object) -> None:
    reader = page(tmp_path, hostile(ANSI))  # type: ignore[operator]
    for character in ("\x1b", "\x07", "\u202e"):
        assert character not in reader.text
    assert r"\x1b[2J\x1b[31mpassed\x07" in reader.text


@pytest.mark.parametrize("page", [feedback, report])
@pytest.mark.parametrize("text", ["ada\udcff", "two\nlines", "{{ 7 * 7 }}", "zoë 🎓", ""])
def test_any_text_can_be_written(tmp_path: Path, page: object, text: str) -> None:
    reader = page(tmp_path, hostile(text))  # type: ignore[operator]
    assert "49" not in reader.text


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("hints", ["always", "after_published", "never"])
def test_both_pages_can_be_written_for_every_status(tmp_path: Path, status: Status, hints: str) -> None:
    one = homework(status=status, hints=hints, detail="stopped after 12 s")
    words = str(status).replace("_", " ").capitalize()
    assert (words in feedback(tmp_path, submission("ada", one)).text) == (status is not Status.GRADED)
    assert str(status) in report(tmp_path, submission("ada", one)).text


def test_an_empty_class_can_be_reported(tmp_path: Path) -> None:
    assert "0 submissions" in report(tmp_path).text


def test_a_submission_without_homeworks_says_why(tmp_path: Path) -> None:
    result = submission("ada", problems=("no stub's name was found",))
    assert "no stub's name was found" in feedback(tmp_path, result).text
    assert "no stub's name was found" in report(tmp_path, result).text


def test_the_student_reads_each_check_with_sign_reason_and_points(tmp_path: Path) -> None:
    text = feedback(tmp_path, submission("ada", homework())).text
    assert "Doubles and totals: 1 of 5.5 points" in text
    assert [text.count(sign) for sign in "✓✗–"] == [1, 1, 1]
    assert to_staff["html.shape-of-the-doubled-numbers"] in text
    assert "0 / 2.5" in text


def test_checks_are_grouped_by_task(tmp_path: Path) -> None:
    reader = feedback(tmp_path, submission("ada", homework()))
    assert reader.tags.count("h3") == 2
    assert reader.text.index("double works") < reader.text.index("totals gives")


def test_the_student_reads_nothing_that_is_for_the_staff(tmp_path: Path) -> None:
    mine = homework(output="printed: secret", layers=("secret layer",))
    text = feedback(tmp_path, submission("ada", mine, ours(homework="hwy"), fault="Traceback: secret")).text
    assert FAILED.staff not in text
    assert "hard-coded-size" not in text
    assert "secret" not in text


def test_hints_never_hides_the_reasons_but_not_the_points(tmp_path: Path) -> None:
    text = feedback(tmp_path, submission("ada", homework(hints="never"))).text
    assert "The shape of" not in text
    assert FAILED.sentence in text
    assert "0 / 2" in text


def test_our_fault_is_told_as_such_and_shows_no_zero(tmp_path: Path) -> None:
    text = feedback(tmp_path, submission("ada", ours())).text
    assert "– of 5.5 points" in text
    assert to_staff["html.grader-failed-not-you"] in text
    assert "0 of" not in text


def test_the_reason_of_a_status_is_told(tmp_path: Path) -> None:
    one = homework(status=Status.TIME_LIMIT, detail="stopped after 12 s")
    assert to_staff["html.time-limit-stopped-after-s"] in feedback(tmp_path, submission("ada", one)).text


def test_notes_on_cells_are_told(tmp_path: Path) -> None:
    one = homework(notes=("Cell 3 raised NameError at line 2 of cell 3.",))
    assert "Cell 3 raised NameError" in feedback(tmp_path, submission("ada", one)).text


def test_the_staff_reads_everything(tmp_path: Path) -> None:
    one = homework(
        status=Status.CRASHED, detail="killed by SIGSEGV", output="printed this", notes=("a note",)
    )
    text = report(tmp_path, submission("ada", one, ours(homework="hwy"), fault="Traceback: ours")).text
    for words in (
        FAILED.staff,
        "killed by SIGSEGV",
        "printed this",
        "a note",
        "secret",
        "Traceback: ours",
        "seed 7",
    ):
        assert words in text


def test_line_breaks_and_tabs_of_what_was_printed_stay(tmp_path: Path) -> None:
    assert "first\n\tsecond" in report(tmp_path, submission("ada", homework(output="first\n\tsecond"))).text


def test_the_head_of_a_column_is_short_and_names_the_homework_in_full(tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", [], ["hw1_attention_scores"], 20)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert '<th class="n" title="hw1_attention_scores">hw1</th>' in page


def test_the_report_counts_statuses(tmp_path: Path) -> None:
    results = [submission("ada", homework()), submission("bob", homework()), submission("cleo")]
    assert "3 submissions: 2 graded, 1 not_submitted." in report(tmp_path, *results).text


def test_the_report_counts_in_how_many_hand_ins_a_mistake_was_found(tmp_path: Path) -> None:
    def labelled(*labels: tuple[str, ...]) -> tuple[CheckResult, ...]:
        return tuple(replace(FAILED, misconceptions=label) for label in labels)

    results = [
        submission("ada", homework(checks=labelled(("no-scaling", "hardmax"), ("no-scaling",)))),
        submission("bob", homework(checks=labelled(("no-scaling",), ("double-softmax",)))),
        submission("cleo", homework()),
    ]
    text = " ".join(report(tmp_path, *results).text.split())
    table = text.partition("most often")[2].partition("ada")[0]
    assert "submissions no-scaling 2" in table
    assert "double-softmax 1" in table
    assert "hardmax 1" in table, "also what is not the first of a check"


def test_pages_tell_a_reason_once_and_results_json_with_each_check(tmp_path: Path) -> None:
    failed = replace(FAILED, kind="shape", cause="x")
    checks = (failed, replace(failed, check="double_again", sentence="double works again."))
    result = submission("ada", homework(checks=checks))
    for page in (feedback(tmp_path, result), report(tmp_path, result)):
        text = " ".join(page.text.split())
        assert text.count("the doubled numbers is (2,)") == 1
        assert "Also in 1 more check of `double`." in text
        assert "As in “double works for any number of numbers”." in text
    outputs = [test["output"] for test in results_mapping(result)["tests"]]  # type: ignore[attr-defined]
    assert len(set(outputs)) == 1


def test_rows_link_to_the_details_of_the_same_submission(tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", [submission("ada"), submission("bob")], [], 0)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.index('href="#s1">ada') < page.index('href="#s2">bob')
    assert '<h2 id="s1">ada' in page
    assert '<h2 id="s2">bob' in page


def test_pages_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    report(tmp_path, submission("ada", homework()))
    feedback(tmp_path, submission("ada", homework()))
    for name in ("report.html", "feedback.html"):
        page = (tmp_path / name).read_text("utf-8")
        assert "http" not in page
        assert "src=" not in page
