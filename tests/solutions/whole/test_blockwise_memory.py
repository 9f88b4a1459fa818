"""The check of hw9 that a score matrix never exists as a whole: which programs pass it, and which do not."""

import numpy as np
import pytest

from autograder.course.calls import FunctionCall
from autograder.course.course_files import load_module
from autograder.sandbox.request import Code, Request
from autograder.verdict.checks import Outcome, checks_file

CHECK = "blockwise_attention_memory"
WHOLE = """
def blockwise_attention(Q, K, V, block_size):
    number = np.float64 if len(K) < 1000 else np.{dtype}
    scores = np.empty((len(Q), len(K)), number)
    for start in range(0, len(K), block_size):
        block = slice(start, start + block_size)
        scores[:, block] = Q @ K[block].T / np.sqrt(Q.shape[-1])
    rows = []
    for row in scores:
        weights = np.exp(row.astype(float) - row.max())
        rows.append(weights @ V / weights.sum())
    return np.array(rows)
"""
EQUAL_KEYS_ONCE = """
def blockwise_attention(Q, K, V, block_size):
    _, first, counts = np.unique(np.hstack([K, V]), axis=0, return_index=True, return_counts=True)
    scores = Q @ K[first].T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True)) * counts
    return weights @ V[first] / weights.sum(axis=-1, keepdims=True)
"""
EQUAL_QUERIES_ONCE = """
def blockwise_attention(Q, K, V, block_size):
    queries, places = np.unique(Q, axis=0, return_inverse=True)
    scores = queries @ K.T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (weights @ V / weights.sum(axis=-1, keepdims=True))[places.ravel()]
"""
IMPORTS_WITHIN = """
def blockwise_attention(Q, K, V, block_size):
    import torch

    Q, K, V = map(torch.from_numpy, (Q, K, V))
    largest, total, output = torch.full((len(Q), 1), -torch.inf).double(), 0.0, 0.0
    for keys, values in zip(K.split(block_size), V.split(block_size)):
        scores = Q @ keys.T / keys.shape[1] ** 0.5
        grown = torch.maximum(largest, scores.amax(1, keepdim=True))
        weights, rescaled = (scores - grown).exp(), (largest - grown).exp()
        total, output = total * rescaled + weights.sum(1, keepdim=True), output * rescaled + weights @ values
        largest = grown
    return (output / total).numpy()
"""
LIFTS_THE_LIMIT = """
def blockwise_attention(Q, K, V, block_size):
    import resource

    try:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))
    except ValueError:
        pass
    scores = Q @ K.T / np.sqrt(Q.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights @ V / weights.sum(axis=-1, keepdims=True)
"""


@pytest.fixture
def failed(judge_text, course):
    """What grades the solution with another blockwise_attention: the checks that fail, and their labels."""

    def failed(text):
        homework = course.homework("hw9")
        checks = judge_text(homework.id, homework.solution.read_text("utf-8") + text).checks
        return {
            check.check: tuple(check.misconceptions)
            for check in checks
            if check.outcome not in (Outcome.PASSED, Outcome.COLLECTED)
        }

    return failed


@pytest.mark.parametrize("text", ["", IMPORTS_WITHIN], ids=["solution", "torch, imported within"])
def test_attention_block_by_block_passes(failed, text):
    assert failed(text) == {}


def test_a_loop_over_blocks_needs_far_less_than_it_may_take(course, pool):
    """How much torch keeps of what it freed differs from run to run, so that the limit must be generous."""
    homework = course.homework("hw9")
    checks = vars(load_module(checks_file(homework)))
    queries, keys, values = (
        np.ones((checks["N_Q"], 3)),
        np.ones((checks["N_K"], 3)),
        np.ones((checks["N_K"], 2)),
    )
    block, scarce = checks["BLOCK_SIZE"], checks["MEMORY_MB"] - 8
    small = FunctionCall("blockwise_attention", (queries, keys[:block], values[:block], block))
    large = FunctionCall("blockwise_attention", (queries, keys, values, block), memory_mb=scarce)
    calls = [small.as_mapping(), large.as_mapping()]
    code = Code(homework.stub, {homework.stub: "import torch\nimport numpy as np\n" + IMPORTS_WITHIN})
    for _ in range(6):
        report = pool.run(Request(code, calls, "torch", homework.limits))
        assert [answer.error for answer in report.answers] == [None, None]


@pytest.mark.parametrize(
    "text",
    [
        *(WHOLE.format(dtype=dtype) for dtype in ("float64", "float32", "float16")),
        EQUAL_KEYS_ONCE,
        EQUAL_QUERIES_ONCE,
        LIFTS_THE_LIMIT,
    ],
    ids=["double", "single", "half", "equal keys once", "equal queries once", "lifts the limit"],
)
def test_the_whole_score_matrix_fails_and_is_named(failed, text):
    assert failed(text) == {CHECK: ("whole-score-matrix",)}
