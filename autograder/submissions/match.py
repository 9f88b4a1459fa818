"""Say which file of a submission is the hand-in for which homework."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.submissions.candidates import Search, Untouched, narrow, only_candidate
from autograder.submissions.handin import make_handin
from autograder.submissions.hints import ambiguous, misnamed, nothing_found, taken, unnamed
from autograder.submissions.magics import Translator
from autograder.submissions.model import Handin, Matched, ReadResult
from autograder.submissions.naming import told
from autograder.submissions.script import Script, read_script


def match(
    name: str,
    read: ReadResult,
    stubs: Mapping[str, str],
    chosen: Sequence[str] = (),
    untouched: Untouched | None = None,
    tasks: Mapping[str, Sequence[str]] | None = None,
) -> Matched:
    """Return the hand-ins of one submission, one per homework at most, and what stood in the way.

    ``name`` is the submission's, for messages. ``stubs`` maps homework ids to stub file names, ``tasks`` to
    public names, which tell a misnamed file from a helper. ``chosen`` are the homeworks asked for, all when
    empty; with one, a lone file is taken for it whatever its name. ``untouched(homework, text)`` says
    whether a text (of a ``.py``, or of a notebook's code cells joined by line feeds) is still the stub.
    """
    search = Search(stubs, chosen, untouched, tasks or {})
    matching = _Matching(search, [read_script(file) for file in read.files])
    handins = matching.handins()
    is_explained = bool(matching.problems or (read.problems and not read.files))
    if not handins and not is_explained:
        matching.problems.append(nothing_found(name, read, search))
    return Matched(tuple(handins), (*read.problems, *told(matching.problems, "problems of its files")))


class _Matching:
    """The files of one submission on their way to the homeworks they are for."""

    def __init__(self, search: Search, scripts: Sequence[Script]) -> None:
        self._search = search
        self._scripts = scripts
        self._readable = [script for script in scripts if script.is_readable]
        self._translator = Translator()
        self.problems = [text for script in scripts if not script.is_readable for text in script.problems]

    def handins(self) -> list[Handin]:
        """Settle every homework that was asked for, then explain the files that are left over."""
        candidates = {homework: self._candidates(homework) for homework in self._search.wanted}
        handins = []
        for homework, scripts in candidates.items():
            if len(scripts) == 1:
                handins.append(self._handin(homework, scripts[0]))
            elif scripts:
                self.problems.append(ambiguous(homework, scripts, self._search))
        settled = {homework for homework, scripts in candidates.items() if scripts}
        self.problems.extend(unnamed(self._readable, settled, self._search))
        return handins

    def _candidates(self, homework: str) -> list[Script]:
        """Return the files that may be the homework: one is its hand-in, more are a question."""
        is_only = homework == self._search.only
        if is_only and len(self._scripts) == 1:
            return self._readable
        named = [one for one in self._readable if homework in self._search.homeworks_named_by(one)]
        if named or not is_only:
            return narrow(homework, named, self._readable, self._search)
        return only_candidate(homework, self._readable, self._search)

    def _handin(self, homework: str, script: Script) -> Handin:
        self.problems.extend(script.problems)
        notes = (
            *misnamed(homework, script, self._search),
            *taken(homework, script, self._search, len(self._scripts)),
        )
        stub = self._search.stubs[homework]
        return make_handin(homework, stub, script, self._readable, self._translator, notes)
