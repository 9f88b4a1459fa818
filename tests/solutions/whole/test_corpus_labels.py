"""Each mistaken submission of the corpus is called by its name, and by no other."""

import pytest
from homeworks import SIX
from submissions import mistaken

from autograder.authoring.corpus import APART
from autograder.course.course import find_course
from autograder.reasons.catalogue import read_catalogue

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
}

# Labels beside the first one, of mistakes in other styles.
SECOND_LABELS = {
    ("hw1_attention_scores", "softmax-over-queries-without-maximum"): {"softmax-unstable"},
    ("hw1_attention_scores", "returns-ones-like-values"): {"argument-unused"},
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
    ("hw5_multihead_attention", "softmax-rows"): {"softmax-over-queries"},
    ("hw6_encoder_block", "returns-tuple"): {"returns-extra"},
    ("hw6_encoder_block", "returns-extra-three-parts"): {"returns-extra"},
    # right but for the order of the weights, or without a layer: facts about the layers are the reason
    **{("hw6_encoder_block", f"layers-{name}"): set() for name in FACTS_ABOUT_LAYERS},
    # in no catalogue
    ("hw2_self_attention", "softmax-in-float32"): set(),
    ("hw4_self_attention_columns", "list-not-accepted"): set(),
    ("hw5_multihead_attention", "scores-clipped"): set(),
}


def expected_labels(homework_id, name, known):
    """The longest known label that the submission's name starts with, unless it is listed above."""
    if (homework_id, name) in OTHER_LABELS:
        return OTHER_LABELS[homework_id, name]
    return {max((label for label in known if f"{name}-".startswith(f"{label}-")), key=len, default=name)}


def labels_of(result):
    return {label for check in result.checks for label in check.misconceptions}


@pytest.mark.parametrize("homework_id", SIX)
def test_every_mistaken_submission_is_called_by_its_name(homework_id, grade_text):
    known = {mistake.id for mistake in read_catalogue(find_course().homework(homework_id))} | GIVEN_BY_CHECKS
    texts = mistaken(homework_id)
    assert len(texts) >= 20
    misnamed = {}
    for name, text in texts.items():
        style = name.rpartition(APART)[2].replace("_", "-")
        expected = expected_labels(homework_id, style, known)
        labels = labels_of(grade_text(homework_id, text))
        if not expected <= labels or labels - expected - SECOND_LABELS.get((homework_id, style), set()):
            misnamed[name] = labels
    assert misnamed == {}


def test_what_is_listed_as_called_otherwise_is_still_in_the_corpus():
    listed = {*OTHER_LABELS, *SECOND_LABELS}
    assert {(homework_id, name) for homework_id, name in listed if name not in mistaken(homework_id)} == set()
