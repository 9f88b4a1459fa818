"""Bytes of source files as text."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wording import to_staff

from autograder.intake.text import decode

from .makers import is_one_clean_line

TEXT = "# α ≈ 0.5, naïve\nx = 'é'\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
    ],
)
def test_unicode_is_read_with_and_without_a_mark(data):
    decoded = decode(data, "a.py")
    assert (decoded.text, decoded.notes, decoded.problems) == (TEXT, (), ())


def test_the_encoding_named_in_the_file_counts():
    data = "# -*- coding: cp1251 -*-\nx = 'внимание'\n".encode("cp1251")
    decoded = decode(data, "a.py")
    assert "внимание" in decoded.text
    assert decoded.notes == ()


@pytest.mark.parametrize("data", [b"x = 'caf\xe9'\n", b"# coding: ascii\nx = 'caf\xe9'\n"])
def test_other_bytes_are_read_as_latin_1_with_a_note(data):
    decoded = decode(data, "a b.py")
    assert "café" in decoded.text
    assert decoded.notes == (to_staff["text.a-is-not-utf-so-it-was-read"],)


@pytest.mark.parametrize("name", ["no-such-encoding", "punycode", "idna", "unicode_escape", "hex", "rot13"])
def test_an_encoding_that_is_none_for_sources_changes_nothing(name):
    data = f"# coding: {name}\nx = 1\n".encode()
    assert decode(data, "a.py").text == data.decode()


def test_line_ends_of_all_systems_become_line_feeds():
    assert decode(b"a\r\nb\rc\n", "a.py").text == "a\nb\nc\n"


def test_nul_bytes_are_a_problem():
    decoded = decode("x = 1".encode("utf-16-le"), "a.py")
    assert decoded.problems == (to_staff["text.holds-nul-bytes"],)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.text(max_size=20))
def test_arbitrary_bytes_and_names_never_raise(data, name):
    decoded = decode(data, name)
    assert "\r" not in decoded.text
    assert all(map(is_one_clean_line, (*decoded.notes, *decoded.problems)))


@settings(max_examples=60, deadline=None)
@given(st.from_regex(rb"\A#[^\n]{0,5}coding[:=][ ]?[-_.\w]{1,20}\n", fullmatch=True), st.binary(max_size=60))
def test_arbitrary_declared_encodings_never_raise(head, tail):
    assert decode(head + tail, "a.py").text
