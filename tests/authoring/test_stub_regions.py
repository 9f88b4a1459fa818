"""A stub is refused where a task, or another function with a TODO, would be handed out with its solution."""

import pytest
from tiny import SOLUTION

from autograder.authoring.assignments import build_assignments
from autograder.authoring.release import homework_folder
from autograder.course.schema import CourseError
from autograder.course.stub import stub_text

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
