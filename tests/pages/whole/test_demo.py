"""The site that shows the kit: a small one is built, its links are followed and its index is looked at."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from ..browsing import WIDTHS, axe_faults, contrast_faults, dead_links, no_sideways_scroll, open_page
from ..demo import INDEX, about_results, build

HOMEWORKS = ("hw1_attention_scores", "hw3_scaled_dot_product_attention")
FELLOWS = ("aiko", "bruno", "carla")

pytestmark = pytest.mark.xdist_group("browser")  # one of the tests needs it, and the site is built only once


@pytest.fixture(scope="module")
def demo(tmp_path_factory, course):
    folder = tmp_path_factory.mktemp("site") / "demo"
    build(folder, course, fellows=FELLOWS, homework_ids=HOMEWORKS, with_sample_class=False)
    return folder


class Links(HTMLParser):
    """The ids of a page, and the addresses that it names."""

    def __init__(self, page):
        super().__init__()
        self.ids = set()
        self.addresses = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value or "")
            if name in ("href", "src"):
                self.addresses.add(value or "")


def test_every_link_of_every_page_leads_to_a_file_and_a_place_of_the_site(demo):
    pages = {path: Links(path) for path in demo.rglob("*.html")}
    dead = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme in ("https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_place = "=" in parts.fragment or not parts.fragment or parts.fragment in pages[target].ids
            if parts.scheme or not target.is_file() or not target.is_relative_to(demo) or not is_place:
                dead.append((path.relative_to(demo), address))
    assert dead == []


def test_it_holds_what_the_index_promises_and_nothing_of_this_machine(demo, course):
    assert len(list(demo.glob("handouts/*/handout.html"))) == len(course.homework_ids())
    assert {path.parent.name for path in demo.glob("class/submissions/*/feedback.html")} == {*FELLOWS}
    assert (demo / "class/report/similar.html").is_file()
    assert len(list(demo.glob("drills/*.zip"))) == 2
    assert not list(demo.rglob("*.sqlite*"))
    for path in demo.rglob("*"):
        if path.suffix in (".html", ".js", ".csv", ".json"):
            text = path.read_text("utf-8")
            assert str(demo.parent) not in text, path
            assert str(course.root) not in text, path


def test_the_index_can_be_read_in_both_schemes_and_widths(demo, page):
    open_page(page, demo / INDEX)
    assert dead_links(page) == []
    for width in WIDTHS:
        open_page(page, demo / INDEX, width)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            faults = axe_faults(page) + contrast_faults(page) + no_sideways_scroll(page)
            assert faults == [], (width, scheme)


def test_a_folder_with_other_files_is_left_alone(tmp_path, course):
    (tmp_path / INDEX).write_text("mine", "utf-8")
    with pytest.raises(SystemExit, match="holds other files"):
        build(tmp_path, course, fellows=())
    assert (tmp_path / INDEX).read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("status", "checks", "about"),
    [
        ("graded", [("passed", []), ("passed", [])], "every check passed"),
        ("graded", [("passed", []), ("failed", ["no-scaling"])], "wrong, with the mistake named"),
        ("graded", [("failed", [])], ""),
        ("time_limit", [("failed", ["no-scaling"])], "a loop that never ends costs only its own task"),
        ("not_submitted", [], ""),
    ],
)
def test_visitors_see_one_submission_of_each_kind(status, checks, about):
    tests = [{"status": outcome, "extra_data": {"misconceptions": labels}} for outcome, labels in checks]
    assert about_results({"extra_data": {"status": status}, "tests": tests}) == about
