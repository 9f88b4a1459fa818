"""An Otter homework comes over: tests of values become cases, variables functions; all else is listed."""

import ast
import json
import re
from collections import Counter

import numpy as np
import pytest
from otter_masters import SETUP, SOFTMAX, code, config, question, raw, text, write_master
from wording import to_authors

from autograder.course.course import Course
from autograder.course.homework import CourseError
from autograder.course.stub import strip_solution
from autograder.otter.code import lines_of, students_code
from autograder.otter.from_otter import homework_from_otter
from autograder.otter.master import MasterCell, read_master

TESTS = {
    "shown": (code("softmax(np.array([0.0, 0.0]))", "array([0.5, 0.5])"), 1),
    "shown by an older NumPy": (code("total(X)", "7.5"), 1),
    "equal": (code("total(np.ones(4)) == 4", "True"), 1),
    "close": (code("np.allclose(softmax(X).sum(axis=1), 1)", "True"), 1),
    "asserted": (code("assert np.isclose(total([1.5, 2]), 3.5)"), 1),
    "asserted by NumPy": (code("np.testing.assert_allclose(softmax(X[:1]), softmax(X[:1] + 9))"), 2),
    "in a loop": (code("for n in range(3):\n    assert total(np.full(n, 2.0)) == 2 * n"), 3),
    "with values of its own": (code("Y = X.T + 1\nassert softmax(Y).shape == Y.shape"), 1),
    "of a type": (code("isinstance(total(X), float)", "True"), 1),
    "by name": (code("total(x=X) == 7.5", "True"), 1),
    "with what another question asks for": (code("total(softmax(X)) == 2", "True"), 1),
    "booleans": (code("positive(X - 1).any()", "np.True_"), 1),
    "two functions": (code("positive(X).sum() == total(X > 0)", "True"), 2),
    "hidden": (code("# HIDDEN\ntotal(X * 2) == 15", "True"), 1),
    "hidden by its head": (code(config("hidden: true\npoints: 0") + "total(X * 3) == 22.5", "True"), 1),
    "an infinite value": (code("assert total(np.array([np.inf])) == np.inf"), 1),
    "a variable and a function": (code("total(best) == 3", "True"), 0),
    "a class": (code("Box(2).size == 2", "True"), 0),
    "an exception": (code("try:\n    total(None)\nexcept TypeError:\n    pass"), 0),
    "an exception inside": (
        code("import contextlib\nwith contextlib.suppress(TypeError):\n    total(None)"),
        0,
    ),
    "what is printed": (code("total(X)\nprint('done')", "done"), 0),
    "no function": (code("X.shape == (2, 3)", "True"), 0),
    "a text": (code("name(3) == 'n3'", "True"), 1),
    "a set": (code("assert divisors(6) == {1, 2, 3, 6}"), 1),
    "a dictionary of nested lists": (code("grouped('ab') == {'a': [[0]], 'b': [[1]]}", "True"), 1),
    "a set as an input": (code("assert total(sorted({1, 2} | {(3)})) == 6 and count({(1, 2), 'a'}) == 2"), 2),
    "keys that are no texts": (code("count({1: 'a', (2, 3): [0], None: {4}})", "3"), 1),
    "nothing": (code("assert nothing(1) is None"), 1),
    "a function as an input": (code("applied(np.sum, X) == 7.5", "True"), 0),
    "random numbers": (code("noise(3).shape == (3,)", "True"), 0),
    "another value than is shown": (code("total(X + 0)", "8.5"), 0),
    "a failure": (code("assert total(X) == 8"), 0),
}
REST = """
def total(x):
    return np.sum(x, dtype=float) # SOLUTION

def positive(x):
    return x > 0 # SOLUTION

def name(n):
    return f"n{n}" # SOLUTION

def divisors(n):
    return {d for d in range(1, n + 1) if n / d == n // d} # SOLUTION

def grouped(word):
    return {letter: [[place]] for place, letter in enumerate(word)} # SOLUTION

def count(items):
    return len(items) # SOLUTION

def nothing(x):
    return None # SOLUTION

def applied(f, x):
    return f(x) # SOLUTION

def noise(n):
    return np.random.default_rng().normal(size=n) # SOLUTION

best = max(n for n in range(4)) # SOLUTION

class Box:
    def __init__(self, n):
        X = n # SOLUTION
        self.size = X
"""


@pytest.fixture(scope="module")
def brought(tmp_path_factory, pool):
    """A master with a test of every form, after its run."""
    folder = tmp_path_factory.mktemp("forms")
    first = question(
        "name: q1\npoints: 6", *(code_of_test for code_of_test, _ in TESTS.values()), solution=[code(REST)]
    )
    alike = [code(f"softmax(X + {n}).max() < 1", "True") for n in range(3)]
    unpaid = code(config("points: 0") + "softmax(X).min() > 0", "True")
    second = question("name: q2\npoints: 2", *alike, unpaid, solution=[code(SOFTMAX)])
    master = write_master(folder / "words.ipynb", SETUP, second, first)
    return homework_from_otter(Course(folder / "course"), master, "", "", pool)


@pytest.fixture
def transferred(tmp_path, pool):
    """Bring a homework over from a master of these cells."""

    def transfer(*cells, name=""):
        master = write_master(tmp_path / "m.ipynb", *cells)
        return homework_from_otter(Course(tmp_path / "course"), master, name, "", pool)

    return transfer


def file(transfer, name):
    return next(text for path, text in transfer.files.items() if path.name == name)


def cases_of(transfer):
    """How many cases each test became, by its label, in each group."""
    space = {}
    exec(compile(file(transfer, "cases.py"), "cases.py", "exec"), space)
    published, hidden = space["published"](), space["hidden"](None)
    return {
        "published": Counter(question.topic for question in published),
        "hidden": Counter(question.topic for question in hidden),
    }


@pytest.mark.parametrize("form", TESTS)
def test_a_test_of_values_becomes_its_calls_and_any_other_is_left(brought, form):
    number, expected = list(TESTS).index(form) + 1, TESTS[form][1]
    groups = cases_of(brought)
    is_hidden = "hidden" in form
    assert groups["hidden" if is_hidden else "published"][f"q1-{number}"] == expected
    assert groups["published" if is_hidden else "hidden"][f"q1-{number}"] == 0
    assert sum(leftover.code == _test_code(form) for leftover in brought.left) == (expected == 0)


def _test_code(form):
    source = TESTS[form][0][1]
    return source.partition("END TEST CONFIG\n")[2] or source


def test_what_is_left_says_why(brought):
    why = {
        form: next((leftover.why for leftover in brought.left if leftover.code == _test_code(form)), "")
        for form in TESTS
    }
    for form, (_, expected) in TESTS.items():
        if not expected:
            assert why[form] == to_authors[f"from-otter.left-{form.replace(' ', '-')}"], form


def test_a_check_that_is_stricter_than_its_test_is_named(brought):
    text = file(brought, "FROM_OTTER.md")
    cell_of = {leftover.code: leftover.cell for leftover in brought.left}
    first = cell_of[_test_code("a class")] - list(TESTS).index("a class")
    noted = [int(number) - first for number in re.findall(r"Cell (\d+) tests a property", text)]
    assert [list(TESTS)[number] for number in noted if number >= 0] == [
        "with values of its own",
        "of a type",
        "booleans",
    ]
    assert sum(number < 0 for number in noted) == 4


def test_every_point_of_the_master_goes_to_a_check_of_a_test_that_came(brought):
    space = {}
    exec(compile(file(brought, "test_hw3_words.py"), "checks", "exec"), space)
    marks = {name: vars(value)["check_marks"][0] for name, value in space.items() if name.startswith("test_")}
    assert [mark.points for name, mark in marks.items() if "_q2_" in name] == [0.6666, 0.6667, 0.6667, 0]
    assert sum(mark.points for mark in marks.values()) == pytest.approx(8, abs=1e-9)
    structured = {"name", "divisors", "grouped", "count", "nothing"}
    assert {mark.task for mark in marks.values()} == {"softmax", "total", "positive"} | structured


def test_inputs_come_as_they_were_in_the_master_even_where_a_name_gave_them(brought):
    space = {}
    exec(compile(file(brought, "cases.py"), "cases.py", "exec"), space)
    by_topic = {question.topic: question for question in space["published"]()}
    close = by_topic[f"q1-{list(TESTS).index('close') + 1}"]
    np.testing.assert_array_equal(close.call.args[0], np.arange(6).reshape(2, 3) / 2)
    assert by_topic[f"q1-{list(TESTS).index('asserted') + 1}"].call.args == ([1.5, 2],)


def test_the_solution_keeps_what_was_given_and_marks_what_was_not(brought):
    source = file(brought, "words.py")
    region = source.partition("def softmax(x):")[2].partition("def ")[0].splitlines()
    assert [line.strip() for line in region if line.strip()] == [
        '"""Each row as shares."""',
        "# TODO 1: write this part.",
        "# BEGIN SOLUTION",
        "# Subtracting the maximum first.",
        "powers = np.exp(x - x.max(axis=-1, keepdims=True))",
        "return powers / powers.sum(axis=-1, keepdims=True)",
        "# END SOLUTION",
    ]
    assert "pylab" not in source
    assert "%" not in source
    assert "X =" not in source


@pytest.mark.parametrize(
    ("head", "points", "expected"),
    [
        ("", ["", ""], [0.5, 0.5]),
        ("points: 3", ["", ""], [1.5, 1.5]),
        ("points: [1, 4]", ["", ""], [1, 4]),
        ("points:\n  each: 2", ["", ""], [2, 2]),
        ("points: 5", ["points: 2", ""], [2, 3]),
        ("", ["points: 2", ""], [2, 0]),
        ("", ["points: 0", ""], [0, 1]),
        ("manual: true\npoints: 4", ["", ""], [None, None]),
    ],
)
def test_tests_have_the_points_that_otter_gives_them(tmp_path, head, points, expected):
    tests = [
        code((config(points_of_test) if points_of_test else "") + "f(1)", "1") for points_of_test in points
    ]
    master = read_master(write_master(tmp_path / "m.ipynb", question(f"name: q1\n{head}", *tests)))
    assert [test.points for test in master.questions["q1"].tests] == expected


def test_boundaries_may_be_fenced_text_and_ignored_cells_are_not_there(tmp_path):
    cells = question("name: q1", code("f(1)", "1"), solution=[code("## ignore ##\nf = 3")])
    fenced = [text(f"```otter\n{cell[1]}\n```") if cell[0] == "raw" else cell for cell in cells]
    master = read_master(write_master(tmp_path / "m.ipynb", fenced))
    assert [test.code for test in master.questions["q1"].tests] == ["f(1)"]
    assert [(cell.number, cell.kind) for cell in master.cells] == [(3, "markdown"), (8, "code")]


@pytest.mark.parametrize(
    ("source", "kinds", "text"),
    [
        ("y = x # SOLUTION", ["line"], "y = ..."),
        ("a, b = x # SOLUTION", ["line"], "a, b = ..."),
        ("print(x) # SOLUTION", ["line"], "..."),
        ("z = 1\ny = x # SOLUTION NO PROMPT", ["given", "block"], "z = 1\n..."),
        ("# BEGIN SOLUTION\na = 1\nb = 2\n# END SOLUTION\nc = 3", ["block", "block", "given"], "...\nc = 3"),
        (
            'y = 1 # SOLUTION\n""" # BEGIN PROMPT\ny = 0\n"""; # END PROMPT',
            ["line", "prompt"],
            "y = ...\ny = 0",
        ),
        ("a = 1 # IGNORE\n# BEGIN IGNORE\nb = 2\n# END IGNORE\nc = 3", ["given"], "c = 3"),
        ("rng = 3 # SEED", ["block"], "..."),
    ],
)
def test_otters_marks_say_what_students_write(source, kinds, text):
    assert [kind for _, kind in lines_of(source)] == kinds
    assert students_code(MasterCell(1, "code", source)) == text


def test_a_function_is_left_out_of_a_cell_together_with_its_decorators():
    source = "@cache\n@named(\n    'f'\n)\ndef f(x):\n    return x # SOLUTION\nprint(f(1))"
    assert students_code(MasterCell(1, "code", source), ["f"]) == "print(f(1))"


F, ONE = code("def f(x):\n    return x # SOLUTION"), code("f(1)", "1")
BAD = {
    "no-questions": [text("Only words.")],
    "not-yaml": question("name: [q1", ONE, solution=[F]),
    "not-a-mapping": question("- q1", ONE, solution=[F]),
    "no-name": question("points: 3", ONE, solution=[F]),
    "twins": [*question("name: q1", ONE, solution=[F]), *question("name: Q1", ONE)],
    "end-without-begin": [raw("# END QUESTION")],
    "crossed": [raw("# BEGIN QUESTION\nname: q1"), raw("# BEGIN SOLUTION"), raw("# END QUESTION")],
    "never-ends": question("name: q1")[:-1],
    "question-in-question": [*question("name: q1")[:-1], *question("name: q2")],
    "block-outside": [raw("# BEGIN TESTS")],
    "points": question("name: q1\npoints: many", ONE, solution=[F]),
    "too-few-points": question("name: q1\npoints: [1, 2]", ONE, solution=[F]),
    "points-beyond": question("name: q1\npoints: 1", code(config("points: 2") + "f(1)", "1"), solution=[F]),
    "test-not-python": question("name: q1", code("f(1"), solution=[F]),
    "solution-not-python": question("name: q1", ONE, solution=[code("def f(x:\n    pass")]),
    "marks-crossed": question(
        "name: q1", ONE, solution=[code("def f(x):\n    return x\n    # END SOLUTION")]
    ),
    "two-of-one-name": question("name: q1", ONE, solution=[F, F]),
    "means-something": question(
        "name: q1", code("np(1)", "1"), solution=[code("def np(x):\n    return x # SOLUTION")]
    ),
    "nothing-of-values": question(
        "name: q1",
        code("best.pattern", "'x'"),
        solution=[code("import re\nbest = re.compile('x') # SOLUTION")],
    ),
    "only-a-property": question("name: q1", code("isinstance(f(1), int)", "True"), solution=[F]),
}


@pytest.mark.parametrize("change", BAD)
def test_a_master_that_breaks_a_rule_is_refused_with_its_cell_and_the_remedy(change, transferred):
    with pytest.raises(CourseError, check=to_authors[f"from-otter.{change}"]):
        transferred(BAD[change], name="hw3_words")


def test_a_key_that_otter_ignores_is_named_and_ignored(tmp_path):
    master = read_master(write_master(tmp_path / "m.ipynb", question("name: q1\ncheck: false", ONE)))
    assert master.notes == [to_authors["from-otter.unknown-key"]]
    assert master.questions["q1"].points == 1


@pytest.mark.parametrize("points", [".nan", ".inf", "-1", "1" + "0" * 400])
def test_points_are_a_number_that_can_be_shared_out(points, tmp_path):
    master = write_master(tmp_path / "m.ipynb", question(f"name: q1\npoints: {points}", ONE, solution=[F]))
    with pytest.raises(CourseError, match="cell 2"):
        read_master(master)


def test_a_function_with_a_name_of_pythons_gets_another_from_its_cell_on(transferred):
    transfer = transferred(
        code("three = sum([1, 2])"),
        question(
            "name: q1",
            code("assert sum(three, 2) == 5, f'{sum(1, 2)}'"),
            solution=[
                code("import numpy as np\ndef sum(a, b):\n    return np.array([a, b]).sum() # SOLUTION")
            ],
        ),
    )
    assert "1 of 1 points" in transfer.summary
    assert "def sum_answer(a, b):" in file(transfer, "words.py")
    assert "np.array([a, b]).sum()" in file(transfer, "words.py")
    assert "three = sum([1, 2])" in file(transfer, "notebook.py")
    lines = file(transfer, "FROM_OTTER.md").splitlines()
    assert next(line for line in lines if "is now called" in line) == to_authors["from-otter.another-name"]


def test_half_a_character_in_a_master_becomes_one_that_files_can_hold(tmp_path):
    master = write_master(tmp_path / "m.ipynb", question("name: q1", ONE, asks="\ud800?"))
    assert read_master(master).text("q1") == "??"


def test_a_test_that_otter_calls_itself_is_one_function(tmp_path):
    master = write_master(
        tmp_path / "m.ipynb",
        question("name: q1", code("assert f(1) == 1")),
        head="tests:\n  ok_format: false",
    )
    with pytest.raises(CourseError, check=to_authors["from-otter.not-a-function"]):
        read_master(master)


@pytest.mark.parametrize(
    ("content", "entry"), [("", "empty"), ("x = 1", "not-json"), ('{"cells": 3}', "no-cells")]
)
def test_a_file_that_is_not_a_notebook_is_refused(tmp_path, content, entry):
    path = tmp_path / "m.ipynb"
    path.write_text(content, "utf-8")
    with pytest.raises(CourseError, check=to_authors[f"from-otter.{entry}"]):
        read_master(path)


def test_a_missing_master_is_named(tmp_path):
    expected = to_authors["from-otter.missing"]
    with pytest.raises(CourseError, check=expected):
        read_master(tmp_path / "m.ipynb")


def test_the_notebook_keeps_all_of_the_authors_texts(brought):
    cells = file(brought, "notebook.py").split("# %%")
    assert json.dumps(cells).count("What it asks.") == 2
    marks = [line for cell in cells for line in cell.splitlines() if line.startswith("# {{")]
    assert marks == [
        "# {{ setup }}",
        "# {{ question: softmax }}",
        "# {{ question: total }}",
        "# {{ question: positive }}",
        "# {{ question: name }}",
        "# {{ question: divisors }}",
        "# {{ question: grouped }}",
        "# {{ question: count }}",
        "# {{ question: nothing }}",
        "# {{ code: applied }}",
        "# {{ code: noise }}",
        "# {{ hand_in }}",
    ]


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
FIRST_CELL = [
    code("import re\nimport not_installed_here as no\nimport numpy as np\nfrom math import *"),
    code("prices = np.loadtxt('prices.csv')"),
    code("file = open('texts/missing.txt')\nbegun = True"),
    code("print('one parenthesis is missing'"),
    code("after_it = prices.shape\nundefined + 1"),
]


@pytest.fixture(scope="module")
def brought_variables(tmp_path_factory, pool):
    """A master with a question of every form, after its run."""
    folder = tmp_path_factory.mktemp("variables")
    (folder / "prices.csv").write_text(PRICES, "utf-8")
    (folder / "settings.yml").write_text("files: [prices.csv, picture.png, other.csv]", "utf-8")
    questions = list(QUESTIONS.values())
    head = "name: hw3_words\nconfig_file: settings.yml"
    master = write_master(folder / "m.ipynb", text("# Words"), *FIRST_CELL, *questions, head=head)
    return homework_from_otter(Course(folder / "course"), master, "", "", pool)


CAME = ["q1", "q2", "q3", "q4", "q5", "q6"]


def test_a_question_becomes_a_function_that_returns_its_variables(brought_variables):
    tree = ast.parse(file(brought_variables, "words.py"))
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


def test_what_it_needs_of_an_earlier_question_it_calls_for_itself(brought_variables):
    source = file(brought_variables, "words.py")
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


def test_the_stub_loads_although_cells_stop_and_variables_are_missing(brought_variables):
    stub = strip_solution(file(brought_variables, "words.py"), "words.py")
    assert "open(" not in stub
    assert "not_installed_here" not in stub
    assert "hatch" not in stub
    assert "two eve" not in stub
    names = {node.name for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)}
    assert names.issuperset(CAME)


def test_tests_judge_with_their_own_lines_and_hints(brought_variables):
    checks = file(brought_variables, "test_hw3_words.py")
    assert "        # Look at the first letter.\n        show(word)\n" in checks
    assert "        show(low < high)\n" in checks
    assert "\nimport numpy as np\n" in checks


def test_points_come_over_and_what_cannot_is_listed_with_its_reason(brought_variables):
    assert brought_variables.summary.endswith("10 of 15 points")
    assert {(leftover.question, leftover.why) for leftover in brought_variables.left} == {
        ("q7", "places is a value that is not plain data"),
        ("q8", "chance is random, or depends on what ran before"),
        ("q9", "it does not pass on the master's own solution here: NameError: name 'lines' is not defined"),
        ("q10", "its code cannot be indented as the body of a function: a text goes over several lines"),
        ("q11", "it tests factor, which is not a function"),
        ("q13", "it needs what q10 asks for, which is left out"),
    }


def test_data_files_come_along_and_a_missing_one_is_named(brought_variables):
    data = {
        path.name: content for path, content in brought_variables.files.items() if isinstance(content, bytes)
    }
    assert data == {"prices.csv": PRICES.encode()}
    assert 'data = ["prices.csv"]' in file(brought_variables, "homework.toml")
    listed = file(brought_variables, "FROM_OTTER.md")
    assert "The data file `prices.csv` came along" in listed
    assert "`texts/missing.txt` does not lie next to the master" in listed
    assert "`other.csv` does not lie next to the master" in listed
    assert "picture.png" not in listed


def test_a_cell_that_is_not_python_is_left_out_and_named(brought_variables):
    assert "one parenthesis" not in file(brought_variables, "notebook.py")
    assert "Cell 6 was left out of the notebook: it is not valid Python" in file(
        brought_variables, "FROM_OTTER.md"
    )


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


def test_one_number_is_a_theory_question_where_there_is_a_function_beside_it(transferred):
    number = question("name: q12", code("x == 2", "True"), solution=[code("x = 2 # SOLUTION")])
    alone = transferred(number, name="hw3_a")
    beside = transferred(number, QUESTIONS["two numbers"], name="hw4_b")
    assert "(functions: 1, cases: 0, theory questions: 0), 1 of 1 points" in alone.summary
    assert "(functions: 1, cases: 0, theory questions: 1), 3 of 3 points" in beside.summary


def test_a_number_of_which_only_a_property_is_tested_is_no_theory_question(transferred):
    cells = question(
        "name: q12", code(config("points: 2") + "0 < x < 9", "True"), solution=[code("x = 2 # SOLUTION")]
    )
    transfer = transferred(cells, QUESTIONS["two numbers"], name="hw3_a")
    assert "theory questions: 0" in transfer.summary
    assert "show(0 < x < 9)" in file(transfer, "test_hw3_a.py")
