"""Many pure jobs on one machine or many: serial, local processes, Ray; results cached by content and code version."""

from __future__ import annotations

from finassay.executor._cache import CorruptEntryWarning, ResultCache
from finassay.executor._code import code_version
from finassay.executor._content import hash_content
from finassay.executor._open import open_executor
from finassay.executor._types import Executor, JobError, JobFailure, WorkerLostError

__all__ = [
    "CorruptEntryWarning",
    "Executor",
    "JobError",
    "JobFailure",
    "ResultCache",
    "WorkerLostError",
    "code_version",
    "hash_content",
    "open_executor",
]
