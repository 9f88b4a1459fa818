"""Each layer holds something back: take it away, and an attack that was contained gets through.

What gets through is harmless: a marker is read, a message reaches a socket of this test, a process is made.
"""

from dataclasses import replace

import pytest

from autograder.grading.grade import grade_handin
from autograder.sandbox.levels import FULL, Level
from autograder.sandbox.request import Code

from ..conftest import needs_root, require
from ..pools import LevelPool
from ..secrets import expected_values_in
from ..test_attacks import ATTACKS, limited
from ..watch import descendants

BY_NAME = {attack.name: attack for attack in ATTACKS}
FIRST = "hw1_attention_scores"

WITHOUT_NAMESPACES = ("own-user", "landlock", "seccomp", "private-memory", "rlimits")
WITHOUT_LANDLOCK = ("namespaces", "own-user", "seccomp", "private-memory", "rlimits")
WITHOUT_NAMESPACES_AND_LANDLOCK = ("seccomp", "private-memory", "rlimits")
WITHOUT_SECCOMP = ("namespaces", "own-user", "landlock", "private-memory", "rlimits")
WITHOUT_NAMESPACES_AND_SECCOMP = ("landlock", "private-memory", "rlimits")
WITHOUT_OWN_USER = ("namespaces", "landlock", "seccomp", "private-memory", "rlimits")
WITHOUT_LIMITS = ("namespaces", "own-user", "landlock", "seccomp", "private-memory")

GETS_THROUGH = [
    pytest.param(WITHOUT_NAMESPACES, "reading/measure_hidden_files", id="namespaces-hide-files"),
    pytest.param(WITHOUT_LANDLOCK, "reading/environment_of_others", id="landlock-hides-proc"),
    pytest.param(WITHOUT_NAMESPACES_AND_LANDLOCK, "reading/door/open", id="landlock-hides-the-disk"),
    pytest.param(WITHOUT_NAMESPACES_AND_LANDLOCK, "starving/fill_the_disk", id="landlock-stops-writing"),
    pytest.param(WITHOUT_SECCOMP, "starving/daemon", id="seccomp-stops-processes"),
    pytest.param(WITHOUT_SECCOMP, "escaping/calls/shared_things", id="seccomp-stops-shared-memory"),
    pytest.param(WITHOUT_SECCOMP, "escaping/outlive_the_parent", id="seccomp-keeps-the-leash"),
    pytest.param(WITHOUT_SECCOMP, "escaping/page_cache", id="seccomp-hides-the-page-cache"),
    pytest.param(WITHOUT_NAMESPACES_AND_SECCOMP, "escaping/socket/udp", id="seccomp-stops-the-network"),
    pytest.param(WITHOUT_LIMITS, "starving/use_up_descriptors", id="limits-count-files"),
]


@pytest.fixture
def pool_without(request):
    """Sandboxes with the layers that the test names, and no others."""
    level = Level("taken apart", request.param, "nothing")
    require(level)
    with LevelPool(level) as pool:
        yield pool


@pytest.mark.parametrize(("pool_without", "name"), GETS_THROUGH, indirect=["pool_without"])
def test_attack_gets_through_without_the_layer(pool_without, name, suites, secrets):
    reports = _run(name, pool_without, suites[FIRST], secrets)
    assert secrets.found_in(reports) or secrets.contacts()
    secrets.clear()


@needs_root
@pytest.mark.parametrize("pool_without", [WITHOUT_OWN_USER], indirect=True)
def test_threads_are_not_counted_without_own_user(pool_without, suites, secrets):
    assert secrets.found_in(_run("starving/many_small_threads", pool_without, suites[FIRST], secrets))


def test_answer_is_read_whole_without_the_cap(full, suites, secrets):
    attack = BY_NAME["forging/answer_just_too_large"]
    code = attack.code(suites[FIRST].homework.stub, secrets.places)
    roomy = replace(attack.limits, answer_mb=256)
    for limits, status in ((attack.limits, "invalid_answer"), (roomy, "graded")):
        assert grade_handin(code, limited(suites[FIRST], limits), full).status == status


@pytest.mark.parametrize("pool_without", [WITHOUT_SECCOMP], indirect=True)
def test_processes_that_were_made_are_swept_away(pool_without, suites, secrets):
    sandbox = pool_without.sandbox("numpy")
    before = descendants(sandbox._process.pid)
    _run("starving/daemon", pool_without, suites[FIRST], secrets)
    assert descendants(sandbox._process.pid) == before


@pytest.mark.parametrize("layer", ["landlock", "seccomp"])
def test_layer_that_does_not_hold_stops_the_run(layer, monkeypatch):
    require(FULL)
    from autograder.worker import confine

    config = {"layers": [layer], "readable": ["/"], "listable": [], "uid": None}
    if layer == "seccomp":
        monkeypatch.setattr(confine, "load_filter", lambda compiled: None)
    with pytest.raises(confine.LayerError, match=layer):
        confine.prepare(config)


def test_expected_values_are_recognised_in_what_comes_out(full, suites, secrets):
    suite = suites[FIRST]
    code = Code(suite.homework.stub, {suite.homework.stub: suite.homework.solution.read_text("utf-8")})
    full.forget()
    grade_handin(code, suite, full)
    assert expected_values_in(full.reports_of(code), suite.known)
    assert expected_values_in(_run("fooling/value/nothing", full, suite, secrets), suite.known) == []


def _run(name, pool, suite, secrets):
    attack = BY_NAME[name]
    code = attack.code(suite.homework.stub, secrets.places)
    pool.forget()
    grade_handin(code, limited(suite, attack.limits), pool)
    return pool.reports_of(code)
