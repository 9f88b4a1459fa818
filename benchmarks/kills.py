"""Kill the driver with SIGKILL at random moments, resume each time, and compare with an uninterrupted run.

Run it with ``python -m benchmarks.kills [KILLS] [SUBMISSIONS]`` (30 kills over a class of 200 by
default, some minutes); a small version is one of the tests. A moment is a number of graded submissions and a
fraction of a second after it, so that the kills spread over the whole class: some come before the first
grade of a run, some in the middle of writing one.
"""

from __future__ import annotations

import contextlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE

from autograder.course.course import find_course
from autograder.gradebook.opening import FILE_NAME
from autograder.report.exports import GRADES, RESULTS, SUBMISSIONS
from benchmarks.classroom import write_class

ROOT = Path(__file__).resolve().parents[1]
HOMEWORK = "hw1_attention_scores"
LONGEST_DELAY = 0.1
LAST = 20
"""So many submissions before the end comes the last kill, or the run would be over first."""
SECONDS = 1800  # far more than any run takes; only so that a hanging one fails


@dataclass(frozen=True)
class Trial:
    """One class in ``folder/class``, and where the uninterrupted and the killed runs write."""

    folder: Path
    jobs: int = 2

    def start(self, out: str) -> subprocess.Popen[str]:
        """Start grading, or go on with it."""
        where = [str(self.folder / "class"), "--out", str(self.folder / out)]
        options = [
            "--homework",
            HOMEWORK,
            "--seed",
            "7",
            "--jobs",
            str(self.jobs),
            "--unsafe",
        ]
        command = [sys.executable, "-m", "autograder", "grade", *where, *options]
        return subprocess.Popen(command, cwd=ROOT, stdout=PIPE, stderr=PIPE, text=True)

    def finish(self, out: str) -> str:
        """Grade to the end; return what was said on the way."""
        process = self.start(out)
        output, trouble = process.communicate(timeout=SECONDS)
        if process.returncode:
            raise RuntimeError(
                f"exit status {process.returncode}:\n{trouble[-2000:]}{output[-2000:]}"
            )
        return trouble

    def kill(self, out: str, after: int, delay: float) -> bool:
        """Start, wait for some new grades and a moment more, and kill; False if it had already ended."""
        process = self.start(out)
        graded = (line for line in process.stderr or () if line.startswith("student_"))
        for _ in range(after):
            next(graded, None)
        time.sleep(delay)
        running = process.poll() is None
        process.kill()
        process.communicate()
        return running

    def differences(self) -> Iterator[str]:
        """Name what is not as in the uninterrupted run."""
        whole, killed = self.folder / "whole", self.folder / "killed"
        names = self.rows("killed")
        if names != self.rows("whole"):
            yield f"rows of the gradebook: {len(names)} ({len(set(names))} names)"
        files = [GRADES, *(f"{SUBMISSIONS}/{name}/{RESULTS}" for name in names)]
        yield from (
            file
            for file in files
            if (whole / file).read_bytes() != (killed / file).read_bytes()
        )

    def graded(self, out: str) -> int:
        """How many submissions have a grade so far."""
        return len(self.rows(out)) if (self.folder / out / FILE_NAME).is_file() else 0

    def rows(self, out: str) -> list[str]:
        """The names in a gradebook; none where a kill came before its tables were made."""
        with contextlib.closing(sqlite3.connect(self.folder / out / FILE_NAME)) as book:
            if not book.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'submissions'"
            ).fetchone():
                return []
            return [
                name
                for (name,) in book.execute(
                    "SELECT name FROM submissions ORDER BY name"
                )
            ]


def try_kills(
    folder: Path, kills: int, submissions: int, seed: int = 1
) -> tuple[int, list[str]]:
    """Return how many runs were really killed, and what differs in the end."""
    write_class(find_course(ROOT).homework(HOMEWORK), folder / "class", submissions)
    trial = Trial(folder)
    trial.finish("whole")
    moments = random.Random(seed)
    killed = 0
    for goal in sorted(moments.randrange(submissions - LAST) for _ in range(kills)):
        after = max(0, goal - trial.graded("killed"))
        killed += trial.kill("killed", after, moments.uniform(0, LONGEST_DELAY))
    trial.finish("killed")
    return killed, list(trial.differences())


def main(kills: int = 30, submissions: int = 200) -> None:
    """Print what came of it; exit status 1 when anything differs."""
    with tempfile.TemporaryDirectory() as folder:
        killed, differences = try_kills(Path(folder), kills, submissions)
    print(
        f"{killed} of {kills} runs killed over {submissions} submissions; {len(differences)} differences"
    )
    print("\n".join(differences))
    sys.exit(bool(differences))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
