"""Wrong answers to hw2 in styles that differ from the edits in misconceptions.toml."""

import numpy as np, math, torch
import torch.nn.functional as F


def self_attention_numpy__torch_on_numpy_transpose(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.transpose(-2, -1) / np.sqrt(K.shape[-1])
    e = np.exp(s)
    w = e / e.sum(axis=-1, keepdims=True)
    return w, w @ V


def self_attention_numpy__softmax_over_queries_copied(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    e = np.exp(s - np.max(s))
    w = e / e.sum(axis=0)
    return w, w @ V


def self_attention_numpy__torch_on_numpy_softmax(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    w = F.softmax(s, dim=-1)
    return w, w @ V


def self_attention_numpy__no_softmax_at_all(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_large"""
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    w = s
    return w, w @ V


def self_attention_numpy__mask_as_index_with_a_batch(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    Q, K, V = project_qkv(X, W_q, W_k, W_v)
    s = Q @ K.T / np.sqrt(K.shape[-1])
    s[np.triu(np.ones((1, len(X), len(X))), k=1) == 1] = -np.inf
    w = np.exp(s) / np.sum(np.exp(s), axis=1, keepdims=True)
    return w, w @ V


def self_attention_numpy__returns_ones_stub(X, W_q, W_k, W_v):
    """loses: self_attention_numpy_published, self_attention_numpy_weights, self_attention_numpy_output,
    self_attention_numpy_large, self_attention_numpy_unchanged
    """
    return np.ones((len(X), len(X))), np.ones((len(X), W_v.shape[1]))


def self_attention_torch__numpy_on_torch_maximum(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    s = Q @ K.T / math.sqrt(K.shape[-1])
    e = torch.exp(s - torch.max(s, dim=1, keepdim=True))
    return (e / e.sum(dim=1, keepdim=True)) @ V


def self_attention_torch__no_softmax_at_all(X, W_q, W_k, W_v):
    """loses: self_attention_torch_published, self_attention_torch_sizes, self_attention_torch_gradients,
    self_attention_torch_large
    """
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    w = Q @ K.T / math.sqrt(K.shape[-1])
    return w @ V


def project_qkv__torch_on_numpy_matmul(X, W_q, W_k, W_v):
    """loses: project_qkv_published, project_qkv_sizes, self_attention_numpy_published,
    self_attention_numpy_weights, self_attention_numpy_output, self_attention_numpy_large,
    self_attention_numpy_unchanged
    """
    return torch.matmul(X, W_q), torch.matmul(X, W_k), torch.matmul(X, W_v)
