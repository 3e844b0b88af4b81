"""MySQL-dialect SQL on DuckDB: translated faithfully, or refused with its place.

The reference is MariaDB 10.11 with its default collation, ``utf8mb4_general_ci``. The stance is closed: a function or a
syntax node that is not on our list, because it was compared with the server, raises `UnsupportedSyntax`; nothing is
dropped and nothing is guessed. What MySQL itself leaves open is translated and warned about.
"""

from __future__ import annotations

from finassay.database._mysql._lexer import without_assignments
from finassay.database._mysql._refusals import refusal_at_run_time
from finassay.database._mysql._runtime import setup
from finassay.database._mysql._translate import Translation, translate

__all__ = ["Translation", "refusal_at_run_time", "setup", "translate", "without_assignments"]
