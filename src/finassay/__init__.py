"""Run, measure and audit investment research: did it use only what was knowable at the time."""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["__version__"]
