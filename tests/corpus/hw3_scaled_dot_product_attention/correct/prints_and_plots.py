import numpy as np
import matplotlib.pyplot as plt
import seaborn as sns

np.set_printoptions(precision=3)
rng = np.random.default_rng(1)


def softmax(x):
    print("softmax of", x.shape)
    x_max = np.max(x, axis=1).reshape(-1, 1)
    e_x = np.exp(x - x_max)
    print("sums:", e_x.sum(axis=1))
    return e_x / e_x.sum(axis=1).reshape(-1, 1)


def scaled_dot_product_attention(Q, K, V):
    print(Q, K, V, sep="\n")
    scores = Q @ K.T
    print("scores", scores)
    scores = scores / np.sqrt(K.shape[1]); print("scaled", scores)
    w = softmax(scores)
    sns.heatmap(w)
    plt.title("attention")
    plt.show()
    print("context", w @ V)
    return (w, w @ V)


for _ in range(3):
    scaled_dot_product_attention(rng.normal(size=(2, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 2)))
