"""What mutants call at run time: the text of this module stands below a solution."""

from typing import Any

import numpy as np

_applied: list[bool] = []


def was_applied() -> Any:
    """Return whether a helper had something to change since the last call."""
    applied = len(_applied) > 0
    _applied.clear()
    return np.array([applied])


def is_array(x: Any) -> bool:
    """Return whether a value is a NumPy array or a tensor."""
    return hasattr(x, "shape") and hasattr(x, "dtype")


def is_number(x: Any) -> bool:
    """Return whether a value is a plain number."""
    if isinstance(x, bool):
        return False
    return isinstance(x, (int, float))


def is_matrix(x: Any) -> bool:
    """Return whether a value is an array of two axes or more."""
    return is_array(x) and len(x.shape) >= 2


def transposed_if_square(x: Any) -> Any:
    """Transpose an array whose last two axes are equal."""
    if not is_matrix(x):
        return x
    *_, rows, columns = x.shape
    if rows < 2 or columns < 2:
        return x
    _applied.append(True)
    if rows == columns:
        return x.swapaxes(-1, -2)
    return x


def first_for_all(x: Any, axis: int) -> Any:
    """Repeat the first entry of an axis for all others."""
    if isinstance(x, list) and axis == 0:
        _applied.append(True)
        return x[:1] * len(x)
    if not is_matrix(x):
        return x
    axis_count = len(x.shape)
    if axis >= axis_count or x.shape[axis] < 2:
        return x
    _applied.append(True)
    everything = slice(None)
    first_entry = slice(0, 1)
    axes_before = (everything,) * axis
    first = x[(*axes_before, first_entry)]
    if hasattr(x, "expand"):
        return first.expand(x.shape)
    return np.broadcast_to(first, x.shape).copy()


def rounded_to_float16(x: Any) -> Any:
    """Round numbers to half precision; the type stays."""
    if isinstance(x, list):
        return [rounded_to_float16(item) for item in x]
    if not is_array(x) or "float" not in str(x.dtype):
        return x
    _applied.append(True)
    if hasattr(x, "half"):
        rounded = x.half()
        return rounded.to(x.dtype)
    rounded = x.astype(np.float16)
    return rounded.astype(x.dtype)


def detached(x: Any) -> Any:
    """Cut a tensor off from its gradients."""
    if not getattr(x, "requires_grad", False):
        return x
    _applied.append(True)
    return x.detach()


def ones_of(x: Any) -> Any:
    """Return ones like a value."""
    if isinstance(x, list):
        return [ones_of(item) for item in x]
    if is_number(x):
        _applied.append(True)
        return 1
    if not is_array(x):
        return x
    zeros = zeros_of(x)
    if "bool" in str(x.dtype):
        return ~zeros
    return zeros + 1


def zeros_of(x: Any) -> Any:
    """Return zeros like a value."""
    if isinstance(x, list):
        return [zeros_of(item) for item in x]
    if not is_array(x) and not is_number(x):
        return x
    _applied.append(True)
    if is_number(x):
        return 0
    if "bool" in str(x.dtype):
        return x != x
    if isinstance(x, (np.ndarray, np.generic)):
        return np.zeros_like(x)
    return x * 0


def copied_and_overwritten(x: Any) -> Any:
    """Return a copy of an array, and overwrite the array itself."""
    if isinstance(x, list):
        return [copied_and_overwritten(item) for item in x]
    if not is_array(x) or len(x.shape) == 0:
        return x
    _applied.append(True)
    if hasattr(x, "detach"):
        copy = x.clone()
        x.data[...] = x.data == 0
    else:
        copy = np.array(x)
        x[...] = x == 0
    return copy


def without_first(items: Any) -> Any:
    """Return all items but the first."""
    _applied.append(True)
    return list(items)[1:]


def without_last(items: Any) -> Any:
    """Return all items but the last."""
    _applied.append(True)
    return list(items)[:-1]


def only_first(items: Any) -> Any:
    """Return the first item."""
    _applied.append(True)
    return list(items)[:1]
