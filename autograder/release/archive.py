"""Zips that have the same bytes each time: sorted names, one date, one kind of compression."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection, Mapping

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
