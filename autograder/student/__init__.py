"""What runs on students' machines: public checks in their own process, the table, watching and packing.

There are no hidden cases here and no solutions, and nothing that takes long to import.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .bootstrap import ARCHIVE
    from .find import bytes_digest, digest
    from .homework import ARRAYS, CHECKS, DATA, HOMEWORK
else:
    __getattr__ = on_demand(__name__)
