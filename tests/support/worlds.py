"""A small world for tests, and an interpreter without wide SIMD."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date

import pytest

from finassay.world import WorldConfig

CONFIG = WorldConfig(0.02, 4, date(2024, 3, 28))


def without_wide_simd(code: str) -> str:
    """Run code in an interpreter whose numpy uses none of the instruction sets it could choose at run time."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    wide = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    if not wide:
        pytest.skip("this machine has no wide SIMD to disable")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NPY_DISABLE_CPU_FEATURES": wide},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
