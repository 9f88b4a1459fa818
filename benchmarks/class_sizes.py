"""Cost per submission and the driver's memory, from a small class to a large one.

Run it with ``python -m benchmarks.class_sizes [SIZE]...`` (100, 1000 and 10000 by default). Each size
is graded by a driver of its own. Processor time is that of the driver; workers and sandboxes see one
submission at a time and know of no class. ``make bench FULL=1`` measures all of them together.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.course import find_course
from benchmarks.classroom import write_class

ROOT = Path(__file__).resolve().parents[1]
HOMEWORK = "hw1_attention_scores"
PROGRAM = """
import json, os, resource, sys, time
from autograder.cli.app import main

started = time.perf_counter()
try:
    main()
except SystemExit as leaving:
    status = leaving.code
used = resource.getrusage(resource.RUSAGE_SELF)
seconds = time.perf_counter() - started
cpu = used.ru_utime + used.ru_stime
os.write(3, json.dumps([status or 0, seconds, cpu, used.ru_maxrss / 1024]).encode())
"""


def main(sizes: list[int]) -> None:
    """Print one line per size; the last column is the driver's time per submission against the first size."""
    first = None
    print("submissions  s/submission  driver ms/submission  driver peak MB  ratio")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_class(find_course(ROOT).homework(HOMEWORK), Path(folder, "class"), size)
            seconds, cpu, peak = _grade(Path(folder))
        first = first or cpu / size
        ratio = cpu / size / first
        print(f"{size:11}  {seconds / size:12.4f}  {cpu / size * 1e3:20.2f}  {peak:14.0f}  {ratio:5.2f}")


def _grade(folder: Path) -> tuple[float, float, float]:
    where = ["grade", str(folder / "class"), "--out", str(folder / "graded"), "--homework", HOMEWORK]
    told = folder / "told.json"
    command = f'exec "$0" -c "$1" "${{@:2}}" 3> "{told}"'
    options = ["--seed", "7", "--jobs", "2", "--unsafe"]
    subprocess.run(
        ["bash", "-c", command, sys.executable, PROGRAM, *where, *options],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    status, seconds, cpu, peak = json.loads(told.read_text("utf-8"))
    if status:
        raise RuntimeError(f"exit status {status}")
    return seconds, cpu, peak


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [100, 1000, 10000])
