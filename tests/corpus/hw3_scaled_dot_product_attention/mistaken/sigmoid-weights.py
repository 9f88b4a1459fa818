"""loses: softmax_published, softmax_sizes, softmax_large, softmax_unchanged, scaled_dot_product_attention_published"""
import numpy as np


def softmax(x):
    return 1 / (1 + np.exp(-x))


def scaled_dot_product_attention(Q, K, V):
    attn = softmax(Q @ K.T / np.sqrt(Q.shape[-1]))
    return attn, attn @ V
