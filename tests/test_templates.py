import sys

import jinja2
import pytest
from wording import to_authors

from autograder.templates import CompiledTemplates, fill, render


def test_html_is_escaped_and_other_text_is_not():
    assert "<title>a &lt; b</title>" in render(
        "autograder.authoring", "page.html", title="a < b", body="", contents="", font="", start=""
    )
    assert fill("{{ a }}\n", {"a": "<b>"}) == "<b>\n"


def test_a_missing_value_is_an_error():
    with pytest.raises(jinja2.UndefinedError, match="options"):
        render("autograder.authoring", "run_autograder")
    with pytest.raises(ValueError, check=to_authors["templates.b-is-undefined-the-known"]):
        fill("{{ b }}", {"a": 1})


def test_a_text_that_is_no_template_is_refused_with_its_line():
    with pytest.raises(ValueError, match="line 2: "):
        fill("\n{{ a: b }}", {})


def test_a_template_is_compiled_once_for_all_processes(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    compiled = []
    really_compile = jinja2.Environment.compile

    def compile_and_count(engine, source, *arguments, **keywords):
        compiled.append(source)
        return really_compile(engine, source, *arguments, **keywords)

    monkeypatch.setattr(jinja2.Environment, "compile", compile_and_count)

    def read():
        loader = jinja2.FileSystemLoader(tmp_path)
        engine = jinja2.Environment(loader=loader, bytecode_cache=CompiledTemplates(tmp_path))
        return engine.get_template("a.txt").render()

    (tmp_path / "a.txt").write_text("one", "utf-8")
    assert [read(), read()] == ["one", "one"]
    assert len(compiled) == 1
    (tmp_path / "a.txt").write_text("two", "utf-8")
    assert read() == "two"
    (cached,) = (tmp_path / "__pycache__").iterdir()
    cached.write_bytes(b"not bytecode")
    assert read() == "two"
