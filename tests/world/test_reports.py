"""Companies' reports: statements articulate in every version, versions are kept, derived tables follow from them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from finassay.world import EventType, WorldConfig, materialise
from finassay.world._blocks._economy import economy
from finassay.world._blocks._filings import schedule
from finassay.world._blocks._life import life_events
from finassay.world._blocks._market import factors
from finassay.world._blocks._parent import parent_of
from finassay.world._blocks._periods import period_end, quarter_of, season, year_end_before
from finassay.world._blocks._recorder import Recorder
from finassay.world._blocks._statement_items import FLOW, FLOWS, STOCK, STOCKS, Figures
from finassay.world._blocks._universe import universe
from finassay.world._blocks._versions import COMMON_CONTROL, ERROR, POLICY, Versions
from finassay.world._calendar import sessions
from finassay.world._facts_reports import broken, report_facts, sum_of_quarters
from finassay.world._world import _of, _requote
from support.worlds import CONFIG


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def number_of(database, sql):
    ((found,),) = rows(database, sql)
    return int(found)


@pytest.fixture(scope="module")
def versions(world):
    return Versions(world.statements, world.ledger.of(EventType.RESTATEMENT))


@pytest.mark.parametrize("quarter", range(58))
def test_quarters_are_counted_from_the_fourth_of_2011(quarter):
    end = period_end(quarter)
    assert (end + timedelta(days=1)).day == 1
    assert end.month == 3 * season(quarter)
    assert quarter_of(end) == quarter
    assert end.year * 4 + end.month // 3 == 2011 * 4 + 4 + quarter


# --- Articulation, world.md 3.1 to 3.6


def test_every_version_of_every_statement_articulates_to_the_fen(world, versions):
    """All companies and periods, as known at the report itself, one, four and eight quarters later."""
    company, period = np.meshgrid(np.arange(world.statements.entity.size), np.arange(1, 50))
    company, period = company.ravel(), period.ravel()
    for later in (0, 1, 4, 8):
        known = period + later
        figures = versions.figures(company, period, known)
        assert not broken(figures).any()
        assert not sum_of_quarters(versions, company, period, known).any()


def test_the_database_keeps_the_identities(database):
    unequal = "abs({} - ({})) > 0.001"
    checks = [
        ("lc_balancesheetall", "TOTALASSETS", "TOTALLIABILITYANDEQUITY"),
        ("lc_balancesheetall", "TOTALLIABILITYANDEQUITY", "TOTALLIABILITY + TOTALSHAREHOLDEREQUITY"),
        ("lc_balancesheetall", "TOTALSHAREHOLDEREQUITY", "SEWITHOUTMI + COALESCE(MINORITYINTERESTS, 0)"),
        ("lc_maindatanew", "TOTALPROFIT", "OPERATINGPROFIT + NONOPERATINGINCOME - NONOPERATINGEXPENSE"),
        ("lc_maindatanew", "NETPROFIT", "TOTALPROFIT - INCOMETAXCOST"),
        ("lc_maindatanew", "NETPROFIT", "NPFROMPARENTCOMPANYOWNERS + MINORITYPROFIT"),
        ("lc_maindatanew", "NETPROFITCUT", "NPFROMPARENTCOMPANYOWNERS - NONRECURRINGPROFITLOSS"),
        (
            "lc_maindatanew",
            "CASHEQUIALENTINCREASE",
            "NETOPERATECASHFLOW + NETINVESTCASHFLOW + NETFINANCECASHFLOW + EXCHANRATECHANGEEFFECT",
        ),
    ]
    for table, left, right in checks:
        assert number_of(database, f"SELECT COUNT(*) FROM {table} WHERE {unequal.format(left, right)}") == 0
    general = "ENTERPRISETYPE = 1 AND " + unequal.format(
        "TOTALASSETS", "TOTALCURRENTASSETS + TOTALNONCURRENTASSETS"
    )
    assert number_of(database, f"SELECT COUNT(*) FROM lc_balancesheetall WHERE {general}") == 0


def test_financial_companies_have_a_template_without_current_items(database):
    found = rows(
        database,
        "SELECT DISTINCT ENTERPRISETYPE, TOTALCURRENTASSETS IS NULL AS whole, INVENTORIES IS NULL AS stock"
        " FROM lc_balancesheetall WHERE IFMERGED = 1",
    )
    assert {(int(kind), missing) for kind, missing, _ in found} <= {
        (1, False),
        (2, True),
        (3, True),
        (4, True),
    }
    assert any(int(kind) > 1 and empty for kind, _, empty in found)


def test_cash_at_the_beginning_is_cash_at_the_last_year_end(database):
    """Of one version set: cash less its increase is the balance of the year end that the same filing shows."""
    found = number_of(
        database,
        "SELECT COUNT(*) FROM lc_maindatanew m JOIN lc_balancesheetall b ON b.COMPANYCODE = m.COMPANYCODE"
        " AND b.INFOPUBLDATE = m.INFOPUBLDATE AND b.IFMERGED = 1 AND b.IFADJUSTED = 1"
        " AND EXTRACT(YEAR FROM b.ENDDATE) = EXTRACT(YEAR FROM m.ENDDATE) - 1 AND EXTRACT(MONTH FROM b.ENDDATE) = 12"
        " WHERE m.MARK = 1 AND m.BULLETINTYPE = '20'"
        " AND ABS(m.CASHEQUIALENTS - m.CASHEQUIALENTINCREASE - b.CASHEQUIVALENTS) > 0.001",
    )
    assert found == 0


_AMOUNT = st.integers(-(10**13), 10**13)


@settings(max_examples=40)
@given(share=st.floats(0.05, 0.99), seed=st.integers(0, 2**32), kept=_AMOUNT)
def test_the_parent_articulates_without_minority_and_goodwill(world, versions, share, seed, kept):
    """Whatever its share of the business: the rules are linear, and what is left goes to the subsidiaries' cost."""
    rng = np.random.default_rng(seed)
    company = rng.integers(0, world.statements.entity.size, 20)
    period = rng.integers(1, 57, 20)
    group = versions.figures(company, period, period)
    parent = parent_of(group, np.full(20, share), np.full(20, kept))
    assert not broken(parent).any()
    for name in ("MINORITYINTERESTS", "GOODWILL"):
        assert not parent.stock(name).any()
    for name in ("PAIDINCAPITAL", "SURPLUSRESERVEFUND"):
        assert (parent.stock(name) == group.stock(name)).all()


def test_a_hand_made_statement_is_summed_as_the_rules_say():
    """Revenue 100, cost 60, interest 5, tax 8, receivables up by 10, debt up by 20: profit 27, operating cash 22."""
    flows, opening, stocks = (np.zeros((1, len(n)), dtype=np.int64) for n in (FLOWS, STOCKS, STOCKS))
    for name, value in (("REVENUE", 100), ("COST", 60), ("INTEREST", 5), ("TAX", 8)):
        flows[0, FLOW[name]] = value
    opening[0, [STOCK["CASHEQUIVALENTS"], STOCK["PAIDINCAPITAL"]]] = 50
    stocks[0] = opening[0]
    stocks[0, STOCK["ACCOUNTRECEIVABLE"]] = 10
    stocks[0, STOCK["SHORTTERMLOAN"]] = 20
    stocks[0, STOCK["RETAINEDPROFIT"]] = 27
    stocks[0, STOCK["CASHEQUIVALENTS"]] = 87  # 50 + 22 operating + 20 borrowed - 5 interest
    figures = Figures(flows, stocks, opening)
    assert figures.net_profit.tolist() == [27]
    assert figures.operating_cash.tolist() == [22]  # 27 + 5 - 10
    assert figures.financing_cash.tolist() == [15]
    assert not broken(figures).any()
    stocks[0, STOCK["CASHEQUIVALENTS"]] += 1
    assert broken(Figures(flows, stocks, opening)).all()


def test_the_facts_without_a_tolerance_hold_in_a_small_world_too(world):
    exact = [fact for fact in report_facts(world) if fact.number in ("14", "15", "16")]
    assert len(exact) == 4
    assert [fact for fact in exact if not fact.met] == []


# --- Versions


def test_an_annual_report_shows_the_year_before_again_dated_by_itself(database):
    """P(row) = .993; the row is marked restated, and the original one stays (world.md, 2.3)."""
    ((total, again),) = rows(
        database,
        "SELECT COUNT(*) AS n, COUNT(b.ID) AS again FROM lc_balancesheetall a LEFT JOIN lc_balancesheetall b"
        " ON b.COMPANYCODE = a.COMPANYCODE AND b.INFOPUBLDATE = a.INFOPUBLDATE AND b.IFMERGED = 1 AND b.IFADJUSTED = 1"
        " AND EXTRACT(MONTH FROM b.ENDDATE) = 12"
        " AND EXTRACT(YEAR FROM b.ENDDATE) = EXTRACT(YEAR FROM a.ENDDATE) - 1 WHERE a.IFMERGED = 1"
        " AND a.IFADJUSTED = 2 AND a.BULLETINTYPE = 20 AND EXTRACT(MONTH FROM a.ENDDATE) = 12",
    )
    assert total > 400
    assert again / total > 0.97


@pytest.mark.parametrize("kind", [ERROR, POLICY, COMMON_CONTROL])
def test_a_restatement_changes_what_is_shown_from_its_day_on_and_nothing_before(world, versions, kind):
    """An error takes revenue away with its receivables and tax; a policy moves items; a merger scales them all."""
    every = list(world.ledger.of(EventType.RESTATEMENT))
    alone = {e.entity for e in every if sum(o.entity == e.entity for o in every) == 1}
    found = [e for e in every if e.payload.kind == kind and e.entity in alone]
    assert found
    for event in found:
        change, company = event.payload, np.array([event.entity - 1])
        until = quarter_of(change.until)
        period = np.array([until - 1])
        before = versions.figures(company, period, period)
        last = versions.figures(company, period, period + 1)
        later = versions.figures(company, period, period + 4)
        revenue = int((before.flow("REVENUE") - last.flow("REVENUE"))[0])
        assert (later.flows == last.flows).all()
        if kind == POLICY:
            assert (before.net_profit == last.net_profit).all()
            assert (before.total_assets == last.total_assets).all()
            assert (before.stocks != last.stocks).any()
        elif kind == ERROR:
            tax = int((before.flow("TAX") - last.flow("TAX"))[0])
            assert np.sign(revenue) == np.sign(change.share)
            assert int((before.net_profit - last.net_profit)[0]) == revenue - tax
            receivables = before.stock("ACCOUNTRECEIVABLE") - last.stock("ACCOUNTRECEIVABLE")
            owed = before.stock("TAXSPAYABLE") - last.stock("TAXSPAYABLE")
            retained = before.stock("RETAINEDPROFIT") - last.stock("RETAINEDPROFIT")
            assert (retained == receivables - owed).all()
        else:
            ratio = before.flow("REVENUE")[0] / last.flow("REVENUE")[0]
            assert ratio == pytest.approx(1 - change.share, abs=1e-6)
            assert (before.stock("PAIDINCAPITAL") == last.stock("PAIDINCAPITAL")).all()


def test_the_rows_of_a_correction_are_what_the_ledger_shows(world, database):
    event = next(e for e in world.ledger.of(EventType.REPORT) if e.payload.form == 30)
    company = world.issuers[event.entity - 1].company
    found = rows(
        database,
        "SELECT CAST(ENDDATE AS DATE), OPERATINGREENUE, NPFROMPARENTCOMPANYOWNERS, TOTALASSETS, SEWITHOUTMI"
        " FROM lc_maindatanew WHERE COMPANYCODE = ? AND MARK = 1 AND INFOPUBLDATE = ? AND BULLETINTYPE = '30'",
        company,
        event.disclosed_at.date(),
    )
    shown = {s.period_end: (s.revenue, s.profit, s.assets, s.equity) for s in event.payload.shown}
    assert {day: tuple(int(v * 100) for v in values) for day, *values in found} == shown


def test_an_overwritten_row_is_dated_by_the_filing_that_changed_it_last(world, database):
    """Reports that only repeat a period leave its row alone; a restatement within a year replaces and dates it."""
    late = rows(
        database,
        "SELECT m.COMPANYCODE, CAST(m.ENDDATE AS DATE) AS period FROM lc_mainindexnew m WHERE m.INFOPUBLDATE >"
        " (SELECT MIN(v.INFOPUBLDATE) FROM lc_maindatanew v WHERE v.COMPANYCODE = m.COMPANYCODE"
        " AND v.ENDDATE = m.ENDDATE AND v.MARK = 1)",
    )
    restated = {}
    for event in world.ledger.of(EventType.RESTATEMENT):
        company = world.issuers[event.entity - 1].company
        restated.setdefault(int(company), []).append(event.payload)
    assert late
    for company, period in late:
        assert any(c.first <= period < c.until for c in restated[int(company)])


def test_a_later_snapshot_only_adds_versions(world):
    early = materialise(simulate_at(world, date(2022, 6, 30)), ["lc_maindatanew"])["lc_maindatanew"]
    late = materialise(world, ["lc_maindatanew"])["lc_maindatanew"]
    columns = ["ID", "ENDDATE", "INFOPUBLDATE", "NETPROFIT", "TOTALASSETS"]
    before = set(zip(*(early[c].to_pylist() for c in columns), strict=True))
    after = set(zip(*(late[c].to_pylist() for c in columns), strict=True))
    assert before < after


def simulate_at(world, snapshot):
    return replace(world, config=WorldConfig(CONFIG.scale, CONFIG.seed, snapshot))


# --- Derived tables


def test_the_daily_valuation_looks_at_what_was_known_at_the_close(database):
    """PE x profit of twelve months = market value, the profit by the last versions disclosed before the day."""
    found = rows(
        database,
        """WITH d AS (SELECT v.INNERCODE, v.TRADINGDAY, v.PE, v.TOTALMV, s.COMPANYCODE FROM lc_dindicesforvaluation v
 JOIN secumain s ON s.INNERCODE = v.INNERCODE WHERE v.TRADINGDAY IN (DATE '2019-05-15', DATE '2022-09-15')),
 r AS (SELECT d.INNERCODE, d.TRADINGDAY, CAST(m.ENDDATE AS DATE) AS e, m.NPFROMPARENTCOMPANYOWNERS AS x, ROW_NUMBER()
  OVER (PARTITION BY d.INNERCODE, d.TRADINGDAY, m.ENDDATE ORDER BY m.INFOPUBLDATE DESC, m.ID DESC) AS place
  FROM d JOIN lc_maindatanew m ON m.COMPANYCODE = d.COMPANYCODE AND m.MARK = 1 AND m.INFOPUBLDATE < d.TRADINGDAY),
 k AS (SELECT * FROM r WHERE place = 1)
 SELECT d.PE, d.TOTALMV, CASE WHEN EXTRACT(MONTH FROM a.e) = 12 THEN a.x ELSE a.x + y.x - b.x END AS profit
 FROM d JOIN k a ON a.INNERCODE = d.INNERCODE AND a.TRADINGDAY = d.TRADINGDAY
  AND a.e = (SELECT MAX(e) FROM k z WHERE z.INNERCODE = d.INNERCODE AND z.TRADINGDAY = d.TRADINGDAY)
 JOIN k y ON y.INNERCODE = d.INNERCODE AND y.TRADINGDAY = d.TRADINGDAY
  AND y.e = MAKE_DATE(CAST(EXTRACT(YEAR FROM a.e) AS INTEGER) - 1, 12, 31)
 JOIN k b ON b.INNERCODE = d.INNERCODE AND b.TRADINGDAY = d.TRADINGDAY
  AND EXTRACT(MONTH FROM b.e) = EXTRACT(MONTH FROM a.e) AND EXTRACT(YEAR FROM b.e) = EXTRACT(YEAR FROM a.e) - 1""",
    )
    assert len(found) > 80
    for pe, value, profit in found:
        assert float(pe) == pytest.approx(float(value) / float(profit), abs=5.1e-5, rel=1e-9)


def test_market_value_is_close_times_the_shares_of_the_day(database):
    found = number_of(
        database,
        """SELECT COUNT(*) FROM lc_dindicesforvaluation v JOIN secumain s ON s.INNERCODE = v.INNERCODE
 JOIN (SELECT * FROM qt_dailyquote UNION ALL SELECT ID, INNERCODE, TRADINGDAY, PREVCLOSEPRICE, OPENPRICE, HIGHPRICE,
  LOWPRICE, CLOSEPRICE, TURNOVERVOLUME, TURNOVERVALUE, TURNOVERDEALS, UPDATETIME, JSID FROM lc_stibdailyquote) q
  ON q.INNERCODE = v.INNERCODE AND q.TRADINGDAY = v.TRADINGDAY
 WHERE v.TRADINGDAY = DATE '2021-08-16' AND ABS(v.TOTALMV - q.CLOSEPRICE * (SELECT TOTALSHARES FROM lc_sharestru c
  WHERE c.COMPANYCODE = s.COMPANYCODE AND c.ENDDATE <= v.TRADINGDAY ORDER BY c.ENDDATE DESC LIMIT 1)) > 1""",
    )
    assert found == 0


def test_ratios_are_what_their_names_say(database):
    """Growth on the year by the versions of one filing; days of receivables of a quarter on the mean balance."""
    growth = rows(
        database,
        "SELECT f.OPERATINGREVENUEYOY, a.OPERATINGREENUE AS revenue, b.OPERATINGREENUE AS base FROM fin_derivative f"
        " JOIN lc_maindatanew a ON a.ID = f.ID JOIN lc_maindatanew b ON b.COMPANYCODE = a.COMPANYCODE AND b.MARK = 1"
        " AND b.INFOPUBLDATE = a.INFOPUBLDATE AND EXTRACT(YEAR FROM b.ENDDATE) = EXTRACT(YEAR FROM a.ENDDATE) - 1"
        " AND EXTRACT(MONTH FROM b.ENDDATE) = EXTRACT(MONTH FROM a.ENDDATE) WHERE a.BULLETINTYPE = '20'"
        " AND a.ENDDATE > DATE '2014-12-31'",
    )
    assert len(growth) > 1000
    for stated, now, base in growth:
        assert float(stated) == pytest.approx(100 * (float(now) / float(base) - 1), abs=1e-3)


def test_single_quarters_begin_with_periodic_reports(world, database):
    """A first quarter has a row once a periodic report shows it, also if a prospectus did before."""
    periodic, prospectus = set(), set()
    for event in world.ledger.seen_at(world.config.moment).of(EventType.REPORT):
        issuer = world.issuers[event.entity - 1]
        if issuer.board != 7:
            told = {(issuer.company, f.period_end) for f in event.payload.shown if f.period_end.month == 3}
            if event.payload.form == 20:
                periodic |= told
            elif event.payload.form == 10:
                prospectus |= told
    found = rows(
        database,
        "SELECT COMPANYCODE, CAST(ENDDATE AS DATE) AS d FROM lc_qfinancialindexnew"
        " WHERE EXTRACT(MONTH FROM ENDDATE) = 3",
    )
    assert {(int(company), day) for company, day in found} == periodic
    assert prospectus & periodic
    assert prospectus - periodic


def test_growth_of_a_single_quarter_is_on_one_that_has_a_row(database):
    base = (
        "EXISTS (SELECT 1 FROM lc_qfinancialindexnew b WHERE b.COMPANYCODE = a.COMPANYCODE AND"
        " EXTRACT(YEAR FROM b.ENDDATE) = EXTRACT(YEAR FROM a.ENDDATE) - 1 AND"
        " EXTRACT(MONTH FROM b.ENDDATE) = EXTRACT(MONTH FROM a.ENDDATE))"
    )
    grown = "SELECT COUNT(*) AS n FROM lc_qfinancialindexnew a WHERE a.NETPROFITYOY IS NOT NULL AND"
    assert rows(database, f"{grown} NOT {base}") == [(0,)]
    assert rows(database, f"{grown} {base}")[0][0] > 500


def test_the_star_board_has_tables_of_its_own(database):
    for table, board in (
        ("lc_mainindexnew", "<> 7"),
        ("lc_qfinancialindexnew", "<> 7"),
        ("lc_stibmainindex", "= 7"),
    ):
        sql = f"SELECT COUNT(*) AS n, SUM(CASE WHEN s.LISTEDSECTOR {board} THEN 1 ELSE 0 END) AS inside FROM {table} t"
        ((total, right),) = rows(
            database, f"{sql} JOIN secumain s ON s.COMPANYCODE = t.COMPANYCODE AND s.SECUCATEGORY = 1"
        )
        assert total == right > 0


# --- Events


def test_a_surprise_moves_the_price_from_the_session_after_the_report_on(world):
    """Without the report the share goes another way from that session on; its own rows differ, and no others."""
    event = next(
        e
        for e in world.ledger.of(EventType.REPORT)
        if e.payload.surprise > 1.5
        and 2018 <= e.disclosed_at.year <= 2022
        and e.disclosed_at.time() > time(15)
    )
    ledger = world.ledger.without(event.event_id)
    issuers = world.issuers
    blocks = (issuers, _of(issuers, world.ledger), _of(issuers, ledger))
    quotes, statements = _requote(CONFIG.seed, factors(CONFIG.seed), blocks)
    changed = world.quotes.close != quotes.close
    first = sessions().at_or_after(event.disclosed_at.date() + timedelta(days=1))
    assert set(world.quotes.entity[changed].tolist()) == {event.entity}
    assert world.quotes.session[changed].min() == first
    other = replace(world, ledger=ledger, quotes=quotes, statements=statements)
    own = {issuers[event.entity - 1].company, issuers[event.entity - 1].inner}
    names = ["lc_maindatanew", "lc_mainindexnew", "lc_dindicesforvaluation"]
    before, after = materialise(world, names), materialise(other, names)
    for name in names:
        key = "COMPANYCODE" if "COMPANYCODE" in before[name].column_names else "INNERCODE"
        kept = [
            table.filter([int(k) not in own for k in table[key].to_pylist()])
            for table in (before[name], after[name])
        ]
        assert kept[0].equals(kept[1])
        assert not before[name].equals(after[name])


def test_nothing_is_reported_before_the_listing_but_the_prospectus_nor_after_the_end(world):
    listed = {e.entity: e.valid_from for e in world.ledger.of(EventType.LIST)}
    ended = {e.entity: e.valid_from for e in world.ledger.of(EventType.DELIST)}
    for event in world.ledger.of(EventType.REPORT):
        day = event.disclosed_at.date()
        assert (day <= listed[event.entity]) is (event.payload.form == 10)
        assert day < ended.get(event.entity, date.max)
        assert event.payload.shown[0].period_end < day


def test_reports_of_a_company_come_one_after_the_other_by_the_deadline_but_for_a_few(world):
    last = {}
    late = 0
    reports = [e for e in world.ledger.of(EventType.REPORT) if e.payload.form == 20]
    for event in sorted(reports, key=lambda e: (e.entity, e.payload.period_end)):
        end, day = event.payload.period_end, event.disclosed_at
        assert day >= last.get(event.entity, day)
        last[event.entity] = day
        deadline = {
            3: (end.year, 4, 30),
            6: (end.year, 8, 31),
            9: (end.year, 10, 31),
            12: (end.year + 1, 4, 30),
        }
        late += day.date() > date(*deadline[end.month])
    assert late / len(reports) < 0.01


def test_a_missed_deadline_halts_the_share_until_the_report(world):
    """In the whole economy of 2,000 issuers a few miss one; here the schedule itself is asked."""
    issuers = universe(WorldConfig(0.2, 3, date(2024, 3, 28)))[:150]
    halts = 0
    for issuer in issuers:
        recorder = Recorder(3, issuer.entity)
        life_events(3, issuer, recorder)
        plan = schedule(3, issuer, 0, economy(3, (issuer,), recorder.events), recorder)
        missed = [f for f in plan.filings if season(f.quarter) == 4 and f.at.date() > date(f.at.year, 4, 30)]
        for event in recorder.events:
            if event.type is EventType.HALT and "法定期限" in event.payload.reason:
                halts += 1
                assert any(f.at.date() > event.valid_from for f in missed)
    assert halts > 0


def test_last_year_ends_before_a_quarter():
    assert year_end_before(np.array([1, 2, 4, 5, 8])).tolist() == [0, 0, 0, 4, 4]


# --- What else hangs on companies


def test_segments_add_up_to_the_revenue(database):
    """By industry, by product and by region, to the fen."""
    found = number_of(
        database,
        "SELECT COUNT(*) FROM (SELECT s.COMPANYCODE, s.ENDDATE, s.CLASSIFICATION, SUM(s.MAINOPERINCOME) AS parts,"
        " MAX(m.OPERATINGREENUE) AS whole FROM lc_mainoperincome s JOIN lc_maindatanew m ON m.COMPANYCODE ="
        " s.COMPANYCODE AND m.ENDDATE = s.ENDDATE AND m.INFOPUBLDATE = s.INFOPUBLDATE AND m.MARK = 1 GROUP BY 1, 2, 3)"
        " WHERE ABS(parts - whole) > 0.001",
    )
    assert found == 0


def test_a_corrected_list_of_holders_names_another_tenth(database):
    """Ten per list and disclosure; both disclosures together name eleven."""
    lists = rows(
        database,
        "SELECT COMPANYCODE, ENDDATE, INFOPUBLDATE, COUNT(*) AS n, COUNT(DISTINCT GDID) AS holders"
        " FROM lc_mainshlistnew WHERE INFOTYPECODE = 1 GROUP BY 1, 2, 3",
    )
    assert {(n, holders) for *_, n, holders in lists} == {(10, 10)}
    both = rows(
        database,
        "SELECT COMPANYCODE, ENDDATE, COUNT(DISTINCT GDID) AS holders FROM lc_mainshlistnew WHERE INFOTYPECODE = 1"
        " GROUP BY 1, 2 HAVING COUNT(DISTINCT INFOPUBLDATE) > 1",
    )
    assert both
    assert {holders for *_, holders in both} == {11}


def test_limits_are_those_of_the_quotes(database):
    """10% of the reference, half up to a fen, on the main board outside ST; none on the first days."""
    found = rows(
        database,
        "SELECT p.PREVCLOSEPRICE, p.PRICECEILING, p.PRICEFLOOR FROM qt_pricelimit p JOIN secumain s"
        " ON s.INNERCODE = p.INNERCODE WHERE s.LISTEDSECTOR = 1 AND p.TRADINGDAY = DATE '2021-03-15'"
        " AND p.TRADINGDAY > s.LISTEDDATE + INTERVAL 20 DAY AND p.INNERCODE NOT IN (SELECT INNERCODE FROM cs_riskalert"
        " WHERE IMPLEMENTDATE <= DATE '2021-03-15' AND (REMOVEDATE IS NULL OR REMOVEDATE > DATE '2021-03-15'))",
    )
    assert len(found) > 15
    for reference, ceiling, floor in found:
        fen = int(reference * 100)
        assert int(ceiling * 100) == (fen * 110 + 50) // 100
        assert int(floor * 100) == (fen * 90 + 50) // 100


def test_a_star_dividend_has_a_row_per_stage(database):
    found = rows(
        database,
        "SELECT INNERCODE, ENDDATE, LIST(CAST(EVENTPROCEDURE AS INTEGER) ORDER BY INFOPUBLDATE) AS stages"
        " FROM lc_stibdividend GROUP BY 1, 2",
    )
    assert found
    assert {tuple(stages) for *_, stages in found} <= {(1,), (1, 2), (1, 4), (1, 2, 3)}


def test_hong_kong_trades_on_its_own_days(database):
    """There are days on which one of the two exchanges is closed."""
    found = rows(
        database,
        "SELECT CAST(TRADINGDAY AS DATE) AS day FROM qt_hkdailyquote EXCEPT"
        " SELECT CAST(TRADINGDAY AS DATE) FROM qt_dailyquote",
    )
    assert date(2019, 10, 3) in {day for (day,) in found}  # National Day week, open in Hong Kong
