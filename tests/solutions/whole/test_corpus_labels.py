"""Each mistaken submission of the corpus loses what it says, and has its name and group, also where it raises.

Names and groups take the reasons of all of them: so `make check` leaves most of them to these tests.
"""

from collections import defaultdict
from itertools import combinations

import pytest
from homeworks import SIX
from submissions import corpus, mistaken

from autograder.authoring.corpus import APART
from autograder.course.course import find_course
from autograder.course.homework import THEORY
from autograder.exhibits.behaviour import is_same
from autograder.reasons.catalogue import read_catalogue
from autograder.sandbox.report import Status
from autograder.verdict.checks import Outcome

# Names that a check gives itself, so that no catalogue has them, and that begin more than one name.
GIVEN_BY_CHECKS = {
    "axis-of-one",
    "mask-as-index",
    "missing-library",
    "not-imported",
    "numpy-on-torch",
    "torch-on-numpy",
    "tuple-not-unpacked",
    "batch-only",
    "one-sequence-only",
    "all-rows-paired",
    "depends-on-global",
    "dropout-at-eval",
    "gradient-cut",
    "layers-unregistered",
    "modifies-input",
    "other-attribute-names",
    "returns-output-only",
    "returns-transposed",
    "returns-tuple",
    "rounds-result",
    "weights-context-swapped",
    "whole-numbers-kept",
}

# Labels beside the first one, of mistakes in other styles.
SECOND_LABELS = {
    ("hw1_attention_scores", "softmax-over-queries-without-maximum"): {"softmax-unstable"},
    ("hw1_attention_scores", "returns-ones-like-values"): {"argument-unused"},
    ("hw1_attention_scores", "returns-ones-stub"): {"all-alike"},
    ("hw1_attention_scores", "total-not-reset-loops"): {"factor-per-row"},
    ("hw5_multihead_attention", "returns-ones-stub"): {"argument-unused"},
    # weights of scores in the thousands are as inaccurate as what is rounded
    ("hw2_self_attention", "rounds-result"): {"nearly-right"},
}

FACTS_ABOUT_LAYERS = (
    "left-out",
    "of-own-interleaved",
    "of-own-keys-first",
    "of-own-packed",
    "too-many",
)

# What is called otherwise, with the reason.
OTHER_LABELS = {
    # two mistakes in one file
    ("hw3_scaled_dot_product_attention", "weights-context-swapped-lists"): {
        "weights-context-swapped",
        "argument-unused",
    },
    ("hw3_scaled_dot_product_attention", "returns-output-only-no-scaling"): {
        "returns-output-only",
        "argument-scaled",
    },
    ("hw4_self_attention_columns", "hard-coded-size-three-tokens"): {"hard-coded-size", "argument-unused"},
    ("hw6_encoder_block", "gelu-for-relu-other-names"): {"gelu-for-relu", "other-attribute-names"},
    ("hw6_encoder_block", "layers-unused"): {"no-second-norm"},
    ("hw6_encoder_block", "layers-result-discarded"): {"no-second-norm"},
    ("hw6_encoder_block", "norm-reused-other-name"): {"norm-reused", "other-attribute-names"},
    ("hw6_encoder_block", "wrong-ffn-width-other-names"): {"wrong-ffn-width", "other-attribute-names"},
    ("hw5_multihead_attention", "weights-transposed"): {"softmax-unstable", "weights-transposed"},
    ("hw4_self_attention_columns", "two-mistakes-top-level-loops"): {"query-for-key", "no-value-bias"},
    # a mistake, in a function that reads a size from outside
    ("hw4_self_attention_columns", "softmax-over-queries-outside-size"): {
        "softmax-over-queries",
        "depends-on-global",
    },
    ("hw5_multihead_attention", "no-value-bias-outside-size"): {"no-value-bias", "depends-on-global"},
    # a mistake, in an answer of another form
    ("hw1_attention_scores", "scale-by-d-in-a-tuple"): {"returns-tuple", "scale-by-d"},
    ("hw2_self_attention", "no-scaling-swapped"): {"weights-context-swapped", "no-scaling"},
    ("hw3_scaled_dot_product_attention", "scale-by-d-swapped"): {"weights-context-swapped", "scale-by-d"},
    ("hw5_multihead_attention", "projection-transposed"): {"tokens-as-rows"},  # `X.T @ omega`
    ("hw4_self_attention_columns", "returns-tuple-rows"): {"returns-tuple", "axis-of-one"},
    ("hw4_self_attention_columns", "no-value-bias-in-rows"): {"returns-transposed", "no-value-bias"},
    ("hw5_multihead_attention", "heads-swapped-in-rows"): {"returns-transposed", "heads-swapped"},
    ("hw3_scaled_dot_product_attention", "softmax-over-queries-swapped"): {
        "softmax-over-queries",
        "weights-context-swapped",
    },
    # its other name
    ("hw1_attention_scores", "rounds-result-zeros-like"): {"cut-to-integers"},
    ("hw6_encoder_block", "keeps-keys-of-earlier-calls"): {"differs-from-call-to-call"},
    ("hw5_multihead_attention", "softmax-rows"): {"softmax-over-queries"},
    ("hw6_encoder_block", "returns-tuple"): {"returns-extra"},
    ("hw6_encoder_block", "returns-extra-three-parts"): {"returns-extra"},
    # right but for the order of the weights, or without a layer: facts about the layers are the reason
    **{("hw6_encoder_block", f"layers-{name}"): set() for name in FACTS_ABOUT_LAYERS},
    # in no catalogue
    ("hw1_attention_scores", "squeezed-inputs"): set(),
    ("hw3_scaled_dot_product_attention", "squeezed-inputs"): set(),
    ("hw2_self_attention", "softmax-in-float32"): set(),
    ("hw4_self_attention_columns", "list-not-accepted"): set(),
    ("hw6_encoder_block", "as-many-sequences-as-tokens"): set(),
    # wrong only where scores are large, and there the same for all inputs
    ("hw5_multihead_attention", "scores-clipped"): {"argument-unused"},
}


def expected_labels(homework_id, name, known):
    """The longest known label that the submission's name starts with, unless it is listed above."""
    if (homework_id, name) in OTHER_LABELS:
        return OTHER_LABELS[homework_id, name]
    return {max((label for label in known if f"{name}-".startswith(f"{label}-")), key=len, default=name)}


def labels_of(result):
    return {label for check in result.checks for label in check.misconceptions}


WITH_MISTAKEN = [homework_id for homework_id in find_course().homework_ids() if mistaken(homework_id)]
"""The homeworks whose corpus has mistaken submissions."""


def test_only_the_capstone_has_no_mistaken_submissions_in_its_corpus():
    assert set(find_course().homework_ids()) - set(WITH_MISTAKEN) == {"capstone_tiny_transformer"}


@pytest.mark.parametrize("homework_id", WITH_MISTAKEN)
def test_every_mistaken_submission_loses_what_it_says(homework_id, label_text):
    submissions = [submission for submission in corpus(homework_id) if not submission.is_right]
    otherwise = {}
    for submission in submissions:
        result = label_text(homework_id, submission.text)
        if result.status is not Status.GRADED or result.explanation_faults:
            otherwise[submission.name] = (result.status, result.explanation_faults)
            continue
        lost = {check.check for check in result.checks if check.reason and check.task != THEORY}
        points_lost = sum(check.points - check.earned for check in result.checks if check.check in lost)
        loses_otherwise = submission.loses is not None and lost != submission.loses
        if loses_otherwise or not points_lost:
            otherwise[submission.name] = lost
    assert otherwise == {}


@pytest.mark.parametrize("homework_id", SIX)
def test_every_mistaken_submission_is_called_by_its_name(homework_id, label_text):
    known = {mistake.id for mistake in read_catalogue(find_course().homework(homework_id))} | GIVEN_BY_CHECKS
    texts = mistaken(homework_id)
    assert len(texts) >= 20
    misnamed = {}
    for name, text in texts.items():
        style = name.rpartition(APART)[2].replace("_", "-")
        expected = expected_labels(homework_id, style, known)
        labels = labels_of(label_text(homework_id, text))
        if not expected <= labels or labels - expected - SECOND_LABELS.get((homework_id, style), set()):
            misnamed[name] = labels
    assert misnamed == {}


def test_what_is_listed_as_called_otherwise_is_still_in_the_corpus():
    listed = {*OTHER_LABELS, *SECOND_LABELS}
    assert {(homework_id, name) for homework_id, name in listed if name not in mistaken(homework_id)} == set()


HW4, HW5, HW7, HW8, HW9 = (
    "hw4_self_attention_columns",
    "hw5_multihead_attention",
    "hw7_masked_attention",
    "hw8_batched_multihead_attention",
    "hw9_positions_and_cache",
)
PROJECTED = "Q, K, V = X_q @ W_q, X_kv @ W_k, X_kv @ W_v"
SCORES = "Q @ np.swapaxes(K, -1, -2)"


def edited(homework_id, *edits):
    """The reference solution with other texts, in every place where each of them stands."""
    text = find_course().homework(homework_id).solution.read_text("utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    ("homework_id", "edits", "label"),
    [
        (HW4, [("omega_v @ X", "X @ omega_v"), ("return V @ weights", "return 3 * V")], "tokens-as-rows"),
        (HW4, [("omega_q @ X +", "np.dot(X, omega_q.T) -")], "tokens-as-rows"),
        (HW5, [("omega_q @ X", "np.matmul(X, omega_q)")], "tokens-as-rows"),
        (HW5, [("omega_k @ X", "np.matmul(omega_k.T, X)")], "projection-transposed"),
        (HW5, [("omega_q @ X", "X.T @ omega_q")], "tokens-as-rows"),
        (HW7, [(SCORES, "np.einsum('...ij,...jk->...ik', Q, K.T)")], "axes-reversed"),
        (HW7, [(PROJECTED, "tokens = np.transpose(X_kv)\n    Q = X_q @ tokens")], "not-projected"),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "np.matmul(Q, np.transpose(K))")], "axes-reversed"),
        (HW9, [("keys @ q", "np.dot(q, keys)")], "query-before-keys"),
        (HW9, [("Q @ K[block].T", "np.dot(Q, K[start : start + block_size])")], "block-not-transposed"),
    ],
)
def test_what_raises_at_every_size_is_named_in_other_styles(homework_id, edits, label, label_text):
    result = label_text(homework_id, edited(homework_id, *edits))
    assert any(check.outcome is Outcome.FAILED for check in result.checks)
    assert labels_of(result) == {label}


@pytest.mark.parametrize(
    ("homework_id", "edits"),
    [
        # D x D weights meet the values, or the tokens: shapes as in `X @ omega`
        (HW4, [("K.T @ Q", "K @ Q.T")]),
        (HW4, [("K.T @ Q", "K @ Q.T"), ("V @ weights", "X @ weights")]),
        (HW4, [("omega_q @ X", "omega_q @ X.T")]),
        (HW4, [("omega_q @ X", "omega_q @ (X + beta_q.T)")]),
        (HW4, [("V = omega_v", "X.reshape(2, 5, -1)\n    V = omega_v")]),
        (HW4, [("V = omega_v", "raise ValueError('X @ omega')\n    V = omega_v")]),
        (HW5, [("np.vstack((head_1", "np.hstack((head_1")]),
        (HW5, [("np.vstack((head_1, head_2))", "head_1")]),
        (HW5, [("K.T @ Q", "K @ Q")]),
        (HW5, [("omega_v @ X +", "X +")]),
        # right for a matrix, and raises for a batch, as `Q @ K.T` does
        (HW7, [(SCORES, "Q @ np.swapaxes(K, 0, -1)")]),
        (HW7, [("scores = Q", "n_q, d_k = Q.shape\n    scores = Q")]),
        (HW7, [("masked_softmax(scores, mask)", "masked_softmax(scores, mask.T.T.reshape(scores.shape))")]),
        (HW7, [(SCORES, "Q @ K")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q, X_kv @ W_k, X_kv @ W_v")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q @ W_q, X_kv, X_kv @ W_v")]),
        (HW7, [(PROJECTED, "Q, K, V = X_q @ X_kv, X_kv @ W_k, X_kv @ W_v")]),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "Q @ K.swapaxes(0, -1)")]),
        (HW8, [("return weights @ V", "return weights @ V.T")]),
        (HW8, [("Q @ K.swapaxes(-1, -2)", "Q.T @ K")]),
        (HW9, [("keys @ q", "q @ values")]),
        (HW9, [("Q @ K[block].T", "Q @ V[block]")]),
        (HW9, [("Q @ K[block].T", "Q @ K")]),
    ],
)
def test_what_raises_for_another_cause_is_not_called_by_its_name(homework_id, edits, label_text):
    result = label_text(homework_id, edited(homework_id, *edits))
    assert any(check.outcome is Outcome.FAILED for check in result.checks)
    by_exception = {
        "tokens-as-rows",
        "projection-transposed",
        "axes-reversed",
        "not-projected",
        "query-before-keys",
        "block-not-transposed",
    }
    assert labels_of(result) & by_exception == set()


@pytest.mark.parametrize("homework_id", [HW4, HW5, HW7, HW8, HW9])
def test_a_reason_from_exceptions_tells_no_hidden_size(homework_id):
    """What students read is the entry's sentence, which is the same for every case."""
    sentences = [
        mistake.says
        for mistake in read_catalogue(find_course().homework(homework_id))
        if mistake.by_exception
    ]
    assert sentences
    assert not [says for says in sentences if any(character.isdigit() for character in says)]


# Submissions whose label another one has as well, but which answer otherwise, with the reason.
ANSWERS_OTHERWISE = {
    ("hw1_attention_scores", "axis-of-one-in-front"): "the other axis",
    ("hw1_attention_scores", "softmax-over-queries-without-maximum"): "NaN at large scores",
    ("hw1_attention_scores", "softmax-unstable-math"): "raises OverflowError where NumPy gives NaN",
    ("hw2_self_attention", "gradient-cut-numpy"): "cuts the gradients of V too",
    ("hw3_scaled_dot_product_attention", "returns-output-only-no-scaling"): "a second mistake",
    ("hw3_scaled_dot_product_attention", "softmax-over-queries-swapped"): "a second mistake",
    ("hw3_scaled_dot_product_attention", "weights-context-swapped-dictionary"): "in a dictionary",
    ("hw3_scaled_dot_product_attention", "weights-context-swapped-lists"): "a second mistake",
    ("hw3_scaled_dot_product_attention", "softmax-unstable-mean"): "overflows at other inputs",
    ("hw4_self_attention_columns", "returns-tuple-rows"): "in a list of lists",
    ("hw4_self_attention_columns", "softmax-unstable-math"): "raises OverflowError where NumPy gives NaN",
    ("hw4_self_attention_columns", "stale-query-top-level-loops"): "a value and no function",
    ("hw4_self_attention_columns", "tokens-as-rows-doubled"): "a second mistake, which shows where N is D",
    ("hw4_self_attention_columns", "tokens-as-rows-square-softmax"): "softmax of all scores at once",
    (
        "hw5_multihead_attention",
        "tokens-as-rows-turned-round",
    ): "raises in the function of one head, not in the task",
    ("hw6_encoder_block", "dropout-at-eval-last"): "drops out elsewhere",
    ("hw6_encoder_block", "norm-epsilon-missing"): "divides by 0 instead of by too much",
    ("hw6_encoder_block", "no-activation-in-a-tuple"): "in a tuple",
    ("hw6_encoder_block", "norm-reused"): "has a norm2 that no gradient reaches",
    ("hw6_encoder_block", "returns-extra-three-parts"): "returns one value more",
    ("hw6_encoder_block", "wrong-ffn-width-fixed"): "fixes a width that known weights do not fit",
}

# Labels that many different exceptions and forms have.
OF_MANY_ANSWERS = {
    "argument-unused",
    "heads-not-stacked",
    "mask-as-index",
    "missing-library",
    "modifies-input",
    "torch-on-numpy",
}

# Submissions of different labels that answer alike: the label says what else is wrong, or how that came about.
ANSWER_ALIKE = {
    ("hw6_encoder_block", "SimpleEncoderBlock"): {
        *("gelu-for-relu", "gelu-for-relu-other-names"),
        *("norm-reused-other-name", "norm-reused-two-names"),
    },
}


@pytest.mark.parametrize("homework_id", SIX)
def test_the_same_mistake_is_one_group_and_no_two_share_one(homework_id, label_text):
    groups = defaultdict(list)
    labels = {}
    mistakes = defaultdict(set)
    texts = mistaken(homework_id)
    for name, text in texts.items():
        result = label_text(homework_id, text)
        for behaviour in result.work.behaviours:
            alike = (
                members
                for first, members in groups[behaviour.task]
                if first.form == behaviour.form and is_same(first.sketch, behaviour.sketch)
            )
            members = next(alike, None)
            if members is None:
                groups[behaviour.task].append((behaviour, members := []))
            members.append(name)
            failed = [c for c in result.checks if c.task == behaviour.task and c.outcome is Outcome.FAILED]
            labels_named = frozenset(label for check in failed for label in check.misconceptions)
            labels[behaviour.task, name] = labels_named
            mistakes[
                behaviour.task, labels_named, frozenset(line for check in failed for line in check.made)
            ].add(name)
    split, merged = set(), set()
    together = {
        (task, *pair)
        for task, mistakes in groups.items()
        for _, m in mistakes
        for pair in combinations(sorted(m), 2)
    }
    for (task, labels_named, _), stems in mistakes.items():
        pairs = combinations(sorted(stems), 2) if labels_named - OF_MANY_ANSWERS else ()
        split |= {(task, *pair) for pair in pairs} - together
    merged = {(task, *pair) for task, *pair in together if labels[task, pair[0]] != labels[task, pair[1]]}
    count = sum(map(len, groups.values()))
    print(
        f"\n{homework_id}: {len(texts)} submissions, {len(mistakes)} mistakes in tasks, {count} groups",
        end=", ",
    )
    print(f"{len(split)} pairs split, {len(merged)} merged")
    assert {
        pair for pair in split if not any((homework_id, stem) in ANSWERS_OTHERWISE for stem in pair)
    } == set()
    assert {
        merge for merge in merged if not {*merge[1:]} <= ANSWER_ALIKE.get((homework_id, merge[0]), set())
    } == set()
