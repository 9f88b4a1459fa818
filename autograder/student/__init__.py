"""What runs on students' machines: public checks in their own process, the table, watching and packing.

There are no hidden cases here and no solutions, and nothing that takes long to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.student.find import bytes_digest, digest
    from autograder.student.homework import ARRAYS, CHECKS, HOMEWORK, PACKAGE
else:
    __getattr__ = on_demand(__name__)

__all__ = ["ARRAYS", "CHECKS", "HOMEWORK", "PACKAGE", "bytes_digest", "digest"]
