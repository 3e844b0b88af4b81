"""What a text or a program says about a task's contract, and a draft that combines it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from finassay.temporal._contract import Contract, Mark

# What a program reads without a bound on what is known: no field, but a doubt about the dates of all programs.
OPEN = "open"
# A list that several places may add to; any other field has one value.
_LISTS = ("sources", "history", "recording_proxies", "labels", "decisions.dates")


# How a reading stands to the others of its field.
Standing = Literal["read", "guess", "doubt"]


@dataclass(frozen=True)
class Evidence:
    """One reading: a field of the contract, its value, whether it leaves no doubt, and the words it was read from.

    A ``guess`` (a default, what a name suggests) gives way to any reading. A ``doubt`` (words that may change what is
    read) must be confirmed, whatever a program says.
    """

    field: str
    value: Any
    sure: bool
    because: str
    standing: Standing = "read"


def combined(name: str, readings: Sequence[Evidence]) -> Contract:
    """Return a draft: for each field the first reading that is no guess; doubt where two readings differ.

    Readings are in the order of their authority: an instruction comes before a program.
    """
    fields: dict[str, Any] = {}
    marks: list[Mark] = []
    for field in dict.fromkeys(reading.field for reading in readings):
        own = [reading for reading in readings if reading.field == field]
        value, mark = _listed(own) if field in _LISTS else _single(own)
        fields[field] = value
        marks.append(mark)
    if "as_of.date" not in fields:
        fields.pop("as_of.boundary", None)
        marks = [mark for mark in marks if mark.field != "as_of.boundary"]
        if "as_of" not in fields and not any(field.startswith("decisions.") for field in fields):
            marks.append(Mark(field="as_of", mark="confirm", because="no as-of date was found; state one"))
    for doubted in ("as_of", "decisions"):  # a doubt alone
        fields.pop(doubted, None)
    fields, marks = _decisions(fields, marks)
    return Contract.model_validate({"contract": name, **_nested(fields), "marks": marks})


def closed(readings: Sequence[Evidence]) -> list[Evidence]:
    """Return the readings of the programs of a task; with an open scan none of their as-of dates is sure."""
    opened = [reading.because for reading in readings if reading.field == OPEN]
    kept = [reading for reading in readings if reading.field != OPEN]
    if not opened:
        return kept
    return [
        replace(reading, sure=False, because=f"{reading.because}; but {opened[0]}")
        if reading.field.startswith("as_of.")
        else reading
        for reading in kept
    ]


def _single(own: list[Evidence]) -> tuple[Any, Mark]:
    own = [reading for reading in own if reading.standing != "guess"] or own
    value = own[0].value
    chosen = next((reading for reading in own if reading.sure and reading.value == value), own[0])
    doubts = [reading for reading in own if reading.standing == "doubt"]
    rivals = [reading for reading in own if reading.value != value]
    because = chosen.because
    if rivals:
        because += "; but " + "; ".join(f"{_shown(r.value)}: {r.because}" for r in rivals[:3])
    agreeing = [doubt.because for doubt in doubts if doubt is not chosen and doubt not in rivals]
    because = "; ".join([because, *agreeing])
    sure = any(reading.sure for reading in own) and not rivals and not doubts
    return value, Mark(field=chosen.field, mark="sure" if sure else "confirm", because=because)


def _listed(own: list[Evidence]) -> tuple[Any, Mark]:
    values = list(dict.fromkeys(value for reading in own for value in reading.value))
    if own[0].field == "decisions.dates":
        values.sort()
    because = "; ".join(dict.fromkeys(reading.because for reading in own))
    sure = all(reading.sure for reading in own)
    return values, Mark(field=own[0].field, mark="sure" if sure else "confirm", because=because)


def _decisions(fields: dict[str, Any], marks: list[Mark]) -> tuple[dict[str, Any], list[Mark]]:
    """Keep a rhythm or dates, not both, and say what was left out; drop what qualifies neither."""
    dropped: set[str] = set()
    why = ""
    if "decisions.every" in fields and "decisions.dates" in fields:
        dropped.add("decisions.dates")
        why = f"; but these dates are listed: {_shown(fields['decisions.dates'])}"
    if "decisions.every" not in fields and "decisions.dates" not in fields:
        dropped |= {field for field in fields if field.startswith("decisions.")}
    start, end = fields.get("decisions.from"), fields.get("decisions.to")
    if start and end and start > end:
        dropped |= {"decisions.from", "decisions.to"}
        why += f"; but from {start} is after to {end}"
    kept = {field: value for field, value in fields.items() if field not in dropped}
    left = [mark for mark in marks if mark.field not in dropped]
    if why:
        left = [_doubted(mark, why) if mark.field == "decisions.every" else mark for mark in left]
    return kept, left


def _doubted(mark: Mark, why: str) -> Mark:
    return Mark(field=mark.field, mark="confirm", because=mark.because + why)


def _nested(fields: dict[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for field, value in fields.items():
        owner, _, part = field.partition(".")
        if part:
            nested.setdefault(owner, {})[part] = value
        else:
            nested[owner] = value
    return nested


def _shown(value: Any) -> str:
    return (
        ", ".join(map(str, value))
        if isinstance(value, Iterable) and not isinstance(value, str)
        else str(value)
    )
