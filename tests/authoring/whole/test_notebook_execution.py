"""Each notebook as a student goes through it: run as handed out, then filled in, in the same kernel.

It lies in a folder with ``public_checks.pyz`` and nothing else.
"""

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from wording import to_authors

from autograder.authoring.checks_package import checks_package
from autograder.authoring.notebooks import plots_file
from autograder.course.course import MASTER, find_course
from autograder.course.stub import notebook_name
from autograder.student.bootstrap import ARCHIVE

PATIENCE = 300
WHICH_ENGINE = "import autograder; print(autograder.__file__)"


MASTERS = [homework.id for homework in find_course().homeworks() if (homework.folder / MASTER).is_file()]


@pytest.fixture(params=MASTERS)
def halves(request, course, assigned, tmp_path):
    """The executed cells of the notebook as handed out, and those of the filled one."""
    homework = course.homework(request.param)
    for_students, filled_in = assigned(homework.id)
    (tmp_path / notebook_name(homework)).write_text(for_students, encoding="utf-8")
    plots = plots_file(course.solutions)
    package = checks_package(course, homework, {plots.name: plots.read_bytes()})
    (tmp_path / ARCHIVE).write_bytes(package[ARCHIVE])
    student, solved = nbformat.reads(for_students, 4), nbformat.reads(filled_in, 4)
    length = len(student.cells)
    for cell in solved.cells:
        cell.id = f"solved-{cell.id}"
    student.cells += [*solved.cells, nbformat.v4.new_code_cell(WHICH_ENGINE)]
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(
        student, timeout=PATIENCE, startup_timeout=PATIENCE, allow_errors=True, resources=where
    ).execute()
    assert Path(text_of(student.cells.pop().outputs)).is_relative_to(tmp_path)
    return student.cells[:length], student.cells[length:]


def test_a_notebook_runs_as_handed_out_and_filled_in(halves):
    handed_out, filled_in = halves
    assert errors(handed_out) == errors(filled_in) == []
    for output in outputs_of(handed_out, r"^check_task\("):
        assert to_authors["notebook_execution.not-written-yet"] in text_of(output)
    for output in outputs_of(handed_out, r"plots\.once_written"):
        assert re.search(r"No picture yet: `\w+(\.__init__)?` is still a stub", text_of(output))
        assert "image/png" not in str(output)
    for output in outputs_of(filled_in, r"^check_task\("):
        assert to_authors["notebook_execution.all-of-this-task"] in text_of(output)
    for output in outputs_of(filled_in, r"plots\.once_written"):
        assert any("image/png" in output.get("data", {}) for output in output)
        assert "No picture" not in text_of(output)


def errors(cells):
    errors_raised = [
        output for cell in cells for output in cell.get("outputs", []) if output.output_type == "error"
    ]
    return [f"{error.ename}: {error.evalue}" for error in errors_raised]


def outputs_of(cells, pattern):
    outputs = [cell.outputs for cell in cells if cell.cell_type == "code" and re.search(pattern, cell.source)]
    assert outputs, f"no cell holds {pattern}"
    return outputs


def text_of(outputs):
    return "".join(output.get("text", "") or json.dumps(output.get("data", {})) for output in outputs)
