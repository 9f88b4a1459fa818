import torch
import torch.nn.functional as F


def softmax_cols(data_in):
    return torch.softmax(torch.tensor(data_in), dim=0).numpy()


def multihead_scaled_self_attention(X, *arrays):
    X, *arrays = [torch.tensor(a) for a in (X, *arrays)]
    heads = []
    for h in (0, 6):
        wv, wq, wk, bv, bq, bk = arrays[h:h + 6]
        v, q, k = (w @ X + b for w, b in ((wv, bv), (wq, bq), (wk, bk)))
        heads.append(F.scaled_dot_product_attention(q.T[None], k.T[None], v.T[None])[0].T)
    return arrays[-1] @ torch.cat(heads)
