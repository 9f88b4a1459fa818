"""The staff's page of one submission, as a browser shows it."""

import json

import pytest
from playwright.sync_api import expect

from autograder.feedback.rendering import page_of
from autograder.gradebook.opening import read_gradebook

from ..browsing import open_page, unfold


def index_of(out):
    """The pages in the order of the class."""
    line = (out / "report" / "index.js").read_text("utf-8").splitlines()[-1]
    return [page for _, page, *_ in json.loads(line[line.index("=") + 1 : line.rindex(";")])]


def show(page, out, name, width=1280, fragment=""):
    opened = open_page(page, out / "report" / f"{name}.html", width, fragment=fragment)
    opened.wait_for_selector("#wait", state="detached")
    return opened


@pytest.fixture(scope="module")
def wrong(class_out):
    """The page of a submission with a known mistake."""
    with read_gradebook(class_out) as book:
        names = (
            result.name
            for result in book.results()
            if any(c.made for h in result.homeworks for c in h.checks)
        )
        return page_of(next(names))


def test_the_keyboard_goes_to_the_next_submission_and_back(page, class_out):
    pages = index_of(class_out)
    show(page, class_out, pages[0])
    for key, place in (("j", 1), ("ArrowRight", 2), ("k", 1), ("ArrowLeft", 0), ("k", 0)):
        page.keyboard.press(key)
        page.wait_for_url(f"**/{pages[place]}.html")
        page.wait_for_selector("#wait", state="detached")


def test_shortcuts_of_a_letter_can_be_switched_off_and_the_choice_is_kept(own_page, class_out):
    pages = index_of(class_out)
    show(own_page, class_out, pages[0])
    own_page.get_by_role("checkbox", name="Letters as shortcuts").uncheck()
    own_page.keyboard.press("j")
    show(own_page, class_out, pages[1])
    assert not own_page.get_by_role("checkbox", name="Letters as shortcuts").is_checked()
    own_page.keyboard.press("k")
    own_page.keyboard.press("ArrowRight")  # is no letter
    own_page.wait_for_url(f"**/{pages[2]}.html")
    own_page.get_by_role("checkbox", name="Letters as shortcuts").check()
    own_page.locator("h1").click()
    own_page.keyboard.press("k")
    own_page.wait_for_url(f"**/{pages[1]}.html")


def test_links_lead_to_the_next_submission_to_the_one_before_and_to_the_class(page, class_out):
    pages = index_of(class_out)
    show(page, class_out, pages[-1])
    assert page.locator("nav a[rel=next]").count() == 0
    page.click("nav a[rel=prev]")
    page.wait_for_url(f"**/{pages[-2]}.html")
    page.wait_for_selector("nav a[rel=next]")
    page.click("nav a[href='../report.html']")
    page.wait_for_url("**/report.html")


def test_the_next_submission_opens_at_the_same_homework(page, class_out):
    pages = index_of(class_out)
    show(page, class_out, pages[0])
    last = page.locator("section.homework").last.get_attribute("id")
    show(page, class_out, pages[0], fragment=f"#{last}")
    page.keyboard.press("j")
    page.wait_for_url(f"**/{pages[1]}.html#{last}")


def test_source_and_checks_stand_beside_each_other_and_on_a_phone_below(page, class_out, wrong):
    for width, is_beside in ((1280, True), (400, False)):
        show(page, class_out, wrong, width)
        code, checks = (page.locator(selector).first.bounding_box() for selector in (".code", ".checks"))
        assert (checks["x"] >= code["x"] + code["width"]) is is_beside


def test_a_failed_check_shows_the_mistake_as_a_diff_and_what_came_out(page, class_out, wrong):
    show(page, class_out, wrong)
    unfold(page)
    assert page.locator(".check.failed pre del").count() > 0
    assert page.locator(".check.failed pre ins").count() > 0
    captions = page.locator(".check.failed .grid caption").all_inner_texts()
    assert {"came", "expected"} <= {caption.split(":")[0] for caption in captions}
    assert page.locator(".check.failed .grid .off").count() > 0
    assert "autograder explain " in page.inner_text(".paste >> nth=0")


def test_a_task_leads_to_its_definition_and_a_reason_to_the_line_it_names(page, class_out):
    with read_gradebook(class_out) as book:
        names = [
            result.name
            for result in book.results()
            for h in result.homeworks
            for c in h.checks
            if " at line " in c.reason
        ]
    show(page, class_out, page_of(names[0]))
    for link in (".checks a[href^='#']:not(.task a)", ".task a"):
        place = page.locator(link).first.get_attribute("href")
        page.locator(link).first.click()
        expect(page.locator(f"[id='{(place or '#')[1:]}']:target")).to_be_visible()
    expect(page.locator(".line.hit").first).to_be_attached()


def test_numbers_of_lines_are_not_part_of_what_is_copied(page, class_out, wrong):
    show(page, class_out, wrong)
    with read_gradebook(class_out) as book:
        result = next(book.with_work(result) for result in book.results() if page_of(result.name) == wrong)
    work = result.homeworks[0].work
    assert work is not None
    lines = page.locator("section.homework >> nth=0").locator(".line").all_text_contents()
    assert lines == work.source.rstrip().split("\n")


def test_hostile_texts_are_escaped_and_long_ones_are_cut(page, hostile_out):
    for name in index_of(hostile_out):
        assert (hostile_out / "report" / f"{name}.html").stat().st_size < 100_000
        show(page, hostile_out, name, 400)
        unfold(page)
        assert page.locator("main script, main img").count() == 0
        assert page.locator(".line").count() < 20_000
        text = page.inner_text("body")
        assert not set(text) & set("\u202e\u2066\x1b\x07\udcff")


def test_without_javascript_it_says_where_the_results_are(class_out, browser, wrong):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((class_out / "report" / f"{wrong}.html").as_uri())
    assert "results.json" in page.inner_text("main")
    context.close()


def test_each_check_has_a_command_that_overrides_it_once_a_reason_is_written(page, class_out, wrong):
    opened = show(page, class_out, wrong)
    check = opened.locator(".check.failed").first
    check.get_by_role("button", name="override").click()
    command = check.locator(".paste").inner_text()
    name = opened.locator("h1").inner_text()
    identifier = check.get_attribute("id") or ""
    assert f"--override={name} " in command
    assert command.endswith(" --reason ''")
    _, checked = identifier.split("-", 1)
    assert f"--check {checked} --points " in command
    assert opened.evaluate("String(getSelection())") == command
