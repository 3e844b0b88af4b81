"""A temporal catalog against a database: as-of views, checks against data, drafts from data."""

from __future__ import annotations

from finassay.database._catalog._predicates import knowable_sql, predicate_sql
from finassay.database._catalog._views import known_view, normal_view, resolve_table, selected_view

__all__ = [
    "knowable_sql",
    "known_view",
    "normal_view",
    "predicate_sql",
    "resolve_table",
    "selected_view",
]
