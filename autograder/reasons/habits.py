"""Tables of what students know from other libraries, with what to write instead."""

from __future__ import annotations

from collections.abc import Mapping

NUMPY_FOR_METHOD: Mapping[str, str] = {
    "softmax": "write it with `np.exp`, or call the softmax that you have written",
    "unsqueeze": "`x[..., None]` gives an array a further axis, and `keepdims=True` keeps the axis of a sum",
    "permute": "use `np.transpose(x, (…))` with the same numbers",
    "t": "use `.T`",
    "masked_fill": "use `np.where(mask, value, x)`",
    "masked_fill_": "use `np.where(mask, value, x)`",
    "expand": "use `np.broadcast_to(x, shape)`",
    "contiguous": "leave it out",
    "detach": "leave it out: a NumPy array has no gradients",
    "numpy": "leave it out: this is a NumPy array already",
    "cpu": "leave it out",
    "cuda": "leave it out",
    "to": "leave it out, or use `.astype(dtype)`",
    "float": "use `.astype(float)`",
    "double": "use `.astype(float)`",
    "long": "use `.astype(int)`",
    "clone": "use `.copy()`",
    "exp": "use `np.exp(x)`",
    "sqrt": "use `np.sqrt(x)`",
    "tril": "use `np.tril(x)`",
    "triu": "use `np.triu(x)`",
    "matmul": "use `a @ b`",
    "mm": "use `a @ b`",
    "bmm": "use `a @ b`",
    "dim": "use `.ndim`",
    "requires_grad": "a NumPy array has no gradients",
    "requires_grad_": "a NumPy array has no gradients",
    "amax": "use `.max(axis=…)`",
    "unflatten": "use `.reshape(…)`",
    "flip": "use `np.flip(x)`",
}
"""What to write for a method of torch's tensors that NumPy's arrays do not have."""

NUMPY_FOR_FUNCTION: Mapping[str, str] = {
    "softmax": "NumPy has no softmax: write it with `np.exp`, or call the one that you have written",
    "sigmoid": "NumPy has no sigmoid: write it with `np.exp`",
    "relu": "NumPy has no ReLU: use `np.maximum(x, 0)`",
    "tensor": "NumPy calls it `np.array`",
    "Tensor": "NumPy calls it `np.array`",
    "cat": "NumPy calls it `np.concatenate`",
    "bmm": "NumPy writes it `a @ b`",
    "mm": "NumPy writes it `a @ b`",
    "unsqueeze": "NumPy calls it `np.expand_dims`",
    "masked_fill": "NumPy writes it `np.where(mask, value, x)`",
    "permute": "NumPy calls it `np.transpose`",
}
"""What to write for a function of torch that is looked for in NumPy."""

TORCH_FOR_METHOD: Mapping[str, str] = {
    "astype": "use `.to(dtype)`, such as `.to(torch.float32)`",
    "copy": "use `.clone()`",
}
"""What to write for a method of NumPy's arrays that tensors do not have."""

IMPORT_OF: Mapping[str, str] = {
    "np": "`np` is not imported: put `import numpy as np` at the top of your file",
    "numpy": "`numpy` is not imported: put `import numpy` at the top of your file",
    "math": "`math` is not imported: put `import math` at the top of your file",
    "torch": "`torch` is not imported: put `import torch` at the top of your file",
    "nn": "`nn` is not imported: put `from torch import nn` at the top of your file",
    "F": (
        "`F` is not imported: `import torch.nn.functional as F` would do that. Its functions take "
        "tensors; for NumPy arrays write the function yourself"
    ),
    "sqrt": "`sqrt` belongs to a library: write `np.sqrt(…)`, or `math.sqrt(…)` for a plain number",
    "exp": "`exp` belongs to a library: write `np.exp(…)`, or `torch.exp(…)` for a tensor",
    "softmax": "There is no `softmax` in Python: call one that you have written, by its name",
}
"""How names that nearly every program imports come into a file."""

INSTEAD_OF_LIBRARY: Mapping[str, str] = {
    "scipy": "For `scipy.special.softmax` write the exponentials and their sum with `np.exp` and `.sum`",
    "einops": "For `rearrange` use `.reshape` and then `.swapaxes`; for its `einsum` use `np.einsum`",
    "sklearn": "Its measures are a few lines of NumPy: products with `@`, lengths with `np.sqrt` and `.sum`",
    "tensorflow": "Use NumPy: `tf.matmul` is `@`, `tf.transpose` is `.T` or `.swapaxes`",
    "keras": "Use the library that the handout names: what you need of layers is a few products with `@`",
    "torchvision": "Pictures and data sets are not needed here: leave the import out",
    "torchtext": "Texts and data sets are not needed here: leave the import out",
    "transformers": "Write the attention yourself, with the library that the handout names",
    "datasets": "Data sets are not needed here: leave the import out",
    "jax": "Use NumPy: `jnp.…` is `np.…`, and `jax.nn.softmax` is written with `np.exp`",
    "cupy": "Use NumPy: the grader has no GPU",
    "numba": "Leave it out, with its decorators: NumPy is fast enough here",
    "pandas": "Use NumPy arrays instead of data frames; a table that is only shown can go",
    "sympy": "Use numbers and NumPy instead of symbols",
    "cv2": "Pictures are not needed here: leave the import out",
    "PIL": "Pictures are not needed here: leave the import out",
    "graphviz": "Leave it out, with what it draws",
    "torchviz": "Leave it out, with what it draws",
    "torchinfo": "Leave it out, with what it shows",
    "torchsummary": "Leave it out, with what it shows",
    "bertviz": "Leave it out, with what it draws",
}
"""What to do without a library that is not there when work is graded."""
