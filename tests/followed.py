"""Pages of docs/ that tests follow: the blocks of a page, and whether a command answers what is shown."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(r"(?:^(All of|In) `([^`]+)`:\n\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = (  # what another machine, or a faster one, says otherwise
    (r"\d+(\.\d+)? ?(s|seconds|KiB|MB)\b", "N \\2"),
    (r"^Protection: .*$", "Protection: …"),
)
LEFT_OUT, HOME = "…", "/home/you"


@dataclass(frozen=True)
class Step:
    """A block of the page: a file to write, a part of one to replace, or commands with their answers."""

    how: str
    path: str
    language: str
    text: str


def steps(page: str) -> list[Step]:
    text = (DOCS / page).read_text("utf-8")
    return [Step(*(part or "" for part in fence.groups())) for fence in FENCE.finditer(text)]


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the answer that is shown."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, answer = part.partition("\n")
        yield command, answer


def normal(text: str, root: Path) -> list[str]:
    text = text.replace(str(root), HOME)
    for pattern, instead in VARIES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def is_shown(text: list[str], lines: list[str]) -> bool:
    """Whether the lines are those that are shown, with any number of lines in place of a line `…`."""
    pattern = "".join(r"(?:.*\n)*?" if line == LEFT_OUT else f"{re.escape(line)}\n" for line in lines)
    return bool(re.fullmatch(pattern.replace(re.escape(LEFT_OUT), ".*"), "\n".join([*text, ""])))


ROOT = DOCS.parent
CONSOLE = re.compile(r"^ *```console\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def documents() -> list[Path]:
    """The README, CONTRIBUTING and every page of docs/."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]


def console_blocks(document: Path) -> list[list[str]]:
    """Return the commands of each console block of a document, without the answers that are shown."""
    blocks = []
    for text in CONSOLE.findall(document.read_text("utf-8")):
        if re.search(r"^ *\$ ", text, re.MULTILINE):
            lines = [command for command, _ in commands(text)]
        else:
            lines = text.replace("\\\n", "").splitlines()
        blocks.append([re.sub(r"\s+# .*", "", line).strip() for line in lines])
    return blocks
