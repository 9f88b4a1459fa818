"""The stub that is made from a solution: its regions, its answers, and when it is refused."""

import ast

import pytest
from asked import MARK, TEXT, ask
from homeworks import SIX
from tiny import SOLUTION
from wording import to_authors

from autograder.authoring.assignments import build_assignments
from autograder.authoring.release import homework_folder
from autograder.course.homework import ANSWERS
from autograder.course.schema import CourseError
from autograder.course.stub import BEGIN, END, PLACEHOLDER, strip_solution, stub_text
from autograder.intake.handed_out import HandedOut

SOURCE = '''"""Scores."""

import numpy as np


def scores(Q, K):
    """Return Q Kᵀ."""
    # TODO 1: multiply.
    # BEGIN SOLUTION
    product = Q @ K.T

    return product
    # END SOLUTION


class Block:
    def forward(self, x):
        # TODO 2: add.
        # BEGIN SOLUTION
        return x + x
        # END SOLUTION
'''

STUB = '''"""Scores."""

import numpy as np


def scores(Q, K):
    """Return Q Kᵀ."""
    # TODO 1: multiply.
    raise NotImplementedError


class Block:
    def forward(self, x):
        # TODO 2: add.
        raise NotImplementedError
'''


def test_each_region_becomes_one_raise_at_its_indentation():
    assert strip_solution(SOURCE, "scores.py") == STUB


def test_a_region_may_end_the_file_without_a_line_end():
    source = "def f(x):\n    # BEGIN SOLUTION\n    return x\n    # END SOLUTION"
    assert strip_solution(source, "f.py") == "def f(x):\n    raise NotImplementedError\n"


def test_code_around_a_region_stays():
    source = "def f(x):\n    y = 1\n    # BEGIN SOLUTION\n    y += x\n    # END SOLUTION\n    return y\n"
    assert "    y = 1\n    raise NotImplementedError\n    return y\n" in strip_solution(source, "f.py")


def test_tabs_before_a_mark_are_kept():
    source = "def f(x):\n\t# BEGIN SOLUTION\n\treturn x\n\t# END SOLUTION\n"
    assert strip_solution(source, "f.py") == "def f(x):\n\traise NotImplementedError\n"


def test_odd_line_separators_inside_a_text_stay_where_they_are():
    source = 'SEPARATORS = "\x0c\x1c\u2028\x85"\n' + SOURCE
    assert strip_solution(source, "scores.py") == 'SEPARATORS = "\x0c\x1c\u2028\x85"\n' + STUB


def test_windows_line_ends_do_not_reach_the_stub():
    assert strip_solution(SOURCE.replace("\n", "\r\n"), "scores.py") == STUB


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (f"{BEGIN}\nx = 1\n{BEGIN}\n{END}\n", "scores.py, line 3: the region of line 1 is still open"),
        (f"x = 1\n{BEGIN}\ny = 2\n", "scores.py, line 2: this region is never closed with # END SOLUTION"),
        (f"x = 1\n{END}\n", "scores.py, line 2: # END SOLUTION without # BEGIN SOLUTION"),
        (f"{BEGIN}\nx = 1\n{END}\n{END}\n", "scores.py, line 4: # END SOLUTION without"),
        ("def f(x):\n    return x\n", "has no # BEGIN SOLUTION … # END SOLUTION region"),
        ("", "has no # BEGIN SOLUTION"),
    ],
)
def test_regions_that_do_not_match_are_refused_with_their_line(source, complaint):
    with pytest.raises(CourseError) as caught:
        strip_solution(source, "scores.py")
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "#BEGIN SOLUTION",
        "# begin solution",
        "#  BEGIN  SOLUTION",
        "# BEGIN SOLUTION (short)",
        "y = 1  # BEGIN SOLUTION",
    ],
)
def test_a_mark_that_is_only_nearly_right_cannot_leak_the_solution(line):
    source = f"{SOURCE}\n\ndef secret(x):\n    {line}\n    return x * 3\n    {line.replace('BEGIN', 'END')}\n"
    with pytest.raises(CourseError, check=to_authors["stub.line-write-the-mark-as-begin"]):
        strip_solution(source, "scores.py")


def test_a_stub_that_would_be_no_python_is_refused():
    source = "def f(x):\n    if x:\n# BEGIN SOLUTION\n        return x\n# END SOLUTION\n    return 0\n"
    with pytest.raises(CourseError, check=to_authors["stub.without-its-solution-regions"]):
        strip_solution(source, "f.py")


def test_a_placeholder_in_a_text_is_no_region():
    with pytest.raises(CourseError, check=to_authors["stub.no-begin-solution"]):
        strip_solution(f'"""Each TODO starts as `{PLACEHOLDER}`."""\n\n\ndef f(x):\n    return x\n', "f.py")


def real_sources(course):
    return [(homework.stub, homework.solution.read_text("utf-8")) for homework in course.homeworks(SIX)]


def solution_lines(source):
    """The lines of code inside regions, whole and without what also stands outside them."""
    inside, outside, is_inside = set(), set(), False
    for line in map(str.strip, source.splitlines()):
        is_inside = line == BEGIN or (is_inside and line != END)
        (inside if is_inside else outside).add(line)
    return {line for line in inside - outside if line not in (BEGIN, END, "")}


def test_no_line_of_a_real_solution_is_left_in_its_stub(course):
    for name, source in real_sources(course):
        secret = solution_lines(source)
        assert secret
        leaked = secret & {line.strip() for line in strip_solution(source, name).splitlines()}
        assert leaked == set(), name


def test_real_stubs_keep_todos_docstrings_and_signatures(course):
    for name, source in real_sources(course):
        stub = strip_solution(source, name)
        assert source.count("TODO") == stub.count("TODO") > 0
        assert declared(stub) == declared(source)


def declared(source):
    """Every function and class outside of solution regions, with its docstring and parameters."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            names.append((node.name, ast.get_docstring(node), ast.unparse(node.args)))
        elif isinstance(node, ast.ClassDef):
            names.append((node.name, ast.get_docstring(node), ""))
    return sorted(names, key=str)


def test_every_task_of_a_real_stub_raises_until_it_is_written(course):
    for homework in course.homeworks(SIX):
        tree = ast.parse(strip_solution(homework.solution.read_text("utf-8"), homework.stub))
        bodies = {
            node.name: ast.unparse(node)
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        for task in homework.tasks:
            assert PLACEHOLDER in bodies[task.name], f"{homework.id}: {task.name}"


BLOCK = """
# Theory questions: the handout has them in full. Replace None with your answers.
answers = {
    # The shape of twice as much: "a", "b" or "c"
    "shape": None,
    # A total: a number (apples)
    "total": None,
    # Why twice: two or three sentences
    "why": None,
}
"""


def test_the_stub_ends_with_a_dictionary_to_fill_in(tiny):
    before = stub_text(tiny.homework)
    ask(tiny)
    assert stub_text(tiny.homework) == f"{before}\n{BLOCK}"


def test_the_stub_loads_up_to_its_answers(tiny):
    ask(tiny)
    namespace = {}
    exec(stub_text(tiny.homework), namespace)
    assert namespace[ANSWERS] == {"shape": None, "total": None, "why": None}


def test_the_solutions_answers_lie_in_a_region_that_leaves_nothing(tiny):
    ask(tiny)
    before = stub_text(tiny.homework)
    tiny.edit("doubles.py", MARK, f'{MARK}\n# BEGIN SOLUTION\nanswers = {{"shape": "b"}}\n# END SOLUTION')
    assert stub_text(tiny.homework) == before


def test_a_region_of_a_function_beside_one_of_the_module_is_still_raised():
    inside = "def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION\n"
    source = f"{inside}# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n"
    assert strip_solution(source, "f.py") == "def f():\n    raise NotImplementedError\n"


def test_questions_without_a_place_in_the_solution_are_refused(tiny):
    ask(tiny)
    tiny.edit("doubles.py", MARK, "")
    with pytest.raises(CourseError, check=to_authors["stub_answers.needs-one-line-answers"]):
        stub_text(tiny.homework)


def test_a_place_in_the_solution_without_questions_is_refused(tiny):
    ask(tiny).unlink()
    with pytest.raises(CourseError, check=to_authors["stub_answers.needs-no-line-answers"]):
        stub_text(tiny.homework)


def test_a_stub_with_one_answer_filled_in_is_no_longer_untouched(tiny):
    ask(tiny)
    stub = stub_text(tiny.homework)
    assert HandedOut(tiny.homework).is_untouched(stub)
    assert not HandedOut(tiny.homework).is_untouched(stub.replace('"shape": None', '"shape": "b"'))


def test_the_block_names_every_question_and_no_answer(tiny):
    ask(tiny, TEXT.replace("number = -2.5", "number = 98765"))
    assert stub_text(tiny.homework).endswith(BLOCK)


MARKED = """    # BEGIN SOLUTION
    return x.sum(), np.prod(x)
    # END SOLUTION
"""
UNMARKED = "    return x.sum(), np.prod(x)\n"
CLASS = '''

class totals:
    """Both results."""

    def __init__(self, x):
        # TODO 2: keep the sum.
        # BEGIN SOLUTION
        self.sum = x.sum()
        # END SOLUTION

    def product(self, x):
        # TODO 3: multiply.
        {product}

    def label(self):
        return "totals"
'''


@pytest.fixture
def leaking(tiny):
    """A course in which the marks of one of two tasks are missing."""
    tiny.edit("doubles.py", MARKED, UNMARKED)
    return tiny


def with_class(tiny, product):
    text = SOLUTION[1 : SOLUTION.index("\n\ndef totals")] + CLASS.format(product=product)
    (tiny.folder / "doubles.py").write_text(text, "utf-8")


def refused(tiny):
    with pytest.raises(CourseError) as caught:
        stub_text(tiny.homework)
    return str(caught.value)


def test_a_task_without_a_region_is_refused_with_its_name_and_line(leaking):
    assert "doubles.py, line 15: totals " in refused(leaking)


def test_assignments_are_not_built_with_a_solution_in_them(leaking):
    with pytest.raises(CourseError, match="line 15: totals"):
        build_assignments(leaking.course)
    assert not leaking.course.assignments.exists()


def test_a_release_refuses_a_solution_that_was_built_into_assignments(tiny):
    build_assignments(tiny.course)
    path = tiny.edit("doubles.py", MARKED, UNMARKED)
    region = "    # BEGIN SOLUTION\n    factor = 2\n    return factor * x\n    # END SOLUTION\n"
    stub = path.read_text("utf-8").replace(region, "    raise NotImplementedError\n")
    (tiny.course.assignments / "hwx" / "doubles.py").write_text(stub, "utf-8")
    with pytest.raises(CourseError, match="line 15: totals"):
        homework_folder(tiny.course, tiny.homework)


@pytest.mark.parametrize("inside", ["", "    # nothing here\n"])
def test_a_region_without_code_is_none(tiny, inside):
    tiny.edit(
        "doubles.py", MARKED, f"    # BEGIN SOLUTION\n{inside}    # END SOLUTION\n    return x.sum(), 1\n"
    )
    assert "line 15: totals " in refused(tiny)


def test_a_helper_with_a_todo_needs_a_region_and_one_without_does_not(tiny):
    tiny.edit("doubles.py", "\n\ndef totals", "\n\ndef helper(x):\n    return x + 1\n\n\ndef totals")
    assert "def helper(x):\n    return x + 1\n" in stub_text(tiny.homework)
    tiny.edit("doubles.py", "    return x + 1\n", "    # TODO 3: add one.\n    return x + 1\n")
    assert "line 15: helper " in refused(tiny)


def test_each_method_with_a_todo_needs_a_region(tiny):
    with_class(tiny, "return x.prod()")
    assert "line 24: totals.product " in refused(tiny)
    with_class(tiny, "# BEGIN SOLUTION\n        return x.prod()\n        # END SOLUTION")
    assert 'return "totals"' in stub_text(tiny.homework)


def test_a_task_that_is_a_lambda_needs_a_region_around_it(tiny):
    source = (tiny.folder / "doubles.py").read_text("utf-8")
    above = source[: source.index("\n\ndef totals")]
    (tiny.folder / "doubles.py").write_text(f"{above}\ntotals = lambda x: (x.sum(), x.prod())\n", "utf-8")
    assert "line 14: totals " in refused(tiny)


def test_a_function_that_lies_in_a_region_as_a_whole_is_not_handed_out(tiny):
    source = (tiny.folder / "doubles.py").read_text("utf-8")
    start = source.index("def totals")
    whole = "# BEGIN SOLUTION\ndef totals(x):\n    return x.sum(), np.prod(x)\n# END SOLUTION\n"
    (tiny.folder / "doubles.py").write_text(source[:start] + whole, "utf-8")
    assert "def totals" not in stub_text(tiny.homework)
