"""What submissions that never end cost the rest of the class.

Run it with ``python -m benchmarks.hangs [SUBMISSIONS] [JOBS]``. Grades a class as it is, and with
every 33rd submission replaced by one whose functions never end, and compares what that takes longer with
the time of those submissions divided by the jobs. At the least, one of them runs at the very end.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from autograder.batch.graders import GraderPool
from autograder.batch.session import Plan
from autograder.course.course import find_course
from autograder.platforms.discover import find_submissions
from benchmarks.classroom import write_class

HOMEWORK = "hw1_attention_scores"
EVERY = 33
ENDLESS = "def qk_scores(Q, K):\n    while True:\n        pass\n"


def main(submissions: int = 300, jobs: int = 2) -> None:
    """Print the times and their ratio."""
    course = find_course(Path(__file__).parent)
    with tempfile.TemporaryDirectory() as folder:
        files = write_class(
            course.homework(HOMEWORK), Path(folder, "class"), submissions
        )
        before, _ = _grade(files[0].parent, jobs)
        for number, file in enumerate(files[::EVERY]):
            file.write_text(f"{ENDLESS}# {number}\n", encoding="utf-8")
        after, own_time = _grade(files[0].parent, jobs)
    slowed = after - before
    print(
        f"load of the machine {os.getloadavg()[0]:.1f}; {jobs} jobs; {submissions} submissions"
    )
    print(
        f"without: {before:.1f} s; with {len(files[::EVERY])} that never end: {after:.1f} s"
    )
    print(
        f"slower by {slowed:.1f} s; their own time / jobs {own_time / jobs:.1f} s;",
        f"ratio {slowed * jobs / own_time:.2f}",
    )


def _grade(folder: Path, jobs: int) -> tuple[float, float]:
    """Return the seconds of a class, and those of its submissions that ran out of time."""
    plan = Plan(find_course(Path(__file__).parent), 3, (HOMEWORK,))
    entries = find_submissions([folder]).submissions
    started = time.perf_counter()
    with GraderPool(plan, jobs) as graders:
        results = list(graders.grade(entries))
    seconds = time.perf_counter() - started
    late = [
        homework.seconds
        for result in results
        for homework in result.homeworks
        if homework.status == "time_limit"
    ]
    return seconds, sum(late)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
