"""Answers of the right shape that look at nothing earn nothing, also where one's own weights are forgiven.

``fill`` stands for such an answer. In the first body of each homework every function returns one; in the
second the values are at least mixed with weights that were made without a look at the scores.
"""

import pytest
from homeworks import PAIR

FILLS = {
    "zeros": "np.zeros(shape)",
    "ones": "np.ones(shape)",
    "halves": "np.full(shape, 0.5)",
    "nan": "np.full(shape, np.nan)",
    "infinite": "np.full(shape, np.inf)",
    "tiny": "np.full(shape, 1e-30)",
    "tiny-and-different": "1e-30 * np.arange(1.0, np.prod(shape) + 1).reshape(shape)",
    "uniform": "np.full(shape, 1 / shape[0])",
    "one-hot": "(np.arange(shape[0]) == 0).reshape(-1, *[1] * (len(shape) - 1)) * np.ones(shape)",
    "first-key": "np.concatenate([np.ones((*shape[:-1], 1)), np.zeros((*shape[:-1], shape[-1] - 1))], -1)",
    "identity": "np.eye(*shape[-2:]) * np.ones(shape) if len(shape) > 1 else np.eye(1, *shape)[0]",
    "ascending": "np.arange(1.0, np.prod(shape) + 1).reshape(shape) / np.prod(shape)",
    "random": "np.random.rand(*shape)",
    "seeded": "np.random.default_rng(7).dirichlet(np.ones(shape[-1]), shape[:-1])",
    "true": "np.ones(shape, bool)",
    "complex": "np.full(shape, 1j)",
}
FIRST_ARGUMENT = "the argument"

NOTHING = {
    "hw1_attention_scores": """
        def qk_scores(Q, K): return fill(len(Q), len(K))
        def scale_scores(scores, d_k): return like(scores)
        def softmax(scores): return like(scores)
        def attention_output(weights, V): return fill(len(weights), V.shape[1])
        def attention_flow(Q, K, V):
            n, m = len(Q), len(K)
            return fill(n, m), fill(n, m), fill(n, m), fill(n, V.shape[1])
    """,
    "hw2_self_attention": """
        import torch
        def project_qkv(X, W_q, W_k, W_v): return tuple(fill(len(X), W.shape[1]) for W in (W_q, W_k, W_v))
        def self_attention_numpy(X, W_q, W_k, W_v): return fill(len(X), len(X)), fill(len(X), W_v.shape[1])
        def self_attention_torch(X, W_q, W_k, W_v): return torch.tensor(fill(len(X), W_v.shape[1]))
    """,
    "hw3_scaled_dot_product_attention": """
        def softmax(scores): return like(scores)
        def scaled_dot_product_attention(Q, K, V): return fill(len(Q), len(K)), fill(len(Q), V.shape[1])
    """,
    "hw4_self_attention_columns": """
        def softmax(scores): return like(np.asarray(scores))
        def self_attention_per_token(all_x, *more): return [fill(len(x), 1) for x in all_x]
        def self_attention(X, *more): return like(X)
        def scaled_dot_product_self_attention(X, *more): return like(X)
    """,
    "hw5_multihead_attention": """
        def softmax_cols(data_in): return like(data_in)
        def multihead_scaled_self_attention(X, *more): return like(X)
    """,
    "hw6_encoder_block": """
        import torch
        class SimpleEncoderBlock(torch.nn.Module):
            def __init__(self, *sizes): super().__init__()
            def forward(self, x): return torch.as_tensor(like(x))
    """,
}
MIXED = {
    "hw2_self_attention": """
        def self_attention_numpy(X, W_q, W_k, W_v):
            weights = fill(len(X), len(X))
            return weights, weights @ (X @ W_v)
    """,
    "hw3_scaled_dot_product_attention": """
        def softmax(scores): return like(scores)
        def scaled_dot_product_attention(Q, K, V):
            weights = fill(len(Q), len(K))
            return weights, weights @ V
    """,
    "hw4_self_attention_columns": """
        def softmax(scores): return like(np.asarray(scores))
        def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
            weights = np.stack([fill(X.shape[1])] * X.shape[1], axis=1)
            return (omega_v @ X + beta_v) @ weights
        def self_attention_per_token(all_x, *more):
            return np.split(self_attention(np.hstack(all_x), *more), len(all_x), axis=1)
        scaled_dot_product_self_attention = self_attention
    """,
    "hw5_multihead_attention": """
        def softmax_cols(data_in): return like(data_in)
        def multihead_scaled_self_attention(X, *more):
            heads = [(more[i] @ X + more[i + 3]) @ fill(X.shape[1], X.shape[1]) for i in (0, 6)]
            return more[-1] @ np.vstack(heads)
    """,
}
LAYERS_ALONE = """
        import torch
        from torch import nn
        class SimpleEncoderBlock(nn.Module):
            def __init__(self, embed_dim=64, num_heads=4, ff_dim=256):
                super().__init__()
                self.self_attn = nn.MultiheadAttention(embed_dim, num_heads, batch_first=True)
                self.ff = nn.Sequential(nn.Linear(embed_dim, ff_dim), nn.ReLU(), nn.Linear(ff_dim, embed_dim))
                self.norm1, self.norm2 = nn.LayerNorm(embed_dim), nn.LayerNorm(embed_dim)
            def forward(self, x): return torch.as_tensor(like(x))
"""
BODIES = [("nothing", NOTHING), ("mixed", MIXED)]


def submission(body, kind):
    lines = body.splitlines()
    text = "\n".join(line[8:] for line in lines)
    like = "x" if kind == FIRST_ARGUMENT else "fill(*x.shape)"
    fill = "np.zeros(shape)" if kind == FIRST_ARGUMENT else FILLS[kind]
    return f"import numpy as np\ndef fill(*shape): return {fill}\ndef like(x): return {like}\n{text}"


def passed(result):
    assert result.checks, result.detail
    return {check.check: check.earned for check in result.checks if check.earned}


@pytest.mark.parametrize("kind", [*FILLS, FIRST_ARGUMENT])
@pytest.mark.parametrize(
    ("homework_id", "body"),
    [pytest.param(key, text, id=f"{name}-{key}") for name, of in BODIES for key, text in of.items()],
)
def test_what_looks_at_nothing_earns_nothing(homework_id, body, kind, judge_text):
    assert passed(judge_text(homework_id, submission(body, kind))) == {}


@pytest.mark.parametrize("homework_id", PAIR)
def test_to_look_for_the_reason_changes_no_verdict(homework_id, judge_text, grade_text):
    text = submission(NOTHING[homework_id], "seeded")
    judged, graded = (grade(homework_id, text).checks for grade in (judge_text, grade_text))
    assert [(check.check, check.outcome) for check in judged] == [
        (check.check, check.outcome) for check in graded
    ]


@pytest.mark.parametrize("kind", [*FILLS, FIRST_ARGUMENT])
def test_layers_that_are_never_applied_earn_their_registration_alone(kind, judge_text):
    result = judge_text("hw6_encoder_block", submission(LAYERS_ALONE, kind))
    assert passed(result) == {"encoder_block_parameters": 2.0, "encoder_block_width": 1.0}
