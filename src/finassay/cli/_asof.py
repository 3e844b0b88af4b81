"""`finassay asof`: serve a database as of a date, to any MySQL or PostgreSQL client."""

from __future__ import annotations

import json
import signal
import threading
from contextlib import nullcontext
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from finassay.cli._output import Format, FormatOption, reporting, write_json, write_message, write_text
from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import TextIO

    from finassay.database import Database
    from finassay.execution import AsOfServer, AsOfViews, QueryRecord
    from finassay.temporal import Boundary, Catalog, Contract, Cutoff

_LOOPBACK = ("127.", "localhost", "::1")

app = typer.Typer(name="asof", help="A database as of a date.", no_args_is_help=True)


class BoundaryName(StrEnum):
    """The boundaries of an as-of date."""

    EOD = "eod"
    PRE = "pre"


class ProtocolName(StrEnum):
    """The protocols that clients speak."""

    MYSQL = "mysql"
    POSTGRES = "postgres"


@app.callback()
def _group() -> None:
    """Work with a database as of a date."""


@app.command("serve")
def serve_command(
    db: Annotated[
        str, typer.Option("--db", help="duckdb:///file, mysql://…, postgresql://…, a folder, a file.")
    ],
    as_of: Annotated[
        datetime | None,
        typer.Option("--as-of", formats=["%Y-%m-%d"], help="The as-of date. [default: the contract's]"),
    ] = None,
    boundary: Annotated[
        BoundaryName | None,
        typer.Option(help="End of day, or before the open. [default: the contract's, else eod]"),
    ] = None,
    catalog: Annotated[
        str | None,
        typer.Option(help="A shipped catalog's name, or a YAML file. [default: what the database names]"),
    ] = None,
    contract: Annotated[
        Path | None, typer.Option(help="A contract: its date, and the recording times it allows.")
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option(help="A table to serve as it is stored, whatever the catalog says of it."),
    ] = None,
    protocol: Annotated[
        ProtocolName | None,
        typer.Option(help="What clients speak. [default: the database's own, mysql for DuckDB]"),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; another opens it to the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    password: Annotated[
        str | None,
        typer.Option(
            envvar="FINASSAY_ASOF_PASSWORD", help="What clients have to know. [default: a new one, printed]"
        ),
    ] = None,
    query_timeout: Annotated[float, typer.Option(min=0.1, max=1e7, help="Seconds for one statement.")] = 60.0,
    log: Annotated[
        Path | None, typer.Option(help="A file that gets a line of JSON for each statement.")
    ] = None,
    form: FormatOption = Format.TEXT,
) -> None:
    """Serve only what was knowable at a date, over the MySQL or PostgreSQL protocol, until Ctrl-C or SIGTERM."""
    with reporting(form):
        from finassay.database import QueryPolicy, connect
        from finassay.execution import AsOfServer, as_of_views
        from finassay.execution._asof import protocol_for

        spoken = protocol_for(db, protocol.value if protocol else None)
        task = _contract(contract)
        cutoff = _cutoff(as_of, boundary, task)
        write_message("finassay: making the views …")
        with connect(db) as database:
            known = _catalog(catalog, database)
            views = as_of_views(database, known, cutoff, contract=task, allowed=allow or ())
        with _open_log(log) as file:
            server = AsOfServer(
                db,
                views,
                protocol=spoken,
                host=host,
                port=port,
                password=password,
                policy=QueryPolicy(timeout_s=query_timeout),
                taken=_writer(file) if file is not None else None,
            )
            stop = _stop_signal()
            with server:
                if form is Format.JSON:
                    write_json(_as_json(server, views, known))
                else:
                    write_text(_as_text(server, views, known))
                _flush()
                stop.wait()
    write_message("finassay: stopped.")


def _stop_signal() -> threading.Event:
    """Return what Ctrl-C and SIGTERM set."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def _flush() -> None:
    import sys

    sys.stdout.flush()


def _contract(path: Path | None) -> Contract | None:
    from finassay.temporal import load_contract

    if path is None:
        return None
    contract = load_contract(path)
    if contract.unconfirmed:
        fields = ", ".join(mark.field for mark in contract.unconfirmed)
        raise InputError(
            f"Nobody has confirmed what the contract {path} says of {fields}.",
            hint="Look at each, and change its mark to sure.",
            reason="unconfirmed",
        )
    return contract


def _cutoff(as_of: datetime | None, boundary: BoundaryName | None, contract: Contract | None) -> Cutoff:
    """Return the cutoff of the options or the contract, which may not contradict each other."""
    from finassay.temporal import Cutoff

    stated = contract.cutoff if contract is not None else None
    if as_of is None and stated is None:
        raise InputError(
            "There is no date to serve as of.", hint="Give --as-of 2024-12-24, or a contract with as_of."
        )
    chosen: Boundary = boundary.value if boundary else stated.boundary if stated else "eod"
    asked = Cutoff(as_of.date() if as_of else stated.day, chosen)  # type: ignore[union-attr] # one of them is there
    if stated is not None and asked != stated:
        raise InputError(
            f"The options say {asked}, the contract {stated}.",
            hint="Leave --as-of and --boundary out, or correct the contract.",
            reason="contradiction",
        )
    return asked


def _catalog(name: str | None, database: Database) -> Catalog:
    """Return the catalog of that name, or the one that a world says it has."""
    from finassay.temporal import load_catalog

    if name is None and any(table.name == "finassay_meta" for table in database.tables()):
        rows = database.query("SELECT * FROM finassay_meta").table.to_pylist()
        name = {row["key"]: row["value"] for row in rows}.get("catalog")
    if name is None:
        raise InputError(
            "The database does not say which catalog describes it.",
            hint="Give --catalog, the name of a shipped one or a file; `finassay catalog propose` drafts one.",
            reason="no_catalog",
        )
    return load_catalog(name)


def _open_log(path: Path | None) -> AbstractContextManager[TextIO | None]:
    if path is None:
        return nullcontext()
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise InputError(f"The log {path} cannot be written: {error.strerror}.", reason="bad_log") from error


def _writer(file: TextIO) -> Callable[[QueryRecord], None]:
    def write(record: QueryRecord) -> None:
        try:
            file.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
        except OSError as error:
            write_message(f"finassay: the log cannot be written: {error.strerror}.")

    return write


def _as_json(server: AsOfServer, views: AsOfViews, catalog: Catalog) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "as_of": views.cutoff.day.isoformat(),
        "boundary": views.cutoff.boundary,
        "database": {"url": server.served.url, "engine": server.served.engine},
        "catalog": catalog.catalog,
        "protocol": server.protocol,
        "host": server.host,
        "port": server.port,
        "url": server.client_url,
        "tables": sorted(views.overlays),
        "withheld": dict(sorted(views.withheld.items())),
    }


def _as_text(server: AsOfServer, views: AsOfViews, catalog: Catalog) -> str:
    lines = [
        f"{server.served.url} ({server.served.engine}) as of {views.as_of}; catalog {catalog.catalog}",
        f"{len(views.overlays)} table(s) are served as they were knowable"
        + (f"; {len(views.withheld)} table(s) or column(s) are not:" if views.withheld else "."),
        *(f"  {name}: {why}" for name, why in sorted(views.withheld.items())),
        f"{server.protocol} on {server.host} port {server.port}; the password is in the URL:",
        f"  {server.client_url}",
    ]
    if not server.host.startswith(_LOOPBACK):
        lines.append(
            "Open to the network and not encrypted: whoever listens there reads the results and the password."
        )
    return "\n".join([*lines, "Ctrl-C stops it."])
