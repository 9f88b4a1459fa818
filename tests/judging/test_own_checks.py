"""docs/own_checks.md: its homework is built as it stands there, and its checks judge as the page says."""

from dataclasses import replace

import numpy as np
import pytest
from followed import DOCS, steps
from wording import to_students

from autograder.authoring.reference import build_outputs
from autograder.authoring.rules import Subject, chances_in_words
from autograder.course.course import Course
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.suite import prepare_suite
from autograder.sandbox.request import Code
from autograder.verdict.conversion import as_kind
from autograder.worker.wire import Tensor

from .conftest import SEED

ID = "hw1_own_checks"


def write_page(root):
    """Write the files that the page shows."""
    for step in steps("own_checks.md"):
        if step.how == "All of":
            path = root / step.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, "utf-8")
    return Course(root)


@pytest.fixture(scope="module")
def own_checks(tmp_path_factory, pool):
    course = write_page(tmp_path_factory.mktemp("page"))
    homework = course.homework(ID)
    assert build_outputs(course, homework, pool).written
    return prepare_suite(course, homework, SEED, pool)


@pytest.fixture
def lost(own_checks, pool):
    """Return the failed checks of the solution with a passage replaced, by their names."""

    def grade(old, new):
        homework = own_checks.homework
        text = homework.solution.read_text("utf-8")
        assert old in text
        code = Code(homework.stub, {homework.stub: text.replace(old, new)})
        result = grade_handin(code, own_checks, pool)
        assert result.earned is not None, result.detail
        return {check.check: check for check in result.checks if not check.earned}

    return grade


def test_the_solution_of_the_page_earns_everything(lost):
    assert lost("import", "import") == {}


SORTS = "return np.argsort(values)"
CHOOSES = "rng.choice(len(shares), p=shares)"
LOWEST = "return low\n"


@pytest.mark.parametrize(
    ("old", "new", "check", "entry"),
    [
        (SORTS, "return np.argsort(-values)", "ranking_orders", "property"),
        (SORTS, "return [0] * len(values)", "ranking_orders", "twice"),
        (SORTS, "order = np.argsort(values); values *= 2; return order", "ranking_orders", "modified"),
        (SORTS, "np.argsort(values)", "ranking_orders", "nothing"),
        (
            SORTS,
            "return (values[:, None] < values).sum(0) * 0 + np.argsort(values)",
            "ranking_memory",
            "memory",
        ),
        (CHOOSES, "rng.integers(len(shares))", "draw_shares", "shares"),
        (CHOOSES, "np.random.choice(len(shares), p=shares)", "draw_generator", "global"),
        (LOWEST, "return [i for i in range(n) if is_true(i)][0]\n", "first_true_questions", "questions"),
        ("return slope, intercept", "return slope, intercept + 1", "fit_error", "trained"),
        ("return slope, intercept", "return slope", "fit_error", "one-number"),
    ],
)
def test_a_wrong_answer_loses_its_check_with_the_checks_own_words(lost, old, new, check, entry):
    failed = lost(old, new)
    assert next(iter(failed)) == check
    assert failed[check].reason == to_students[f"own-checks.{entry}"]


@pytest.mark.parametrize(
    ("old", "new", "check", "entry"),
    [
        (SORTS, "return values.argsrt()", "ranking_orders", "raised"),
        (SORTS, "raise NotImplementedError", "ranking_orders", "unwritten"),
        ("def fit(", "def fitted(", "fit_error", "not-defined"),
        ("low, high = 0, n - 1", "low, high = 0, limit", "first_true_questions", "raised-inside"),
    ],
)
def test_whose_code_raised_reads_what_it_raised(lost, old, new, check, entry):
    failed = lost(old, new)
    assert failed[check].reason == to_students[f"own-checks.{entry}"]


def test_the_page_shows_what_check_says_of_its_random_answers(own_checks, pool):
    homework = own_checks.homework
    code = Code(homework.stub, {homework.stub: homework.solution.read_text("utf-8")})
    course = Course(homework.folder.parents[1])
    subject = Subject(course, own_checks, fixtures_for(code, own_checks, pool))
    page = (DOCS / "own_checks.md").read_text("utf-8")
    for line in chances_in_words(subject):
        assert f"\n{ID}: {line}\n" in page


def test_a_plain_assertion_about_an_answer_that_raised_gives_way_to_what_was_raised(own_checks, pool):
    def asserts(submission, cases):
        value = submission.answer(cases.published("ranking")[0]).value
        if not isinstance(value, np.ndarray):
            raise AssertionError("Each index is an integer.")

    [orders] = [check for check in own_checks.checks if check.name == "ranking_orders"]
    suite = replace(own_checks, checks=(replace(orders, function=asserts),))
    homework = suite.homework
    for answer, entry in (("1 / 0", "divided"), ("[1, 2]", "each-index")):
        text = homework.solution.read_text("utf-8").replace(SORTS, f"return {answer}")
        result = grade_handin(Code(homework.stub, {homework.stub: text}), suite, pool)
        assert result.checks[0].reason == to_students[f"own-checks.{entry}"]


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        (3, int, 3),
        (np.array(3), int, 3),
        (3.0, int, None),
        (True, int, None),
        (np.array(2), float, 2.0),
        (Tensor(np.array(2.5), False), float, 2.5),
        (np.array([2.5]), float, None),
        ("2.5", float, None),
        (None, str, None),
        (np.array(True), bool, True),
        (1, bool, None),
        ((1, "a"), list, [1, "a"]),
        ([1], tuple, None),
        ({"a": 1}, dict, {"a": 1}),
        ("text", np.ndarray, None),
    ],
)
def test_a_value_of_a_kind_comes_as_that_kind_or_not_at_all(value, kind, expected):
    converted = as_kind(value, kind)
    assert (converted, type(converted)) == (expected, type(expected))


def test_an_array_may_come_as_nested_lists():
    np.testing.assert_array_equal(as_kind([[1, 2], [3, 4]], np.ndarray), np.array([[1, 2], [3, 4]]))


def test_a_kind_that_there_is_not_is_the_checks_own_fault():
    with pytest.raises(LookupError, match="there is no kind"):
        as_kind(3, set)
