"""Slow tests of the same subject as ``test_corpus``, for CI and `make test WHOLE=1`."""

from tiny import HOMEWORK
from wording import to_authors

from autograder.authoring.audit import Kind
from autograder.authoring.corpus import read_losses, write_losses


def test_what_each_known_mistake_loses_is_recorded_and_held_to(audited):
    tiny = audited.tiny
    losses = {trial.name: trial.failed for trial in audited.audit().of(Kind.SINGLE)}
    write_losses(tiny.course, HOMEWORK, losses)
    assert read_losses(tiny.course, tiny.homework) == {name: set(lost) for name, lost in losses.items()}
    assert audited.audit().violations == ()
    write_losses(tiny.course, HOMEWORK, losses | {"triples": ("double_sizes",)})
    assert audited.audit().violations == (to_authors["corpus.recorded"],)
