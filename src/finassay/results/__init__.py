"""The results store: one row per (task, sample, epoch, attempt) with its outcome; it owns every denominator."""

from __future__ import annotations

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

__all__ = [
    "SCHEMA_VERSION",
    "AuditLabel",
    "Judgement",
    "Meaning",
    "Outcome",
    "ResultRow",
    "RowKey",
    "SuiteStatuses",
    "arrow_schema",
    "expected_row",
    "suite_statuses",
]
