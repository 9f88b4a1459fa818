"""Slow tests of the same subject as ``test_grade``, for CI and `make test WHOLE=1`."""

import subprocess
import sys


def test_as_a_program_it_writes_no_escape_codes_where_no_terminal_is(course, tmp_path):
    entry = course.root / "tests" / "sample_class" / "kavya"
    command = [sys.executable, "-m", "autograder", "grade", str(entry / "attention_scores.py"), "--unsafe"]
    result = subprocess.run(
        [*command, "--out", str(tmp_path / "graded")], cwd=course.root, capture_output=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert b"\x1b" not in result.stdout + result.stderr
    assert b"attention_scores" in result.stderr
    assert b"20/20 hw1\n" in result.stderr
