"""It must be a world, not noise: prices stay with the books, indices are of many shares, documents say what is true."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from finassay.world._blocks._indices import LARGEST, capped
from finassay.world._blocks._names_cn import pinyin
from finassay.world._blocks._prices import ExRight, fix_cash
from finassay.world._blocks._worth import PULL, pull


def rows(database, sql):
    return [tuple(row.values()) for row in database.query(sql).table.to_pylist()]


def test_price_to_book_is_spread_alike_in_every_year(database):
    """Returns alone would take the ratio from .3 to 75 in the first year to -21,000 to 11,000 in the last."""
    found = rows(
        database,
        """SELECT year(TRADINGDAY), quantile_cont(PB, 0.01), median(PB), quantile_cont(PB, 0.99), max(PB), max(TOTALMV)
        FROM lc_dindicesforvaluation WHERE TRADINGDAY >= DATE '2016-08-01' GROUP BY 1 ORDER BY 1""",
    )
    low, middle, high, most, value = (
        np.array(column, dtype=float) for column in list(zip(*found, strict=True))[1:]
    )
    assert np.all((low > 0.2) & (high < 30.0)), found
    assert middle.min() > 1.0, found
    assert middle.max() < min(3.5, 2.2 * middle.min()), found
    assert most.max() < 100.0
    assert value.max() < 3e12


def test_a_year_pays_no_more_than_it_can_afford_whatever_the_yield():
    """8,000 fen for 100 shares: 80 a share. Half-year: 5% of 1,000 fen, 50 a share. Left of the year: 30 a share,
    on twice as many shares 15, 150 per 10."""
    half = replace(ExRight(0, planned=1, ex=2, bonus=0, yield_=0.05, most=8000), year=2020)
    spent = {}
    assert fix_cash(half, 1000, 100, spent) == 500
    assert spent == {(0, 2020): 5000}
    year = replace(half, planned=5, ex=6, yield_=0.08)
    assert fix_cash(replace(year, ex=-1), 1000, 200, spent) == 150  # rejected: takes nothing
    assert fix_cash(year, 1000, 200, spent) == 150
    assert spent == {(0, 2020): 8000}
    assert fix_cash(replace(year, year=2021), 1000, 200, spent) == 400  # 8% of 1,000 fen are 800


def test_dividends_come_out_of_profits_and_yields_are_credible(database):
    """The plan knows the profit as it is foreseen: as it is reported it is another, most of all after a bad end."""
    found = rows(
        database,
        """WITH paid AS (
            SELECT d.INNERCODE, year(d.ENDDATE) AS y, SUM(d.ACTUALCASHDIVIRMB / 10 * v.TOTALMV / q.CLOSEPRICE) AS cash
            FROM lc_dividend d JOIN lc_dindicesforvaluation v
              ON v.INNERCODE = d.INNERCODE AND v.TRADINGDAY = d.ADVANCEDATE
            JOIN qt_dailyquote q ON q.INNERCODE = d.INNERCODE AND q.TRADINGDAY = d.ADVANCEDATE
            GROUP BY 1, 2 HAVING SUM(d.ACTUALCASHDIVIRMB) > 0),
        made AS (
            SELECT s.INNERCODE, year(m.ENDDATE) AS y, MAX(m.NPFROMPARENTCOMPANYOWNERS) AS profit
            FROM lc_maindatanew m JOIN secumain s ON s.COMPANYCODE = m.COMPANYCODE
            WHERE month(m.ENDDATE) = 12 GROUP BY 1, 2)
        SELECT cash / profit FROM paid JOIN made USING (INNERCODE, y) WHERE profit > 0""",
    )
    payout = np.array([float(part) for (part,) in found])
    assert payout.size > 100
    assert np.median(payout) < 0.6
    assert np.quantile(payout, 0.99) < 2.0
    (most,) = rows(database, "SELECT MAX(DIVIDENDRATIO), MIN(DIVIDENDRATIO) FROM lc_dindicesforvaluation")
    assert 0.05 < most[0] < 0.16
    assert most[1] >= 0


def test_a_yield_states_what_was_paid_before_a_bonus_on_the_shares_after_it(database):
    """The sum over the last 243 sessions, each cash over the bonus shares that have come since."""
    days = [day for (day,) in rows(database, "SELECT DISTINCT TRADINGDAY FROM qt_dailyquote ORDER BY 1")]
    place = {day: n for n, day in enumerate(days)}
    paid = {}
    for inner, ex, cash, bonus in rows(
        database,
        "SELECT INNERCODE, EXDIVIDATE, CASHDIVIRMB, BONUSSHARERATIO FROM lc_dividend WHERE EVENTPROCEDURE = 3"
        " AND EXDIVIDATE IS NOT NULL",
    ):
        if ex in place:
            paid.setdefault(inner, []).append((place[ex], float(cash) / 10, 1 + float(bonus) / 10))
    seen = 0
    for inner, held in paid.items():
        if all(growth == 1 for _, _, growth in held):
            continue
        for day, close, stated in rows(
            database,
            "SELECT v.TRADINGDAY, q.CLOSEPRICE, v.DIVIDENDRATIO FROM lc_dindicesforvaluation v JOIN qt_dailyquote q"
            f" USING (INNERCODE, TRADINGDAY) WHERE v.INNERCODE = {int(inner)}",
        ):
            at, total = place[day], 0.0
            for ex, cash, _ in held:
                if at - 243 < ex <= at:
                    total += cash / np.prod([grown for later, _, grown in held if ex <= later <= at])
            assert float(stated) == pytest.approx(total / float(close), abs=5e-5), (inner, day)
            seen += 1
    assert seen > 500


def test_the_pull_is_slow_bounded_and_towards_the_worth():
    distance = np.array([-3.0, -0.5, 0.0, 0.5, 3.0])
    drawn = pull(100.0 * np.exp(distance), np.full(5, 100.0))
    assert drawn == pytest.approx(2 * PULL * np.sinh(distance / 2))
    assert abs(pull(np.array([1e9]), np.array([1.0]))[0]) == 0.01


def test_shares_below_one_yuan_do_not_stay_listed(world):
    """Twenty sessions below it end a listing; here prices stop at it."""
    low = world.quotes.close < 100
    entities = world.quotes.entity[low]
    assert all(np.sum(entities == entity) < 20 for entity in np.unique(entities))


def test_equity_never_runs_out(world):
    from finassay.world._blocks._economy import GENERAL
    from finassay.world._blocks._statement_items import OWNERS, STOCK

    books = world.statements
    equity = books.stocks[:, :, [STOCK[name] for name in OWNERS]].sum(axis=2)
    assert np.all(equity[books.template == GENERAL] > 0)


def test_no_member_is_more_than_a_tenth_of_an_index_when_members_change():
    for values in (
        [1000.0, 500.0, 300.0, *[5.0] * 40],
        [7.0] * 25,
        [900.0, *[1.0] * 19],
        np.arange(1.0, 60.0),
    ):
        weight = np.asarray(values) * capped(np.asarray(values))
        assert weight.max() / weight.sum() <= LARGEST + 1e-9
        assert np.all(np.diff(weight[np.argsort(values)]) >= -1e-9)  # the order by size is kept
    few = np.array([8.0, 1.0, 1.0, 0.0])
    assert (few * capped(few)).max() / np.sum(few * capped(few)) <= 0.5 + 1e-9


def test_indices_have_no_giant_and_no_wild_years(database):
    # At the end of a month: by how much its price has outrun the others since members changed
    heaviest = rows(
        database,
        """SELECT max(WEIGHT) / greatest(10, 150.0 / count(*)) FROM lc_indexcomponentsweight
        GROUP BY INDEXCODE, ENDDATE""",
    )
    assert max(times for (times,) in heaviest) < 2.5
    levels = rows(
        database,
        """SELECT INNERCODE, year(TRADINGDAY), arg_max(CLOSEPRICE, TRADINGDAY) / arg_min(PREVCLOSEPRICE, TRADINGDAY)
        FROM qt_indexquote GROUP BY 1, 2""",
    )
    assert {index for index, _, _ in levels} == {3001, 3002, 3003}
    # Three deviations of the mean of eight shares, at the upper limits of facts 17 and 21
    most = 3 * 0.48 * np.sqrt(0.42 + 0.58 / 8)
    assert all(abs(np.log(change)) < most for _, _, change in levels), levels


def test_names_are_unique_and_say_the_same_in_both_languages(world):
    issuers = world.issuers
    for name in ("name", "abbreviation", "english"):
        assert len({getattr(issuer, name) for issuer in issuers}) == len(issuers)
    for issuer in issuers:
        assert issuer.english.startswith(f"{pinyin(issuer.name[:2])} ")
    neeq = {member.share.english for member in world.neeq.members if member.later is None}
    assert not neeq & {issuer.english for issuer in issuers}


def test_codes_count_up_with_the_listings(world):
    boards: dict[tuple[int, int], list] = {}
    for issuer in sorted(world.issuers, key=lambda issuer: issuer.code):
        boards.setdefault((issuer.board, issuer.market), []).append(issuer.listed)
    assert all(days == sorted(days) for days in boards.values())


def test_fund_names_are_unique(database):
    found = rows(
        database,
        """SELECT s.SECUABBR, count(*) FROM secumain s JOIN mf_fundarchives f ON f.INNERCODE = s.INNERCODE
        GROUP BY 1 HAVING count(*) > 1""",
    )
    assert found == []


def test_a_revision_is_told_of_where_the_vintages_show_one(database):
    """On the day of a release earlier periods have a new vintage, or the document does not say so."""
    found = rows(
        database,
        """WITH d AS (SELECT CAST(published_at AS DATE) AS day, title_en, text_en FROM documents
            WHERE genre = 'data' AND market = 'US' AND (text_en LIKE '%earlier periods were revised%'
              OR text_en LIKE '%Earlier figures were revised%')),
        v AS (SELECT series, CAST(released_at AS DATE) AS day FROM us_macro_vintage
            GROUP BY 1, 2 HAVING count(DISTINCT period_end) > 1)
        SELECT d.title_en FROM d WHERE NOT EXISTS (SELECT 1 FROM v WHERE v.day = d.day)""",
    )
    assert found == []


def test_the_policy_rate_is_no_estimate_of_a_statistical_office(database):
    texts = rows(
        database,
        "SELECT text_en FROM documents WHERE genre = 'data' AND title_en LIKE '%federal funds rate%'",
    )
    assert texts
    assert not [t for (t,) in texts if "estimate" in t or "statistical office" in t or "expected" in t]


def test_news_is_written_when_people_are_awake(database):
    found = rows(
        database,
        """SELECT count(*) FILTER (hour(published_at) < 7), count(*) FROM documents
        WHERE genre = 'news' AND market = 'CN'""",
    )
    assert found[0][0] == 0 < found[0][1]


def test_a_halt_before_a_delisting_is_not_applied_for(database):
    found = rows(
        database,
        "SELECT text_zh FROM documents WHERE text_zh LIKE '%终止上市%' AND text_zh LIKE '%停牌%' AND genre = 'notice'",
    )
    assert found
    assert not [text for (text,) in found if "经申请" in text or "复牌时间" in text]


def test_dividends_are_for_years_and_half_years(database):
    months = {month for (month,) in rows(database, "SELECT DISTINCT month(ENDDATE) FROM lc_dividend")}
    assert months <= {6, 12}


def test_receivables_are_owed_to_the_company(database):
    found = rows(database, "SELECT min(value) FROM us_fact WHERE tag = 'AccountsReceivableNetCurrent'")
    assert found[0][0] > 0


def test_a_rating_that_says_how_long_it_holds_does_so_when_it_is_published(database):
    found = rows(
        database,
        """SELECT count(*), min(date_diff('day', INFOPUBLDATE, RATINGEFFECTIVEENDDATE)) FROM bond_comcreditgrading
        WHERE RATINGEFFECTIVEENDDATE IS NOT NULL""",
    )
    assert found[0][0] > 0
    assert found[0][1] > timedelta(days=300).days
