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


def look_in_full(page):
    """What is wrong with the look of a page, as it opens and with everything unfolded."""
    faults = look(page)
    unfold(page)
    return faults or look(page)


@each_kind
@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_the_screen_and_every_text_is_legible(page, own_pages, kind, width):
    assert {
        str(path): faults for path in own_pages if (faults := look_in_full(open_page(page, path, width)))
    } == {}


@each_kind
def test_its_links_lead_somewhere(page, own_pages, kind):
    assert {str(path): faults for path in own_pages if (faults := dead_links(open_page(page, path)))} == {}


@each_kind
def test_its_headings_landmarks_and_controls_can_be_heard(page, own_pages, kind):
    for path in own_pages[:3]:
        assert faults(open_page(page, path), "outline") == [], path
        assert unnamed(page) == [], path
        unfold(page)
        assert faults(page, "wordless") + faults(page, "nameless") + faults(page, "unreachable") == [], path


@each_kind
def test_axe_finds_nothing_in_both_schemes_and_widths(page, own_pages, kind):
    # Each width in one scheme: contrast, which depends on both, is measured above.
    for number, (width, dark) in enumerate(zip(WIDTHS, (False, True), strict=True)):
        path = own_pages[
            number % len(own_pages)
        ]  # of many pages another one each time: a look takes most of a second
        open_page(page, path, width, dark=dark)
        unfold(page)
        assert axe_faults(page) == [], (path, width, dark)


@each_kind
def test_it_can_be_used_without_a_mouse(page, own_pages, kind):
    assert {
        str(path): faults for path in own_pages[:3] if (faults := keyboard_faults(open_page(page, path, 400)))
    } == {}


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
