"""Pages in a headless browser: opening them, and what is wrong with the page that is open."""

import functools
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

FAULTS = Path(__file__).with_name("faults.js")
WIDTHS = (1280, 400)
UNNAMED_ROLES = {
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "spinbutton",
    "slider",
}
MOST_TABS = 150
MOST_SECONDS = 20
AXE_OPTIONS = {
    "resultTypes": ["violations"],
    "preload": False,  # it would fetch style sheets, which a page that is a file may not
    "rules": {"color-contrast": {"enabled": False}},  # faults.js measures it, in drawings too
}
WATCH_FOCUS = """() => {
    window.focusSeen = new Map();
    document.addEventListener("focusin", ({target}) => {
        if (!focusSeen.has(target)) focusSeen.set(target, faults.unseenFocus());
    });
}"""
"""Keeps what had the focus, and what of it does not show that."""
PAYLOAD = "window.__hacked"
"""What hostile texts of the tests would set if anything in them were run."""


def find_chromium() -> str | None:
    """Return the browser to use; playwright's own downloads are never used."""
    return (
        os.environ.get("AUTOGRADER_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )


@contextmanager
def launched() -> Iterator[Browser]:
    """Yield a headless browser.

    While it runs, this thread counts as one that runs an event loop: end it before others start theirs.
    """
    without_wall = ["--no-sandbox"] if os.geteuid() == 0 else []  # as root, Chromium starts in no other way
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=without_wall)
        yield browser
        browser.close()


class Watch:
    """Keeps what goes wrong on a page while it is open."""

    def __init__(self, page: Page) -> None:
        self.faults: list[str] = []
        note = self.faults.append
        page.on(
            "console", lambda message: note(f"console: {message.text}") if message.type == "error" else None
        )
        page.on("pageerror", lambda error: note(f"error: {error}"))
        page.on("requestfailed", lambda request: note(f"failed: {request.url}"))
        page.on(
            "request", lambda request: None if _is_local(request.url) else note(f"network: {request.url}")
        )
        page.on("dialog", lambda dialog: (note(f"dialog: {dialog.message}"), dialog.dismiss()))


def _is_local(url: str) -> bool:
    return urlsplit(url).scheme in ("file", "data", "blob")


def open_page(page: Page, path: Path, width: int = 1280, *, dark: bool = False, fragment: str = "") -> Page:
    """Open a file from its folder, as a browser does."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.goto(path.resolve().as_uri() + fragment)
    page.evaluate(FAULTS.read_text("utf-8"))
    return page


def assert_soon(read: Callable[[], object], expected: object) -> None:
    """Assert that the page comes to show this: what a click changes may follow a moment later."""
    last = time.monotonic() + MOST_SECONDS
    while (value := read()) != expected and time.monotonic() < last:
        time.sleep(0.02)
    assert value == expected, f"{value} instead of {expected}"


def faults(page: Page, kind: str) -> list[str]:
    """Return what ``faults.js`` finds: contrast, wide, unreachable, outline, wordless or nameless."""
    return list(page.evaluate(f"faults.{kind}()"))


def unfold(page: Page) -> None:
    """Open everything that is folded away."""
    page.evaluate("faults.unfold()")
    page.evaluate(
        "new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))"
    )  # what is made then


def no_sideways_scroll(page: Page) -> list[str]:
    """Return what makes the page wider than its window."""
    return faults(page, "wide")


def contrast_faults(page: Page) -> list[str]:
    """Return visible texts below the ratios of WCAG AA: 4.5, for large text 3."""
    return faults(page, "contrast")


def axe_faults(page: Page) -> list[str]:
    """Return what axe-core finds in the page as it stands, best practices for headings and landmarks included."""
    faults_of_axe = []
    for violation in _axe().run(page, options=AXE_OPTIONS).response["violations"]:
        for node in violation["nodes"]:
            if violation["id"] == "empty-table-header" and "<math" in node["html"]:
                continue  # axe-core does not read MathML, which screen readers do
            faults_of_axe.append(f"{violation['id']}: {node['html'][:120]}")
    return faults_of_axe


@functools.cache
def _axe() -> Any:
    from axe_playwright_python.sync_playwright import Axe

    return Axe()  # reads half a megabyte of script


def unnamed(page: Page) -> list[str]:
    """Return the links and controls that a screen reader could only call by their kind."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    visible = [
        node for node in nodes if not node["ignored"] and node["role"]["value"].lower() in UNNAMED_ROLES
    ]
    return [
        f"a {node['role']['value']} without a name"
        for node in visible
        if not node.get("name", {}).get("value", "").strip()
    ]


def keyboard_faults(page: Page) -> list[str]:
    """Return what the mouse can do and the Tab key cannot, and where one does not see the focus."""
    faults_found = faults(page, "unreachable")
    expected = page.evaluate("faults.tabbable()")
    if expected > MOST_TABS:
        return faults_found
    page.evaluate("document.activeElement.blur()")
    page.evaluate(WATCH_FOCUS)
    for _ in range(expected + 5):
        page.keyboard.down("Tab")  # held, as it were: that it is let go each time costs as much again
    page.keyboard.up("Tab")
    seen = page.evaluate("[...focusSeen.values()]")
    faults_found += [f"focus is not seen on {unseen}" for unseen in seen if unseen]
    visited = len(seen)
    if visited < expected:
        faults_found.append(f"Tab reaches {visited} of {expected} controls")
    return faults_found


def dead_links(page: Page) -> list[str]:
    """Return links to files that are not there, or to places that the file does not have."""
    here, dead = urlsplit(page.url).path, []
    for link in dict.fromkeys(page.evaluate("faults.links()")):
        parts = urlsplit(link)
        path, place = Path(unquote(parts.path)), unquote(parts.fragment)
        if parts.scheme not in ("file", ""):
            if parts.scheme not in ("https", "mailto", "data", "blob"):
                dead.append(link)
        elif not path.is_file():
            dead.append(f"{link}: no such file")
        elif "=" in place:
            continue  # what to show on the page, which its own tests follow
        elif place and parts.path == here:
            if not page.evaluate("place => document.getElementById(place) !== null", place):
                dead.append(f"#{place}: no such place")
        elif place and place not in _places(path):
            dead.append(f"{link}: no such place")
    return dead


@functools.cache
def _places(path: Path) -> frozenset[str]:
    """The ids in the text of a page."""
    return frozenset(re.findall(r"""\bid=["']?([^"'\s>]+)""", path.read_text("utf-8")))
