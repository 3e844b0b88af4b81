"""Folders of Parquet and CSV files as tables of DuckDB, each named by the file's stem."""

# ruff: noqa: S608 - names in statements are quoted, texts are literals of `literal`
from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from finassay.database._csv_faults import refuse_open_quote, refuse_other_encoding
from finassay.database._names import identifier
from finassay.database._types import DatabaseUnavailable
from finassay.database._url import FILE_SUFFIXES

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

_LEADING_ZERO = "^[+-]?0[0-9]"
_NO_QUOTE = "(empty)"
_DELIMITERS = (",", ";", "\t", "|")


def find_files(connection: duckdb.DuckDBPyConnection, path: Path, schema: str) -> dict[str, Path]:
    """Let the connection read the files of a folder and no others, and return the CSV files by table name.

    A Parquet file becomes a view in ``schema``: it is read where it lies. A CSV file is loaded by `load_csv` when it is
    needed, since finding its types takes a look at all of its rows.

    Raises
    ------
    DatabaseUnavailable
        If there is no such file, two have one stem, or a Parquet file cannot be read.
    """
    import duckdb

    tables = _tables(path)
    connection.execute(f"SET allowed_paths = [{', '.join(literal(str(file)) for file in tables.values())}]")
    waiting = {}
    for name, file in tables.items():
        if not file.name.lower().endswith(".parquet"):
            waiting[name] = file
            continue
        try:
            source = f"SELECT * FROM read_parquet({literal(str(file))})"
            connection.execute(f"CREATE VIEW {schema}.{quoted(name)} AS {source}")
        except duckdb.Error as error:
            raise _unreadable(file, error) from error
    return waiting


def load_csv(connection: duckdb.DuckDBPyConnection, schema: str, name: str, file: Path) -> None:
    """Load a CSV file into a table of ``schema``, with types taken from all of its rows.

    A column of digits in which a value begins with a zero (a security code) stays text. Empty fields are NULL.

    Raises
    ------
    DatabaseUnavailable
        If it cannot be read.
    """
    import duckdb

    try:
        connection.execute(f"CREATE TABLE {schema}.{quoted(name)} AS {_csv(connection, file)}")
    except duckdb.Error as error:
        with contextlib.suppress(OSError, EOFError):  # a broken archive: DuckDB has said so
            refuse_other_encoding(file)
        raise _unreadable(file, error) from error


def _unreadable(file: Path, error: Exception) -> DatabaseUnavailable:
    problem = str(error).splitlines()[0]
    return DatabaseUnavailable(f"{file} cannot be read: {problem}", hint="Repair the file or move it.")


def quoted(name: str) -> str:
    """Return a name of DuckDB or PostgreSQL in double quotes."""
    return identifier(name, "duckdb")


def literal(text: str) -> str:
    """Return a string of SQL in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def _tables(path: Path) -> dict[str, Path]:
    files = [path] if path.is_file() else sorted(entry for entry in path.iterdir() if entry.is_file())
    found: dict[str, Path] = {}
    for file in files:
        suffix = next((suffix for suffix in FILE_SUFFIXES if file.name.lower().endswith(suffix)), None)
        if suffix is None or file.name.startswith((".", "_")):
            continue
        name = file.name[: -len(suffix)]
        clash = next((known for known in found if known.lower() == name.lower()), None)
        if clash is not None:
            message = f"Two files are the table {name}: {found[clash].name} and {file.name} in {path}."
            raise DatabaseUnavailable(message, hint="Rename or move one of them.")
        found[name] = file
    if not found:
        message = f"{path} holds no file that can be read as a table ({', '.join(FILE_SUFFIXES)})."
        raise DatabaseUnavailable(
            message, hint="Give the folder that holds them; folders inside it are not read."
        )
    return found


def _csv(connection: duckdb.DuckDBPyConnection, file: Path) -> str:
    # Without `skip` DuckDB passes over lines that do not agree with the last ones, and the header with them.
    reader = f"read_csv({literal(str(file))}, sample_size = -1, skip = 0, all_varchar = {{}})"
    [(quote, found)] = connection.execute(
        f"SELECT Quote, Columns FROM sniff_csv({literal(str(file))}, sample_size = -1, skip = 0)"
    ).fetchall()
    columns = [(column["name"], column["type"]) for column in found]
    if quote == _NO_QUOTE:
        refuse_open_quote(file)
    if len(columns) == 1 and (mark := next((m for m in _DELIMITERS if m in str(columns[0][0])), None)):
        raise DatabaseUnavailable(
            f"{file.name} cannot be split into columns: its header is {str(columns[0][0])!r}, but not every line "
            f"below has as many fields, separated by {mark!r}.",
            hint="Correct the lines with more or fewer fields, or quote a field that holds the separator.",
        )
    whole = [str(name) for name, type_ in columns if str(type_).endswith("INT")]
    if not whole:
        return f"SELECT * FROM {reader.format('false')}"
    tests = ", ".join(f"bool_or(regexp_matches({quoted(name)}, '{_LEADING_ZERO}'))" for name in whole)
    (row,) = connection.execute(f"SELECT {tests} FROM {reader.format('true')}").fetchall()
    codes = [name for name, has in zip(whole, row, strict=True) if has]
    if not codes:
        return f"SELECT * FROM {reader.format('false')}"
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in codes)
    return f"SELECT * FROM read_csv({literal(str(file))}, sample_size = -1, skip = 0, types = {{{types}}})"
