"""Typed errors, exit codes, content hashes, progress: what every room stands on."""

from __future__ import annotations

from finassay.core._errors import (
    CandidateError,
    ExitCode,
    FinassayError,
    GoldError,
    InputError,
    InternalError,
    MissingExtraError,
    Place,
    Undefined,
    worst_exit_code,
)
from finassay.core._hashing import TableHash, hash_bytes, hash_file, hash_json, hash_table, hash_tables
from finassay.core._numbers import as_float, finite_number, shown
from finassay.core._printable import printable
from finassay.core._progress import progress

__all__ = [
    "CandidateError",
    "ExitCode",
    "FinassayError",
    "GoldError",
    "InputError",
    "InternalError",
    "MissingExtraError",
    "Place",
    "TableHash",
    "Undefined",
    "as_float",
    "finite_number",
    "hash_bytes",
    "hash_file",
    "hash_json",
    "hash_table",
    "hash_tables",
    "printable",
    "progress",
    "shown",
    "worst_exit_code",
]
