"""Curves, the money market and Chinese macro series, as the economy makes them and as the vendor keeps them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from finassay.temporal import Cutoff
from finassay.world import EventType, Origin, materialise
from finassay.world._blocks._bonds import fixed_income
from finassay.world._blocks._curves import CURVES, TENORS, bootstrapped
from finassay.world._blocks._macro_cn import FIRST_ENTITY, SERIES
from finassay.world._blocks._market import factors, window
from finassay.world._calendar import sessions
from finassay.world.oracle import Oracle
from support.worlds import CONFIG


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def test_par_yields_price_their_own_bonds_at_par(world):
    """A bond that pays the par yield once a year, discounted at the published spot rates, is worth 100."""
    curves = world.fixed_income.curves
    one, two, three = (TENORS.index(float(years)) for years in (1, 2, 3))
    for day in (0, 700, 1900):
        factors = [
            (1 + curves.spot[0, day, place] / 1e6) ** -(n + 1) for n, place in enumerate((one, two, three))
        ]
        coupon = curves.par[0, day, three] / 1e4
        assert coupon * sum(factors) + 100 * factors[-1] == pytest.approx(100, abs=2e-3)


def test_a_curve_that_would_break_the_discount_factors_is_mended():
    """Par yields that drop from 5% to 2% would make the second discount factor rise: it is set just below instead."""
    yields = np.full((1, 34), 5.0)
    yields[0, 5:] = 0.01
    par, spot = bootstrapped(yields)
    factors = (1 + spot[0] / 1e6) ** -np.array(TENORS)
    assert np.all(np.diff(factors) < 0)
    assert par[0, TENORS.index(2.0)] > 100  # more than the .01% that was asked for


def test_discount_factors_fall_with_the_term_on_every_day(world):
    spot = world.fixed_income.curves.spot / 1e6
    factors = (1 + spot) ** -np.array(TENORS)
    assert np.all(np.diff(factors, axis=2) < 0)


def test_lower_grades_yield_more(world):
    """AAA, AA+, AA and AA- notes at three years, on the average of all days."""
    curves = world.fixed_income.curves
    numbers = [number for number, *_ in CURVES]
    three = TENORS.index(3.0)
    means = [curves.par[numbers.index(n), :, three].mean() / 100 for n in (10, 201, 202, 203, 204)]
    spreads = np.diff(means)
    assert np.all(spreads > 0)
    assert means[1] - means[0] == pytest.approx(40, rel=0.25)  # basis points (world.md, 2.4)


def test_some_curves_miss_days_and_the_treasury_curve_none(database):
    found = dict(
        rows(
            database,
            "SELECT CURVECODE, COUNT(DISTINCT ENDDATE) AS days FROM bond_cbyieldcurve"
            " WHERE YIELDTYPECODE = 1 GROUP BY 1",
        )
    )
    sessions = rows(
        database,
        "SELECT COUNT(*) AS n FROM qt_tradingdaynew WHERE SECUMARKET = 83 AND IFTRADINGDAY = 1"
        " AND TRADINGDATE >= DATE '2016-05-01' AND TRADINGDATE <= ?",
        CONFIG.snapshot,
    )[0][0]
    assert found[10] == sessions
    assert all(0 < sessions - days < 0.03 * sessions for code, days in found.items() if code != 10)


def test_a_surprise_moves_the_curve_from_its_day_on(world, serial):
    """Without a PMI release the level differs from the release day on, and by what its surprise moves."""
    place = next(n for n, spec in enumerate(SERIES, start=1) if spec.name == "制造业PMI")
    event = next(
        e
        for e in world.ledger.of(EventType.CN_RELEASE)
        if e.entity == FIRST_ENTITY + place and abs(e.payload.surprise) > 1 and e.valid_from.year == 2019
    )
    events = world.ledger.without(event.event_id).events
    other = fixed_income(world.config, factors(world.config.seed), world.quotes, events, serial).curves
    moved = np.flatnonzero(np.any(world.fixed_income.curves.par != other.par, axis=(0, 2)))
    first = sessions().at_or_after(event.disclosed_at.date()) - window()[0]
    assert moved[0] == first
    ten = TENORS.index(10.0)
    change = (world.fixed_income.curves.par - other.par)[0, first, ten] / 100
    assert change == pytest.approx(0.8 * event.payload.surprise, abs=0.02)  # .8 basis points per deviation


def test_index_levels_are_chained(database):
    """Total return carries, the clean price does not: over years the first is far ahead."""
    found = rows(
        database,
        "SELECT INDEXTYPE, MIN(CLOSEPRICE), MAX(CLOSEPRICE), SUM(CASE WHEN PREVCLOSEPRICE <= 0 THEN 1 ELSE 0 END)"
        " FROM bond_chinabondindexquote WHERE INNERCODE = 4101 GROUP BY 1 ORDER BY 1",
    )
    assert [basis for basis, *_ in found] == [1, 2, 3]
    assert all(bad == 0 for *_, bad in found)
    assert float(found[2][2]) > 1.15 * float(found[1][2])


def test_one_dollar_is_worth_about_seven_point_eight_hong_kong_dollars(database):
    found = rows(
        database,
        "SELECT MAX(ABS(a.PERIODENDPRICE / b.PERIODENDPRICE - 7.8)) AS widest FROM ed_rmbbaseexchangerate a"
        " JOIN ed_rmbbaseexchangerate b ON b.ENDDATE = a.ENDDATE AND b.DATAREPORTPERIOD = 1 AND b.CURRENCY = 110"
        " WHERE a.CURRENCY = 502 AND a.DATAREPORTPERIOD = 1",
    )
    assert float(found[0][0]) < 0.03


def test_monthly_parities_summarise_the_daily_ones(database):
    found = rows(
        database,
        "SELECT m.ENDDATE, m.HIGHESTPRICE, m.AVERAGEPRICE, MAX(d.PERIODENDPRICE) AS top, AVG(d.PERIODENDPRICE) AS mean"
        " FROM ed_rmbbaseexchangerate m JOIN ed_rmbbaseexchangerate d ON d.CURRENCY = m.CURRENCY"
        " AND d.DATAREPORTPERIOD = 1 AND EXTRACT(YEAR FROM d.ENDDATE) = EXTRACT(YEAR FROM m.ENDDATE)"
        " AND EXTRACT(MONTH FROM d.ENDDATE) = EXTRACT(MONTH FROM m.ENDDATE)"
        " WHERE m.CURRENCY = 502 AND m.DATAREPORTPERIOD = 3 GROUP BY 1, 2, 3",
    )
    assert len(found) > 80
    for _, high, mean, top, average in found:
        assert high == top
        assert float(mean) == pytest.approx(float(average), abs=6e-5)


def test_yearly_inflation_compounds_the_monthly_one(world):
    """CPI: the yearly rate is twelve published monthly rates, one after the other, to a tenth."""
    by_code = {spec.code: FIRST_ENTITY + n for n, spec in enumerate(SERIES, start=1)}
    values = {
        code: {
            e.payload.period: e.payload.value
            for e in world.ledger.of(EventType.CN_RELEASE)
            if e.entity == by_code[code] and e.payload.vintage == 0
        }
        for code in (1001, 1101)
    }
    checked = 0
    for period, yearly in values[1001].items():
        months = [values[1101].get(_back(period, n)) for n in range(12)]
        if None not in months:
            product = np.prod([1 + rate / 100 for rate in months])
            assert yearly == pytest.approx((product - 1) * 100, abs=0.0501)
            checked += 1
    assert checked > 100


def _back(period, months):
    total = period.year * 12 + period.month - months
    return date(total // 12, total % 12 + 1, 1) - timedelta(days=1)


def test_releases_come_in_their_season(world):
    """Days after the month: PMI 0 or 1, prices 9 to 12, credit 10 to 15, activity 14 to 18."""
    lags: dict[str, set[int]] = {}
    for event in world.ledger.of(EventType.CN_RELEASE):
        # Those that are planted were postponed behind an anchor
        if event.payload.vintage == 0 and event.origin is Origin.NATURAL:
            name = SERIES[event.entity - FIRST_ENTITY - 1].name
            lags.setdefault(name, set()).add((event.disclosed_at.date() - event.valid_from).days)
    assert lags["制造业PMI"] == {0, 1}
    assert lags["CPI:当月同比"] == {9, 10, 11, 12}
    assert lags["社会融资规模存量:期末同比"] == set(range(10, 16))
    assert lags["规模以上工业增加值:当月同比"] == set(range(14, 19))


def test_a_revision_replaces_the_row_and_its_day(world):
    revision = next(
        e
        for e in world.ledger.of(EventType.CN_RELEASE)
        if e.payload.vintage == 1 and e.valid_from.year == 2018
    )
    for moment, days in ((revision.recorded_at - timedelta(days=1), -1), (revision.recorded_at, 0)):
        config = replace(CONFIG, snapshot=moment.date())
        table = materialise(replace(world, config=config), ["c_ed_macroindicatordata"])[
            "c_ed_macroindicatordata"
        ]
        row = next(row for row in table.to_pylist() if row["ID"] == revision.supersedes)
        stored = row["INFOPUBLDATE"].date() == revision.disclosed_at.date()
        assert stored is (days == 0)
        assert (row["DATAVALUE"] == revision.payload.value) is stored


def test_the_modes_differ_before_a_revision(world):
    """The table shows nothing for the months that were revised later; who read the first release knew a value."""
    revision = next(e for e in world.ledger.of(EventType.CN_RELEASE) if e.payload.vintage == 1)
    first = world.ledger.by_id[revision.supersedes]
    code = SERIES[revision.entity - FIRST_ENTITY - 1].code
    cutoff = Cutoff(first.disclosed_at.date() + timedelta(days=3))
    truth = Oracle(world.ledger.events, CONFIG.moment, "world")
    vendor = Oracle(world.ledger.events, CONFIG.moment, "recoverable")
    assert truth.macro_value(code, revision.payload.period, cutoff) == first.payload.value
    assert vendor.macro_value(code, revision.payload.period, cutoff) is None


def test_every_monthly_series_lacks_a_month(database):
    """From its first to its last period, January aside where it comes with February."""
    found = rows(
        database,
        "SELECT m.INDICATORCODE, COUNT(*) AS n, MIN(d.ENDDATE) AS low, MAX(d.ENDDATE) AS high"
        " FROM c_ed_indicatormain m JOIN c_ed_macroindicatordata d ON d.INDICATORCODE = m.INDICATORCODE"
        " WHERE m.DISCLOSUREFREQUENCY = 3 AND m.INDISTATE = 1 GROUP BY 1",
    )
    no_january = {spec.code for spec in SERIES if spec.no_january}
    for code, count, low, high in found:
        months = (high.year - low.year) * 12 + high.month - low.month + 1
        januaries = high.year - low.year + (low.month == 1) if int(code) in no_january else 0
        assert months - januaries - count in (0, 1)  # the missing one may be a January
    assert len(found) > 15


def test_stress_comes_in_episodes(world):
    """The seven-day rate lies far above the one-day rate on a few runs of days, not on scattered ones."""
    fixings = world.fixed_income.money.fixings
    wide = fixings["GC007"] - fixings["FDR007"] > 1.2
    runs = np.diff(np.flatnonzero(np.diff(wide.astype(int)))) if wide.any() else np.array([])
    assert 0.005 < wide.mean() < 0.25
    assert runs.size > 10


def test_the_codes_are_those_of_the_catalog(database):
    kinds = Counter(int(code) for (code,) in rows(database, "SELECT YIELDTYPECODE FROM bond_cbyieldcurve"))
    assert set(kinds) == {1, 2}
