"""A certificate as one page of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.audit._certificate import (
        Certificate,
        Impact,
        OutputImpact,
        Power,
        Provenance,
        ReferenceCheck,
        Witness,
    )

_NAMES = {"A1": "disclosure", "A2": "state", "A3": "version", "A4": "omission"}


def power_line(power: Power) -> str:
    """Return what a PASS is worth, in words."""
    if power.of == "tables":
        told = f"the output reacts to {power.noticed} of {power.guards} table(s)"
        return f"{told}; no guard of the program could be removed"
    return f"{power.noticed} of {power.guards} of the program's guards are noticed when removed"


def certificate_text(found: Certificate) -> str:
    """Return what a person reads first: the verdict, the witnesses, what was tried, what it is worth."""
    # Rows and names are of others: a line end in them would pass for a line of ours
    return "\n".join(printable(line, keep="\t") for line in _lines(found))


def _lines(found: Certificate) -> Iterator[str]:
    when = "end of" if found.boundary == "eod" else "before the open of"
    yield f"{found.verdict}  {found.program}"
    day = f"as of {when} {_dates(found.as_of)}" if found.as_of else _asked(found, when)
    yield f"  {day}, {found.engine}, catalog {found.catalog}, contract {found.contract}"
    for requirement, verdict in found.requirements.items():
        yield f"  {requirement} {_NAMES[requirement]:<11} {verdict}"
    for name, own in (("sequence", found.sequence), ("label", found.label)):
        if own is not None:
            yield f"     {name:<11} {own}"
    for witness in found.witnesses:
        yield ""
        yield from _witness(witness)
    if found.notes and not found.witnesses:
        yield ""
        notes = (line for note in dict.fromkeys(found.notes) for line in note.split("\n"))
        yield from (f"  {line}" for line in notes)
    yield ""
    yield (
        f"  {found.tried.scenarios} scenarios over {found.tried.tables} table(s), of which the output reacted to "
        f"{found.tried.live}: {found.tried.held} held, {found.tried.differs} made a difference, "
        f"{found.tried.crashed} crashed"
    )
    if found.slice is not None:
        yield f"  run on a slice first, and on all the data where it differs there: {found.slice}"
    if found.power is not None:
        yield f"  power: {power_line(found.power)}"
    for survivor in found.power.redundant if found.power else ():
        yield f"    redundant{f' (line {survivor.line})' if survivor.line else ''}: {survivor.guard}"
    for survivor in found.power.survivors if found.power else ():
        yield f"    not noticed{f' (line {survivor.line})' if survivor.line else ''}: {survivor.guard}"
    if found.reference is not None:
        yield from _reference(found.reference)
    if found.impact is not None:
        yield from _impact(found.impact)
    if found.obligations:
        done = sum(one.status == "discharged" for one in found.obligations)
        yield f"  text: {done} of {len(found.obligations)} obligations are seen to be discharged"
    warnings = (f"warning: {warning}" for warning in found.warnings)
    yield from (f"    {line}" for warning in warnings for line in warning.split("\n"))


def _reference(found: ReferenceCheck) -> Iterator[str]:
    own = sum(run.program == "moved" for run in found.traps)
    alone = sum(run.reference == "moved" for run in found.traps)
    yield (
        f"  reference {found.source}: of {len(found.traps)} changes the program reacts to {own}, "
        f"the reference alone to {alone}"
    )
    yield from (f"    functional difference, which decides nothing: {line}" for line in found.differences)


def _impact(found: Impact) -> Iterator[str]:
    yield "  impact: the answer over what counted at the cut-off alone, as it read then"
    for one in found.outputs:
        yield f"    {impact_line(one)}"
        for column in one.columns:
            yield (
                f"      {column.column}: {column.cells} cell(s), most at {column.largest.row}: "
                f"{column.largest.before} -> {column.largest.after}"
            )
        yield from (f"      - {row}" for row in one.dropped_rows)
        yield from (f"      + {row}" for row in one.added_rows)
    yield from (f"    {line}" for line in found.failures)
    if found.unchanged_tables:
        yield f"    left as they are: {', '.join(found.unchanged_tables)}"


def impact_line(one: OutputImpact) -> str:
    """Return how one output changes, in a line."""
    name = f"{one.as_of} {one.output}: {one.rows_before} row(s)"
    if one.same:
        return f"{name}, the same"
    key = f" (told apart by {', '.join(one.key)})" if one.key else " (compared whole)"
    return (
        f"{name}{key}: {one.dropped} dropped, {one.added} added, {one.changed} of {one.both} in both changed"
    )


def _asked(found: Certificate, when: str) -> str:
    """Return the date that was asked for, where nothing was audited at any."""
    asked = found.terms.get("as_of")
    if isinstance(asked, dict) and asked.get("date"):
        return f"asked for as of {when} {asked['date']}, audited at no date"
    return "audited at no date"


def _dates(days: list[str]) -> str:
    return days[0] if len(days) == 1 else f"{len(days)} dates from {days[0]} to {days[-1]}"


def _witness(witness: Witness) -> Iterator[str]:
    yield f"  {witness.requirement} {witness.table}, as of {witness.as_of}: {witness.says}, and {witness.effect}"
    if witness.row is not None:
        told = ", ".join(f"{name} {witness.row[name]}" for name in witness.shown)
        yield f"    row: {told}"
    if witness.altered:
        named = [name for name in witness.altered if name in witness.shown] or list(witness.altered)
        yield f"    altered to: {', '.join(f'{name} {witness.altered[name]}' for name in named)}"
    yield from (f"    - {row}" for row in witness.missing)
    yield from (f"    + {row}" for row in witness.added)
    yield f"    level {witness.level}; {replay_line(witness)}"
    if witness.provenance is not None:
        yield from (f"    {line}" for line in provenance_lines(witness.provenance))


def replay_line(witness: Witness) -> str:
    """Say how a witness is shown again."""
    return (
        f"replay: {witness.replay}"
        if witness.replay
        else "no replay: a function is shown again by calling it"
    )


def provenance_lines(found: Provenance) -> Iterator[str]:
    """Yield what the rows of the output were made of, in sentences."""
    if found.why is not None:
        yield f"rows not traced: {found.why}"
    yield from (f"output row ({use.output}): {use.says}" for use in found.uses)
    if found.rows > len(found.uses):
        yield f"and {found.rows - len(found.uses)} more output row(s)"
