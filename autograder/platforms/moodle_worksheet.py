"""The columns of Moodle's grading worksheet, in whatever language Moodle was when it wrote it.

Moodle translates the titles of all columns and the word before a participant's number, and expects the same
titles back. The columns are found by what is in them where that says enough, and by their titles where not.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

# Titles as the language packs have them (``recordid``, ``fullname`` and so on), in lower case: en, de, fr, es,
# ca, it, pt, nl, pl, cs, sv, da, no, fi, hu, tr, ru, uk, zh_cn, zh_tw, ja, ko.
_IDENTIFIER = (
    *("identifier", "id", "identifiant", "identificador", "identificativo"),
    *("identifikator", "identyfikator", "identifikátor", "identifierare", "tunniste"),
    *("azonosító", "tanımlayıcı", "идентификатор", "ідентифікатор"),
    *("标识符", "識別碼", "识别号", "識別子", "식별자"),
)
_FULL_NAME = (
    *("full name", "vollständiger name", "name", "nom complet", "nombre completo"),
    *("nombre", "nom", "nome completo", "nome", "volledige naam", "imię i nazwisko"),
    *("celé jméno", "fullständigt namn", "fulde navn", "fullt navn", "koko nimi"),
    *("teljes név", "tam adı", "полное имя", "повне ім'я"),
    *("全名", "姓名", "氏名", "フルネーム", "성명", "이름"),
)
_GRADE = (
    *("grade", "bewertung", "note", "calificación", "qualificació", "valutazione"),
    *("nota", "voto", "cijfer", "beoordeling", "ocena", "známka", "betyg", "karakter"),
    *("arvosana", "osztályzat", "not", "оценка", "оцінка"),
    *("成绩", "成績", "評点", "評定", "성적", "평점"),
)
_LAST_MODIFIED = (
    *("last modified (grade)", "zuletzt geändert (bewertung)"),
    *("dernière modification (note)", "última modificación (calificación)"),
    *("fecha de calificación", "darrera modificació (qualificació)"),
    *("ultima modifica (valutazione)", "última modificação (nota)"),
    *("laatst gewijzigd (cijfer)", "laatst gewijzigd (beoordeling)"),
    *("ostatnio modyfikowane (ocena)", "senast ändrad (betyg)", "上次修改（评分）"),
)
_GROUP = (
    *("group", "gruppe", "groupe", "grupo", "grup", "gruppo", "groep", "grupa"),
    *("skupina", "grupp", "ryhmä", "csoport", "группа", "група"),
    *("小组", "群組", "グループ", "모둠"),
)
_ID_NUMBER = (
    *("id number", "id-nummer", "numéro d'identification", "número de id"),
    *("número id", "número de identificación", "número d'identificació"),
    *("codice identificativo", "número de identificação", "numer id"),
    *("学号", "id 号", "id番号"),
)
_OWN_IDENTIFIERS = (
    *("login", "login id", "username", "user name", "user", "netid", "id", "sid"),
    *("student", "student id", "student number", "email", "name"),
)
"""Titles of people's own tables, in which all logins may be one word and a number (``student12``)."""
_COMMENTS = re.compile(
    "com+ent|kom+ent|opmerking|megjegyz|palaute|yorum|ком+ент"
    "|评语|评论|評語|意見|コメント|의견"
)
"""A part of the title of the feedback comments."""
_PARTICIPANTS = (
    *("Participant", "Teilnehmer/in", "Teilnehmer*in", "Teilnehmer", "Participant(e)"),
    *("Participante", "Partecipante", "Deelnemer", "Uczestnik", "Účastník"),
    *("Deltagare", "Deltager", "Deltaker", "Osallistuja", "Résztvevő", "Katılımcı"),
    *("Sodelujoči", "Sudionik", "Участник", "Учасник"),
    *("参与者", "参加者", "參與者", "참가자"),
)
"""What stands before a participant's number (``hiddenuser``)."""
_NUMBERED = re.compile(r"(?P<words>\D+?)\s*(?P<number>\d{1,19})")
_MAXIMUM = re.compile(r"\d+(?:[.,]\d+)?")

Rows = Sequence[Mapping[str, str]]


def participants() -> list[str]:
    """Return the words for a participant as they stand in the names of files, where signs are left out."""
    words = [re.sub(r"[*/():]", "", word) for word in _PARTICIPANTS]
    return list(dict.fromkeys(words))


def worksheet_columns(
    header: Sequence[str], rows: Rows
) -> Mapping[str, str | None] | None:
    """Return the columns of a grading worksheet, or None if a table is none.

    Args:
        header: the titles of the columns.
        rows: the cells of each student by title.

    Returns:
        the titles of the columns ``number``, ``student_id``, ``name``, ``email``, ``group``, ``grade``,
        ``maximum`` and ``comments``; None for those that the worksheet does not have.
    """
    cells_of = {title: _filled(rows, title) for title in header}
    number = _titled(header, _IDENTIFIER)
    words = _words_before_numbers(cells_of.get(number or "", []))
    if not words:
        for title in header:
            words = _words_before_numbers(cells_of[title])
            if words:
                number = title
                break
    if not words or number is None:
        return None

    # The maximum is one number for all, right of the grade; so the grade is found in any language. Where all
    # have the same grade, the second of the two columns is the maximum.
    grade = _titled(header, _GRADE)
    maximum = None
    for column_before, title in pairwise(header[1:]):
        is_maximum = _is_one_number(cells_of[title], len(rows))
        if is_maximum and grade in (None, column_before):
            maximum = title
        elif maximum is not None:
            break
    if grade is None and maximum is not None:
        grade = header[header.index(maximum) - 1]
    is_known = words in _PARTICIPANTS or _titled(header, _LAST_MODIFIED) is not None
    is_own_table = re.sub(r"[\s_]+", " ", number).casefold() in _OWN_IDENTIFIERS
    is_worksheet = is_known or (maximum is not None and not is_own_table)
    if not is_worksheet or grade in (None, number):
        return None

    email = None
    for title in header:
        cells = cells_of[title]
        if cells and all("@" in cell for cell in cells):
            email = title
            break
    comments = None
    for title in header:
        if _COMMENTS.search(title.casefold()):
            comments = title  # the last one: what students write about their submission comes before
    return {
        "number": number,
        "student_id": _titled(header, _ID_NUMBER),
        "name": _name_column(header, cells_of, {number, email, grade}),
        "email": email,
        "group": _titled(header, _GROUP),
        "grade": grade,
        "maximum": maximum,
        "comments": comments,
    }


def _filled(rows: Rows, title: str) -> list[str]:
    cells = [row.get(title, "").strip() for row in rows]
    return list(filter(None, cells))


def _is_one_number(cells: Sequence[str], count: int) -> bool:
    """Return whether all so many cells are filled with the same number."""
    if len(cells) != count or len(set(cells)) != 1:
        return False
    return _MAXIMUM.fullmatch(cells[0]) is not None


def _titled(header: Sequence[str], titles: Collection[str]) -> str | None:
    """Return the first column that has one of these titles."""
    for title in header:
        if title.strip().casefold() in titles:
            return title
    return None


def _words_before_numbers(cells: Sequence[str]) -> str:
    """Return the words that stand before a number in all cells, "" where the cells have another form.

    A number is that of one participant only.
    """
    words = set()
    numbers = set()
    for cell in cells:
        match = _NUMBERED.fullmatch(cell)
        if match is None:
            return ""
        words.add(match["words"])
        numbers.add(match["number"])
    if len(words) != 1 or len(numbers) < len(cells):
        return ""
    return words.pop()


def _name_column(
    header: Sequence[str],
    cells_of: Mapping[str, Sequence[str]],
    known_columns: Collection[str | None],
) -> str | None:
    """Return the column of full names: Moodle puts it behind the number, except where marking is blind."""
    name = _titled(header, _FULL_NAME)
    if name is not None and name not in known_columns:
        return name
    if len(header) < 2 or header[1] in known_columns:
        return None
    cells = cells_of[header[1]]
    distinct = len(set(cells))
    is_status = len(cells) > 1 and 2 * distinct <= len(cells)
    if is_status:
        return None
    return header[1]
