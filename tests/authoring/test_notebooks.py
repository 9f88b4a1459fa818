"""Notebooks for students: made from masters and parts, and run without the folder that they came in."""

import ast
import json
import os
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from homeworks import TEN
from hypothesis import given
from hypothesis import strategies as st
from released import HW1, HW4, released
from wording import to_authors, to_students

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.notebooks import DEFAULT_PLOTS, cut, notebook_files, notebook_text, plots_file
from autograder.authoring.release import FOR_NOTEBOOKS, REQUIREMENTS, beside_the_work
from autograder.course.course import MASTER
from autograder.course.schema import CourseError
from autograder.course.stub import notebook_name, stub_text
from autograder.intake.handed_out import HandedOut
from autograder.intake.notebook import parse_notebook
from autograder.student import bootstrap
from autograder.student.bootstrap import ARCHIVE

HOMEWORKS = TEN


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_the_stored_notebook_is_what_the_master_gives(course, assigned, homework_id):
    stored = course.assignments / homework_id / notebook_name(course.homework(homework_id))
    assert stored.read_text("utf-8") == assigned(homework_id)[0]


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_every_task_is_asked_for_and_checked(course, assigned, homework_id):
    cells = parse_notebook(assigned(homework_id)[0].encode(), "n.ipynb").cells
    checked = [cell.source for cell in cells if cell.source.startswith("check_task(")]
    assert checked == [
        f'check_task("{task.name}", globals())  # {task.points:g} points'
        for task in course.homework(homework_id).tasks
    ]


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_a_notebook_for_students_holds_no_line_of_a_solution(course, assigned, homework_id):
    source = course.homework(homework_id).solution.read_text("utf-8")
    regions = [part.partition("# END SOLUTION")[0] for part in source.split("# BEGIN SOLUTION")[1:]]
    student_notebook = assigned(homework_id)[0]
    for line in (line.strip() for region in regions for line in region.splitlines()):
        assert len(line) < 8 or json.dumps(line, ensure_ascii=False)[1:-1] not in student_notebook, line


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_a_notebook_holds_no_output_and_no_trace_of_the_machine(assigned, homework_id):
    notebook = json.loads(assigned(homework_id)[0])
    assert notebook["metadata"].keys() == {"kernelspec", "language_info"}
    assert [cell["id"] for cell in notebook["cells"]] == [
        f"cell-{place}" for place in range(1, len(notebook["cells"]) + 1)
    ]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook["cells"])


@pytest.mark.parametrize("homework_id", HOMEWORKS)
def test_a_notebook_and_its_pictures_import_what_is_asked_for_alone(course, assigned, homework_id):
    homework = course.homework(homework_id)
    cells = parse_notebook(assigned(homework_id)[0].encode(), "n.ipynb").cells
    nodes = [
        node
        for text in (plots_file(course.solutions).read_text("utf-8"), *(cell.source for cell in cells))
        for node in ast.walk(ast.parse(text))
    ]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    files = beside_the_work(homework, notebook_name(homework))
    packages = re.findall(r"^\w+", (files[REQUIREMENTS] + files[FOR_NOTEBOOKS]).decode(), re.MULTILINE)
    foreign = {name.partition(".")[0] for name in imported} - sys.stdlib_module_names
    assert foreign - {"attention_plots", "public_checks"} <= {*packages}


def test_text_before_the_first_cell_is_refused(tiny):
    (tiny.folder / MASTER).write_text('"""A notebook."""\n\n# %%\n# {{ setup }}\n', encoding="utf-8")
    with pytest.raises(CourseError, check=to_authors["notebooks.begin-with-a-cell"]):
        notebook_text(tiny.homework, "")


TEXT = """# %% [markdown]
# # Doubles

# %%
# {{ setup }}

# %% [markdown]
# Twice as much.

# %%
# {{ question: double }}

# %%
# {{ question: totals }}

# %% [markdown]
# {{ hand_in }}
"""


@pytest.fixture
def master(tiny):
    """The tiny course with a notebook."""
    (tiny.folder / MASTER).write_text(TEXT, encoding="utf-8")
    (tiny.course.solutions / "attention_plots.py").write_text("pictures = 1\n", encoding="utf-8")
    return tiny


def cells(tiny, kind="", *, solved=False):
    source = tiny.homework.solution.read_text("utf-8") if solved else stub_text(tiny.homework)
    notebook = json.loads(notebook_text(tiny.homework, source))
    return ["".join(cell["source"]) for cell in notebook["cells"] if kind in cell["cell_type"]]


def test_a_question_is_its_text_the_stub_and_the_public_checks(master):
    texts = cells(master)
    begin = texts.index("Twice as much.")
    assert texts[begin + 1].startswith("def double(x):")
    assert texts[begin + 2] == 'check_task("double", globals())  # 3 points'


def test_the_solution_has_no_second_copy_in_the_master(master):
    master.edit("doubles.py", "factor * x", "x + x")
    assert any("return x + x" in source for source in cells(master, "code", solved=True))
    assert not any("SOLUTION" in source for source in cells(master, solved=True))


def test_setup_brings_the_imports_and_the_checks(master):
    setup = next(source for source in cells(master, "code") if "check_task" in source)
    assert setup.startswith("import numpy as np\n")
    assert "from public_checks import check_task" in setup


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# {{ question: totals }}", "# totals", r"lacks a code cell # \{\{ question: totals \}\}"),
        ("# {{ setup }}", "# {{ steup }}", r"# \{\{ steup \}\} is not a known mark"),
        ("# {{ setup }}", "# {{ code: triple }}", r"defines no 'triple'"),
        ("# {{ setup }}", "# {{ question: triple }}", r"no task named 'triple'"),
    ],
)
def test_a_wrong_mark_is_an_error_that_says_what_there_is(master, old, new, message):
    master.edit(MASTER, old, new)
    with pytest.raises(CourseError, match=message):
        cells(master)


def test_students_find_the_stub_where_the_solution_was(master):
    for_students = notebook_text(master.homework, stub_text(master.homework))
    codes = [cell.source for cell in parse_notebook(for_students.encode(), "doubles.ipynb").cells]
    assert "factor" not in for_students
    assert all(
        any(
            f"def {name}(" in code and to_authors["notebook_masters.raise-notimplementederror"] in code
            for code in codes
        )
        for name in ("double", "totals")
    )


def test_the_same_sources_give_the_same_bytes(master):
    stub = stub_text(master.homework)
    assert notebook_text(master.homework, stub) == notebook_text(master.homework, stub)


def test_the_notebook_and_its_pictures_are_generated_and_verified(master):
    build_assignments(master.course)
    folder = master.course.assignments / "hwx"
    assert (folder / "attention_plots.py").read_text("utf-8") == "pictures = 1\n"
    assert verify_assignments(master.course) == []
    master.edit(MASTER, "Twice as much.", "Twice.")
    assert verify_assignments(master.course) == ["assignments/hwx/doubles.ipynb differs"]


def test_the_notebook_as_handed_out_is_untouched_and_a_filled_one_is_not(master):
    build_assignments(master.course)
    data = (master.course.assignments / "hwx" / "doubles.ipynb").read_bytes()
    code = "\n".join(cell.source for cell in parse_notebook(data, "doubles.ipynb").cells)
    assert HandedOut(master.homework).is_untouched(code)
    assert not HandedOut(master.homework).is_untouched(
        code.replace("raise NotImplementedError", "return 2 * x", 1)
    )
    assert not HandedOut(master.homework).is_untouched("")
    assert HandedOut(master.homework).is_untouched(f"import setup_of_an_earlier_release\n{code}")
    assert not HandedOut(master.homework).is_untouched(f"{code}\nfrom my_work import *")


def test_a_course_without_pictures_of_its_own_draws_with_those_of_the_kit(master):
    (master.course.solutions / "attention_plots.py").unlink()
    files = notebook_files(master.homework, stub_text(master.homework))
    assert files["notebook_plots.py"] == DEFAULT_PLOTS.read_text("utf-8")
    assert "import notebook_plots as plots" in files["doubles.ipynb"]
    assert "attention" not in "".join(files.values())


def test_without_a_master_there_is_no_notebook(tiny):
    assert notebook_files(tiny.homework, stub_text(tiny.homework)) == {}


SOURCE = '''"""A module."""

import math
from os import (
    path,
)

LIMIT = 3


# About doubling.
@decorated
def double(x):
    """Twice."""
    # BEGIN SOLUTION
    return 2 * x
    # END SOLUTION


# {{ answers }}
# BEGIN SOLUTION
answers = {}
answers["reason"] = "b"
# END SOLUTION
'''


def test_a_part_ends_where_the_next_begins_with_its_marks_and_comments():
    parts = cut(SOURCE, "m.py")
    assert parts.part("double") == SOURCE[SOURCE.index("# About") : SOURCE.index("\n\n\n# {{")]
    assert parts.part("LIMIT") == "LIMIT = 3"


def test_statements_that_define_no_name_belong_to_the_name_before_them():
    assert cut(SOURCE, "m.py").part("answers") == SOURCE[SOURCE.index("# {{") :].rstrip()


def test_imports_are_collected():
    assert cut(SOURCE, "m.py").imports == "import math\nfrom os import path"


def test_a_name_that_is_not_there_is_an_error_that_lists_those_that_are():
    with pytest.raises(CourseError, check=to_authors["notebook_parts.defines-no-triple-limit"]):
        cut(SOURCE, "m.py").part("triple")


def test_a_source_that_is_no_python_is_an_error():
    with pytest.raises(CourseError, check=to_authors["notebook_parts.not-valid-python"]):
        cut("def (", "m.py")


@given(
    st.lists(st.sampled_from(["def f{}(x):\n    return x", "class C{}:\n    y = 1", "v{} = 2"]), max_size=6)
)
def test_every_definition_becomes_a_part_of_its_own(forms):
    texts = [form.format(number) for number, form in enumerate(forms)]
    parts = cut("\n\n\n".join(texts) + "\n", "m.py")
    assert list(parts.by_name.values()) == texts
    assert all(len(ast.parse(text).body) == 1 for text in parts.by_name.values())


mpl.use("agg")
Run = Callable[[], dict[str, Any]]
CELLS = [cell.source for cell in parse_notebook(released(HW1)["attention_scores.ipynb"], "n.ipynb").cells]
PICTURE = next(cell for cell in CELLS if "once_written" in cell and cell != CELLS[0])
RIGHT, OTHER = (released(homework)[ARCHIVE] for homework in (HW1, HW4))
OLDER = RIGHT[:-8] + b"0a1b2c3d"
MISSING = "notebook_alone.no-checks-no-pictures"


@pytest.fixture
def drive(tmp_path):
    return tmp_path / "MyDrive"


@pytest.fixture
def first_cell(tmp_path, drive, monkeypatch):
    """Runs the first cell in an empty folder, and again where a student runs it again."""
    folder = tmp_path / "content"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("public_checks", "attention_plots"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    names = {}

    def run():
        exec(CELLS[0].replace("/content/drive/MyDrive", str(drive)), names)
        monkeypatch.setattr(sys, "path", sys.path)
        return names

    return run


@pytest.fixture
def colab(monkeypatch):
    """A stand-in for Colab's module; what the student will choose, from the last to the first."""
    chosen = []

    def upload():
        """Save under a name that is free, and return what was chosen under its own, as Colab does."""
        if not chosen:  # cancelled
            return {}
        name, number, data = ARCHIVE, 0, chosen.pop()
        while os.path.lexists(name):
            number += 1
            name = f"public_checks ({number}).pyz"
        Path(name).write_bytes(data)
        return {ARCHIVE: data}

    files = types.SimpleNamespace(upload=upload)
    monkeypatch.setitem(sys.modules, "google.colab", types.SimpleNamespace(files=files))
    return chosen


def assert_checks(names):
    assert names["check_task"]("qk_scores", {**names, "qk_scores": lambda Q, K: Q @ K.T}).passed
    assert sys.modules["public_checks"].case("softmax", 1).shape == (3, 3)
    assert ".pyz" in names["plots"].__file__


def test_in_colab_the_one_file_is_asked_for_and_checks_and_draws(first_cell, colab, capsys):
    colab[:] = [b"not chosen again", RIGHT]
    names = first_cell()
    assert_checks(names)
    exec(CELLS[1], names)
    exec(PICTURE, names)
    first_cell()
    output = capsys.readouterr().out
    assert output.count(to_students["notebook_alone.choose"]) == len(colab) == 1
    assert "No picture yet: `qk_scores` is still a stub" in output


@pytest.mark.parametrize("wrong", [OTHER, OLDER, RIGHT[:-2000], b""], ids=["other", "older", "half", "empty"])
def test_a_wrong_file_is_told_in_a_sentence_and_the_right_one_counts_beside_it(
    first_cell, colab, capsys, wrong
):
    colab[:] = [RIGHT, wrong]
    names = first_cell()
    assert names["check_task"]("softmax", names) is None
    assert capsys.readouterr().out.count(to_students[MISSING]) == 2
    assert_checks(first_cell())
    assert sorted(path.name for path in Path.cwd().glob("*.pyz")) == ["public_checks (1).pyz", ARCHIVE]


@pytest.mark.parametrize("below", ["", "Colab Notebooks", f"courses/{HW1}"])
def test_a_mounted_drive_is_searched_and_not_written_to(first_cell, colab, drive, below, monkeypatch):
    colab.append(b"not asked for")
    (drive / below).mkdir(parents=True)
    (drive / "public_checks.pyz").write_bytes(OTHER)
    (drive / below / "public_checks (2).pyz").write_bytes(RIGHT)
    names = first_cell()
    for module in (sys.modules["public_checks"], bootstrap):  # the engine has its own
        monkeypatch.setattr(module, "MOUNTED", drive)
    assert_checks(names)
    assert colab
    assert not list(drive.rglob("__pycache__"))


def test_without_its_file_and_without_colab_no_cell_of_ours_raises_and_each_says_what_is_missing(
    first_cell, capsys
):
    names = first_cell()
    exec(CELLS[1], names)  # the stub
    exec(PICTURE, names)
    names |= {"qk_scores": lambda Q, K: Q @ K.T, "scale_scores": lambda scores, d_k: scores, "softmax": abs}
    exec(PICTURE, names)
    names["softmax"] = lambda x: 1 / 0
    with pytest.raises(ZeroDivisionError):  # the student's own mistake, as with the pictures
        exec(PICTURE, names)
    assert names["check_task"]("softmax", names) is None
    assert capsys.readouterr().out == 5 * (to_students[MISSING] + "\n")


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (OTHER, "is-for-another-homework"),
        (OLDER, "is-of-another-release"),
        (None, "unzip-the-homework-again"),
    ],
)
def test_an_archive_beside_the_notebook_that_does_not_fit_is_told_at_each_check(
    first_cell, archive, message, capsys
):
    files = {name: released(HW1)[name] for name in ("public_checks.py", "attention_plots.py")}
    for name, data in {**files, **({ARCHIVE: archive} if archive else {})}.items():
        Path(name).write_bytes(data)
    sys.path.insert(0, "")
    names = first_cell()
    assert capsys.readouterr().out == ""
    assert names["check_task"]("softmax", names) is None
    output = capsys.readouterr().out
    assert to_students[f"notebook_alone.{message}"] in output
    assert output.count("\n") == 1
