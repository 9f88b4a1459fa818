"""Sparse arrays of SciPy. It is installed for these tests only: submissions are told that it is not there."""

import subprocess
import sys

import numpy as np
import pytest
from container import PROJECT

from autograder.worker.composites import put_together

from ..test_kinds import case_of, complaint, crossed


@pytest.fixture(scope="module")
def scipy_sparse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scipy")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--no-deps", "--target", folder]
    subprocess.run([*pip, "--constraint", PROJECT / "constraints.txt", "scipy"], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        import scipy.sparse

        yield scipy.sparse
    for name in list(sys.modules):
        if name.partition(".")[0] == "scipy":
            del sys.modules[name]


@pytest.mark.parametrize("array", [[[0.0, 2.0], [0.0, 0.0]], [0.0, 3.0, 1.0]])
@pytest.mark.parametrize("form", ["coo_array", "csr_array", "coo_matrix"])
def test_a_sparse_array_is_put_together_as_it_was(scipy_sparse, form, array):
    sparse = getattr(scipy_sparse, form)(np.array(array))
    together = put_together(crossed(sparse))
    assert np.array_equal(together.todense(), sparse.todense())
    assert complaint(case_of(sparse), sparse) == ""
