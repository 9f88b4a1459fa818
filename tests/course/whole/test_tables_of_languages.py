"""The kit's tables of languages translate sentences that the kit says, and no others."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import autograder
from autograder.language import TABLES

KIT = Path(autograder.__file__).parent
MADE_BY_CODE = re.compile(r"[A-Z][a-z]+( [a-z]+)?|\w+")
"""Names of a status or an outcome, which are written with underscores in the code."""


LEAST_SHARE = 1 / 6
"""So much of a sentence that code composes, such as "only the first row", stands in one text of the code."""


def texts_of_the_kit():
    """Yield every text of the code and of the templates, with brackets where values stand."""
    for path in KIT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
            elif isinstance(node, ast.JoinedStr):
                parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
                yield "".join(map(str, parts))
    for path in KIT.rglob("templates/*"):
        if path.suffix in (".html", ".js", ".css", ".txt", ".svg"):
            yield from re.findall(r'say\("([^"]*)"', path.read_text("utf-8"))


def is_composed(sentence, texts):
    """Return whether code makes a sentence of a text with values in it, or of a text and more."""
    for text in texts:
        parts = re.split(r"\{\w*\}", text.strip())
        letters = len("".join(parts))
        if not LEAST_SHARE * len(sentence) <= letters <= len(sentence):
            continue
        if not all(part in sentence for part in parts):
            continue
        if len(parts) == 1 and sentence.startswith(text):
            return True
        if re.fullmatch(".*".join(map(re.escape, parts)), sentence, re.DOTALL):
            return True
    return False


@pytest.mark.parametrize("path", sorted(TABLES.glob("*.toml")), ids=lambda path: path.stem)
def test_a_table_of_the_kit_has_sentences_of_the_kit_only(path):
    texts = set(texts_of_the_kit())
    unknown = []
    for sentence in tomllib.loads(path.read_text("utf-8")):
        is_known = sentence in texts or MADE_BY_CODE.fullmatch(sentence)
        if not is_known and not is_composed(sentence, texts):
            unknown.append(sentence)
    assert unknown == []
