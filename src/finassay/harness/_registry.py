"""What Inspect finds of us by entry point: tasks, agents, tools, scorer, model."""

from __future__ import annotations

from finassay.harness._agents._human import human
from finassay.harness._agents._react_sql import react_sql
from finassay.harness._agents._spider_lite import spider_lite
from finassay.harness._agents._swe_sql import swe_sql
from finassay.harness._sandbox import bwrap, bwrap_session
from finassay.harness._scorer import table_scorer
from finassay.harness._scripted import finassay_scripted
from finassay.harness._task import smoke
from finassay.harness._tools import (
    bash,
    describe_columns,
    describe_tables,
    run_code,
    search_columns,
    search_tables,
    submit,
    trading_days,
)

__all__ = [
    "bash",
    "bwrap",
    "bwrap_session",
    "describe_columns",
    "describe_tables",
    "finassay_scripted",
    "human",
    "react_sql",
    "run_code",
    "search_columns",
    "search_tables",
    "smoke",
    "spider_lite",
    "submit",
    "swe_sql",
    "table_scorer",
    "trading_days",
]
