"""Code cells of notebooks: whole, old, and a little broken."""

import json

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.notebook import parse_notebook
from autograder.intake.text import Script
from autograder.sandbox.request import Cell

from .makers import code, is_one_clean_line, notebook_of

MARKDOWN = {"cell_type": "markdown", "metadata": {}, "source": "# Title"}


def sources(data):
    return [cell.source for cell in parse_notebook(data, "a.ipynb").cells]


def test_code_cells_are_read_in_the_order_of_the_file_and_numbered_among_themselves():
    data = notebook_of(MARKDOWN, code("a = 1", execution_count=7), MARKDOWN, code("b = 2", execution_count=3))
    read = parse_notebook(data, "a.ipynb")
    assert read.cells == (Cell(1, "a = 1"), Cell(2, "b = 2"))
    assert read.problems == ()


def test_empty_cells_are_left_out_and_still_count():
    cells = parse_notebook(notebook_of("", "a = 1", " \n\n", "b = 2"), "a.ipynb").cells
    assert [cell.number for cell in cells] == [2, 4]


def test_sources_may_be_lists_of_lines():
    assert sources(notebook_of(code(["a = 1\n", "b = 2"]), code("c"))) == ["a = 1\nb = 2", "c"]


@pytest.mark.parametrize("count", [None, -5, "7", [1], 1e300])
def test_odd_execution_counts_do_not_matter(count):
    assert sources(notebook_of(code("a = 1", execution_count=count))) == ["a = 1"]


def test_missing_metadata_ids_outputs_and_format_numbers_do_not_matter():
    data = json.dumps({"cells": [{"cell_type": "code", "source": "a = 1"}]}).encode()
    assert parse_notebook(data, "a.ipynb") == Script("a.ipynb", "a = 1", (Cell(1, "a = 1"),))


def test_cells_that_are_none_are_passed_over():
    cells = [None, 3, {"source": "x"}, {"cell_type": "code"}, code([1, "a = 1", None])]
    assert sources(notebook_of(cells=cells)) == ["a = 1"]


def test_a_megabyte_of_outputs_does_not_matter():
    outputs = [{"output_type": "stream", "name": "stdout", "text": "0.1 " * 400_000}]
    assert sources(notebook_of(code("a = 1", outputs=outputs))) == ["a = 1"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_beyond_ascii_is_read(encoding):
    data = notebook_of("α = 'é注'").decode().encode(encoding)
    assert sources(data) == ["α = 'é注'"]


def test_half_characters_do_not_get_through():
    [source] = sources(b'{"cells": [{"cell_type": "code", "source": "a = \'\\ud800\'"}]}')
    assert source == "a = '?'"
    source.encode()


def test_line_ends_of_other_systems_become_line_feeds():
    assert sources(notebook_of("a = 1\r\nb = 2\r")) == ["a = 1\nb = 2\n"]


def test_old_notebooks_with_worksheets_are_read_as_nbformat_reads_them():
    v3 = nbformat.v3
    old = v3.new_notebook(
        metadata=v3.new_metadata(name="old"),
        worksheets=[
            v3.new_worksheet(
                cells=[
                    v3.new_heading_cell("Title"),
                    v3.new_code_cell("a = 1\nb = 2", prompt_number=4),
                    v3.new_code_cell("c = 3"),
                ]
            ),
            v3.new_worksheet(cells=[v3.new_code_cell("d = 4")]),
        ],
    )
    written = v3.writes_json(old)
    expected = [c.source for c in nbformat.reads(written, as_version=4).cells if c.cell_type == "code"]
    assert sources(written.encode()) == expected == ["a = 1\nb = 2", "c = 3", "d = 4"]


def test_a_notebook_that_nbformat_writes_is_read():
    v4 = nbformat.v4
    new = v4.new_notebook(cells=[v4.new_markdown_cell("x"), v4.new_code_cell("a = 1\nb = 2")])
    assert sources(nbformat.writes(new).encode()) == ["a = 1\nb = 2"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the file is empty"),
        (b"  \n", "the file is empty"),
        (b"import numpy as np\n", "line 1: "),
        (notebook_of("a = 1")[:-5], "line 1: "),
        (b'<<<<<<< HEAD\n{"cells": []}', "line 1: "),
        (b"[1, 2]", "it is JSON, but not a notebook"),
        (b'{"a": 1}', "it has no list of cells"),
        (b'{"cells": {}, "worksheets": 3}', "it has no list of cells"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b'{"cells": ' * 1_000_000, "nested too deeply"),
        (b'{"cells": ' + b"9" * 100_000 + b"}", "a number that is too long"),
        (b'{"cells": [' + b"{}," * 2_000_001, "too many objects"),
    ],
)
def test_what_is_no_notebook_is_a_problem_with_a_remedy(data, reason):
    read = parse_notebook(data, "my work.ipynb")
    assert read.cells == ()
    [problem] = read.problems
    assert problem.staff.startswith("'my work.ipynb' is not a notebook (")
    assert reason in problem.staff
    assert problem.text.endswith("): save it again from Jupyter or Colab as .ipynb")


def test_a_notebook_without_code_is_a_problem():
    assert parse_notebook(notebook_of(MARKDOWN, ""), "a.ipynb").problems == (
        to_staff["notebook.no-code-cells-ask"],
    )


def test_a_notebook_in_another_language_is_pointed_out():
    data = notebook_of("x <- 1", metadata={"kernelspec": {"language": "R"}})
    read = parse_notebook(data, "a.ipynb")
    assert len(read.cells) == 1
    assert read.problems == (to_staff["notebook.says-it-is-written-in-r"],)


@pytest.mark.parametrize("metadata", [None, [], {"kernelspec": None}, {"kernelspec": {"language": 3}}])
def test_odd_metadata_does_not_matter(metadata):
    assert parse_notebook(notebook_of("a = 1", metadata=metadata), "a.ipynb").problems == ()


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.text(max_size=20))
def test_arbitrary_bytes_never_raise(data, name):
    assert all(map(is_one_clean_line, parse_notebook(data, name).problems))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["cells", "worksheets", "cell_type", "source", "input", "metadata", "kernelspec"]
            ),
            inner | st.just("code"),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(json_values)
def test_arbitrary_json_never_raises(value):
    read = parse_notebook(json.dumps(value).encode(), "a.ipynb")
    assert all(isinstance(cell.source, str) for cell in read.cells)
    assert all(map(is_one_clean_line, read.problems))
