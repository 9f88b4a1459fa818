import torch


def split_heads(X, n_heads):
    d = len(X[0][0]) // n_heads
    return [[[list(t[h * d : h * d + d]) for t in one] for h in range(n_heads)] for one in X.tolist()]


def merge_heads(X):
    return torch.tensor(X).permute(0, 2, 1, 3).flatten(start_dim=2)


class Attention(torch.nn.Module):
    def forward(self, X, W_q, W_k, W_v, W_o, use, mask):
        split = lambda W, n: torch.stack((X @ W).split((X @ W).shape[-1] // n, -1), 1)
        Q, K, V = split(W_q, len(use)), split(W_k, max(use) + 1)[:, use], split(W_v, max(use) + 1)[:, use]
        scores = Q @ K.mT / Q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        return merge_heads((scores.softmax(-1) @ V).numpy()) @ W_o


def multihead_attention(X, W_q, W_k, W_v, W_o, n_heads, mask=None):
    return grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_heads, mask)


def grouped_query_attention(X, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=None):
    use = torch.arange(n_heads) // (n_heads // n_kv_heads)
    given = (None if one is None else torch.as_tensor(one) for one in (X, W_q, W_k, W_v, W_o))
    with torch.no_grad():
        return Attention()(*given, use.tolist(), mask if mask is None else torch.as_tensor(mask))
