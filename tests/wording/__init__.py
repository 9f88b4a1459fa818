"""What the kit says, pinned in one file per audience, so that a better sentence costs one line.

A test compares with an entry instead of a sentence:

    assert reason == to_students["errors.softmax-is-not-defined"]
    assert to_staff["match.left-out"].among(problems)
    with pytest.raises(CourseError, check=to_authors["store.take-it-back"]):

Equality asks for the whole text. In an entry ``{tmp}`` is the folder of the test, ``{root}`` the kit's own,
and ``{...}`` anything: what another machine or version of a library says otherwise. ``{name}`` is a value of
the test: ``entry.given(name=name)``. ``entry in output`` asks for a part of a long text, literally.

``pytest --accept-wording`` writes what is said now into the entries that were compared as a whole, where it
resembles what stood there; an entry that is new or was deleted takes any text, and one that is compared with
several gets ``{...}`` where they differ. Read the difference.
"""

from __future__ import annotations

import difflib
import json
import re
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from filelock import FileLock

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
SAME_SENTENCE = 0.4  # how much of the old text a new one keeps at least


class Session:
    """What pytest knows of this run: set by ``tests/conftest.py``."""

    accept = False
    folder = Path("/nowhere")


class Entry(str):
    """The pinned text of an id; callable, so that it is a check of ``pytest.raises``."""

    audience: Audience
    id: str
    values: Mapping[str, object] = {}

    def given(self, **values: object) -> Entry:
        """The same entry, in whose text ``{name}`` is what this test gives by that name."""
        entry = self.audience[self.id]
        entry.values = values
        return entry

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str) and hasattr(other, "staff"):  # two texts in one
            other = other.text if self.audience.name == "students" else other.staff
        if not isinstance(other, str) or isinstance(other, Entry):
            return other is self
        text = without_paths(other)
        for name, value in self.values.items():
            text = text.replace(str(value), f"{{{name}}}")
        pattern = ".*".join(map(re.escape, str(self).split("{...}")))
        if re.fullmatch(pattern, text, re.DOTALL):
            self.audience.heard.add(self.id)
            return True
        return Session.accept and self.audience.accept(self.id, text)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __call__(self, error: BaseException) -> bool:
        assert self == str(error), f"{self!r} is pinned, said was: {error}"
        return True

    def among(self, other: Iterable[str]) -> bool:
        """Tell whether it is one of several texts, of which the most similar one is accepted."""
        return self == max(other, key=self._similarity, default=None)

    def _similarity(self, other: str) -> float:
        return difflib.SequenceMatcher(None, self, without_paths(other)).ratio()

    def __repr__(self) -> str:
        return f'to_{self.audience.name}["{self.id}"]: {str.__repr__(self)}'

    __hash__ = str.__hash__


class Audience:
    """All that is said to one kind of reader."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.path = FOLDER / f"{name}.toml"
        self.heard: set[str] = set()  # ids that were compared in this session

    @cache  # noqa: B019 (the audiences live as long as the process)
    def texts(self) -> dict[str, str]:
        return read(self.path)

    def __getitem__(self, entry_id: str) -> Entry:
        if entry_id not in self.texts() and not Session.accept:
            raise KeyError(f"{self.path} has no {entry_id}: pytest --accept-wording writes it")
        entry = Entry(self.texts().get(entry_id, ""))
        entry.audience, entry.id = self, entry_id
        return entry

    def accept(self, entry_id: str, text: str) -> bool:
        """Write the text of an entry, unless it is plainly another sentence."""
        before = self.texts().get(entry_id)
        if before is not None and difflib.SequenceMatcher(None, before, text).ratio() < SAME_SENTENCE:
            return False
        with FileLock(Path(tempfile.gettempdir(), "accept-wording.lock")):  # other test processes write too
            now = read(self.path)
            said_already = entry_id in self.heard or now.get(entry_id) != before
            self.texts()[entry_id] = in_common(now[entry_id], text) if said_already else text
            write(self.path, now | {entry_id: self.texts()[entry_id]})
        self.heard.add(entry_id)
        return True


def without_paths(text: str) -> str:
    """The text with the folders of this test and of the kit by name."""
    return re.sub(rf"{re.escape(str(Session.folder))}/[\w.-]+", "{tmp}", text).replace(str(ROOT), "{root}")


def in_common(first: str, other: str) -> str:
    """What two texts share, word by word, with ``{...}`` where they differ."""
    words, others = (re.findall(r"\{\.\.\.\}|\w+|.", text, re.DOTALL) for text in (first, other))
    parts = []
    for tag, start, end, *_ in difflib.SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        part = "".join(words[start:end])
        by_chance = start and end < len(words) and not re.search(r"\w{3}", part)
        parts.append("{...}" if tag != "equal" or by_chance else part)
    return re.sub(r"(\{\.\.\.\}){2,}", "{...}", "".join(parts))


def read(path: Path) -> dict[str, str]:
    groups = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    return {f"{group}.{key}": text for group, entries in groups.items() for key, text in entries.items()}


def write(path: Path, texts: dict[str, str]) -> None:
    lines: list[str] = []
    for entry_id, text in sorted(texts.items()):
        group, key = entry_id.split(".")
        if f"[{group}]" not in lines:
            lines += [*([""] if lines else []), f"[{group}]"]
        rows = [json.dumps(row, ensure_ascii=False)[1:-1] for row in text.split("\n")]
        lines.append(f'{key} = "{rows[0]}"' if len(rows) == 1 else "\n".join([f'{key} = """', *rows]) + '"""')
    path.write_text("\n".join(lines) + "\n", "utf-8")


to_students, to_staff, to_authors = Audience("students"), Audience("staff"), Audience("authors")
