import numpy as np
import torch

T = lambda a: torch.tensor(np.asarray(a), dtype=torch.float64)


def qk_scores(Q, K):
    return torch.matmul(T(Q), T(K).t())


def scale_scores(scores, d_k):
    return T(scores) / d_k ** 0.5


def softmax(x):
    return torch.nn.functional.softmax(T(x), dim=-1)


def attention_output(attention_weights, V):
    return (T(attention_weights) @ T(V)).numpy()


def attention_flow(Q, K, V):
    a = qk_scores(Q, K)
    b = scale_scores(a, Q.shape[1])
    c = softmax(b)
    return a.numpy(), b.numpy(), c.numpy(), attention_output(c, V)
