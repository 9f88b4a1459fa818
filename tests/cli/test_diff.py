import csv
import json
import re
from dataclasses import replace

import pytest
from results import FAILED, PASSED, homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook
from autograder.verdict.checks import Outcome

from .running import run

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
