"""What pyproject.toml cannot say: the homeworks come along in the wheel, as data beside its code.

There, below ``share``, no submission can read them, as it could in the folder of packages. With an editable
install, ``autograder init`` reads the clone.
"""

import sys
from collections import defaultdict
from pathlib import Path

from setuptools import setup

SHARE = "share/attention-homework-kit"
files: dict[str, list[str]] = defaultdict(list)
tops = ("assignments", "reference_outputs", "solutions", "tests/corpus")
for top in tops if "editable_wheel" not in sys.argv else ():
    for path in sorted(Path(top).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            files[f"{SHARE}/{path.parent.as_posix()}"].append(path.as_posix())
setup(data_files=[*files.items()])
