"""What the page of a class says of it, its counts and needs, and that a text of a student stays a text."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from results import FAILED, NOT_RUN, PASSED, our_fault
from results import homework as result
from results import homework_grade as homework
from results import our_fault as ours
from results import submission as submitted
from results import submission_grade as submission
from wording import to_staff

from autograder.course.homework import short_id
from autograder.feedback.pages import feedback_page
from autograder.feedback.rendering import page_of
from autograder.feedback.results_json import results_mapping
from autograder.feedback.words import as_sentence
from autograder.gradebook.decisions import Comment
from autograder.gradebook.opening import open_gradebook
from autograder.intake.matching import UNCLEAR
from autograder.intake.submission import Problem
from autograder.policy.settlement import settle
from autograder.report.needs import needs_of
from autograder.report.praise import improvements
from autograder.report.report import Overview, shown_groups, write_report
from autograder.report.submission_page import page_data
from autograder.report.tally import Tally
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
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


def page_with(tmp_path, overview, *more, homeworks=("hwx",), most=5.5):
    """The page that is written of this overview."""
    write_report(tmp_path / "report.html", overview, homeworks, most, *more)
    return (tmp_path / "report.html").read_text("utf-8")


def written(tmp_path, *results, homeworks=("hwx", OTHER)):
    return page_with(tmp_path, Overview(results), homeworks=homeworks, most=11.0)


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
        assert f"</strong> {words}" in page_with(tmp_path, overview, most=homework_result.points)


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
    page = page_with(tmp_path, Overview(results), ["2 marks are missing"], "9 of 12", homeworks=(), most=0.0)
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
    page = page_with(tmp_path, overview)
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
    assert {homework_id: short_id(homework_id) for homework_id in heads} == heads


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


def recognised(*homeworks):
    return submission("eve", *(homework(homework=homework_id, recognised=True) for homework_id in homeworks))


def unclear(name):
    return submission(name, problems=(Problem(f"{name}.py is unclear", cause=UNCLEAR),))


def not_imported(name, error):
    check = replace(FAILED, staff=f"{error}\n  File …")
    return submission(name, homework(status=Status.IMPORT_FAILED, checks=(check,)))


def tally_of(results):
    tally = Tally()
    for graded in results:
        tally.add(graded)
    return tally


def test_who_was_recognised_as_what_and_who_is_unclear_is_counted():
    results = [
        recognised("hw4"),
        recognised("hw4", "hw5"),
        submission("ada", homework()),
        unclear("b c"),
        unclear("d"),
    ]
    assert tally_of(results).recognition == to_staff["tally.recognised"]
    assert tally_of([unclear("d")]).recognition == to_staff["tally.unclear-alone"]
    assert tally_of([submission("ada", homework())]).recognition == ""


def test_recognised_homeworks_are_listed_by_number_and_a_project_last():
    text = tally_of([recognised("capstone", "hw10", "hw9")]).recognition
    assert [fact.split()[-1] for fact in text.split(", ")] == ["hw9", "hw10", "capstone"]


def test_a_class_that_could_not_be_imported_is_an_alarm_with_the_commonest_reason():
    missing = "ModuleNotFoundError: No module named 'pandas'"
    results = [not_imported(f"s{n}", missing) for n in range(9)]
    results += [not_imported("t", f"SyntaxError: '(' was never closed ({n}.py, line {n})") for n in range(2)]
    assert tally_of(results).alarm == [to_staff["tally.could-not-be-imported"]]


def test_the_reason_is_that_of_the_homework_that_has_no_grade():
    error = "SyntaxError: '(' was never closed"
    without = not_imported("ada", error)
    result = replace(without, homeworks=(homework(), *without.homeworks))
    assert tally_of([result]).causes[Status.IMPORT_FAILED] == {error: 1}


def test_the_more_frequent_status_comes_first_and_equal_causes_are_one():
    lost = [submission(f"s{n}", problems=(Problem.of(f"{n}.zip", "is locked", "ask"),)) for n in range(7)]
    results = [*lost, *(not_imported("t", f"SyntaxError: x ({n}.py, line {n})") for n in range(3))]
    first, second = tally_of(results).alarm
    assert first == to_staff["tally.hold-nothing"]
    assert "(3): SyntaxError: x" in second


@pytest.mark.parametrize(
    ("lost", "graded", "alarms"), [(9, 0, False), (5, 5, False), (6, 5, True), (10, 0, True)]
)
def test_an_alarm_needs_ten_submissions_and_more_than_half_of_them(lost, graded, alarms):
    results = [submission(str(n)) for n in range(lost)] + [submission("g", homework())] * graded
    assert bool(tally_of(results).alarm) is alarms


def test_what_a_submission_says_cannot_steer_the_terminal():
    results = [not_imported(str(n), f"Error: \x1b[2J\x07{'x' * 9}") for n in range(10)]
    assert all(line.isprintable() for line in tally_of(results).alarm)


def test_the_report_says_the_same(tmp_path):
    results = [*(submission(str(n)) for n in range(9)), recognised("hwx"), unclear("z")]
    page, tally = page_with(tmp_path, Overview(results)), tally_of(results)
    assert all(as_sentence(line) in page for line in [tally.recognition, *tally.alarm])
    assert len(tally.alarm) == 1


BETTER = (PASSED, replace(FAILED, check="double_sizes", outcome=PASSED.outcome), NOT_RUN)


def test_full_marks_and_more_are_praised_and_provisional_ones_are_not():
    overview = Overview(
        [
            submission("ada", homework(final=5.5)),
            submission("bo", homework(final=6.0), homework(homework="hwy", final=5.5)),
            submission("cy", homework(final=5.4)),
            submission("di", homework(final=5.5, awaiting=("why",))),
            submission("ed", homework(final=0.0, points=0.0)),
        ]
    )
    assert overview.full_marks == {"hwx": [0, 1], "hwy": [1]}


def test_a_later_hand_in_with_more_points_is_an_improvement(tmp_path):
    with open_gradebook(tmp_path) as book:
        for name in ("ada", "bo", "cy"):
            book.keep(submitted(name, result()), "first", "g")
        book.keep(submitted("ada", result(checks=BETTER)), "second", "g")
        book.keep(submitted("bo", result(checks=BETTER)), "first", "other graders")
        book.keep(submitted("cy", result(checks=(FAILED, NOT_RUN))), "second", "g")
        points = {("ada", "hwx"): 3.0, ("bo", "hwx"): 3.0, ("cy", "hwx"): 0.0}
        improvements_found = [
            (improvement.name, improvement.homework, improvement.before, improvement.now)
            for improvement in improvements(book, points)
        ]
    assert improvements_found == [("ada", "hwx", 1.0, 3.0)]


def test_who_is_praised_stands_on_the_page_as_text(tmp_path):
    page = page_with(tmp_path, Overview([submission("<i>ada", homework(final=5.5))]))
    assert "1 with full marks in hwx" in page
    assert "<bdi>&lt;i&gt;ada</bdi>" in page
    assert "Well done" not in page_with(tmp_path, Overview([submission("ada", homework())]))


UNDEFINED = replace(FAILED, kind="not_defined")
UNWRITTEN = replace(FAILED, kind="not_written")
UNANSWERED = replace(FAILED, check="theory_why", kind="")
RAISED = replace(FAILED, kind="raised")
COLLECTED = replace(FAILED, outcome=Outcome.COLLECTED)
HELP = Problem("two files differ", cause=UNCLEAR)


def needs(*homeworks, **changes):
    return list(needs_of(submission("ada", *homeworks, **changes)))


@pytest.mark.parametrize(
    ("checks", "reason"),
    [
        ((UNDEFINED, NOT_RUN), ["undefined"]),
        ((UNWRITTEN, NOT_RUN, UNANSWERED), ["untouched"]),
        ((UNWRITTEN, UNDEFINED), ["untouched"]),
        ((UNWRITTEN, RAISED), []),
        ((UNWRITTEN, PASSED), []),
        ((UNWRITTEN, COLLECTED), []),
        ((UNANSWERED,), []),
    ],
)
def test_a_file_without_any_work_needs_a_human(checks, reason):
    assert needs(homework(checks=checks)) == reason


def test_a_file_with_the_tasks_of_another_homework_needs_a_human():
    other = homework(checks=(UNDEFINED,), fits=("hw2",))
    assert needs(other) == ["elsewhere"]
    assert needs(other, homework(homework="hw2")) == ["elsewhere"]
    assert needs(homework(recognised=True, named_for=("hw2",))) == ["against"]
    assert needs(homework(recognised=True)) == []


def test_two_files_that_are_exchanged_are_one_need():
    first = homework(homework="hw1", checks=(UNDEFINED,), fits=("hw2",))
    second = homework(homework="hw2", checks=(UNDEFINED,), fits=("hw1", "hw3"))
    assert needs(first, second) == ["exchanged"]
    assert needs(first, replace(second, fits=("hw3",))) == ["elsewhere"]


@pytest.mark.parametrize(
    "override",
    [
        our_fault(),
        homework(status=Status.IMPORT_FAILED),
        homework(checks=(UNDEFINED,)),
        homework(fits=("hw2",)),
        homework(named_for=("hw2",)),
        homework(awaiting=("why",)),
    ],
)
def test_what_an_override_of_the_whole_homework_settled_leaves_the_list(override):
    assert len(needs(override)) == 1
    assert needs(replace(override, is_settled=True)) == []


def test_a_submission_of_which_nothing_was_graded_is_settled_by_an_override():
    settled = homework(checks=(), is_settled=True)
    for changes in ({}, {"problems": (HELP,)}, {"stopped": Status.MEMORY_LIMIT}, {"fault": "x"}):
        assert len(needs(**changes)) == 1
        assert needs(settled, **changes) == []
    assert needs(settled, problems=(HELP, HELP)) == ["unclear"], "another homework is unclear, too"


def test_grade_says_whose_files_are_probably_not_what_was_meant():
    tally = Tally()
    tally.add(submission("ada", homework(homework="a", fits=("b",)), homework(homework="b", fits=("a",))))
    tally.add(submission("bo", homework(checks=(UNWRITTEN,))))
    tally.add(submission("cy", homework(checks=(UNWRITTEN,))))
    tally.add(submission("di", homework(awaiting=("why",))))
    assert tally.doubts_about_files == [to_staff["needs.exchanged"], to_staff["needs.untouched"]]
    decided = Tally({("bo", "hwx")})
    decided.add(submission("bo", homework(checks=(UNWRITTEN,))))
    assert decided.doubts_about_files == []


def test_students_without_a_submission_and_submissions_of_nobody_stand_on_the_page(tmp_path):
    overview = Overview(
        [submission("ada", homework()), submission("zed", homework())], ["<Kim>, Min (S14)"], ["zed"]
    )
    assert overview.needs == {"stranger": [1]}
    text = page_with(tmp_path, overview)
    assert "1: student in the roster without a submission" in text
    assert "&lt;Kim&gt;, Min (S14)" in text
    assert "<Kim>" not in text


@pytest.mark.parametrize("other", [our_fault(), homework(status=Status.TIME_LIMIT)])
def test_a_file_that_fails_to_load_beside_a_worse_one_needs_a_human(tmp_path, other):
    """The submission has the status of the other homework, and so no reason is counted for this one."""
    broken = homework(homework="hw2", status=Status.IMPORT_FAILED, checks=())
    overview = Overview([submission("ada", other, broken)])
    assert 'data-who="needs=import"' in page_with(tmp_path, overview, homeworks=("hwx", "hw2"))


def test_those_who_need_a_human_are_printed_with_their_names(tmp_path):
    names = [f"s{number:03}" for number in range(203)]
    text = page_with(tmp_path, Overview(submission(name) for name in names), homeworks=(), most=0.0)
    assert 'data-who="needs=' in text
    for name in names:
        assert f'["{name}",' in text, "the page's script writes the names of all rows"
