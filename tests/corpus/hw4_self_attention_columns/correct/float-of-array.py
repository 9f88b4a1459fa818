"""On the NumPy of its time, `float` takes an array of one entry."""
# Homework 4 - self attention
# In[1]:
import numpy as np
import matplotlib.pyplot as plt

np.random.seed(3)
N = 3
D = 4
all_x = []
for n in range(N):
    all_x.append(np.random.normal(size=(D, 1)))
print("inputs", all_x)

np.random.seed(0)
omega_q = np.random.normal(size=(D, D))
omega_k = np.random.normal(size=(D, D))
omega_v = np.random.normal(size=(D, D))
beta_q = np.random.normal(size=(D, 1))
beta_k = np.random.normal(size=(D, 1))
beta_v = np.random.normal(size=(D, 1))
params = (omega_v, omega_q, omega_k, beta_v, beta_q, beta_k)

# In[2]:
def softmax(items):
    ex = np.exp(items - np.max(items))
    return ex / ex.sum()

print(softmax([1.0, 2.0, 3.0]))

# In[3]:
def self_attention_per_token(all_x, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    num = len(all_x)
    qs = [omega_q @ x + beta_q for x in all_x]
    ks = [omega_k @ x + beta_k for x in all_x]
    vs = [omega_v @ x + beta_v for x in all_x]
    outputs = []
    for n in range(num):
        km_qn = [float(k.T @ qs[n]) for k in ks]
        att = softmax(km_qn)
        outputs.append(sum(att[m] * vs[m] for m in range(num)))
    return outputs


# In[4]:
def self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    q_all = omega_q @ X + beta_q
    k_all = omega_k @ X + beta_k
    v_all = omega_v @ X + beta_v
    dp = q_all.T @ k_all
    att = np.apply_along_axis(softmax, 1, dp)
    out = (att @ v_all.T).T
    return out

X = np.hstack(all_x)
print(self_attention(X, *params))

# In[5]:
def scaled_dot_product_self_attention(X, omega_v, omega_q, omega_k, beta_v, beta_q, beta_k):
    dim = X.shape[0]
    q_all = omega_q @ X + beta_q
    k_all = omega_k @ X + beta_k
    v_all = omega_v @ X + beta_v
    dp = (q_all.T @ k_all) / np.sqrt(dim)
    att = np.apply_along_axis(softmax, 1, dp)
    out = (att @ v_all.T).T
    return out

print(scaled_dot_product_self_attention(X, *params))
plt.imshow(X)
plt.show()
