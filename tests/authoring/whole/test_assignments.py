"""Slow tests of the same subject as ``test_assignments``, for CI and `make test WHOLE=1`.

That the files of the kit's homeworks are those that are built from the solutions, `make check` says.
"""

from autograder.intake.handed_out import HandedOut


def test_stubs_that_are_handed_out_are_untouched_and_handouts_add_up(course):
    for homework in course.homeworks():
        folder = course.assignments / homework.id
        assert HandedOut(homework).is_untouched((folder / homework.stub).read_text("utf-8")), homework.id
        handout = (folder / "handout.md").read_text("utf-8")
        total = next(line for line in handout.splitlines() if "**total**" in line)
        assert f" **{homework.points:g}** |" in total, homework.id
