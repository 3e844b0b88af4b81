"""A Python function under audit: trusted code of the caller's own, called again and again in this process."""

from __future__ import annotations

import inspect
import textwrap
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from finassay.audit import Output, Runner, Subject
from finassay.core import InputError
from finassay.execution import Submission
from finassay.integrations._connection import Connection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from finassay.database import Database, Dialect


@dataclass(frozen=True)
class FunctionSubject(Subject):
    """A function of a connection, of tables, or of both; see `function_subject`."""

    in_process: ClassVar[bool] = True
    function: Callable[..., Any] = field(kw_only=True)

    @contextmanager
    def runner(self) -> Iterator[Runner]:
        """See `Subject.runner`."""
        with ExitStack() as stack:
            yield _Calls(self, stack)


def function_subject(
    function: Callable[..., Any], url: str, dialect: Dialect | None = None
) -> FunctionSubject:
    """Return a function as the subject of an audit.

    Parameters
    ----------
    function : callable
        Each parameter without a default that has the name of a table receives that table as a pandas frame; one other
        receives a connection (`Connection`). It returns a frame (pandas, polars), an Arrow table, a series, a list of
        dicts or one value. It is called many times, in this process, over altered tables.
    url : str
        The database.
    dialect : {"duckdb", "mysql", "postgres"} or None
        What its SQL is written in; None for the engine's own.
    """
    name = f"{function.__module__}.{getattr(function, '__qualname__', 'function')}"
    submission = Submission("python", python_code=_source(function), source=name)
    return FunctionSubject(submission, url, dialect, function=function)


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return f"# The text of {function!r} is not at hand.\n"


class _Calls(Runner):
    """Calls the function over many altered databases."""

    subject: FunctionSubject

    def _run_python(self, overlays: Mapping[str, str]) -> Output:
        """Call the function; its own exception is part of the output."""
        from finassay.database import QueryPolicy

        database = self._altered(overlays)
        connection = Connection(database, self.subject.dialect, self.subject.policy or QueryPolicy())
        arguments = _arguments(self.subject.function, connection, database)
        try:
            with warnings.catch_warnings():
                # What `Connection` is, pandas cannot know; it takes it all the same.
                warnings.filterwarnings("ignore", message="pandas only supports SQLAlchemy")
                returned = self.subject.function(**arguments)
        except Exception as error:  # noqa: BLE001 - whatever the function raises is what it gave
            said = f"{type(error).__name__}: {error}"
            return Output(error=said, statements=tuple(connection.statements))
        return Output({"result": as_table(returned)}, statements=tuple(connection.statements))


def _arguments(function: Callable[..., Any], connection: Connection, database: Database) -> dict[str, Any]:
    """Return what each parameter receives.

    Raises
    ------
    InputError
        If two parameters name no table, or there is none at all.
    """
    tables = {info.name.lower(): info.name for info in database.tables()}
    asked = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    others = [name for name in asked if name.lower() not in tables]
    if len(others) > 1 or not asked:
        raise InputError(
            f"Expected a function of a connection, of tables, or of both; {getattr(function, '__name__', function)} "
            f"has {'no parameter' if not asked else ' and '.join(others) + ', which name no table'}.",
            hint="One parameter with a name of its own receives the connection. Give the rest defaults, or wrap it.",
            reason="bad_function",
        )
    return {name: connection if name in others else connection.table(tables[name.lower()]) for name in asked}


def as_table(value: Any) -> pa.Table:
    """Return what a function returned as a table.

    Raises
    ------
    InputError
        If it is nothing that can be compared.
    """
    import pandas as pd
    import pyarrow as pa

    if isinstance(value, pa.Table):
        return value
    if isinstance(value, pd.Series):
        value = value.to_frame()
    if isinstance(value, pd.DataFrame):
        named = value if list(value.index.names) == [None] else value.reset_index()
        return _from_pandas(named)
    if hasattr(value, "to_arrow"):  # polars, and others that speak Arrow
        return value.to_arrow()
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        return pa.Table.from_pylist(value)
    if isinstance(value, bool | int | float | str):
        return pa.table({"value": [value]})
    raise InputError(
        f"The function returned {type(value).__name__}, which is no result that can be compared.",
        hint="Return a pandas or polars frame, an Arrow table, a series, a list of dicts, or one number or text.",
        reason="no_output",
    )


def _from_pandas(frame: Any) -> pa.Table:
    import pyarrow as pa

    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    try:
        return pa.Table.from_pandas(frame, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # a column that mixes types
        mixed = [name for name in frame.columns if frame[name].dtype == object]
        return pa.Table.from_pandas(frame.astype(dict.fromkeys(mixed, str)), preserve_index=False)
