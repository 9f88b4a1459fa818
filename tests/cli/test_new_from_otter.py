"""An Otter course comes over in one command: checked, released, and graded as its author would."""

import re
import zipfile

import pytest
from otter_masters import SETUP, SOFTMAX, code, config, question, text, write_master
from wording import to_authors

from autograder.course.course import Course

from .running import grade, results_of, run

RIGHT, WRONG = "powers.sum(axis=-1, keepdims=True)", "powers.sum()"


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """A course that was an empty folder, and what the command said."""
    folder = tmp_path_factory.mktemp("otter")
    master = write_master(
        folder / "hw3.ipynb",
        text(
            '# {{Words}} and "shares"\n\nIn {{ 1 / 0 }}, {% endraw %}{{ 1 / 0 }} and {# so #} on: $x_{{i}}$.'
        ),
        SETUP,
        question(
            "name: q1\npoints: 4",
            code("softmax(np.array([0.0, 0.0]))", "array([0.5, 0.5])"),
            code("# HIDDEN\nassert np.allclose(softmax(X).sum(axis=1), 1)"),
            asks="Write `softmax`, with $\\begin{aligned} a &= b \\end{aligned}$.",
            solution=[code(SOFTMAX)],
        ),
        question(
            "name: q2",
            code("half == 0.5", "True"),
            solution=[code("half = sum(n / 2 for n in [1]) # SOLUTION")],
        ),
        question("name: 3\npoints: 2\nmanual: true", solution=[text("**SOLUTION:** Because.")]),
        question(
            "name: q4",
            code("right == 'b'", "True"),
            asks="- a. no\n- b. yes",
            solution=[code("right = 'B' # SOLUTION")],
        ),
        question(
            'name: q5"""\nall_or_nothing: true\npoints: 3',
            code(config('success_message: "Good\\r1 / 0"') + "double(2) == 4", "True"),
            code("double(X).shape == (2, 3)", "True"),
            solution=[code("def double(x):\n    return 2 * x")],
        ),
        question("name: q6\nmanual: true", solution=[code("plt.plot(X) # SOLUTION")]),
        head="name: hw3\nfiles: data.csv",
    )
    root = folder / "course"
    return Course(root), run("new", "--from-otter", master, "--course", root)


def test_all_comes_over_but_the_plot(brought):
    course, result = brought
    assert result.exit == 0
    assert result.err.removeprefix("note: ").strip() == to_authors["from-otter.a-plot"]
    homework = course.homework("hw3")
    assert homework.id == "hw3_words_and_shares"
    assert {task.name: task.points for task in homework.tasks} == {"softmax": 4, "double": 3}
    assert [(question.id, type(question).__name__, question.points) for question in homework.questions] == [
        ("q2", "Numeric", 1),
        ("q_3", "Written", 2),
        ("q4", "Choice", 1),
    ]
    assert homework.points == 11
    listed = (homework.folder / "FROM_OTTER.md").read_text("utf-8")
    assert "plt.plot" in listed
    assert "`data.csv`" in listed
    assert "### q6, cell" in listed
    rows = [line.split(" | ") for line in listed.splitlines() if line.startswith(("| q", "| 3"))]
    assert {row[0][2:]: row[-1].rstrip(" |") for row in rows[1:]} == {
        "q1": "cases of `softmax`",
        "q2": "question `q2`",
        "3": "question `q_3`",
        "q4": "question `q4`",
        'q5"""': "cases of `double`",
        "q6": "listed below",
    }
    notebook = (course.assignments / homework.id / "words_and_shares.ipynb").read_text("utf-8")
    assert "In {{ 1 / 0 }}, {% endraw %}{{ 1 / 0 }} and {# so #} on: $x_{{i}}$." in notebook


def test_its_readme_names_each_file_of_the_homework_and_no_other(brought):
    folder = brought[0].homework("hw3").folder
    readme = (folder / "README.md").read_text("utf-8")
    files = {path.name for path in folder.iterdir() if path.is_file()} - {"README.md"}
    assert set(re.findall(r"`(\w+\.\w+)`", readme)) == files
    assert readme.endswith("`autograder assignments build hw3`,\n  `autograder check hw3`.\n")


def test_it_passes_at_once_and_is_released_without_its_hidden_inputs(brought, tmp_path):
    course, _ = brought
    result = run("check", "--course", course.root)
    assert (result.exit, result.out) == (0, "hw3_words_and_shares: ok\n")
    assert run("reference", "verify", "--course", course.root).exit == 0
    assert run("release", "--course", course.root, "--out", tmp_path).exit == 0
    (released,) = tmp_path.glob("hw3*.zip")
    with zipfile.ZipFile(released) as archive:
        texts = b"".join(archive.read(name) for name in archive.namelist())
    assert b"FROM_OTTER" not in texts
    assert b"powers.sum(axis" not in texts


def test_right_and_wrong_answers_get_their_points(brought, tmp_path):
    course, _ = brought
    source = course.homework("hw3").solution.read_text("utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in/ada.py").write_text(source, "utf-8")
    wrong = source.replace(RIGHT, WRONG).replace("return 2 * x", "return x + 2")
    assert wrong.count(RIGHT) == 0
    (tmp_path / "in/bob.py").write_text(
        wrong.replace("answers[\"q4\"] = 'b'", 'answers["q4"] = "a"'), "utf-8"
    )
    out = tmp_path / "out"
    assert grade(tmp_path / "in", "--out", out, "--course", course.root).exit == 0
    earned = {
        name: sum(test.get("score", 0) for test in results_of(out, name)["tests"]) for name in ("ada", "bob")
    }
    assert earned == {"ada": 9, "bob": 3}


def test_a_name_that_is_missing_and_tasks_beside_a_master_are_refused(tmp_path):
    without = run("new", "--course", tmp_path)
    both = run(
        "new", "--from-otter", tmp_path / "m.ipynb", "--tasks", "a", "--points", "9", "--course", tmp_path
    )
    assert (without.exit, both.exit) == (2, 2)
    assert without.err.removeprefix("error: ").strip() == to_authors["from-otter.no-name-and-no-tasks"]
    assert both.err.removeprefix("error: ").strip() == to_authors["from-otter.tasks-as-well"]
    assert list(tmp_path.iterdir()) == []
