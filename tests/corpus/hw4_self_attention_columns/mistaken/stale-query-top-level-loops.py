"""loses: per_token_published, per_token_sizes, per_token_unchanged"""
# In[1]: the example of the exercise
import numpy as np

np.random.seed(3)
N, D = 3, 4
all_x = [np.random.normal(size=(D, 1)) for n in range(N)]
np.random.seed(0)
omega_q, omega_k, omega_v = [np.random.normal(size=(D, D)) for _ in "qkv"]
beta_q, beta_k, beta_v = [np.random.normal(size=(D, 1)) for _ in "qkv"]

# In[2]: everything token by token, in plain loops
all_queries, all_keys, all_values = [], [], []
for x in all_x:
    query = omega_q @ x + beta_q
    key = omega_k @ x + beta_k
    value = omega_v @ x + beta_v
    all_queries.append(query)
    all_keys.append(key)
    all_values.append(value)


def softmax(items):
    shifted = np.exp(np.asarray(items) - np.max(items))
    return shifted / np.sum(shifted)


# In[3]: the outputs
all_x_prime = []
for n in range(N):
    dots = np.zeros(N)
    for m in range(N):
        dots[m] = (all_keys[m] * query).sum()
    attention = softmax(dots)
    x_prime = np.zeros((D, 1))
    for m in range(N):
        x_prime += attention[m] * all_values[m]
    all_x_prime.append(x_prime)

# In[4]: and in one go
def self_attention(X, W_v, W_q, W_k, b_v, b_q, b_k):
    mixed = np.zeros(X.shape)
    S = (W_k @ X + b_k).T @ (W_q @ X + b_q)
    for column in range(X.shape[1]):
        mixed[:, column] = (W_v @ X + b_v) @ softmax(S[:, column])
    return mixed

def scaled_dot_product_self_attention(X, W_v, W_q, W_k, b_v, b_q, b_k):
    S = (W_k @ X + b_k).T @ (W_q @ X + b_q) / X.shape[0] ** 0.5
    return (W_v @ X + b_v) @ np.stack([softmax(column) for column in S.T], axis=1)

print(np.allclose(np.hstack(all_x_prime), self_attention(np.hstack(all_x), omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)))
