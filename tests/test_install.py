"""Installing: what is said at once, and which build of PyTorch is taken."""

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLAIN = ["torch", "filelock", "sympy"]
FOR_GRAPHICS_CARDS = [*PLAIN, "nvidia-cublas", "triton"]


@pytest.fixture
def install(monkeypatch):
    """The script's names; its commands are kept in ``commands``, and none is run."""
    names = runpy.run_path(str(ROOT / "install.py"))
    script = names["main"].__globals__
    commands = []
    monkeypatch.setitem(script, "run", lambda *command: commands.append(command))
    monkeypatch.setitem(script, "packages_with_torch", lambda: PLAIN)
    monkeypatch.setattr(sys, "argv", ["install.py"])
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    return SimpleNamespace(**script, script=script, commands=commands)


def installing(install, name):
    """The one command that installs a package."""
    [command] = [command for command in install.commands if command[-1] == name]
    return tuple(command)


def test_size_and_time_are_said_before_the_first_command(install, monkeypatch, capsys):
    messages = []
    monkeypatch.setitem(install.script, "run", lambda *command: messages.append(capsys.readouterr().out))
    assert install.main() == 0
    assert "MB to download" in messages[0]
    assert "GB of disk" in messages[0]
    assert "minutes" in messages[0]
    assert all("[" in words for words in messages)  # each command follows the line of its step


def test_pip_is_not_silent_and_keeps_to_the_pinned_versions(install):
    assert install.main() == 0
    for name in ("torch", str(ROOT)):
        command = installing(install, name)
        assert "--quiet" not in command
        assert command[command.index("--constraint") + 1] == str(ROOT / "constraints.txt")


def test_an_index_of_builds_is_passed_on_to_pip(install, monkeypatch):
    monkeypatch.setenv("TORCH_INDEX", "file:///builds")
    monkeypatch.setitem(install.script, "packages_with_torch", lambda: FOR_GRAPHICS_CARDS)
    assert install.main() == 0
    command = installing(install, "torch")
    assert command[command.index("--extra-index-url") + 1] == "file:///builds"
    assert "uv" not in command


def test_where_pip_would_bring_gigabytes_the_build_for_processors_is_taken(install, monkeypatch):
    monkeypatch.setitem(install.script, "packages_with_torch", lambda: FOR_GRAPHICS_CARDS)
    assert install.main() == 0
    command = installing(install, "torch")
    assert "uv" in command
    assert command[command.index("--torch-backend") + 1] == "cpu"


def test_without_a_build_for_processors_nothing_large_is_installed_unasked(install, monkeypatch, capsys):
    def run(*command):
        install.commands.append(command)
        if command[-1] == "torch":
            raise subprocess.CalledProcessError(2, command)

    monkeypatch.setitem(install.script, "run", run)
    monkeypatch.setitem(install.script, "packages_with_torch", lambda: FOR_GRAPHICS_CARDS)
    assert install.main() == 1
    assert "TORCH_INDEX=URL" in capsys.readouterr().err
    assert "uv" in installing(install, "torch")


def test_a_failed_step_names_its_command(install, monkeypatch, capsys):
    def run(*command):
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setitem(install.script, "run", run)
    assert install.main() == 1
    assert "-m venv" in capsys.readouterr().err


def test_an_old_python_is_refused_with_the_remedy(install, monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", (3, 10, 12, "final", 0))
    assert install.main() == 1
    assert "make PYTHON=python3.11" in capsys.readouterr().err
    assert install.commands == []


@pytest.mark.parametrize("name", ["install.py", "Makefile"])
def test_no_host_is_named(name):
    assert "://" not in (ROOT / name).read_text("utf-8")
