"""Zips with the same bytes for the same files, and the files that go into them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE, EXECUTABLE = 3, 0o100644 << 16, 0o100755 << 16


def zipped(files: Mapping[str, bytes], top: str = "", executable: Collection[str] = ()) -> bytes:
    """Return a zip of the files, in one folder if ``top`` names it; the ``executable`` ones are programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}" if top else name, EPOCH)
            entry.create_system = UNIX
            entry.external_attr = EXECUTABLE if name in executable else READABLE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def files_below(folder: Path) -> dict[str, Path]:
    """Return the files below a folder by their paths in it, without those that tools leave behind."""
    named = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name.as_posix(): path
        for name, path in named.items()
        if not any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    }
