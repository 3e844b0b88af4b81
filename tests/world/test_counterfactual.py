"""Without an event, only its descendants are gone, and only what follows from them reads differently."""

from __future__ import annotations

import duckdb
import pytest

from finassay.core import InputError
from finassay.world import EventType, counterfactual, document_truth, materialise
from finassay.world._blocks._us_index import FUND, INDEX
from finassay.world._blocks._us_market import reaction
from finassay.world._calendar import sessions
from finassay.world._tables._bonds import BOND_TABLES
from finassay.world._tables._companies import COMPANY_TABLES
from finassay.world._tables._funds import FUND_TABLES
from finassay.world._tables._us_all import US_TABLES

INDEX_TABLES = (
    "qt_indexquote",
    "lc_indexderivative",
    "index_finindicator",
    "lc_indexcomponentsweight",
    "cs_intensitytrendadj",  # with and against an index
)
DAILY = ("qt_dailyquote", "lc_stibdailyquote", "qt_performancedata")


@pytest.fixture(scope="module")
def tables(world):
    """The tables of the world as it is."""
    return materialise(world)


def changed(before, after, columns):
    """Distinct values of columns over the rows that are in only one of two tables."""
    connection = duckdb.connect()
    connection.register("a", before)
    connection.register("b", after)
    listed = ", ".join(columns)
    rows = connection.execute(
        f"SELECT DISTINCT {listed} FROM ((FROM a EXCEPT FROM b) UNION ALL (FROM b EXCEPT FROM a))"
    ).fetchall()
    return set(rows)


def missing(before, after, column):
    """Distinct values of a column over the rows that are in one table and not, in every column, in another."""
    connection = duckdb.connect()
    connection.register("a", before)
    connection.register("b", after)
    return set(connection.execute(f"SELECT DISTINCT {column} FROM (FROM a EXCEPT FROM b)").fetchall())


def documents_of(world, events):
    """The numbers of the documents about some events."""
    truth = document_truth(world).to_pydict()
    return {d for d, e in zip(truth["document_id"], truth["event_id"], strict=True) if e in events}


def own_bonds(codes, share):
    """The numbers of a company and of its bonds."""
    mine = [row for row in codes.to_pylist() if row["COMPANYCODE"] == share.company]
    return {share.company} | {row[column] for row in mine for column in ("INNERCODE", "MAINCODE")}


@pytest.mark.parametrize(
    "kind",
    [
        EventType.ST_ON,
        EventType.HALT,
        EventType.DIVIDEND_PLAN,
        EventType.REPORT,
        EventType.SECURITY,
        EventType.LIST,
    ],
)
def test_removing_an_event_changes_only_its_descendants(world, tables, serial, kind):
    event = next(e for e in world.ledger.of(kind) if e.seq == 0 and e.valid_from.year >= 2017)
    gone = world.ledger.descendants(event.event_id)
    other = counterfactual(world, event.event_id, serial)
    assert {e.event_id for e in world.ledger.events} - {e.event_id for e in other.ledger.events} == gone
    assert set(other.ledger.events) <= set(world.ledger.events)

    share = next(issuer for issuer in world.issuers if issuer.entity == event.entity)
    before, after = tables, materialise(other)
    first = min(min(e.valid_from, e.disclosed_at.date()) for e in map(world.ledger.by_id.get, gone))
    for name, table in before.items():
        if name in DAILY:
            assert {inner for (inner,) in changed(table, after[name], ["INNERCODE"])} <= {share.inner}
        elif name == "lc_suppcustattach":  # the number of a row of suppliers tells whose it is
            rows = changed(table, after[name], ["RID"])
            assert {row >> 32 & 0xFFFFFF for (row,) in rows} <= {share.entity}
        elif name in COMPANY_TABLES:  # what follows for the company's own figures
            key = next(k for k in ("COMPANYCODE", "INNERCODE", "CONCEPTCODE") if k in table.column_names)
            own = {share.company, share.inner, 1_000_000 + share.entity}
            if name == "lc_competitor":  # others named it: what they said is among its descendants
                events = map(world.ledger.by_id.get, gone)
                own |= {e.payload.company for e in events if e.type is EventType.COMPETITORS}
            assert {k for (k,) in changed(table, after[name], [key])} <= own, name
        elif name in BOND_TABLES:  # what follows for the company's own bonds
            key = next((k for k in ("INNERCODE", "MAINCODE", "COMPANYCODE") if k in table.column_names), "ID")
            assert {k for (k,) in changed(table, after[name], [key])} <= own_bonds(before["bond_code"], share)
        elif name in FUND_TABLES or name in INDEX_TABLES:  # whoever holds the share, or an index with it
            dates = ("TRADINGDAY", "ENDDATE", "INFOPUBLDATE", "INSERTTIME")
            day = next((k for k in dates if k in table.column_names), None)
            when = changed(table, after[name], [day or "*"])
            assert all(day and moment.date() >= first for (moment, *_) in when), name
        elif name.startswith("us_"):
            assert table.equals(after[name])
        elif name == "documents":  # about a descendant, or about its index membership
            assert {who for (who,) in changed(table, after[name], ["entities"])} <= {str(share.inner)}
        else:
            lost = {int(x) for x in table["ID"].to_pylist()} - {int(x) for x in after[name]["ID"].to_pylist()}
            assert lost <= gone
            # What stays and reads differently is a row that a descendant was written into
            parents = {p for number in gone for p in world.ledger.by_id[number].parents}
            assert {number for (number,) in changed(table, after[name], ["ID"])} <= gone | parents | {
                e.event_id for e in world.ledger.of(EventType.SECURITY) if e.entity == event.entity
            }


def bonds_of_funds(table):
    """The bonds of each list: by fund and quarter end."""
    found = {}
    for row in table.select(["INNERCODE", "REPORTDATE", "BONDCODE"]).to_pylist():
        found.setdefault((row["INNERCODE"], row["REPORTDATE"]), set()).add(row["BONDCODE"])
    return found


def held_bonds(world, tables):
    """Issues of the bonds that funds hold, by the day of the issue."""
    held = set(tables["mf_bondportifoliodetail"]["BONDCODE"].to_pylist())
    listed = {e.entity for e in world.ledger.of(EventType.BOND_LIST) if e.payload.inner in held}
    issues = (e for e in world.ledger.of(EventType.BOND_ISSUE) if e.entity in listed)
    return sorted(issues, key=lambda e: (e.valid_from, e.event_id))


def security_with_a_bond(world, tables):
    """A share without which a bond that funds hold would not be either, and that was listed late."""
    issues = {e.event_id for e in held_bonds(world, tables)}
    return next(
        e
        for e in world.ledger.of(EventType.SECURITY)
        if e.valid_from.year >= 2016 and issues & world.ledger.descendants(e.event_id)
    )


@pytest.mark.parametrize("kind", [EventType.BOND_ISSUE, EventType.SECURITY])
def test_without_a_bond_only_the_lists_change_that_held_it(world, tables, serial, kind):
    """Of an issue nothing else of any fund changes; of a share, what funds did with it before it was is the same."""
    event = (
        held_bonds(world, tables)[-1] if kind is EventType.BOND_ISSUE else security_with_a_bond(world, tables)
    )
    gone = [world.ledger.by_id[number] for number in world.ledger.descendants(event.event_id)]
    codes = {e.payload.inner for e in gone if e.type is EventType.BOND_LIST}
    after = materialise(counterfactual(world, event.event_id, serial), [*FUND_TABLES, *BOND_TABLES])

    had, has = (bonds_of_funds(t["mf_bondportifoliodetail"]) for t in (tables, after))
    assert codes & set().union(*had.values())
    assert {key for key in had if codes & had[key]} == {key for key in had if had[key] != has.get(key)}
    assert set(has) <= set(had)
    assert not codes & set().union(*has.values())
    assert all(
        len(had[key] - has[key]) <= len(codes) for key in has
    )  # another took its place, the others stay
    if kind is EventType.BOND_ISSUE:
        for name in set(FUND_TABLES) - {"mf_bondportifoliodetail"}:
            assert tables[name].equals(after[name]), name
        own = {row for e in gone if e.type is EventType.BOND_LIST for row in (e.payload.inner,)}
        numbers = {row["MAINCODE"] for row in tables["bond_code"].to_pylist() if row["INNERCODE"] in own}
        for name in BOND_TABLES:
            key = next((k for k in ("MAINCODE", "INNERCODE") if k in tables[name].column_names), None)
            if key is not None:
                assert {k for (k,) in changed(tables[name], after[name], [key])} <= numbers | own, name
    else:
        first = min(min(e.valid_from, e.disclosed_at.date()) for e in gone)
        for name in FUND_TABLES:
            dates = ("TRADINGDAY", "ENDDATE", "INFOPUBLDATE", "INSERTTIME")
            day = next((k for k in dates if k in tables[name].column_names), "*")
            assert all(
                moment.date() >= first for (moment, *_) in changed(tables[name], after[name], [day])
            ), name


def test_without_a_fund_nothing_before_it_changes_and_of_other_funds_only_who_held_it(world, tables, serial):
    event = next(e for e in world.ledger.of(EventType.FUND_OPEN) if e.valid_from.year >= 2018)
    gone = [world.ledger.by_id[number] for number in world.ledger.descendants(event.event_id)]
    own = {e.payload.inner for e in gone if e.type is EventType.FUND_CLASS}
    after = materialise(counterfactual(world, event.event_id, serial), [*FUND_TABLES])

    held = world.funds.held
    holders = {
        who for who, inner in zip(held.holder.tolist(), held.inner.tolist(), strict=True) if inner in own
    }
    theirs = {
        part.payload.inner for life in world.funds.lives if life.entity in holders for part in life.classes
    }
    for name in FUND_TABLES:
        if "INNERCODE" in tables[name].column_names:
            assert {k for (k,) in changed(tables[name], after[name], ["INNERCODE"])} <= own | theirs, name


# Tables that a restatement overwrites, and what is computed from the last version
REPLACED = (
    "lc_mainindexnew",
    "lc_qfinancialindexnew",
    "lc_rewardstat",
    "lc_suppcustdetail",
    "lc_dindicesforvaluation",
)


def restatement(world, corrected):
    """The first restatement of a share outside STAR, with or without a correction of its own before the report."""
    for event in world.ledger.of(EventType.RESTATEMENT):
        kinds = {world.ledger.by_id[number].type for number in world.ledger.descendants(event.event_id)}
        board = world.issuers[event.entity - 1].board
        if board != 7 and event.valid_from.year >= 2017 and (EventType.REPORT in kinds) == corrected:
            return event
    raise AssertionError


@pytest.mark.parametrize("corrected", [True, False])
def test_without_a_restatement_filings_before_it_state_the_error_all_the_same(
    world, tables, serial, corrected
):
    """Only the correction goes; rows that a restatement overwrites keep what was shown first."""
    event = restatement(world, corrected)
    gone = world.ledger.descendants(event.event_id)
    share = world.issuers[event.entity - 1]
    after = materialise(counterfactual(world, event.event_id, serial))
    lost = {}
    for name, table in tables.items():
        if name == "documents":
            assert {d for (d,) in changed(table, after[name], ["document_id"])} <= documents_of(world, gone)
        elif table.equals(after[name]):
            continue
        elif name in INDEX_TABLES:  # whose figures are sums over the members'
            day = next(k for k in ("TRADINGDAY", "INFOPUBLDATE") if k in table.column_names)
            moved = {moment.date() for (moment,) in changed(table, after[name], [day])}
            assert min(moved) >= event.disclosed_at.date(), name
        else:
            assert name in COMPANY_TABLES, name
            who = "COMPANYCODE" if "COMPANYCODE" in table.column_names else "INNERCODE"
            day = "INFOPUBLDATE" if "INFOPUBLDATE" in table.column_names else "TRADINGDAY"
            assert {k for (k,) in changed(table, after[name], [who])} <= {share.company, share.inner}, name
            lost[name] = {moment.date() for (moment,) in missing(table, after[name], day)}
            assert min(lost[name]) >= event.disclosed_at.date(), name
            assert name in REPLACED or not missing(after[name], table, day), name
    assert "lc_mainindexnew" in lost
    if not corrected:  # no filing goes; what was overwritten is dated by what showed it first
        again = missing(after["lc_mainindexnew"], tables["lc_mainindexnew"], "INFOPUBLDATE")
        assert max(moment.date() for (moment,) in again) < event.disclosed_at.date()
        assert not lost.keys() & {"lc_balancesheetall", "lc_maindatanew"}


def test_without_an_index_the_rows_of_the_others_keep_their_numbers(world, tables, serial):
    event = next(e for e in world.ledger.of(EventType.INDEX_OPEN) if e.payload.inner == 3002)
    after = materialise(counterfactual(world, event.event_id, serial), ["qt_indexquote"])["qt_indexquote"]
    assert {k for (k,) in changed(tables["qt_indexquote"], after, ["INNERCODE"])} == {3002}


def us_events(world):
    """An amendment that changes figures, its filing, whose figures others repeat; and a dividend; by kind."""
    amendment = next(
        e
        for e in world.ledger.of(EventType.US_AMENDMENT)
        if e.payload.restates
        and e.valid_from.year >= 2017
        and e.recorded_at <= world.config.moment
        # A filing in between states the error too
        and any(
            e.entity == f.entity and e.valid_from < f.valid_from and f.disclosed_at < e.disclosed_at
            for f in world.ledger.of(EventType.US_FILING)
        )
    )
    dividend = next(e for e in world.ledger.of(EventType.US_DIVIDEND) if e.valid_from.year >= 2017)
    filing = world.ledger.by_id[amendment.supersedes]
    return {event.type: event for event in (amendment, filing, dividend)}


@pytest.mark.parametrize("kind", [EventType.US_FILING, EventType.US_AMENDMENT, EventType.US_DIVIDEND])
def test_without_a_us_event_nothing_before_it_changes(world, tables, serial, kind):
    event = us_events(world)[kind]
    gone = world.ledger.descendants(event.event_id)
    after = materialise(counterfactual(world, event.event_id, serial), [*US_TABLES, "documents"])

    filings = {
        e.payload.accession for e in map(world.ledger.by_id.get, gone) if kind is not EventType.US_DIVIDEND
    }
    lost = {
        "us_filing": ("accession", filings),
        "us_fact": ("accession", filings),
        "us_corporate_action": ("id", gone if kind is EventType.US_DIVIDEND else set()),
        "documents": ("document_id", documents_of(world, gone)),
    }
    for name, (key, keys) in lost.items():  # all of what is about the event, and no other row in any column
        told = {row for row in tables[name][key].to_pylist() if row in keys}
        assert bool(told) == bool(keys), name
        assert {row for (row,) in missing(tables[name], after[name], key)} == told, name
        assert not missing(after[name], tables[name], key), name
    for name in set(US_TABLES) - set(lost) - {"us_price_daily"}:
        assert tables[name].equals(after[name]), name

    numbers = {e.entity: e.payload.security for e in world.ledger.of(EventType.US_SECURITY)}
    moved = changed(tables["us_price_daily"], after["us_price_daily"], ["security_id", "trading_day"])
    assert {security for security, _ in moved} <= {numbers[e] for e in (event.entity, INDEX, FUND)}
    if kind is EventType.US_AMENDMENT:  # it is about a period long gone
        assert not moved
    else:
        ex = kind is EventType.US_DIVIDEND
        calendar = sessions("XNYS")
        first = calendar.at_or_after(event.valid_from) if ex else reaction(event)
        assert min(day.date() for _, day in moved) == calendar.days[first]


@pytest.mark.parametrize("kind", [EventType.US_SECURITY, EventType.US_LIST])
def test_a_us_security_that_never_came_or_never_listed_is_nowhere(world, tables, serial, kind):
    """Its rows are gone; of the others, the index and its fund move from the day on which it became a member."""
    members = {e.payload.entity: e for e in world.ledger.of(EventType.US_INDEX_IN)}
    event = next(e for e in world.ledger.of(kind) if e.valid_from.year >= 2017 and e.entity in members)
    gone = world.ledger.descendants(event.event_id)
    after = materialise(counterfactual(world, event.event_id, serial), [*US_TABLES, "documents"])
    number = next(
        e.payload.security for e in world.ledger.of(EventType.US_SECURITY) if e.entity == event.entity
    )

    prices = after["us_price_daily"]
    assert number in tables["us_price_daily"]["security_id"].to_pylist()
    assert number not in prices["security_id"].to_pylist()
    index = {e.entity: e.payload.security for e in world.ledger.of(EventType.US_SECURITY)}
    moved = changed(tables["us_price_daily"], prices, ["security_id", "trading_day"]) - {
        row
        for row in changed(tables["us_price_daily"], prices, ["security_id", "trading_day"])
        if row[0] == number
    }
    assert {security for security, _ in moved} == {index[INDEX], index[FUND]}
    assert min(day.date() for _, day in moved) >= members[event.entity].valid_from

    if kind is EventType.US_SECURITY:
        assert number not in after["us_security"]["security_id"].to_pylist()
    for name in US_TABLES:
        if name in ("us_price_daily", "us_fact", "us_security"):
            continue
        lost = {int(row) for (row,) in missing(tables[name], after[name], "id")}
        assert lost <= gone, name
        assert not missing(after[name], tables[name], "id"), name
    filings = {
        e.payload.accession for e in map(world.ledger.by_id.get, gone) if hasattr(e.payload, "accession")
    }
    assert {row for (row,) in missing(tables["us_fact"], after["us_fact"], "accession")} <= filings
    assert {row for (row,) in missing(tables["documents"], after["documents"], "document_id")} == (
        documents_of(world, gone) & set(tables["documents"]["document_id"].to_pylist())
    )


def test_prices_before_a_listing_in_beijing_do_not_know_of_it(world, tables, serial):
    """A share of the NEEQ trades as it did, also if it never goes to Beijing: no price looks ahead."""
    movers = {who.later.entity: who.share for who in world.neeq.members if who.later is not None}
    event = next(e for e in reversed(list(world.ledger.of(EventType.SECURITY))) if e.entity in movers)
    other = counterfactual(world, event.event_id, serial)
    assert EventType.NEEQ_DELIST in {
        e.type for e in map(world.ledger.by_id.get, world.ledger.descendants(event.event_id))
    }
    stopped = next(
        e.payload.stopped
        for e in world.ledger.of(EventType.NEEQ_DELIST)
        if e.entity == movers[event.entity].entity
    )
    assert other.neeq.first.tolist() == world.neeq.first.tolist()
    moved = changed(
        tables["nq_dailyquote"],
        materialise(other, ["nq_dailyquote"])["nq_dailyquote"],
        ["INNERCODE", "TRADINGDAY"],
    )
    assert all(inner == movers[event.entity].inner and day.date() >= stopped for inner, day in moved)


def test_without_an_event_that_changes_nothing_the_world_is_the_same(world, tables, rebuilt):
    """A renaming has no effect on prices: all quotes are drawn again, and are equal, row by row."""
    assert (rebuilt.quotes.close == world.quotes.close).all()
    assert (rebuilt.quotes.volume == world.quotes.volume).all()
    assert [index.inner for index in rebuilt.indices] == [index.inner for index in world.indices]
    after = materialise(rebuilt)
    for name in (*DAILY, *INDEX_TABLES):
        assert tables[name].equals(after[name]), name


def test_an_unknown_event_is_refused(world, serial):
    with pytest.raises(InputError, match="no event 12"):
        counterfactual(world, 12, serial)
