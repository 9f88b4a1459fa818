"""What the page of a class says: counts, mistakes, who needs a human, and the data of its table."""

import json
import re
from dataclasses import replace

import pytest
from results import FAILED, NOT_RUN, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission

from autograder.feedback.pages import page_of
from autograder.gradebook.decisions import Comment
from autograder.gradebook.opening import open_gradebook
from autograder.intake.matching import UNCLEAR
from autograder.intake.submission import Problem
from autograder.policy.settlement import settle
from autograder.report.report import Overview, shown_groups, write_report
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome
from autograder.verdict.work import Behaviour, Exhibit, Grid, Shown, Work

OTHER = "hwy"


def counted(*results):
    return Overview(
        [submission(f"s{number}", homework_result) for number, homework_result in enumerate(results)]
    ).counts["hwx"]


def scored(*points, most=20.0):
    """Counts over submissions with these points; None is a failure of ours."""
    return counted(*(ours() if final is None else homework(final=final, points=most) for final in points))


def failing(*labels, reason="", check="double_sizes"):
    sentence = reason or f"It has {' and '.join(labels)}."
    return replace(FAILED, check=check, misconceptions=labels, reason=sentence)


def written(tmp_path, *results, homeworks=("hwx", OTHER)):
    write_report(tmp_path / "report.html", Overview(results), homeworks, 11.0)
    return (tmp_path / "report.html").read_text("utf-8")


def data_of(page):
    """The data that the page's script reads."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    return json.loads(match[1])


def rows_of(tmp_path, *results):
    return list(data_of(written(tmp_path, *results))["rows"])


def test_above_the_points_of_the_class_it_stands_that_they_hold_a_bonus(tmp_path):
    extra = homework(points=3, final=5.5, bonus=2.5, extra_credit=("totals",))
    for homework_result, words in (
        (extra, "of 3 points and a bonus of up to 2.5."),
        (homework(), "of 5.5 points."),
    ):
        overview = Overview([submission("ada", homework_result)])
        write_report(tmp_path / "report.html", overview, ["hwx"], homework_result.points)
        text = (tmp_path / "report.html").read_text("utf-8")
        assert f"</strong> {words}" in text


def test_mean_and_median_are_of_those_who_handed_in_and_have_a_fair_grade(tmp_path):
    graded = [submission(f"s{points}", homework(final=points, points=20.0)) for points in (4, 8, 20)]
    page = written(tmp_path, *graded, submission("ours", ours()))
    assert "4 handed in; mean <strong>10.7</strong>, median <strong>8</strong> of 20 points." in page


@pytest.mark.parametrize(
    ("points", "most", "step", "bars"),
    [
        ([0, 1, 1, 5], 5, 0.5, {0: 1, 2: 2, 10: 1}),
        ([0, 19.5, 20, 20], 20, 1, {0: 1, 19: 1, 20: 2}),
        ([22], 20, 2, {11: 1}),
        ([99, 100, -3], 100, 5, {0: 1, 19: 1, 20: 1}),
        ([0.3, 0.1 + 0.2], 0, 0.5, {0: 2}),
    ],
)
def test_a_bar_counts_the_submissions_with_so_many_points(points, most, step, bars):
    found_step, shown_bars = scored(*points, most=most).bars
    assert found_step == step
    assert {place: count for place, count in enumerate(shown_bars) if count} == bars
    assert len(shown_bars) <= 21


def test_the_hardest_checks_come_first_and_those_that_all_passed_not_at_all():
    right = replace(FAILED, outcome=Outcome.PASSED, misconceptions=())
    waiting = replace(NOT_RUN, check="why", outcome=Outcome.COLLECTED)
    counts = counted(
        homework(checks=(PASSED, FAILED, NOT_RUN, waiting)),
        homework(checks=(PASSED, right, NOT_RUN, replace(FAILED, check="why"))),
    )
    assert [(rate, check.check) for rate, check in counts.hardest] == [(0.0, "totals"), (0.5, "double_sizes")]


def test_a_mistake_counts_once_per_submission_and_is_told_in_its_own_words():
    counts = counted(
        homework(
            checks=(failing("no-scaling", "hardmax"), failing("no-scaling", reason="Not scaled. (3 of 9.)"))
        ),
        homework(checks=(failing("no-scaling", "hardmax"),)),
        homework(checks=(failing("no-scaling", "hardmax"), failing("hardmax", reason="One key takes all."))),
        homework(),
    )
    assert counts.mistakes.most_common(2) == [("no-scaling", 3), ("hardmax", 3)]
    assert (counts.told("no-scaling"), counts.told("hardmax")) == ("Not scaled.", "One key takes all.")


def test_the_words_of_a_mistake_are_what_most_have_read_and_short():
    common = [
        homework(checks=(failing("x", reason=f"Common. (Entry ({n}, 0) is wrong.)"),)) for n in range(2)
    ]
    assert counted(homework(checks=(failing("x", reason="Rare."),)), *common).told("x") == "Common."
    assert len(counted(homework(checks=(failing("x", reason="long " * 5000),))).told("x")) < 500


def test_slow_is_what_takes_far_longer_than_the_rest():
    def took(*seconds):
        return [
            duration for duration, _ in counted(*(homework(seconds=duration) for duration in seconds)).slow
        ]

    assert took(0.1, 0.2, 0.1, 9.0, 12.0) == [12.0, 9.0]
    assert took(0.01, 0.01, 0.5) == [], "all are fast"
    assert took(9.0, 8.0, 9.0) == [], "the homework is slow"


def test_a_row_has_name_page_status_person_points_total_and_mistakes(tmp_path):
    person = ("Ada L", "17", "ada@x.edu", "no")
    ada = submission("ada", homework(checks=(PASSED, failing("b"))), homework(homework=OTHER), person=person)
    data = data_of(written(tmp_path, ada, submission("bo", ours()), submission("cy")))
    assert data["rows"] == [
        ["ada", page_of("ada"), "graded", [*person], [1, 1], 2, [0, 1, 2]],
        ["bo", page_of("bo"), "infrastructure_error", [], ["–", ""], "–", []],
        ["cy", page_of("cy"), "not_submitted", [], ["", ""], 0, []],
    ]
    assert [(place, label) for place, label, _ in data["mistakes"]] == [
        (0, "b"),
        (1, "hard-coded-size"),
        (1, "returns-tuple"),
    ]
    assert [homework["id"] for homework in data["homeworks"]] == ["hwx", OTHER]
    assert data["maximum"] == 11


def test_everybody_who_needs_a_human_is_there_with_the_reason():
    unclear = Problem("two files differ", cause=UNCLEAR)
    results = [
        submission("ada", homework()),
        submission("bo", ours()),
        submission("cy", problems=(unclear,)),
        submission("di", homework(), problems=(unclear,)),
        submission("ed"),
        submission("flo", homework(status=Status.IMPORT_FAILED)),
        submission("gil", homework(awaiting=("why",))),
        submission("hal", stopped=Status.MEMORY_LIMIT),
    ]
    assert Overview(results).needs == {
        "failed": [1],
        "stopped": [7],
        "unclear": [2, 3],
        "empty": [4],
        "import": [5],
        "unmarked": [6],
    }


@pytest.mark.parametrize(
    ("first", "other", "alike"),
    [
        (("ada", ("Ada", "1", "a@x", "")), ("bo", ("Bo", "1", "b@x", "")), True),
        (("ada", ("Ada", "1", "a@x", "")), ("bo", ("Bo", "2", "A@x", "")), True),
        (("ada", ("Ada", "1", "", "")), ("bo", ("Ada", "2", "", "")), False),
        (("ada_l", ()), ("Ada-L", ()), True),
        (("ada", ()), ("ada2", ()), False),
    ],
)
def test_what_may_be_two_submissions_of_one_student_is_told(first, other, alike):
    results = [submission(name, homework(), person=person) for name, person in (first, other)]
    assert Overview(results).needs == ({"double": [0, 1]} if alike else {})


def test_what_a_problem_says_and_what_is_open_stand_on_the_page(tmp_path):
    results = [submission(str(n), problems=(Problem(f"no file in {n}", "ask for it"),)) for n in range(9)]
    write_report(tmp_path / "report.html", Overview(results), [], 0.0, ["2 marks are missing"], "9 of 12")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert all(words in page for words in ("no file in 4, or ask for it", "2 marks are missing.", "9 of 12"))
    assert "no file in 5" not in page, "of many the first few are enough"


def test_the_commonest_reason_why_imports_failed_is_told(tmp_path):
    missing = replace(FAILED, staff="ModuleNotFoundError: No module named 'pandas'")
    lost = homework(status=Status.IMPORT_FAILED, checks=(missing,))
    assert "(2): ModuleNotFoundError" in written(tmp_path, *(submission(name, lost) for name in "ab"))


def test_other_pages_are_linked_where_they_exist(tmp_path):
    assert 'href="written.html"' not in written(tmp_path)
    (tmp_path / "written.html").touch()
    page = written(tmp_path)
    assert 'href="written.html"' in page
    assert "similar.html" not in page


def test_a_class_of_5000_with_six_homeworks_stays_small_and_repeats_no_text(tmp_path):
    ids = tuple(f"hw{number}_something_long" for number in range(6))
    checks = tuple(failing(f"label-{n}", reason=f"Reason {n}. " * 9, check=f"c{n}") for n in range(4))
    homework_results = tuple(homework(homework=homework_id, checks=checks) for homework_id in ids)
    person = ("Maximiliane Mustermann", "4110000", "maximiliane.mustermann@students.example.edu", "no")
    page = written(
        tmp_path,
        *(submission(f"student{n}", *homework_results, person=person) for n in range(5000)),
        homeworks=ids,
    )
    assert len(page.encode()) < 3_000_000
    assert page.count("Reason 0. ") <= 9 * 6 * 2
    assert len(data_of(page)["rows"]) == 5000


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--", "\x1b[31m\u202e", "a\udcff"])
def test_hostile_texts_are_inert_also_in_the_data(tmp_path, text):
    homework_result = homework(title=text, checks=(failing(text, reason=text),), awaiting=("why",))
    page = written(
        tmp_path, submission(text, homework_result, person=(text,) * 4, problems=(text,), fault=text)
    )
    assert page.count("</script>") == page.count("<script") == 2
    assert page.count("<!--") == 0
    assert not re.search(r"[\x00-\x08\x0b-\x1f\u202a-\u202e\udc80-\udcff]", page)
    name, *_ = data_of(page)["rows"][0]
    assert name == "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


CASE = Exhibit(
    *("double", "hidden/double/wide", "hidden", "double(numbers)", 0.0),
    parts=(
        Shown("numbers", Grid("shape (2,)", ("7.5 2",)), Grid("shape (2,)", ("8 2",)), Grid("", ("−0.5 ·",))),
    ),
)


def test_a_group_is_shown_with_a_case_three_ways_of_writing_it_and_its_comment(tiny, tmp_path):
    right = replace(
        CASE, case="hidden/double/one", parts=(Shown("numbers", Grid(""), Grid(""), Grid("right")),)
    )
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bob", "cyd", "dan"):
            source = f"def double(numbers):\n    return numbers * 2  # <i>{name}</i>\n"
            work = Work("x.py", source, (right, CASE), behaviours=(Behaviour("double", "same", (1.0,)),))
            book.keep(submission(name, homework(work=work)), "c", "g")
        other = Work(behaviours=(Behaviour("double", "other", (1.0,)),))
        book.keep(submission("eve", homework(work=other)), "c", "g")
        (shown_group,) = shown_groups(book, settle(book, tiny.course))
        book.decisions.comment([Comment(shown_group.group.id, "", "", "", "See `numpy`.")])
        overview = Overview(settle(book, tiny.course).grades())
        overview.groups = shown_groups(book, settle(book, tiny.course))
    assert (shown_group.group.size, shown_group.case, len(shown_group.examples), shown_group.comment) == (
        4,
        CASE,
        3,
        "",
    )
    write_report(tmp_path / "report.html", overview, ["hwx"], 5.5)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert data_of(page)["groups"] == [{"id": shown_group.group.id, "rows": [0, 1, 2, 3]}]
    for words in ("&lt;i&gt;ada&lt;/i&gt;", "7.5", "−0.5", "See <code>numpy</code>.", "</span> commented"):
        assert words in page
    assert "<i>" not in page


@pytest.mark.parametrize(
    ("problem", "shown_remedy"),
    [
        (Problem("No file"), "No file"),
        (Problem("No file", "ask for it again"), "No file, or ask for it again"),
        (Problem("No file", "grade it with `autograder grade`", names_command=True), "No file"),
    ],
)
def test_a_remedy_that_is_a_command_is_left_to_the_page_of_the_submission(problem, shown_remedy):
    overview = Overview([submission("ada", problems=(problem,))])
    assert overview.rows[0].problem == shown_remedy
