"""Marking on ``written.html``: what is entered comes out in the table that ``autograder policy`` reads."""

import csv
import re
import shutil
from pathlib import Path

import pytest
from cli.running import run

from autograder.course.questions import Written
from autograder.csv_table import write_table
from autograder.gradebook.opening import read_gradebook
from autograder.report.written import collect_written, merge_written, write_written_page
from autograder.sandbox.report import Status
from autograder.verdict.checks import CheckResult, Outcome
from autograder.verdict.results import HomeworkResult, SubmissionResult

from ..browsing import assert_soon

HOMEWORK = "hw3_scaled_dot_product_attention"
EVIL = "</script><script>window.__hacked=1</script><img src=x onerror=window.__hacked=1>"
NAMES = ['=1+1, "the sum"', "-x", "caf\udce9", "a;=b", EVIL, "bo", "’\u202etxt"]
ALIKE = {
    "ada": "The variance of the dot products grows with d_k, so we divide by its root.",
    "bo": "the variance of the  dot products grows with d_k, so we divide by its root.",
    "cyd": "The variance of the dot products grows with d_k, so I divide by its root.",
    "dee": "Because the paper says so.",
}


@pytest.fixture
def page(own_page):
    """What one test leaves in the browser's store is no other's."""
    return own_page


@pytest.fixture
def written(tmp_path, course):
    """Writes table and page for answers to a question of two lines with a point each; returns the page."""
    homework = course.homework(HOMEWORK)
    question = next(question for question in homework.questions if isinstance(question, Written))

    def write(answers, gradebook="", table=None):
        results = []
        for name, answer in answers.items():
            check = CheckResult(
                f"theory_{question.id}", "theory", question.title, 2, Outcome.COLLECTED, answer=answer
            )
            homework_result = HomeworkResult(homework.id, homework.title, Status.GRADED, 2, (check,))
            results.append(SubmissionResult(name, name, (homework_result,)))
        groups, path = collect_written(results, [homework]), tmp_path / "written.csv"
        if table is not None:
            path.write_text(table, encoding="utf-8")
        merged = merge_written(path, groups, answers, [homework.id], anonymous=False)
        write_table(path, merged.columns, merged.cells)
        write_written_page(tmp_path / "written.html", groups, merged, gradebook)
        return tmp_path / "written.html"

    return write


def show(page, path):
    page.goto(path.resolve().as_uri())
    return page


def press(page, keys):
    for key in keys.split():
        page.keyboard.press(key)


def save(page, by=lambda page: press(page, "Control+s")):
    """Save the table and return where it is."""
    with page.expect_download() as started:
        by(page)
    download = started.value
    assert download.suggested_filename == "written.csv"
    return Path(download.path())


def marks(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {row["submission"]: (row["points"], row["comment"]) for row in csv.DictReader(file)}


def kept_soon(page, *texts):
    """Wait until the browser keeps marks in which these texts stand."""
    storage = "Object.values(localStorage).join()"
    assert_soon(lambda: [text in page.evaluate(storage) for text in texts], [True] * len(texts))


def answer(page, name):
    return page.locator(".answer", has=page.locator(f"bdi:text-is('{name}')"))


def table(**points):
    rows = (f"{name},{HOMEWORK},why_the_root,2,{cells}\n" for name, cells in points.items())
    return f"submission,homework,question,max,points,comment\n{''.join(rows)}"


def test_a_class_marked_by_keyboard_has_its_points(page, class_out, tmp_path):
    out = shutil.copytree(class_out, tmp_path / "out")
    show(page, out / "written.html")
    count, keys = page.locator(".answer").count(), 0
    press(page, "j")
    for number in range(count):
        pressed = ("f", "1 j", "f", "2 j", "0 j")[number % 5]
        press(page, pressed)
        keys += len(pressed.split())
    assert keys <= 2 * count
    saved = save(page)
    assert {points for points, _ in marks(saved).values()} <= {"0", "1", "2"}
    assert run("policy", out, "--manual", saved).exit == 0
    with read_gradebook(out) as book:
        marks_given = book.decisions.marks()
    assert len(marks_given) == sum(1 for _ in saved.open(encoding="utf-8")) - 1
    assert all(mark.points is not None for mark in marks_given)


def test_a_class_is_marked_by_mouse_alone(page, written):
    show(page, written({"ada": "One.", "bo": "Two.", "cyd": "Three."}))
    answer(page, "ada").get_by_role("button", name="1: +1").click()
    answer(page, "ada").get_by_role("button", name="2: +1").click()
    answer(page, "bo").get_by_label("Points").fill("1,5")
    answer(page, "bo").get_by_label("Comment").fill("Say why.")
    saved = save(page, lambda page: page.get_by_role("button", name="Save CSV").click())
    assert marks(saved) == {"ada": ("2", ""), "bo": ("1.5", "Say why."), "cyd": ("", "")}


def test_the_table_is_the_one_that_the_kit_writes(page, written):
    path = written(dict.fromkeys(NAMES, EVIL) | {"zed": "So."})
    assert save(show(page, path)).read_bytes() == path.with_name("written.csv").read_bytes()
    comment = '=SUM(A1), "so"; -1\nnext'
    press(page, "j f")
    page.locator("textarea").last.fill(comment)
    saved = save(page)
    again = saved.read_bytes()
    path = written(dict.fromkeys(NAMES, EVIL) | {"zed": "So."}, table=again.decode())
    assert path.with_name("written.csv").read_bytes() == again
    assert "'=SUM(A1)" in again.decode()


def test_equal_answers_have_one_mark_until_they_are_split(page, written):
    show(page, written(ALIKE))
    assert answer(page, "ada").get_by_label("Points").count() == 1
    press(page, "j 1")
    assert marks(save(page))["bo"] == marks(save(page))["ada"] == ("1", "")
    press(page, "x 2")
    assert [marks(save(page))[name][0] for name in ("ada", "bo")] == ["2", "1"]
    press(page, "u u")
    assert [marks(save(page))[name][0] for name in ("ada", "bo")] == ["1", "1"]


def test_nearly_equal_answers_show_their_difference_and_can_be_joined(page, written):
    show(page, written(ALIKE))
    answer(page, "cyd").locator("ins").wait_for()
    assert answer(page, "cyd").locator("ins").all_inner_texts() == ["I"]
    assert answer(page, "cyd").locator("del").all_inner_texts() == ["we"]
    press(page, "j = 2")
    assert [marks(save(page))[name][0] for name in ("ada", "bo", "cyd", "dee")] == ["1", "1", "1", ""]
    answer(page, "cyd").get_by_role("button", name="Split").click()
    assert marks(save(page))["cyd"] == ("", "")
    answer(page, "cyd").get_by_role("button", name="Join").click()
    assert marks(save(page))["cyd"] == ("1", "")


def test_points_are_checked_as_they_are_typed(page, written):
    show(page, written(ALIKE))
    field = answer(page, "dee").get_by_label("Points")
    for text, fine in {"2": True, "0,5": True, ".5": True, "2.5": False, "-1": False, "x": False}.items():
        field.fill(text)
        assert (field.get_attribute("aria-invalid") == "false") is fine
        assert (page.inner_text("#progress") == "1 of 4 marked") is fine


def test_keys_do_what_the_page_says(page, written):
    show(page, written({"ada": "One.", "bo": "Two.", "cyd": "Three.", "dee": "Four."}))
    press(page, "j 1 2 1 j + + + - j 0 Enter")
    page.keyboard.type("No.")
    press(page, "Enter Enter")
    page.keyboard.type("jk u 1")
    press(page, "Escape f u")
    assert marks(save(page)) == {
        "ada": ("1", ""),
        "bo": ("1", ""),
        "cyd": ("0", "No."),
        "dee": ("", "jk u 1"),
    }
    press(page, "k Backspace")
    assert marks(save(page))["cyd"] == ("", "No.")
    page.keyboard.press("?")
    assert page.get_by_role("dialog").is_visible()


def test_keys_of_one_sign_can_be_switched_off_and_the_choice_is_kept(page, written):
    path = written({"ada": "One.", "bo": "Two."})
    show(page, path)
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("checkbox", name="Letters, digits and signs as shortcuts").uncheck()
    press(page, "Escape")
    press(page, "j f t u / ?")
    assert not page.get_by_role("dialog").is_visible()
    answer(page, "ada").focus()
    press(page, "f 1 + x")
    show(page, path)
    press(page, "j f")
    assert page.inner_text("#progress") == "0 of 2 marked"
    answer(page, "ada").focus()
    press(page, "Enter")
    page.keyboard.type("fine")
    assert marks(save(page))["ada"] == ("", "fine")


def test_the_page_does_not_begin_with_discarding_marks(page, written):
    show(page, written({"ada": "One."}))
    press(page, "Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press(page, "Enter j f")
    assert marks(save(page))["ada"] == ("2", "")
    order = page.locator("a, button, input, select").evaluate_all("all => all.map(one => one.id)")
    assert order.index("away") > order.index("help")


def test_n_and_p_go_from_question_to_question(page, class_out):
    show(page, class_out / "written.html")
    places = []
    for key in "nnp":
        page.keyboard.press(key)
        places.append(page.evaluate("document.activeElement.id"))
    assert places == ["q1", "q2", "q1"]
    press(page, "j")
    assert page.evaluate("document.activeElement.item === document.querySelector('.answer').item")


def test_what_is_marked_or_not_searched_for_can_be_hidden(page, written):
    show(page, written(ALIKE))
    answers = page.locator(".answer:visible")
    assert answers.count() == 3
    press(page, "j f t")
    assert answers.count() == 2
    press(page, "t /")
    page.keyboard.type("PAPER")
    assert answers.all_inner_texts()[0].startswith("dee")
    assert answers.count() == 1


def test_marks_in_the_table_are_filled_in(page, written):
    path = written(ALIKE, table=table(ada='"1,5",good', bo="2,"))
    show(page, path)
    assert page.inner_text("#progress") == "2 of 4 marked"
    assert answer(page, "ada").get_by_label("Points").input_value() == "1,5"
    assert answer(page, "bo").get_by_label("Points").input_value() == "2"
    assert save(page).read_bytes() == path.with_name("written.csv").read_bytes()


def test_equal_answers_with_other_points_say_so_until_they_agree(page, written):
    path = written({"ada": "Same.", "bo": "same.", "cyd": "Else."}, table=table(ada="0,", bo="2,", cyd="1,"))
    show(page, path)
    assert "2 (bo)" in answer(page, "ada").locator(".unequal").inner_text()
    assert "0 (ada)" in answer(page, "bo").locator(".unequal").inner_text()
    assert page.locator(".unequal").count() == 2
    page.locator("#show").select_option("conflicts")
    assert page.locator(".answer:visible").count() == 2
    answer(page, "ada").get_by_label("Points").fill("2")
    page.keyboard.press("Escape")
    assert page.locator(".unequal").count() == 0


def test_marks_stay_in_the_browser_for_this_class_alone(page, written):
    path = written(ALIKE, "class 1")
    show(page, path)
    press(page, "j = 1 Enter")
    page.keyboard.type("fine")
    press(page, "Enter f")
    kept_soon(page, "dee", "fine")
    # Another page sees what is kept a little later.
    again = page.context.new_page()
    assert_soon(lambda: show(again, path).inner_text("#progress"), "4 of 4 marked")
    assert marks(save(again)) == dict.fromkeys(("ada", "bo", "cyd"), ("1", "fine")) | {"dee": ("2", "")}
    other = show(page.context.new_page(), written(ALIKE, "class 2"))
    assert other.inner_text("#progress") == "0 of 4 marked"
    changed = show(page.context.new_page(), written(ALIKE | {"dee": "No idea."}, "class 1"))
    assert changed.inner_text("#progress") == "3 of 4 marked"
    assert "dee (2)" in changed.inner_text("#notes")
    changed.get_by_role("button", name="Discard marks saved in this browser").click()
    assert_soon(lambda: page.evaluate("localStorage.length"), 0)
    assert show(page.context.new_page(), path).inner_text("#progress") == "0 of 4 marked"


def test_a_table_that_changed_meanwhile_wins_over_nothing_unseen(page, written):
    show(page, written(ALIKE))
    press(page, "j 1")
    kept_soon(page, "ada")
    again = show(page.context.new_page(), written(ALIKE, table=table(ada="2,", bo="2,")))
    assert again.locator(".conflict").count() == 1
    assert marks(save(again))["ada"] == ("2", "")


def test_a_browser_that_keeps_nothing_says_so(page, written):
    refused = "{ get() { throw new DOMException('no', 'SecurityError'); } }"
    page.add_init_script(f"Object.defineProperty(window, 'localStorage', {refused})")
    show(page, written(ALIKE))
    assert "save the CSV" in page.inner_text("#kept")
    press(page, "j f")
    assert marks(save(page))["ada"] == ("2", "")


def test_one_is_warned_before_leaving_with_unsaved_marks(browser, written):
    page, dialogs = browser.new_page(), []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.type), dialog.dismiss()))
    show(page, written(ALIKE))
    press(page, "j f")
    leave = "setTimeout(() => location.assign('about:blank'))"
    page.evaluate(leave)
    page.wait_for_timeout(300)
    assert dialogs == ["beforeunload"]
    save(page)
    page.evaluate(leave)
    page.wait_for_url("about:blank")
    assert dialogs == ["beforeunload"]
    page.context.close()


def test_a_colleagues_table_is_merged_and_overwrites_nothing(page, written, tmp_path):
    path = written({"ada": "One.", "bo": "Two.", "cyd": "Three.", "dee": "Four."})
    show(page, path)
    press(page, "j 1 j 2 j")
    theirs = tmp_path / "kim.csv"
    theirs.write_text(table(ada="1,good", bo="2,better", cyd='"0,5","so, so"', eve="1,"), "utf-8")
    page.locator("#file").set_input_files(theirs)
    page.locator(".conflict").wait_for()
    assert page.locator(".answer:visible").count() == 1
    assert {"kim", "eve"} <= set(re.findall(r"\w+", page.inner_text("#notes")))
    mine = {"ada": ("1", "good"), "bo": ("1", ""), "cyd": ("0,5", "so, so"), "dee": ("", "")}
    assert marks(save(page)) == mine
    page.get_by_role("button", name="Take that").click()
    assert marks(save(page)) == mine | {"bo": ("2", "better")}
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Keep this").click()
    assert marks(save(page)) == mine


@pytest.mark.parametrize("text", ["name,points\nada,2\n", 'submission,homework,question,points\n"ada', ""])
def test_what_is_not_such_a_table_is_refused(page, written, tmp_path, text):
    show(page, written(ALIKE))
    (tmp_path / "other.csv").write_text(text, "utf-8")
    page.locator("#file").set_input_files(tmp_path / "other.csv")
    page.locator("#notes .bad").wait_for()
    assert page.inner_text("#progress") == "0 of 4 marked"


def test_without_scripts_the_page_shows_all_and_names_the_table(browser, written):
    context = browser.new_context(java_script_enabled=False)
    page = show(context.new_page(), written(ALIKE, table=table(ada="1,good")))
    text = page.inner_text("body")
    for words in ("written.csv", "√d_k", "Points: 1 of 2. good", "Because the paper says so."):
        assert words in text
    assert page.locator("button:visible").count() == 0
    context.close()


def test_answers_names_and_comments_are_inert(page, written):
    answers = {name: f"{EVIL} {number} \u202e\x1b[31m" for number, name in enumerate(NAMES)}
    show(page, written(answers, table=table(bo=f'1,"{EVIL}"')))
    press(page, "j = x u k j x")
    page.locator("#search").fill("<img")
    assert page.locator("main img, main script").count() == 0
    assert page.locator(".answer:visible").count() > 0
    assert not {"\u202e", "\x1b"} & set(page.inner_text("body"))


def test_it_prints_answers_with_points_as_text(page, written):
    show(page, written(ALIKE))
    press(page, "j 1 Enter")
    page.keyboard.type("fine")
    page.emulate_media(media="print")
    assert "Points: 1 of 2. fine" in page.inner_text("main")
    assert page.locator("button:visible, input:visible, textarea:visible").count() == 0


def test_five_thousand_answers_make_a_page_that_one_can_work_with(page, written):
    answers = {f"student{number:04}": f"Reason {number} of {number * 7919 % 5003}." for number in range(5000)}
    path = written(answers)
    assert path.stat().st_size < 2_500_000
    show(page, path)
    press(page, "j f f f")
    assert page.inner_text("#progress") == "3 of 5000 marked"
    assert page.locator(".controls").count() < 500
