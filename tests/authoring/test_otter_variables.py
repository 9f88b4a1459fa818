"""Questions of an Otter master that ask for variables become functions; data files come along."""

import ast

import pytest
from otter_masters import code, config, question, text, write_master

from autograder.course.course import Course
from autograder.course.stub import strip_solution
from autograder.otter.from_otter import homework_from_otter
from autograder.otter.master import read_master
from autograder.sandbox.pool import SandboxPool

PRICES = "1\n9\n2\n"
QUESTIONS = {
    "two numbers": question(
        "name: q1\npoints: 2",
        code("low < high", "True"),
        code("# HIDDEN\nround(high / 3, 2)", "3.0"),
        solution=[code("low = 1 # SOLUTION\nstep = 2\nhigh = low + 4 * step # SOLUTION")],
    ),
    "a text": question(
        "name: q2",
        code("# Look at the first letter.\nword", "'match maker'"),
        solution=[code("word = 'hatch maker'.replace('h', 'm', 1) # SOLUTION\nprint(word)")],
    ),
    "what an earlier question asks for": question(
        "name: q3",
        code("total == 10 and half.dtype == np.float64", "True"),
        solution=[
            code("import math\ntotal = math.fsum([low, high]) # SOLUTION"),
            code("# BEGIN SOLUTION\nhalf = np.array([total]) / 2\n# END SOLUTION"),
        ],
    ),
    "numbers of a file": question(
        "name: q4\npoints: 3",
        code("assert cheap.shape == (2,)"),
        code("assert set(cheap.tolist()) == {1, 2} and len(prices) == 3"),
        solution=[code("cheap = prices[prices < 3] # SOLUTION")],
    ),
    "a solution without marks": question(
        "name: q5",
        code("try:\n    assert order == [1, 2, 3]\nexcept AssertionError:\n    print('Sort them.')"),
        solution=[code("order = sorted([3, 1, 2])")],
    ),
    "a name of a star import": question(
        "name: q6", code("list(roots)", "[2.0, 3.0]"), solution=[code("roots = sqrt(4), sqrt(9) # SOLUTION")]
    ),
    "an object": question(
        "name: q7",
        code("places.pattern == 'x'", "True"),
        solution=[code("places = re.compile('x') # SOLUTION")],
    ),
    "chance": question(
        "name: q8",
        code("assert 0 < chance < 1"),
        solution=[code("chance = np.random.default_rng().random() # SOLUTION\nnot_zero = chance > 0")],
    ),
    "a file that is missing": question(
        "name: q9",
        code("len(lines) == 2 and lines[0]", "True"),
        solution=[code("lines = list(file) # SOLUTION")],
    ),
    "a text over two lines": question(
        "name: q10",
        code("poem.count('e') > 1 and len(poem) > 2", "True"),
        solution=[code("poem = '''one\ntwo eve''' # SOLUTION\nshort = poem[:3] # SOLUTION")],
    ),
    "what such a question asks for": [
        code("first_line = poem.split()[0]"),
        *question(
            "name: q13", code("loud", "'ONE'"), solution=[code("loud = first_line.upper() # SOLUTION")]
        ),
    ],
    "a function's variable": question(
        "name: q11",
        code("scaled(2) == 6", "True"),
        code("factor == 3 and type(factor) == int", "True"),
        solution=[code("factor = 3 # SOLUTION\ndef scaled(x):\n    return factor * x # SOLUTION")],
    ),
}
SETUP = [
    code("import re\nimport not_installed_here as no\nimport numpy as np\nfrom math import *"),
    code("prices = np.loadtxt('prices.csv')"),
    code("file = open('texts/missing.txt')\nbegun = True"),
    code("print('one parenthesis is missing'"),
    code("after_it = prices.shape\nundefined + 1"),
]


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    """A master with a question of every form, after its run."""
    folder = tmp_path_factory.mktemp("variables")
    (folder / "prices.csv").write_text(PRICES, "utf-8")
    (folder / "settings.yml").write_text("files: [prices.csv, picture.png, other.csv]", "utf-8")
    questions = list(QUESTIONS.values())
    head = "name: hw3_words\nconfig_file: settings.yml"
    master = write_master(folder / "m.ipynb", text("# Words"), *SETUP, *questions, head=head)
    with SandboxPool() as pool:
        yield homework_from_otter(Course(folder / "course"), master, "", "", pool)


def file(transfer, name):
    content = next(content for path, content in transfer.files.items() if path.name == name)
    assert isinstance(content, str)
    return content


CAME = ["q1", "q2", "q3", "q4", "q5", "q6"]


def test_a_question_becomes_a_function_that_returns_its_variables(brought):
    tree = ast.parse(file(brought, "words.py"))
    returned = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and isinstance(node.body[-1], ast.Return):
            returned[node.name] = ast.unparse(node.body[-1])
    assert {name: returned[name] for name in CAME} == {
        "q1": "return (low, high)",
        "q2": "return word",
        "q3": "return (total, half)",
        "q4": "return (cheap, prices)",
        "q5": "return order",
        "q6": "return roots",
    }
    assert returned["scaled"] == "return factor * x"


def test_what_it_needs_of_an_earlier_question_it_calls_for_itself(brought):
    source = file(brought, "words.py")
    function = source.partition("def q3():")[2].partition("\ndef ")[0]
    assert [line.strip() for line in function.splitlines() if line.strip()] == [
        '"""Return total, half."""',
        "low, high = q1()",
        "# TODO 4: total = ...",
        "# BEGIN SOLUTION",
        "total = math.fsum([low, high])",
        "half = np.array([total]) / 2",
        "# END SOLUTION",
        "return total, half",
    ]


def test_the_stub_loads_although_cells_stop_and_variables_are_missing(brought):
    stub = strip_solution(file(brought, "words.py"), "words.py")
    assert "open(" not in stub
    assert "not_installed_here" not in stub
    assert "hatch" not in stub
    assert "two eve" not in stub
    names = {node.name for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)}
    assert names.issuperset(CAME)


def test_tests_judge_with_their_own_lines_and_hints(brought):
    checks = file(brought, "test_hw3_words.py")
    assert "        # Look at the first letter.\n        show(word)\n" in checks
    assert "        show(low < high)\n" in checks
    assert "\nimport numpy as np\n" in checks


def test_points_come_over_and_what_cannot_is_listed_with_its_reason(brought):
    assert brought.summary.endswith("10 of 15 points")
    assert {(leftover.question, leftover.why) for leftover in brought.left} == {
        ("q7", "places is a value that is not plain data"),
        ("q8", "chance is random, or depends on what ran before"),
        ("q9", "it does not pass on the master's own solution here: NameError: name 'lines' is not defined"),
        ("q10", "its code cannot be indented as the body of a function: a text goes over several lines"),
        ("q11", "it tests factor, which is not a function"),
        ("q13", "it needs what q10 asks for, which is left out"),
    }


def test_data_files_come_along_and_a_missing_one_is_named(brought):
    data = {path.name: content for path, content in brought.files.items() if isinstance(content, bytes)}
    assert data == {"prices.csv": PRICES.encode()}
    assert 'data = ["prices.csv"]' in file(brought, "homework.toml")
    listed = file(brought, "FROM_OTTER.md")
    assert "The data file `prices.csv` came along" in listed
    assert "`texts/missing.txt` does not lie next to the master" in listed
    assert "`other.csv` does not lie next to the master" in listed
    assert "picture.png" not in listed


def test_a_cell_that_is_not_python_is_left_out_and_named(brought):
    assert "one parenthesis" not in file(brought, "notebook.py")
    assert "Cell 6 was left out of the notebook: it is not valid Python" in file(brought, "FROM_OTTER.md")


def test_settings_that_are_missing_are_named(tmp_path):
    master = read_master(write_master(tmp_path / "m.ipynb", QUESTIONS["a text"], head="config_file: no.yml"))
    assert master.notes == ["`config_file: no.yml` is not there: its settings are unknown."]


def test_settings_of_a_file_count(tmp_path):
    (tmp_path / "settings.yml").write_text("tests:\n  ok_format: false", "utf-8")
    cells = question("name: q1", code("def test_x(x):\n    assert x == 1\n\ntest_x(x)  # IGNORE"))
    master = read_master(write_master(tmp_path / "m.ipynb", cells, head="config_file: settings.yml"))
    assert [test.code for test in master.questions["q1"].tests] == [
        "def test_x(x):\n    assert x == 1\ntest_x(x)"
    ]


def test_one_number_is_a_theory_question_where_there_is_a_function_beside_it(tmp_path):
    number = question("name: q12", code("x == 2", "True"), solution=[code("x = 2 # SOLUTION")])
    with SandboxPool() as pool:
        course = Course(tmp_path / "course")
        alone = homework_from_otter(course, write_master(tmp_path / "a.ipynb", number), "hw3_a", "", pool)
        both = write_master(tmp_path / "b.ipynb", number, QUESTIONS["two numbers"])
        beside = homework_from_otter(course, both, "hw4_b", "", pool)
    assert "(functions: 1, cases: 0, theory questions: 0), 1 of 1 points" in alone.summary
    assert "(functions: 1, cases: 0, theory questions: 1), 3 of 3 points" in beside.summary


def test_a_number_of_which_only_a_property_is_tested_is_no_theory_question(tmp_path):
    cells = question(
        "name: q12", code(config("points: 2") + "0 < x < 9", "True"), solution=[code("x = 2 # SOLUTION")]
    )
    master = write_master(tmp_path / "m.ipynb", cells, QUESTIONS["two numbers"])
    with SandboxPool() as pool:
        transfer = homework_from_otter(Course(tmp_path / "course"), master, "hw3_a", "", pool)
    assert "theory questions: 0" in transfer.summary
    assert "show(0 < x < 9)" in file(transfer, "test_hw3_a.py")
