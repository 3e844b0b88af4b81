"""The results store: one row per (task, sample, epoch, attempt) with its outcome; it owns every denominator."""

from __future__ import annotations

from finassay.results._behaviour import Behaviour
from finassay.results._diff import Difference, Side, diff
from finassay.results._ingest import Kind, RunFacts, ingest, read_expected
from finassay.results._measures import Measure, Share
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
from finassay.results._summary import ProfileSummary, RunSummary, Summary, summarise
from finassay.results._verify import Verification, verify

__all__ = [
    "SCHEMA_VERSION",
    "AuditLabel",
    "Behaviour",
    "Difference",
    "Judgement",
    "Kind",
    "Meaning",
    "Measure",
    "Outcome",
    "ProfileSummary",
    "ResultRow",
    "RowKey",
    "RunFacts",
    "RunSummary",
    "Share",
    "Side",
    "SuiteStatuses",
    "Summary",
    "Verification",
    "Written",
    "arrow_schema",
    "diff",
    "expected_row",
    "ingest",
    "merge",
    "read_expected",
    "read_rows",
    "suite_statuses",
    "summarise",
    "verify",
    "write_rows",
]
