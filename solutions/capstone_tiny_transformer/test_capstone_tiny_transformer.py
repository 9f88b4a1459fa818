"""Checks of the capstone: what any such model has in common, whatever it is made of.

What is true of any model of next tokens, and the words for it, is in ``autograder/decoders``. Here are the checks,
and below them, in the same order, what they have in common.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import NoReturn

import numpy as np

from autograder.course import FunctionCall
from autograder.decoders.answers import (
    all_answers_equal,
    read_answers,
    shares_right,
    why_answered_wrongly,
    why_learned_too_little,
    why_shifted,
)
from autograder.decoders.batches import (
    TestedRow,
    first_later_token,
    leaking_tokens,
    rows_differ,
)
from autograder.decoders.cached_logits import (
    WHAT_TO_LOOK_AT,
    BothWays,
    read_both_ways,
    why_different,
    why_incomplete,
)
from autograder.decoders.caches import why_cache_unused
from autograder.decoders.faults import ModelFault
from autograder.decoders.leaks import ask_influences, why_leaks
from autograder.decoders.learned import Exercise, Learned, Questioner, ask_learned
from autograder.decoders.logits import (
    VISIBLE,
    are_probabilities,
    differ,
    finite_logits,
    first_part,
)
from autograder.decoders.memory import (
    FROM_CALL_TO_CALL,
    REMEMBERS,
    remembers_calls,
    remembers_itself,
)
from autograder.decoders.parameters import (
    CUT_OFF,
    Probe,
    read_probe,
    why_layers_add_nothing,
    why_layers_are_small,
    why_unused,
)
from autograder.decoders.replies import as_mapping
from autograder.decoders.right_models import (
    CheckFunction,
    correct_first,
    first_failing,
    right_model,
)
from autograder.decoders.sizes import sizes_of
from autograder.decoders.stops import with_change, with_why_it_stops
from autograder.decoders.trained_models import (
    TrainedModel,
    Transplant,
    has_finite_numbers,
    has_untouched_norms,
    read_trained,
    share_of_equal,
)
from autograder.decoders.trainings import (
    TrainingCourse,
    why_norms_unchanged,
    why_not_a_number,
)
from autograder.decoders.watched import fault_of_loss, losses_in_words, watch_training
from autograder.decoders.words import listed
from autograder.sandbox.report import Answer
from autograder.verdict import Cases, CheckFailed, Compare, KnownCase, check, fail
from autograder.verdict.explanation_faults import explaining
from autograder.verdict.for_checks.modules import module_call
from autograder.worker.wire import Array

MODEL = "TinyTransformer"
SOLVE = "solve"

# The topics of the cases.
ONE_LAYER = "one-layer"
THREE_LAYERS = "layers"
REORDERED = "reordered"
STEPS = "steps"
PIECES = "pieces"
LEARNING = "task"

MOVED = 2
"""How many places the sequences have moved in a reordered batch."""

# Biases, gains and such: how many times d_model a layer may have, and the model outside of its layers.
MOST_PER_LAYER = 20
MOST_BESIDE = 10

# How much of a layer's matrices the logits depend on: in every layer, and in any model at all. The matrix of one
# projection, which may be left out by mistake, is 1/12 of a layer, so that 0.917 of it remain.
USED = 0.93
ANY_USED = 1 / 6

# Shares of answers to the prompts of `solve`. Nine answers of ten are asked for. Fewer are enough, because a right
# program that reaches nine of ten with most draws of the questions gets 88 % with others.
ENOUGH_TOKENS = 0.9
ENOUGH_ANSWERS = 0.85

# How many tokens the trained model has to get right by itself, of how many questions that `solve` never saw. It
# is less than what `solve` needs, for these are other questions; one that learned nothing gets 1 of 6.
LEARNED = 0.75
QUESTIONS = 200


# The model


@check(task=MODEL, points=1, public=True)
def test_model_shape(cases: Cases, compare: Compare) -> None:
    """The model returns finite logits of shape (batch, tokens, vocab_size)."""
    for known in _models(cases, ONE_LAYER, THREE_LAYERS):
        try:
            _logits(compare, known)
        except CheckFailed as failed:
            one_change = partial(_one_change, compare, known, test_model_shape)
            raise with_change(failed, known, one_change) from None


@check(task=MODEL, points=1, public=True)
def test_model_parameters(cases: Cases, compare: Compare) -> None:
    """Each layer learns 12 d_model² numbers of its own, the embedding and the logits vocab_size · d_model."""
    for one_layer, three_layers in _one_and_three_layers(cases):
        sizes = sizes_of(one_layer)
        width = sizes.d_model
        numbers = _learned_numbers(compare, one_layer)
        numbers_of_three = _learned_numbers(compare, three_layers)
        per_layer = (numbers_of_three - numbers) / 2

        # Two more layers have to bring numbers of their own, and about as many as four matrices and a network.
        if numbers_of_three == numbers:
            why_layers_add_nothing(sizes, numbers).fail()
        if per_layer < sizes.layer:
            probe = _probe(compare, one_layer)
            probe_of_three = _probe(compare, three_layers)
            why_layers_are_small(sizes, per_layer, probe, probe_of_three).fail()
        most_more = MOST_PER_LAYER * width
        if per_layer > sizes.layer + most_more:
            text = f"With d_model = {width}, each layer learns {per_layer:.0f} numbers of its own; "
            text += f"12 d_model² are {sizes.layer}, and biases and norms are at most {most_more} more. For "
            text += "example, is each head as wide as d_model, in place of d_model / n_heads, or has the "
            text += "feed-forward network more than 4 d_model hidden units?"
            fail(text)

        # What is left are the embedding, the layer of logits, and perhaps a table of positions.
        beside = numbers - per_layer
        logits = sizes.embedding + sizes.vocab_size
        positions = sizes.max_length * width
        most = sizes.embedding + logits + positions + MOST_BESIDE * width
        if not sizes.embedding <= beside <= most:
            text = f"With d_model = {width}, {sizes.vocab_size} symbols and {sizes.max_length} positions, "
            text += f"the model learns {beside:.0f} numbers outside of its layers; "
            text += f"embedding, positions and logits are {sizes.embedding} to {most}."
            fail(text)

        probe = _probe(compare, one_layer)
        if probe.arriving == 0:
            text = f"The model holds {numbers} numbers, and no gradient of the logits arrives at any of them: "
            text += f"training cannot change what they say. {CUT_OFF}"
            fail(text, "parameters-unused")


@check(task=MODEL, points=1, requires=["model_shape"], public=True)
def test_model_depends(cases: Cases, compare: Compare) -> None:
    """The logits come from the model's matrices: other numbers there give other logits."""
    for known in _models(cases, ONE_LAYER):
        probe = _probe(compare, known)
        least = ANY_USED * sizes_of(known).layer
        if probe.used < least:
            text = f"A model of one layer has {probe.in_matrices} numbers in its matrices, and the logits depend "
            text += f"on {probe.used} of them: compute the logits from these."
            fail(text, "parameters-unused")


@check(task=MODEL, points=2, requires=["model_depends"], public=True)
def test_model_layers(cases: Cases, compare: Compare) -> None:
    """Every layer takes part: its matrices change the logits, and gradients arrive at them."""
    for one_layer, three_layers in _one_and_three_layers(cases):
        sizes = sizes_of(one_layer)
        probe = _probe(compare, one_layer)
        probe_of_three = _probe(compare, three_layers)
        # Matrices that are missing or shared lose another check; this one looks at those that there are.
        matrices_per_layer = (probe_of_three.in_matrices - probe.in_matrices) / 2
        due_in_one = min(probe.in_matrices, sizes.layer + sizes.embedding)
        due_per_layer = min(matrices_per_layer, sizes.layer)
        used_per_layer = (probe_of_three.used - probe.used) / 2
        if probe.used < USED * due_in_one:
            why_unused(one_layer, probe, "a single layer").fail()
        if used_per_layer < USED * due_per_layer:
            why_unused(three_layers, probe_of_three, "three layers").fail()


@check(task=MODEL, points=2, requires=["model_depends"], public=True)
def test_model_causal(cases: Cases, compare: Compare) -> None:
    """Logits depend on no later token, on no other sequence of the batch, and on no chance."""
    for known in _models(cases, ONE_LAYER, THREE_LAYERS):
        logits = _logits(compare, known)
        changed_again = rows_differ(logits, TestedRow.AGAIN)
        if changed_again.any():
            text = "Two equal sequences of a batch get different logits: is something random in `forward`, such as "
            text += "dropout that is on after `eval()`, or does the place in the batch count, as where the axes of "
            text += "sequences and tokens are exchanged?"
            fail(text)
        leaks = _leaking_tokens(known, logits)
        if len(leaks):
            _fail_leaks(compare, known, leaks[0])

    # The same model in both calls, for each begins with the same seed.
    models = _models(cases, ONE_LAYER)
    reordered_models = _models(cases, REORDERED)
    for known, reordered in zip(models, reordered_models, strict=True):
        logits = _logits(compare, known)
        reordered_logits = _logits(compare, reordered)
        moved_back = np.roll(reordered_logits, -MOVED, axis=0)
        largest = np.abs(logits).max()
        are_other = differ(moved_back, logits, largest)
        if are_other.any():
            with explaining("what the model remembers", CheckFailed):
                small = _small_model(cases)
                if remembers_calls(compare.submission, small):
                    fail(REMEMBERS, FROM_CALL_TO_CALL)
            text = "The logits of a sequence change with the order of the batch: "
            text += "do its sequences mix?"
            fail(text)


@check(task=MODEL, points=1, requires=["model_causal"], public=True)
def test_model_order(cases: Cases, compare: Compare) -> None:
    """The last logits depend on the first token, and on the order of the tokens before."""
    for known in _models(cases, ONE_LAYER):
        logits = _logits(compare, known)
        changed_by_first = rows_differ(logits, TestedRow.FIRST, VISIBLE)
        changed_by_order = rows_differ(logits, TestedRow.SWAPPED, VISIBLE)
        if not changed_by_first[-1]:
            text = "The last logits stay as they are when the first token changes: "
            text += "does the last token see it?"
            change = _one_change(compare, known, test_model_order)
            fail(f"{text} {change}".rstrip())
        if not changed_by_order[-1]:
            text = "With one layer, the last logits stay as they are when two tokens before change places: "
            text += "the model has no positions, or its attention does not use them."
            change = _one_change(compare, known, test_model_order)
            fail(f"{text} {change}".rstrip(), "no-positions")


@check(task=MODEL, points=3, requires=["model_causal"], public=True)
def test_model_cache(cases: Cases, compare: Compare) -> None:
    """Token by token, with the cache, the logits are those of the whole sequence, and come from the cache."""
    for known in _models(cases, STEPS):
        _compare_ways(compare, known, test_model_cache)


@check(task=MODEL, points=1, requires=["model_cache"], public=True)
def test_model_pieces(cases: Cases, compare: Compare) -> None:
    """So they are with several new tokens at a time."""
    for known in _models(cases, PIECES):
        _compare_ways(compare, known, test_model_pieces)


# Its training and its answers


@check(task=SOLVE, points=1, public=True)
def test_solve_shape(cases: Cases, compare: Compare) -> None:
    """solve returns one answer for each prompt, as whole numbers."""
    for known in cases.other_sizes(SOLVE, LEARNING):
        _answers(compare, known)


@check(task=SOLVE, points=4, requires=["solve_shape"], public=True)
def test_solve_tokens(cases: Cases, compare: Compare) -> None:
    """Nine tokens of ten are right in answers to new questions, and a TinyTransformer has learned them."""
    tasks = cases.other_sizes(SOLVE, LEARNING)
    for known in tasks:
        answers = _answers(compare, known)
        right = _right_answers(known)
        share = share_of_equal(answers, right)
        if share < ENOUGH_TOKENS:
            _fail_untrained(compare, cases, known, share)
            _fail_wrong_answers(compare, cases, known, answers)
    _compare_learned(compare, tasks)


@check(task=SOLVE, points=3, requires=["solve_tokens"], public=True)
def test_solve_answers(cases: Cases, compare: Compare) -> None:
    """Of the answers to new questions, nine of ten are right in every token."""
    for known in cases.other_sizes(SOLVE, LEARNING):
        answers = _answers(compare, known)
        is_right = answers == _right_answers(known)
        is_complete = is_right.all(axis=1)
        share = float(is_complete.mean())
        if share < ENOUGH_ANSWERS:
            _fail_incomplete_answers(compare, known, answers, share)


ALL_OF_MODEL = (
    test_model_shape,
    test_model_parameters,
    test_model_depends,
    test_model_layers,
    test_model_causal,
    test_model_order,
    test_model_cache,
    test_model_pieces,
)
BEFORE_CAUSALITY = (test_model_shape, test_model_depends)
BEFORE_THE_CACHE = (*BEFORE_CAUSALITY, test_model_causal)
"""The checks that these two require."""


# Cases


def _models(cases: Cases, *topics: str) -> list[KnownCase]:
    """Return the batches for models, by topic: the published one, and in grading the hidden ones."""
    models = []
    for topic in topics:
        models += cases.published(MODEL, topic)
        models += cases.stored(MODEL, topic)
    return models


def _one_and_three_layers(cases: Cases) -> Iterator[tuple[KnownCase, KnownCase]]:
    """Return pairs of the same batch for a model of one layer and for one of three."""
    one_layer = _models(cases, ONE_LAYER)
    three_layers = _models(cases, THREE_LAYERS)
    return zip(one_layer, three_layers, strict=True)


def _small_model(cases: Cases) -> KnownCase:
    """Return the published batch for a model of one layer."""
    known, *_ = cases.published(MODEL, ONE_LAYER)
    return known


# Answers that a model returns


def _logits(compare: Compare, known: KnownCase) -> Array:
    """Return the finite logits of the whole batch."""
    call = module_call(known)
    value = _usable_answer(compare, known).value
    if call.pieces and isinstance(value, list):
        value = first_part(value)
    rows, tokens = call.input.array.shape
    shape = (rows, tokens, sizes_of(known).vocab_size)
    return finite_logits(value, shape)


def _usable_answer(compare: Compare, known: KnownCase) -> Answer:
    """Return the answer to a case; where the model stops, say what is known of why, and at which line."""
    try:
        return compare.usable_answer(known)
    except CheckFailed as failed:
        small = _small_model(compare.cases)
        one_change = partial(_one_change, compare, known, test_model_shape)
        explained = with_why_it_stops(failed, compare, known, small, one_change)
        if explained is failed:
            raise
        raise explained from failed


def _one_change(compare: Compare, known: KnownCase, own_check: CheckFunction) -> str:
    """Say with which one change of the submission's own code the model's checks pass; nothing where none is found.

    Args:
        compare: judges answers.
        known: a case of the topic that shows the fault.
        own_check: the check that fails.
    """
    topic = known.case.topic
    if topic == REORDERED:
        return ""  # its rows stand at other places, and a right model is known by those of ``TestedRow``
    published = compare.cases.published(MODEL)
    [small, *_] = compare.cases.published(MODEL, topic)
    own_checks = [*BEFORE_THE_CACHE, test_model_order, own_check]
    wanted = right_model(compare, published, small, ALL_OF_MODEL, own_checks)
    return compare.one_change(wanted)


# Parameters and layers


def _learned_numbers(compare: Compare, known: KnownCase) -> int:
    """Count the numbers that the model learns."""
    answer = _usable_answer(compare, known)
    shapes = answer.parameters.values()
    return sum(map(prod, shapes))


def _probe(compare: Compare, known: KnownCase) -> Probe:
    """Return what moving the parameters of a model showed, each by itself."""
    answer = _usable_answer(compare, known)
    _, tokens = module_call(known).input.array.shape
    return read_probe(answer.probes, sizes_of(known), tokens)


# Later tokens


def _leaking_tokens(known: KnownCase, logits: Array) -> Array:
    """Return the indices of tokens whose logits depend on later tokens."""
    tokens = module_call(known).input.array
    return leaking_tokens(tokens, logits)


def _fail_leaks(compare: Compare, known: KnownCase, leaking_token: int) -> NoReturn:
    """Say which token depends on later ones, and where that may come from."""
    tokens = module_call(known).input.array
    number = leaking_token + 1
    first_changed = first_later_token(tokens) + 1
    text = f"The logits at token {number} change when tokens from {first_changed} on change."
    with explaining("what lets tokens see later ones", CheckFailed):
        small = _small_model(compare.cases)
        call = module_call(small)
        influences = ask_influences(compare.submission, call, sizes_of(small))
        change = _one_change(compare, small, test_model_causal)
        why = why_leaks(influences, change)
        text = f"{text} {why}".rstrip()
    fail(text, "mask-leaks")


# The cache


def _compare_ways(compare: Compare, known: KnownCase, own_check: CheckFunction) -> None:
    """Check that the logits of pieces are those of the whole, and that the cache holds all keys and values."""
    sizes = sizes_of(known)
    call = module_call(known)
    value = _usable_answer(compare, known).value
    at_once = _logits(compare, known)
    ways = read_both_ways(call, sizes, value, at_once)
    fault = why_incomplete(ways)
    if fault is not None:
        fault.fail()
    wrong_tokens = ways.wrong_tokens()
    if len(wrong_tokens):
        number = wrong_tokens[0] + 1
        where = f"With the cache, the logits at token {number} are not those of the whole sequence"
        _fail_different_ways(compare, known, ways, where, own_check)

    # New logits come from the numbers that the cache holds: with others there, they are others.
    probes = compare.submission.answer(known).probes
    fault = why_cache_unused(call, sizes, probes)
    if fault is not None:
        fault.fail()


def _fail_different_ways(
    compare: Compare,
    known: KnownCase,
    ways: BothWays,
    where: str,
    own_check: CheckFunction,
) -> NoReturn:
    """Say why logits differ with the cache."""
    submission = compare.submission
    fault = ModelFault(WHAT_TO_LOOK_AT)
    with explaining("why logits differ with the cache"):
        small = _small_model(compare.cases)
        remembers = partial(remembers_itself, submission, small)
        fault = why_different(ways, submission, remembers)
    text = f"{where}: {fault.says}"
    with explaining("the line at which logits differ with the cache"):
        change = _one_change(compare, known, own_check)
        text = f"{text} {change}".rstrip()
    fail(text, *fault.labels)


# Answers of `solve`


def _pairs_and_prompts(known: KnownCase) -> tuple[Array, Array]:
    """Return the sequences that `solve` learns from, and the prompts that it answers."""
    call = known.case.call
    assert isinstance(call, FunctionCall), "this case calls a function"
    sequences, prompts = call.args
    return sequences.array, prompts.array


def _exercise(known: KnownCase) -> Exercise:
    """Return what `solve` learns from, what it is asked, and the right answers."""
    sequences, prompts = _pairs_and_prompts(known)
    right = _right_answers(known)
    return Exercise(sequences, prompts, right, ENOUGH_TOKENS)


def _answers(compare: Compare, known: KnownCase) -> Array:
    """Return the answers of `solve`, one row of whole numbers for each prompt."""
    value = _usable_answer(compare, known).value
    return read_answers(SOLVE, value, _exercise(known))


def _right_answers(known: KnownCase, questions: Array | None = None) -> Array:
    """Return the right answers to the prompts, or to other questions.

    The order of the symbols is read from the pairs.
    """
    sequences, prompts = _pairs_and_prompts(known)
    length = prompts.shape[1] - 1
    if questions is None:
        questions = prompts[:, :-1]
    known_questions = sequences[:, :length]
    known_answers = sequences[:, length + 1 :]
    symbols = int(sequences.max())
    kind = known.case.name.rpartition("/")[2]
    if kind == "sort":
        # A symbol's rank is how many others come before it in some answer.
        comes_before = np.zeros((symbols, symbols), bool)
        for place in range(length - 1):
            symbol = known_answers[:, [place]]
            later_symbols = known_answers[:, place + 1 :]
            comes_before[symbol, later_symbols] = True
        np.fill_diagonal(comes_before, False)
        rank = comes_before.sum(axis=0)
        symbol_of_rank = np.argsort(rank)
        ranks = rank[questions]
        sorted_ranks = np.sort(ranks, axis=1)
        return np.asarray(symbol_of_rank[sorted_ranks])

    # Each symbol has one in its place; the answer is in the same order, or reversed.
    step = -1
    if kind == "copy":
        step = 1
    known_in_order = known_questions[:, ::step]
    questions_in_order = questions[:, ::step]
    answer_of_symbol = np.zeros(symbols, int)
    answer_of_symbol[known_in_order] = known_answers
    return np.asarray(answer_of_symbol[questions_in_order])


# Why too few answers are right


def _fail_untrained(
    compare: Compare, cases: Cases, known: KnownCase, share: float
) -> None:
    """Fail where the model returns probabilities, or where no step of an optimizer has changed its numbers."""
    text = f"{share:.0%} of the tokens are right"
    for model in _models(cases, ONE_LAYER):
        logits = _logits(compare, model)
        if are_probabilities(logits):
            why = "`forward` returns probabilities, each row of them sums to 1. `cross_entropy` makes these itself "
            why += "from logits: leave out the softmax at the end of `forward`."
            fail(f"{text}: {why}")

    trained = as_mapping(compare.submission.answer(known).trained)
    state = as_mapping(trained.get("state"))
    if has_untouched_norms(state.values()):
        course = watch_training(compare.submission, known)
        why = why_norms_unchanged(course)
        fail(f"{text}: {why}", "not-learned")


def _fail_wrong_answers(
    compare: Compare, cases: Cases, known: KnownCase, answers: Array
) -> NoReturn:
    """Say what wrong answers have in common, and its name where that is proved."""
    exercise = _exercise(known)
    share = share_of_equal(answers, exercise.right)
    begin = f"{share:.0%} of the tokens are right: "
    fault = why_shifted(exercise, answers)
    if fault is not None:
        fault.fail(begin)
    trained = as_mapping(compare.submission.answer(known).trained)
    # To watch a training takes as long as the training, so what can be said without that comes first. Of a model
    # that holds NaN there is nothing else to say.
    if not has_finite_numbers(as_mapping(trained.get("state")).values()):
        _fail_at_loss_without_number(begin, watch_training(compare.submission, known))
    for model in _models(cases, ONE_LAYER, THREE_LAYERS):
        logits = _logits(compare, model)
        leaks = _leaking_tokens(model, logits)
        if len(leaks):
            why = "the model lets tokens depend on later ones, which are not there yet when it answers. "
            failing = first_failing(BEFORE_CAUSALITY, cases, compare)
            why += correct_first(failing or test_model_causal)
            fail(f"{begin}{why}")

    # Has the model itself learned enough?
    learned = _learned_answers(compare, known, answers)
    if learned is not None:
        share_learned = share_of_equal(learned.answers, exercise.right)
        if share_learned >= ENOUGH_TOKENS:
            fault = _why_answered_wrongly(compare, cases, exercise, answers, learned)
            fault.fail(begin)
    course = watch_training(compare.submission, known)
    _fail_at_loss_without_number(begin, course)
    fault = fault_of_loss(course, exercise)
    if fault is not None:
        fault.fail(begin)
    losses = losses_in_words(course, exercise)
    fault = why_learned_too_little(exercise, answers, learned, course, losses)
    fault.fail(begin)


def _fail_at_loss_without_number(begin: str, course: TrainingCourse | None) -> None:
    """Fail where the course of a training is known, and a loss of it is NaN or infinite."""
    if course is not None:
        why = why_not_a_number(course)
        if why:
            fail(f"{begin}{why}")


def _why_answered_wrongly(
    compare: Compare,
    cases: Cases,
    exercise: Exercise,
    answers: Array,
    learned: Learned,
) -> ModelFault:
    """Say of a model that has learned enough how `solve` lets it answer wrongly."""
    shares = shares_right(answers, exercise.right)
    if shares.first > shares.later:
        if first_failing([test_model_cache], cases, compare):
            why = f"{shares}, which are made with the cache if `solve` uses it. "
            failing = first_failing(BEFORE_THE_CACHE, cases, compare)
            return ModelFault(why + correct_first(failing or test_model_cache))
    fault = why_answered_wrongly(SOLVE, learned, exercise, answers, str(shares))
    if all_answers_equal(answers):
        why = f"every question gets the same answer; {fault.says}"
        return ModelFault(why, "answers-all-equal")
    return fault


def _fail_incomplete_answers(
    compare: Compare, known: KnownCase, answers: Array, share: float
) -> NoReturn:
    """Say at which places the answers are wrong of which most tokens are right."""
    exercise = _exercise(known)
    is_right = answers == exercise.right
    shares = []
    for share_at_place in is_right.mean(axis=0):
        percent = 100 * share_at_place
        shares.append(f"{percent:.0f}")
    text = f"{share:.0%} of the answers are right in every token. By its place in the answer, a token is right in "
    text += f"{listed(shares)} % of the answers"
    learned = _learned_answers(compare, known, answers)
    if learned is not None:
        is_right = learned.answers == exercise.right
        is_complete = is_right.all(axis=1)
        if is_complete.mean() >= ENOUGH_ANSWERS:
            why = why_answered_wrongly(SOLVE, learned, exercise, answers, "").says
            fail(f"{text}; {why}")
    course = watch_training(compare.submission, known)
    fault = fault_of_loss(course, exercise)
    if fault is not None:
        fault.fail(f"{text}; ")
    why = losses_in_words(course, exercise)
    if why:
        fail(f"{text}; {why}")
    fail(f"{text}. Train for longer, or in other steps.")


# The trained model itself


def _trained(compare: Compare, known: KnownCase) -> TrainedModel:
    """Return the model that `solve` trained."""
    answer = compare.submission.answer(known)
    return read_trained(SOLVE, MODEL, answer.trained)


def _learned_answers(
    compare: Compare, known: KnownCase, answers: Array
) -> Learned | None:
    """Ask the trained model itself; None where there is none that works in a new process."""
    with explaining("what the trained model says by itself"):
        try:
            model = _trained(compare, known)
        except CheckFailed:
            return None
        questioner = Questioner(compare.submission, model, known.case.id)
        return ask_learned(questioner, _exercise(known), answers)
    return None


def _compare_learned(compare: Compare, tasks: Sequence[KnownCase]) -> None:
    """Check that the answers are in what a model has learned, and nowhere else.

    Args:
        compare: judges answers.
        tasks: the cases for which `solve` trained a model.
    """
    transplants = []
    shuffled_transplants = []
    for known in tasks:
        model = _trained(compare, known)
        questions, right = _more_questions(known)
        transplant = Transplant(SOLVE, model, questions, right, LEARNED)
        shuffled = transplant._replace(model=model.shuffled())
        transplants.append(transplant)
        shuffled_transplants.append(shuffled)
    all_transplants = [*transplants, *shuffled_transplants]
    calls = [transplant.call for transplant in all_transplants]
    answers = compare.submission.calls(calls)  # all in one run

    n_models = len(transplants)
    trained_answers = answers[:n_models]
    for transplant, answer in zip(transplants, trained_answers, strict=True):
        transplant.check_knows(answer)
    shuffled_answers = answers[n_models:]
    for transplant, answer in zip(shuffled_transplants, shuffled_answers, strict=True):
        transplant.check_has_forgotten(answer)


def _more_questions(known: KnownCase) -> tuple[Array, Array]:
    """Return new questions, neither among the pairs nor the prompts, each with most of its answer; the answers."""
    sequences, prompts = _pairs_and_prompts(known)
    length = prompts.shape[1] - 1
    symbols = int(sequences.max())
    # A question is a number whose digits are its symbols.
    values_of_digits = symbols ** np.arange(length)
    learned_questions = sequences[:, :length]
    asked_questions = prompts[:, :length]
    old_questions = np.concatenate([learned_questions, asked_questions])
    old_numbers = old_questions @ values_of_digits
    all_numbers = np.arange(symbols**length)
    new_numbers = np.setdiff1d(all_numbers, old_numbers)
    rng = np.random.default_rng(int(old_numbers.sum()))
    drawn = rng.choice(new_numbers, size=QUESTIONS, replace=False)
    questions = drawn[:, None] // values_of_digits % symbols
    right = _right_answers(known, questions)
    separators = np.full((len(questions), 1), symbols)
    all_but_last = right[:, :-1]
    rows = np.concatenate([questions, separators, all_but_last], axis=1)
    return rows, right
