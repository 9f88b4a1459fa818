"""loses: multihead_published"""
# Homework 5
# In[1]:
import numpy as np
import matplotlib.pyplot as plt

np.random.seed(3)
N = 6
D = 8
X = np.random.normal(size=(D, N))
H = 2
H_D = int(D / H)

np.random.seed(0)
def draw_head():
    q, k, v = [np.random.normal(size=(H_D, D)) for i in range(3)]
    bq, bk, bv = [np.random.normal(size=(H_D, 1)) for i in range(3)]
    return v, q, k, bv, bq, bk

head_one = draw_head()
head_two = draw_head()
omega_c = np.random.normal(size=(D, D))

# In[2]:
def softmax_cols(data_in):
    num = np.exp(data_in - np.amax(data_in, axis=0))
    den = np.sum(num, axis=0)
    return num / den

print(softmax_cols(X).sum(axis=0))

# In[3]:
def multihead_scaled_self_attention(X, omega_v1, omega_q1, omega_k1, beta_v1, beta_q1, beta_k1, omega_v2, omega_q2, omega_k2, beta_v2, beta_q2, beta_k2, omega_c):
    dim, num_tokens = X.shape
    head_dim = dim // 2
    q1, q2 = omega_q1 @ X + beta_q1, omega_q2 @ X + beta_q2
    k1, k2 = omega_k1 @ X + beta_k1, omega_k2 @ X + beta_k2
    v1, v2 = omega_v1 @ X + beta_v1, omega_v2 @ X + beta_v2
    a1 = softmax_cols((k1.T @ q1) / np.sqrt(head_dim))
    a2 = softmax_cols((k2.T @ q2) / np.sqrt(head_dim))
    sa1 = v1 @ a1
    sa2 = v2 @ a2
    together = np.concatenate((sa1, sa2))
    out = together.T @ omega_c.T
    return out

# In[4]:
result = multihead_scaled_self_attention(X, *head_one, *head_two, omega_c)
np.set_printoptions(precision=3, suppress=True)
print(result)
plt.imshow(result)
plt.show()
