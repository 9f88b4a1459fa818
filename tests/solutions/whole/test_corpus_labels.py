"""Each mistaken submission of the corpus is called by its file's name, and by no other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from homeworks import SIX

from autograder.authoring.corpus import APART, read_corpus
from autograder.course.course import find_course
from autograder.reasons.catalogue import read_catalogue
from autograder.verdict.results import HomeworkResult

CORPUS = Path(__file__).resolve().parents[2] / "corpus"

# Names that a check gives itself, so that no catalogue has them, and that begin more than one file's name.
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
    "softmax__softmax_over_queries_without_maximum": {"softmax-unstable"},
    "attention_output__returns_ones_like_values": {"argument-unused"},
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
    ("hw1_attention_scores", "modifies-input-aliased"): {"modifies-input", "scores-overwritten"},
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
    ("hw4_self_attention_columns", "list-not-accepted"): set(),
    ("hw5_multihead_attention", "scores-clipped"): set(),
}


def expected_labels(homework_id: str, stem: str, known: set[str]) -> set[str]:
    """The longest known label that the file's name starts with, unless it is listed above."""
    if (homework_id, stem) in OTHER_LABELS:
        return OTHER_LABELS[homework_id, stem]
    return {max((name for name in known if f"{stem}-".startswith(f"{name}-")), key=len, default=stem)}


def labels_of(result: HomeworkResult) -> set[str]:
    return {label for check in result.checks for label in check.misconceptions}


@pytest.mark.parametrize("homework_id", SIX)
def test_every_mistaken_submission_is_called_by_its_name(
    homework_id: str, grade_text: Callable[[str, str], HomeworkResult]
) -> None:
    known = {one.id for one in read_catalogue(find_course().homework(homework_id))} | GIVEN_BY_CHECKS
    paths = sorted((CORPUS / homework_id / "mistaken").glob("*.py"))
    assert len(paths) >= 20
    found = {path.stem: labels_of(grade_text(homework_id, path.read_text("utf-8"))) for path in paths}
    assert found == {stem: expected_labels(homework_id, stem, known) for stem in found}


@pytest.mark.parametrize("homework_id", SIX)
def test_every_mistake_in_another_style_is_called_by_its_name(
    homework_id: str, grade_text: Callable[[str, str], HomeworkResult]
) -> None:
    homework = find_course().homework(homework_id)
    known = {one.id for one in read_catalogue(homework)} | GIVEN_BY_CHECKS
    examples = [one for one in read_corpus(find_course(), homework) if APART in one.name and not one.is_right]
    assert examples
    unnamed = {}
    for example in examples:
        style = example.name.partition(APART)[2].replace("_", "-")
        expected = expected_labels(homework_id, style, known)
        labels = labels_of(grade_text(homework_id, example.text))
        if not expected <= labels or labels - expected - SECOND_LABELS.get(example.name, set()):
            unnamed[example.name] = labels
    assert unnamed == {}


def test_what_is_listed_as_called_otherwise_is_still_in_the_corpus() -> None:
    listed = {CORPUS / homework_id / "mistaken" / f"{stem}.py" for homework_id, stem in OTHER_LABELS}
    assert {path for path in listed if not path.is_file()} == set()
