import numpy as np


def softmax(x):
    y = np.exp(np.array(x) - max(x))
    return y / sum(y)


def self_attention_per_token(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
    ks = [W_key @ token + b_key for token in inputs]
    vs = [W_value @ token + b_value for token in inputs]
    results = []
    for token in inputs:
        q = W_query @ token + b_query
        mix = softmax([np.dot(k.ravel(), q.ravel()) for k in ks])
        results.append(np.tensordot(mix, np.array(vs), axes=1))
    return results


def self_attention(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
    key_side, query_side = W_key @ inputs + b_key, W_query @ inputs + b_query
    mix = np.apply_along_axis(softmax, axis=0, arr=key_side.T @ query_side)
    return (W_value @ inputs + b_value) @ mix


def scaled_dot_product_self_attention(inputs, W_value, W_query, W_key, b_value, b_query, b_key):
    # scaling the queries scales the scores
    root = np.sqrt(inputs.shape[0])
    return self_attention(inputs, W_value, W_query / root, W_key, b_value, b_query / root, b_key)
