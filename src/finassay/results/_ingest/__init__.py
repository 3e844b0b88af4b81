"""Runs in plain formats, read as rows."""

from __future__ import annotations

from finassay.results._ingest._build import RunFacts
from finassay.results._ingest._read import Kind, ingest, read_expected

__all__ = ["Kind", "RunFacts", "ingest", "read_expected"]
