"""The tables as the vendor keeps them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from finassay.world import EventType, materialise
from finassay.world._calendar import sessions
from support.worlds import CONFIG


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def test_the_sessions_are_the_exchanges():
    """Counts from world.md, 2; the National Day week and Thanksgiving were closed."""
    for exchange, count in (("XSHG", 2428), ("XNYS", 2514)):
        days = sessions(exchange).days
        assert sum(date(2016, 5, 1) <= day <= date(2026, 4, 30) for day in days) == count
    assert date(2023, 10, 3) not in sessions("XSHG")
    assert date(2023, 11, 23) not in sessions("XNYS")


def test_the_calendar_table_marks_the_last_trading_day_of_a_month(database):
    found = rows(
        database,
        "SELECT CAST(TRADINGDATE AS DATE) FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFMONTHEND = 1"
        " AND TRADINGDATE >= DATE '2023-01-01' AND TRADINGDATE < DATE '2023-05-01'",
    )
    # The Spring Festival of 2023 ended on 27 January; 30 April was a Sunday
    assert sorted(day for (day,) in found) == [
        date(2023, 1, 31),
        date(2023, 2, 28),
        date(2023, 3, 31),
        date(2023, 4, 28),
    ]


def test_an_end_is_written_into_the_row_only_once_it_is_recorded(world):
    off = next(e for e in world.ledger.of(EventType.ST_OFF) if e.recorded_at < CONFIG.moment)
    for moment, filled in ((off.recorded_at - timedelta(days=1), False), (off.recorded_at, True)):
        config = replace(CONFIG, snapshot=moment.date())
        table = materialise(replace(world, config=config))["cs_riskalert"]
        ends = dict(zip(table["ID"].to_pylist(), table["REMOVEDATE"].to_pylist(), strict=True))
        assert (ends[off.supersedes] is not None) is filled


def test_a_removal_keeps_the_time_of_insertion(world):
    table = materialise(world)["lc_suspendresumption"]
    touched = {e.payload.row for e in world.ledger.of(EventType.VENDOR_TOUCH)}
    for number, inserted in zip(table["ID"].to_pylist(), table["INSERTTIME"].to_pylist(), strict=True):
        if number not in touched:
            assert inserted == world.ledger.by_id[number].recorded_at


def test_the_reference_price_is_the_formula(database):
    """(P - D) / (1 + b) to a fen, half up, by decimals (world.md, 3.7)."""
    found = rows(
        database,
        "SELECT q.PREVCLOSEPRICE, (SELECT p.CLOSEPRICE FROM qt_dailyquote p WHERE p.INNERCODE = q.INNERCODE"
        " AND p.TRADINGDAY < q.TRADINGDAY ORDER BY p.TRADINGDAY DESC LIMIT 1) AS before, d.CASHDIVIRMB,"
        " d.BONUSSHARERATIO FROM lc_dividend d JOIN qt_dailyquote q ON q.INNERCODE = d.INNERCODE"
        " AND q.TRADINGDAY = d.EXDIVIDATE WHERE d.EVENTPROCEDURE = 3",
    )
    assert len(found) > 100
    for reference, before, cash, bonus in found:
        exact = (before - cash / 10) / (1 + bonus / 10)
        assert reference == exact.quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_backward_prices_carry_the_returns(database):
    """Between neighbouring days the backward price moves as the close does on its reference."""
    found = rows(
        database,
        "SELECT p.BACKWARDPRICE / LAG(p.BACKWARDPRICE) OVER w AS back, q.CLOSEPRICE / q.PREVCLOSEPRICE AS raw"
        " FROM qt_performancedata p JOIN qt_dailyquote q ON q.INNERCODE = p.INNERCODE"
        " AND q.TRADINGDAY = p.TRADINGDAY AND q.TURNOVERVOLUME > 0"
        " WINDOW w AS (PARTITION BY p.INNERCODE ORDER BY p.TRADINGDAY)",
    )
    pairs = np.array([(float(a), float(b)) for a, b in found if a is not None])
    assert np.max(np.abs(pairs[:, 0] - pairs[:, 1])) < 2e-3


def test_limits_of_the_boards(database):
    """10% on the main board, 5% under ST, 20% on STAR: no close further from its reference but for the tick."""
    found = rows(
        database,
        "SELECT s.LISTEDSECTOR AS board, MAX(ABS(q.CLOSEPRICE / q.PREVCLOSEPRICE - 1) - 0.006 / q.PREVCLOSEPRICE)"
        " AS widest FROM secumain s JOIN (SELECT * FROM qt_dailyquote UNION ALL SELECT ID, INNERCODE, TRADINGDAY,"
        " PREVCLOSEPRICE, OPENPRICE, HIGHPRICE, LOWPRICE, CLOSEPRICE, TURNOVERVOLUME, TURNOVERVALUE, TURNOVERDEALS,"
        " UPDATETIME, JSID FROM lc_stibdailyquote) q ON q.INNERCODE = s.INNERCODE"
        " WHERE q.TRADINGDAY > s.LISTEDDATE + INTERVAL 20 DAY GROUP BY 1",
    )
    widest = {int(board): float(value) for board, value in found}
    assert 0.05 < widest[1] <= 0.10
    assert 0.10 < widest[6] <= 0.20
    assert widest[7] <= 0.20


def test_no_quote_after_the_end_and_none_of_a_halt_with_volume(database):
    after = rows(
        database,
        "SELECT COUNT(*) AS n FROM qt_dailyquote q JOIN lc_liststatus s ON s.INNERCODE = q.INNERCODE"
        " AND s.CHANGETYPE = 4 AND q.TRADINGDAY >= s.CHANGEDATE",
    )
    halted = rows(
        database,
        "SELECT COUNT(*) AS n, SUM(q.TURNOVERVOLUME) AS volume FROM qt_dailyquote q JOIN lc_suspendresumption h"
        " ON h.INNERCODE = q.INNERCODE AND q.TRADINGDAY >= h.SUSPENDDATE AND q.TRADINGDAY < h.RESUMPTIONDATE",
    )
    assert after == [(0,)]
    assert halted[0][0] > 0
    assert halted[0][1] == 0


@pytest.mark.parametrize("table", ["lc_exgindustry", "cs_riskalert", "lc_dividend"])
def test_why_a_row_is_there_reaches_no_table(database, table):
    found = database.query(f"SELECT * FROM {table}").table
    assert not {"origin", "cause_ids", "seq"} & {name.lower() for name in found.column_names}
