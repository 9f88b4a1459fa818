"""Reading what people hand in: submissions in folders, zips and platforms' downloads, rosters, CSV tables.

Everything here is read as data, under limits of size, number and depth. No code of a submission is run, and
no particular homework is known: stub names and task names are given by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from autograder.intake.csv_table import Cell, as_read, decimal, number, read_table, safe, write_table
    from autograder.intake.discover import find_entries
    from autograder.intake.files import read_files
    from autograder.intake.matching import UNCLEAR, match
    from autograder.intake.naming import fit, listed
    from autograder.intake.notebook import parse_notebook, read_script
    from autograder.intake.roster import Matching, Roster, Student, match_roster, read_roster
    from autograder.intake.submission import (
        Entry,
        Layout,
        Matched,
        Owner,
        Part,
        Problem,
        ReadResult,
        Sought,
        SourceFile,
        SubmissionError,
    )
    from autograder.intake.text import Script
else:
    __getattr__ = on_demand(__name__)
