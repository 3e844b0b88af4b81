"""What a MySQL server knows of itself: settings, transactions and the schema, answered without asking the database.

Programs that read data also ask such things, most of all when SQLAlchemy reflects tables. The statements that are
answered here never reach the database; the query log says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from finassay.execution._wire._mysql_catalog import MySqlCatalog, mysql_type
from finassay.execution._wire._mysql_session import has_no_effect
from finassay.execution._wire._session import Answer

if TYPE_CHECKING:
    import pyarrow as pa

    from finassay.database import TableInfo
    from finassay.execution._wire._mysql_charsets import Charsets
    from finassay.execution._wire._session import Session

VERSION = "10.11.0-MariaDB-finassay"
SETTINGS: dict[str, str | int] = {
    "auto_increment_increment": 1,
    "autocommit": 1,
    "character_set_database": "utf8mb4",
    "character_set_server": "utf8mb4",
    "collation_database": "utf8mb4_general_ci",
    "collation_server": "utf8mb4_general_ci",
    "default_storage_engine": "InnoDB",
    "hostname": "finassay",
    "init_connect": "",
    "interactive_timeout": 28800,
    "license": "Apache-2.0",
    "lower_case_table_names": 0,
    "max_allowed_packet": 16 << 20,
    "net_buffer_length": 16384,
    "net_write_timeout": 60,
    "performance_schema": 0,
    "protocol_version": 10,
    "sql_mode": "STRICT_TRANS_TABLES",
    "system_time_zone": "UTC",
    "time_zone": "SYSTEM",
    "transaction_isolation": "REPEATABLE-READ",
    "transaction_read_only": 1,
    "tx_isolation": "REPEATABLE-READ",
    "tx_read_only": 1,
    "version": VERSION,
    "version_comment": "finassay",
    "version_compile_os": "Linux",
    "wait_timeout": 28800,
}


def _name_as(key: str) -> str:
    """Return the pattern of a name, with backquotes or without; `_named` reads it."""
    return rf"(?:`(?P<{key}_quoted>(?:[^`]|``)+)`|(?P<{key}>[\w$]+))"


_TABLE = rf"(?:{_name_as('schema')}\s*\.\s*)?{_name_as('table')}"
_FROM = rf"(?:\s+(?:FROM|IN)\s+{_name_as('source')})?"
_LIKE = r"(?:\s+LIKE\s+'(?P<like>(?:[^'\\]|\\.)*)')?"
_COMMENTS = re.compile(r"^(?:\s|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|/\*(?!!).*?\*/)+", re.DOTALL)
_LOCAL = re.compile(
    r"@@|\b(?:database|schema|version|user|current_user|session_user|system_user|connection_id)\s*\(|"
    r"\bcurrent_user\b|\binformation_schema\b|\bmysql\s*\.|\bperformance_schema\b",
    re.IGNORECASE,
)
_USE = re.compile(rf"USE\s+{_name_as('schema')}", re.IGNORECASE)


class Answers:
    """The answers for one connection.

    Parameters
    ----------
    session : Session
        Where tables are described.
    database : str
        The name the client gave the database; empty means the real one.
    charsets : Charsets
        What the client has set; its ``SET`` statements change it.
    """

    def __init__(self, session: Session, database: str, charsets: Charsets) -> None:
        self._session = session
        self.database = database or session.schema
        self.charsets = charsets

    def answer(self, sql: str) -> Answer | None:
        """Return a result, an empty answer for "done", or None where the statement is the database's to run.

        Raises
        ------
        QueryRefused
            If it names another database than the one there is.
        QueryError
            If it names a character set that is not served.
        """
        text = _COMMENTS.sub("", sql).rstrip().rstrip(";").rstrip()
        if has_no_effect(text):
            self.charsets.obey(text)
            return Answer()
        if found := _USE.fullmatch(text):
            self._refuse_other(_named(found, "schema"))
            return Answer()
        for pattern, method in self._shows:
            if found := pattern.fullmatch(text):
                for key in ("schema", "source"):
                    self._refuse_other(_named(found, key))
                return Answer(method(self, found))
        table = self._catalog().answer(text) if _LOCAL.search(text) else None
        return None if table is None else Answer(table)

    def _refuse_other(self, name: str) -> None:
        from finassay.database import QueryRefused

        if name and name not in {self.database, self._session.schema}:
            raise QueryRefused(
                f"The database {name} may not be used: this connection is to {self.database}.",
                hint="Its tables are there without a database before their names.",
                reason="schema_not_allowed",
            )

    def requalified(self, sql: str) -> str:
        """Return the statement with the client's name of the database taken off its tables."""
        name = self.database
        if name == self._session.schema or not re.search(rf"\b{re.escape(name)}`?\s*\.", sql):
            return sql
        from finassay.execution._wire._qualify import unqualified

        return unqualified(sql, name, "mysql")

    def table(self, name: str) -> TableInfo:
        """Return a table by name, letters' case aside.

        Raises
        ------
        QueryError
            If there is none.
        """
        from finassay.database import QueryError

        for table in self._session.tables():
            if table.name.lower() == name.lower():
                return table
        raise QueryError(f"Table '{self.database}.{name}' doesn't exist", reason="unknown_table")

    def _catalog(self) -> MySqlCatalog:
        return MySqlCatalog(self._session, self.database, self._settings())

    def _settings(self) -> dict[str, str | int]:
        return dict(sorted({**SETTINGS, **self.charsets.variables()}.items()))

    def _tables(self, found: re.Match[str]) -> pa.Table:
        tables = [table for table in self._session.tables() if _like(table.name, found["like"])]
        columns = {f"Tables_in_{self.database}": [table.name for table in tables]}
        if found["full"]:
            columns["Table_type"] = ["VIEW" if table.kind == "view" else "BASE TABLE" for table in tables]
        return _strings(columns)

    def _columns(self, found: re.Match[str]) -> pa.Table:
        return self._described(_named(found, "table"), full=bool(found["full"]), pattern=found["like"])

    def _describe(self, found: re.Match[str]) -> pa.Table:
        return self._described(_named(found, "table"), full=False, pattern=None)

    def _described(self, name: str, *, full: bool, pattern: str | None) -> pa.Table:
        table = self.table(name)
        columns = [column for column in table.columns if _like(column.name, pattern)]
        values: dict[str, list[str | None]] = {
            "Field": [column.name for column in columns],
            "Type": [mysql_type(column, self._session.engine) for column in columns],
            "Collation": [_collation(mysql_type(column, self._session.engine)) for column in columns],
            "Null": ["YES" if column.nullable else "NO" for column in columns],
            "Key": ["PRI" if column.name in table.primary_key else "" for column in columns],
            "Default": [None] * len(columns),
            "Extra": [""] * len(columns),
            "Privileges": ["select"] * len(columns),
            "Comment": [column.comment for column in columns],
        }
        shown = (
            values
            if full
            else {key: values[key] for key in ("Field", "Type", "Null", "Key", "Default", "Extra")}
        )
        return _strings(shown)

    def _create(self, found: re.Match[str]) -> pa.Table:
        table = self.table(_named(found, "table"))
        lines = []
        for column in table.columns:
            null = "DEFAULT NULL" if column.nullable else "NOT NULL"
            comment = f" COMMENT '{column.comment.replace(chr(39), chr(39) * 2)}'" if column.comment else ""
            lines.append(
                f"  {_quoted(column.name)} {mysql_type(column, self._session.engine)} {null}{comment}"
            )
        if table.primary_key:
            lines.append(f"  PRIMARY KEY ({','.join(map(_quoted, table.primary_key))})")
        body = ",\n".join(lines)
        text = f"CREATE TABLE {_quoted(table.name)} (\n{body}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
        return _strings({"Table": [table.name], "Create Table": [text]})

    def _keys(self, found: re.Match[str]) -> pa.Table:
        import pyarrow as pa

        table = self.table(_named(found, "table"))
        key = table.primary_key
        count = len(key)
        texts = {
            "Table": [table.name] * count,
            "Non_unique": ["0"] * count,
            "Key_name": ["PRIMARY"] * count,
            "Seq_in_index": [str(number) for number in range(1, count + 1)],
            "Column_name": list(key),
            "Collation": ["A"] * count,
            "Index_type": ["BTREE"] * count,
            "Comment": [""] * count,
        }
        numbers = ("Non_unique", "Seq_in_index")
        strings = _strings(texts)
        return pa.table(
            {name: strings[name].cast(pa.int64()) if name in numbers else strings[name] for name in texts}
        )

    def _status(self, found: re.Match[str]) -> pa.Table:
        tables = [table for table in self._session.tables() if _like(table.name, found["like"])]
        count = len(tables)
        return _strings(
            {
                "Name": [table.name for table in tables],
                "Engine": ["InnoDB"] * count,
                "Rows": [None if table.rows is None else str(table.rows) for table in tables],
                "Collation": ["utf8mb4_general_ci"] * count,
                "Comment": [""] * count,
            }
        )

    def _databases(self, found: re.Match[str]) -> pa.Table:
        names = [name for name in ("information_schema", self.database) if _like(name, found["like"])]
        return _strings({"Database": names})

    def _variables(self, found: re.Match[str]) -> pa.Table:
        like, equal = found["like"], found["equal"]
        settings = self._settings()
        names = [name for name in settings if _like(name, like) and (equal is None or name == equal.lower())]
        values = [_shown(name, settings[name]) for name in names]
        return _strings({"Variable_name": names, "Value": values})

    def _warnings(self, _found: re.Match[str]) -> pa.Table:
        return _strings({"Level": [], "Code": [], "Message": []})

    def _server_status(self, _found: re.Match[str]) -> pa.Table:
        return _strings({"Variable_name": [], "Value": []})

    def _collations(self, found: re.Match[str]) -> pa.Table:
        names = [name for name in ("utf8mb4_bin", "utf8mb4_general_ci") if _like(name, found["like"])]
        count = len(names)
        return _strings({"Collation": names, "Charset": ["utf8mb4"] * count, "Default": [""] * count})

    def _engines(self, _found: re.Match[str]) -> pa.Table:
        return _strings({"Engine": ["InnoDB"], "Support": ["DEFAULT"], "Comment": [""]})

    _shows: ClassVar[list[tuple[re.Pattern[str], Callable[[Answers, re.Match[str]], pa.Table]]]] = [
        (re.compile(pattern, re.IGNORECASE | re.DOTALL), method)
        for pattern, method in (
            (rf"SHOW\s+(?P<full>FULL\s+)?TABLES{_FROM}{_LIKE}", _tables),
            (
                rf"SHOW\s+(?P<full>FULL\s+)?(?:COLUMNS|FIELDS)\s+(?:FROM|IN)\s+{_TABLE}{_FROM}{_LIKE}",
                _columns,
            ),
            (rf"(?:DESCRIBE|DESC|EXPLAIN)\s+{_TABLE}", _describe),
            (rf"SHOW\s+CREATE\s+(?:TABLE|VIEW)\s+{_TABLE}", _create),
            (rf"SHOW\s+(?:INDEX|INDEXES|KEYS)\s+(?:FROM|IN)\s+{_TABLE}{_FROM}", _keys),
            (rf"SHOW\s+TABLE\s+STATUS{_FROM}{_LIKE}", _status),
            (rf"SHOW\s+(?:DATABASES|SCHEMAS){_LIKE}", _databases),
            (
                rf"SHOW\s+(?:GLOBAL\s+|SESSION\s+|LOCAL\s+)?VARIABLES{_LIKE}(?:\s+WHERE\s+`?variable_name`?\s*=\s*'(?P<equal>\w*)')?",
                _variables,
            ),
            (r"SHOW\s+(?:WARNINGS|ERRORS)(?:\s+LIMIT\s+\d+)?", _warnings),
            (rf"SHOW\s+(?:GLOBAL\s+|SESSION\s+)?STATUS{_LIKE}", _server_status),
            (rf"SHOW\s+COLLATION{_LIKE}", _collations),
            (r"SHOW\s+(?:STORAGE\s+)?ENGINES", _engines),
        )
    ]


def _named(found: re.Match[str], key: str) -> str:
    """Return the name that `_name_as` found, or nothing."""
    groups = found.groupdict()
    quoted = groups.get(f"{key}_quoted")
    return quoted.replace("``", "`") if quoted else groups.get(key) or ""


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _like(name: str, pattern: str | None) -> bool:
    if pattern is None:
        return True
    spelled = re.sub(
        r"\\(.)|(%)|(_)|(.)",
        lambda found: ".*" if found[2] else "." if found[3] else re.escape(found[1] or found[4]),
        pattern,
    )
    return re.fullmatch(spelled, name, re.IGNORECASE | re.DOTALL) is not None


def _shown(name: str, value: str | int) -> str:
    """``SHOW VARIABLES`` spells switches ON and OFF."""
    switches = ("autocommit", "performance_schema", "transaction_read_only", "tx_read_only")
    return ("ON" if value else "OFF") if name in switches else str(value)


def _collation(kind: str) -> str | None:
    return (
        "utf8mb4_general_ci" if re.match(r"(?:var)?char|(?:tiny|medium|long)?text|enum|set", kind) else None
    )


def _strings(columns: Mapping[str, Sequence[str | None]]) -> pa.Table:
    import pyarrow as pa

    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
