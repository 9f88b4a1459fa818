"""Write the kit's own zips: for students, for platforms and for other machines."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX, READABLE, EXECUTABLE = 3, 0o100644 << 16, 0o100755 << 16


def zipped(
    files: Mapping[str, bytes],
    top: str = "",
    executable: Collection[str] = (),
    ending: str = "",
) -> bytes:
    """Return a zip of some files; the same files give the same bytes.

    Args:
        files: their contents by path.
        top: the folder to put them into, if any.
        executable: the paths of programs.
        ending: text that the last bytes of the zip consist of.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.comment = ending.encode()
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{top}/{name}" if top else name, EPOCH)
            entry.create_system = UNIX
            entry.external_attr = EXECUTABLE if name in executable else READABLE
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def read_below(folder: Path, under: str = "") -> dict[str, bytes]:
    """Return the files below a folder of the kit or the course, without hidden files and caches.

    Their paths are relative to the folder and begin with ``under``.
    """
    files = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in relative.parts)
        if path.is_file() and not is_hidden and "__pycache__" not in relative.parts:
            files[under + relative.as_posix()] = path.read_bytes()
    return files
