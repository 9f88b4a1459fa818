"""A school's own platform, from its download to the table that it imports: the example of docs/lms.md."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from intake.makers import folder_of

DOCS = Path(__file__).resolve().parents[2] / "docs" / "lms.md"


def example(language):
    """The example of the page in this language."""
    section = DOCS.read_text("utf-8").partition("## Adding a platform")[2]
    [text] = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(text)


def install(site, program, entry_points):
    """Put a distribution where Python finds it."""
    folder_of(
        site,
        {
            "campus_platform.py": program,
            "campus_platform-1.0.dist-info/METADATA": "Name: campus-platform\nVersion: 1.0\n",
            "campus_platform-1.0.dist-info/entry_points.txt": entry_points,
        },
    )


def autograder(site, *arguments):
    """Run the command in a process of its own, which sees the distribution from the start."""
    command = [sys.executable, "-P", "-m", "autograder", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def site(tmp_path):
    """The folder of a distribution that adds the platform of the example."""
    header, _, line = example("toml").strip().partition("\n")
    assert header == '[project.entry-points."autograder.platforms"]'
    install(tmp_path / "site", example("python"), f"[autograder.platforms]\n{line.replace(chr(34), '')}\n")
    return tmp_path / "site"


def test_an_added_platform_is_a_layout(kit, site):
    (kit.submissions / "plain").mkdir(parents=True)
    result = autograder(site, "grade", kit.submissions, "--out", kit.out, "--layout", "campus", "--unsafe")
    assert result.returncode == 2
    assert "is not a download from Campus" in result.stderr
    assert "campus" in autograder(site, "grade", "--help").stdout


@pytest.mark.parametrize(
    ("entry_points", "why"),
    [
        ("campus = campus_platform:Missing", "cannot be loaded (AttributeError"),
        ("canvas = campus_platform:Campus", "has a name that is taken"),
        ("other = campus_platform:Campus", "calls itself 'campus'"),
    ],
)
def test_a_platform_that_cannot_be_used_is_named(tmp_path, kit, entry_points, why):
    install(tmp_path / "site", example("python"), f"[autograder.platforms]\n{entry_points}\n")
    result = autograder(tmp_path / "site", "grade", kit.submissions, "--out", kit.out)
    assert result.returncode == 2
    assert "campus_platform:" in result.stderr
    assert why in " ".join(result.stderr.split())
