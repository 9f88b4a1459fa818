"""The pages of a class in a browser: the table sorted, filtered and searched; similar submissions."""

from dataclasses import replace

import pytest
from homeworks import SIX
from playwright.sync_api import expect
from results import FAILED, PASSED
from results import homework_grade as homework
from results import our_fault as ours
from results import submission_grade as submission

from autograder.feedback.rendering import page_of
from autograder.gradebook.groups import AnswerGroup
from autograder.report.report import Overview, ShownGroup, write_report
from autograder.sandbox.report import Status
from autograder.similar.similar import SimilarSubmissions, similar_pairs, write_similar

from ..browsing import assert_soon, no_sideways_scroll, open_page

OTHER = "hwy"


def wrong(*labels, **changes):
    """A homework with these mistakes."""
    checks = (
        PASSED,
        *(replace(FAILED, misconceptions=(label,), reason=f"Words of {label}.") for label in labels),
    )
    return homework(checks=checks, **changes)


CLASS = [
    submission("ada", wrong("no-scaling", final=9.0), person=("Ada L", "17", "ada@x.edu", "no")),
    submission(
        "bo",
        wrong("hardmax", final=10.0),
        wrong("no-scaling", homework=OTHER),
        person=("Bo", "18", "", "yes"),
    ),
    submission("cy", problems=("no file was found",)),
    submission("di", ours()),
    submission("ed", homework(status=Status.IMPORT_FAILED, final=0.0)),
    submission("zoë 10", homework(homework=OTHER, final=5.0, awaiting=("why",))),
    submission("zoë 9", wrong("no-scaling", final=2.5)),
]


def write(path, results):
    overview = Overview(results)
    members = tuple(result.name for result in results[:2])
    group = AnswerGroup("hwx-double-1f", "hwx", "double", members, ("hardmax",), "The same.", members[0])
    overview.groups = [ShownGroup(group, None, [(members[0], "def double(x):\n    return x")], "")]
    write_report(path, overview, ["hwx", OTHER], 11.0)
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write(tmp_path_factory.mktemp("out") / "report.html", CLASS)


def names(page):
    """The submissions in the table as a person sees them."""
    script = "all => all.filter(one => one.checkVisibility()).map(one => one.innerText)"
    return list(page.locator(".rows tbody th").evaluate_all(script))


def count(page):
    return page.locator("#count").inner_text()


def hash_of(page):
    return str(page.evaluate("decodeURIComponent(location.hash)"))


ALL = [result.name for result in sorted(CLASS, key=lambda result: result.name.replace("10", "99"))]


def test_everybody_has_a_row_that_links_to_their_page(page, path):
    open_page(page, path)
    assert_soon(lambda: names(page), ALL)  # numbers in names are sorted as numbers
    assert_soon(lambda: count(page), "7 of 7 shown")
    row = page.locator(".rows tbody tr").nth(1)
    assert row.inner_text().split() == ["bo", "Bo", "18", "yes", "graded", "10", "1", "11"]
    assert row.locator("a").get_attribute("href") == f"report/{page_of('bo')}.html"


def test_a_column_is_sorted_by_click_and_by_key_and_blanks_come_last(page, path):
    open_page(page, path)
    head = page.get_by_role("columnheader", name="hwx")
    head.get_by_role("button").click()
    assert_soon(
        lambda: (names(page)[:4], head.get_attribute("aria-sort")),
        (["ed", "zoë 9", "ada", "bo"], "ascending"),
    )
    head.get_by_role("button").press("Enter")
    assert_soon(
        lambda: (names(page)[:4], head.get_attribute("aria-sort")),
        (["bo", "ada", "zoë 9", "ed"], "descending"),
    )
    assert_soon(lambda: names(page)[4:], ["cy", "di", "zoë 10"])
    assert page.locator("[aria-sort=ascending], [aria-sort=descending]").count() == 1
    assert_soon(lambda: hash_of(page), "#sort=hwx,down")
    page.get_by_role("columnheader", name="status").get_by_role("button").press(" ")
    assert_soon(lambda: names(page)[-1:], ["cy"])


@pytest.mark.parametrize(
    ("label", "value", "names_found", "address"),
    [
        ("Status", "import_failed", ["ed"], "#status=import_failed"),
        ("Handed in", "no hwy", ["ada", "cy", "di", "ed", "zoë 9"], "#hand=-hwy"),
        ("Handed in", "hwy", ["bo", "zoë 10"], "#hand=hwy"),
        ("Mistake", "no-scaling (3)", ["ada", "bo", "zoë 9"], "#mistake=no-scaling"),
        ("Mistake", "no-scaling (1)", ["bo"], "#mistake=hwy:no-scaling"),
        ("Group", "hwx-double-1f (2)", ["ada", "bo"], "#group=hwx-double-1f"),
        ("Needs attention", "yes", ["cy", "di", "ed", "zoë 10"], "#needs=any"),
    ],
)
def test_a_filter_is_kept_in_the_address(page, path, label, value, names_found, address):
    open_page(page, path).get_by_role("combobox", name=label).select_option(label=value)
    assert_soon(
        lambda: (names(page), count(page), hash_of(page)),
        (names_found, f"{len(names_found)} of 7 shown", address),
    )
    open_page(page, path, fragment=address)
    page.reload()
    assert_soon(lambda: (names(page), count(page)), (names_found, f"{len(names_found)} of 7 shown"))
    page.get_by_role("button", name="Show all").press("Enter")
    assert_soon(lambda: (names(page), hash_of(page)), (ALL, ""))


@pytest.mark.parametrize(
    ("words", "names_found"),
    [
        ("ZOË", ["zoë 9", "zoë 10"]),
        ("18", ["bo"]),
        ("ada@x", ["ada"]),
        ("hardmax", ["bo"]),
        ("words of no-sca", ["ada", "bo", "zoë 9"]),
        ("zoë scaling", ["zoë 9"]),
        ("nobody", []),
        ("<b>", []),
    ],
)
def test_names_ids_and_mistakes_can_be_searched(page, path, words, names_found):
    open_page(page, path).get_by_role("searchbox").press_sequentially(words)
    assert_soon(lambda: (names(page), count(page)), (names_found, f"{len(names_found)} of 7 shown"))


def test_filters_hold_together_and_links_set_them(page, path):
    open_page(page, path, fragment="#q=zo&mistake=no-scaling&sort=total,down")
    assert_soon(lambda: names(page), ["zoë 9"])
    page.get_by_role("link", name="hardmax").click()
    assert_soon(lambda: (names(page), page.get_by_role("searchbox").input_value()), (["bo"], ""))
    assert_soon(lambda: page.evaluate("scrollY > 0"), True)  # the table is in sight
    page.get_by_role("link", name="1: nothing in it").press("Enter")
    assert_soon(lambda: names(page), ["cy"])
    page.get_by_role("link", name="1 import_failed").click()
    assert_soon(lambda: names(page), ["ed"])


def test_an_unknown_filter_shows_nobody_and_says_so(page, path):
    open_page(page, path, fragment="#mistake=%3Cscript%3E")
    assert_soon(lambda: (names(page), count(page)), ([], "0 of 7 shown"))


def test_who_made_a_mistake_is_linked_and_of_many_the_rest_folded(page, tmp_path):
    path = write(tmp_path / "report.html", [submission(f"s{n}", wrong("no-scaling")) for n in range(300)])
    who = open_page(page, path).locator("[data-who='mistake=hwx:no-scaling']")
    assert who.get_by_role("link").all_inner_texts() == ["s0", "s1", "s2"]
    who.get_by_text("and 297 more").press("Enter")
    expect(who.get_by_role("link")).to_have_count(201)
    who.get_by_role("link", name="all in the table").click()
    assert_soon(lambda: count(page), "300 of 300 shown")


def test_all_rows_are_printed_with_the_head_of_the_table_on_each_sheet(page, path):
    open_page(page, path).emulate_media(media="print")
    assert_soon(lambda: names(page), ALL)
    assert (
        page.locator(".rows thead").evaluate("one => getComputedStyle(one).display") == "table-header-group"
    )
    assert not page.get_by_role("searchbox").is_visible()
    assert no_sideways_scroll(page) == []


def test_every_name_is_printed_of_needs_praise_mistakes_and_folded_groups(page, tmp_path):
    crowd = [f"s{number:03}" for number in range(230)]
    results = [
        submission(name, wrong("hardmax", "no-scaling", "a", "b", "c", "d", final=11.0)) for name in crowd
    ]
    results += [submission(f"n{number:03}", problems=("no file was found",)) for number in range(230)]
    open_page(page, write(tmp_path / "report.html", results)).emulate_media(media="print")
    sections = page.locator("main section")
    for section, kind in ((0, "n"), (1, "s")):
        text = sections.nth(section).inner_text()
        assert [name for number in range(230) if (name := f"{kind}{number:03}") not in text] == []
        assert "more" not in text
    mistakes = page.locator(".rates tr", has=page.locator("[data-who]"))
    assert mistakes.count() == 6
    for row in mistakes.all():
        assert row.inner_text().count("s229") == 1, row.inner_text()[:200]
    group = page.locator("details.group").inner_text()
    assert "s000" in group
    assert "s001" in group
    assert "return x" not in group


def test_on_a_phone_the_names_stay_while_the_points_scroll(page, path):
    open_page(page, path, 400)
    assert no_sideways_scroll(page) == []
    page.locator(".rows").evaluate("box => { box.scrollLeft = 999 }")
    assert page.locator(".rows").evaluate("box => box.scrollLeft") > 0
    assert page.locator(".rows tbody th").first.bounding_box()["x"] < 30


def test_without_scripts_the_page_says_where_the_points_are(browser, path):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.get_by_role("link", name="grades.csv").is_visible()
        assert "Words of hardmax." in page.inner_text("main")
        assert not page.locator(".rows").is_visible()


def test_5000_rows_open_and_are_filtered_and_sorted(page, tmp_path):
    results = [wrong("no-scaling", final=float(n), seconds=0.1) for n in range(20)]
    path = write(tmp_path / "report.html", [submission(f"s{n:04}", results[n % 20]) for n in range(5000)])
    page.set_default_timeout(20_000)
    open_page(page, path).get_by_role("searchbox").fill("s499")
    assert_soon(lambda: count(page), "10 of 5000 shown")
    page.get_by_role("columnheader", name="total").get_by_role("button").click()
    assert_soon(lambda: names(page)[:1], ["s4990"])


PARTS = (
    "import math",
    "def odd(x, y):",
    "    for one in zip(x, y):",
    "        if one[0] > 3 * len(one):",
    "            break",
)
OWN = "\n".join([*PARTS, "    return [math.floor(z) for z, _ in zip(y, x) if z is not None] or {'a': x}"])


def test_a_pair_unfolds_into_both_sources_with_what_is_alike_marked(page, course, tmp_path):
    homework = course.homework(SIX[0])
    sources = {f"other{number}": f"x = {number} * [{number}]" for number in range(30)}
    sources |= {"<b>ada": OWN, "bo": "print('<i>', 0)\n\n" + OWN.replace("one", "item")}
    pairs = list(similar_pairs(homework, sources, {}))
    path = tmp_path / "report" / "similar.html"
    write_similar(path, [SimilarSubmissions(homework, len(sources), pairs, sources)])
    open_page(page, path)
    assert page.locator(".source").count() == 0
    page.locator(".pair summary").focus()
    page.keyboard.press("Enter")
    assert page.locator(".sides h3").all_inner_texts() == ["<b>ada", "bo"]
    assert page.locator(".source").first.locator("li").all_inner_texts() == OWN.split("\n")
    assert page.locator(".source").last.locator("li").first.inner_text() == "print('<i>', 0)"
    alike = [side.locator(".alike").all_inner_texts() for side in page.locator(".source").all()]
    assert alike[0] == OWN.split("\n")
    assert alike[1] == OWN.replace("one", "item").split("\n")
    page.set_viewport_size({"width": 400, "height": 900})
    boxes = [section.bounding_box() or {} for section in page.locator(".sides section").all()]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
