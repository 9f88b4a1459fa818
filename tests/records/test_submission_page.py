"""The staff's page of one submission: its data, what pages share, and which files are written when."""

import base64
import json
import random
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from homeworks import SIX
from results import FAILED, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission
from tiny import HOMEWORK

from autograder.feedback.pages import page_of
from autograder.gradebook.decisions import Mark, Override
from autograder.gradebook.opening import open_gradebook
from autograder.policy.settlement import settle, undecided
from autograder.report.exports import forget_submissions, publish, write_graded, write_submission
from autograder.report.submission_page import Common
from autograder.verdict.checks import Outcome
from autograder.verdict.work import Behaviour, Exhibit, Grid, Shown, Work

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
            book.keep(result, content, "g", lambda whole: write_graded(out, whole, settlement))

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
    book.keep(
        submission("ada", homework_result).capped(),
        "c",
        "g",
        lambda whole: write_graded(tmp_path, whole, undecided(book, tiny.course)),
    )
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
    assert published(book, tiny, out) == ALWAYS | {index} | files_of("bea")
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
    # Only of the last one nobody knows yet whether its files were written to the end.
    assert published(book, tiny, out) & {f"submissions/{name}/feedback.html" for name in names} == {
        "submissions/cyd/feedback.html"
    }
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
def test_a_page_under_its_former_shorter_name_goes_once_it_is_written_again(book, tiny, out):
    former = out / "report" / "9f1d2c3b4a5e.html"
    named_as_before = out / "report" / f"{page_of('ada')[:12]}.html"
    for path in (former, named_as_before):
        path.write_text("an earlier version", "utf-8")
    page(out).unlink()  # as in a gradebook whose files an earlier version wrote
    assert published(book, tiny, out) >= {f"report/{page_of('ada')}.html"}
    assert page(out).is_file()
    assert not named_as_before.exists()
    assert former.exists()


@pytest.mark.usefixtures("three")
def test_the_pages_of_forgotten_submissions_go_and_what_others_put_there_stays(out):
    for name in (
        "1.html",
        "25.html",
        "9f1d2c3b4a5e.html",
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
