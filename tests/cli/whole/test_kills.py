"""The driver is killed and started again: every submission once, grades as in an uninterrupted run."""

import sys

import pytest

from benchmarks.kills import try_kills


@pytest.mark.skipif(sys.platform != "linux", reason="worker processes end with their driver on Linux")
def test_a_class_survives_kills_of_its_driver(tmp_path):
    killed, differences = try_kills(tmp_path, kills=2, submissions=42)
    assert killed >= 1, "no kill came while a class was graded"
    assert differences == []
