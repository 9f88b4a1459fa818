"""What runs on students' machines: public checks in their own process, the table, watching and packing.

There are no hidden cases here and no solutions, and nothing that takes long to import.
"""

from __future__ import annotations

from autograder.student.find import bytes_digest, digest
from autograder.student.homework import ARRAYS, CHECKS, HOMEWORK, PACKAGE

__all__ = ["ARRAYS", "CHECKS", "HOMEWORK", "PACKAGE", "bytes_digest", "digest"]
