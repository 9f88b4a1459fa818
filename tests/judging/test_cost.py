"""Grading stays cheap: work is counted, not timed, so that a busy machine changes nothing."""

import ast
import gc
import weakref
from contextlib import contextmanager
from pathlib import Path

import pytest
from submissions import edited, of_stub

from autograder.grading.grade import grade_handin
from autograder.grading.runs import run_handins
from autograder.intake import handed_out, matching
from autograder.intake.handed_out import handed_out_texts
from autograder.intake.matching import HomeworkProfile
from autograder.intake.submission import ReadResult, SourceFile
from autograder.intake.text import Script
from autograder.reasons import explain, mutation, repair_search
from autograder.reasons.catalogue import read_edits
from autograder.reasons.mutation import mutants, single_labels
from autograder.reasons.repairs import repairs_of
from autograder.reasons.source_text import SourceText
from autograder.reasons.student_code import WrittenFunction
from autograder.sandbox.pool import SandboxPool
from autograder.sandbox.report import Answer
from autograder.verdict import comparison
from autograder.verdict.for_checks import own_results
from autograder.verdict.known import KnownCase

HW3 = "hw3_scaled_dot_product_attention"
HW6 = "hw6_encoder_block"
SOFTMAX_OF = {
    "hw4_self_attention_columns": "softmax",
    "hw5_multihead_attention": "softmax_cols",
    "hw7_masked_attention": "masked_softmax",
}
"""The task whose weights later checks of a homework ask about."""
EVERY = 6
"""Each n-th known mistake is graded."""


@pytest.fixture
def runs(monkeypatch):
    """How many calls each run in a sandbox makes."""
    calls = []
    really_run = SandboxPool.run

    def run(pool, request):
        calls.append(len(request.calls))
        return really_run(pool, request)

    monkeypatch.setattr(SandboxPool, "run", run)
    return calls


@contextmanager
def counting_parses():
    """Count how often Python source is parsed on our side."""
    count = [0]
    really_parse = ast.parse

    def parse(*arguments, **keywords):
        count[0] += 1
        return really_parse(*arguments, **keywords)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ast, "parse", parse)
        yield count


def wrong_texts(suite):
    """Every so many of the known mistakes, but for those about a size: these are asked about once more."""
    homework = suite.homework
    catalogue = suite.diagnostician.catalogue
    about_size = {mistake.id for mistake in catalogue if mistake.about_size}
    sets = []
    for task in homework.tasks:
        for labels in single_labels(catalogue, task.name):
            if about_size.isdisjoint(labels):
                sets.append(labels)
    return list(mutants(homework, sets[::EVERY]))


def graded(suite, text, pool):
    result = grade_handin(of_stub(suite, text), suite, pool)
    assert result.status == "graded"


def test_a_right_answer_is_run_once_and_not_parsed(suite_of, pool, runs):
    suite = suite_of(HW3)
    text = edited(HW3)
    graded(suite, text, pool)
    runs.clear()
    with counting_parses() as parses:
        graded(suite, text, pool)
    assert len(runs) == 1
    assert parses[0] == 0


@pytest.mark.parametrize("count", [1, 2])
def test_answers_go_with_the_last_reference_to_their_run(suite_of, pool, count):
    """Runs do not refer to themselves. Nothing is judged here: a case keeps the answer that it judged last."""
    suite = suite_of(HW3)
    handin = of_stub(suite, edited(HW3))
    gc.disable()
    try:
        runs = run_handins([(handin, suite)] * count, pool)
        answers = [weakref.ref(answer) for run in runs for answer in run.answers.values()]
        assert len(answers) >= count
        assert all(answer() is not None for answer in answers)
        del runs
        assert [answer() for answer in answers if answer() is not None] == []
    finally:
        gc.enable()


def test_a_right_module_is_run_twice_for_its_fresh_calls_share_a_run(suite_of, pool, runs):
    suite = suite_of(HW6)
    text = edited(HW6)
    graded(suite, text, pool)
    runs.clear()
    graded(suite, text, pool)
    assert len(runs) == 2


def most_runs(suite, texts, pool, runs):
    """Grade each text; return the largest number of runs that one took, and the sum."""
    runs_of_texts = []
    for text in texts:
        runs.clear()
        graded(suite, text, pool)
        runs_of_texts.append(len(runs))
    return max(runs_of_texts), sum(runs_of_texts)


def test_a_known_mistake_is_run_at_most_twice(suite_of, pool, runs):
    suite = suite_of(HW3)
    texts = wrong_texts(suite)
    assert len(texts) >= 8
    with counting_parses() as parses:
        most, in_all = most_runs(suite, texts, pool, runs)
    # A wrong softmax is asked about by two checks, which share a run.
    assert most == 2
    assert in_all <= 1.8 * len(texts)
    # A text is parsed once, for all that is asked of it, and most not at all: known mistakes are told by answers.
    assert parses[0] <= 0.4 * len(texts)


@pytest.mark.parametrize("homework_id", SOFTMAX_OF)
def test_checks_that_ask_about_the_same_softmax_share_a_run(suite_of, pool, runs, homework_id):
    suite = suite_of(homework_id)
    sets = single_labels(suite.diagnostician.catalogue, SOFTMAX_OF[homework_id])
    texts = list(mutants(suite.homework, sets[:4]))
    most, _ = most_runs(suite, texts, pool, runs)
    assert most == 2


def test_own_weights_are_compared_until_one_case_shows_that_they_depend_on_the_scores(
    suite_of, pool, monkeypatch
):
    compared = []
    really_differ = own_results._differ

    def differ(before, after):
        compared.append(1)
        return really_differ(before, after)

    monkeypatch.setattr(own_results, "_differ", differ)
    suite = suite_of(HW3)
    graded(suite, edited(HW3, ("exponentials / total", "exponentials / (2 * total)")), pool)
    assert 1 <= len(compared) <= 20, "there are 12 cases, each called with four changes of its scores"


def test_only_the_first_failure_of_a_check_is_put_into_words(suite_of, pool, monkeypatch):
    explained = []
    described = []
    really_explain = explain.explain_no_value
    really_describe = comparison.describe_values

    def explain_no_value(error, *rest):
        explained.append(error.type)
        return really_explain(error, *rest)

    def describe_values(*arguments):
        described.append(1)
        return really_describe(*arguments)

    monkeypatch.setattr(explain, "explain_no_value", explain_no_value)
    monkeypatch.setattr(comparison, "describe_values", describe_values)
    suite = suite_of(HW3)
    raising = edited(HW3, ("attention_weights @ V\n", "attention_weights @ missing\n"))
    graded(suite, raising, pool)
    # One for each of the checks of the attention; each has up to 21 cases.
    assert len(explained) <= 5
    assert explained[0] == "NameError"
    described.clear()
    graded(suite, edited(HW3, ("attention_weights @ V\n", "attention_weights @ V + 0.3\n")), pool)
    # Nor are wrong answers to public cases, of which students see the numbers.
    assert 1 <= len(described) <= 3


def test_an_answer_is_compared_once_however_often_reasons_ask(suite_of, pool):
    suite = suite_of(HW3)
    known = next(case for case in suite.known if case.case.expects)
    answer = Answer(known.expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KnownCase, "distance", lambda case, answer: compared.append(answer) or 0.0)
        compared = []
        assert known.is_right(answer)
        assert known.is_right(answer)
        assert known.is_right(Answer(known.expected))
    assert len(compared) == 2


def test_changes_of_a_function_are_made_of_formulas_that_were_parsed_before():
    module = SourceText(Path(f"{HW3}.py"), edited(HW3))
    function = WrittenFunction("softmax", module)
    first = repairs_of(function)
    with counting_parses() as parses:
        again = repairs_of(function)
    assert parses[0] == 0
    assert again == first
    assert len(first) > 100


def test_changes_of_a_function_are_made_once_for_all_checks_that_it_fails(suite_of, pool, monkeypatch):
    made = []

    def make(function, changes):
        made.append((function.name, id(changes)))
        return repairs_of(function, changes)

    monkeypatch.setattr(repair_search, "repairs_of", make)
    wrong = """out = np.empty((len(Q), V.shape[1]))
    out[:] = attention_weights @ V + 0.3
    return attention_weights, out"""
    graded(suite_of(HW3), edited(HW3, ("return attention_weights, attention_weights @ V", wrong)), pool)
    assert len(made) > 1
    assert len(made) == len(set(made))


def test_what_several_mistakes_answer_is_computed_for_the_first_submission_only(
    suite_of, pool, runs, monkeypatch
):
    monkeypatch.setattr(repair_search, "MOST_REPAIRS", 0)
    suite = suite_of(HW3)
    text = edited(HW3, ("attention_weights @ V\n", "attention_weights @ V + 0.3\n"))
    graded(suite, text, pool)
    runs.clear()
    graded(suite, text, pool)
    assert sum(runs) < 40, "these are the calls of the submission itself: no mutant is run again"


def test_the_catalogue_of_mistakes_is_read_once(course):
    homework = course.homework(HW3)
    assert read_edits(homework) is read_edits(homework)


def test_the_catalogue_is_not_read_for_a_class_without_mistakes(course, monkeypatch):
    monkeypatch.setattr(mutation, "read_edits", lambda homework: pytest.fail("it was read"))
    assert mutation.as_diffs(course.homework(HW3), []) == {}


def work_of_matching(course, homework_ids, monkeypatch):
    """Match a class of three; count parses, homeworks looked at closely, and readings of handed-out files."""
    profiles = [HomeworkProfile.of(course.homework(homework_id)) for homework_id in homework_ids]
    solution = course.homework(HW3).solution
    close_looks = []
    readings = []
    really_look = matching._Search.candidates

    def look(search, homework):
        close_looks.append(homework)
        return really_look(search, homework)

    def read(homework):
        readings.append(homework.id)
        return handed_out_texts(homework)

    with monkeypatch.context() as patch, counting_parses() as parses:
        patch.setattr(matching._Search, "candidates", look)
        patch.setattr(handed_out, "handed_out_texts", read)
        for name in ("ada", "bob", "cyd"):
            file = SourceFile(solution.name, f"# {name}\n".encode() + solution.read_bytes())
            matched = matching.match(name, ReadResult((file,)), profiles)
            assert [handin.homework for handin in matched.handins] == [HW3]
    return [parses[0], len(close_looks), len(readings)]


def test_the_arguments_of_a_function_are_looked_at_once_per_homework(course, monkeypatch):
    homework = course.homework(HW3)
    looks = []
    really_look = Script.arguments

    def look(script, name):
        looks.append(name)
        return really_look(script, name)

    monkeypatch.setattr(Script, "arguments", look)
    file = SourceFile(homework.solution.name, homework.solution.read_bytes())
    matching.match("ada", ReadResult((file,)), [HomeworkProfile.of(homework)])
    # In the file, and in the reference solution.
    assert sorted(looks) == sorted(2 * [task.name for task in homework.tasks])


def test_finding_the_homework_costs_the_same_however_many_the_course_has(course, monkeypatch):
    every_id = course.homework_ids()
    of_two = work_of_matching(course, [HW3, every_id[0]], monkeypatch)
    of_all = work_of_matching(course, every_id, monkeypatch)
    assert len(every_id) >= 10
    assert of_all[1:] == of_two[1:] == [3, 1], "a look per file, and the handed-out texts read once per class"
    assert of_all[0] <= of_two[0] + 3
