"""Right answers to hw3 as a class writes them: each student chooses a common way for each step, and names."""

import random
import re

LARGEST = (
    "M = X.max(axis=-1, keepdims=True)",
    "M = np.max(X, axis=1, keepdims=True)",
    "M = np.max(X, axis=-1)[:, None]",
    "M = X.max(axis=1).reshape(-1, 1)",
    "M = np.expand_dims(np.amax(X, 1), 1)",
    "M = np.array([[max(R)] for R in X])",
    "M = np.sort(X, axis=1)[:, -1:]",
    "M = X.max(1)[:, np.newaxis]",
)
POWERS = (
    "E = np.exp(X - M)",
    "Y = X - M\nE = np.exp(Y)",
    "E = np.exp(np.subtract(X, M))",
    "E = math.e ** (X - M)",
    "X = X - M\nE = np.exp(X)",
)
SUMS = (
    "return E / E.sum(axis=-1, keepdims=True)",
    "return E / np.sum(E, axis=1, keepdims=True)",
    "Z = np.sum(E, axis=-1, keepdims=True)\nreturn E / Z",
    "Z = E.sum(axis=1)[:, None]\nA = E / Z\nreturn A",
    "Z = E @ np.ones((E.shape[1], 1))\nreturn E / Z",
    "return np.divide(E, E.sum(1).reshape(len(E), 1))",
    "return (E.T / E.sum(axis=1)).T",
    "A = np.zeros_like(E)\nfor I in range(len(E)):\n    A[I] = E[I] / E[I].sum()\nreturn A",
)
LOOPS = (
    "A = []\nfor R in X:\n    E = np.exp(R - R.max())\n    A.append(E / E.sum())\nreturn np.array(A)",
    "A = np.zeros(X.shape)\nfor I in range(X.shape[0]):\n    E = np.exp(X[I] - np.max(X[I]))\n"
    "    A[I] = E / np.sum(E)\nreturn A",
    "return np.apply_along_axis(lambda R: np.exp(R - R.max()) / np.exp(R - R.max()).sum(), 1, X)",
    "A = [[math.exp(y - max(R)) for y in R] for R in X]\n"
    "return np.array([[y / sum(R) for y in R] for R in A])",
)
FIRST = (
    "X = np.asarray(X, dtype=float)",
    "X = np.array(X, dtype=np.float64)",
    "if X.ndim == 1:\n    X = X[None, :]",
    "assert X.ndim == 2, 'a matrix is needed'",
    "N, W = X.shape",
    "X = X.astype(float).copy()",
)
SIZES = (
    "N, D = Q.shape",
    "N = Q.shape[0]\nW = K.shape[0]",
    "assert Q.shape[1] == K.shape[1]",
    "if K.shape[0] != V.shape[0]:\n    raise ValueError('keys and values')",
    "Q, K, V = np.asarray(Q), np.asarray(K), np.asarray(V)",
    "Q, K, V = (np.array(R, dtype=float) for R in (Q, K, V))",
    "Z = K.T\nN = len(Q)",
    "print('shapes', Q.shape, K.shape, V.shape)",
    "W = len(V)\nN = len(Q)\nassert W == len(K)",
)
LAST = (
    "if __name__ == '__main__':\n    print(softmax(np.eye(3)))\n",
    "if __name__ == '__main__':\n    np.random.seed(0)\n    Q = np.random.rand(3, 4)\n"
    "    print(scaled_dot_product_attention(Q, Q, Q))\n",
    "q = np.random.default_rng(7).normal(size=(2, 5))\nk = np.ones((3, 5))\n"
    "w, c = scaled_dot_product_attention(q, k, k)\nassert np.allclose(w.sum(axis=1), 1)\n",
    "for size in (1, 2, 10):\n    assert softmax(np.zeros((size, size)))[0, 0] == 1 / size\n",
    "def test():\n    assert abs(softmax(np.array([[1.0, 2.0]])).sum() - 1) < 1e-9\n\n\ntest()\n",
)
SCORES = (
    "S = Q @ K.T",
    "S = np.dot(Q, K.T)",
    "S = np.matmul(Q, K.transpose())",
    "S = np.einsum('id,jd->ij', Q, K)",
    "S = np.zeros((Q.shape[0], K.shape[0]))\nfor I in range(Q.shape[0]):\n    for J in range(K.shape[0]):\n"
    "        S[I, J] = np.dot(Q[I], K[J])",
    "S = np.array([[q @ k for k in K] for q in Q])",
    "S = (K @ Q.T).T",
    "S = np.tensordot(Q, K, axes=(1, 1))",
    "S = np.inner(Q, K)",
    "S = np.sum(Q[:, None, :] * K[None, :, :], axis=2)",
    "S = np.stack([K @ q for q in Q])",
)
SCALED = (
    "D = K.shape[-1]\nT = S / np.sqrt(D)",
    "D = Q.shape[1]\nT = S / D ** 0.5",
    "T = S / math.sqrt(K.shape[1])",
    "T = S * (1.0 / np.sqrt(len(K[0])))",
    "R = np.sqrt(K.shape[1])\nT = np.divide(S, R)",
    "D = K.shape[1]\nR = D ** -0.5\nT = R * S",
    "S /= np.sqrt(Q.shape[-1])\nT = S",
    "D = len(Q[0])\nR = math.sqrt(D)\nT = S / R",
)
OUTPUT = (
    "A = softmax(T)\nreturn A, A @ V",
    "A = softmax(T)\nC = np.dot(A, V)\nreturn A, C",
    "A = softmax(T)\nC = np.matmul(A, V)\nreturn (A, C)",
    "A = softmax(T)\nC = np.einsum('ij,jd->id', A, V)\nreturn A, C",
    "A = softmax(T)\nC = np.zeros((len(A), V.shape[1]))\nfor I in range(len(A)):\n"
    "    for J in range(len(V)):\n        C[I] += A[I, J] * V[J]\nreturn A, C",
    "A = softmax(T)\nC = np.array([sum(w * v for w, v in zip(R, V)) for R in A])\nreturn A, C",
)
CALLED = {
    "N": ("n", "n_q", "rows", "seq_len"),
    "W": ("cols", "n_k", "k_len", "width"),
    "Y": ("shifted", "diff", "centered"),
    "Z": ("total", "norm", "z", "denominator"),
    "A": ("weights", "attention", "attn", "attention_weights", "w", "probs", "P"),
    "C": ("context", "output", "out", "result", "context_vector", "y"),
    "D": ("d_k", "d", "dim", "dk", "depth"),
    "E": ("e", "exps", "exp_x", "powers", "e_x", "numerator"),
    "I": ("i", "row", "n"),
    "J": ("j", "col", "m"),
    "L": ("lse", "log_sum", "total"),
    "M": ("m", "biggest", "x_max", "largest"),
    "R": ("r", "line", "one"),
    "S": ("scores", "raw", "s", "dots", "sims", "logits"),
    "T": ("scaled", "scaled_scores", "t", "z"),
    "X": ("x", "x", "x", "scores", "matrix"),
}
SAID = (
    "# scores",
    "# subtract the max for numerical stability",
    "# scale by the square root of d_k",
    "# softmax over the keys",
    "# weighted sum of the values",
    "# Step 1: compute the scores",
    "# TODO done",
)


def answer(chance: random.Random) -> str:
    """One student's file."""
    names = {key: chance.choice(ways) for key, ways in CALLED.items()}
    margin = chance.choice(["    ", "    ", "  "])
    talks = chance.choice([0.0, 0.1, 0.4])

    def function(head: str, *parts: str) -> str:
        lines = []
        for line in "\n".join(parts).split("\n"):
            inner = len(line) - len(line.lstrip())
            if chance.random() < talks and not inner:
                lines.append(margin + chance.choice(SAID))
            text = re.sub(r"(?<!\.)\b[A-Z]\b", lambda match: names.get(match[0], match[0]), line.strip())
            lines.append(margin * (1 + inner // 4) + text)
        return head + "\n" + "\n".join(lines) + "\n"

    by_step = [chance.choice(ways) for ways in (LARGEST, POWERS, SUMS)]
    steps = chance.choice([by_step, by_step, [chance.choice(LOOPS)]])
    first, sizes = ([chance.choice(ways)] * (chance.random() < 0.5) for ways in (FIRST, SIZES))
    softmax = function(f"def softmax({names['X']}):", *first, *steps)
    parts = [chance.choice(ways) for ways in (SCORES, SCALED, OUTPUT)]
    attention = function("def scaled_dot_product_attention(Q, K, V):", *sizes, *parts)
    last = chance.choice(["", *LAST])
    return f"import math\nimport numpy as np\n\n\n{softmax}\n\n{attention}\n\n{last}"


def styles(count: int, seed: int = 0) -> dict[str, str]:
    """A class of students who have not seen each other's files."""
    chance = random.Random(seed)
    return {f"student{number:04}": answer(chance) for number in range(count)}
