"""The table: marks, order, and one screen whatever happens."""

from dataclasses import replace

import pytest
from wording import to_students

from autograder.student.judge import NOT_WRITTEN, Report
from autograder.student.table import SCREEN, Style, render
from autograder.verdict.checks import CheckResult, Outcome

LONG = "The weights are wrong in a way that takes many words to tell. " * 20


def result(task, outcome=Outcome.PASSED, reason=""):
    return CheckResult(f"{task}_sizes", task, f"{task} works for any size.", 2, outcome, reason)


def report(*results, total=0):
    return Report("Attention", results, total or 2 * len(results))


def test_each_check_has_its_mark_its_points_and_its_line():
    text = render(report(result("a"), result("b", Outcome.FAILED, "It is wrong.")), Style())
    assert "a\n  ✓    2  works for any size\nb\n  ✗    2  works for any size\n" in text
    assert to_students["table.first-thing-to-fix-b"] in text


def test_the_first_wrong_check_comes_before_what_is_not_written():
    results = [result("a", Outcome.NOT_RUN, NOT_WRITTEN), result("b", Outcome.FAILED, "It is wrong.")]
    assert to_students["table.first-thing-to-fix-b"] in render(report(*results), Style())
    assert to_students["table.next-a-is-not-written-yet"] in render(report(results[0]), Style())


def test_points_of_hidden_checks_are_promised_only_where_there_are_some():
    assert to_students["table.further-checks-worth"] in render(report(result("a"), total=5), Style())
    assert "further checks" not in render(report(result("a")), Style())


@pytest.mark.parametrize("count", [1, 10, 60])
@pytest.mark.parametrize("reason", ["", "Short.", LONG])
@pytest.mark.parametrize("width", [20, 80, 300])
def test_it_fits_on_one_screen(count, reason, width):
    results = [result(f"task{i}", Outcome.FAILED if reason else Outcome.PASSED, reason) for i in range(count)]
    many = replace(report(*results), notes=(LONG, LONG, LONG))
    lines = render(many, Style(width=width)).splitlines()
    assert len(lines) <= SCREEN
    assert all(len(line) < max(60, width) for line in lines)


def test_a_console_of_few_letters_gets_the_same_table_in_those():
    wrong = result("a", Outcome.FAILED, "Divide by √d_k … “now” – 三.")
    text = render(report(wrong), Style(encoding="ascii"))
    assert text.isascii()
    assert to_students["table.divide-by-sqrt-d_k-now"] in text
    assert "✗" in render(report(wrong), Style(encoding="utf-8"))


def test_colours_only_where_they_are_asked_for():
    table = report(result("a"))
    assert "\033[32m✓\033[0m" in render(table, Style(colour=True))
    assert "\033" not in render(table, Style())
