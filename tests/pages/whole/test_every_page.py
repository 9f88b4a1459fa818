"""What holds for every page that is written of a class, and for students' handouts."""

import pytest

from ..browsing import (
    WIDTHS,
    axe_faults,
    contrast_faults,
    dead_links,
    faults,
    keyboard_faults,
    no_sideways_scroll,
    open_page,
    unfold,
    unnamed,
)

PAGES = {
    "report": "report.html",
    "submission": f"report/{'?' * 32}.html",
    "similar": "report/similar.html",
    "feedback": "submissions/*/feedback.html",
    "written": "written.html",
    "handout": "*/handout.html",
}
MOST_BYTES = 500_000
LISTENED_TO = 3
"""So many pages of a kind are heard and used without a mouse."""
each_kind = pytest.mark.parametrize("kind", PAGES)


def pages(out, kind):
    """The pages of one kind, of those that many people have up to four."""
    paths = sorted(out.glob(PAGES[kind]))
    assert paths, f"no {PAGES[kind]} was written"
    return paths[:: -(-len(paths) // 4)]


@pytest.fixture
def own_pages(kind, class_out, course):
    return pages(course.assignments if kind == "handout" else class_out, kind)


def look(page):
    """What is wrong with the look of the page that is open, in both colour schemes."""
    faults = no_sideways_scroll(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        faults += [f"{scheme}: {fault}" for fault in contrast_faults(page)]
    return faults


def listen(page):
    """What a screen reader could not tell of the page that is open."""
    return faults(page, "outline") + unnamed(page)


def press_tab(page):
    """What cannot be done on a page without a mouse; nothing has the focus afterwards, as before."""
    faults_of_keyboard = keyboard_faults(page)
    page.evaluate("document.activeElement.blur()")
    return faults_of_keyboard


def listen_unfolded(page):
    return faults(page, "wordless") + faults(page, "nameless") + faults(page, "unreachable")


def axe(page, scheme):
    page.emulate_media(color_scheme=scheme)
    return axe_faults(page)


@each_kind
def test_on_a_screen_every_text_is_legible_and_heard_and_every_link_leads_somewhere(page, own_pages, kind):
    found = {}
    for number, path in enumerate(own_pages):
        open_page(page, path, WIDTHS[0])
        found[path] = dead_links(page) + look(page)
        if number < LISTENED_TO:
            found[path] += listen(page)
        unfold(page)
        found[path] += look(page)
        if number < LISTENED_TO:
            found[path] += listen_unfolded(page)
        if number == 0:  # contrast, which depends on the scheme, is measured above
            found[path] += axe(page, "light")
    assert {path: faults for path, faults in found.items() if faults} == {}


@each_kind
def test_on_a_phone_every_text_is_legible_and_no_mouse_is_needed(page, own_pages, kind):
    found = {}
    for number, path in enumerate(own_pages):
        open_page(page, path, WIDTHS[1])
        found[path] = look(page)
        if number < LISTENED_TO:
            found[path] += press_tab(page)
        unfold(page)
        found[path] += look(page)
        # Of many pages another one than on a screen: a look takes most of a second.
        if number == 1 % len(own_pages):
            found[path] += axe(page, "dark")
    assert {path: faults for path, faults in found.items() if faults} == {}


@pytest.mark.parametrize("kind", [kind_of_page for kind_of_page in PAGES if kind_of_page != "handout"])
def test_hostile_texts_stay_text_on_it_and_stay_small(own_page, hostile_out, kind):
    for path in pages(hostile_out, kind):
        assert path.stat().st_size <= MOST_BYTES, path
        open_page(own_page, path, 400)
        assert no_sideways_scroll(own_page) == [], path
        unfold(own_page)
        assert no_sideways_scroll(own_page) + contrast_faults(own_page) == [], path
        for control in own_page.query_selector_all("main button:visible")[:5]:
            control.click(timeout=5000)
        for character in "\u202e\u2066\x1b\x07":
            assert character not in own_page.inner_text("body"), path
