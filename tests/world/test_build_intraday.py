"""Intraday bars are the daily row in pieces: nothing is lost, nothing is beyond its range."""

from __future__ import annotations

from datetime import date, datetime, time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finassay.core import InputError
from finassay.world.intraday import Day, intraday_bars
from support.worlds import CONFIG

DAY = date(2021, 3, 4)


@st.composite
def days(draw):
    """A row that holds together, of any market; prices from a few ticks to a wide range, one price included.

    Its turnover was rounded to hundredths, as the database's is.
    """
    market, unit, tick = draw(
        st.sampled_from(
            [
                ("CN", 100, 1),
                ("CN", 1000, 1),
                ("HK", 100, 1),
                ("HK", 1000, 5),
                ("US", 10_000, 100),
                ("US", 10_000, 1),
            ]
        )
    )
    low = draw(st.integers(1, 50_000)) * tick
    high = low + draw(st.integers(0, 3_000)) * tick
    inside = st.integers(0, (high - low) // tick).map(lambda k: low + k * tick)
    opened, closed = draw(inside), draw(inside)
    volume = draw(st.integers(1, 10**7)) * draw(st.sampled_from([1, 100]))
    value = round(draw(st.integers(volume * low, volume * high)) * 100 / unit) / 100
    return Day(market, opened / unit, high / unit, low / unit, closed / unit, volume, value)


def assert_holds_together(row, bars):
    """Bars are the day in pieces."""
    found = {name: np.array(bars[name].to_pylist()) for name in bars.column_names}
    assert found["open"][0] == float(row.open)
    assert found["close"][-1] == float(row.close)
    assert found["high"].max() == float(row.high)
    assert found["low"].min() == float(row.low)
    assert found["volume"].sum() == row.volume
    assert sum(round(value * 100) for value in found["value"].tolist()) == round(row.value * 100)
    assert (found["volume"] >= 0).all()
    assert (found["low"] <= np.minimum(found["open"], found["close"])).all()
    assert (found["high"] >= np.maximum(found["open"], found["close"])).all()
    assert (found["open"][1:] == found["close"][:-1]).all()


@given(days(), st.integers(1, 120), st.integers(0, 2**32))
def test_bars_add_up_to_the_day(row, minutes, seed):
    bars = intraday_bars(seed, 7, DAY, row, minutes=minutes)
    assert_holds_together(row, bars)


@given(days(), st.integers(0, 2**32))
def test_longer_bars_are_sums_of_the_same_minutes(row, seed):
    minutes = intraday_bars(seed, 7, DAY, row, minutes=1)
    hours = intraday_bars(seed, 7, DAY, row, minutes=60)
    for bar in hours.to_pylist():
        mine = [
            one for one in minutes.to_pylist() if bar["start"] <= one["start"] and one["end"] <= bar["end"]
        ]
        assert bar["high"] == max(one["high"] for one in mine)
        assert bar["low"] == min(one["low"] for one in mine)
        assert bar["volume"] == sum(one["volume"] for one in mine)
        assert (bar["open"], bar["close"]) == (mine[0]["open"], mine[-1]["close"])


@given(days(), st.integers(1, 120), st.integers(0, 2**32))
def test_turnover_is_at_prices_of_the_bar(row, minutes, seed):
    for bar in intraday_bars(seed, 7, DAY, row, minutes=minutes).to_pylist():
        slack = 0.01 * minutes + 1e-9 * bar["value"]  # a hundredth a minute
        assert bar["volume"] * bar["low"] - slack <= bar["value"] <= bar["volume"] * bar["high"] + slack


@pytest.mark.parametrize("mean", [9.2, 9.6, 10.0, 10.5])
@pytest.mark.parametrize("market", ["CN", "US"])
def test_volume_stays_spread_over_the_day_where_its_mean_price_is_far_off(market, mean):
    """The path bends before volume is moved: no hour of a CN day, no half hour of a US one, has most of it."""
    row = Day(market, 10, 11, 9, 10, 10**7, mean * 10**7)
    parts = [intraday_bars(1, n, DAY, row, minutes=60 if market == "CN" else 30) for n in range(100)]
    largest = [max(bars["volume"].to_pylist()) / 10**7 for bars in parts]
    assert np.mean(largest) < (0.6 if market == "CN" else 0.4)


def test_the_clock():
    cn = intraday_bars(1, 1, DAY, Day("CN", 10, 11, 9, 10, 1000, 10_000))
    assert [bar["start"].time() for bar in cn.to_pylist()] == [time(9, 30), time(10, 30), time(13), time(14)]
    assert cn["end"][-1].as_py() == datetime.combine(DAY, time(15))
    us = intraday_bars(1, 1, DAY, Day("US", 10, 11, 9, 10, 1000, 10_000))
    assert us.num_rows == 7  # six hours and a half
    hk = intraday_bars(1, 1, DAY, Day("HK", 10, 11, 9, 10, 1000, 10_000))
    assert [bar["start"].time() for bar in hk.to_pylist()] == [
        time(9, 30), time(10, 30), time(11, 30), time(13), time(14), time(15)
    ]  # fmt: skip
    assert hk["end"][2].as_py() == datetime.combine(DAY, time(12))
    assert hk["end"][-1].as_py() == datetime.combine(DAY, time(16))
    assert us["end"][-1].as_py() == datetime.combine(DAY, time(16))
    assert intraday_bars(1, 1, DAY, Day("CN", 10, 11, 9, 10, 1000, 10_000), minutes=50).num_rows == 6


@pytest.mark.parametrize(
    ("market", "minutes", "shares"),
    # world.md, 2.1: CN by hours; US 16.8% in the first half hour and 24.0% in the last hour
    [("CN", 60, {0: 0.325, 1: 0.206, 2: 0.203, 3: 0.266}), ("US", 30, {0: 0.168, -2: 0.09, -1: 0.15})],
)
def test_volume_is_a_u(market, minutes, shares):
    """Over 400 days; the last two US half hours are 24% together, the later the larger."""
    row = Day(market, 10, 11, 9, 10, 10**7, 10**8)
    parts = [
        np.array(intraday_bars(1, n, DAY, row, minutes=minutes)["volume"].to_pylist()) for n in range(400)
    ]
    mean = np.mean(parts, axis=0) / 10**7
    for at, share in shares.items():
        assert abs(mean[at] - share) < 0.015
    assert mean[len(mean) // 2] < min(mean[0], mean[-1])


def test_a_day_without_trading_has_no_bars():
    bars = intraday_bars(1, 1, DAY, Day("CN", 10, 10, 10, 10, 0, 0))
    assert bars.num_rows == 0
    assert bars.schema.field("volume").type == pa.int64()


def test_bars_hang_on_seed_security_and_day_and_nothing_else():
    row = Day("CN", 10, 11, 9, 10.5, 123_400, 1_234_000)
    base = intraday_bars(1, 2, DAY, row)
    assert intraday_bars(1, 2, DAY, row).equals(base)
    for other in (
        intraday_bars(2, 2, DAY, row),
        intraday_bars(1, 3, DAY, row),
        intraday_bars(1, 2, date(2021, 3, 5), row),
    ):
        assert not other.select(["close", "volume"]).equals(base.select(["close", "volume"]))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("CN", 12, 11, 9, 10, 100, 1000), "contradict each other"),
        (("CN", 10, 11, 9, 10, -100, -1000), "contradict each other"),
        (("CN", 10, 11, 9, 10, 100, 2000), "A turnover of 2000 is not 100 shares at 9 to 11"),
        (("US", 0, 0, 0, 0, 100, 0), "contradict each other"),
        (("CN", 0.6612, 0.67, 0.66, 0.66, 100, 66), "open 0.6612 is no whole number of 1/1000"),
        (("HK", 10, 11, 9, 9.00005, 100, 1000), "close 9.00005 is no whole number of 1/1000"),
        (("US", 10, 11, 8.99999, 9, 100, 1000), "low 8.99999 is no whole number of 1/10000"),
        (("CN", 10, float("nan"), 9, 9, 100, 1000), "high nan is no whole number"),
        (("CN", 10, 11, 9, 9, 100, 1000.005), "value 1000.005 is no whole number of 1/100"),
        (("CN", 10, 10, 10, 10, 100, 1000.01), "A turnover of 1000.01 is not 100 shares at 10 to 10"),
        (("CN", 0.777, 0.782, 0.777, 0.78, 100, 78.21), "A turnover of 78.21 is not 100 shares"),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(row, message):
    with pytest.raises(InputError, match=message):
        Day(*row)


@pytest.mark.parametrize("minutes", [0, -5, 121])
def test_a_length_that_is_none_is_refused(minutes):
    with pytest.raises(InputError, match=f"Bars of {minutes} minutes"):
        intraday_bars(1, 1, DAY, Day("CN", 10, 11, 9, 10, 100, 1000), minutes=minutes)


# Of each table with daily prices of what is traded: the market, the columns, and shares, units or bonds per volume
QUOTED = {
    "qt_dailyquote": ("CN", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME", "TURNOVERVALUE"),
    "lc_stibdailyquote": ("CN", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME", "TURNOVERVALUE"),
    "nq_dailyquote": ("CN", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME", "TURNOVERVALUE"),
    "qt_fundsperformancehis": ("CN", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME * 10000", "TURNOVERVALUE"),
    "bond_conbdexchangequote": ("CN", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME * 10", "TURNOVERVALUE"),
    "qt_hkdailyquote": ("HK", "INNERCODE", "TRADINGDAY", "TURNOVERVOLUME", "TURNOVERVALUE"),
    "us_price_daily": ("US", "security_id", "trading_day", "volume", "value"),
}


@pytest.mark.parametrize("table", QUOTED)
def test_rows_of_a_database_have_bars(database, table):
    """Prices come as decimals; each row of a sample over all securities and days holds together, to its last digit."""
    market, number, day, volume, value = QUOTED[table]
    prices = ("open", "high", "low", "close")
    columns = [name if market == "US" else f"{name.upper()}PRICE" for name in prices]
    shown = f"{number}, {day}, {', '.join(columns)}, {volume}, {value}"
    rows = database.query(
        f"SELECT {shown} FROM {table} WHERE {volume} > 0 ORDER BY hash({day}, {number}) LIMIT 300"
    ).table.to_pylist()
    assert len(rows) == 300
    finer = 0
    for n, row in enumerate(rows):
        inner, moment, *figures = row.values()
        one = Day(market, *figures[:4], int(figures[4]), figures[5])
        bars = intraday_bars(CONFIG.seed, int(inner), moment.date(), one, minutes=(1, 5, 30, 60, 120)[n % 5])
        assert_holds_together(one, bars)
        finer += one.unit > 100
    if table in ("qt_fundsperformancehis", "bond_conbdexchangequote"):
        assert finer > 200
