import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import to_authors

from autograder.authoring.notebooks import cut
from autograder.course.schema import CourseError

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
