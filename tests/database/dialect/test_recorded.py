"""Every construct against MariaDB's recorded answer; and the rate the product promises."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from database.dialect import support

SERVER, ANSWERS = support.read_recorded()
CASES = [
    pytest.param(sql, id=f"{kind}-{at}")
    for kind in support.kinds()
    for at, sql in enumerate(support.constructs(kind))
]
REQUIRED_RATE = 0.97


@pytest.fixture(scope="module")
def translated() -> Iterator[Callable[[str], support.Answer]]:
    """What a statement gives on DuckDB, run once."""
    with support.duckdb_connection() as connection:
        yield functools.cache(functools.partial(support.on_duckdb, connection))


@pytest.mark.parametrize("sql", CASES)
def test_a_construct_gives_what_mariadb_gave_or_is_refused(
    translated: Callable[[str], support.Answer], sql: str
) -> None:
    expected, actual = ANSWERS[sql], translated(sql)
    verdict = support.verdict(sql, expected, actual)
    assert verdict != "different", f"{sql}\nMariaDB {SERVER}: {expected.rows}\ntranslated: {actual.rows}"


def test_enough_of_the_deterministic_constructs_are_identical(
    translated: Callable[[str], support.Answer],
) -> None:
    counts: Counter[str] = Counter()
    for kind in support.kinds():
        for sql in support.constructs(kind):
            counts[support.verdict(sql, ANSWERS[sql], translated(sql))] += 1
    deterministic = sum(counts[each] for each in ("identical", "unsupported", "error", "different"))
    assert sum(counts.values()) >= 250
    assert counts["different"] == 0
    assert counts["identical"] / deterministic >= REQUIRED_RATE, support.line("all", counts)


@pytest.mark.parametrize("sql", support.constructs("environment"))
def test_what_depends_on_the_server_or_the_order_of_rows_is_refused_or_warned_about(
    translated: Callable[[str], support.Answer], sql: str
) -> None:
    actual = translated(sql)
    assert actual.error or any(warning.startswith(("clock", "open")) for warning in actual.warnings)
