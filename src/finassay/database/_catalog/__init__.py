"""A temporal catalog against a database: as-of views, checks against data, drafts from data."""

from __future__ import annotations

from finassay.database._catalog._dates import moved
from finassay.database._catalog._findings import Finding, Lag, LintReport, Severity, TableFacts
from finassay.database._catalog._lint import lint_catalog
from finassay.database._catalog._predicates import knowable_sql, predicate_sql
from finassay.database._catalog._propose import RoleScore, compare_roles, propose_catalog, questions_of
from finassay.database._catalog._views import (
    ResolvedTable,
    known_view,
    normal_view,
    resolve_table,
    selected_view,
)

__all__ = [
    "Finding",
    "Lag",
    "LintReport",
    "ResolvedTable",
    "RoleScore",
    "Severity",
    "TableFacts",
    "compare_roles",
    "knowable_sql",
    "known_view",
    "lint_catalog",
    "moved",
    "normal_view",
    "predicate_sql",
    "propose_catalog",
    "questions_of",
    "resolve_table",
    "selected_view",
]
