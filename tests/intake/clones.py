"""Clones of a class as ``gh classroom clone student-repos`` makes them, made with git itself."""

import datetime as dt
import os
import subprocess
from pathlib import Path

from .makers import Contents, folder_of

MONDAY = dt.datetime(2024, 3, 4, 12, tzinfo=dt.UTC)


def git(folder: Path, *arguments: str, when: dt.datetime = MONDAY) -> str:
    """Run git in a folder, with no settings of this machine."""
    roles = [f"GIT_{role}" for role in ("AUTHOR", "COMMITTER")]
    somebody = {f"{role}_{variable}": "a <b> c" for role in roles for variable in ("NAME", "EMAIL")}
    times = {"GIT_COMMITTER_DATE": f"{int(when.timestamp())} +0530", "GIT_AUTHOR_DATE": "1500000000 +0000"}
    nothing = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    command = ["git", "-C", str(folder), *arguments]
    environment = {**os.environ, **somebody, **times, **nothing}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def clone_of(path: Path, contents: Contents, when: dt.datetime = MONDAY) -> Path:
    """A repository with one commit of these files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    folder_of(path, contents)
    git(path, "init", "-q", "-b", "main")
    git(path, "add", "-A")
    git(path, "commit", "-q", "--allow-empty", "-m", "Done", when=when)
    return path
