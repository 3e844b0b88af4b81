"""Ratings of bonds and debtors, industries of debtors, themes and defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from finassay.world._blocks._bonds_credit import AGENCIES
from finassay.world._events import Event, EventType, Industry
from finassay.world._events_bonds import BondDefault, Debtor, Rating, Theme
from finassay.world._tables._bonds_static import GRADE_NAMES, known_bonds
from finassay.world._tables._view import Row, View, day_after

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa

_OUTLOOKS = {1: "正面", 2: "稳定", 3: "负面", 4: "观察"}
_SOURCE = "评级公告"
_DEFAULTS = {1: "未按期足额兑付本金", 2: "未按期足额付息"}
_THEME_KIND = 40


def bond_bdcreditgrading(view: View) -> pa.Table:
    """One row per rating of a bond, never changed; a stated last day is known with the rating."""
    bonds = known_bonds(view)
    rows = []
    for event in view.ledger.of(EventType.BOND_RATING):
        own = {"MAINCODE": bonds[event.entity].terms.main, "CRTYPECODE": _rating(event).term}
        rows.append(
            Row(event, own | _grading(view, event) | {"RATEMETHOD": 1 if _rating(event).first else 2})
        )
    return view.table("bond_bdcreditgrading", rows)


def bond_comcreditgrading(view: View) -> pa.Table:
    """One row per rating of a debtor."""
    debtors = {e.entity: e.payload for e in view.ledger.of(EventType.DEBTOR)}
    rows = []
    for event in view.ledger.of(EventType.DEBTOR_RATING):
        debtor = debtors[event.entity]
        assert isinstance(debtor, Debtor)  # noqa: S101 - by its type
        own = {"COMPANYCODE": debtor.company, "COMPANYNAME": debtor.name, "CRTYPE": 1}
        rows.append(Row(event, own | _grading(view, event)))
    return view.table("bond_comcreditgrading", rows)


def _rating(event: Event) -> Rating:
    assert isinstance(event.payload, Rating)  # noqa: S101 - by its type
    return event.payload


def _grading(view: View, event: Event) -> dict[str, Any]:
    rating = _rating(event)
    last = None if event.supersedes is None else view.ledger.by_id.get(event.supersedes)
    values: dict[str, Any] = {
        "INFOPUBLDATE": event.disclosed_at.date(),
        "INFOSOURCE": _SOURCE,
        "CRDATE": event.valid_from,
        "CRASCODE": rating.agency,
        "CRASNAME": AGENCIES[rating.agency],
        "CRCODE": rating.grade,
        "CRDESC": GRADE_NAMES[rating.grade],
        "CRANTICIPATE": _OUTLOOKS[rating.outlook],
        "CROUTLOOK": rating.outlook,
        "CRSTATUS": 1 if view.next_of(event) is None else 2,
        "CRWISH": 1,
        "RATINGEFFECTIVEENDDATE": rating.expires,
    }
    if last is not None:
        before = _rating(last)
        moved = (rating.grade > before.grade) - (rating.grade < before.grade)
        values |= {
            "LASTCRDATE": last.valid_from,
            "LASTCRCODE": before.grade,
            "LASTCRDESC": GRADE_NAMES[before.grade],
            "CRCHANGE": {1: "调高", 0: "维持", -1: "调低"}[moved],
        }
    return values


def bond_creditgrading(view: View) -> pa.Table:
    """One row per rating of a bond, with that of its debtor beside it."""
    bonds = known_bonds(view)
    rows = []
    for event in view.ledger.of(EventType.BOND_RATING):
        bond, rating = bonds[event.entity], _rating(event)
        term = "ST" if rating.term == 2 else "LT"
        values: dict[str, Any] = {
            "MAINCODE": bond.terms.main,
            "BONDISSUER": bond.debtor.name,
            "BICODE": bond.debtor.company,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "CRAS": AGENCIES[rating.agency],
            "CRASCODE": rating.agency,
            "CRDATE": event.valid_from,
            f"{term}CR": GRADE_NAMES[rating.grade],
            f"{term}CRCODE": rating.grade,
            "TCRTYPE": rating.term,
            "CROUTLOOK": rating.outlook,
            "CRANTICIPATE": _OUTLOOKS[rating.outlook],
            "RATEMETHOD": 1 if rating.first else 2,
        }
        source = _source(view, event)
        if source is not None:
            of = _rating(source)
            values |= {
                "BONDISSUERCR": GRADE_NAMES[of.grade],
                "BONDISSUERCRCODE": of.grade,
                "BICRDATE": source.valid_from,
                "BICRAS": AGENCIES[of.agency],
                "BICRASCODE": of.agency,
                "BICROUTLOOK": of.outlook,
            }
        rows.append(Row(event, values))
    return view.table("bond_creditgrading", rows)


def _source(view: View, event: Event) -> Event | None:
    """Return the rating of the debtor that a rating of its bond comes with, if the vendor has recorded it."""
    found = (view.ledger.by_id.get(cause) for cause in event.cause_ids)
    return next((e for e in found if e is not None and e.type is EventType.DEBTOR_RATING), None)


def bond_biindustry(view: View) -> pa.Table:
    """One row per classification of a debtor; of a listed company, those of its share."""
    return view.table("bond_biindustry", list(_industries(view)))


def _industries(view: View) -> Iterator[Row]:
    companies = {}
    for event in view.ledger.of(EventType.DEBTOR):
        assert isinstance(event.payload, Debtor)  # noqa: S101 - by its type
        companies[event.entity] = event.payload.company
    listed = {view.security(entity).company: entity for entity in view.securities}
    shares = {listed[company]: company for company in companies.values() if company in listed}
    for event in view.ledger.of(EventType.DEBTOR_INDUSTRY, EventType.INDUSTRY_SET):
        company = (
            shares.get(event.entity) if event.type is EventType.INDUSTRY_SET else companies[event.entity]
        )
        if company is None:
            continue
        of, following = event.payload, view.next_of(event)
        assert isinstance(of, Industry)  # noqa: S101 - by its type
        values: dict[str, Any] = {
            "COMPANYCODE": company,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INFOSOURCE": "申万宏源研究",
            "STANDARD": of.standard,
            "INDUSTRY": int(of.codes[2]),
            "EFFECTIVEDATE": event.valid_from,
            "CANCELDATE": None
            if following is None
            else _public_end(following, following.disclosed_at.date()),
        }
        for level, code, name in zip(("FIRST", "SECOND", "THIRD"), of.codes, of.names, strict=True):
            values[f"{level}INDUSTRYCODE"] = code
            values[f"{level}INDUSTRYNAME"] = name
        yield Row(event, values, (following,) if following else ())


def _public_end(end: Event, known: date) -> date:
    """Invariant W2: an end is dated after the day it became public."""
    return max(end.valid_from, day_after(known))


def bond_conceptnature(view: View) -> pa.Table:
    """One row per theme of a code; the time of insertion stands for its disclosure, so an end is dated after it."""
    rows = []
    for event in view.ledger.of(EventType.THEME_IN):
        theme, end = event.payload, view.next_of(event)
        assert isinstance(theme, Theme)  # noqa: S101 - by its type
        values = {
            "INNERCODE": theme.inner,
            "CONCEPTTYPE": _THEME_KIND,
            "CONNATURE": theme.nature,
            "BEGINDATE": event.valid_from,
            "ENDDATE": None if end is None else _public_end(end, end.recorded_at.date()),
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("bond_conceptnature", rows)


def bond_default(view: View) -> pa.Table:
    """One row per missed payment of a code; what became of it is written into the row of the notice."""
    bonds = known_bonds(view)
    rows = []
    for event in view.ledger.of(EventType.BOND_DEFAULT):
        missed, end = event.payload, view.next_of(event)
        assert isinstance(missed, BondDefault)  # noqa: S101 - by its type
        name = bonds[event.entity].terms.name
        values: dict[str, Any] = {
            "INNERCODE": missed.inner,
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INFOTITLE": f"关于{name}{_DEFAULTS[missed.kind]}的公告",
            "DEFAULTDATE": event.valid_from,
            "DEFAULTTYPE": missed.kind,
            "RELATEDPRICE": (missed.principal + missed.interest) / 1e4,
            "INTEREST": missed.interest / 1e4,
            "PRINCIPAL": missed.principal / 1e4,
            "DEFAULTPROG": 1 if end is None else 2,
        }
        if end is not None:
            values |= {
                "REVOKEDATE": _public_end(end, end.disclosed_at.date()),
                "PAYPRINCIPAL": missed.principal / 1e4,
                "PAYINTEREST": missed.interest / 1e4,
            }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("bond_default", rows)
