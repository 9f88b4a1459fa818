from pathlib import Path

import pytest
from results import homework, submission
from wording import to_staff

from autograder.gradebook.opening import open_gradebook

from .running import run, totals


@pytest.fixture
def graded(tiny, tmp_path):
    out = tmp_path / "graded"
    with open_gradebook(out) as book:
        book.keep(submission("ada", homework()), "c", "g")
    return out


def report(tiny, out):
    return run("report", out, "--course", tiny.course.root)


def test_every_file_is_written_again_from_the_gradebook(tiny, graded):
    assert report(tiny, graded).exit == 0
    assert totals(graded) == {"ada": "1"}
    files = [graded / "grades.csv", graded / "report.html"]
    files += [graded / "submissions" / "ada" / name for name in ("results.json", "feedback.html")]
    before = [path.read_bytes() for path in files]
    for path in files:
        path.write_text("edited by somebody")
    assert report(tiny, graded).exit == 0
    assert [path.read_bytes() for path in files] == before


def test_what_others_put_beside_them_stays(tiny, graded):
    report(tiny, graded)
    mine = graded / "submissions" / "ada" / "notes.txt"
    mine.write_text("talk to ada")
    report(tiny, graded)
    assert mine.read_text() == "talk to ada"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["grades.csv", "report.html"])
def test_a_full_disk_is_told_in_one_line_and_leaves_the_earlier_file(tiny, graded, name):
    report(tiny, graded)
    before = (graded / name).read_bytes()
    (graded / f"{name}.part").symlink_to("/dev/full")
    result = report(tiny, graded)
    assert result.exit == 2
    assert result.err == to_staff["report.no-room"]
    assert (graded / name).read_bytes() == before
    assert report(tiny, graded).exit == 0, "nothing is left behind"


def test_a_folder_without_a_gradebook_is_refused_and_none_is_begun(tiny, tmp_path):
    result = report(tiny, tmp_path)
    assert result.exit == 2
    assert result.err == to_staff["report.holds-no-gradebook-name"]
    assert not (tmp_path / "gradebook.sqlite").exists()
