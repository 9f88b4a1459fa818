"""Mistaken submissions of the corpus in groups: the same mistake is one group, and no two mistakes share one.

``pytest -s tests/solutions/whole/test_groups_of_mistakes.py`` prints the table.
"""

from collections import defaultdict
from itertools import combinations

import pytest
from homeworks import SIX
from submissions import mistaken

from autograder.exhibits.behaviour import is_same
from autograder.verdict.checks import Outcome

# Submissions whose label another one has as well, but which answer otherwise, with the reason.
ANSWERS_OTHERWISE = {
    ("hw1_attention_scores", "axis-of-one-in-front"): "the other axis",
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
    ("hw6_encoder_block", "no-activation-in-a-tuple"): "in a tuple",
    ("hw6_encoder_block", "norm-reused"): "has a norm2 that no gradient reaches",
    ("hw6_encoder_block", "returns-extra-three-parts"): "returns one value more",
    ("hw6_encoder_block", "wrong-ffn-width-fixed"): "fixes a width that known weights do not fit",
}

# Labels that many different exceptions and forms have.
OF_MANY_ANSWERS = {
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
def test_the_same_mistake_is_one_group_and_no_two_share_one(homework_id, grade_text):
    groups = defaultdict(list)
    labels = {}
    mistakes = defaultdict(set)
    texts = mistaken(homework_id)
    for name, text in texts.items():
        result = grade_text(homework_id, text)
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
