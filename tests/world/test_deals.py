"""Partners, related parties, owners, plans of holders and mergers hang together with the companies they concern."""

from __future__ import annotations


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
    assert number_of(database, joined) > 1000
    assert number_of(database, f"{joined} AND (p.ID IS NULL OR p.DIRECTAMOUNT <> r.SHAREAMOUNT)") == 0
