"""A grader in a process of its own: runs the code it is given at one level and prints the report as JSON.

Called as ``python driver.py LEVEL LIBRARY SOURCE``, where a level is a name or layers joined by ``+``; with
``--announce`` it prints its sandbox's process id before the run, for tests that end this process then.
"""

import json
import sys

from autograder.sandbox.levels import LEVELS, Level
from autograder.sandbox.request import Code, Limits, Request
from autograder.sandbox.warm import WarmSandbox


def main(level: str, library: str, source: str, *options: str) -> None:
    levels = {level.name: level for level in LEVELS}
    sandbox = WarmSandbox(library, levels.get(level) or Level(level, tuple(level.split("+")), ""))
    if "--announce" in options:
        print(sandbox._process.pid, flush=True)
    code = Code("submission.py", {"submission.py": source})
    report = sandbox.run(Request(code, [], library, Limits(seconds=60, cpu_seconds=60)))
    error = report.load_error.message if report.load_error else ""
    print(
        json.dumps(
            {
                "layers": sandbox.layers,
                "status": report.status,
                "detail": f"{report.detail} {error}".strip(),
                "output": report.output,
            }
        )
    )
    sandbox.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
