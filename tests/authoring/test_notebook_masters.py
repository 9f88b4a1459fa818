import json

import pytest
from wording import to_authors

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.notebooks import DEFAULT_PLOTS, notebook_files, notebook_text
from autograder.course.course import MASTER
from autograder.course.schema import CourseError
from autograder.course.stub import stub_text
from autograder.intake.handed_out import HandedOut
from autograder.intake.notebook import parse_notebook

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
