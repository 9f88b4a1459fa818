"""What every attack is run against: sandboxes that last, suites with short limits, and planted secrets."""

import os
from pathlib import Path

import pytest
from missing import skip_or_fail

from autograder.course.course import Course
from autograder.grading.suite import prepare_suite
from autograder.sandbox.levels import FULL, NO_NAMESPACES, layer_statuses, strongest_level

from .pools import LevelPool
from .secrets import plant

ROOT = Path(__file__).resolve().parents[2]
BATCH_SEED = 7


@pytest.fixture(scope="session", autouse=True)
def secrets(tmp_path_factory):
    """Plant a marker wherever this process can reach and a submission must not."""
    tmp_path_factory.getbasetemp().chmod(0o755)  # no bits of a folder above keep another user out
    with plant(tmp_path_factory.mktemp("secrets"), ROOT) as planted:
        yield planted


@pytest.fixture(scope="session")
def pools(secrets):
    """One pool per level, kept for the whole session; started after the secrets were planted."""
    opened = {}

    def pool(level):
        require(level)
        if level.name not in opened:
            opened[level.name] = LevelPool(level)
        return opened[level.name]

    yield pool
    for machine in opened.values():
        machine.__exit__()


@pytest.fixture(scope="session")
def full(pools):
    return pools(FULL)


@pytest.fixture(scope="session")
def no_namespaces(pools):
    return pools(NO_NAMESPACES)


class Suites(dict):
    """The suites of the homeworks that are attacked, each prepared when a test first asks for it."""

    def __init__(self, pool):
        super().__init__()
        self._course = Course(ROOT)
        self._pool = pool

    def __missing__(self, name):
        self[name] = prepare_suite(self._course, self._course.homework(name), BATCH_SEED, self._pool)
        return self[name]


@pytest.fixture(scope="session")
def suites(pools):
    return Suites(pools(strongest_level()))


def require(level):
    """Skip where a layer of the level does not work on this machine; in CI fail."""
    for status in layer_statuses():
        if status.layer in level.layers and not status.works and status.layer != "own-user":
            skip_or_fail(f"the layer {status.layer} does not work here: {status.reason}")


needs_root = pytest.mark.skipif(
    os.geteuid() != 0 and "AUTOGRADER_SKIPS_NOTHING" not in os.environ,
    reason="only root can change its user id: run as root",
)
