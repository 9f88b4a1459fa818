"""What the checks of pages find on pages that are wrong on purpose."""

import pytest

from ..browsing import (
    Watch,
    contrast_faults,
    dead_links,
    faults,
    keyboard_faults,
    no_sideways_scroll,
    open_page,
    unnamed,
)

HEAD = "<!doctype html><html lang='en'><meta name='viewport' content='width=device-width'><title>t</title>"
SCHEMES = "<style>:root { color-scheme: light dark }</style>"
WRONG = {
    "pale text": (contrast_faults, "<p style='color: #999'>pale</p>"),
    "pale by opacity": (contrast_faults, "<div style='opacity: .4'><p>pale</p></div>"),
    "text like its bar": (contrast_faults, "<svg><rect width='99' height='99'/><text y='50'>1</text></svg>"),
    "black in the dark": (contrast_faults, f"{SCHEMES}<p style='color: #000'>black</p>"),
    "a long word": (no_sideways_scroll, f"<p>{'a' * 300}</p>"),
    "a button cut off": (
        no_sideways_scroll,
        "<div style='overflow: clip; width: 200px'><button style='margin-left: 600px'>b</button></div>",
    ),
    "a button without a name": (unnamed, "<button></button>"),
    "an input without a label": (unnamed, "<input>"),
    "a clickable cell": (keyboard_faults, "<table><tr><td style='cursor: pointer'>1</table>"),
    "a box to scroll": (
        keyboard_faults,
        "<div style='overflow: auto; width: 9em'><p style='width: 99em'>x</p></div>",
    ),
    "focus unseen": (keyboard_faults, "<button style='outline: none'>b</button>"),
    "no such file": (dead_links, "<a href='nowhere.html'>a</a>"),
    "no such place": (dead_links, "<a href='#nowhere'>a</a>"),
    "two headings": (lambda page: faults(page, "outline"), "<main><h1>a</h1><h1>b</h1></main>"),
    "one id twice": (lambda page: faults(page, "outline"), "<main><h1 id='a'>a</h1><p id='a'>b</p></main>"),
}
RIGHT = (
    f"{SCHEMES}<main><h1 id='top'>A</h1><p>Text, <a href='#top'>up</a>.</p><label>in <input></label>"
    "<div tabindex='0' style='overflow: auto'><p style='width: 99em'>x</p></div><button>b</button></main>"
)


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_wrong_is_found(page, tmp_path, fault):
    find, body = WRONG[fault]
    (tmp_path / "page.html").write_text(HEAD + body, encoding="utf-8")
    assert len(find(open_page(page, tmp_path / "page.html", 400, dark="dark" in fault))) == 1


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_that_is_right_has_no_faults(page, tmp_path, dark):
    (tmp_path / "page.html").write_text(HEAD + RIGHT, encoding="utf-8")
    open_page(page, tmp_path / "page.html", 400, dark=dark)
    checks = {find for find, _ in WRONG.values()}
    assert [line for find in checks for line in find(page)] == []


@pytest.mark.parametrize(
    "script",
    [
        "throw Error('e')",
        "console.error('e')",
        "fetch('nowhere.js')",
        "alert(1)",
        "new Image().src = 'http://a.test/'",
    ],
)
def test_what_a_page_complains_about_or_asks_for_is_noted(tab, tmp_path, script):
    (tmp_path / "page.html").write_text(f"{HEAD}<script>{script}</script>", encoding="utf-8")
    shared, _ = tab
    page = shared.context.new_page()
    try:
        watch = Watch(page)
        open_page(page, tmp_path / "page.html")
        page.wait_for_timeout(100)
    finally:
        page.close()
    assert watch.faults


@pytest.mark.parametrize("number", [1, 2])
def test_what_a_page_keeps_is_gone_in_the_next_test(own_page, tmp_path, number):
    (tmp_path / "page.html").write_text(HEAD, encoding="utf-8")
    open_page(own_page, tmp_path / "page.html")
    assert own_page.evaluate("localStorage.length") == 0
    own_page.evaluate("localStorage.setItem('key', 'value')")
    assert own_page.evaluate("localStorage.length") == 1
