"""Reading what people hand in: submissions in folders, zips and platforms' downloads, rosters, CSV tables.

Everything here is read as data, under limits of size, number and depth. No code of a submission is run, and
no particular homework is known: stub names and task names are given by the caller.
"""

from typing import TYPE_CHECKING

from autograder.faces import on_demand

if TYPE_CHECKING:
    from .csv_table import Cell, as_read, decimal, number, read_table, replacing, safe, write_table
    from .discover import find_entries
    from .files import read_files
    from .limits import Intake
    from .matching import UNCLEAR, match
    from .naming import fit, listed
    from .notebook import notebook_tree, parse_notebook, read_script
    from .roster import Matching, Roster, Student, match_roster, read_roster, team_name
    from .submission import (
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
    from .text import Script
    from .zips import EPOCH, read_below, read_zip, zipped
else:
    __getattr__ = on_demand(__name__)
