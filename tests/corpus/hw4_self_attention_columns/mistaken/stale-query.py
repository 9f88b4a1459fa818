"""loses: per_token_published, per_token_sizes, per_token_unchanged"""
import math
import numpy as np

def softmax(items):
    biggest = max(items)
    exps = []
    for item in items:
        exps.append(math.exp(item - biggest))
    total = 0
    for e in exps:
        total = total + e
    weights = np.zeros(len(items))
    for i in range(len(items)):
        weights[i] = exps[i] / total
    return weights

def dot(a, b):
    total = 0
    for i in range(len(a)):
        total = total + a[i] * b[i]
    return total

def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    N = len(all_x)
    q_list = []
    k_list = []
    v_list = []
    for n in range(N):
        q = omega_q.dot(all_x[n]) + beta_q
        k = omega_k.dot(all_x[n]) + beta_k
        v = omega_v.dot(all_x[n]) + beta_v
        q_list.append(q)
        k_list.append(k)
        v_list.append(v)
    all_x_prime = []
    for n in range(N):
        scores = []
        for m in range(N):
            scores.append(dot(k_list[m][:, 0], q[:, 0]))
        attention = softmax(scores)
        out = 0
        for m in range(N):
            out = out + attention[m] * v_list[m]
        all_x_prime.append(out)
    return all_x_prime

def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    D = X.shape[0]
    N = X.shape[1]
    Q = omega_q.dot(X) + beta_q
    K = omega_k.dot(X) + beta_k
    V = omega_v.dot(X) + beta_v
    X_prime = np.zeros((D, N))
    for n in range(N):
        scores = []
        for m in range(N):
            scores.append(dot(K[:, m], Q[:, n]))
        attention = softmax(scores)
        for m in range(N):
            X_prime[:, n] = X_prime[:, n] + attention[m] * V[:, m]
    return X_prime

def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    D = X.shape[0]
    N = X.shape[1]
    Q = omega_q.dot(X) + beta_q
    K = omega_k.dot(X) + beta_k
    V = omega_v.dot(X) + beta_v
    out = np.zeros((D, N))
    for n in range(N):
        scores = []
        for m in range(N):
            scores.append(dot(K[:, m], Q[:, n]) / math.sqrt(D))
        attention = softmax(scores)
        for m in range(N):
            out[:, n] = out[:, n] + attention[m] * V[:, m]
    return out
