"""The tools of an agent: look at the schema, ask for trading days, run a program, submit it. Each call is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from typing import Any

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import OutputLimitExceededError, sandbox

from finassay.core import CandidateError, InputError
from finassay.execution import Outcome, Submission, parse_submission
from finassay.harness._desk import desk
from finassay.harness._preview import CHARS, cut, preview
from finassay.harness._steps import keep_submission, record, recorded

RUNS_MOST = 100
SECONDS = 60  # of a shell command
SUBMITTED = "The program is submitted."
_ROWS_OF_DAYS = 400


def toolbox() -> list[Tool]:
    """Return all tools but `submit`, which ends an agent's work."""
    return [
        describe_tables(),
        search_tables(),
        describe_columns(),
        search_columns(),
        trading_days(),
        run_code(),
    ]


def _looked(name: str, arguments: dict[str, Any], look: Callable[[], str]) -> str:
    """Answer from the schema; a name that is not there is told to the agent, and recorded."""
    try:
        text = look()
    except CandidateError as error:
        record(name, arguments, ok=False, reason=error.reason)
        raise ToolError(str(error)) from error
    record(name, arguments, ok=True, chars=len(text))
    return text


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace("，", ",").split(",") if word.strip()]


@tool
def describe_tables() -> Tool:
    """Lines of tables."""

    async def execute(tables: str = "", page: int = 1) -> str:
        """Describe tables: what each holds, and which column says when a row became known.

        Args:
            tables: Names of tables, separated by commas; empty for all.
            page: Which page, from 1.
        """
        schema, names = desk().schema, _words(tables)
        return _looked(
            "describe_tables", {"tables": tables, "page": page}, lambda: schema.describe_tables(names, page)
        )

    return execute


@tool
def search_tables() -> Tool:
    """Tables by words."""

    async def execute(keywords: str, page: int = 1) -> str:
        """Find tables whose name or description holds one of the words.

        Args:
            keywords: Words, separated by commas.
            page: Which page, from 1.
        """
        schema, words = desk().schema, _words(keywords)
        return _looked(
            "search_tables", {"keywords": keywords, "page": page}, lambda: schema.search_tables(words, page)
        )

    return execute


@tool
def describe_columns() -> Tool:
    """All columns of a table."""

    async def execute(table: str, page: int = 1) -> str:
        """Describe every column of a table: type, temporal role, unit, description, code list.

        Args:
            table: Name of the table.
            page: Which page, from 1.
        """
        schema = desk().schema
        return _looked(
            "describe_columns", {"table": table, "page": page}, lambda: schema.describe_columns(table, page)
        )

    return execute


@tool
def search_columns() -> Tool:
    """Columns by words."""

    async def execute(keywords: str, tables: str = "", page: int = 1) -> str:
        """Find columns whose name, description or code list holds one of the words.

        Args:
            keywords: Words, separated by commas.
            tables: Names of tables to look in, separated by commas; empty for all.
            page: Which page, from 1.
        """
        schema, words, names = desk().schema, _words(keywords), _words(tables)
        return _looked(
            "search_columns",
            {"keywords": keywords, "tables": tables, "page": page},
            lambda: schema.search_columns(words, names, page),
        )

    return execute


@tool
def trading_days() -> Tool:
    """Days of trading."""

    async def execute(start: str, end: str) -> str:
        """List the trading days from one day to another, both included.

        Args:
            start: First day, as 2024-01-31.
            end: Last day, as 2024-01-31.
        """
        arguments = {"start": start, "end": end}
        here = desk()
        try:
            first, last = date.fromisoformat(start.strip()), date.fromisoformat(end.strip())
        except ValueError as error:
            record("trading_days", arguments, ok=False, reason="bad_date")
            raise ToolError(f"Days are written as 2024-01-31: {error}.") from error
        run = await here.run(Submission("sql", sql_code=here.suite.trading_days(first, last)))
        days = [str(value)[:10] for table in run.tables for value in table.table.column(0).to_pylist()]
        record("trading_days", arguments, ok=run.trace.outcome is Outcome.OK, rows=len(days))
        more = f"\n… ({len(days)} days in all; ask for a shorter span)" if len(days) > _ROWS_OF_DAYS else ""
        return (", ".join(days[:_ROWS_OF_DAYS]) or "no trading day") + more

    return execute


@tool
def run_code() -> Tool:
    """Run a program."""

    async def execute(
        mode: str, sql_code: str = "", python_code: str = "", result_vars: list[str] | None = None
    ) -> str:
        """Run a program on the database, and see the first 20 rows of its result, a summary, and what it printed.

        Args:
            mode: sql, python, or sql+python.
            sql_code: The statement; in sql+python it is the variable sql_code of the Python program.
            python_code: The Python program; `from db_connector import query_to_dataframe` reads the database.
            result_vars: Python variables to collect; by default `result`.
        """
        arguments = _submission(mode, sql_code, python_code, result_vars)
        if sum(step["tool"] == "run_code" for step in recorded()) >= RUNS_MOST:
            record("run_code", arguments, ok=False, reason="too_many_runs")
            raise ToolError(f"A program was run {RUNS_MOST} times, the most that is allowed. Submit one.")
        submission = _parsed("run_code", arguments)
        run = await desk().run(submission)
        error = run.trace.error
        record(
            "run_code",
            arguments,
            ok=run.trace.outcome is Outcome.OK,
            outcome=str(run.trace.outcome),
            reason=error.reason if error else None,
            rows=[table.table.num_rows for table in run.tables],
            queries=len(run.trace.queries),
            run_ms=round(run.trace.timings.run_ms, 1),
        )
        return preview(run)

    return execute


@tool
def bash() -> Tool:
    """Run a command."""

    async def execute(command: str) -> str:
        """Run a shell command in /scratch, apart from the database; files there stay until the end.

        Args:
            command: The command line.
        """
        try:
            done = await sandbox().exec(["bash", "-c", command], timeout=SECONDS)
        except (TimeoutError, OutputLimitExceededError) as error:
            record("bash", {"command": command}, ok=False, reason=type(error).__name__)
            raise ToolError(f"The command was ended: {error}") from error
        record("bash", {"command": command}, ok=done.success, code=done.returncode)
        status = "" if done.success else f"\n(exit status {done.returncode})"
        return cut(f"{done.stdout}{done.stderr}", CHARS) + status

    return execute


@tool
def submit() -> Tool:
    """Hand in a program."""

    async def execute(
        mode: str, sql_code: str = "", python_code: str = "", result_vars: list[str] | None = None
    ) -> str:
        """Submit the program that answers the question. It is final; a program must have run before.

        Args:
            mode: sql, python, or sql+python.
            sql_code: The statement.
            python_code: The Python program.
            result_vars: Python variables to collect; by default `result`.
        """
        arguments = _submission(mode, sql_code, python_code, result_vars)
        _parsed("submit", arguments)
        if not any(step["tool"] == "run_code" and step.get("outcome") for step in recorded()):
            record("submit", arguments, ok=False, reason="nothing_ran")
            raise ToolError("Run a program with run_code before you submit one.")
        keep_submission(arguments)
        record("submit", arguments, ok=True)
        return SUBMITTED

    return execute


def _submission(mode: str, sql: str, python: str, names: list[str] | None) -> dict[str, Any]:
    return {
        "mode": mode.strip().lower(),
        "sql_code": sql or None,
        "python_code": python or None,
        "result_vars": names or [],
    }


def _parsed(tool_name: str, arguments: dict[str, Any]) -> Submission:
    try:
        return parse_submission(json.dumps(arguments))
    except InputError as error:
        record(tool_name, arguments, ok=False, reason=error.reason)
        raise ToolError(cut(str(error), 2_000)) from error
