"""An Otter master about variables and tables comes over: checked, released, and graded as its author would."""

import zipfile

import pytest
from otter_masters import code, config, question, text, write_master

from autograder.course.course import Course

from ..running import grade, results_of, run

PRICES = "item,price\npen,1\nbook,9\ncup,2\n"


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """A course that was an empty folder, and what the command said."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "data").mkdir()
    (folder / "data/prices.csv").write_text(PRICES, "utf-8")
    master = write_master(
        folder / "hw3.ipynb",
        text("# Prices"),
        code("import numpy as np\nimport pandas as pd\nprices = pd.read_csv('data/prices.csv')"),
        question(
            "name: q1\npoints: 4",
            code("assert list(cheap['item']) == ['pen', 'cup']"),
            code(
                config("failure_message: Which are below 3?") + "assert len(cheap) == 2 and len(prices) == 3"
            ),
            solution=[code("cheap = prices[prices['price'] < 3] # SOLUTION")],
        ),
        question(
            "name: q2\npoints: 2",
            code("# HIDDEN\nsentence", "'pen and cup'"),
            solution=[code("sentence = ' and '.join(cheap['item']) # SOLUTION\nprint(sentence)")],
        ),
        question(
            "name: q3\npoints: 2",
            code("len(letters) == 3 and 'pen' not in letters", "True"),
            asks="Any three letters, in a set.",
            solution=[code("letters = set('abc') # SOLUTION")],
        ),
        question(
            "name: q4\npoints: 3",
            code("list(below(prices, 3)['item'])", "['pen', 'cup']"),
            code("# HIDDEN\nassert below(prices[prices['price'] > 1]['price'], 3).tolist() == [2]"),
            solution=[
                code(
                    "def below(data, most):\n    column = data['price'] if data.ndim == 2 else data # SOLUTION\n"
                    "    return data[column < most] # SOLUTION"
                )
            ],
        ),
        head="name: hw3_prices",
    )
    root = folder / "course"
    return Course(root), run("new", "--from-otter", master, "--course", root)


def test_it_passes_at_once_and_is_released_with_its_data(brought, tmp_path):
    course, result = brought
    assert (result.exit, result.err) == (0, "")
    assert course.homework("hw3").data == ("data/prices.csv",)
    command = run("check", "--course", course.root)
    assert (command.exit, command.out) == (0, "hw3_prices: ok\n")
    assert run("release", "--course", course.root, "--out", tmp_path).exit == 0
    (released,) = tmp_path.glob("hw3*.zip")
    with zipfile.ZipFile(released) as archive:
        names = archive.namelist()
        (data,) = [name for name in names if name.endswith("data/prices.csv")]
        assert archive.read(data) == PRICES.encode()
        texts = b"".join(map(archive.read, names))
    assert b"'pen and cup'" not in texts  # a hidden test, and the solution


WAYS = {
    "right": ({}, 11),
    "other columns and letters": (
        {
            "prices[prices['price'] < 3]": "prices[['price', 'item']].iloc[[0, 2]]",
            "set('abc')": "frozenset('xyz')",
        },
        11,
    ),
    "a wrong table": ({"< 3": "< 1"}, 5),
    "a list in place of a table": ({"prices[prices['price'] < 3]": "['pen', 'cup']"}, 7),
    "another sentence": ({"' and '": "'  and '"}, 9),
    "nothing but numbers": ({"set('abc')": "3", "' and '.join(cheap['item'])": "7"}, 7),
    "a table where its rows are right": (
        {"return data[column < most]": "return data[column <= most - 1]"},
        11,
    ),
    "rows of another table": ({"column < most": "column > most"}, 8),
    "too few values": ({"return cheap, prices": "return cheap"}, 5),
}


def test_right_and_wrong_answers_get_the_points_that_their_tests_give(brought, tmp_path):
    course, _ = brought
    source = course.homework("hw3").solution.read_text("utf-8")
    (tmp_path / "in").mkdir()
    for number, (edits, _) in enumerate(WAYS.values()):
        changed = source
        for old, new in edits.items():
            assert old in changed
            changed = changed.replace(old, new)
        (tmp_path / f"in/s{number}.py").write_text(changed, "utf-8")
    out = tmp_path / "out"
    assert grade(tmp_path / "in", "--out", out, "--course", course.root).exit == 0
    earned = {}
    for number, way in enumerate(WAYS):
        tests = results_of(out, f"s{number}")["tests"]
        earned[way] = sum(test.get("score", 0) for test in tests)
    assert earned == {way: points for way, (_, points) in WAYS.items()}
