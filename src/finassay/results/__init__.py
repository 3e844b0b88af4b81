"""The results store: one row per (task, sample, epoch, attempt) with its outcome; it owns every denominator."""

from __future__ import annotations

from finassay.results._ingest import Kind, RunFacts, ingest, read_expected
from finassay.results._row import (
    SCHEMA_VERSION,
    AuditLabel,
    Outcome,
    ResultRow,
    RowKey,
    arrow_schema,
    expected_row,
)
from finassay.results._statuses import Judgement, Meaning, SuiteStatuses, suite_statuses
from finassay.results._store import Written, merge, read_rows, write_rows

__all__ = [
    "SCHEMA_VERSION",
    "AuditLabel",
    "Judgement",
    "Kind",
    "Meaning",
    "Outcome",
    "ResultRow",
    "RowKey",
    "RunFacts",
    "SuiteStatuses",
    "Written",
    "arrow_schema",
    "expected_row",
    "ingest",
    "merge",
    "read_expected",
    "read_rows",
    "suite_statuses",
    "write_rows",
]
