"""``autograder new`` for PyTorch, which takes far longer to load than NumPy."""

from ..running import run
from ..test_new import begin


def test_a_new_homework_for_torch_passes_at_once(tmp_path):
    course, result = begin(tmp_path, "torch")
    assert (result.exit, result.err) == (0, "")
    assert run("check", "--course", course.root).exit == 0
