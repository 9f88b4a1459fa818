"""The staff's report: a table of the class, and the details, on pages of their own for large classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from autograder.judging import SubmissionResult
from autograder.records.pages import page, points_of

PER_PAGE = 200
"""Details of one submission are about 10 kB: a page of them stays one that a browser opens at once."""
PAGES = "report"


def write_report(
    path: Path, results: Iterable[SubmissionResult], homeworks: Sequence[str], maximum: float
) -> None:
    """Write the staff's page: everyone's points, the most frequent mistakes, and all details.

    Details of more than 200 submissions go to numbered pages in the folder ``report`` beside it. The results
    are sorted by name and iterated twice, so that a class of any size needs little memory.
    """
    rows: list[dict[str, object]] = []  # all that is held in memory of the submissions' results
    statuses, mistakes = Counter[str](), Counter[str]()
    for result in results:
        found = [result.homework(homework) for homework in homeworks]
        points = tuple("" if one is None else points_of(one.earned) for one in found)
        status, total = str(result.status), points_of(result.earned)
        rows.append({"name": result.name, "status": status, "points": points, "total": total})
        statuses[status] += 1
        for one in result.homeworks:  # each misconception once per homework that it was found in
            mistakes.update({name for check in one.checks for name in check.misconceptions[:1]})
    paged = len(rows) > PER_PAGE
    _write_pages(path.parent / PAGES, results if paged else ())
    page(
        path,
        "report.html",
        rows=rows,
        statuses=statuses,
        misconceptions=mistakes.most_common(),
        homeworks=homeworks,
        maximum=maximum,
        link=lambda number: (
            f"{PAGES}/{(number - 1) // PER_PAGE + 1}.html#s{number}" if paged else f"#s{number}"
        ),
        details=() if paged else enumerate(results, 1),
    )


def _write_pages(folder: Path, results: Iterable[SubmissionResult]) -> None:
    """Write the details page by page; remove pages of a larger class, but nothing that others put there."""
    numbered = enumerate(results, 1)
    written: set[str] = set()
    while details := list(islice(numbered, PER_PAGE)):
        folder.mkdir(exist_ok=True)
        written.add(f"{len(written) + 1}.html")
        page(folder / f"{len(written)}.html", "report_page.html", details=details)
    for path in list(folder.glob("*.html")):
        if path.stem.isdecimal() and path.name not in written:
            path.unlink()
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
