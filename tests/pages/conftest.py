"""One browser and one class for all tests of pages; they run in one process."""

import pytest
from cli.running import run
from missing import skip_or_fail

from .browsing import PAYLOAD, Watch, find_chromium, launched
from .classes import drawn, grade_corpus, hostile, owners, write_results

FILES, STUDENTS = 4, 12


@pytest.fixture(scope="package")
def browser(class_out, hostile_out):
    """The browser, started when the classes are graded, ended before tests elsewhere run an event loop."""
    if find_chromium() is None:
        missing = "no chromium here: sudo apt-get install chromium, or name one in AUTOGRADER_CHROMIUM"
        skip_or_fail(missing)
    with launched() as opened:
        yield opened


@pytest.fixture
def page(tab):
    """A page; errors, requests that fail or go out, and payloads that run fail the test.

    It is the same one for all tests, empty again: to open a window costs three times what a test does in it.
    """
    opened, watch = tab
    opened.emulate_media(media="null")
    opened.mouse.move(0, 0)
    watch.faults.clear()
    yield opened
    hacked = is_hacked(opened)
    opened.goto("about:blank")
    assert watch.faults == []
    assert not hacked


@pytest.fixture(scope="package")
def tab(browser):
    with browser.new_context() as context:
        opened = context.new_page()
        yield opened, Watch(opened)


@pytest.fixture
def own_page(tab):
    """A page of its own, for what a browser keeps, and what is put in before a page opens.

    The browser's store is emptied before and afterwards, and permissions are taken back: a window with a store
    of its own costs twice as much. The next test has them so also where this one ends with an exception.
    """
    shared, _ = tab
    empty_store(shared)
    opened = shared.context.new_page()
    try:
        watch = Watch(opened)
        yield opened
        hacked = is_hacked(opened)
    finally:
        for page in shared.context.pages:
            if page is not shared:
                page.close()
        shared.context.clear_permissions()
        empty_store(shared)
    assert watch.faults == []
    assert not hacked


def empty_store(page):
    """Remove what pages that are files have kept in the browser."""
    session = page.context.new_cdp_session(page)
    session.send("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"})
    session.detach()


def is_hacked(page):
    return bool(page.evaluate(f"typeof {PAYLOAD} !== 'undefined'"))


@pytest.fixture(scope="package")
def models(course):
    """Results of some files of the corpus, by homework."""
    return grade_corpus(course, FILES, jobs=1)  # a second process would import torch again


@pytest.fixture(scope="package")
def class_out(tmp_path_factory, course, models):
    """A small class: right and wrong answers, written answers, a roster, every status."""
    return _written(tmp_path_factory.mktemp("class"), course, drawn(STUDENTS, models), owners(STUDENTS))


@pytest.fixture(scope="package")
def hostile_out(tmp_path_factory, course, models):
    """A class whose names, sources, outputs and answers try to become more than text."""
    return _written(tmp_path_factory.mktemp("hostile"), course, *hostile(models))


def _written(out, course, *results):
    write_results(out, course, *results)
    assert run("written", out).exit == 0
    assert run("similar", out).exit == 0
    return out
