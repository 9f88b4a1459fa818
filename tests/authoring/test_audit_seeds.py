import pytest
from judging.mistakes import HARMLESS, add_mistake

from autograder.authoring import audit_seeds as seeds_module
from autograder.authoring.audit_seeds import SEEDS_PER_RUN, escapes, left_to_stored_cases, run_seeds

SEEDS = 3
SOMETIMES = 'edits.double = [["return factor", "return (3 if x.sum() > 0 else 2)"]]'


@pytest.fixture(autouse=True)
def one_sandbox(monkeypatch, audited):
    """Run the blocks in the sandbox that is open already."""
    monkeypatch.setattr(
        seeds_module, "in_parallel", lambda work, items, jobs: (work(item, audited.pool) for item in items)
    )


def run(audited, seeds=SEEDS):
    heard = []
    runs = run_seeds(audited.tiny.course, [audited.tiny.homework], seeds, 1, heard.append)
    assert heard == runs
    return runs


def test_right_answers_pass_and_mistakes_show_on_the_fresh_inputs_of_every_seed(audited):
    (outcome,) = run(audited)
    assert (outcome.homework, outcome.false_failures) == ("hwx", ())
    assert outcome.right == 2 * 2 * SEEDS, "two files, two fresh cases, each seed"
    assert len(outcome.shows) == 6 * SEEDS
    assert all(outcome.shows.values())
    assert escapes([outcome]) == left_to_stored_cases([outcome]) == []


def test_seeds_are_all_drawn_once_in_blocks(audited):
    runs = run(audited, SEEDS_PER_RUN + 2)
    assert len(runs) == 2
    drawn = [seed for run in runs for mistake, seed in run.shows if mistake == "triples"]
    assert drawn == list(range(SEEDS_PER_RUN + 2))


def test_a_right_answer_that_fails_is_told_with_its_seed(audited):
    audited.right("rounded", "def double(x):\n    return (2 * x).round(1)\n")
    (outcome,) = run(audited, 2)
    assert outcome.false_failures == (
        "hwx: rounded fails fresh/double/drawn/seed-0",
        "hwx: rounded fails fresh/double/drawn/seed-1",
    )


def test_a_task_that_a_right_answer_leaves_out_is_the_solutions(audited):
    audited.right("half", "def double(x):\n    return 2 * x\n")
    (outcome,) = run(audited, 1)
    assert (outcome.right, outcome.false_failures) == (2 + 2 + 2, ())


def test_a_mistake_that_shows_for_some_seeds_only_escapes_the_others(audited):
    add_mistake(audited.tiny, "sometimes", SOMETIMES)
    runs = run(audited, 8)
    seeds = {
        seed
        for run in runs
        for (mistake, seed), is_seen in run.shows.items()
        if mistake == "sometimes" and is_seen
    }
    assert 0 < len(seeds) < 8
    assert escapes(runs) == [f"hwx: sometimes escapes seed {seed}" for seed in range(8) if seed not in seeds]
    assert left_to_stored_cases(runs) == []


def test_a_mistake_that_never_shows_is_left_to_the_stored_cases(audited):
    add_mistake(audited.tiny, "harmless", HARMLESS)
    runs = run(audited)
    assert left_to_stored_cases(runs) == ["hwx: harmless"]
    assert escapes(runs) == []
