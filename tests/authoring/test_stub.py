import ast

import pytest
from homeworks import SIX
from wording import to_authors

from autograder.course.schema import CourseError
from autograder.course.stub import BEGIN, END, PLACEHOLDER, strip_solution

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
