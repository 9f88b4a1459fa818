"""Slow tests of the same subject as ``test_own_platform``, for CI and `make test WHOLE=1`."""

from intake.makers import folder_of

from ..classroom import read_rows
from ..conftest import RIGHT, TRIPLES
from ..test_own_platform import autograder, site

__all__ = ["site"]  # the fixtures

DOWNLOAD = {
    "Lovelace, Ada#4711/doubles.py": RIGHT,
    "O'Brien, Zoë#4712/work.py": TRIPLES,
    "Stranger, X#4799/doubles.py": RIGHT,
}


COURSE_LIST = "Matriculation,Name\n4711,Ada Lovelace\n4712,Zoë O'Brien\n4713,Min Kim\n"


def test_a_download_of_an_added_platform_is_graded_and_its_points_go_back(kit, site):
    download = folder_of(kit.submissions, DOWNLOAD)
    course_list = kit.root / "list.csv"
    course_list.write_text(COURSE_LIST, "utf-8")
    result = autograder(site, "grade", download, "--out", kit.out, "--roster", course_list, "--unsafe")
    assert result.returncode == 0, result.stderr
    assert "download from Campus (students: 3)" in result.stderr

    result = autograder(site, "export", kit.out, "--to", "campus", "--roster", course_list, "--missing-zero")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Campus: ")
    exported = {row["Matriculation"]: row["Grade"] for row in read_rows(kit.out / "campus.csv")}
    assert exported == {"4711": "5.5", "4712": "2.5", "4713": "0"}
    assert [row["who"] for row in read_rows(kit.out / "unmatched.csv")] == [
        "Stranger, X_4799",
        "Min Kim (4713)",
    ]

    refused = autograder(site, "export", kit.out, "--to", "canvas", "--roster", course_list, "--column", "A")
    assert refused.returncode == 2
    assert "list.csv is a course list of Campus, and --to canvas does not take it" in refused.stderr
    no_feedback = autograder(site, "export", kit.out, "--to", "campus", "--roster", course_list, "--feedback")
    assert no_feedback.returncode == 2
    assert "Campus hands out no feedback" in no_feedback.stderr
