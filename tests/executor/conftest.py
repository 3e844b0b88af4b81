"""The executors under test: one of each kind per session, for Ray takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from finassay.executor import Executor, ResultCache, open_executor


@pytest.fixture(
    scope="session",
    params=["serial", "loky:2", pytest.param("ray:2", marks=pytest.mark.xdist_group("ray"))],
)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    if request.param.startswith("ray"):
        pytest.importorskip("ray", reason="the extra 'ray' is not installed")
    with open_executor(request.param) as opened:
        yield opened


@pytest.fixture
def cache(tmp_path) -> ResultCache:
    return ResultCache(tmp_path / "results")
