"""The language that students read. Sentences are written in English, and a table has their translations.

    say("`{name}` is not defined.", name=name)

The English sentence is the key in the table. What the table lacks stays English. The kit's tables are
``languages/CODE.toml``; a course and its homeworks add theirs, see ``Course.language``.

Students' machines import this module, so it needs nothing but the standard library.
"""

from __future__ import annotations

import contextlib
import functools
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

TABLES = Path(__file__).parent / "languages"
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False)
class Language:
    """A language and its table.

    Attributes:
        code: as HTML names it, such as ``de``.
        texts: the translation of each English text.
    """

    code: str = "en"
    texts: Mapping[str, str] = field(default_factory=dict)

    def translated(self, text: str) -> str:
        """Return the translation of an English text, or the text itself where there is none."""
        return self.texts.get(text, text)

    def translated_lines(self, text: str) -> str:
        """Translate each line by itself, without its margin and the marks of comments and docstrings."""
        lines = []
        for line in text.split("\n"):
            words = words_of_line(line)
            if words:
                line = line.replace(words, self.translated(words))
            lines.append(line)
        return "\n".join(lines)

    def with_texts(self, texts: Mapping[str, str]) -> Language:
        """Return the language with further translations, which come before its own."""
        return replace(self, texts={**self.texts, **texts})

    def path(self, path: Path) -> Path:
        """Return where the translation of a file is: ``handout.de.md`` next to ``handout.md``."""
        return path.with_suffix(f".{self.code}{path.suffix}")

    def existing_path(self, path: Path) -> Path:
        """Return the file's translation, or the file itself where there is none."""
        translation = self.path(path)
        if translation.is_file():
            return translation
        return path


ENGLISH = Language()
_spoken = ContextVar("language", default=ENGLISH)


@functools.cache
def language_of(code: str) -> Language:
    """Return a language with the kit's own table, which is empty for a language that the kit does not know."""
    if code == ENGLISH.code:
        return ENGLISH
    path = TABLES / f"{code}.toml"
    if not path.is_file():
        return Language(code)
    return Language(code, tomllib.loads(path.read_text("utf-8")))


@contextlib.contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Let ``say`` speak a language within the block."""
    token = _spoken.set(language)
    try:
        yield
    finally:
        _spoken.reset(token)


def in_language(function: F) -> F:
    """Decorate a function or method that speaks the ``language`` of its first argument."""

    @functools.wraps(function)
    def in_language_of(owner: Any, *args: Any, **kwargs: Any) -> Any:
        with speaking(owner.language):
            return function(owner, *args, **kwargs)

    return cast(F, in_language_of)


def spoken() -> Language:
    """Return the language that ``say`` speaks."""
    return _spoken.get()


def say(sentence: str, /, **values: object) -> str:
    """Return a sentence in the student's language.

    Args:
        sentence: the English sentence, with ``{name}`` where a value stands.
        values: the values, which are in the student's language already.
    """
    text = _spoken.get().translated(sentence)
    if not values:
        return text
    return text.format(**values)


def words_of_line(line: str) -> str:
    """Return a line of code or of a docstring without its margin and the marks around a comment or docstring."""
    return line.strip().removeprefix("# ").strip('"')


def places_in(sentence: str) -> set[str]:
    """Return the places for values in a sentence as they are written, such as ``{points:g}``.

    Raises:
        ValueError: a bracket is not closed, or not opened.
    """
    places = set()
    for _, name, form, conversion in string.Formatter().parse(sentence):
        if name is None:  # the text after the last place
            continue
        place = name
        if conversion:
            place += f"!{conversion}"
        if form:
            place += f":{form}"
        places.add(f"{{{place}}}")
    return places
