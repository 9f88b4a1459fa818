"""Checks of a course of its own: those of docs/own_checks.md, and random answers of ``tests/second_course``."""

import functools
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from followed import DOCS, steps
from submissions import of_stub
from wording import to_authors, to_staff, to_students

from autograder.authoring.reference import build_outputs
from autograder.authoring.rules import Subject, chances_in_words, findings
from autograder.course.arguments import generator
from autograder.course.calls import FunctionCall
from autograder.course.course import Course
from autograder.grading.grade import fixtures_for, grade_handin
from autograder.grading.suite import prepare_suite
from autograder.verdict.conversion import as_kind
from autograder.verdict.failure import CheckFailed
from autograder.verdict.for_checks.laws import Continuous, Shares
from autograder.verdict.for_checks.random_answers import check_draws, check_generator
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
        text = own_checks.homework.solution.read_text("utf-8")
        assert old in text
        result = grade_handin(of_stub(own_checks, text.replace(old, new)), own_checks, pool)
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
    right = of_stub(own_checks, homework.solution.read_text("utf-8"))
    course = Course(homework.folder.parents[1])
    subject = Subject(course, own_checks, fixtures_for(right, own_checks, pool))
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
    for answer, entry in (("1 / 0", "divided"), ("[1, 2]", "each-index")):
        text = suite.homework.solution.read_text("utf-8").replace(SORTS, f"return {answer}")
        result = grade_handin(of_stub(suite, text), suite, pool)
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


SECOND_COURSE = Path(__file__).parents[1] / "second_course"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("second") / "course"
    shutil.copytree(SECOND_COURSE, root)
    return root


@pytest.fixture(scope="module")
def draws(root, pool):
    course = Course(root)
    homework = course.homework("hw4_draws")
    assert build_outputs(course, homework, pool).written
    return prepare_suite(course, homework, SEED, pool)


@pytest.fixture
def fixtures_of(draws, pool):
    """What checks of the draws have at hand, on the solution or another text."""

    def fixtures(text=None, suite=draws):
        text = text or draws.homework.solution.read_text("utf-8")
        return fixtures_for(of_stub(draws, text), suite, pool)

    return fixtures


CHOICE = "rng.choice(len(scores), p=powers / powers.sum())"
WAIT = "rng.exponential(mean)"


@pytest.fixture(scope="module")
def lost_draws(draws, pool):
    """Return the failed checks of the solution with other code for the two draws, by their names."""

    @functools.cache
    def grade(choice, wait):
        text = draws.homework.solution.read_text("utf-8")
        text = text.replace(CHOICE, choice).replace(WAIT, wait)
        result = grade_handin(of_stub(draws, text), draws, pool)
        assert result.earned is not None, result.detail
        assert result.explanation_faults == ()
        return {check.check: check for check in result.checks if not check.earned}

    return grade


LARGEST = "powers.argmax()"
IGNORES = "np.searchsorted(np.cumsum(np.exp(scores)), np.exp(scores).sum() * rng.random())"
EQUAL = "int(rng.random() * len(scores))"
GLOBAL = WAIT.replace("rng", "np.random")
UNSEEDED = WAIT.replace("rng", "np.random.default_rng()")
SEEDED = WAIT.replace("rng", "np.random.default_rng(3)")


@pytest.mark.parametrize(
    ("choice", "wait", "labels"),
    [
        (CHOICE, WAIT, {}),
        (
            LARGEST,
            GLOBAL,
            {
                "draw_shares": ("largest-taken",),
                "draw_generator": ("generator-unused",),
                "wait_generator": ("global-random",),
            },
        ),
        (IGNORES, UNSEEDED, {"draw_shares": ("temperature-ignored",), "wait_generator": ("own-generator",)}),
        (
            EQUAL,
            SEEDED,
            {"draw_shares": ("equally-likely",), "wait_times": (), "wait_generator": ("generator-unused",)},
        ),
        (
            f"1 + {CHOICE}",
            "-np.log(rng.random()) / mean",
            {"draw_shares": (), "wait_times": ("mean-as-rate",)},
        ),
        (
            CHOICE.replace("rng", "(rng if rng.random() < 0.9 else np.random)"),
            "2 * mean * rng.random()",
            {"draw_generator": ("global-random",), "wait_times": ("uniform-times",)},
        ),
        (
            "'abc'[rng.integers(3)]",
            f"[{WAIT}] * 2",
            {"draw_shares": (), "wait_times": (), "wait_generator": ()},
        ),
    ],
)
def test_a_wrong_program_loses_its_checks_and_known_mistakes_are_named(lost_draws, choice, wait, labels):
    assert {name: check.misconceptions for name, check in lost_draws(choice, wait).items()} == labels


def test_what_students_and_staff_read(lost_draws):
    first = lost_draws(LARGEST, GLOBAL)
    assert first["draw_shares"].reason == to_students["random-answers.largest-taken"]
    assert first["draw_shares"].staff == to_staff["random-answers.shares"]
    assert first["draw_generator"].reason == to_students["random-answers.generator-unused"]
    assert first["wait_generator"].reason == to_students["random-answers.global"]
    second = lost_draws(IGNORES, UNSEEDED)
    assert second["wait_generator"].reason == to_students["random-answers.own-generator"]
    third = lost_draws(EQUAL, SEEDED)
    assert third["wait_times"].reason == to_students["random-answers.same-times"]
    odd = lost_draws("'abc'[rng.integers(3)]", f"[{WAIT}] * 2")
    assert odd["draw_shares"].reason == to_students["random-answers.impossible"]
    assert odd["wait_times"].reason == to_students["random-answers.twice-as-many"]


def test_an_author_reads_the_chance_of_failing_a_right_program(draws, root, fixtures_of):
    subject = Subject(Course(root), draws, fixtures_of())
    assert "\n".join(chances_in_words(subject)) == to_authors["random-answers.chances"]
    assert [str(finding) for finding in findings(subject)] == []


def test_an_author_reads_which_mistakes_may_be_missed_and_which_checks_risk_too_much(
    draws, root, fixtures_of
):
    def check_shares(cases, compare):
        [known] = cases.published("draw")
        scores, temperature, _ = known.arguments
        powers = np.exp(scores / temperature)
        shares = powers / powers.sum()
        near = {known: Shares(shares + np.array([-0.02, 0.02, 0]))}
        mistakes = {"largest-taken": near, "temperature-ignored": {known: Shares(shares)}, "unknown": near}
        check_draws(compare, {known: Shares(shares)}, mistakes=mistakes, error=1e-4)

    checks = [replace(check, function=check_shares) for check in draws.checks[:1]]
    suite = replace(draws, checks=tuple(checks))
    subject = Subject(Course(root), suite, fixtures_of(suite=suite))
    sentences = [str(finding) for finding in findings(subject)]
    assert to_authors["random-answers.risk"].among(sentences)
    assert to_authors["random-answers.missed"].among(sentences)
    assert to_authors["random-answers.same-law"].among(sentences)
    assert to_authors["random-answers.unknown"].among(sentences)


def test_a_check_that_cannot_know_how_much_is_drawn_is_at_fault_itself(fixtures_of):
    fixtures = fixtures_of()
    [known] = fixtures.cases.published("wait")
    once = replace(known, case=replace(known.case, call=FunctionCall("wait", (4.0, generator(1)))))
    with pytest.raises(LookupError, check=to_authors["random-answers.how-many"]):
        check_draws(fixtures.compare, {once: Shares([1])})
    with pytest.raises(LookupError, match="no case at all"):
        check_draws(fixtures.compare, {})
    seedless = replace(known, case=replace(known.case, call=FunctionCall("wait", (4.0, 1), times=2000)))
    with pytest.raises(LookupError, check=to_authors["random-answers.no-generator"]):
        check_generator(fixtures.compare, {seedless: Shares([1], draws=2000)})


@pytest.mark.parametrize(("seed", "label"), [("seed", None), ("3", "generator-unused")])
def test_a_function_may_take_a_seed_and_return_all_draws_at_once(fixtures_of, seed, label):
    body = f"return np.random.default_rng({seed}).exponential(mean, size=5)"
    text = f"import numpy as np\n\ndef wait(mean, seed):\n    {body}\n"
    fixtures = fixtures_of(text)
    [known] = fixtures.cases.published("wait")
    known = replace(known, case=replace(known.case, call=FunctionCall("wait", (4.0, 7))))
    compare = fixtures.compare.with_answers({known.case.id: fixtures.submission.call(known.case.call)})
    laws = {known: Continuous(lambda time: -np.expm1(-time / 4), draws=5, low=0)}
    check_draws(compare, laws)
    if label is None:
        check_generator(compare, laws, place=1)
        return
    with pytest.raises(CheckFailed) as caught:
        check_generator(compare, laws, place=1)
    assert caught.value.failure.misconceptions == (label,)


def test_what_raises_with_another_seed_only_is_told_with_its_line(fixtures_of):
    condition = "rng.bit_generator.state == np.random.default_rng(2).bit_generator.state"
    body = f"if mean == 4 and {condition}:\n        mean = int('few')\n    return rng.exponential(mean)"
    text = f"import numpy as np\n\ndef wait(mean, rng):\n    {body}\n"
    fixtures = fixtures_of(text)
    [known] = fixtures.cases.published("wait")
    with pytest.raises(CheckFailed, check=to_students["random-answers.raises"]):
        check_generator(fixtures.compare, {known: Continuous(lambda time: -np.expm1(-time / 4), low=0)})


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return rng.integers(9)", [5, 2, 8]),
        ("return int(rng.integers(9))", [5, 2, 8]),
        ("return 'abcdefghi'[rng.integers(9)]", ["f", "c", "i"]),
        (
            "BUFFER[:] = rng.integers(9)\n    return BUFFER",
            [np.array([5, 5]), np.array([2, 2]), np.array([8, 8])],
        ),
        ("return [1.0] * int(rng.integers(9) > 5)", [[], [], [1.0]]),
        ("return 2 ** 70", [2**70] * 3),
        ("NUMBERS.append(int(rng.integers(9)))\n    return NUMBERS", [[5], [5, 2], [5, 2, 8]]),
        ("PAIR['a'] = int(rng.integers(9))\n    return PAIR,", [({"a": 5},), ({"a": 2},), ({"a": 8},)]),
    ],
)
def test_results_of_many_calls_come_together(fixtures_of, body, expected):
    globals_kept = "BUFFER = np.zeros(2, int)\nNUMBERS = []\nPAIR = {}"
    text = f"import numpy as np\n\n{globals_kept}\n\ndef wait(mean, rng):\n    {body}\n"
    fixtures = fixtures_of(text)
    call = FunctionCall("wait", (1.0, generator(12)), times=3)
    value = fixtures.submission.call(call).value
    assert type(value) is type(expected)
    np.testing.assert_equal(value, expected)
