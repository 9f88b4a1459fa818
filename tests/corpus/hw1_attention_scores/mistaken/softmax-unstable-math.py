"""loses: softmax_large"""
import math

import numpy


def qk_scores(Q, K):
    return numpy.array([[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q])


def scale_scores(scores, d_k):
    return scores / math.sqrt(d_k)


def softmax(x):
    table = []
    for line in x:
        e = []
        for number in line:
            e.append(math.exp(number))
        table.append([one / sum(e) for one in e])
    return numpy.array(table)


def attention_output(attention_weights, V):
    return numpy.array([[sum(w * v for w, v in zip(row, column)) for column in V.T] for row in attention_weights])


def attention_flow(Q, K, V):
    s = qk_scores(Q, K)
    t = scale_scores(s, K.shape[1])
    w = softmax(t)
    return s, t, w, attention_output(w, V)
