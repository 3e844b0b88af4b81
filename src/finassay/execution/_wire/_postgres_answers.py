"""What a PostgreSQL server knows of itself: settings, transactions and the schema, answered without the database."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from finassay.execution._wire._postgres_catalog import PostgresCatalog
from finassay.execution._wire._postgres_session import tag_without_effect
from finassay.execution._wire._session import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from finassay.execution._wire._session import Session

VERSION = "15.0"
SETTINGS = {
    "application_name": "",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "client_min_messages": "notice",
    "datestyle": "ISO, MDY",
    "default_table_access_method": "heap",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "on",
    "extra_float_digits": "1",
    "integer_datetimes": "on",
    "intervalstyle": "postgres",
    "max_identifier_length": "63",
    "search_path": "public",
    "server_encoding": "UTF8",
    "server_version": VERSION,
    "server_version_num": "150000",
    "standard_conforming_strings": "on",
    "statement_timeout": "0",
    "timezone": "UTC",
    "transaction_isolation": "read committed",
    "transaction_read_only": "on",
}
_COMMENTS = re.compile(r"^(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)+", re.DOTALL)
_SHOW = re.compile(r"SHOW\s+(.+)", re.IGNORECASE | re.DOTALL)
_LOCAL = re.compile(
    r"\bpg_\w+|\binformation_schema\b|\bcurrent_(?:schema|schemas|database|catalog|user|role|setting)\b|\bsession_user\b|"
    r"\bversion\s*\(|\bto_reg\w+\s*\(|::\s*reg\w+",
    re.IGNORECASE,
)


class Answers:
    """The answers for one connection.

    Parameters
    ----------
    session : Session
        Where tables are described.
    parameters : mapping of str to str
        What the client sent when it connected.
    """

    def __init__(self, session: Session, parameters: Mapping[str, str]) -> None:
        self._session = session
        self._database = parameters.get("database") or parameters.get("user") or "finassay"
        self._user = parameters.get("user") or "research"

    def stripped(self, sql: str) -> str:
        """Return the statement without comments before it and semicolons after it."""
        return _COMMENTS.sub("", sql).rstrip().rstrip(";").rstrip()

    def answer(self, text: str) -> Answer | None:
        """Return a result, the tag of a statement without one, or None where it is the database's to run.

        Raises
        ------
        QueryRefused
            If it would change the search path to another schema.
        """
        if tag := tag_without_effect(text, self._catalog().schema):
            return Answer(tag=tag)
        table = None
        if found := _SHOW.fullmatch(text):
            table = self._show(found[1])
        elif _LOCAL.search(text):
            table = self._catalog().answer(text)
        return None if table is None else Answer(table)

    def requalified(self, sql: str) -> str:
        """Return the statement with the schema this server shows taken off its tables, where it is only shown."""
        shown = self._catalog().schema
        if shown == self._session.schema or not re.search(rf"\b{re.escape(shown)}\"?\s*\.", sql):
            return sql
        from finassay.execution._wire._qualify import unqualified

        return unqualified(sql, shown, "postgres")

    def _catalog(self) -> PostgresCatalog:
        return PostgresCatalog(self._session, self._database, self._user, SETTINGS)

    def _show(self, what: str) -> pa.Table | None:
        import pyarrow as pa

        name = "_".join(what.strip().strip('"').lower().split())
        name = {"transaction_isolation_level": "transaction_isolation", "time_zone": "timezone"}.get(
            name, name
        )
        return pa.table({name: [SETTINGS[name]]}) if name in SETTINGS else None
