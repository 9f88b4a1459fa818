"""The report of a class too large for one page."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from results import homework, submission

from autograder.judging.results import SubmissionResult
from autograder.records import pages as report_module
from autograder.records.pages import write_report


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "PER_PAGE", 2)


def results(count: int) -> list[SubmissionResult]:
    return [submission(f"student-{number}", homework(output=f"printed {number}")) for number in range(count)]


def write(tmp_path: Path, count: int) -> str:
    path = tmp_path / "report.html"
    write_report(path, results(count), ["hwx"], 5.5)
    return path.read_text("utf-8")


def test_details_of_a_large_class_lie_on_pages_that_its_rows_link_to(tmp_path: Path) -> None:
    page = write(tmp_path, 5)
    assert "5 submissions: 5 graded" in page
    assert "printed 0" not in page
    for number, file in enumerate(("1", "1", "2", "2", "3")):
        assert f'href="report/{file}.html#s{number + 1}">student-{number}' in page
        details = (tmp_path / "report" / f"{file}.html").read_text("utf-8")
        assert f'<h2 id="s{number + 1}">student-{number}' in details
        assert f"printed {number}<" in details


def test_a_class_that_fits_one_page_has_no_others(tmp_path: Path) -> None:
    page = write(tmp_path, 2)
    assert 'href="#s2">student-1' in page
    assert "printed 1" in page
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_pages_of_a_larger_class_go_and_what_others_put_there_stays(tmp_path: Path) -> None:
    write(tmp_path, 5)
    (tmp_path / "report" / "notes.html").write_text("mine", "utf-8")
    write(tmp_path, 3)
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == ["1.html", "2.html", "notes.html"]
    write(tmp_path, 1)
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["notes.html"]


class Watched:
    """Results that are made anew at each iteration; counts how many of them are alive at once."""

    def __init__(self, count: int) -> None:
        self.most = 0
        self._count = count
        self._alive: weakref.WeakSet[SubmissionResult] = weakref.WeakSet()

    def __iter__(self) -> Iterator[SubmissionResult]:
        for result in results(self._count):
            fresh = replace(result)
            self._alive.add(fresh)
            self.most = max(self.most, len(self._alive))
            yield fresh


def test_of_a_large_class_only_one_page_of_results_is_held_at_once(tmp_path: Path) -> None:
    watched = Watched(20)
    write_report(tmp_path / "report.html", watched, ["hwx"], 5.5)
    assert len(list((tmp_path / "report").iterdir())) == 10
    assert watched.most <= 2 * 2 + 2
