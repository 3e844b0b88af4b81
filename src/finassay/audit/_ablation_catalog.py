"""Wrong entries of a catalog, one at a time: what a person might get wrong when writing one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from finassay.audit._audit import audit
from finassay.audit._subject import Subject
from finassay.core import InputError
from finassay.temporal import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from finassay.audit._measure import Job
    from finassay.temporal import Catalog

_Values = dict[str, Any]


def _another_time(values: _Values) -> _Values | None:
    """Take what the row is about for when it was known."""
    own = (values.get("availability") or {}).get("column")
    start = (values.get("valid") or {}).get("from")
    other = start if start != own else None
    for name, column in values["columns"].items():
        if other is None and column["role"] in ("period_end", "market_date") and name != own:
            other = name
    if own is None or other is None:
        return None
    columns = {**values["columns"], other: {**values["columns"][other], "role": "disclosure"}}
    return {
        **values,
        "availability": {**values["availability"], "column": other, "ahead": False},
        "columns": columns,
    }


def _no_time(values: _Values) -> _Values | None:
    return {**values, "availability": None} if values.get("availability") else None


def _always(values: _Values) -> _Values | None:
    known = values.get("availability")
    return {**values, "availability": {"always": True}} if known and not known.get("always") else None


def _lag(values: _Values) -> _Values | None:
    known = values.get("availability") or {}
    if not known.get("column") or known.get("ahead"):
        return None
    return {**values, "availability": {**known, "lag_days": 30}}


def _no_end(values: _Values) -> _Values | None:
    valid = values.get("valid") or {}
    if not valid.get("to"):
        return None
    rest = [d for d in values.get("dependencies", ()) if not d.get("flag")]
    return {**values, "valid": {"from": valid["from"]}, "dependencies": rest, "disjoint": None}


def _end_known_with_row(values: _Values) -> _Values | None:
    valid = values.get("valid") or {}
    if not valid.get("end_known"):
        return None
    return {**values, "valid": {k: v for k, v in valid.items() if k != "end_known"}}


def _no_versions(values: _Values) -> _Values | None:
    return {**values, "versions": None} if values.get("versions") else None


def _versions_of_row(values: _Values) -> _Values | None:
    """Let versions of different periods, or of different standards, compete."""
    versions = values.get("versions") or {}
    if len(versions.get("per", ())) < 2:
        return None
    return {**values, "versions": {**versions, "per": versions["per"][:1], "unique": []}}


def _state_as_payload(values: _Values) -> _Values | None:
    flags = {d["flag"] for d in values.get("dependencies", ()) if d.get("flag")}
    today = [n for n, c in values["columns"].items() if c["role"] == "current_state"]
    if not today:
        return None
    columns = {n: {**c, "role": "payload"} if n in today else c for n, c in values["columns"].items()}
    rest = [d for d in values.get("dependencies", ()) if d.get("flag") not in flags or not flags]
    return {**values, "columns": columns, "dependencies": rest}


FLIPS: dict[str, Callable[[_Values], _Values | None]] = {
    "availability is another time": _another_time,
    "availability missing": _no_time,
    "known at any date": _always,
    "a lag of 30 days too much": _lag,
    "end missing": _no_end,
    "disclosure of the end missing": _end_known_with_row,
    "versions missing": _no_versions,
    "versions compete too widely": _versions_of_row,
    "today's state taken for history": _state_as_payload,
}


def flipped(catalog: Catalog, table: str, flip: str) -> Catalog | None:
    """Return a catalog with one wrong entry; None where it cannot be made wrong in that way.

    Raises
    ------
    InputError
        If the reader of catalogs would refuse it.
    """
    name = catalog.find(table)
    if name is None:
        return None
    values = catalog.tables[name].model_dump(mode="json", by_alias=True, exclude_unset=True)
    changed = FLIPS[flip](values)
    if changed is None:
        return None
    try:
        spec = Table.model_validate(changed)
    except ValidationError as error:
        raise InputError(
            f"The entry is refused: {error.errors()[0]['msg']}.", reason="bad_catalog"
        ) from error
    whole = catalog.model_copy(update={"tables": {**catalog.tables, name: spec}})
    problems = list(whole.problems())
    if problems:
        raise InputError(f"The catalog is refused: {problems[0][1]}.", reason="bad_catalog")
    return whole


def flipped_verdict(item: tuple[Job, str, str], *, url: str, catalog: Catalog) -> str:
    """Return the verdict of a program under a catalog with one wrong entry, or that it is refused."""
    job, flip, table = item
    try:
        wrong = flipped(catalog, table, flip)
        if wrong is None:
            return "not applicable"
        return audit(Subject(job.submission, url, job.dialect), wrong, job.contract).verdict.value
    except InputError:
        return "refused"
