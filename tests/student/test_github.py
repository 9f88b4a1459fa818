"""The report as GitHub shows it: errors at lines of the student's files, and a summary in Markdown."""

from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from results import FAILED, PASSED

from autograder.student.github import FEEDBACK, errors, summary, tell
from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.table import Style
from autograder.verdict.checks import Outcome

WRONG = replace(FAILED, reason="The rows do not sum to 1, 100%: no.\r\nReally", kind="value")


def report(*results, **more):
    whole = Report("Titles, and: colons", tuple(results), 5.0)
    return replace(whole, **more)


def lines(report_shown, origin="hw.py", folder=Path("/repo")):
    return list(errors(report_shown, folder, origin))


def test_an_error_is_at_the_line_that_raised_or_where_the_function_begins():
    begins = {WRONG.task: "line 7 of hw.py"}
    [line] = lines(report(PASSED, WRONG, places=begins))
    says = "The rows do not sum to 1, 100%25: no.%0D%0AReally"
    assert line == f"::error file=hw.py,line=7,title={WRONG.task}::{says}"
    raised = replace(WRONG, reason="`f` raised ValueError at line 9 of helper.py: `x`. It says: “line 1”.")
    [line] = lines(report(raised, places=begins))
    assert line.startswith(f"::error file=helper.py,line=9,title={WRONG.task}::`f` raised")
    [line] = lines(report(replace(WRONG, reason="No. It says: “line 1 of a.py”."), places={}))
    assert line.startswith(f"::error file=hw.py,title={WRONG.task}::No.")


def test_of_a_notebook_the_cell_is_told_in_words():
    [line] = lines(report(replace(WRONG, reason="No."), places={WRONG.task: "line 7 of cell 2"}), "hw.ipynb")
    assert line == f"::error file=hw.ipynb,title={WRONG.task}::No. (line 7 of cell 2)"
    raised = replace(WRONG, reason="`f` raised ValueError at line 9 of cell 3: `x`.")
    [line] = lines(report(raised, places={WRONG.task: "line 7 of cell 2"}), "hw.ipynb")
    assert line == f"::error file=hw.ipynb,title={WRONG.task}::{raised.reason}"


def test_an_error_that_shares_its_reason_names_the_line_where_that_is_told():
    first = replace(WRONG, task="double", reason="No.", cause="one")
    second = replace(first, task="totals", check="totals_works")
    begins = {"double": "line 3 of hw.py", "totals": "line 9 of hw.py"}
    first_line, other = lines(report(first, second, places=begins))
    assert first_line == "::error file=hw.py,line=3,title=double::No. Also in 1 more check of `totals`."
    assert other == "::error file=hw.py,line=9,title=totals::Same reason as for `double`, line 3 of hw.py."
    assert lines(report(first, second))[1].endswith("::Same reason as for `double`.")


def test_files_are_named_as_the_repository_names_them(tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    [line] = lines(report(WRONG), "a, b: c.py", tmp_path / "homeworks" / "hw1")
    assert line.startswith("::error file=homeworks/hw1/a%2C b%3A c.py,title=")


def test_what_keeps_all_from_running_is_one_error_without_a_place_where_there_is_no_file():
    [line] = lines(report(replace(WRONG, outcome=Outcome.NOT_RUN), trouble="you changed both"), "")
    assert line == "::error title=Titles%2C and%3A colons::you changed both"


def test_ten_errors_are_shown_and_tasks_that_are_not_written_are_none():
    many = [
        replace(WRONG, task=f"task{number}", check=f"c{number}", reason=f"{number}") for number in range(12)
    ]
    assert len(lines(report(*many))) == 10
    assert lines(report(replace(WRONG, outcome=Outcome.NOT_RUN, reason=NOT_WRITTEN))) == []


def test_the_summary_stands_for_itself_whatever_is_quoted_in_it():
    check = replace(
        WRONG, sentence="Asks *for* `a | b` | more.", reason="See `x | y`: <b>, $m$, [a](b), _i_."
    )
    html = MarkdownIt("gfm-like", {"linkify": False}).render(summary(report(check, notes=("# no head",))))
    assert "<td>Asks *for* <code>a | b</code> | more</td>" in html
    assert "See <code>x | y</code>: &lt;b&gt;, $m$, [a](b), _i_." in html
    assert "Note: # no head" in html
    assert FEEDBACK in html


@pytest.mark.parametrize(
    "quoted", ["``<img src=x>`", "`<img>``", "a `b <img> c", "`` <img> `", "`a` `` `<img>`"]
)
def test_single_backquotes_in_what_is_quoted_leave_no_tag_of_html(quoted):
    html = MarkdownIt("gfm-like", {"linkify": False}).render(summary(report(replace(WRONG, reason=quoted))))
    assert "&lt;img" in html
    assert "<img" not in html


def test_the_summary_is_added_to_what_the_file_holds(tmp_path, monkeypatch, capsys):
    path = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    tell(report(PASSED), tmp_path, "hw.py", Style())
    tell(report(replace(WRONG, reason="Q Kᵀ “is”")), tmp_path, "hw.py", Style(encoding="ascii"))
    assert path.read_text("utf-8").startswith(summary(report(PASSED)) + "## ")
    assert "Q Kᵀ “is”" in path.read_text("utf-8")
    assert "All public checks pass." in summary(report(PASSED))
    assert capsys.readouterr().out == f'::error file=hw.py,title={WRONG.task}::Q K^T "is"\n'
