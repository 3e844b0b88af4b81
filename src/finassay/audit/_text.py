"""A certificate as one page of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.audit._certificate import Certificate, Witness

_NAMES = {"A1": "disclosure", "A2": "state", "A3": "version"}


def certificate_text(found: Certificate) -> str:
    """Return what a person reads first: the verdict, the witnesses, what was tried, what it is worth."""
    return "\n".join(_lines(found))


def _lines(found: Certificate) -> Iterator[str]:
    when = "end of" if found.boundary == "eod" else "before the open of"
    yield f"{found.verdict}  {found.program}"
    day = _dates(found.as_of)
    yield f"  as of {when} {day}, {found.engine}, catalog {found.catalog}, contract {found.contract}"
    for requirement, verdict in found.requirements.items():
        yield f"  {requirement} {_NAMES[requirement]:<11} {verdict}"
    for witness in found.witnesses:
        yield ""
        yield from _witness(witness)
    if found.notes and not found.witnesses:
        yield ""
        yield from (f"  {note}" for note in dict.fromkeys(found.notes))
    yield ""
    counts = {o: sum(run.outcome == o for run in found.scenarios) for o in ("held", "differs", "crashed")}
    yield (
        f"  {len(found.scenarios)} scenarios over {len(found.tables)} table(s): {counts['held']} held, "
        f"{counts['differs']} made a difference, {counts['crashed']} crashed"
    )
    if found.power is not None:
        yield f"  power: {found.power.noticed} of {found.power.guards} of the program's guards are noticed when removed"
    for survivor in found.power.redundant if found.power else ():
        yield f"    redundant{f' (line {survivor.line})' if survivor.line else ''}: {survivor.guard}"
    for survivor in found.power.survivors if found.power else ():
        yield f"    not noticed{f' (line {survivor.line})' if survivor.line else ''}: {survivor.guard}"
    if found.obligations:
        done = sum(one.status == "discharged" for one in found.obligations)
        yield f"  text: {done} of {len(found.obligations)} obligations are seen to be discharged"
    yield from (f"    warning: {warning}" for warning in found.warnings)


def _dates(days: list[str]) -> str:
    if not days:
        return "(no date)"
    return days[0] if len(days) == 1 else f"{len(days)} dates from {days[0]} to {days[-1]}"


def _witness(witness: Witness) -> Iterator[str]:
    yield f"  {witness.requirement} {witness.table}, as of {witness.as_of}: {witness.says}, and the output changes"
    if witness.row is not None:
        told = ", ".join(f"{name} {witness.row[name]}" for name in witness.shown)
        yield f"    row: {told}"
    if witness.altered:
        named = [name for name in witness.altered if name in witness.shown] or list(witness.altered)
        yield f"    altered to: {', '.join(f'{name} {witness.altered[name]}' for name in named)}"
    yield from (f"    - {row}" for row in witness.missing)
    yield from (f"    + {row}" for row in witness.added)
