"""The student's side of the wall: everything that runs in the process of a submission.

It reads a request, loads a submission from memory, makes the calls and packs the answer. It imports no other
package of ``autograder``, since it runs where those cannot be read. This face offers what it shares with the
trusted side, such as the wire format, and with the checks on students' machines.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .calls import MAX_ENTRIES, MAX_KEY, MAX_TEXT
    from .errors import (
        NO_ANSWER_EXIT,
        OUT_OF_MEMORY_EXIT,
        SHAPES_ARE,
        SUBMISSION_ROOT,
        describe_error,
        is_submitted,
    )
    from .globals_read import LARGEST_SIZE, describe_functions
    from .inert import INERT_PACKAGES, InertFinder, install_inert_modules
    from .load import LARGEST_PART, MOST_STOPS, SubmittedFiles, load_code
    from .runner import RECURSION_LIMIT, attempt, reset, states
    from .scratch import ScratchFolder
    from .wire import (
        MAX_DIMENSIONS,
        MAX_EXTENT,
        NUMERIC_KINDS,
        Array,
        Bag,
        Masked,
        Tensor,
        Unsendable,
        WireError,
        decode,
        encode,
        pack,
        unpack,
    )
else:
    __getattr__ = on_demand(__name__)
