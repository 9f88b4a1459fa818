"""``report``, ``diff`` and ``similar``: the pages and tables that they write."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from results import FAILED, PASSED, homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.verdict.checks import Outcome
from autograder.verdict.work import Work

from .running import grade, refusal, run, totals


@pytest.fixture
def graded(tiny, tmp_path):
    out = tmp_path / "graded"
    with open_gradebook(out) as book:
        book.keep(submission("ada", homework()), "c", "g")
    return out


def report(tiny, out):
    return run("report", out, "--course", tiny.course.root)


def test_every_file_is_written_again_from_the_gradebook(tiny, graded):
    assert report(tiny, graded).exit == 0
    assert totals(graded) == {"ada": "1"}
    files = [graded / "grades.csv", graded / "report.html"]
    files += [graded / "submissions" / "ada" / name for name in ("results.json", "feedback.html")]
    before = [path.read_bytes() for path in files]
    for path in files:
        path.write_text("edited by somebody")
    assert report(tiny, graded).exit == 0
    assert [path.read_bytes() for path in files] == before


def test_what_others_put_beside_them_stays(tiny, graded):
    report(tiny, graded)
    mine = graded / "submissions" / "ada" / "notes.txt"
    mine.write_text("talk to ada")
    report(tiny, graded)
    assert mine.read_text() == "talk to ada"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["grades.csv", "report.html"])
def test_a_full_disk_is_told_in_one_line_and_leaves_the_earlier_file(tiny, graded, name):
    report(tiny, graded)
    before = (graded / name).read_bytes()
    (graded / f"{name}.part").symlink_to("/dev/full")
    assert refusal(report(tiny, graded)) == to_staff["report.no-room"]
    assert (graded / name).read_bytes() == before
    assert report(tiny, graded).exit == 0, "nothing is left behind"


def test_a_folder_without_a_gradebook_is_refused_and_none_is_begun(tiny, tmp_path):
    assert refusal(report(tiny, tmp_path)) == to_staff["report.holds-no-gradebook-name"]
    assert not (tmp_path / "gradebook.sqlite").exists()


LOST = replace(PASSED, outcome=Outcome.FAILED, reason="=the numbers [bold]differ.")


@pytest.fixture
def folders(tmp_path):
    """The same class before and after; bob handed in other code and lost a check."""
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, first, content in ((before, PASSED, "c"), (after, LOST, "c2")):
        with open_gradebook(folder) as book:
            book.keep(submission("ada", homework(checks=(PASSED, FAILED))), "c", "g")
            book.keep(submission("bob", homework(checks=(first, FAILED))), content, "g")
    return before, after


def test_it_lists_who_what_and_why_and_ends_in_status_one(folders):
    result = run("diff", *folders)
    assert result.exit == 1
    [row] = [line for line in result.out.splitlines() if line.startswith("bob")]
    assert re.split("  +", row.rstrip()) == [
        *("bob", "hwx", "double_published", "1", "0", "=the numbers [bold]differ.", "other code")
    ]
    assert to_staff["diff.submissions-have-other"] in result.out


def test_nothing_to_list_ends_in_status_zero(folders):
    result = run("diff", folders[0], folders[0])
    assert (result.exit, result.out) == (0, to_staff["diff.submissions-have-other-2"])


def written(folders, tmp_path):
    return run("diff", *folders, "--csv", tmp_path / "diff.csv", "--json", tmp_path / "diff.json")


def test_the_differences_are_written_as_csv_and_json(folders, tmp_path):
    assert written(folders, tmp_path).exit == 1
    [difference] = json.loads((tmp_path / "diff.json").read_text("utf-8"))
    assert difference == {
        "submission": "bob",
        "homework": "hwx",
        "subject": "double_published",
        "before": 1.0,
        "after": 0.0,
        "why": "=the numbers [bold]differ.",
        "cause": to_staff["diff.other-code"],
    }
    with (tmp_path / "diff.csv").open(encoding="utf-8", newline="") as file:
        [row] = csv.DictReader(file)
    assert row == {
        **{key: str(value) for key, value in difference.items()},
        "before": "1",
        "after": "0",
        "why": "'=the numbers [bold]differ.",
    }


def test_points_that_do_not_exist_are_blank_and_null(folders, tmp_path):
    with open_gradebook(folders[1]) as book:
        book.keep(submission("cyd", homework()), "c", "g")
    written(folders, tmp_path)
    assert json.loads((tmp_path / "diff.json").read_text("utf-8"))[-1]["before"] is None
    with (tmp_path / "diff.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file))[-1]["before"] == ""


def test_a_folder_without_a_gradebook_is_refused(folders, tmp_path):
    result = run("diff", folders[0], tmp_path / "nowhere")
    assert (result.exit, result.out) == (2, "")
    assert result.err == to_staff["diff.nowhere-holds-no-gradebook"]


ODD = """
def double(x):
    for place, number in zip(range(len(x)), reversed([*x][::-1])):
        x[place] += number
    while any(one is None for one in x):
        x = [one or 0 for one in x if one != 3]
    return x
"""


def test_groups_are_printed_and_shown_on_a_page(kit):
    kit.submit("ada")
    assert grade(kit.submissions, "--out", kit.out).exit == 0
    with open_gradebook(kit.out) as book:
        texts = {"bo": ODD, "cy": ODD.replace("place", "i")}
        texts |= {f"other{number}": f"x = {number} * [{number}]" for number in range(20)}
        for name, text in texts.items():
            book.keep(submission(name, homework(homework="hwx", work=Work("x.py", text))), "c", "g")
    result = run("similar", kit.out)
    assert result.exit == 0
    assert to_staff["similar.one-group"] in result.out
    assert "bo" in (kit.out / "report/similar.html").read_text("utf-8")
    [pair] = json.loads(run("similar", kit.out, "--json").out)
    assert (pair["homework"], pair["submissions"]) == ("hwx", ["bo", "cy"])
    assert pair["share"] > 0.9
    assert run("report", kit.out).exit == 0
    assert "report/similar.html" in (kit.out / "report.html").read_text("utf-8")


def test_a_small_class_has_no_pairs(kit):
    kit.submit("ada")
    kit.submit("bo")
    grade(kit.submissions, "--out", kit.out)
    assert json.loads(run("similar", kit.out, "--json").out) == []
    assert run("similar", kit.root / "nowhere").exit == 2
