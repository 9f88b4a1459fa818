"""What is read as the corpus of a homework, and what the audit says of it."""

import pytest
from tiny import HOMEWORK
from wording import to_authors

from autograder.authoring.audit import Kind
from autograder.authoring.corpus import CORPUS, read_corpus
from autograder.course.schema import CourseError

STYLES = """
import functools
import math as calculus

import numpy as np

TWO = 2


def twice(number):
    return TWO * number


def double__in_a_loop(x):
    return np.array([twice(one) for one in x])


def double__by_itself(x):
    return x if len(x) == 0 else np.append(2 * x[0], double__by_itself(x[1:]))


def totals__reduced(x):
    return functools.reduce(lambda a, b: a + b, double(x)) / 2, calculus.prod(x)
"""
TOGETHER = '''
import math

import numpy as np


class submission__with_a_helper:
    """loses: double_published"""

    FACTOR = 2

    def times(x):
        # by hand
        return FACTOR * x

    def double(x):
        return times(x)

    def totals(x):
        return np.sum(times(x)) / 2, math.prod(x)
'''
MISTAKES = '''
def double__adds_one_in_a_list(x):
    """loses: double_published, double_sizes"""
    return [2 * one + 1 for one in x]
'''


def write(tiny, name, text):
    path = tiny.course.root / CORPUS / HOMEWORK / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_each_function_of_a_file_of_styles_is_a_submission_with_what_it_uses(tiny):
    write(tiny, "styles.py", STYLES)
    submissions = {submission.name: submission for submission in read_corpus(tiny.course, tiny.homework)}
    assert set(submissions) == {"double__in_a_loop", "double__by_itself", "totals__reduced"}
    assert all(submission.is_right for submission in submissions.values())
    loop, itself, reduced = (submission.text for submission in submissions.values())
    assert loop.startswith("import numpy as np\n\nTWO = 2\n\ndef twice(number):\n    return TWO * number\n\n")
    assert "def double(x):\n    return np.array([twice(one)" in loop
    assert "double(x[1:])" in itself
    assert "def twice" not in itself + reduced
    assert ("np.prod(x)" in loop, "np.prod(x)" in reduced) == (True, False)


def test_a_class_is_a_submission_with_several_functions_and_what_they_need(tiny):
    write(tiny, "mistakes.py", TOGETHER)
    (submission,) = read_corpus(tiny.course, tiny.homework)
    assert (submission.name, submission.loses) == ("submission__with_a_helper", {"double_published"})
    front, _, tail = submission.text.partition("def times(x):\n    # by hand\n    return FACTOR * x\n")
    assert front == "import math\n\nimport numpy as np\n\nFACTOR = 2\n\n"
    assert "def double(x):\n    return times(x)\n" in tail
    assert "def totals(x):\n    return np.sum(times(x)) / 2, math.prod(x)" in tail
    assert ("class submission" in submission.text, tail.count("def double")) == (False, 1)


def test_the_audit_grades_right_and_mistaken_variants(audited):
    write(audited.tiny, "styles.py", STYLES)
    write(audited.tiny, "mistakes_in_lists.py", MISTAKES)
    audit = audited.audit()
    assert audit.violations == ()
    assert len(audit.of(Kind.CORRECT)) == 5
    (mistaken,) = audit.of(Kind.MISTAKEN)
    assert set(mistaken.failed) == {"double_published", "double_sizes"}


def test_the_audit_tells_a_variant_that_loses_other_checks_than_it_says(audited):
    write(audited.tiny, "mistakes.py", MISTAKES.replace(", double_sizes", ""))
    assert to_authors["corpus.loses-others"].among(audited.audit().violations)


def test_a_mistaken_submission_that_earns_everything_is_told(audited):
    write(audited.tiny, "mistakes.py", STYLES)
    assert to_authors["corpus.loses-nothing"].among(audited.audit().violations)


OLDER = """
double = lambda x: x + x


def numbers(x):
    return None
"""


def test_a_file_that_lacks_a_new_task_has_the_solutions_and_loses_nothing_for_it(audited):
    """The new task uses its own parts of the solution, not what the file has by the same names."""
    tiny = audited.tiny
    tiny.edit("doubles.py", "import numpy as np\n", "import numpy as np\n\n\ndef numbers(x):\n    return x\n")
    tiny.edit("doubles.py", "return x.sum()", "return numbers(x).sum()")
    audited.build()
    audited.right("older", OLDER)
    write(tiny, "mistaken/worse.py", '"""loses: double_published, double_sizes"""\ndouble = None\n')
    borrowed = {
        submission.name: submission.borrowed for submission in read_corpus(tiny.course, tiny.homework)
    }
    expected = {"another_style": (), "reference": (), "older": ("totals",), "worse": ("totals",)}
    assert borrowed == expected
    audit = audited.audit()
    assert audit.violations == ()
    assert len(audit.of(Kind.CORRECT)) == 3


def test_a_value_in_place_of_a_function_is_not_replaced(tiny):
    write(tiny, "correct/value.py", "all_doubled = [1, 2.5, 8]\n")
    (submission,) = read_corpus(tiny.course, tiny.homework)
    assert submission.borrowed == ("totals",)
    assert "def double" not in submission.text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def doubles__x(): ...", to_authors["corpus.no-such-function"]),
        ("def double__x(): ...\ndef double__x(): ...", to_authors["corpus.twice"]),
        ("def double__x(: ...", to_authors["corpus.not-python"]),
        ("class submission__x:\n    def doubles(x): ...", to_authors["corpus.nothing-of-the-solution"]),
    ],
)
def test_a_file_of_variants_that_cannot_be_used_is_refused(tiny, text, why):
    path = write(tiny, "styles.py", text)
    with pytest.raises(CourseError, check=why) as raised:
        read_corpus(tiny.course, tiny.homework)
    assert str(path) in str(raised.value)
