"""Entries of a class that try to stop or stall the side that reads and judges."""

import io
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from intake.makers import nested_folders

from .attack import corpus

STUB = "attention_scores.py"
IMPORTED = ("multiprocessing", "math", "socket", "json", "numpy", "typer", "sqlite3")
"""Modules that the grader imports; hand-ins of these names leave a file behind when it imports them."""

ANSWERS = {
    "booleans": "np.ones((2, 2), bool)",
    "condition": "Q @ K.T > 0",
    "big-integers": "[[2**100] * len(K)] * len(Q)",
    "mixed-integers": "[[2**63, -1] * len(K)] * len(Q)",
    "objects": "np.array([[None, 1]] * len(Q))",
    "long-list": "[0] * 1_250_000",
    "long-nested-list": "[[[0]]] * 400_000",
    "unsigned": "np.full((len(Q), len(K)), 2**64 - 1, np.uint64)",
    "wide-empty": "np.empty((1 << 36, 0))",
    "many-empty": "[np.empty((1 << 36, 0))] * 1000",
    "complex-nan": "np.full((len(Q), len(K)), complex('nan'))",
    "dictionary": "{i: {j: i * j for j in range(99)} for i in range(999)}",
    "text": "'9' * 20_000_000",
}

ONE = '{"dict": {"value": null, "modified": %s, "parameters": %s, "seconds": 0.0}}'
FLOOD = '{"list": [%s]}'
FACTS = '{"dict": {"qk_scores": {"dict": {"parameters": %s, "globals_read": %s, "sizes": {"dict": {}}}}}}'
NOTHING, NAMES, WIDE = FLOOD % "", FLOOD % ", ".join(['"x"'] * 400_000), '{"array": "a"}'
FAILED = '{"dict": {"cell": 1, "type": "E", "message": "", "file": null, "line": null}}'

REPLIES = {
    "modified": ('{"dict": {}}', NOTHING, ONE % (WIDE, '{"dict": {}}')),
    "parameters": ('{"dict": {}}', NOTHING, ONE % (NOTHING, WIDE)),
    "facts": (FACTS % (WIDE, WIDE), NOTHING, "null"),
    "names": (FACTS % (NAMES, NAMES), NOTHING, "null"),
    "cells": ('{"dict": {}}', WIDE, "null"),
    "many-cells": ('{"dict": {}}', FLOOD % ", ".join([FAILED] * 40_000), "null"),
}
"""Forged by the process of a submission: facts about functions, failed cells, and one result, in turn."""

FORGE = """
import os
import posix
from safetensors.numpy import save

HEADER = '{{"dict": {{"error": null, "functions": {}, "stops": {}, "results": {{"list": [{}]}}}}}}'
os.pwrite(201, HEADER.encode() + bytes([10]) + save({{"a": np.empty((1 << 30, 0))}}), 0)
posix._exit(0)
"""

MODULES = {
    "outside-sizes": "\n".join(f"n{i} = 5" for i in range(3000))
    + "\n\ndef qk_scores(Q, K):\n    return np.zeros(("
    + " + ".join(f"n{i}" for i in range(3000))
    + ", 1))\n",
    "sleeps-when-asked-again": "import time\nN = 5\n\ndef qk_scores(Q, K):\n    time.sleep(0.5)\n"
    "    return np.zeros((N, N))\n",
    "prints": "print('x' * 1_000_000_000)\n",
    "long-lines": "x = '" + "a" * 3_000_000 + "'\n",
    "deep": "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "semicolons": "%time 1\n" + ";" * 1900 + "\n" + (";" * 500 + "\n") * 100,
    "magics": "!ls\n" * 20_000,
}


def _write(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / STUB).write_text(f"import numpy as np\n\n{text}", encoding="utf-8")

    return write


def _notebook(folder: Path, cells: list[str]) -> None:
    tree = {"cells": [{"cell_type": "code", "source": source} for source in cells], "nbformat": 4}
    (folder / "attention_scores.ipynb").write_text(json.dumps(tree), encoding="utf-8")


def _zip(names: list[str], *, directories: bool = False) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in names:
            archive.writestr(name + "/" * directories, b"")
    return packed.getvalue()


def _zips_of_folders(folder: Path) -> None:
    inner = _zip([f"{i:x}" for i in range(60_000)], directories=True)
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(20):
            archive.writestr(f"{number}.zip", inner)


def _sparse(folder: Path) -> None:
    with (folder / STUB).open("wb") as file:
        file.truncate(1 << 40)


def _many_files(folder: Path) -> None:
    for number in range(1500):
        (folder / f"attention_scores ({number}).py").write_text(f"x = {number}\n", encoding="utf-8")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / STUB)


FILES: Mapping[str, Callable[[Path], None]] = {
    "failing-cells": lambda folder: _notebook(folder, ["1 / 0"] * 14_000),
    "cells-of-semicolons": lambda folder: _notebook(folder, ["%time 1\n" + (";" * 300 + "\n") * 50] * 300),
    "deep-notebook": lambda folder: (folder / "attention_scores.ipynb").write_text("[" * 200_000),  # type: ignore
    "combining-names": lambda folder: (folder / "a.zip").write_bytes(_zip(["\u0300" * 30_000 + ".py"])),  # type: ignore
    "zips-of-folders": _zips_of_folders,
    "deep-folders": nested_folders,
    "sparse-file": _sparse,
    "many-files": _many_files,
    "pipe": _pipe,
    "link-to-memory": lambda folder: (folder / STUB).symlink_to("/proc/self/pagemap"),
    "link-to-nowhere": lambda folder: (folder / STUB).symlink_to("/" + "x/" * 1500),
    "link-to-the-root": lambda folder: (folder / "everything").symlink_to("/"),
    "yaml": lambda folder: (folder / "submission_metadata.yml").write_text("[" * 413),  # type: ignore
    "course": lambda folder: _course(folder),
}


def _course(folder: Path) -> None:
    """A course of its own, whose cases would run unconfined if it were taken for the one to grade by."""
    homework = folder / "solutions" / "hw1_attention_scores"
    homework.mkdir(parents=True)
    (homework / "homework.toml").write_text('title = "x"\n', encoding="utf-8")
    (homework / "cases.py").write_text("open('imported', 'w')\n", encoding="utf-8")


def hostile_entries() -> dict[str, Callable[[Path], None]]:
    """Return by name what writes each entry into its folder."""
    answers = {
        f"answer-{name}": _write(f"def qk_scores(Q, K):\n    return {expression}\n")
        for name, expression in ANSWERS.items()
    }
    modules = {f"module-{name}": _write(text) for name, text in MODULES.items()}
    replies = {f"reply-{name}": _write(FORGE.format(*parts)) for name, parts in REPLIES.items()}
    older = {
        f"older-{submission.name.replace('/', '-')}": _write(submission.source)
        for submission in corpus()
        if submission.form == "file"
        and "time_limit" not in submission.status
        and submission.homework == "hw1_attention_scores"
    }
    return {
        **{f"file-{name}": write for name, write in FILES.items()},
        **answers,
        **modules,
        **replies,
        **older,
    }


def write_on_top(folder: Path, marker: Path) -> None:
    """Write what lies in the class folder itself: hand-ins named like modules, a table, odd names."""
    for name in IMPORTED:
        text = f"open({str(marker)!r}, 'w').write(__name__)\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "submission_metadata.yml").write_text("[" * 413, encoding="utf-8")
    (folder / "conftest.py").write_text(f"open({str(marker)!r}, 'w')\n", encoding="utf-8")
    for odd in (" ..", "...", "=cmd()", "a;=cmd()", "x\ty", "<script>alert(1)"):
        (folder / odd).mkdir()
        (folder / odd / STUB).write_text("x = 1\n", encoding="utf-8")
