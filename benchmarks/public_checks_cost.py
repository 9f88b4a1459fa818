"""What the public checks cost a student: `pytest` in a released folder beside bare pytest on an empty test.

Give it a Python that has pytest and NumPy alone (``python -m venv v; v/bin/pip install numpy pytest``):
``.venv/bin/python -m benchmarks.public_checks_cost v/bin/python``. The two take turns; the ratio of
each pair is what counts, for times alone say more about the machine.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from released import HW1, unzip
from submissions import mistaken_text

PAIRS = 15


def seconds(python: str, folder: Path) -> tuple[float, float]:
    """Run pytest in a folder; return wall-clock and processor seconds."""
    environment = {
        key: text
        for key, text in os.environ.items()
        if key != "PYTHONDONTWRITEBYTECODE"
    }
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [python, "-m", "pytest"],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )
    wall, after = (
        time.perf_counter() - started,
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(python: str) -> None:
    """Print the ratios of the pairs."""
    with tempfile.TemporaryDirectory() as top:
        folder, bare = unzip(HW1, Path(top, HW1)), Path(top, "bare")
        text = mistaken_text(HW1, "softmax-over-queries")
        (folder / "attention_scores.py").write_text(text, "utf-8")
        bare.mkdir()
        (bare / "test_nothing.py").write_text(
            "def test_nothing():\n    pass\n", "utf-8"
        )
        pairs = [
            (seconds(python, folder), seconds(python, bare)) for _ in range(PAIRS + 1)
        ][1:]
    for name, index in (("wall clock", 0), ("processor", 1)):
        ratios = [ours[index] / theirs[index] for ours, theirs in pairs]
        print(
            f"{name}: {statistics.median(ratios):.2f} times bare pytest ({min(ratios):.2f}–{max(ratios):.2f})"
        )


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]))  # pytest is run in other folders
