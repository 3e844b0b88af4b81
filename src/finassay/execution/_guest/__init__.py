"""What the jail sees of us: support modules, environment variables, and the DuckDB file where there is one."""

from __future__ import annotations

from finassay.execution._guest._duckdb_file import ViewsFile, duckdb_mount, duckdb_views
from finassay.execution._guest._environment import ANY_PASSWORD, PORTS, free_ports, guest_env, guest_files

__all__ = [
    "ANY_PASSWORD",
    "PORTS",
    "ViewsFile",
    "duckdb_mount",
    "duckdb_views",
    "free_ports",
    "guest_env",
    "guest_files",
]
