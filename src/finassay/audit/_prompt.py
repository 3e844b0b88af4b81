"""Instructions that make a careful program violate: what a prompt tells its reader to do with times and states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from finassay.temporal._yaml import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from finassay.temporal import Catalog

Severity = Literal["violation", "risk"]

# The kinds of inducement and what makes their words innocent, as data
_SAYS = Path(__file__).with_name("_inducements.yaml")
_NAMED = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*")
# A decimal point ends no sentence, nor does a dot within a name
_SENTENCE_END = re.compile(r"[。；;！!？?]|\.(?=\s|$)")
# How far what is said behind a match still belongs to it
_PAUSE = re.compile(r"[,，、]|\b(?:and|but|then)\b|并|再|然后")


@dataclass(frozen=True)
class Instruction:
    """A place in a prompt that induces a violation.

    Attributes
    ----------
    rule : str
        A stable word: ``current_state``, ``updated_time``, ``recorded_time``, ``period_end``, ``name_for_state``,
        ``todays_state``, ``hindsight``, ``no_disclosure``, ``future_fill``, ``restated``, ``full_sample``, ``clock``,
        ``fixed_lag``.
    severity : {"violation", "risk"}
        A program that follows it violates; or it does unless something else guards it.
    line, column : int
        From 1.
    text : str
        The words.
    why : str
        What is wrong with them.
    instead : str
        What to write.
    """

    rule: str
    severity: Severity
    line: int
    column: int
    text: str
    why: str
    instead: str


def lint_prompt(text: str, catalog: Catalog) -> list[Instruction]:
    """Find instructions that induce violations of point-in-time validity.

    Parameters
    ----------
    text : str
        A prompt, in Chinese or English, with or without SQL and Python in it.
    catalog : Catalog
        What the columns that it names mean.

    Returns
    -------
    list of Instruction
        In the order of the text, each rule once in a clause. A clause that forbids something, or calls it a mistake,
        induces nothing: words such as 不要, 一律禁用, never and "is wrong" reach through it, to a comma with 但 or but;
        而不是, "instead of" and ", not" reach only what follows them.
    """
    columns = _columns(catalog)
    says = _read(
        _alternatives(name for name, (role, _) in columns.items() if role == "disclosure"),
        _alternatives(name for name, (role, _) in columns.items() if role == "period_end"),
    )
    found = [
        Instruction(
            one.rule,
            one.severity,
            number,
            sentence.start + span[0] + 1,
            sentence.text[slice(*span)].strip(),
            why,
            one.instead,
        )
        for number, line in enumerate(text.splitlines(), 1)
        for sentence in _sentences(line, says)
        for one, span, why in _in_sentence(sentence, columns, says)
    ]
    return sorted(found, key=lambda one: (one.line, one.column))


_Span = tuple[int, int]
_Roles = dict[str, tuple[str, bool]]


@dataclass(frozen=True)
class _Sentence:
    """A sentence, its line and where in that it starts, and where its clauses end."""

    text: str
    line: str
    start: int
    turns: tuple[int, ...]

    def clause(self, span: _Span) -> _Span:
        """Return the span of the clause around a match, or of the clauses if it lies in several."""
        begun = max((turn for turn in self.turns if turn <= span[0]), default=0)
        return begun, next((turn for turn in self.turns if turn >= span[1]), len(self.text))


@dataclass(frozen=True)
class _Kind:
    """A kind of inducement: the patterns that say it, and the contexts that excuse it."""

    rule: str
    severity: Severity
    why: str
    instead: str
    unless: tuple[str, ...]
    says: tuple[re.Pattern[str], ...]


@dataclass(frozen=True)
class _Says:
    """The file of inducements, compiled."""

    kinds: tuple[_Kind, ...]
    roles: dict[str, _Kind]
    conditions: dict[str, re.Pattern[str]]
    contexts: dict[str, re.Pattern[str]]
    of_line: dict[str, re.Pattern[str]]
    forbids: re.Pattern[str]
    gives_up: re.Pattern[str]
    purpose: re.Pattern[str]
    turns: re.Pattern[str]


def _in_sentence(sentence: _Sentence, columns: _Roles, says: _Says) -> Iterator[tuple[_Kind, _Span, str]]:
    """Yield the inducements of a sentence: each rule, of columns each column, once in a clause."""
    taken: set[tuple[str, int]] = set()
    for what, kind, span in (*_conditions(sentence, columns, says), *_worded(sentence, says)):
        place = (what, sentence.clause(span)[0])
        if place not in taken and not _innocent(sentence, span, kind, says):
            taken.add(place)
            yield kind, span, kind.why.format(what)


def _worded(sentence: _Sentence, says: _Says) -> Iterator[tuple[str, _Kind, _Span]]:
    for kind in says.kinds:
        for pattern in kind.says:
            for match in pattern.finditer(sentence.text):
                yield kind.rule, kind, match.span()


def _conditions(sentence: _Sentence, columns: _Roles, says: _Says) -> Iterator[tuple[str, _Kind, _Span]]:
    for match in _NAMED.finditer(sentence.text):
        role, sole = columns.get(match.group().upper(), ("", False))
        kind = says.roles.get(role)
        if kind is None or not _conditioned(sentence.text, match, role, says.conditions):
            continue
        # The column of a period's end may end something else in another table
        if role != "period_end" or sole or says.of_line["reported"].search(sentence.line):
            yield match.group(), kind, match.span()


def _innocent(sentence: _Sentence, span: _Span, kind: _Kind, says: _Says) -> bool:
    """Whether what is said around a match forbids it, or excuses its kind."""
    begun, ended = sentence.clause(span)
    before, after = sentence.text[begun : span[0]], sentence.text[span[1] : ended]
    # Words of the match itself forbid nothing: "don't worry about the filing date"
    if says.forbids.search(says.purpose.sub("", before + "\0" + after)) or _given_up(before, says):
        return True
    reach = sentence.text[: span[1]] + _PAUSE.split(after)[0]
    return any(
        says.of_line[context].search(sentence.line)
        if context in says.of_line
        else says.contexts[context].search(reach)
        for context in kind.unless
    )


def _given_up(before: str, says: _Says) -> bool:
    """Whether an "instead of" reaches a match: to the next comma if the clause begins with it, else to its end."""
    return any(
        before[: match.start()].strip() or not re.search("[,，]", before[match.end() :])
        for match in says.gives_up.finditer(before)
    )


def _conditioned(clause: str, name: re.Match[str], role: str, conditions: dict[str, re.Pattern[str]]) -> bool:
    """Whether a column stands in a condition, in SQL or in words; of a period's end, in an upper bound.

    Of a time that the vendor writes also in what orders rows.
    """
    after, before = clause[name.end() :], clause[: name.start()]
    if role == "period_end":
        return conditions["bound_after"].search(after) is not None
    if name.group()[1:].islower():
        return conditions["strictly_after"].search(after) is not None
    ordered = role in ("updated", "recorded") and (
        conditions["ordered_before"].search(before) or conditions["ordered_after"].search(after)
    )
    return bool(
        ordered or conditions["compared_after"].search(after) or conditions["compared_before"].search(before)
    )


def _sentences(line: str, says: _Says) -> Iterator[_Sentence]:
    begin = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(line)), len(line)]:
        text = line[begin:end]
        yield _Sentence(text, line, begin, tuple(match.end() for match in says.turns.finditer(text)))
        begin = end


def _columns(catalog: Catalog) -> _Roles:
    """Return columns by role, and whether every table means that: of a period's end one is enough."""
    roles: dict[str, set[str]] = {}
    for table in catalog.tables.values():
        for name, column in table.columns.items():
            roles.setdefault(name.upper(), set()).add(column.role)
    return {
        name: ("period_end" if "period_end" in found else next(iter(found)), len(found) == 1)
        for name, found in roles.items()
        if len(found) == 1 or "period_end" in found
    }


def _alternatives(names: Iterable[str]) -> str:
    """Return a pattern of columns; a name of letters alone is found in capitals only, as it may be a word."""
    return r"(?<!\w)(?:" + "|".join(n if "_" in n else f"(?-i:{n})" for n in sorted(names)) + r"|(?!))(?!\w)"


@lru_cache(maxsize=8)
def _read(disclosure: str, period: str) -> _Says:
    """Return the file of inducements, compiled for a catalog's columns."""
    document, _ = parse(_SAYS.read_text(encoding="utf-8"), _SAYS.name)
    words = {"disclosure": disclosure, "period": period}

    def pattern(*said: str) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{_filled(one, words)})" for one in said), re.IGNORECASE)

    def kind(says: dict[str, Any]) -> _Kind:
        whole = [rf"(?<![A-Za-z])(?:{one})(?![A-Za-z])" for one in says.get("en", ())]
        said = tuple(pattern(one) for one in (*says.get("any", ()), *says.get("zh", ()), *whole))
        return _Kind(
            says["rule"], says["severity"], says["why"], says["instead"], tuple(says.get("unless", ())), said
        )

    for name, word in document["words"].items():
        words[name] = _filled(word, words)
    return _Says(
        kinds=tuple(kind(one) for one in document["inducements"]),
        roles={role: kind(one) for role, one in document["columns"].items()},
        conditions={name: pattern(one) for name, one in document["conditions"].items()},
        contexts={name: pattern(*said) for name, said in document["contexts"].items()},
        of_line={name: pattern(*said) for name, said in document["contexts_of_line"].items()},
        forbids=pattern(*document["prohibition"]["any"]),
        gives_up=pattern(*document["prohibition"]["following"]),
        purpose=pattern(document["prohibition"]["purpose"]),
        turns=pattern(*document["turns"]),
    )


def _filled(said: str, words: dict[str, str]) -> str:
    """Put words into a pattern; a blank stands for any white space."""
    said = re.sub(r"<([a-z_]+)>", lambda match: words[match[1]], said)
    return said.replace("[- ]", r"[-\s]").replace(" ?", r"\s*").replace(" ", r"\s+")
