# exported from my notebook; the per-token part is done in the cells, not in a function
import numpy as np

np.random.seed(3)
tokens = [np.random.normal(size=(4, 1)) for _ in range(3)]
np.random.seed(0)
W_q, W_k, W_v = (np.random.normal(size=(4, 4)) for _ in range(3))
b_q, b_k, b_v = (np.random.normal(size=(4, 1)) for _ in range(3))


def softmax(items):
    e = np.exp(items - np.max(items))
    return e / e.sum()


all_queries = [W_q @ x + b_q for x in tokens]
all_keys = [W_k @ x + b_k for x in tokens]
all_values = [W_v @ x + b_v for x in tokens]

all_x_prime = []
for q_n in all_queries:
    attention = softmax([(k_m.T @ q_n).item() for k_m in all_keys])
    all_x_prime.append(sum(a * v for a, v in zip(attention, all_values)))
print(all_x_prime)


def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    values = omega_v @ X + beta_v
    queries = omega_q @ X + beta_q
    keys = omega_k @ X + beta_k
    return values @ np.apply_along_axis(softmax, 0, keys.T @ queries)


def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    values = omega_v @ X + beta_v
    queries = omega_q @ X + beta_q
    keys = omega_k @ X + beta_k
    return values @ np.apply_along_axis(softmax, 0, keys.T @ queries / np.sqrt(keys.shape[0]))
