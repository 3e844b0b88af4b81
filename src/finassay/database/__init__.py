"""Open DuckDB, folders of Parquet and CSV, MySQL/MariaDB and PostgreSQL by URL; run checked statements into Arrow."""

from __future__ import annotations

from finassay.database._catalog import (
    Finding,
    Lag,
    LintReport,
    ResolvedTable,
    RoleScore,
    Severity,
    TableFacts,
    compare_roles,
    knowable_sql,
    known_view,
    lint_catalog,
    moved,
    normal_view,
    predicate_sql,
    propose_catalog,
    questions_of,
    resolve_table,
    selected_view,
)
from finassay.database._connect import connect
from finassay.database._definitions import Behind, Definition, read_through
from finassay.database._engine import Database
from finassay.database._fingerprint import fingerprint
from finassay.database._names import identifier
from finassay.database._overlays import replace_tables
from finassay.database._policy import check
from finassay.database._references import row_statistics_read, tables_read
from finassay.database._sealed import refuse_clock
from finassay.database._translate import translate
from finassay.database._types import (
    DIALECTS,
    ColumnInfo,
    DatabaseUnavailable,
    Dialect,
    OwnSelect,
    QueryError,
    QueryPolicy,
    QueryRefused,
    QueryResult,
    QueryTimeout,
    TableInfo,
    Translation,
    UnsupportedSyntax,
)
from finassay.database._views import OverlayViews

__all__ = [
    "DIALECTS",
    "Behind",
    "ColumnInfo",
    "Database",
    "DatabaseUnavailable",
    "Definition",
    "Dialect",
    "Finding",
    "Lag",
    "LintReport",
    "OverlayViews",
    "OwnSelect",
    "QueryError",
    "QueryPolicy",
    "QueryRefused",
    "QueryResult",
    "QueryTimeout",
    "ResolvedTable",
    "RoleScore",
    "Severity",
    "TableFacts",
    "TableInfo",
    "Translation",
    "UnsupportedSyntax",
    "check",
    "compare_roles",
    "connect",
    "fingerprint",
    "identifier",
    "knowable_sql",
    "known_view",
    "lint_catalog",
    "moved",
    "normal_view",
    "predicate_sql",
    "propose_catalog",
    "questions_of",
    "read_through",
    "refuse_clock",
    "replace_tables",
    "resolve_table",
    "row_statistics_read",
    "selected_view",
    "tables_read",
    "translate",
]
