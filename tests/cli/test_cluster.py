"""``--scheduler``: the command on a cluster, and without what it needs for one."""

import sys

from wording import to_staff

from .running import grade, refusal


def test_without_dask_the_remedy_is_told(kit, monkeypatch):
    kit.submit("ada")
    for name in ("driver", "member"):
        monkeypatch.delitem(sys.modules, f"autograder.cluster.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert to_staff["cluster.pip-install-attention"] in refusal(
        grade(kit.submissions, "--out", kit.out, "--scheduler", "tcp://127.0.0.1:9")
    )


def test_a_scheduler_that_does_not_answer_is_told(kit, monkeypatch):
    from autograder.cluster import driver

    monkeypatch.setattr(driver, "CONNECT_SECONDS", 0.5)
    kit.submit("ada")
    assert to_staff["cluster.no-scheduler-answers-at-tcp"] in refusal(
        grade(kit.submissions, "--out", kit.out, "--scheduler", "tcp://127.0.0.1:9")
    )
