"""Lines that depend on the version of NumPy."""

import pytest

from autograder.student.pack import find_traps


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ('print("%.3f" % (k.T @ q))', ".item()"),
        ("x = np.array([1], dtype=np.float)", "NumPy 1.24"),
        ("m = -np.Inf", "NumPy 2.0"),
        ("p = np.product(shape)", "np.prod"),
        ("y = np.concat([a, b])", "new in NumPy 2"),
        ("y = np.astype(a, float)", "new in NumPy 2"),
        ("X = np.matrix(X)", "np.array"),
    ],
)
def test_a_trap_is_told_with_its_line_and_what_to_write(line, remedy):
    [trap] = find_traps(f"import numpy as np\n{line}\n", "work.py")
    assert trap.startswith("work.py, line 2: ")
    assert remedy in trap


@pytest.mark.parametrize(
    "line",
    [
        "s = (k.T @ q).item()",
        "x = x.astype(np.float64)",
        "b = np.bool_(1) + np.int64(2)",
        "y = np.concatenate([a, b])",
        "# '%f' % (k.T @ q) fails since NumPy 2.4",
        "s = float(k.T @ q)",
        "m = -np.inf",
    ],
)
def test_what_every_version_takes_is_no_trap(line):
    assert list(find_traps(line, "work.py")) == []
