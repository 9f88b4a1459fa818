"""The pages of one submission: what its student reads, what the staff reads, and which files are written when."""

import base64
import html
import json
import random
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from homeworks import SIX
from intake.makers import folder_of, match_read, notebook_of, tasks_of, zip_of
from results import FAILED, NOT_RUN, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from tiny import HOMEWORK
from wording import read, to_students

from autograder.batch.graders import over_budget, result_of_lost_submission
from autograder.feedback.pages import feedback_page
from autograder.feedback.rendering import page_of, quoted, rows_of
from autograder.gradebook.decisions import Mark, Override
from autograder.gradebook.opening import open_gradebook
from autograder.intake.files import read_files
from autograder.intake.submission import Submission
from autograder.platforms.hand_out import _in_form_of
from autograder.policy.grade import Change, SubmissionGrade
from autograder.policy.settlement import settle, undecided
from autograder.report.exports import forget_submissions, publish, write_graded, write_submission
from autograder.report.report import Overview, write_report
from autograder.report.submission_page import Common, page_data
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult
from autograder.verdict.work import Behaviour, Exhibit, Grid, Shown, Work

SHAPE = "an array of shape (2, 2)"
PARTS = (
    Shown("sum", Grid(SHAPE), Grid(SHAPE), Grid("right")),
    Shown(
        "product",
        Grid(SHAPE, ("1 2.5", "3 -14")),
        Grid(SHAPE, ("1 2", "3 4")),
        Grid("2 of 4 wrong", ("· +0.5", "· −18")),
    ),
)
PUBLIC = Exhibit(
    *("double", "public/double/wide", "public", "double(x, 2)", 1e-6),
    inputs=(("x", Grid(SHAPE, ("7 8", "9 10"), shape="(2, 2)")),),
    parts=PARTS,
    checks=("double_sizes",),
)
ALSO = replace(FAILED, check="totals_sizes", task="totals", sentence="totals takes any size.")


def plain_page(tmp_path, *homeworks):
    """The page without its style sheet."""
    (tmp_path / "feedback.html").write_text(feedback_page(submission("ada", *homeworks)), "utf-8")
    page = (tmp_path / "feedback.html").read_text("utf-8")
    return re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


def lines_of(page):
    """What a reader sees, a line for each block and each row."""
    return read_lines(re.sub(r'<span class="away">[^<]*</span>', "", page))


def heard_lines_of(page):
    """What a screen reader says: words that are not seen, no sign that it would not know."""
    return read_lines(re.sub(r'<span [^>]*aria-hidden="true"[^>]*>[^<]*</span>', "", page))


def read_lines(page):
    rows = re.sub(r"</(tr|p|h\d|li|summary)>", "\n", re.sub(r"\n|</?(code|strong)>", "", page))
    text = html.unescape(re.sub(r"<[^>]*>", " ", rows))
    return [" ".join(line.split()) for line in text.splitlines()]


def with_work(**changes):
    exhibits = {"shown": (PUBLIC,)} | changes
    return homework(work=Work(**exhibits))


def test_points_of_extra_credit_are_shown_as_a_bonus_and_its_tasks_are_marked(tmp_path):
    extra = homework(points=3, final=5.5, bonus=2.5, extra_credit=("totals",))
    lines = lines_of(plain_page(tmp_path, extra, homework(homework="hwy", title="Other")))
    assert to_students["bonus.total"] in lines
    assert to_students["bonus.homework"] in lines
    assert to_students["bonus.in-the-list"] in lines
    [marked] = [line for line in lines if "totals bonus" in line]
    assert "0 of 1" in marked


def told_once(result, **changes):
    return replace(result, **{"kind": "shape", "cause": "x"} | changes)


def test_points_are_told_by_task_with_a_sign_for_each(tmp_path):
    waiting = CheckResult("theory_why", "theory", "Why the root?", 3, Outcome.COLLECTED, "Collected.")
    right = replace(PASSED, check="thrice", task="triple")
    page = plain_page(tmp_path, homework(checks=(PASSED, FAILED, NOT_RUN, right, waiting)))
    lines = lines_of(page)
    assert lines[lines.index("task checks passed points") + 1 :][:5] == [
        "✗ double 1 of 2 1 / 3",
        "– totals 0 of 1 0 / 2.5",
        "✓ triple 1 of 1 1 / 1",
        "… Theory questions 0 of 1 0 / 3",
        "What to do next",
    ]
    heard = heard_lines_of(page)
    assert heard[heard.index("outcome task checks passed points") + 1 :][:4] == [
        "failed: double 1 of 2 1 / 3",
        "not run: totals 0 of 1 0 / 2.5",
        "passed: triple 1 of 1 1 / 1",
        "collected: Theory questions 0 of 1 0 / 3",
    ]
    assert "collected: Why the root? no points yet / 3" in heard


def test_what_to_do_next_is_a_mistake_in_what_is_written_and_its_task_is_told_first(tmp_path):
    wrong = told_once(ALSO, reason="`totals` raised KeyError", kind="raised", cause="y")
    unwritten = told_once(FAILED, kind="not_written")
    lines = lines_of(plain_page(tmp_path, homework(checks=(PASSED, unwritten, wrong))))
    at = lines.index("What to do next")
    assert lines[at + 1] == to_students["page.start-with-the-first"]
    assert lines.index("✗ totals takes any size. 0 / 2") < lines.index(
        "✗ double works for any number of numbers. 0 / 2"
    )


def test_each_reason_is_told_once_and_names_the_other_tasks_that_it_costs_points(tmp_path):
    again = told_once(FAILED, check="double_again", sentence="double works again.")
    page = plain_page(tmp_path, homework(checks=(told_once(FAILED), again, told_once(ALSO))))
    lines = lines_of(page)
    assert page.count("the doubled numbers is (2,)") == 1
    assert lines[lines.index("What to do next") + 1] == to_students["page.reason-that-holds-elsewhere"]
    assert lines[lines.index("✗ double works again. 0 / 2") + 1] == to_students["page.reason-above"]
    assert lines[lines.index("✗ totals takes any size. 0 / 2") + 1] == to_students["page.reason-as-elsewhere"]


def test_nothing_is_left_to_do_where_all_passed(tmp_path):
    lines = lines_of(plain_page(tmp_path, homework(checks=(PASSED,))))
    assert "What to do next" not in lines
    assert lines[lines.index("✓ double 1 of 1 1 / 1") + 1] == to_students["page.all-passed"]


def test_tasks_that_are_not_written_yet_are_named(tmp_path):
    checks = (PASSED, replace(FAILED, kind="not_written"), replace(ALSO, kind="not_defined"))
    lines = lines_of(plain_page(tmp_path, homework(checks=checks)))
    assert lines[lines.index("What to do next") + 2] == to_students["page.not-written-yet"]
    assert lines[lines.index("What to do next") + 3] == to_students["page.not-defined"]


def test_a_written_task_that_calls_one_that_is_not_is_not_called_unwritten(tmp_path):
    stub, caller = (replace(check, kind="not_written", cause="stub") for check in (FAILED, ALSO))
    lines = lines_of(plain_page(tmp_path, homework(checks=(PASSED, stub, caller))))
    assert to_students["page.not-written-yet"].among(lines)


def test_changes_of_points_and_comments_stand_above_the_checks(tmp_path):
    changes = (Change("late", -1, "Two days late."), Change("manual", 2, "`why`: Nice drawing."))
    lines = lines_of(plain_page(tmp_path, homework(changes=changes, final=2.0, awaiting=("why",))))
    at = lines.index("Points from the checks: 1.")
    assert lines[at + 1 : at + 3] == ["−1 point: Two days late.", "+2 points: why: Nice drawing."]
    assert "provisional" in lines[at + 3]
    assert at < lines.index("✗ double 1 of 2 1 / 3")


def test_an_answer_that_was_marked_by_hand_does_not_look_as_if_it_waited(tmp_path):
    why, how = (
        CheckResult(f"theory_{question}", "theory", question, 3, Outcome.COLLECTED, "Collected.")
        for question in ("why", "how")
    )
    homework_result = homework(checks=(why, how), changes=(Change("manual", 2, "Good."),), awaiting=("how",))
    rows = [line for line in lines_of(plain_page(tmp_path, homework_result)) if line.endswith("– / 3")]
    assert rows == ["… why (marked, see above) – / 3", "… how – / 3"]


def test_a_public_case_stands_at_its_check_as_yours_expected_and_the_difference(tmp_path):
    page = plain_page(tmp_path, with_work())
    lines = lines_of(page)
    at = lines.index("A public case: double(x, 2) with x (2, 2)")
    assert lines.index("✗ double works for any number of numbers. 0 / 2") < at < lines.index("totals")
    assert lines[at + 1 :][:13] == [
        "✓ sum: right",
        f"product: {SHAPE}; 2 of 4 wrong",
        *("Yours", "1 2.5", "3 -14"),
        *("Expected", "1 2", "3 4"),
        *("Yours − expected: · is right", "· +0.5", "· −18"),
        *("Input", f"x: {SHAPE}"),
    ]
    assert re.findall(r'<td class="off">\s*(\S+)</td>', page) == ["2.5", "-14", "+0.5", "−18"]
    assert page.index("<details><summary>Input") < page.index("x: an array")


def test_of_shapes_that_differ_both_are_told_and_no_difference(tmp_path):
    part = Shown("output", Grid("nothing (None)"), Grid(SHAPE, ("1 2", "3 4"), "[0:2, 0:2]"))
    lines = lines_of(plain_page(tmp_path, with_work(shown=(replace(PUBLIC, parts=(part,)),))))
    assert "Yours: nothing (None)" in lines
    assert f"Expected: {SHAPE}, showing [0:2, 0:2]" in lines
    assert "Yours − expected" not in lines


@pytest.mark.parametrize("sentence", ["reason", "another"])
def test_a_call_without_an_answer_says_so_and_a_reason_is_not_repeated(tmp_path, sentence):
    error = FAILED.reason if sentence == "reason" else "`double` raised KeyError"
    page = plain_page(tmp_path, with_work(shown=(replace(PUBLIC, parts=(), error=error),)))
    assert page.lower().count("the shape of the doubled numbers") == 1
    assert ("<code>double</code> raised KeyError" in page) == (sentence == "another")


def test_a_case_of_checks_that_fail_for_different_reasons_stands_with_their_task(tmp_path):
    other = replace(FAILED, check="double_other", reason="another reason")
    both = replace(PUBLIC, checks=("double_sizes", "double_other"))
    homework_result = replace(with_work(shown=(both,)), checks=(PASSED, FAILED, other, NOT_RUN))
    lines = lines_of(plain_page(tmp_path, homework_result))
    at = lines.index("A public case: double(x, 2) with x (2, 2)")
    assert (
        lines.index("Another reason")
        < at
        < lines.index("totals gives sum and product.".join(["– ", " 0 / 2.5"]))
    )


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("is_shown", ["", "visible", "hidden"])
def test_without_hints_there_is_no_reason_and_no_case(tmp_path, public, is_shown):
    silent = replace(with_work(), hints="never", shown=is_shown)
    checks = tuple(replace(check, public=public) for check in silent.checks)
    page = plain_page(tmp_path, replace(silent, checks=checks))
    for words in ("doubled numbers", "double(x, 2)", "-14", "must pass first", 'class="off"'):
        assert words not in page
    assert FAILED.sentence in page


@pytest.mark.parametrize("hints", ["always", "after_published"])
def test_with_hints_cases_are_shown_whoever_decides_when_the_page_is_handed_out(tmp_path, hints):
    assert "double(x, 2)" in plain_page(tmp_path, replace(with_work(), hints=hints))


def test_nothing_that_is_for_the_staff_is_on_the_page(tmp_path):
    secret = replace(
        PUBLIC, call="secret", error="secret", inputs=(("secret", Grid("secret")),), group="hidden"
    )
    work = Work("secret.py", "secret", (secret,), (PUBLIC,), (Behaviour("double", "secret"),))
    staff_fields = {
        "staff": "secret",
        "misconceptions": ("secret",),
        "answer": "secret",
        "made": (("secret",),),
    }
    checks = tuple(replace(check, **staff_fields) for check in homework().checks)
    homework_result = homework(work=work, checks=checks, output="secret", layers=("secret",))
    page = plain_page(tmp_path, homework_result)
    assert "double(x, 2)" in page
    assert "secret" not in page


def test_backticks_become_code_and_nothing_else_is_markup():
    assert quoted("take `x < 1` & `</code><b>`") == (
        "take <code>x &lt; 1</code> &amp; <code>&lt;/code&gt;&lt;b&gt;</code>"
    )
    assert quoted("`two\nlines` and \x1b[31m") == "`two\nlines` and \\x1b[31m"


def test_rows_of_numbers_are_aligned_in_the_text_too_and_hold_no_markup():
    assert rows_of(Grid("", ("1 -2.5", "10 <b>"))) == (
        "<tr><td> 1</td><td>     -2.5</td></tr>\n<tr><td>10</td><td>&lt;b&gt;</td></tr>"
    )


def test_a_text_of_any_length_leaves_the_page_small(tmp_path):
    long = "`<x>\u202e " * 1_000_000
    case = replace(PUBLIC, call=long, error=long, inputs=((long, Grid(long, (long, long))),))
    checks = (replace(FAILED, reason=long, sentence=long), replace(ALSO, reason=long))
    homework_result = homework(checks=checks, work=Work(shown=(case,)), detail=long, notes=(long,))
    assert len(plain_page(tmp_path, homework_result)) < 1_000_000


def test_the_page_is_complete_without_style_script_or_other_files(tmp_path):
    page = plain_page(tmp_path, with_work())
    assert re.findall(r"<(script|link|img|iframe|object|style)\b|\bon\w+=|url\(|@import", page) == []


def test_as_plain_text_columns_are_aligned_and_every_line_is_one_of_the_page(tmp_path):
    (tmp_path / "feedback.html").write_text(feedback_page(submission("ada", with_work())), "utf-8")
    text = _in_form_of("a.py", (tmp_path / "feedback.html").read_text("utf-8")).decode()
    assert "\nYours\n1 2.5\n3 -14\n" in text
    assert "\nYours − expected: · is right\n· +0.5\n·  −18\n" in text
    assert "color" not in text


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
OF_BOTH = "def softmax(x):\n    return x\n"
HEADS = "def multihead_scaled_self_attention(X):\n    return X\n"

BROKEN = {
    "nothing": {},
    "an essay": {"essay.pdf": "x"},
    "another name": {"work.py": OF_BOTH},
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
        result_of_lost_submission(Submission("bo", Path()), "the grader: Traceback"),
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


GRID = Grid("an array of shape (1, 2)", ("1 2",))
EXHIBIT = Exhibit(
    *("double", "hidden/double/wide", "hidden", "double(x)", 1e-6),
    inputs=(("x", GRID),),
    parts=(Shown("result", GRID, GRID, Grid("1 of 2 wrong", ("· −3",))),),
    checks=("double_sizes",),
)
WORK = Work("doubles.py", "def double(x):\n    return 3 * x\n", (EXHIBIT,))
ALWAYS = {"grades.csv", "report.html"}
SHARED = {"course.js", "index.js", "submission.css", "submission.js"}


def page(folder, name="ada"):
    return folder / "report" / f"{page_of(name)}.html"


def data_of(path):
    """The data in a page, which hold nothing that HTML could take for its own."""
    (packed,) = re.findall(
        r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>', path.read_text("utf-8")
    )
    return json.loads(zlib.decompress(base64.b64decode(packed)))


def assigned(path):
    """The value that the last line of a shared script holds."""
    line = path.read_text("utf-8").splitlines()[-1]
    return json.loads(line[line.index("=") + 1 : line.rindex(";")])


@pytest.fixture
def book(tmp_path):
    with open_gradebook(tmp_path / "out") as opened:
        yield opened


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


@pytest.fixture
def keep(book, tiny, out):
    """Keep results as grading does, and write their files."""
    settlement = undecided(book, tiny.course)

    def keep(*results, content="c"):
        for result in results:
            whole = book.keep(result, content, "g").whole
            book.files_written(result.name, write_graded(out, whole, settlement))

    return keep


def published(book, tiny, out):
    """Publish, and return which files of OUT that wrote."""

    def stamps():
        files = (path for path in out.rglob("*") if path.is_file() and "gradebook" not in path.name)
        return {str(path.relative_to(out)): (path.stat().st_mtime_ns, path.stat().st_ino) for path in files}

    before = stamps()
    publish(book, tiny.course, out, lambda line: None)
    return {name for name, stamp in stamps().items() if before.get(name) != stamp}


def files_of(name):
    return {
        f"submissions/{name}/results.json",
        f"submissions/{name}/feedback.html",
        f"report/{page_of(name)}.html",
    }


# What is on it


def test_it_holds_source_checks_and_what_came_out_of_each_homework(tmp_path):
    homework_result = homework(work=WORK, notes=("a note",), output="printed", seconds=1.5)
    write_submission(
        tmp_path, submission("ada", homework_result, problems=("odd",), person=("Ada", "7", "a@b", "yes"))
    )
    data = data_of(page(tmp_path))
    assert (data["name"], data["earned"], data["person"]) == ("ada", 1.0, ["Ada", "7", "a@b", "yes"])
    assert data["problems"] == ["odd"]
    (homework_data,) = data["homeworks"]
    assert (homework_data["work"]["file"], homework_data["work"]["source"], homework_data["output"]) == (
        WORK.file,
        WORK.source,
        "printed",
    )
    assert (
        homework_data["earned"],
        homework_data["points"],
        homework_data["seed"],
        homework_data["notes"],
    ) == (1.0, 5.5, 7, ["a note"])
    assert [check["outcome"] for check in homework_data["checks"]] == ["passed", "failed", "not_run"]
    assert homework_data["checks"][0] == {"outcome": "passed"}
    assert homework_data["checks"][1]["staff"] == FAILED.staff
    assert homework_data["checks"][1]["misconceptions"] == ["hard-coded-size", "returns-tuple"]
    assert homework_data["work"]["exhibits"][0]["parts"][0]["difference"]["rows"] == ["· −3"]


def test_data_of_any_length_come_whole(tmp_path):
    source = random.Random(1).randbytes(40_000).hex()
    write_submission(tmp_path, submission("ada", homework(work=Work("doubles.py", source))))
    assert source in json.dumps(data_of(page(tmp_path)))


def test_a_fault_of_ours_and_a_submission_of_nothing_have_pages(tmp_path):
    write_submission(tmp_path, submission("ada", ours()))
    write_submission(tmp_path, submission("bob", fault="Traceback"))
    ada, bob = data_of(page(tmp_path)), data_of(page(tmp_path, "bob"))
    assert (ada["earned"], ada["homeworks"][0]["detail"]) == (None, "the sandbox died twice: secret")
    assert (bob["earned"], bob["fault"], bob["homeworks"]) == (None, "Traceback", [])


HOSTILE = (
    "</script><script>alert(1)</script>",
    "\u202etxt\x1b[31m",
    "ada\udcff",
    "{{ 7 * 7 }}",
    "a/b" * 50,
    "",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_submission_says_is_only_in_the_packed_data(tmp_path, text):
    check = replace(FAILED, reason=text, staff=text, misconceptions=(text,))
    homework_result = homework(
        checks=(check,), detail=text, notes=(text,), output=text, work=Work(text, text)
    )
    name = text.replace("/", "_")[:90] or "x"
    write_submission(tmp_path, submission(name, homework_result, problems=(text,), fault=text))
    path = page(tmp_path, name)
    assert path.read_text("utf-8").count("<script") == 4
    assert not set(path.read_text("utf-8")) & set("\x1b\u202e")
    assert data_of(path)["homeworks"][0]["work"]["source"] == text
    assert re.fullmatch("[0-9a-f]{32}", path.stem)


def test_a_page_is_small_even_where_a_submission_says_a_lot(tmp_path, tiny, book):
    long = "x = [1, 2]  # </script>\n" * 400_000
    homework_result = homework(output=long, notes=(long,) * 99, work=replace(WORK, source=long))
    whole = book.keep(submission("ada", homework_result).capped(), "c", "g").whole
    write_graded(tmp_path, whole, undecided(book, tiny.course))
    assert page(tmp_path).stat().st_size < 20_000


# What pages share


def test_sentences_and_points_lie_once_beside_the_pages(keep, book, tiny, out):
    keep(
        submission("ada", homework()),
        submission("bob", homework(checks=(FAILED,))),
        submission("cyd", homework()),
    )
    published(book, tiny, out)
    forms = assigned(out / "report" / "course.js")["forms"]
    keys = {name: data_of(page(out, name))["homeworks"][0]["form"] for name in ("ada", "bob", "cyd")}
    assert keys["ada"] == keys["cyd"] != keys["bob"]
    assert forms.keys() == set(keys.values())
    assert forms[keys["bob"]] == {
        "homework": "hwx",
        "title": "Doubles and totals",
        "checks": [["double_sizes", "double", "double works for any number of numbers.", 2.0]],
    }
    assert assigned(out / "report" / "index.js") == [[name, page_of(name)] for name in ("ada", "bob", "cyd")]


def test_the_diff_of_each_mistake_that_was_made_lies_there_once(course, book, tmp_path):
    pair = ("scale-by-d", "softmax-over-queries")
    checks = (
        replace(FAILED, made=(pair,)),
        replace(FAILED, misconceptions=("scale-by-d", "returns-nothing", "gone")),
    )
    common, first = Common(), SIX[0]
    for name in ("ada", "bob"):
        common.add(submission(name, homework(homework=first, checks=checks), homework(homework="not-ours")))
    common.write(
        tmp_path / "report",
        {homework_result.id: homework_result for homework_result in course.homeworks()},
        book.groups,
    )
    diffs = assigned(tmp_path / "report" / "course.js")["diffs"]
    assert {key: list(diff) for key, diff in diffs.items()} == {first: ["scale-by-d", " + ".join(pair)]}
    assert "-    return scores / np.sqrt(d_k)\n+    return scores / d_k\n" in diffs[first]["scale-by-d"]


def test_who_else_answers_in_the_same_wrong_way_is_not_on_the_page_itself(keep, book, tiny, out):
    same, other = (Work(behaviours=(Behaviour("double", form),)) for form in ("3x", "4x"))
    works = {"ada": same, "bob": other, "cyd": same, "dan": Work()}
    keep(*(submission(name, homework(work=work)) for name, work in works.items()))
    published(book, tiny, out)
    index = {name: groups for name, _, *groups in assigned(out / "report" / "index.js")}
    assert (index["ada"], index["dan"]) == (index["cyd"], [])
    assert len({*index["ada"], *index["bob"]}) == 2


# Which files are written when


@pytest.fixture
def three(keep, book, tiny, out):
    keep(*(submission(name, homework(homework=HOMEWORK, work=WORK)) for name in ("ada", "bob", "cyd")))
    assert published(book, tiny, out) >= {f"report/{name}" for name in SHARED}


@pytest.mark.usefixtures("three")
def test_publishing_again_writes_no_file_of_a_submission(book, tiny, out):
    assert published(book, tiny, out) == ALWAYS


@pytest.mark.usefixtures("three")
def test_one_more_submission_leaves_the_pages_of_all_others(keep, book, tiny, out):
    keep(submission("bea", homework(homework=HOMEWORK)))
    index = "report/index.js"
    assert published(book, tiny, out) == ALWAYS | {index}
    assert [name for name, _ in assigned(out / "report" / "index.js")] == ["ada", "bea", "bob", "cyd"]


@pytest.mark.usefixtures("three")
def test_a_regrade_shows_the_grade_before_it(keep, book, tiny, out):
    keep(submission("bob", homework(homework=HOMEWORK, checks=())), content="new")
    assert published(book, tiny, out) - {"report/course.js"} == {
        "grades.csv",
        "report.html",
        *files_of("bob"),
    }
    ((_, _, status, points, seed),) = data_of(page(out, "bob"))["aside"]["history"]
    assert (status, points, seed) == ("graded", "1 / 5.5", 7)
    assert published(book, tiny, out) == ALWAYS


@pytest.mark.usefixtures("three")
def test_a_decision_writes_the_files_of_its_submission(book, tiny, out):
    book.decisions.override(Override("ada", HOMEWORK, 2.0, "said so", check="no_such_check"))
    book.decisions.mark([Mark("bob", HOMEWORK, "why", 1.0, 2.0, "good")])
    assert published(book, tiny, out) >= files_of("ada") | files_of("bob")
    (decision,) = data_of(page(out))["aside"]["decisions"]
    assert decision[:4] == [HOMEWORK, "override of no_such_check", 2.0, "said so"]
    (marked,) = data_of(page(out, "bob"))["aside"]["decisions"]
    assert marked == [HOMEWORK, "mark of why", 1.0, "good", ""]
    assert not published(book, tiny, out) & (files_of("ada") | files_of("bob") | files_of("cyd"))
    book.decisions.remove_override(1)
    assert files_of("ada") <= published(book, tiny, out)
    assert data_of(page(out))["aside"] == {}


def test_what_awaits_marks_is_written_once(keep, book, tiny, out):
    answer = replace(PASSED, check="theory_why", task="theory", outcome=Outcome.COLLECTED)
    names = ("ada", "bob", "cyd")
    keep(*(submission(name, homework(checks=(PASSED, answer))) for name in names))
    (awaiting, *_) = settle(book, tiny.course).grades()
    assert awaiting.homeworks[0].awaiting == ("why",)
    assert not published(book, tiny, out) & {f"submissions/{name}/feedback.html" for name in names}
    before = data_of(page(out, "ada"))
    write_submission(out, book.with_work(awaiting))
    assert data_of(page(out, "ada")) == before


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("file", sorted(files_of("bob")) + [f"report/{name}" for name in sorted(SHARED)])
def test_what_somebody_deleted_is_written_again(book, tiny, out, file):
    text = (out / file).read_bytes()
    (out / file).unlink()
    assert file in published(book, tiny, out)
    assert (out / file).read_bytes() == text


@pytest.mark.usefixtures("three")
def test_a_kill_while_a_file_is_written_leaves_the_earlier_one_or_none(monkeypatch, book, tiny, out):
    really_write = Path.write_bytes

    def half(path, content):
        if not path.name.startswith(page(out).name):
            return really_write(path, content)
        really_write(path, content[: len(content) // 2])
        raise KeyboardInterrupt

    page(out).unlink()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "write_bytes", half)
        published(book, tiny, out)
    assert not page(out).exists()
    assert files_of("ada") <= published(book, tiny, out)


def test_no_submission_takes_the_page_of_another_whose_hash_begins_alike(keep, out):
    """The hashes of these names have their first 48 bits in common; such a pair is found in a minute."""
    names = ("ada935239", "ada23666116")
    keep(*(submission(name, homework(homework=HOMEWORK)) for name in names))
    assert [data_of(page(out, name))["name"] for name in names] == [*names]


@pytest.mark.usefixtures("three")
def test_the_pages_of_forgotten_submissions_go_and_what_others_put_there_stays(out):
    for name in (
        "9f1d2c3b4a5e9f1d2c3b4a5e9f1d2c3b.html",
        "notes.html",
        "introduction.html",
        "similar.html",
        "2026-11-22.html",
    ):
        (out / "report" / name).write_text("mine", "utf-8")
    forget_submissions(out, ["ada"])
    names = {path.name for path in (out / "report").iterdir()}
    others = {"notes.html", "introduction.html", "similar.html", "2026-11-22.html"}
    assert names == {page(out).name, *others, *SHARED}
