"""Partners, related parties, owners, plans of holders and mergers hang together with the companies they concern."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from finassay.world import EventType
from finassay.world._blocks._deals_plans import BUY, DONE, KEEP, SELL, TOLD, intentions
from finassay.world._blocks._periods import period_end, quarter_of
from finassay.world._blocks._versions import Versions
from finassay.world._calendar import sessions
from finassay.world._facts_deals import deal_facts


def rows(database, sql, *params):
    return [tuple(row.values()) for row in database.query(sql, params=params).table.to_pylist()]


def number_of(database, sql):
    ((found,),) = rows(database, sql)
    return int(found)


# --- Suppliers and customers


def test_customers_are_shares_of_the_years_revenue_as_the_same_filing_shows_it(database):
    """RATIO is a percentage with six places, so value and ratio say the same revenue within 5e-9 of it."""
    joined = (
        " FROM lc_suppcustdetail d JOIN lc_maindatanew m ON m.COMPANYCODE = d.COMPANYCODE AND m.ENDDATE = d.ENDDATE"
        " AND m.INFOPUBLDATE = d.INFOPUBLDATE AND m.MARK = 1 WHERE d.RELATIONTYPE = 2"
    )
    assert number_of(database, f"SELECT COUNT(*){joined}") > 2000
    wrong = f"{joined} AND ABS(d.TRADINGVALUE - d.RATIO / 100 * m.OPERATINGREENUE) > 1e-8 * m.OPERATINGREENUE"
    assert number_of(database, f"SELECT COUNT(*){wrong}") == 0


def test_suppliers_are_shares_of_the_years_cost(database):
    """Of a year end, the cost of twelve months is the year's cost."""
    joined = (
        " FROM lc_suppcustdetail d JOIN lc_derivativedata m ON m.COMPANYCODE = d.COMPANYCODE AND m.ENDDATE = d.ENDDATE"
        " AND m.INFOPUBLDATE = d.INFOPUBLDATE WHERE d.RELATIONTYPE = 1"
    )
    assert number_of(database, f"SELECT COUNT(*){joined}") > 2000
    cost = "m.OPERATINGCOSTTTM"
    wrong = f"{joined} AND ABS(d.TRADINGVALUE - d.RATIO / 100 * {cost}) > 1e-8 * {cost} + 0.01"
    assert number_of(database, f"SELECT COUNT(*){wrong}") == 0


def test_five_of_each_in_falling_order_between_a_tenth_and_three_quarters_together(database):
    """The shares are drawn as .9 to 1.1 times .12 to .67, so they lie between 10.8 and 73.7%."""
    lists = rows(
        database,
        "SELECT COUNT(*) AS n, MIN(SERIALNUMBER) AS first, MAX(SERIALNUMBER) AS last, SUM(RATIO) AS whole,"
        " COUNT(DISTINCT RELATEDPARTYNAME) AS names FROM lc_suppcustdetail GROUP BY COMPANYCODE, ENDDATE, RELATIONTYPE",
    )
    assert len(lists) > 1000
    assert {(n, int(first), int(last)) for n, first, last, *_ in lists} == {(5, 1, 5)}
    assert all(10.8 <= float(whole) <= 73.7 for *_, whole, _ in lists)
    assert {names for *_, names in lists} == {5}


def test_those_behind_a_row_add_up_to_it(database):
    found = rows(
        database,
        "SELECT d.TRADINGVALUE, d.RATIO, SUM(a.TRADINGVALUE) AS parts, SUM(a.RATIO) AS shares, COUNT(*) AS n"
        " FROM lc_suppcustattach a LEFT JOIN lc_suppcustdetail d ON d.ID = a.RID"
        " GROUP BY a.RID, d.TRADINGVALUE, d.RATIO",
    )
    assert {n for *_, n in found} == {2, 3}
    for value, ratio, parts, shares, _ in found:
        assert abs(float(value) - float(parts)) < 0.001
        assert abs(float(ratio) - float(shares)) < 3e-6


def test_a_corrected_report_overwrites_the_list_and_keeps_its_time_of_insertion(world, database):
    """The row is dated by the correction; so a reader at the report's own day has lost it."""
    corrected = rows(
        database,
        "SELECT d.COMPANYCODE, d.ENDDATE, d.INFOPUBLDATE, d.INSERTTIME FROM lc_suppcustdetail d"
        " JOIN lc_balancesheetall b ON b.COMPANYCODE = d.COMPANYCODE AND b.ENDDATE = d.ENDDATE AND b.IFMERGED = 1"
        " AND b.BULLETINTYPE = 30 AND b.INFOPUBLDATE = d.INFOPUBLDATE WHERE d.SERIALNUMBER = 1 AND d.RELATIONTYPE = 1",
    )
    assert corrected
    assert any(inserted < disclosed for *_, disclosed, inserted in corrected)
    late = "SELECT COUNT(*) FROM lc_suppcustattach a JOIN lc_suppcustdetail d ON d.ID = a.RID WHERE a.INSERTTIME < {}"
    assert number_of(database, late.format("d.INSERTTIME")) == 0
    assert number_of(database, late.format("d.INFOPUBLDATE")) == 0  # its parties are entered anew


def test_a_listed_partner_was_listed_and_is_large_enough(database):
    found = rows(
        database,
        "SELECT s.LISTEDDATE, d.ENDDATE, d.COMPANYCODE, d.RELATEDPARTYCODE, d.TRADINGVALUE, m.OPERATINGREENUE"
        " FROM lc_suppcustdetail d JOIN secumain s ON s.COMPANYCODE = d.RELATEDPARTYCODE AND s.SECUCATEGORY = 1"
        " LEFT JOIN lc_maindatanew m ON m.COMPANYCODE = d.RELATEDPARTYCODE AND m.ENDDATE = d.ENDDATE AND m.MARK = 1"
        " WHERE d.RELATIONTYPE = 1",
    )
    assert len(found) > 20
    for listed, end, company, partner, value, revenue in found:
        assert listed <= end
        assert company != partner
        assert revenue is None or float(value) < float(revenue)


# --- Related parties and their trades


def test_trades_are_with_parties_that_the_same_report_names(database):
    lost = (
        "SELECT COUNT(*) FROM lc_relatedtrade t LEFT JOIN lc_relationship r ON r.COMPANYCODE = t.COMPANYCODE"
        " AND r.ENDDATE = t.ENDDATE AND r.INFOPUBLDATE = t.INFOPUBLDATE AND r.RELATEDPARTYNAME = t.RELATEDPARTY"
        " AND r.RELATIONSHIP = t.ASSOCIATION"
    )
    assert number_of(database, lost) > 1000
    assert number_of(database, f"{lost} WHERE r.ID IS NULL") == 0


def test_a_related_party_among_the_five_has_one_amount_in_both_tables(database):
    """Any other trade with a related party is smaller than that of the fifth."""
    both = (
        "SELECT COUNT(*) FROM lc_relatedtrade t JOIN lc_suppcustdetail d ON d.COMPANYCODE = t.COMPANYCODE"
        " AND d.ENDDATE = t.ENDDATE AND d.RELATIONTYPE = t.TRADETYPE AND d.INFOPUBLDATE = t.INFOPUBLDATE"
    )
    named = f"{both} AND d.RELATEDPARTYNAME = t.RELATEDPARTY"
    assert number_of(database, named) > 50
    assert number_of(database, f"{named} WHERE d.TRADINGVALUE <> t.TRADESUM") == 0
    unnamed = (
        f"{both} WHERE d.SERIALNUMBER = 5 AND t.TRADESUM > d.TRADINGVALUE AND NOT EXISTS (SELECT 1"
        " FROM lc_suppcustdetail o WHERE o.COMPANYCODE = t.COMPANYCODE AND o.ENDDATE = t.ENDDATE"
        " AND o.RELATIONTYPE = t.TRADETYPE AND o.RELATEDPARTYNAME = t.RELATEDPARTY)"
    )
    assert number_of(database, unnamed) == 0


def test_associates_are_what_the_balance_sheet_holds_and_subsidiaries_part_of_the_parents(database):
    """Associates add up to the consolidated investments; subsidiaries stay within those of the parent alone."""
    for kind, scope, check in ((4, 1, "ABS(parts - whole) > 0.001"), (3, 2, "parts > whole")):
        sums = (
            "SELECT r.COMPANYCODE, r.ENDDATE, MAX(b.LONGTERMEQUITYINVEST) AS whole, SUM(r.INVESTSUM) AS parts FROM"
            " lc_relationship r JOIN lc_balancesheetall b ON b.COMPANYCODE = r.COMPANYCODE AND b.ENDDATE = r.ENDDATE"
            f" AND b.INFOPUBLDATE = r.INFOPUBLDATE AND b.IFADJUSTED = 2 AND b.IFMERGED = {scope}"
            f" WHERE r.RELATIONSHIP = {kind} GROUP BY 1, 2"
        )
        assert number_of(database, f"SELECT COUNT(*) FROM ({sums})") > 200
        assert number_of(database, f"SELECT COUNT(*) FROM ({sums}) WHERE {check}") == 0


def test_associates_earn_what_the_statements_say_they_brought(world, database):
    """Share times profit, over all associates of a year, is the income of the equity method, within a cent each."""
    sums = rows(
        database,
        "SELECT COMPANYCODE, ENDDATE, SUM(EQUITYRATIO * NETPROFIT) AS earned FROM lc_relationship"
        " WHERE RELATIONSHIP = 4 GROUP BY 1, 2",
    )
    assert len(sums) > 200
    versions = Versions(world.statements, world.ledger.of(EventType.RESTATEMENT))
    company = np.array([int(code) - 100_001 for code, *_ in sums])
    period = np.array([quarter_of(end.date()) for _, end, _ in sums])
    fen = versions.figures(company, period, period).flow("ASSOCIATES")
    assert np.abs(np.array([float(earned) for *_, earned in sums]) - fen).max() < 0.02


def test_a_party_that_is_gone_today_stays_in_the_reports_of_its_time(database):
    """The trap is live: the flag of today differs from what old reports say."""
    gone = "SELECT COUNT(*) FROM lc_relationship WHERE RELATIONSHIP = 3 AND IFEXISTED = 2"
    assert number_of(database, gone) > 50
    assert (
        number_of(database, "SELECT COUNT(*) FROM lc_relationship WHERE RELATIONSHIP <> 4 AND IFEXISTED = 1")
        > 500
    )


# --- Owners


def test_what_owners_hold_directly_is_what_the_list_of_holders_says(database):
    joined = (
        "SELECT COUNT(*) FROM lc_equitypenetrate p JOIN lc_mainshlistnew h ON h.COMPANYCODE = p.COMPANYCODE"
        " AND h.ENDDATE = p.ENDDATE AND h.INFOPUBLDATE = p.INFOPUBLDATE AND h.INFOTYPECODE = 1"
        " AND h.GDID = p.RELATEDCODE"
    )
    assert number_of(database, joined) > 2000
    wrong = (
        "p.DIRECTAMOUNT <> h.HOLDSUM OR p.RELATEDPARTYNAME <> h.SHLIST OR p.DIRECTRATIO <> h.PCTOFTOTALSHARES"
    )
    assert number_of(database, f"{joined} WHERE {wrong}") == 0


def test_those_behind_the_group_hold_together_what_the_group_holds(database):
    """Of 1 the group, 2 the controller and 7 his partners: through(2) + through(7) = direct(1)."""
    chains = rows(
        database,
        "SELECT SUM(CASE WHEN RELATIONSHIP = 1 THEN DIRECTAMOUNT ELSE 0 END) AS held,"
        " SUM(INDIRECTAMOUNT) AS through, COUNT(*) AS n FROM lc_equitypenetrate WHERE RELATIONSHIP IN (1, 2, 7)"
        " GROUP BY COMPANYCODE, ENDDATE, INFOPUBLDATE",
    )
    assert {n for *_, n in chains} == {2, 3}  # a province has no partners
    assert all(held == through for held, through, _ in chains)


def test_the_controller_of_a_report_is_that_of_its_chain_of_owners(database):
    joined = (
        "SELECT COUNT(*) FROM lc_relationship r LEFT JOIN lc_equitypenetrate p ON p.COMPANYCODE = r.COMPANYCODE"
        " AND p.ENDDATE = r.ENDDATE AND p.INFOPUBLDATE = r.INFOPUBLDATE AND p.RELATIONSHIP = r.RELATIONSHIP"
        " AND p.RELATEDPARTYNAME = r.RELATEDPARTYNAME WHERE r.RELATIONSHIP IN (1, 2)"
    )
    # One or two owners in each annual report of the 58 companies, while they are listed
    assert number_of(database, joined) > 800
    assert number_of(database, f"{joined} AND (p.ID IS NULL OR p.DIRECTAMOUNT <> r.SHAREAMOUNT)") == 0


# --- Plans of holders


def test_a_plan_is_of_a_holder_that_the_last_list_names(database):
    """Whoever plans to trade stood among the ten of the last report disclosed by then, and held so much."""
    found = rows(
        database,
        "SELECT t.ID, t.REDUCESHARECEILING, h.HOLDSUM FROM lc_transferplan t LEFT JOIN lc_mainshlistnew h ON"
        " h.COMPANYCODE = t.COMPANYCODE AND h.GDID = t.SHSN AND h.SHLIST = t.SHNAME AND h.INFOTYPECODE = 1"
        " AND h.INFOPUBLDATE < t.INITIALINFOPUBLDATE AND h.ENDDATE = (SELECT MAX(o.ENDDATE) FROM lc_mainshlistnew o"
        " WHERE o.COMPANYCODE = t.COMPANYCODE AND o.INFOPUBLDATE < t.INITIALINFOPUBLDATE)"
        " WHERE t.TRANSFERPLANTYPE IN (1, 2)",
    )
    assert len({number for number, *_ in found}) > 200
    assert all(held is not None and (ceiling or 0) <= held for _, ceiling, held in found)


def test_what_was_bought_or_sold_is_the_difference_of_two_lists(world, database):
    """The versions say how much in words; the ledger in numbers, to the share."""
    held = {
        (int(company), int(holder), end.date()): int(shares)
        for company, holder, end, shares in rows(
            database,
            "SELECT COMPANYCODE, GDID, ENDDATE, HOLDSUM FROM lc_mainshlistnew WHERE INFOTYPECODE = 1",
        )
    }
    checked = 0
    for event in world.ledger.of(EventType.HOLDER_PLAN):
        plan = event.payload
        if plan.stage != DONE:
            continue
        company, holder = 100_000 + plan.company, 700_000 + (plan.company - 1) * 16 + plan.holder
        quarter = quarter_of(plan.end)
        before, after = (held.get((company, holder, period_end(q))) for q in (quarter - 2, quarter))
        if before is None or after is None:
            continue  # beyond the snapshot, or no longer among the ten
        checked += 1
        assert after - before == (plan.done if plan.kind == BUY else -plan.done)
    assert checked > 30


def test_a_plan_is_announced_fifteen_sessions_ahead_and_ends_within_its_term(world):
    versions = {}
    for event in world.ledger.of(EventType.HOLDER_PLAN):
        plan = event.payload
        if plan.kind != KEEP:
            versions.setdefault((plan.company, plan.holder, plan.kind, plan.first), []).append(event)
    assert len(versions) > 100
    for events in versions.values():
        plans = [event.payload for event in events]
        assert [plan.stage for plan in plans] == sorted({plan.stage for plan in plans})
        assert plans[0].stage == TOLD
        first, last = plans[0], plans[-1]
        ahead = sessions().at_or_after(first.begin) - sessions().at_or_after(first.first)
        assert ahead >= 15
        assert all(first.begin <= plan.end <= first.end for plan in plans)
        assert all(plan.done <= plan.ceiling for plan in plans)
        if last.stage == DONE:
            assert last.done >= (first.ceiling if first.kind == SELL else first.floor) > 0
        days = [event.disclosed_at for event in events]
        assert days == sorted(set(days))


def test_the_stage_of_today_stands_in_rows_of_the_past(database):
    """The trap is live: the first row of a plan says that it is done, months before it was."""
    early = (
        "SELECT COUNT(*) FROM lc_transferplan WHERE EVENTTYPE = 1 AND EVENTPROCEDURE >= 3 AND INFOPUBLDATE ="
        " INITIALINFOPUBLDATE AND TRANSFERPLANTYPE <> 3"
    )
    assert number_of(database, early) > 50
    differ = (
        "SELECT COUNT(*) FROM (SELECT COUNT(DISTINCT EVENTPROCEDURE) AS n FROM lc_transferplan"
        " GROUP BY COMPANYCODE, INITIALINFOPUBLDATE, SHSN, TRANSFERPLANTYPE) WHERE n > 1"
    )
    assert number_of(database, differ) == 0


def test_the_group_does_not_sell_for_three_years_after_a_listing(database):
    found = rows(
        database,
        "SELECT s.LISTEDDATE, t.INFOPUBLDATE, t.PROMISEBEGINDATE, t.PROMISEENDDATE, t.SHNAME FROM lc_transferplan t"
        " JOIN secumain s ON s.COMPANYCODE = t.COMPANYCODE AND s.SECUCATEGORY = 1 WHERE t.TRANSFERPLANTYPE = 3",
    )
    assert len(found) > 20
    for listed, told, begins, ends, name in found:
        assert told < begins == listed
        assert ends.year == listed.year + 3
        assert name.endswith("集团有限公司")


# --- Mergers


def test_the_new_shares_of_a_merger_are_those_of_the_capital(database):
    """Issued for the shares given up at the ratio, which has four places; listed when the capital says so."""
    found = rows(
        database,
        "SELECT m.ISSUESHARES, m.CONTRASHARES, m.EXCHANGERATENUMERATOR, m.SHARECAPITALBEFOREMERGE, s.TOTALSHARES"
        " FROM lc_merger m LEFT JOIN lc_sharestru s ON s.COMPANYCODE = m.COMPANYCODE AND s.ENDDATE = m.SHARELISTDATE"
        " AND s.INFOPUBLDATE = m.SHARECHANGEPUBLDATE WHERE m.SHARELISTDATE IS NOT NULL",
    )
    assert found
    for issued, given, ratio, before, after in found:
        assert float(before) + float(issued) == float(after)
        assert abs(float(given) * ratio - float(issued)) <= float(given) * 0.5e-4 + 1


def test_stages_of_a_merger_follow_one_another_and_fill_their_own_columns(database):
    found = rows(
        database,
        "SELECT INITIALINFOPUBLDATE, PRESCHEMEPUBLDATE, SMDECIPUBLDATE, ANOUNCEMENTPUBLDATE, SHARECHANGEPUBLDATE,"
        " SHARELISTDATE, EXCHANGERATENUMERATOR, CHANGETYPE, ISSUESHARES, ENDDATE FROM lc_merger",
    )
    assert len(found) >= 3
    for *days, ratio, decided, issued, end in found:
        there = [day for day in days if day is not None]
        assert there == sorted(set(there))
        assert days[: len(there)] == there  # no stage is skipped
        assert (ratio is None) == (days[1] is None)
        assert (decided is None) == (days[2] is None)
        assert (issued is None) == (days[3] is None)
        assert end < days[0]
        if decided == 2:
            assert days[3] is None


def test_a_listed_party_stays_listed_for_its_merger_fails(world, database):
    """Its figures are those that its last annual report showed."""
    found = rows(
        database,
        "SELECT m.INITIALINFOPUBLDATE, m.SHARELISTDATE, m.TOTALASSET, m.MAINBUSINESSINCOME, m.MERGEDCOMPANYCODE,"
        " m.ENDDATE, (SELECT MIN(l.CHANGEDATE) FROM lc_liststatus l WHERE l.INNERCODE = m.MERGEDINNERCODE"
        " AND l.CHANGETYPE = 4) AS gone FROM lc_merger m WHERE m.MERGEDCOMPANYCODE IS NOT NULL",
    )
    for first, listed, assets, revenue, party, end, gone in found:
        assert listed is None
        assert gone is None or gone > first
        shown = rows(
            database,
            "SELECT b.TOTALASSETS, d.OPERATINGREENUE FROM lc_balancesheetall b JOIN lc_maindatanew d ON"
            " d.COMPANYCODE = b.COMPANYCODE AND d.ENDDATE = b.ENDDATE AND d.INFOPUBLDATE = b.INFOPUBLDATE AND"
            " d.MARK = 1 WHERE b.COMPANYCODE = ? AND b.ENDDATE = ? AND b.IFMERGED = 1 AND b.INFOPUBLDATE < ?",
            int(party),
            end.date(),
            first.date(),
        )
        assert (float(assets), float(revenue)) in {(float(a), float(b)) for a, b in shown}


def test_a_merger_is_the_cause_of_its_new_shares(world):
    """Without it they would not be: the placement is a descendant of every stage."""
    exchanges = list(world.ledger.of(EventType.MERGER_EXCHANGE))
    assert exchanges
    for event in exchanges:
        caused = [e for e in world.ledger.events if event.event_id in e.cause_ids]
        assert [e.type for e in caused] == [EventType.SHARE_CHANGE]
        assert caused[0].disclosed_at > event.disclosed_at
        first = event
        while first.supersedes is not None:
            first = world.ledger.by_id[first.supersedes]
        assert first.type is EventType.MERGER_PLAN
        assert caused[0].event_id in world.ledger.descendants(first.event_id)


def test_facts_about_deals_hold(world):
    exact = [fact for fact in deal_facts(world) if fact.low == fact.high]
    assert len(exact) == 3
    assert [fact for fact in exact if not fact.met or fact.n == 0] == []


def test_deals_hang_on_no_other_company(world):
    """The plans of some companies are the same in a world of them alone."""
    alone = replace(
        world.statements, entity=world.statements.entity[:40], shares=world.statements.shares[:40]
    )
    few = intentions(world.config.seed, alone)
    assert few == [plan for plan in intentions(world.config.seed, world.statements) if plan.company < 40]
    assert len(few) > 50
