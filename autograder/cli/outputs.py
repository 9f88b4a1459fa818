"""The output folder of a batch: what is written into it, and what leaves it again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from autograder.exports.write import write_class, write_submission
from autograder.grading.results import SubmissionResult
from autograder.homework.model import Homework

SUBMISSIONS = "submissions"
WRITTEN = ("results.json", "feedback.html")


def write_outputs(
    folder: Path, homeworks: Sequence[Homework], results: Sequence[SubmissionResult], *, all_count: bool
) -> None:
    """Write the class's files, and those of submissions where somebody has deleted them.

    The maximum counts the homeworks that anyone handed in, or with ``all_count`` all that were asked for.
    """
    for result in results:
        if not all((folder / SUBMISSIONS / result.name / name).is_file() for name in WRITTEN):
            write_submission(folder, result)
    handed_in = {one.homework for result in results for one in result.homeworks}
    counted = [one for one in homeworks if all_count or not handed_in or one.id in handed_in]
    maximum = sum(one.points for one in counted)
    write_class(folder, results, [one.id for one in homeworks], maximum)


def forget_outputs(folder: Path, names: Collection[str]) -> None:
    """Remove what was written for submissions other than these, and nothing that others put there."""
    for own in list(_folders(folder / SUBMISSIONS)):
        if own.name in names:
            continue
        for name in WRITTEN:
            (own / name).unlink(missing_ok=True)
        if not any(own.iterdir()):
            own.rmdir()


def _folders(folder: Path) -> Iterator[Path]:
    found = folder.iterdir() if folder.is_dir() else ()
    yield from (path for path in found if path.is_dir() and not path.is_symlink())
