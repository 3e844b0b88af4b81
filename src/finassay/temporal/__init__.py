"""The temporal catalog (what each column's time means), a task's contract, as-of answers; knows no database."""

from __future__ import annotations

from finassay.temporal._as_of import AsOf, AvailabilityUnknown, VersionRule
from finassay.temporal._catalog import (
    Catalog,
    CatalogError,
    catalog_schema,
    load_catalog,
    parse_catalog,
    shipped_catalogs,
)
from finassay.temporal._column import DATE_ROLES, ROLES, Column, Described, Role
from finassay.temporal._cutoff import Boundary, Cutoff
from finassay.temporal._formats import DATE_FORMATS, DateFormat, UnreadableDate, decode, encode
from finassay.temporal._predicate import (
    All,
    Before,
    Missing,
    Not,
    Predicate,
    all_of,
    columns_of,
    holds,
    holds_each,
)
from finassay.temporal._table import (
    KINDS,
    Availability,
    Dependency,
    Disjoint,
    Interval,
    Kind,
    KnownEnd,
    KnownIssue,
    OpenQuestion,
    Table,
    Versions,
)
from finassay.temporal._yaml import DocumentError

__all__ = [
    "DATE_FORMATS",
    "DATE_ROLES",
    "KINDS",
    "ROLES",
    "All",
    "AsOf",
    "Availability",
    "AvailabilityUnknown",
    "Before",
    "Boundary",
    "Catalog",
    "CatalogError",
    "Column",
    "Cutoff",
    "DateFormat",
    "Dependency",
    "Described",
    "Disjoint",
    "DocumentError",
    "Interval",
    "Kind",
    "KnownEnd",
    "KnownIssue",
    "Missing",
    "Not",
    "OpenQuestion",
    "Predicate",
    "Role",
    "Table",
    "UnreadableDate",
    "VersionRule",
    "Versions",
    "all_of",
    "catalog_schema",
    "columns_of",
    "decode",
    "encode",
    "holds",
    "holds_each",
    "load_catalog",
    "parse_catalog",
    "shipped_catalogs",
]
