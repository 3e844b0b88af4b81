"""The NEEQ, competitors, managers' pay and indicators: what they say hangs together, and with the other tables."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest

from finassay.world import EventType
from finassay.world._blocks._market import factors, window
from finassay.world._blocks._neeq import neeq_again
from finassay.world._blocks._neeq_life import BASIC, INNOVATION, NO_REPORT, QUARTERLY_FROM, TO_BEIJING
from finassay.world._blocks._statement_items import FLOW
from finassay.world._calendar import sessions
from finassay.world._tables._trend import CSI300
from support.worlds import CONFIG

YUAN = 10_000  # of the ticks of adjusted prices


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def layer_on(world, entity, day):
    """The layer of a share on a day, by the ledger."""
    known = [e for e in world.ledger.of(EventType.NEEQ_LAYER) if e.entity == entity and e.valid_from <= day]
    return max(known, key=lambda e: (e.valid_from, e.seq)).payload.layer if known else None


# From the NEEQ to Beijing


def test_every_company_of_beijing_was_on_the_neeq_before(database):
    found = rows(
        database,
        "SELECT b.LISTEDDATE AS beijing, n.LISTEDDATE AS neeq, n.LISTEDSTATE, (SELECT MAX(q.TRADINGDAY)"
        " FROM nq_dailyquote q WHERE q.INNERCODE = n.INNERCODE) AS last FROM secumain b"
        " LEFT JOIN nq_secumain n ON n.COMPANYCODE = b.COMPANYCODE"
        " WHERE b.LISTEDSECTOR = 8 AND b.LISTEDSTATE IS NOT NULL",
    )
    assert found
    for beijing, neeq, state, last in found:
        assert (beijing - neeq).days >= 365
        assert state == 5
        assert last < beijing


def test_the_end_on_the_neeq_comes_of_the_listing_in_beijing(world):
    by_inner = {e.payload.inner: e for e in world.ledger.of(EventType.SECURITY)}
    shares = {e.entity: e.payload for e in world.ledger.of(EventType.NEEQ_SECURITY)}
    moved = [e for e in world.ledger.of(EventType.NEEQ_DELIST) if e.payload.kind == TO_BEIJING]
    assert moved
    for event in moved:
        beijing = by_inner[shares[event.entity].successor]
        assert event.valid_from == beijing.valid_from
        assert event.cause_ids == (beijing.event_id,)
        assert layer_on(world, event.entity, event.payload.stopped) == INNOVATION


def test_the_last_price_on_the_neeq_leads_to_the_first_in_beijing(world):
    """Within half of it either way: trades bounce, and the issue price was set before."""
    for who in world.neeq.members:
        mine = world.neeq.quotes.close[world.neeq.quotes.entity == who.share.entity]
        if who.later is not None and mine.size > 20:
            assert 0.5 < mine[-1] / 100 / who.later.price < 1.5


def test_a_company_has_the_same_industry_before_and_after_it_moves(database):
    found = rows(
        database,
        "SELECT n.THIRDINDUSTRYCD, b.THIRDINDUSTRYCODE FROM nq_exgindustry n JOIN (SELECT *, ROW_NUMBER() OVER"
        " (PARTITION BY COMPANYCODE ORDER BY INFOPUBLDATE) AS place FROM lc_exgindustry) b"
        " ON b.COMPANYCODE = n.COMPANYCODE AND b.place = 1",
    )
    assert found
    assert all(before == after for before, after in found)


def test_every_company_of_the_neeq_is_among_the_institutions_once(database):
    found = rows(
        database,
        "SELECT n.COMPANYCODE, COUNT(a.ID) AS n FROM nq_secumain n LEFT JOIN lc_instiarchive a"
        " ON a.COMPANYCODE = n.COMPANYCODE AND a.CHINAME = n.CHINAME GROUP BY 1",
    )
    assert {count for _, count in found} == {1}


# Lives


def test_nothing_is_traded_once_trading_has_stopped(world):
    last = {}
    for entity, session in zip(world.neeq.quotes.entity, world.neeq.quotes.session, strict=True):
        last[int(entity)] = sessions().days[int(session)]
    for event in world.ledger.of(EventType.NEEQ_DELIST):
        assert event.payload.stopped < event.valid_from
        assert last.get(event.entity, date.min) < event.payload.stopped


def test_a_share_that_goes_for_want_of_a_report_filed_none(world):
    gone = [e for e in world.ledger.of(EventType.NEEQ_DELIST) if e.payload.kind == NO_REPORT]
    assert gone
    for event in gone:
        filed = [e for e in world.ledger.of(EventType.NEEQ_REPORT) if e.entity == event.entity]
        assert all(e.payload.period_end < date(event.valid_from.year - 1, 12, 31) for e in filed)


def test_quarters_are_reported_in_the_innovation_layer_alone(world):
    seen = 0
    for event in world.ledger.of(EventType.NEEQ_REPORT):
        if event.payload.form == 20 and event.payload.period_end.month in (3, 9):
            day = event.disclosed_at.date()
            assert day >= QUARTERLY_FROM
            assert layer_on(world, event.entity, day) == INNOVATION
            seen += 1
    assert seen > 20


def test_the_innovation_layer_is_livelier(world):
    """Of the sessions of companies that were in both layers."""
    first, _ = window()
    ends = {e.entity: e.payload.stopped for e in world.ledger.of(EventType.NEEQ_DELIST)}
    traded = {}
    for entity, session in zip(world.neeq.quotes.entity, world.neeq.quotes.session, strict=True):
        traded.setdefault(int(entity), set()).add(int(session))
    shares = {BASIC: [], INNOVATION: []}
    for who in world.neeq.members:
        layers = [e for e in world.ledger.of(EventType.NEEQ_LAYER) if e.entity == who.share.entity]
        if len(layers) < 2 or who.maker:
            continue
        stops = [e.valid_from for e in layers[1:]] + [ends.get(who.share.entity, date(2026, 6, 30))]
        for event, stop in zip(layers, stops, strict=True):
            low = max(first, sessions().at_or_after(event.valid_from))
            high = sessions().at_or_after(stop)
            if high - low > 100:
                there = sum(low <= s < high for s in traded.get(who.share.entity, ()))
                shares[event.payload.layer].append(there / (high - low))
    assert 0.02 < np.mean(shares[BASIC]) < 0.35
    assert np.mean(shares[INNOVATION]) > 1.5 * np.mean(shares[BASIC])


# Quotes and dividends


def test_a_day_without_a_trade_has_no_row(database):
    found = rows(
        database,
        "SELECT COUNT(*), MIN(TURNOVERVOLUME), MIN(TURNOVERDEALS),"
        " SUM(CASE WHEN LOWPRICE <= OPENPRICE AND OPENPRICE <= HIGHPRICE AND LOWPRICE <= CLOSEPRICE"
        " AND CLOSEPRICE <= HIGHPRICE THEN 0 ELSE 1 END),"
        " SUM(CASE WHEN ABS(CHANGEOFPRICE - (CLOSEPRICE - PREVCLOSEPRICE)) < 0.00005 THEN 0 ELSE 1 END),"
        " MIN(CLOSEPRICE / PREVCLOSEPRICE), MAX(CLOSEPRICE / PREVCLOSEPRICE) FROM nq_dailyquote",
    )
    count, volume, deals, outside, wrong, lowest, highest = found[0]
    assert count > 1000
    assert volume >= 100
    assert deals >= 1
    assert (outside, wrong) == (0, 0)
    assert 0.5 <= lowest < highest <= 2.0
    share = rows(
        database,
        "SELECT AVG(n) FROM (SELECT COUNT(*) * 1.0 / 1922 AS n FROM nq_dailyquote q JOIN nq_secumain s"
        " ON s.INNERCODE = q.INNERCODE WHERE s.LISTEDDATE < DATE '2016-05-01' AND s.LISTEDSTATE = 1"
        " GROUP BY q.INNERCODE)",
    )
    assert 0.1 < float(share[0][0]) < 0.7


def test_lots_are_of_a_thousand_shares_and_later_of_a_hundred(database):
    before, after = rows(
        database,
        "SELECT SUM(CASE WHEN MOD(CAST(TURNOVERVOLUME AS BIGINT), 1000) <> 0 THEN 1 ELSE 0 END),"
        " SUM(CASE WHEN MOD(CAST(TURNOVERVOLUME AS BIGINT), 100) <> 0 THEN 1 ELSE 0 END) FROM nq_dailyquote"
        " WHERE TRADINGDAY < DATE '2020-01-13' UNION ALL SELECT"
        " SUM(CASE WHEN MOD(CAST(TURNOVERVOLUME AS BIGINT), 1000) <> 0 THEN 1 ELSE 0 END),"
        " SUM(CASE WHEN MOD(CAST(TURNOVERVOLUME AS BIGINT), 100) <> 0 THEN 1 ELSE 0 END) FROM nq_dailyquote"
        " WHERE TRADINGDAY >= DATE '2020-01-13'",
    )
    assert before == (0, 0)
    assert after[0] > 0
    assert after[1] == 0


def test_dividends_show_in_the_first_price_after_the_ex_date(database):
    """(P - D) / (1 + b) to a fen, half up, where one dividend lies between two trades."""
    found = rows(
        database,
        "SELECT q.PREVCLOSEPRICE, q.before, d.CASHDIVPRETAX, d.BONUSSHARERATIO FROM (SELECT INNERCODE, TRADINGDAY,"
        " PREVCLOSEPRICE, LAG(CLOSEPRICE) OVER w AS before, LAG(TRADINGDAY) OVER w AS last FROM nq_dailyquote"
        " WINDOW w AS (PARTITION BY INNERCODE ORDER BY TRADINGDAY)) q JOIN nq_dividend d ON d.INNERCODE = q.INNERCODE"
        " AND d.EVENTPROCEDURE = 3 AND d.EXDIVDATE > q.last AND d.EXDIVDATE <= q.TRADINGDAY"
        " QUALIFY COUNT(*) OVER (PARTITION BY q.INNERCODE, q.TRADINGDAY) = 1",
    )
    assert len(found) > 20
    for reference, before, cash, bonus in found:
        exact = (Decimal(before) - Decimal(cash) / 10) / (1 + Decimal(bonus) / 10)
        assert reference == exact.quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_a_reference_without_a_dividend_is_the_last_close(database):
    found = rows(
        database,
        "SELECT COUNT(*) FROM (SELECT INNERCODE, TRADINGDAY, PREVCLOSEPRICE, LAG(CLOSEPRICE) OVER w AS before,"
        " LAG(TRADINGDAY) OVER w AS last FROM nq_dailyquote WINDOW w AS (PARTITION BY INNERCODE ORDER BY TRADINGDAY)) q"
        " WHERE q.PREVCLOSEPRICE <> q.before AND NOT EXISTS (SELECT 1 FROM nq_dividend d"
        " WHERE d.INNERCODE = q.INNERCODE AND d.EXDIVDATE > q.last AND d.EXDIVDATE <= q.TRADINGDAY)",
    )
    assert found == [(0,)]


def test_a_dividend_has_a_row_per_stage_and_pays_on_the_shares_there_are(database):
    found = rows(
        database,
        "SELECT INNERCODE, ENDDATE, EVENTPROCEDURE, INFOPUBLDATE, EXDIVDATE, CASHDIVPRETAX, DIVIDENDBASE, TOTALCASHDIVI"
        " FROM nq_dividend ORDER BY 1, 2, INFOPUBLDATE, EVENTPROCEDURE",
    )
    stages = {}
    for inner, period, stage, told, ex, cash, base, total in found:
        stages.setdefault((inner, period), []).append(int(stage))
        assert (ex is not None) is (stage == 3)
        assert ex is None or told < ex
        assert float(total) == pytest.approx(float(cash) * float(base) / 10, rel=1e-9)
        assert base > 0
    assert {tuple(s) for s in stages.values()} <= {(1,), (1, 2), (1, 2, 3), (1, 4)}
    assert (1, 2, 3) in {tuple(s) for s in stages.values()}


# Ratios


def test_ratios_are_those_of_the_filing_that_began_the_row(world, database):
    """The profit of a row is the one that its filing shows, to the fen; the first one is not replaced."""
    found = rows(database, "SELECT ID, ENDDATE, NPPARENTCOMPANYOWNERS, INSERTTIME FROM nq_mainindexnew")
    assert len(found) > 500
    for number, period, profit, inserted in found:
        event = world.ledger.by_id[(int(number) >> 32) << 32 | (int(number) & 0xFFFFFFFF) >> 4]
        shown = event.payload.shown[int(number) & 15]
        assert shown.period_end == period.date()
        assert round(Decimal(profit) * 100) == shown.profit
        assert inserted == event.recorded_at
    again = rows(
        database,
        "SELECT COUNT(*) FROM (SELECT COMPANYCODE, ENDDATE FROM nq_mainindexnew GROUP BY 1, 2 HAVING COUNT(*) > 1)",
    )
    assert again[0][0] > 5


def test_a_prospectus_for_beijing_says_what_the_neeq_was_told(database):
    found = rows(
        database,
        "SELECT n.NPPARENTCOMPANYOWNERS AS neeq, p.NPFROMPARENTCOMPANYOWNERS AS beijing FROM nq_mainindexnew n"
        " JOIN lc_maindatanew p ON p.COMPANYCODE = n.COMPANYCODE AND p.ENDDATE = n.ENDDATE AND p.MARK = 1"
        " AND p.BULLETINTYPE = '10'",
    )
    assert found
    assert all(neeq == beijing for neeq, beijing in found)


# Competitors and pay


def test_competitors_share_an_industry_when_they_are_named(database):
    found = rows(
        database,
        "SELECT c.COMPANYCODE, c.COMPETECOMPANYCODE, c.INFOPUBLDATE, c.COMPETEDIMENSIONCODE, c.COMPETECODE"
        " FROM lc_competitor c",
    )
    industries = rows(
        database,
        "SELECT COMPANYCODE, INFOPUBLDATE, INFOPUBLDATE AS EFFECTIVEDATE, INDUSTRY FROM lc_exgindustry UNION ALL"
        " SELECT COMPANYCODE, INFOPUBLDATE, EFFECTIVEDATE, INDUSTRY FROM lc_stibexgindustry",
    )
    assert len(found) > 100

    def known(company, day):
        mine = [(e, p, int(i)) for c, p, e, i in industries if c == company and p < day and e <= day]
        return max(mine)[2]

    for company, other, day, level, code in found:
        assert company != other
        width = 10 ** (2 * (3 - int(level)))
        assert known(company, day) // width == known(other, day) // width == int(code) // width


def test_the_last_naming_alone_is_valid_today(database):
    found = rows(
        database,
        "SELECT SUM(CASE WHEN (c.IFEFFECTED = 1) = (c.INFOPUBLDATE = m.last) THEN 0 ELSE 1 END), COUNT(*),"
        " SUM(CASE WHEN c.IFEFFECTED = 2 THEN 1 ELSE 0 END) FROM lc_competitor c JOIN (SELECT COMPANYCODE,"
        " MAX(INFOPUBLDATE) AS last FROM lc_competitor GROUP BY 1) m ON m.COMPANYCODE = c.COMPANYCODE",
    )
    wrong, count, old = found[0]
    assert wrong == 0
    assert 0 < old < count


def test_pay_comes_with_the_annual_report_and_adds_up(world, database):
    found = rows(
        database,
        "SELECT r.COMPANYCODE, r.ENDDATE, r.INFOPUBLDATE, r.TOTALYEARPAY, r.NUMPAYMANAGERS, r.HIGH3DIRECTORS,"
        " r.HIGH3MANAGERS, r.TOTALINDESUBSIDY, r.INFOSOURCE FROM lc_rewardstat r",
    )
    company = {issuer.company: issuer.entity for issuer in world.issuers}
    told = {}
    for event in world.ledger.of(EventType.REPORT):
        if event.recorded_at <= CONFIG.moment:
            for shown in event.payload.shown[:1] if event.payload.form == 20 else event.payload.shown:
                told.setdefault((event.entity, shown.period_end, event.payload.form), set()).add(
                    event.disclosed_at.date()
                )
    row = {entity: n for n, entity in enumerate(world.statements.entity.tolist())}
    year = {q: n for n, q in enumerate(pd.date_range("2011-12-31", periods=58, freq="QE").date)}
    sources = set()
    for code, end, published, total, people, directors, managers, allowance, source in found:
        entity, form = company[code], 30 if source.startswith("更正") else 20
        assert published.date() in told[entity, end.date(), form]
        assert people >= 9
        assert total >= max(directors, managers) + allowance
        assert directors <= managers
        staff = int(world.statements.flows[row[entity], year[end.date()], FLOW["STAFF"]]) / 100
        assert float(total - allowance) <= 0.35 * staff + 100
        sources.add(form)
    assert sources == {20, 30}


# Indicators


@pytest.fixture(scope="module")
def bars(world):
    """Backward prices, in whole 1e-4, of the share that traded longest, and the index on its days."""
    q = world.quotes
    cut = sessions().at_or_after(CONFIG.snapshot) + 1
    counts = np.bincount(q.entity[q.traded & (q.session < cut)])
    mine = q.take((q.entity == int(np.argmax(counts))) & q.traded & (q.session < cut))
    frame = pd.DataFrame(
        {name: np.rint(getattr(mine, name) * mine.factor * 100) for name in ("open", "high", "low", "close")}
    )
    levels = next(index.levels for index in world.indices if index.inner == CSI300)[
        mine.session - window()[0]
    ]
    frame["index_open"], frame["index_close"] = levels[:, 1], levels[:, 4]
    frame["day"] = [sessions().days[int(s)] for s in mine.session]
    return int(mine.entity[0]), frame


@pytest.fixture(scope="module")
def indicators(world, database, bars):
    inner = next(issuer.inner for issuer in world.issuers if issuer.entity == bars[0])
    table = database.query(
        "SELECT * FROM cs_intensitytrendadj WHERE INNERCODE = ? ORDER BY TRADINGDAY", params=(inner,)
    ).table
    found = pd.DataFrame({name.upper(): table[name].to_pylist() for name in table.column_names})
    assert [day.date() for day in found["TRADINGDAY"]] == [d for d in bars[1]["day"] if d >= date(2021, 1, 4)]
    return found


def compared(indicators, name, expected, unit=1.0):
    found = indicators[name].astype(float).to_numpy()
    wanted = expected.to_numpy()[-found.size :] / unit
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=2e-8)


def test_averages_are_those_of_pandas(bars, indicators):
    close = bars[1]["close"]
    for days in (5, 10, 20, 30, 60, 120, 250):
        compared(indicators, f"MA{days}", close.rolling(days).mean(), YUAN)
    compared(indicators, "BBI", sum(close.rolling(n).mean() for n in (3, 6, 12, 24)) / 4, YUAN)
    gap = close.rolling(10).mean() - close.rolling(50).mean()
    compared(indicators, "DMA_DMA", gap, YUAN)
    compared(indicators, "DMA_AMA", gap.rolling(10).mean(), YUAN)
    compared(indicators, "MTM_MTM", close.diff(12), YUAN)
    compared(indicators, "MTM_MTMMA", close.diff(12).rolling(6).mean(), YUAN)
    compared(indicators, "PRICEOSC", 100 - 100 * close.rolling(26).mean() / close.rolling(12).mean())


def test_exponential_averages_are_those_of_pandas(bars, indicators):
    def smooth(values, days):
        return values.ewm(span=days, adjust=False).mean()

    close = bars[1]["close"]
    fast, slow = smooth(close, 12), smooth(close, 26)
    compared(indicators, "EXPMA12", fast, YUAN)
    compared(indicators, "EXPMA26", slow, YUAN)
    # The signal begins at zero, where the difference does
    signal = smooth(fast - slow, 9)
    compared(indicators, "MACD_DIFF", fast - slow, YUAN)
    compared(indicators, "MACD_DEA", signal, YUAN)
    compared(indicators, "MACD_MACD", 2 * (fast - slow - signal), YUAN)
    triple = smooth(smooth(fast, 12), 12)
    compared(indicators, "TRIX_TR", triple, YUAN)
    compared(indicators, "TRIX_TRIX", 100 * triple.pct_change())
    compared(indicators, "TRIX_TRMA", 100 * triple.pct_change().rolling(20).mean())


def test_directional_movement_by_hand(bars, indicators):
    """Wilder's definitions, with sums over 14 days."""
    frame = bars[1]
    high, low, last = frame["high"], frame["low"], frame["close"].shift()
    true = pd.concat([high - low, (high - last).abs(), (last - low).abs()], axis=1).max(axis=1)
    true[0] = np.nan
    up, down = high.diff(), -low.diff()
    width = true.rolling(14).sum()
    plus = 100 * up.where((up > 0) & (up > down), 0.0).mask(up.isna()).rolling(14).sum() / width
    minus = 100 * down.where((down > 0) & (down > up), 0.0).mask(up.isna()).rolling(14).sum() / width
    average = (100 * (plus - minus).abs() / (plus + minus)).rolling(6).mean()
    compared(indicators, "DMI_PDI", plus)
    compared(indicators, "DMI_MDI", minus)
    compared(indicators, "DMI_ADX", average)
    compared(indicators, "DMI_ADXR", (average + average.shift(6)) / 2)


def test_directional_deviation_by_hand(bars, indicators):
    """Sums over 13 days; the smoothing begins with its first value, and takes a third of each new one."""
    high, low = bars[1]["high"], bars[1]["low"]
    moved = (high + low).diff()
    size = pd.concat([high.diff().abs(), low.diff().abs()], axis=1).max(axis=1)
    up = size.where(moved > 0, 0.0).mask(moved.isna()).rolling(13).sum()
    down = size.where(moved < 0, 0.0).mask(moved.isna()).rolling(13).sum()
    gap = (up - down) / (up + down)
    compared(indicators, "DDI_DDI", gap)
    smooth = gap.ewm(alpha=1 / 3, adjust=False).mean()
    compared(indicators, "DDI_ADDI", smooth)
    compared(indicators, "DDI_AD", smooth.rolling(5).mean())


def test_strength_against_the_index_is_a_count_of_days(bars, indicators):
    frame = bars[1]
    up, down = frame["close"] > frame["open"], frame["close"] < frame["open"]
    rose, fell = frame["index_close"] > frame["index_open"], frame["index_close"] < frame["index_open"]
    compared(indicators, "MARKET_CSI300", ((up & rose) | (down & fell)).rolling(7).sum() / 7)
    compared(indicators, "STRENGTH_CSI300", (up & fell).rolling(20).sum() / fell.rolling(20).sum())
    compared(indicators, "WEAKNESS_CSI300", (down & rose).rolling(20).sum() / rose.rolling(20).sum())
    moved = frame["close"].diff().mask(frame["close"].shift().isna())
    ratio = (moved >= 0).where(moved.notna()).astype(float).rolling(125).sum() / (
        (moved < 0).where(moved.notna()).astype(float).rolling(125).sum()
    )
    compared(indicators, "BOTTOMING_B", ratio.rolling(5).mean())
    compared(indicators, "BOTTOMING_D", ratio.rolling(20).mean())


# Without an event


def test_without_a_dividend_only_its_own_share_is_priced_anew(world, serial):
    paid = next(
        e
        for e in world.ledger.of(EventType.NEEQ_IMPLEMENTED)
        if e.valid_from.year < 2022 and np.sum(world.neeq.quotes.entity == e.entity) > 300
    )
    other = neeq_again(
        world.neeq, CONFIG.seed, factors(CONFIG.seed), world.ledger.without(paid.event_id), serial
    )
    before, after = world.neeq.quotes, other.quotes
    np.testing.assert_array_equal(before.session, after.session)  # the days of trading stay
    moved = before.close != after.close
    assert moved.any()
    assert set(before.entity[moved].tolist()) == {paid.entity}
    assert sessions().days[int(before.session[moved].min())] >= paid.valid_from


def test_without_a_change_of_layer_prices_are_drawn_as_they_were(world, serial):
    """The ledger as it is gives the quotes and statements as they are."""
    again = neeq_again(world.neeq, CONFIG.seed, factors(CONFIG.seed), world.ledger, serial)
    for name in ("entity", "session", "previous", "close", "volume", "value", "shares"):
        np.testing.assert_array_equal(getattr(again.quotes, name), getattr(world.neeq.quotes, name))
    np.testing.assert_array_equal(again.statements.flows, world.neeq.statements.flows)
    np.testing.assert_array_equal(again.statements.stocks, world.neeq.statements.stocks)
