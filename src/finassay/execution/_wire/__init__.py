"""The broker's own process: MySQL, PostgreSQL and native protocol servers over one database."""

from __future__ import annotations

from finassay.execution._wire._native import serve_native
from finassay.execution._wire._serve import Server
from finassay.execution._wire._session import Session, WireError, wire_error

__all__ = ["Server", "Session", "WireError", "serve_native", "wire_error"]
