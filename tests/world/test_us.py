"""The US side: statements articulate, filings say what was known, prices follow the ledger, facts hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from finassay.executor import open_executor
from finassay.temporal import load_catalog
from finassay.world import Event, EventType, Ledger, WorldConfig
from finassay.world._blocks._us_block import UsWorld, us_counterfactual, us_world
from finassay.world._blocks._us_market import reaction, us_window
from finassay.world._blocks._us_prices import UsQuotes
from finassay.world._blocks._us_statements import PLACE, fiscal
from finassay.world._calendar import sessions
from finassay.world._facts_us import us_facts
from finassay.world._materialise import chunks
from finassay.world._tables._us_all import US_TABLES
from finassay.world._tables._view import View

CONFIG = WorldConfig(0.03, 11, date(2024, 3, 28))


@dataclass(frozen=True)
class Side:
    """A world of which only the US side was simulated."""

    config: WorldConfig
    us: UsWorld
    ledger: Ledger
    issuers: tuple[()] = ()

    def tables(self) -> dict[str, pa.Table]:
        view = View(self, load_catalog("gildata"))
        return {name: pa.concat_tables(chunks(view, name)) for name in US_TABLES}


@cache
def side(config: WorldConfig, executor: str = "serial") -> Side:
    with open_executor(executor) as opened:
        us, events = us_world(config, opened)
    return Side(config, us, Ledger(events))


@pytest.fixture(scope="module")
def world() -> Side:
    return side(CONFIG)


@pytest.fixture(scope="module")
def tables(world: Side) -> dict[str, pa.Table]:
    return world.tables()


@pytest.fixture(scope="module")
def db(tables: dict[str, pa.Table]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    for name, table in tables.items():
        connection.register(name, table)
    return connection


def rows(db: duckdb.DuckDBPyConnection, sql: str) -> list[tuple]:
    return db.execute(sql).fetchall()


def wide(*tags: str) -> str:
    """SQL: one row per filing, period and length, a column per tag; a tag that a company never reports is 0."""
    columns = ", ".join(f"COALESCE(MAX(value) FILTER (tag = '{tag}'), 0) AS {tag}" for tag in tags)
    return f"SELECT accession, cik, period_end, quarters, {columns} FROM us_fact GROUP BY ALL"


def test_balance_sheets_balance_in_every_filing_with_its_comparatives(db):
    """Assets = liabilities + equity; the parts add up, to the dollar (world.md, 3.2)."""
    sheets = wide(
        "Assets", "Liabilities", "StockholdersEquity", "MinorityInterest", "LiabilitiesAndStockholdersEquity",
        "CashAndCashEquivalentsAtCarryingValue", "AccountsReceivableNetCurrent", "InventoryNet", "OtherAssetsCurrent",
        "PropertyPlantAndEquipmentNet", "Goodwill", "IntangibleAssetsNetExcludingGoodwill", "OtherAssetsNoncurrent",
        "CommonStocksIncludingAdditionalPaidInCapital", "TreasuryStockValue", "RetainedEarningsAccumulatedDeficit",
        "AccumulatedOtherComprehensiveIncomeLossNetOfTax", "AssetsCurrent", "LiabilitiesCurrent",
        "AccountsPayableCurrent", "AccruedLiabilitiesCurrent", "DebtCurrent", "LongTermDebtNoncurrent",
        "OtherLiabilitiesNoncurrent",
    )  # fmt: skip
    current = (
        "(CashAndCashEquivalentsAtCarryingValue + AccountsReceivableNetCurrent + InventoryNet"
        " + OtherAssetsCurrent)"
    )
    soon = "(AccountsPayableCurrent + AccruedLiabilitiesCurrent + DebtCurrent)"
    (found,) = rows(
        db,
        f"""SELECT COUNT(*),
         COUNT(*) FILTER (Assets <> Liabilities + StockholdersEquity + MinorityInterest),
         COUNT(*) FILTER (Assets <> LiabilitiesAndStockholdersEquity),
         COUNT(*) FILTER (AssetsCurrent <> 0 AND AssetsCurrent <> {current}),
         COUNT(*) FILTER (AssetsCurrent <> 0 AND Assets <> AssetsCurrent + PropertyPlantAndEquipmentNet + Goodwill
          + IntangibleAssetsNetExcludingGoodwill + OtherAssetsNoncurrent),
         COUNT(*) FILTER (AssetsCurrent <> 0 AND LiabilitiesCurrent <> {soon}),
         COUNT(*) FILTER (AssetsCurrent <> 0
          AND Liabilities <> {soon} + LongTermDebtNoncurrent + OtherLiabilitiesNoncurrent),
         COUNT(*) FILTER (StockholdersEquity <> CommonStocksIncludingAdditionalPaidInCapital - TreasuryStockValue
          + RetainedEarningsAccumulatedDeficit + AccumulatedOtherComprehensiveIncomeLossNetOfTax)
        FROM ({sheets}) WHERE quarters = 0 AND Assets <> 0""",
    )
    assert found[0] > 1000
    assert found[1:] == (0,) * 7


def test_income_adds_up_in_every_filing(db):
    income = wide(
        "Revenues", "CostOfRevenue", "GrossProfit", "ResearchAndDevelopmentExpense",
        "SellingGeneralAndAdministrativeExpense", "DepreciationDepletionAndAmortization", "OperatingIncomeLoss",
        "InterestExpense", "OtherNonoperatingIncomeExpense", "IncomeLossBeforeIncomeTaxes", "IncomeTaxExpenseBenefit",
        "ProfitLoss", "NetIncomeLossAttributableToNoncontrollingInterest", "NetIncomeLoss",
    )  # fmt: skip
    (found,) = rows(
        db,
        f"""SELECT COUNT(*),
         COUNT(*) FILTER (GrossProfit <> 0 AND GrossProfit <> Revenues - CostOfRevenue),
         COUNT(*) FILTER (OperatingIncomeLoss <> 0 AND OperatingIncomeLoss <> GrossProfit
          - ResearchAndDevelopmentExpense - SellingGeneralAndAdministrativeExpense
          - DepreciationDepletionAndAmortization),
         COUNT(*) FILTER (OperatingIncomeLoss <> 0 AND IncomeLossBeforeIncomeTaxes <> OperatingIncomeLoss
          - InterestExpense + OtherNonoperatingIncomeExpense),
         COUNT(*) FILTER (ProfitLoss <> IncomeLossBeforeIncomeTaxes - IncomeTaxExpenseBenefit),
         COUNT(*) FILTER (NetIncomeLoss <> ProfitLoss - NetIncomeLossAttributableToNoncontrollingInterest)
        FROM ({income}) WHERE Revenues <> 0""",
    )
    assert found[0] > 2000
    assert found[1:] == (0,) * 5


def test_cash_flows_explain_the_change_of_cash(db):
    """CFO + CFI + CFF + exchange rates = change of cash = closing less opening balance of the same filing."""
    flows = wide(
        "NetCashProvidedByUsedInOperatingActivities", "NetCashProvidedByUsedInInvestingActivities",
        "NetCashProvidedByUsedInFinancingActivities", "EffectOfExchangeRateOnCash", "CashPeriodIncreaseDecrease",
    )  # fmt: skip
    cash = (
        "SELECT accession, period_end, value FROM us_fact WHERE tag = 'CashAndCashEquivalentsAtCarryingValue'"
    )
    total = (
        "NetCashProvidedByUsedInOperatingActivities + NetCashProvidedByUsedInInvestingActivities"
        " + NetCashProvidedByUsedInFinancingActivities + EffectOfExchangeRateOnCash"
    )
    (found,) = rows(
        db,
        f"""SELECT COUNT(*), COUNT(*) FILTER ({total} <> CashPeriodIncreaseDecrease), COUNT(o.value),
         COUNT(*) FILTER (c.value - o.value <> CashPeriodIncreaseDecrease)
        FROM ({flows}) f JOIN us_filing g USING (accession)
        LEFT JOIN ({cash}) c ON c.accession = f.accession AND c.period_end = f.period_end
        LEFT JOIN ({cash}) o ON o.accession = f.accession
         AND o.period_end = LAST_DAY(f.period_end - INTERVAL 3 MONTH * f.quarters)
        WHERE f.quarters > 0 AND CashPeriodIncreaseDecrease <> 0 AND f.period_end = g.period_end""",
    )
    assert found[0] > 500
    assert found[2] > 500  # the opening balance is the comparative of the balance sheet
    assert (found[1], found[3]) == (0, 0)


def test_a_quarterly_report_shows_three_months_and_the_year_to_date_and_there_is_none_for_the_fourth(db):
    shown = rows(
        db,
        """SELECT g.form, g.fiscal_period, LIST(DISTINCT CAST(f.quarters AS INT) ORDER BY CAST(f.quarters AS INT))
        FROM us_filing g JOIN us_fact f USING (accession)
        WHERE f.tag = 'NetIncomeLoss' AND g.amends IS NULL GROUP BY ALL ORDER BY 1, 2""",
    )
    assert shown == [
        ("10-K", "FY", [4]),
        ("10-Q", "Q1", [1]),
        ("10-Q", "Q2", [1, 2]),
        ("10-Q", "Q3", [1, 3]),
    ]


def test_every_fact_is_the_truth_and_what_is_corrected_later(world, db):
    """Pointwise from ledger and true statements, without the table's code (world.md, 3.6)."""
    draws = np.random.default_rng(5)
    filings = {e.payload.accession: e for e in world.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT)}
    flows = [name for name in PLACE if PLACE[name] < 31]
    found = rows(
        db,
        "SELECT accession, cik, tag, period_end, CAST(quarters AS INT), value FROM us_fact WHERE unit = 'USD'"
        " ORDER BY id",
    )
    assert len(found) > 50_000
    corrected = 0
    for n in draws.choice(len(found), 1500, replace=False):
        accession, cik, tag, end, quarters, value = found[int(n)]
        event = filings[accession]
        who = next(k for k, issuer in enumerate(world.us.issuers) if issuer.cik == cik)
        months = (end.year - event.valid_from.year) * 12 + end.month - event.valid_from.month
        last = event.payload.period + months // 3
        first = last + 1 - quarters if tag in flows else last
        truth = int(world.us.statements.values[PLACE[tag], who, first : last + 1].sum())
        for correction in world.us.corrections:
            carrier = world.ledger.by_id[correction.carrier]
            if correction.entity == event.entity and carrier.disclosed_at > event.disclosed_at:
                for item, delta in zip(correction.items, correction.delta, strict=True):
                    if item == PLACE[tag]:
                        span = range(max(0, first - correction.first), last + 1 - correction.first)
                        truth += int(sum(delta[k] for k in span if k < delta.size))
                        corrected += 1
        assert truth * 1000 == value
    assert corrected > 50


def test_an_error_is_in_the_reports_until_the_amendment_and_in_none_after_it(world, db):
    amendment = next(e for e in world.ledger.of(EventType.US_AMENDMENT) if e.payload.restates)
    original = amendment.payload.amends
    (cik,) = {i.cik for i in world.us.issuers if i.entity == amendment.entity}
    seen = rows(
        db,
        f"""SELECT accession, accepted_at, value FROM us_fact WHERE cik = {cik} AND tag = 'Assets' AND quarters = 0
         AND period_end = DATE '{amendment.valid_from}' ORDER BY accepted_at""",
    )
    before = {value for accession, at, value in seen if at < amendment.disclosed_at}
    after = {value for accession, at, value in seen if at >= amendment.disclosed_at}
    assert seen[0][0] == original
    assert len(before) == 1
    assert len(after) == 1
    assert before != after


def test_the_dates_of_the_sec(world):
    """Accepted after 17:30, a report is filed on the next business day; both are business days of the exchange."""
    calendar = sessions("XNYS")
    for event in world.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT):
        day = event.disclosed_at.date()
        late = event.disclosed_at.time() > time(17, 30)
        assert day in calendar
        assert event.payload.filed == (calendar.shift(day, 1) if late else day)
        assert event.valid_from < day


def test_filings_of_a_company_come_one_after_another_and_end_with_its_listing(world):
    ends = {e.entity: e.valid_from for e in world.ledger.of(EventType.US_DELIST)}
    by_company: dict[int, list[Event]] = {}
    for event in world.ledger.of(EventType.US_FILING):
        by_company.setdefault(event.entity, []).append(event)
    for entity, filings in by_company.items():
        ordered = sorted(filings, key=lambda e: e.valid_from)
        assert [e.disclosed_at for e in ordered] == sorted(e.disclosed_at for e in ordered)
        assert ordered[-1].disclosed_at.date() < ends.get(entity, date.max)


def test_references_are_the_formula_to_the_tick(world):
    """reference = half-up((previous x old) / new) - cash, in 1/10,000 of a dollar."""
    quotes, first = world.us.quotes, sessions("XNYS").at_or_after
    withdrawn = {e.supersedes for e in world.ledger.of(EventType.US_CANCEL)}
    at = {(int(e), int(s)): n for n, (e, s) in enumerate(zip(quotes.entity, quotes.session, strict=True))}
    expected: dict[int, tuple[int, int, int]] = {}
    for event in world.ledger.of(EventType.US_SPLIT, EventType.US_DIVIDEND):
        row = at.get((event.entity, first(event.valid_from)))
        if row is None or event.event_id in withdrawn:
            continue
        cash, new, old = expected.get(row, (0, 1, 1))
        if event.type is EventType.US_SPLIT:
            expected[row] = (cash, event.payload.new, event.payload.old)
        else:
            expected[row] = (cash + event.payload.cash, new, old)
    assert len(expected) > 100
    for row, (cash, new, old) in expected.items():
        before = int(quotes.previous[row])
        split = (2 * before * old + new) // (2 * new)
        assert quotes.reference[row] == max(split - cash, 1)
    others = np.ones(quotes.entity.size, dtype=bool)
    others[list(expected)] = False
    assert (quotes.reference[others] == quotes.previous[others]).all()


def test_quotes_are_ordered_and_chained(world):
    q = world.us.quotes
    assert (q.low <= np.minimum(q.open, q.close)).all()
    assert (q.high >= np.maximum(q.open, q.close)).all()
    same = (q.entity[1:] == q.entity[:-1]) & (q.session[1:] == q.session[:-1] + 1)
    assert (q.previous[1:][same] == q.close[:-1][same]).all()


def test_a_stock_has_quotes_on_the_sessions_of_its_life_and_no_others(world, db):
    calendar, first = sessions("XNYS"), us_window()[0]
    ends = {e.entity: e.valid_from for e in world.ledger.of(EventType.US_DELIST)}
    counts = dict(rows(db, "SELECT security_id, COUNT(*) FROM us_price_daily GROUP BY 1"))
    stop = calendar.at_or_after(CONFIG.snapshot + timedelta(days=1))
    for issuer in world.us.issuers:
        start = max(first, calendar.at_or_after(issuer.listed))
        end = min(stop, calendar.at_or_after(ends[issuer.entity])) if issuer.entity in ends else stop
        assert counts.get(issuer.security, 0) == max(0, end - start)


def test_the_fund_moves_with_its_members(world):
    """The index of a day is the sum of its members' values at the close over that at their references."""
    us, first = world.us, us_window()[0]
    outs = {e.supersedes: e.valid_from for e in world.ledger.of(EventType.US_INDEX_OUT)}
    index = us.quotes.take(us.quotes.entity == 0x6D0001)
    for at in (50, 700, 1900):
        day = sessions("XNYS").days[first + at]
        members = [
            e.payload.entity
            for e in world.ledger.of(EventType.US_INDEX_IN)
            if e.valid_from <= day < outs.get(e.event_id, date.max)
        ]
        part = us.quotes.take(np.isin(us.quotes.entity, members) & (us.quotes.session == first + at))
        assert part.entity.size == len(members)
        gain = float((part.close * part.shares).sum() / (part.reference * part.shares).sum())
        assert index.close[at] / index.previous[at] == pytest.approx(gain, rel=2e-5)


def test_the_facts_hold():
    """World.md, section 7, at the scale that it names: 1-3, 8-11, 18-22, 26, 28, 36, 37; and section 4."""
    found = us_facts(side(WorldConfig(0.2, 1, date(2026, 4, 30))))
    numbers = " ".join(dict.fromkeys(fact.number for fact in found))
    assert numbers == "1 2 3 8 9 10 11 18 19 20 21 22 - 26 28 36 37"
    assert [fact for fact in found if not fact.met] == []


def test_benchmark_revisions_rewrite_history_and_a_monthly_one_does_not(db):
    """World.md, 2.4: a benchmark vintage rewrites more than a hundred periods."""
    sizes = rows(
        db,
        "SELECT series, released_at, COUNT(*) FROM us_macro_vintage WHERE period_end < released_at"
        " AND released_at >= DATE '2016-05-01' GROUP BY ALL",
    )
    for series in ("INDPRO", "PAYEMS", "RETAIL"):
        found = [n for name, _, n in sizes if name == series]
        assert any(n > 100 for n in found)
        assert np.median(found) <= 4


def test_the_funds_rate_is_never_revised(db):
    assert rows(
        db,
        "SELECT COUNT(*) FROM (SELECT period_end FROM us_macro_vintage WHERE series = 'FEDFUNDS' GROUP BY 1"
        " HAVING COUNT(*) > 1)",
    ) == [(0,)]


def test_two_workers_and_one_give_the_same(world):
    other = side(CONFIG, "loky:2")
    assert other.ledger.events == world.ledger.events
    for name in ("close", "volume", "reference"):
        assert (getattr(other.us.quotes, name) == getattr(world.us.quotes, name)).all()


@pytest.mark.parametrize("kind", [EventType.US_FILING, EventType.US_DIVIDEND, EventType.NEWS])
def test_without_an_event_only_its_company_and_the_index_change_and_only_from_then_on(world, kind):
    def fits(event: Event) -> bool:
        payload = event.payload
        moved = payload.surprise != 0 if kind is EventType.US_FILING else getattr(payload, "causal", True)
        return (
            event.valid_from > date(2018, 1, 1)
            and moved
            and event.entity in {i.entity for i in world.us.issuers}
        )

    event = next(e for e in world.ledger.of(kind) if fits(e))
    ledger = world.ledger.without(event.event_id)
    assert len(world.ledger) - len(ledger) == len(world.ledger.descendants(event.event_id))
    with open_executor("serial") as executor:
        other = us_counterfactual(CONFIG.seed, world.us, ledger, executor)
    before, after = world.us.quotes, other.quotes
    touched = np.any([getattr(before, n) != getattr(after, n) for n in UsQuotes.__match_args__], axis=0)
    assert set(before.entity[touched].tolist()) <= {event.entity, 0x6D0001, 0x6D0002}
    assert event.entity in before.entity[touched]
    at = sessions("XNYS").at_or_after(event.valid_from) if kind is EventType.US_DIVIDEND else reaction(event)
    assert before.session[touched].min() == at


def test_an_index_member_is_announced_before_it_counts(db):
    (found,) = rows(
        db,
        "SELECT COUNT(*), COUNT(*) FILTER (announced_at >= start_date), COUNT(end_date),"
        " COUNT(*) FILTER (end_announced_at >= end_date) FROM us_index_member",
    )
    assert found[0] >= 20
    assert found[2] > 3
    assert (found[1], found[3]) == (0, 0)


def test_the_fiscal_year_is_named_by_the_month_it_ends_in():
    assert fiscal(date(2016, 1, 31), 1) == (2016, 4)
    assert fiscal(date(2016, 4, 30), 1) == (2017, 1)
    assert fiscal(date(2015, 12, 31), 9) == (2016, 1)
    assert fiscal(date(2015, 9, 30), 12) == (2015, 3)


def test_the_snapshot_decides_what_is_there(world, tables):
    assert max(tables["us_filing"]["accepted_at"].to_pylist()) <= CONFIG.moment
    later = sum(e.recorded_at > CONFIG.moment for e in world.ledger.of(EventType.US_FILING))
    assert later > 20
    assert tables["us_filing"].num_rows + later == sum(
        1 for _ in world.ledger.of(EventType.US_FILING, EventType.US_AMENDMENT)
    ) - sum(e.recorded_at > CONFIG.moment for e in world.ledger.of(EventType.US_AMENDMENT))
