"""Code cells of notebooks: whole, old, a little broken, and with IPython's own syntax."""

import json
import subprocess
import sys

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.notebook import Translator, parse_notebook
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


def translate(source):
    python = Translator().cell(source)
    compile(python, "cell", "exec")
    return python


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("%matplotlib inline", "run_line_magic('matplotlib', 'inline')"),
        ("!pip install torch", "system('pip install torch')"),
        ("  !ls", "system('ls')"),
        ("np.dot?", "run_line_magic('pinfo', 'np.dot')"),
        ("?np.dot", "run_line_magic('pinfo', 'np.dot')"),
        ("names = !ls", "getoutput('ls')"),
        ("x = %sql select", "run_line_magic('sql', 'select')"),
        ("%time y = f(2)", "run_line_magic('time', 'y = f(2)')"),
        ("%%writefile helper.py\nx = 1", "run_cell_magic('writefile', 'helper.py', 'x = 1\\n')"),
        ("%%bash\necho hello", "run_cell_magic('bash', '', 'echo hello\\n')"),
        ("pip install -q torch", "run_line_magic('pip', 'install -q torch')"),
        ("  conda install numpy", "run_line_magic('conda', 'install numpy')"),
        ("if True:\n    pip install numpy", "run_line_magic('pip', 'install numpy')"),
    ],
)
def test_magics_and_shell_lines_become_calls(source, call):
    assert f"get_ipython().{call}" in translate(source)


@pytest.mark.parametrize("magic", ["%%time", "%%timeit -n 1", "%%capture out", "%%capture\n%%time"])
def test_a_cell_that_is_only_timed_or_captured_runs_as_any_other(magic):
    source = translate(f"\n{magic}\nx = 1\n!ls\n")
    lines = source.splitlines()
    at = magic.count("\n") + 2
    assert lines[1].startswith("# %%")
    assert lines[at : at + 2] == ["x = 1", "get_ipython().system('ls')"]


def test_lines_keep_their_numbers():
    lines = translate("\n\n%matplotlib inline\n\nx = 1\npip install a\ny = 2").split("\n")
    assert (lines[4], lines[6]) == ("x = 1", "y = 2")


def test_a_cell_that_is_indented_as_a_whole_is_read_as_jupyter_reads_it():
    assert translate("    x = 1\n    y = 2\n") == "x = 1\ny = 2\n"


def test_a_cell_pasted_with_its_prompts_is_read_as_jupyter_reads_it():
    assert translate(">>> x = 1\n>>> y = 2\n") == "x = 1\ny = 2\n"


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "y = (7\n% 2)",
        "print('loss = %f' % loss)",
        "text = '''\n%matplotlib inline\n!ls\n'''\n",
        "# what is the shape of Q?\nx = 1",
        "pip = 3\nx = pip in [3]",
        "a != b",
    ],
)
def test_plain_python_stays_as_it_is(source):
    assert translate(source).strip() == source.strip()


@pytest.mark.parametrize("source", ["%", "!", "?", "x = (", "%time (", "%%", "'''", "if x:\n%%time"])
def test_what_cannot_be_translated_stays_text(source):
    assert isinstance(Translator().cell(source), str)


@pytest.mark.parametrize(
    "source",
    [
        "%pip\n" + "x = [1, 2, 'abc']\n" * 100_000,
        "%pip\n" + "(" * 1_000_000,
        "%pip install x\n" * 5000,
        "%pip\n" + "/f a\n" * 20_000,
        "%x\n(" + ("a" * 1990 + "\n") * 40 + "b ?\n",
        "!x\n" + "\\\n".join(["a.b" * 660] * 40) + " ?\n",
        ";" * 1500,
        ("," * 300 + "f\n") * 20,
        "%x\n" + "/;" * 400,
    ],
)
def test_a_cell_that_would_take_too_long_stays_as_it_is(source):
    assert Translator().cell(source) == source


def test_one_enormous_cell_does_not_use_up_the_work_of_the_others():
    translator = Translator()
    translator.cell("%pip\n" + "x = 1\n" * 1_000_000)
    assert "get_ipython" in translator.cell("!ls")


def test_the_work_of_one_cell_is_counted_by_its_rounds():
    """Each round takes one sign off the line, which then begins with the next one."""
    translator = Translator()
    honest = "!ls\n" + "x = 1\n" * 100
    for _ in range(3):
        translator.cell("%x\n" + ";" * 400 + "\n" + "x = 1\n" * 500)
    assert translator.cell(honest) == honest


def test_many_cells_share_one_amount_of_work():
    translator = Translator()
    cell = "%pip install x\n" + "x = 1\n" * 2000
    translated = [translator.cell(cell) != cell for _ in range(100)]
    assert translated[0]
    assert not translated[-1]


def test_a_script_that_was_downloaded_from_a_notebook_is_translated():
    text = '"""Automatically generated by Colab."""\n\n!pip install torch\n%matplotlib inline\nx = 1\n'
    python = Translator().script(text)
    compile(python, "a.py", "exec")
    assert python.splitlines()[4] == "x = 1"


@pytest.mark.parametrize("text", ["x = (3\n%y)", "'''\n!ls\n'''", "\n\nx = 1", "  x = 1"])
def test_a_plain_script_stays_as_it_is(text):
    assert Translator().script(text) == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("%!?=x \n\t'\"\\()[]{}#:;,/>0é."), max_size=60))
def test_arbitrary_cells_never_raise(source):
    assert isinstance(Translator().cell(source), str)
    assert isinstance(Translator().script(source), str)


def test_plain_submissions_import_neither_ipython_nor_nbformat_nor_torch():
    program = """if True:
        import json, sys
        from autograder.intake.matching import HomeworkProfile, match
        from autograder.intake.submission import ReadResult, SourceFile
        cells = [{"cell_type": "code", "source": "x = 1  # ok?"}]
        files = SourceFile("a.ipynb", json.dumps({"cells": cells}).encode()), SourceFile("b.py", b"y = 2")
        matched = match("s", ReadResult(files), [HomeworkProfile("h", "a.py"), HomeworkProfile("i", "b.py")])
        assert len(matched.handins) == 2
        print(*{"IPython", "nbformat", "torch"} & set(sys.modules))
    """
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == ""
