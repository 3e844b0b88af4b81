"""`finassay verify`: replay a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from finassay.cli._output import Format, FormatOption, exit_with, reporting, write_json, write_text
from finassay.core import ExitCode


def verify_command(
    certificate: Annotated[Path, typer.Argument(help="A certificate (JSON) of `finassay audit`.")],
    db: Annotated[
        str | None, typer.Option("--db", help="The database here; by default where the certificate says.")
    ] = None,
    catalog: Annotated[
        str | None, typer.Option(help="The catalog here: a shipped one's name, or a YAML file.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Replay a certificate: 0 if it is confirmed, 1 if it is refused because it, the data or the result differ."""
    with reporting(form):
        from finassay.audit import load_certificate, replay
        from finassay.temporal import load_catalog

        said = load_certificate(certificate)
        found = replay(said, db or said.database, load_catalog(catalog or said.catalog.rpartition(" ")[0]))
    if form is Format.JSON:
        write_json(
            {
                "schema_version": 1,
                "confirmed": found.confirmed,
                "verdict": said.verdict,
                "refusals": list(found.refusals),
                "notes": list(found.notes),
            }
        )
    else:
        head = "confirmed" if found.confirmed else "refused"
        write_text(
            "\n".join(
                [
                    f"{head}  {said.verdict}  {said.program}",
                    *(f"  {x}" for x in (*found.refusals, *found.notes)),
                ]
            )
        )
    exit_with(ExitCode.OK if found.confirmed else ExitCode.FAILED)
