"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CourseOption = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="The course's folder; by default the one around here."),
]
