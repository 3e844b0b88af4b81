"""bond_code, bond_basicinfo, bond_issuenew, bond_size: who a bond is, its terms, its issue, what is outstanding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.world._blocks._bonds_universe import GRADES, NUMBER_OF, SHORT_GRADE, TYPE_NAMES
from finassay.world._events import Event, EventType
from finassay.world._events_bonds import Amount, BondListing, BondTerms, Debtor, Placement
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

LEVEL_NAMES = {1: "利率债", 2: "金融债", 3: "企业信用债", 4: "可转换债券", 5: "资产支持证券"}
GRADE_NAMES = {NUMBER_OF[grade]: grade for grade in GRADES} | {SHORT_GRADE: "A-1"}
YUAN, PAR = 142, 100
INTERBANK = 89
_OPTIONS = {"": None, "call": "含赎回权", "put": "含回售权"}


@dataclass(frozen=True)
class Known:
    """What the vendor knows of a bond at the snapshot: its terms, debtor, and the events that ended or placed it."""

    issue: Event
    terms: BondTerms
    debtor: Debtor
    placed: Event | None
    called: Event | None

    @property
    def end(self) -> date:
        """The day of its end as of the snapshot."""
        return self.called.valid_from if self.called else self.terms.maturity


def known_bonds(view: View) -> dict[int, Known]:
    """Return the bonds that the vendor knows, by entity."""
    debtors = {e.entity: e.payload for e in view.ledger.of(EventType.DEBTOR)}
    calls = {e.entity: e for e in view.ledger.of(EventType.BOND_CALL, EventType.CONVERT_CALL)}
    placed = {e.entity: e for e in view.ledger.of(EventType.BOND_PLACED)}
    found = {}
    for event in view.ledger.of(EventType.BOND_ISSUE):
        terms = event.payload
        assert isinstance(terms, BondTerms)  # noqa: S101 - by its type
        debtor = debtors[terms.debtor]
        assert isinstance(debtor, Debtor)  # noqa: S101 - by its type
        found[event.entity] = Known(event, terms, debtor, placed.get(event.entity), calls.get(event.entity))
    return found


def _listings(view: View) -> Iterator[tuple[Event, BondListing, Known]]:
    bonds = known_bonds(view)
    for event in view.ledger.of(EventType.BOND_LIST):
        assert isinstance(event.payload, BondListing)  # noqa: S101 - by its type
        yield event, event.payload, bonds[event.entity]


def bond_code(view: View) -> pa.Table:
    """One row per code of a bond; its end and state are those of the snapshot."""
    return view.table("bond_code", [_code(view, *listing) for listing in _listings(view)])


def _code(view: View, event: Event, listing: BondListing, bond: Known) -> Row:
    terms = bond.terms
    code = next(code for inner, _, code in terms.codes if inner == listing.inner)
    values = {
        "MAINCODE": terms.main,
        "INNERCODE": listing.inner,
        "COMPANYCODE": bond.debtor.company,
        "SECUCODE": code,
        "SECUABBR": terms.name,
        "CHINAME": f"{terms.issue_start.year}年{bond.debtor.name}{TYPE_NAMES[terms.kind]}",
        "CHINAMEABBR": terms.name,
        "CURRENCY": YUAN,
        "SECUMARKET": listing.market,
        "LISTEDDATE": event.valid_from,
        "LISTEDSTATE": 5 if bond.end <= view.snapshot else 1,
        "DELISTDATE": bond.end,
        "INTERESTENDDATE": bond.end,
        "ISSUER": bond.debtor.name,
        "BONDNATURE": terms.kind,
        "BONDTYPELEVEL1": terms.kind // 100,
        "BONDTYPELEVEL1DESC": LEVEL_NAMES[terms.kind // 100],
        "BONDTYPELEVEL2": terms.kind,
        "BONDTYPELEVEL2DESC": TYPE_NAMES[terms.kind],
        "ISSUEYEAR": terms.issue_start.year,
    }
    return Row(event, values, (bond.called,) if bond.called else ())


def bond_basicinfo(view: View) -> pa.Table:
    """One row per code of a bond: the terms of its issue, beside columns of the snapshot."""
    return view.table("bond_basicinfo", [_terms(*listing) for listing in _listings(view)])


def _terms(event: Event, listing: BondListing, bond: Known) -> Row:
    terms = bond.terms
    days = (terms.maturity - terms.value_date).days
    values = {
        "MAINCODE": terms.main,
        "INNERCODE": listing.inner,
        "BONDFULLNAME": f"{terms.issue_start.year}年{bond.debtor.name}{TYPE_NAMES[terms.kind]}",
        "BONDFORM": 1,
        "BONDNATURE": terms.kind,
        "OPTIONTYPE": _OPTIONS[terms.option],
        "ISSUER": bond.debtor.name,
        "INITIALINFOPUBLDATE": bond.issue.disclosed_at.date(),
        "CREDITRATING": GRADE_NAMES.get(terms.grade),
        "ACTUALISSUESIZE": _size(bond) / 1e4 if bond.placed else None,
        "MATURITY": round(days / 365.25, 4),
        "PARVALUE": PAR,
        "ISSUEPRICE": PAR,
        "CURRENCYUNIT": YUAN,
        "COUPONRATE": terms.coupon / 1e4,
        "PAYINTERESTEFFENCY": 1,
        "ISSUEDATE": terms.issue_start,
        "VALUEDATE": terms.value_date,
        "LISTEDDATE": event.valid_from,
        "DELISTDATE": bond.end,
        "ENDDATE": terms.maturity,
        "REDEMPTIONDATE": bond.end,
        "EARLYMATURITYDATE": bond.end if bond.called else None,
        "LEGALENDDATE": terms.maturity,
        "RATEIFFLOAT": 2,
    }
    later = tuple(
        e for e in (bond.placed, bond.called) if e is not None and e.recorded_at > event.recorded_at
    )
    return Row(event, values, later)


def _size(bond: Known) -> int:
    assert bond.placed is not None  # noqa: S101 - asked before
    payload = bond.placed.payload
    assert isinstance(payload, Placement)  # noqa: S101 - by its type
    return payload.size


def bond_issuenew(view: View) -> pa.Table:
    """One row per issue, in million yuan; result and listing come into the row of the announcement."""
    listed: dict[int, list[Event]] = {}
    for event in view.ledger.of(EventType.BOND_LIST):
        listed.setdefault(event.entity, []).append(event)
    rows = [_issue(bond, listed.get(entity, [])) for entity, bond in known_bonds(view).items()]
    return view.table("bond_issuenew", rows)


def _issue(bond: Known, listed: list[Event]) -> Row:
    terms = bond.terms
    values: dict[str, Any] = {
        "MAINCODE": terms.main,
        "CROSSEXCHANGE": 1 if len(terms.codes) > 1 else 2,
        "BONDNATURE": terms.kind,
        "ISSUER": bond.debtor.name,
        "INITIALINFOPUBLDATE": bond.issue.disclosed_at.date(),
        "PUBLICANNOUNCEMENTDATE": bond.issue.disclosed_at.date(),
        "ISSUEDATESTART": terms.issue_start,
        "ISSUEDATEEND": terms.issue_end,
        "PARVALUE": PAR,
        "ISSUEPRICE": PAR,
        "CURRENCY": YUAN,
        "PLANISSUESIZE": terms.planned / 100,
    }
    if bond.placed is not None:
        values["ACTUALISSUESIZE"] = _size(bond) / 100
    for event in listed:
        assert isinstance(event.payload, BondListing)  # noqa: S101 - by its type
        told, place = (
            ("TRADESINCIRCLEPUBDATE", "LISTEDDATEINBANK")
            if event.payload.market == INTERBANK
            else ("LISTANNOUNCEPUBDATE", "LISTEDDATEINEXCHANGE")
        )
        values |= {told: event.disclosed_at.date(), place: event.valid_from}
    later = (*listed, *((bond.placed,) if bond.placed else ()))
    return Row(bond.issue, values, later)


def bond_size(view: View) -> pa.Table:
    """One row per change of the amount outstanding, in 100 million yuan."""
    bonds = known_bonds(view)
    rows = []
    for event in view.ledger.of(EventType.BOND_SIZE):
        amount, terms = event.payload, bonds[event.entity].terms
        assert isinstance(amount, Amount)  # noqa: S101 - by its type
        values = {
            "MAINCODE": terms.main,
            "ENDDATE": event.valid_from,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "TOTALSIZE": amount.total / 1e4,
            "CURRENTSIZECHANGE": amount.change / 1e4,
            "ALTERATIONTYPE": amount.reason,
        }
        rows.append(Row(event, values))
    return view.table("bond_size", rows)
