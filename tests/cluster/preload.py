"""Run by each worker of the test cluster at its start: puts the tiny homework's checks in their place."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import tiny

sys.modules[tiny.GRADERS] = tiny.graders_module()
