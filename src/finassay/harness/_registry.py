"""What Inspect finds of us by entry point: tasks, agents, tools, scorer, model."""

from __future__ import annotations

from finassay.harness._agents._react_sql import react_sql
from finassay.harness._sandbox import bwrap, bwrap_session
from finassay.harness._scorer import table_scorer
from finassay.harness._scripted import finassay_scripted
from finassay.harness._task import smoke
from finassay.harness._tools import (
    describe_columns,
    describe_tables,
    run_code,
    search_columns,
    search_tables,
    submit,
    trading_days,
)

__all__ = [
    "bwrap",
    "bwrap_session",
    "describe_columns",
    "describe_tables",
    "finassay_scripted",
    "react_sql",
    "run_code",
    "search_columns",
    "search_tables",
    "smoke",
    "submit",
    "table_scorer",
    "trading_days",
]
