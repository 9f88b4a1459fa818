"""Slow tests of the same subject as ``test_cluster``, for CI and `make test WHOLE=1`."""

from cluster.farm import Farm

from ..conftest import TRIPLES
from ..running import grade, totals


def test_a_class_is_graded_on_a_cluster_and_not_again(kit, tmp_path):
    for name, text in (("ada", None), ("bob", TRIPLES), ("cyd", None)):
        kit.submit(name) if text is None else kit.submit(name, text)
    farm_folder = tmp_path / "farm"
    farm_folder.mkdir()
    with Farm(farm_folder) as farm:
        farm.worker()
        result = grade(kit.submissions, "--out", kit.out, "--seed", 7, "--scheduler", farm.address)
        assert result.exit == 0, result.err
        assert f"Cluster: {farm.address}, 1 at once" in result.err
    written = (kit.out / "grades.csv").read_bytes()
    assert totals(kit.out) == {"ada": "5.5", "bob": "2.5", "cyd": "5.5"}
    again = grade(kit.submissions, "--out", kit.out, "--seed", 7, "--scheduler", "tcp://127.0.0.1:9")
    assert (again.exit, (kit.out / "grades.csv").read_bytes()) == (0, written), "nobody needs a cluster here"
    grade(kit.submissions, "--out", kit.root / "here", "--seed", 7)
    assert (kit.root / "here" / "grades.csv").read_bytes() == written
