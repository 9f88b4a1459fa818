import ast
import json
import re
import sys

import pytest
from homeworks import TEN
from hypothesis import given
from hypothesis import strategies as st
from wording import to_authors

from autograder.authoring.assignments import build_assignments, verify_assignments
from autograder.authoring.notebooks import DEFAULT_PLOTS, cut, notebook_files, notebook_text, plots_file
from autograder.authoring.release import FOR_NOTEBOOKS, REQUIREMENTS, beside_the_work
from autograder.course.course import MASTER
from autograder.course.schema import CourseError
from autograder.course.stub import notebook_name, stub_text
from autograder.intake.handed_out import HandedOut
from autograder.intake.notebook import parse_notebook

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
