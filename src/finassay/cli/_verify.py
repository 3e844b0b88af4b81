"""`finassay verify`: replay a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode, InputError, printable

if TYPE_CHECKING:
    from finassay.audit import Certificate, WitnessReplay


def verify_command(
    certificate: Annotated[Path, typer.Argument(help="A certificate (JSON) of `finassay audit`.")],
    db: Annotated[
        str | None, typer.Option("--db", help="The database here; by default where the certificate says.")
    ] = None,
    catalog: Annotated[
        str | None, typer.Option(help="The catalog here: a shipped one's name, or a YAML file.")
    ] = None,
    witness: Annotated[
        int | None, typer.Option("--witness", help="Show one witness again, by its number, and nothing else.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Replay a certificate: 0 if it is confirmed, 1 if it is refused because it, the data or the result differ."""
    with reporting(form):
        from finassay.audit import load_certificate, replay, replay_witness
        from finassay.temporal import load_catalog

        said = load_certificate(certificate)
        url = db or _url(said)
        here = load_catalog(catalog or said.catalog.rpartition(" ")[0])
        if witness is not None:
            exit_with(_show(replay_witness(said, witness, url, here), said.hashes.program, form))
            return
        found = replay(said, url, here)
    if form is Format.JSON:
        write_json(
            {
                "schema_version": 1,
                "confirmed": found.confirmed,
                "verdict": said.verdict,
                "program_sha256": said.hashes.program,
                "refusals": list(found.refusals),
                "notes": list(found.notes),
            }
        )
    else:
        head = "confirmed" if found.confirmed else "refused"
        lines = [f"{head}  {said.verdict}  {said.program}", _program(said.hashes.program)]
        _write([*lines, *(f"  {line}" for line in (*found.refusals, *found.notes))])
    exit_with(ExitCode.OK if found.confirmed else ExitCode.FAILED)


def _url(said: Certificate) -> str:
    """Return where the certificate says that the data are, unless one has to log in there."""
    if said.lacks_login:
        raise InputError(
            printable(
                f"The data are on a server, {said.database}, and a certificate holds no user and no password."
            ),
            hint=printable(f"Give yours: --db {said.with_login()}"),
            reason="no_database",
        )
    return said.database


def _write(lines: list[str]) -> None:
    """Write lines; what a certificate of others holds can neither add one nor command a terminal."""
    write_text("\n".join(printable(line, keep="\t") for line in lines))


def _program(digest: str) -> str:
    """Say what was run, which no name tells."""
    return f"  program SHA-256 {digest}"


def _show(found: WitnessReplay, program: str, form: Format) -> ExitCode:
    """Write what one witness shows; 0 if the difference is there again."""
    witness = found.witness
    if form is Format.JSON:
        write_json(
            {
                "schema_version": 1,
                "confirmed": not found.refusals,
                "program_sha256": program,
                "refusals": list(found.refusals),
                "requirement": witness.requirement,
                "table": witness.table,
                "missing": list(found.missing),
                "added": list(found.added),
            }
        )
    else:
        head = "refused" if found.refusals else "confirmed"
        lines = [f"{head}  {witness.requirement} {witness.table}: {witness.says}, and {witness.effect}"]
        lines.append(_program(program))
        lines += [f"  {line}" for line in found.refusals]
        lines += [f"  - {row}" for row in found.missing] + [f"  + {row}" for row in found.added]
        _write(lines)
    return ExitCode.FAILED if found.refusals else ExitCode.OK
