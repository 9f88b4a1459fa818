"""The trusted side of the wall: worker processes of an isolation level, requests to them, reports from them.

What comes out of here was written by untrusted code; it has been parsed, checked for its types and counted,
and nothing more. Expected values never come in.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .cold import ColdSandbox
    from .levels import LEVELS, Level, Offer, offers, strongest_level
    from .pool import SandboxPool, in_parallel
    from .report import (
        Answer,
        Answers,
        FunctionFacts,
        Operand,
        RunReport,
        Status,
        Stop,
        StudentError,
        escaped,
        plain,
        read_answer,
        read_facts,
        read_stop,
        visible,
    )
    from .request import WORKER_ENVIRONMENT, Cell, Code, Limits, Request, SharedCalls
    from .warm import LayerRefusedError, WarmSandbox
else:
    __getattr__ = on_demand(__name__)
