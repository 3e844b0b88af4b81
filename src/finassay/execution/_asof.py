"""The as-of proxy: a database of which only what was knowable is served, to clients of MySQL and PostgreSQL."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self, get_args

from finassay.core import InputError, InternalError
from finassay.execution._broker import Broker, Served

if TYPE_CHECKING:
    from types import TracebackType

    from finassay.database import Database, Dialect, QueryPolicy, ResolvedTable, TableInfo
    from finassay.execution._types import QueryRecord
    from finassay.temporal import Catalog, Contract, Cutoff

Protocol = Literal["mysql", "postgres"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
USER = "research"
_NEVER_SHOWN = ("current_state", "updated", "recorded")
_BOUNDARIES = {"eod": "at the end of the day", "pre": "before the open"}


@dataclass(frozen=True)
class AsOfViews:
    """What of a database is served as of a cutoff.

    Attributes
    ----------
    cutoff : Cutoff
        The as-of date and boundary.
    overlays : dict of str to str
        Table name to the SELECT of what was knowable, in the engine's dialect.
    withheld : dict of str to str
        ``table``, or ``table.COLUMN`` of a table that is served, to why it is not shown.
    """

    cutoff: Cutoff
    overlays: dict[str, str]
    withheld: dict[str, str]

    @property
    def as_of(self) -> str:
        """The cutoff in words."""
        return f"{self.cutoff.day.isoformat()}, {_BOUNDARIES[self.cutoff.boundary]}"


def as_of_views(
    database: Database,
    catalog: Catalog,
    cutoff: Cutoff,
    *,
    contract: Contract | None = None,
    allowed: Collection[str] = (),
) -> AsOfViews:
    """Return the knowable view K_c of every table of a database (pit_audit.md, 2.1).

    A table that the catalog does not know, or of which the data do not say when rows became known, is withheld; so is a
    column that the catalog says nothing about, which reads as NULL.

    Parameters
    ----------
    database : Database
        Where the tables are.
    catalog : Catalog
        What their columns mean.
    cutoff : Cutoff
        The as-of date and boundary.
    contract : Contract, optional
        Its recording proxies stand in for the disclosure where they are named. Its version rule and its history say
        what a program is to choose among the knowable rows, which are all shown.
    allowed : collection of str
        Tables that are served as they are stored, whatever the catalog says or does not say of them.

    Raises
    ------
    InputError
        If there is no such table, or nothing would be served.
    """
    from finassay.temporal import AvailabilityUnknown

    tables = {info.name: info for info in database.tables() if info.schema == database.default_schema}
    stored = _allowed(tables, allowed)
    overlays: dict[str, str] = {}
    withheld: dict[str, str] = {}
    for name, info in tables.items():
        if name in stored:
            overlays[name] = _as_stored(info, database.dialect)
        elif catalog.find(name) is None:
            withheld[name] = f"the catalog {catalog.catalog} says nothing about it"
        else:
            try:
                shown, columns = _known(catalog, info, cutoff, database.dialect, contract)
            except AvailabilityUnknown as error:
                withheld[name] = " ".join([error.message, error.hint or ""]).strip()
            else:
                overlays[name] = shown
                withheld |= {
                    f"{name}.{column}": "the catalog says nothing about it: NULL" for column in columns
                }
    if not overlays:
        raise InputError(
            f"Nothing of {database.url} can be served: the catalog {catalog.catalog} covers none of its tables.",
            hint=f"Choose the catalog that describes it. Tables: {', '.join(sorted(tables)) or 'none'}.",
            reason="nothing_to_serve",
        )
    return AsOfViews(cutoff, overlays, withheld)


def _allowed(tables: Mapping[str, TableInfo], allowed: Collection[str]) -> set[str]:
    lower = {name.lower(): name for name in tables}
    for name in allowed:
        if name.lower() not in lower:
            hint = f"Tables: {', '.join(sorted(tables))}."
            raise InputError(f"There is no table {name} to allow.", hint=hint, reason="unknown_table")
    return {lower[name.lower()] for name in allowed}


def _as_stored(info: TableInfo, dialect: Dialect) -> str:
    from sqlglot import exp

    columns = [exp.column(column.name, quoted=True) for column in info.columns]
    return exp.select(*columns).from_(exp.to_identifier(info.name, quoted=True)).sql(dialect=dialect)


def _known(
    catalog: Catalog, info: TableInfo, cutoff: Cutoff, dialect: Dialect, contract: Contract | None
) -> tuple[str, list[str]]:
    """Return the knowable view of a table, and its columns that no entry of the catalog covers."""
    from finassay.database import known_view, resolve_table

    proxies = contract.proxies(info.name) if contract is not None else frozenset()
    table, unlisted = _closed(resolve_table(catalog, info))
    return known_view(table, cutoff, dialect, proxies=proxies), unlisted


def _closed(table: ResolvedTable) -> tuple[ResolvedTable, list[str]]:
    """Return a table whose columns that the catalog does not let be shown are current state; and which those are."""
    from finassay.temporal import Column

    others = table.spec.others
    if others is not None and others.role not in _NEVER_SHOWN:
        return table, []
    listed = set(table.names.values())
    unlisted = [column.name for column in table.info.columns if column.name not in listed]
    columns = {**table.spec.columns, **{name: Column(role="current_state") for name in unlisted}}
    names = {**table.names, **{name: name for name in unlisted}}
    spec = table.spec.model_copy(update={"columns": columns})
    return replace(table, spec=spec, names=names), unlisted


class AsOfServer:
    """Serve what was knowable on a TCP port, until it is closed.

    The statements of clients run in a process of its own, which sees the knowable views and nothing else
    (`finassay.database.connect`, ``sealed``); where one of them kills it, another takes over.

    Parameters
    ----------
    url : str
        Database URL.
    views : AsOfViews
        What is served, of the same database.
    protocol : {"mysql", "postgres"}, optional
        What clients speak: by default what the database itself does, MySQL for DuckDB and files.
    host : str
        Where to listen; another address than the loopback's opens the port to the network, unencrypted.
    port : int
        Which port; 0 takes a free one.
    password : str, optional
        What clients have to know; by default a new one.
    policy : QueryPolicy, optional
        What a statement may return and take.
    taken : callable, optional
        Takes the record of each statement as it ends.

    Raises
    ------
    InputError
        If the protocol does not suit the database, the password is empty, or the port cannot be had.

    Examples
    --------
    >>> with AsOfServer(url, views) as server:  # doctest: +SKIP
    ...     print(server.client_url)
    ...     wait()
    """

    def __init__(
        self,
        url: str,
        views: AsOfViews,
        *,
        protocol: Protocol | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        password: str | None = None,
        policy: QueryPolicy | None = None,
        taken: Callable[[QueryRecord], None] | None = None,
    ) -> None:
        if password is not None and not password.strip():
            raise InputError(
                "The password is empty.", hint="Leave it out, and one is made.", reason="bad_password"
            )
        self.protocol = protocol_for(url, protocol)
        self.password = password or secrets.token_urlsafe(24)
        self._listener = _listen(host, port)
        self.host, self.port = host, int(self._listener.getsockname()[1])
        self._served: Served | None = None
        self._broker = Broker(
            url,
            listeners={self.protocol: self._listener},
            overlays=views.overlays,
            policy=policy,
            password=self.password,
            as_of=views.as_of,
            taken=taken or _forget,
        )

    @property
    def served(self) -> Served:
        """The database behind it."""
        if self._served is None:
            raise InternalError("The as-of server was not started: use it in a `with` block.")
        return self._served

    @property
    def client_url(self) -> str:
        """The URL with which a client connects, password included."""
        scheme = "mysql" if self.protocol == "mysql" else "postgresql"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{USER}:{self.password}@{host}:{self.port}/{self.served.schema}"

    def __enter__(self) -> Self:
        """Start to serve.

        Raises
        ------
        InputError
            If the database cannot be opened.
        """
        self._served = self._broker.__enter__().ready()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._broker.close()


def protocol_for(url: str, protocol: Protocol | None) -> Protocol:
    """Return the protocol that a database is served in.

    Raises
    ------
    InputError
        If the asked one cannot be: there is no translation between the dialects of two servers.
    """
    scheme = url.split("://", 1)[0].lower() if "://" in url else ""
    own: Protocol | None = (
        "mysql"
        if scheme.startswith(("mysql", "mariadb"))
        else "postgres"
        if scheme.startswith("postgres")
        else None
    )
    if protocol is None or own is None or own == protocol:
        return protocol or own or "mysql"
    raise InputError(
        f"A {own} database cannot be served in the {protocol} protocol: there is no translation of its statements.",
        hint=f"Leave --protocol out, or say {own}. A DuckDB database is served in both.",
        reason="bad_protocol",
    )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise InputError(f"{host} is no address to listen on: {error}.", reason="bad_address") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Clients' sockets inherit both: answers go out at once, and one whose machine is gone is noticed.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        listener.bind(address)
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise InputError(
            f"Port {port} of {host} cannot be had: {error}.",
            hint="Choose another --port, or 0 for any free one.",
            reason="bad_address",
        ) from error
    return listener


def _forget(_: QueryRecord) -> None:
    """Keep no log."""
