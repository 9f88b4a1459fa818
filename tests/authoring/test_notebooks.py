import ast
import json
import re
import sys

import pytest
from homeworks import TEN
from wording import to_authors

from autograder.authoring.notebooks import notebook_text, plots_file
from autograder.authoring.release import FOR_NOTEBOOKS, REQUIREMENTS, beside_the_work
from autograder.course.course import MASTER
from autograder.course.schema import CourseError
from autograder.course.stub import notebook_name
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
