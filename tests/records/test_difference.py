from dataclasses import replace

from results import FAILED, PASSED, homework, ours, submission
from wording import to_staff

from autograder.gradebook.decisions import PolicyLine
from autograder.gradebook.fingerprint import Run
from autograder.gradebook.opening import open_gradebook
from autograder.report.difference import Difference, compare, read_side
from autograder.verdict.checks import Outcome

BETTER = homework(checks=(PASSED, replace(FAILED, outcome=Outcome.PASSED, reason="")))
WORSE = homework(checks=(replace(PASSED, outcome=Outcome.FAILED, reason="the numbers differ."), FAILED))


def write(folder, *results, content="c", graders="g", seed=7, lines=()):
    with open_gradebook(folder) as book:
        book.begin_run(Run("full", seed, graders, 1, "grade"))
        for result in results:
            book.keep(result, content, graders)
        book.end_run()
        book.keep_lines(lines)
    return folder


def differences(before, after):
    sides = []
    for folder in (before, after):
        with open_gradebook(folder) as book:
            sides.append(read_side(book))
    return list(compare(*sides))


def test_differences_are_listed_by_the_number_of_the_homework_and_those_of_a_project_last(tmp_path):
    ids = ("capstone", "hw10", "hw9")
    old = write(tmp_path / "old", submission("ada", *(homework(homework=homework_id) for homework_id in ids)))
    new = write(
        tmp_path / "new", submission("ada", *(replace(BETTER, homework=homework_id) for homework_id in ids))
    )
    listed = dict.fromkeys(difference.homework for difference in differences(old, new))
    assert list(listed) == ["hw9", "hw10", "capstone"]


def pair(tmp_path, before, after, **changes):
    old = write(tmp_path / "old", submission("ada", before))
    new = write(tmp_path / "new", submission("ada", after), **changes)
    return differences(old, new)


def test_equal_gradebooks_do_not_differ(tmp_path):
    assert pair(tmp_path, homework(), homework(), content="c2", graders="g2") == []


def test_a_lost_check_is_named_with_its_reason_and_other_code(tmp_path):
    assert pair(tmp_path, homework(checks=(PASSED, FAILED)), WORSE, content="c2") == [
        Difference("ada", "hwx", "double_published", 1.0, 0.0, "the numbers differ.", "other code")
    ]


def test_a_check_that_passes_now_tells_what_it_failed_for(tmp_path):
    [difference] = pair(tmp_path, homework(checks=(PASSED, FAILED)), BETTER, graders="g2")
    assert (difference.subject, difference.before, difference.after, difference.cause) == (
        "double_sizes",
        0.0,
        2.0,
        to_staff["difference.other-graders"],
    )
    assert difference.why == to_staff["difference.passes-now-before"]


def test_another_seed_is_named(tmp_path):
    old = write(tmp_path / "old", submission("ada", BETTER))
    new = write(tmp_path / "new", submission("ada", WORSE), graders="g2", content="c2", seed=8)
    causes = {difference.cause for difference in differences(old, new)}
    assert causes == {"other code and other graders (seed 7 → 8)"}


def test_other_points_from_the_same_code_and_graders_are_told_as_such(tmp_path):
    assert {difference.cause for difference in pair(tmp_path, BETTER, WORSE)} == {"same code and graders"}


def test_new_and_gone_submissions_are_listed_with_their_points(tmp_path):
    old = write(tmp_path / "old", submission("ada", homework()), submission("bob", homework()))
    new = write(tmp_path / "new", submission("bob", homework()), submission("cyd", ours()))
    assert [(o.submission, o.before, o.after, o.why) for o in differences(old, new)] == [
        ("ada", 1.0, None, to_staff["difference.no-such-submission-any-more"]),
        ("cyd", None, None, to_staff["difference.new-submission"]),
    ]


def test_new_and_gone_homeworks_and_checks_are_listed(tmp_path):
    old = write(tmp_path / "old", submission("ada", homework(checks=(PASSED,)), homework(homework="hwz")))
    new = write(tmp_path / "new", submission("ada", homework(checks=(FAILED,)), homework(homework="hwy")))
    assert [(o.homework, o.subject, o.before, o.after) for o in differences(old, new)] == [
        ("hwx", "double_published", 1.0, None),
        ("hwx", "double_sizes", None, 0.0),
        ("hwy", "", None, 1.0),
        ("hwz", "", 1.0, None),
    ]


def test_our_fault_is_no_zero_and_told_as_ours(tmp_path):
    [difference] = pair(tmp_path, ours(), homework())
    assert (difference.before, difference.after, difference.why) == (
        None,
        1.0,
        to_staff["difference.grader-itself-failed-before"],
    )
    assert pair(tmp_path, ours(), ours()) == []


def test_points_that_a_policy_changed_are_told_apart_from_checks(tmp_path):
    late = PolicyLine("ada", "hwx", 1.0, 0.8, 5.5, reasons=("Handed in 2 days late.",))
    old = write(tmp_path / "old", submission("ada", homework()))
    new = write(tmp_path / "new", submission("ada", homework()), lines=[late])
    assert differences(old, new) == [
        Difference("ada", "hwx", "policy", 0.0, -0.2, "Handed in 2 days late.", "policy or decisions")
    ]
    [back] = differences(new, old)
    assert (back.before, back.after, back.why) == (-0.2, 0.0, to_staff["difference.nothing-any-more"])


def test_points_by_hand_for_what_was_not_handed_in_are_listed(tmp_path):
    old = write(tmp_path / "old", submission("ada"))
    new = write(
        tmp_path / "new", submission("ada"), lines=[PolicyLine("ada", "hwx", 0.0, 4.0, 5.5, override=4.0)]
    )
    [difference] = differences(old, new)
    assert (difference.homework, difference.before, difference.after, difference.why) == (
        "hwx",
        None,
        4.0,
        to_staff["difference.points-by-hand-alone"],
    )
