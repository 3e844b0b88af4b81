"""What the jail sees of us: support modules, environment variables, and the DuckDB file where there is one."""

from __future__ import annotations

from finassay.execution._guest._environment import guest_env, guest_files

__all__ = ["guest_env", "guest_files"]
