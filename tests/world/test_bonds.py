"""Debtors, bonds, ratings, defaults and convertibles, as they happen and as the vendor keeps them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from scipy.optimize import brentq

from finassay.temporal import Cutoff
from finassay.world import EventType, counterfactual, materialise
from finassay.world._blocks._bonds import fixed_income
from finassay.world._blocks._bonds_pricing import bullet, instalments
from finassay.world._blocks._bonds_universe import FIRST_DEBTOR
from finassay.world._blocks._convertibles import FIRST_CONVERTIBLE, FIRST_OWNER
from finassay.world._blocks._market import factors
from finassay.world._facts_bonds import bond_facts
from finassay.world._tables._bonds import BOND_TABLES
from finassay.world.oracle import Oracle
from support.worlds import CONFIG


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def without(world, event, serial):
    """The daily values of the world in which an event, no cause of a share's price, and its descendants never were."""
    ledger = world.ledger.without(event.event_id)
    return fixed_income(world.config, factors(world.config.seed), world.quotes, ledger.events, serial)


def present_value(y, coupon, years, first):
    """100 yuan of a yearly coupon, the next payment after `first` years: the sum of its payments, one by one."""
    return sum(coupon / (1 + y) ** (first + n) for n in range(years)) + 100 / (1 + y) ** (first + years - 1)


@pytest.mark.parametrize(
    ("y", "coupon", "years", "first"), [(0.031, 4.0, 5, 0.4), (0.08, 3.2, 30, 1.0), (0.0001, 2, 2, 0.1)]
)
def test_a_price_is_the_sum_of_the_discounted_payments(y, coupon, years, first):
    days = np.array([(years - 1 + first) * 365.25])
    price = bullet(np.array([100 * y]), np.array([coupon]), days, np.array([years * 365.25]))
    assert price.dirty[0] == pytest.approx(present_value(y, coupon, years, first), rel=1e-9)
    assert price.accrued[0] == pytest.approx(coupon * (1 - first))
    up, down = present_value(y + 1e-6, coupon, years, first), present_value(y - 1e-6, coupon, years, first)
    assert price.duration[0] == pytest.approx(-(up - down) / 2e-6 / price.dirty[0], rel=1e-5)


def test_the_last_period_takes_simple_interest():
    """100 and a coupon of 5 in half a year at 4%: 105 / 1.02."""
    price = bullet(np.array([4.0]), np.array([5.0]), np.array([365.25 / 2]), np.array([365.25 * 3]))
    assert price.dirty[0] == pytest.approx(105 / 1.02)


def test_instalments_are_five_bonds_of_a_fifth():
    """Two years before the end three fifths are left: due in 0 (paid on the day itself), 1 and 2 years."""
    price = instalments(np.array([4.0]), np.array([4.0]), np.array([2 * 365.25]), np.array([7 * 365.25]))
    assert price.principal[0] == pytest.approx(40)
    assert price.dirty[0] == pytest.approx(40, rel=1e-6)  # at the coupon, bonds are worth what they repay


def solve(price, coupon, years, first):
    return brentq(lambda y: present_value(y, coupon, years, first) - price, -0.005, 2.0)


def test_valuations_give_their_yield_back(database):
    """Solve the price of the table for its yield: plain yearly bonds of more than a year."""
    found = rows(
        database,
        "SELECT v.VPYIELD, v.VALUEFULLPRICE, b.COUPONRATE, b.ENDDATE, v.ENDDATE AS day FROM bond_cbvaluationall v"
        " JOIN bond_basicinfo b ON b.INNERCODE = v.INNERCODE WHERE v.YIELDCODE = 2 AND b.MATURITY >= 3"
        " AND b.BONDNATURE IN (103, 303) AND EXTRACT(DAY FROM v.ENDDATE) = 11"
        " AND v.ENDDATE < b.ENDDATE - INTERVAL 400 DAY",
    )
    assert len(found) > 100
    for quoted, price, coupon, end, day in found[::7]:
        left = (end - day).days / 365.25
        count = int(np.ceil(left - 0.004))
        first = min(left - count + 1, 1.0)
        solved = solve(float(price), float(coupon), count, first)
        assert 100 * solved == pytest.approx(float(quoted), abs=2e-3)


def test_clean_and_accrued_make_the_dirty_price(database):
    bad = rows(
        database,
        "SELECT COUNT(*) AS n FROM bond_cbvaluationall"
        " WHERE ABS(VALUECLEANPRICE + ACCRUINTEREST - VALUEFULLPRICE) > 1e-6",
    )
    assert bad == [(0,)]


def test_one_valuation_of_a_day_is_recommended_at_most(database):
    found = rows(
        database,
        "SELECT n, good, COUNT(*) AS days FROM (SELECT COUNT(*) AS n,"
        " SUM(CASE WHEN CREDIBILITYCODE = 1 THEN 1 ELSE 0 END) AS good"
        " FROM bond_cbvaluationall GROUP BY INNERCODE, ENDDATE) GROUP BY 1, 2",
    )
    counts = {(int(n), int(good)): days for n, good, days in found}
    assert set(counts) <= {(1, 0), (1, 1), (2, 0), (2, 1)}
    both = (counts[2, 1] + counts.get((2, 0), 0)) / sum(counts.values())
    assert 0.10 < both < 0.35  # of world.md's quarter, while their option is open
    none = (counts.get((1, 0), 0) + counts.get((2, 0), 0)) / sum(counts.values())
    assert 0 < none < 0.05


def test_valuations_end_before_the_bond_does(database):
    after = rows(
        database,
        "SELECT COUNT(*) AS n FROM bond_cbvaluationall v JOIN bond_code c ON c.INNERCODE = v.INNERCODE"
        " WHERE v.ENDDATE >= c.DELISTDATE OR v.ENDDATE < c.LISTEDDATE",
    )
    assert after == [(0,)]


def test_deals_are_at_clean_prices_between_low_and_high(database):
    bad = rows(
        database,
        "SELECT COUNT(*) AS n FROM bond_basicquote WHERE IFTRADING = 1 AND (HIGHNETPRICE < CLOSENETPRICE"
        " OR LOWNETPRICE > CLOSENETPRICE OR HIGHNETPRICE < OPENNETPRICE OR LOWNETPRICE > OPENNETPRICE"
        " OR ABS(CLOSENETPRICE + ACCRUINTEREST - CLOSEDIRTYPRICE) > 2e-4 OR TURNOVERVOLUME <= 0)",
    )
    quiet = rows(
        database, "SELECT SUM(TURNOVERVOLUME) AS v, COUNT(*) AS n FROM bond_basicquote WHERE IFTRADING = 2"
    )
    assert bad == [(0,)]
    assert quiet[0][0] == 0
    assert quiet[0][1] > 0


def test_amounts_roll_forward(database):
    """Each change is the difference of its total to the total before it; the first is the size issued."""
    found = rows(
        database,
        "SELECT s.MAINCODE, s.TOTALSIZE, s.CURRENTSIZECHANGE, s.ALTERATIONTYPE, b.ACTUALISSUESIZE FROM bond_size s"
        " JOIN bond_basicinfo b ON b.INNERCODE = s.MAINCODE ORDER BY s.MAINCODE, s.ENDDATE, s.ID",
    )
    last: dict[int, Decimal] = {}
    for main, total, change, reason, issued in found:
        if main not in last:
            assert (int(reason), total) == (10, issued)
        assert last.get(main, Decimal(0)) + change == total
        assert total >= 0
        last[main] = total
    assert len(last) > 50


def test_an_amount_is_announced_before_or_after_it_changes(database):
    """So that neither its day nor its announcement alone says what is outstanding."""
    found = rows(
        database,
        "SELECT SUM(CASE WHEN INFOPUBLDATE < ENDDATE THEN 1 ELSE 0 END), SUM(CASE WHEN INFOPUBLDATE > ENDDATE THEN 1"
        " ELSE 0 END) FROM bond_size WHERE ALTERATIONTYPE IN (40, 60)",
    )
    assert all(int(count) > 3 for count in found[0])


def test_ratings_are_published_on_their_day_or_up_to_five_days_later(database):
    found = rows(
        database,
        "SELECT DISTINCT CAST(INFOPUBLDATE AS DATE) - CAST(CRDATE AS DATE) FROM bond_comcreditgrading",
    )
    assert {int(days) for (days,) in found} == {0, 1, 2, 3, 4, 5}


def test_a_rating_names_the_one_before_it(database):
    bad = rows(
        database,
        "SELECT COUNT(*) AS n FROM bond_comcreditgrading a JOIN bond_comcreditgrading b"
        " ON b.COMPANYCODE = a.COMPANYCODE AND b.CRASCODE = a.CRASCODE"
        " AND b.CRDATE = a.LASTCRDATE WHERE b.CRCODE <> a.LASTCRCODE",
    )
    changed = rows(database, "SELECT COUNT(*) AS n FROM bond_comcreditgrading WHERE CRCHANGE <> '维持'")
    assert bad == [(0,)]
    assert changed[0][0] > 3


def test_a_downgrade_comes_of_a_shock(world):
    """Every fall of a grade has a latent shock, or another agency's rating, among its causes or its predecessor's."""
    kinds = {EventType.CREDIT_SHOCK, EventType.DEBTOR_RATING}
    falls = 0
    for event in world.ledger.of(EventType.DEBTOR_RATING):
        if event.supersedes is not None:
            before = world.ledger.by_id[event.supersedes]
            if event.payload.grade < before.payload.grade:
                falls += 1
                assert any(world.ledger.by_id[cause].type in kinds for cause in event.cause_ids)
    assert falls > 5


def test_shocks_reach_no_table(world):
    shocks = {event.event_id for event in world.ledger.of(EventType.CREDIT_SHOCK)}
    assert shocks
    for table in materialise(world, [name for name in BOND_TABLES if "curve" not in name]).values():
        assert not shocks & set(table["ID"].to_pylist())


def test_a_shock_widens_the_spread_before_its_rating(world, serial):
    """Without the shock the yields of its debtor are lower from its day on, and no other debtor's yield moves."""
    shock = next(
        e
        for e in world.ledger.of(EventType.CREDIT_SHOCK)
        if e.entity < FIRST_OWNER
        and e.payload.notches < 0
        and date(2016, 9, 1) < e.valid_from < date(2023, 1, 1)
        and _bonds_alive(world, e)
    )
    a, b = world.fixed_income.bonds, without(world, shock, serial).bonds
    kept = np.isin(a.entity, np.unique(b.entity))
    a_yield, entity, session = a.to_maturity[kept], a.entity[kept], a.session[kept]
    both = dict(
        zip(zip(b.entity.tolist(), b.session.tolist(), strict=True), b.to_maturity.tolist(), strict=True)
    )
    moved = [
        (e, s, y - both[e, s])
        for e, s, y in zip(entity.tolist(), session.tolist(), a_yield.tolist(), strict=True)
        if (e, s) in both and both[e, s] != y
    ]
    assert moved
    assert {FIRST_DEBTOR + (e - 0xB00000) // 256 for e, _, _ in moved} == {shock.entity}
    from finassay.world._calendar import sessions

    assert min(s for _, s, _ in moved) >= sessions().at_or_after(shock.valid_from)
    assert np.mean([change for _, _, change in moved]) > 0


def _bonds_alive(world, shock):
    from finassay.world._calendar import sessions

    bonds, at = world.fixed_income.bonds, sessions().at_or_after(shock.valid_from)
    owner = FIRST_DEBTOR + (bonds.entity.astype(np.int64) - 0xB00000) // 256
    return bool(np.any((owner == shock.entity) & (bonds.session == at + 5)))


def test_defaults_are_noticed_on_their_day_or_later_and_some_revoked(world):
    """From several seeds' debtors alone: a small world has few."""
    found = defaults_of_many_debtors()
    lags = [(e.disclosed_at.date() - e.valid_from).days for e in found if e.type is EventType.BOND_DEFAULT]
    ends = [e for e in found if e.type is EventType.BOND_REVOKE]
    assert len(lags) > 10
    assert all(0 <= lag <= 32 for lag in lags)  # to 20 days, then the next session
    assert 0.1 < len(ends) / len(lags) < 0.7
    assert all(e.disclosed_at.date() < e.valid_from for e in ends)  # W2


def defaults_of_many_debtors():
    from finassay.world import WorldConfig
    from finassay.world._blocks._bonds import _slim
    from finassay.world._blocks._bonds_life import owner_events
    from finassay.world._blocks._bonds_universe import owners
    from finassay.world._blocks._curves import curves

    config = WorldConfig(0.3, 11, CONFIG.snapshot)
    curve = _slim(curves(11, factors(11), []))
    risky = [owner for owner in owners(config, (), frozenset()) if owner.kind in ("city", "industry")]
    return [event for owner in risky for event in owner_events(11, curve, (owner, None, False))]


def test_the_end_of_a_bond_is_filled_in_by_its_call(world):
    """DELISTDATE is the contract's until the call is recorded; ENDDATE always is."""
    call = next(e for e in world.ledger.of(EventType.CONVERT_CALL) if e.recorded_at < CONFIG.moment)
    for moment, early in ((call.recorded_at - timedelta(days=1), False), (call.recorded_at, True)):
        config = replace(CONFIG, snapshot=moment.date())
        tables = materialise(replace(world, config=config), ["bond_code", "bond_basicinfo"])
        issue = world.ledger.by_id[(int(EventType.BOND_ISSUE) << 56) | (call.entity << 32)]
        main = issue.payload.main
        code = next(row for row in tables["bond_code"].to_pylist() if row["MAINCODE"] == main)
        info = next(row for row in tables["bond_basicinfo"].to_pylist() if row["MAINCODE"] == main)
        assert (code["DELISTDATE"].date() == call.valid_from) is early
        assert info["ENDDATE"].date() == issue.payload.maturity


def test_the_result_of_an_issue_comes_into_its_row(world):
    placed = next(
        e
        for e in world.ledger.of(EventType.BOND_PLACED)
        if e.recorded_at.date() > e.disclosed_at.date() > date(2017, 1, 1)
    )
    for moment, known in ((placed.recorded_at - timedelta(days=1), False), (placed.recorded_at, True)):
        config = replace(CONFIG, snapshot=moment.date())
        table = materialise(replace(world, config=config), ["bond_issuenew"])["bond_issuenew"]
        row = next(row for row in table.to_pylist() if row["ID"] == placed.supersedes)
        assert (row["ACTUALISSUESIZE"] is not None) is known
        assert row["PLANISSUESIZE"] is not None


def test_an_announced_conversion_price_is_not_yet_valid(database):
    found = rows(
        database,
        "SELECT SUM(CASE WHEN INFOPUBLDATE < VALIDDATE THEN 1 ELSE 0 END) AS ahead, COUNT(*) AS n"
        " FROM bond_conbdconvertprice WHERE CHANGEREASON <> '初始转股价'",
    )
    assert found[0][0] == found[0][1] > 10


def test_dividends_adjust_the_conversion_price_by_the_formula(world):
    """(price - cash) / (1 + bonus), to a fen, half up."""
    checked = 0
    last: dict[int, int] = {}
    for event in sorted(world.ledger.of(EventType.CONVERT_PRICE), key=lambda e: (e.entity, e.seq)):
        if event.payload.reason == "权益分派":
            paid = next(
                world.ledger.by_id[c]
                for c in event.cause_ids
                if world.ledger.by_id[c].type is EventType.DIVIDEND_IMPLEMENTED
            )
            plan = world.ledger.by_id[world.ledger.by_id[paid.supersedes].supersedes].payload
            exact = (Decimal(last[event.entity]) - Decimal(plan.cash) / 10) / (1 + Decimal(plan.bonus) / 10)
            assert event.payload.price == int(exact.quantize(Decimal(1), ROUND_HALF_UP))
            assert event.valid_from == paid.valid_from
            checked += 1
        last[event.entity] = event.payload.price
    assert checked > 5


def test_a_reset_follows_fifteen_of_thirty_sessions_below_85_percent(world):
    """Counted on the quotes themselves, on the day some weeks before, on which the board proposed it."""
    from finassay.world._calendar import sessions

    quotes, checked = world.fixed_income.convertibles, 0
    for event in world.ledger.of(EventType.CONVERT_PRICE):
        rows_ = np.flatnonzero(quotes.entity == event.entity)
        if event.payload.reason != "向下修正" or rows_.size < 60:
            continue
        vote = int(np.searchsorted(quotes.session[rows_], sessions().at_or_after(event.disclosed_at.date())))
        below = quotes.stock[rows_] * 100 < 85 * quotes.price[rows_]
        counts = [int(below[max(0, n - 29) : n + 1].sum()) for n in range(max(0, vote - 26), vote)]
        assert max(counts) >= 15
        checked += 1
    assert checked > 3


def test_a_call_follows_fifteen_of_thirty_sessions_above_130_percent(world):
    from finassay.world._calendar import sessions

    quotes, checked = world.fixed_income.convertibles, 0
    for call in world.ledger.of(EventType.CONVERT_CALL):
        rows_ = np.flatnonzero(quotes.entity == call.entity)
        day = int(np.searchsorted(quotes.session[rows_], sessions().at_or_after(call.disclosed_at.date())))
        above = quotes.stock[rows_] * 100 >= 130 * quotes.price[rows_]
        assert above[max(0, day - 29) : day + 1].sum() >= 15
        checked += 1
    assert checked > 3


def test_the_premium_is_that_of_the_prices(database):
    """Conversion value 100 x stock / price; premium from the close and that value, as published."""
    bad = rows(
        database,
        "SELECT COUNT(*) AS n FROM bond_conbdexchangequote WHERE"
        " ABS(CBCONVERTVALUE - 100 * STOCKPRICE / NEWCONVETPRICE) > 1e-4 OR"
        " ABS(CONVERTPREMIUMRATE - (CLOSEPRICE / CBCONVERTVALUE - 1) * 100) > 1e-3 OR HIGHPRICE < CLOSEPRICE"
        " OR LOWPRICE > CLOSEPRICE OR LOWPRICE > OPENPRICE OR HIGHPRICE < OPENPRICE",
    )
    linked = rows(
        database,
        "SELECT COUNT(*) AS n, SUM(CASE WHEN s.CLOSEPRICE = q.STOCKPRICE THEN 1 ELSE 0 END) AS same"
        " FROM bond_conbdexchangequote q JOIN bond_conbdbasicinfo b ON b.INNERCODE = q.INNERCODE JOIN"
        " (SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM qt_dailyquote UNION ALL"
        " SELECT INNERCODE, TRADINGDAY, CLOSEPRICE FROM lc_stibdailyquote) s"
        " ON s.INNERCODE = b.STOCKINNERCODE AND s.TRADINGDAY = q.TRADINGDAY",
    )
    total = rows(database, "SELECT COUNT(*) AS n FROM bond_conbdexchangequote")
    assert bad == [(0,)]
    assert linked[0][0] == linked[0][1] == total[0][0] > 2000


def test_without_a_dividend_the_conversion_price_is_not_adjusted(world, serial):
    """The adjustment is a descendant of the dividend; quotes of no other convertible change."""
    event = next(
        world.ledger.by_id[c]
        for e in world.ledger.of(EventType.CONVERT_PRICE)
        for c in e.cause_ids
        if world.ledger.by_id[c].type is EventType.DIVIDEND_IMPLEMENTED
    )
    gone = world.ledger.descendants(event.event_id)
    assert any(world.ledger.by_id[number].type is EventType.CONVERT_PRICE for number in gone)
    other = counterfactual(world, event.event_id, serial)
    a, b = world.fixed_income.convertibles, other.fixed_income.convertibles
    mine = FIRST_CONVERTIBLE + event.entity
    for name in ("session", "close", "price", "volume"):
        assert np.array_equal(getattr(a, name)[a.entity != mine], getattr(b, name)[b.entity != mine])
    assert not np.array_equal(a.price[a.entity == mine], b.price[b.entity == mine])


def test_a_rebuild_from_the_events_alone_gives_the_same_values(world, rebuilt):
    for part in ("bonds", "convertibles", "curves"):
        a, b = getattr(world.fixed_income, part), getattr(rebuilt.fixed_income, part)
        for name in a.__dataclass_fields__:
            assert np.array_equal(getattr(a, name), getattr(b, name))


def test_the_modes_differ_on_a_call_that_was_recorded_late(world):
    call = next(world.ledger.of(EventType.CONVERT_CALL))
    late = replace(call, recorded_at=call.recorded_at + timedelta(days=4))
    events = [late if other is call else other for other in world.ledger.events]
    inner = next(e for e in events if e.type is EventType.BOND_ISSUE and e.entity == call.entity).payload.main
    told = call.disclosed_at.date()
    truth, vendor = (Oracle(events, CONFIG.moment, mode) for mode in ("world", "recoverable"))
    assert [truth.called(inner, Cutoff(told + timedelta(days=n))) for n in (-1, 0, 6)] == [False, True, True]
    assert [vendor.called(inner, Cutoff(told + timedelta(days=n))) for n in (-1, 0, 6)] == [
        False,
        False,
        True,
    ]


def test_facts_that_hang_on_no_sample_are_met(world):
    found = [fact for fact in bond_facts(world) if fact.number == "36"]
    assert len(found) == 2
    assert all(fact.met for fact in found)
