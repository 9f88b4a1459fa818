from __future__ import annotations

import jinja2
import pytest
from wording import to_authors

from autograder.templates import fill, render


def test_html_is_escaped_and_other_text_is_not() -> None:
    assert "<title>a &lt; b</title>" in render(
        "autograder.authoring", "page.html", title="a < b", body="", contents="", font="", start=""
    )
    assert fill("{{ a }}\n", {"a": "<b>"}) == "<b>\n"


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="options"):
        render("autograder.authoring", "run_autograder")
    with pytest.raises(ValueError, check=to_authors["templates.b-is-undefined-the-known"]):
        fill("{{ b }}", {"a": 1})


def test_a_text_that_is_no_template_is_refused_with_its_line() -> None:
    with pytest.raises(ValueError, match="line 2: "):
        fill("\n{{ a: b }}", {})
