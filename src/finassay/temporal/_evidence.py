"""What a text or a program says about a task's contract, and a draft that combines it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from finassay.temporal._contract import Contract, Mark

# A list that several places may add to; any other field has one value.
_LISTS = ("sources", "history", "recording_proxies", "labels", "decisions.dates")


@dataclass(frozen=True)
class Evidence:
    """One reading: a field of the contract, its value, whether it leaves no doubt, and the words it was read from."""

    field: str
    value: Any
    sure: bool
    because: str


def combined(name: str, readings: Sequence[Evidence]) -> Contract:
    """Return a draft: for each field the first sure reading, else the first; doubt where two readings differ.

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
    fields.pop("as_of", None)  # a doubt alone
    fields, marks = _decisions(fields, marks)
    return Contract.model_validate({"contract": name, **_nested(fields), "marks": marks})


def _single(own: list[Evidence]) -> tuple[Any, Mark]:
    chosen = next((reading for reading in own if reading.sure), own[0])
    others = [reading for reading in own if reading.value != chosen.value]
    # A doubtful reading (a default, a guess) does not cast doubt on a sure one.
    rivals = [reading for reading in others if reading.sure or not chosen.sure]
    because = chosen.because
    if rivals:
        because += "; but " + "; ".join(f"{_shown(r.value)}: {r.because}" for r in rivals[:3])
    sure = chosen.sure and not rivals
    return chosen.value, Mark(field=chosen.field, mark="sure" if sure else "confirm", because=because)


def _listed(own: list[Evidence]) -> tuple[Any, Mark]:
    values = list(dict.fromkeys(value for reading in own for value in reading.value))
    if own[0].field == "decisions.dates":
        values.sort()
    because = "; ".join(dict.fromkeys(reading.because for reading in own))
    sure = all(reading.sure for reading in own)
    return values, Mark(field=own[0].field, mark="sure" if sure else "confirm", because=because)


def _decisions(fields: dict[str, Any], marks: list[Mark]) -> tuple[dict[str, Any], list[Mark]]:
    """Keep a rhythm or dates, not both; drop what qualifies neither."""
    dropped: set[str] = set()
    if "decisions.every" in fields and "decisions.dates" in fields:
        dropped.add("decisions.dates")
    if "decisions.every" not in fields and "decisions.dates" not in fields:
        dropped |= {field for field in fields if field.startswith("decisions.")}
    if str(fields.get("decisions.from", "")) > str(fields.get("decisions.to", "9999")):
        dropped |= {"decisions.from", "decisions.to"}
    kept = {field: value for field, value in fields.items() if field not in dropped}
    return kept, [mark for mark in marks if mark.field not in dropped]


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
