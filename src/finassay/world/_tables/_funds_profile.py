"""mf_fundarchives, mf_issueandlisting, mf_fundprodname, mf_investadvisoroutline, mf_personalinfo; funds in secumain."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from finassay.world._blocks._funds_exchange import LISTING_LAG
from finassay.world._blocks._funds_universe import FOF, LISTED, TRADED
from finassay.world._calendar import sessions
from finassay.world._events import EventType
from finassay.world._events_funds import FundAdviser, FundOffer, FundPerson, OverseasIndex
from finassay.world._tables._funds_view import FundIndex, Part, parts
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    import pyarrow as pa


def fund_securities(view: View) -> Iterator[Row]:
    """Yield the rows of share classes and of indices abroad in the master of securities."""
    index = FundIndex(view)
    for part in parts(view, EventType.FUND_CLASS, index):
        event, payload = part.event, part.who
        closed = index.closed.get(event.entity & ~3)
        ended = closed is not None and closed.valid_from <= view.snapshot
        listed = listing_day(index, part)
        begun = event.valid_from <= view.snapshot
        yield part.row(
            {
                "COMPANYCODE": index.fund(event.entity & ~3).adviser,
                "SECUCODE": payload.code,
                "CHINAME": f"{payload.name}证券投资基金",
                "CHINAMEABBR": payload.name,
                "SECUABBR": payload.name,
                "SECUMARKET": payload.market,
                "SECUCATEGORY": 8,
                "LISTEDDATE": listed or event.valid_from,
                "LISTEDSTATE": 5 if ended else 1 if begun else None,
            },
            closed,
        )
    for event in view.ledger.of(EventType.OVERSEAS_INDEX):
        assert isinstance(event.payload, OverseasIndex)  # noqa: S101 - by its type
        name = event.payload.name
        yield Row(
            event,
            {
                "INNERCODE": event.payload.inner,
                "SECUCODE": event.payload.code,
                "CHINAME": f"{name}指数",
                "CHINAMEABBR": name,
                "SECUABBR": name,
                "SECUMARKET": event.payload.market,
                "SECUCATEGORY": 4,
                "LISTEDDATE": event.valid_from,
                "LISTEDSTATE": 1,
            },
        )


def listing_day(index: FundIndex, part: Part) -> date | None:
    """Return the day of listing on an exchange, None for classes that are not traded there."""
    if part.who.market == 99 or index.fund(part.event.entity & ~3).operation not in (TRADED, LISTED):
        return None
    return sessions().shift(part.first, LISTING_LAG)


def mf_fundarchives(view: View) -> pa.Table:
    """Return one row per share class; texts are those of the snapshot."""
    index, rows = FundIndex(view), []
    for part in parts(view, EventType.FUND_CLASS, index):
        event, payload = part.event, part.who
        fund = index.fund(event.entity & ~3)
        closed = index.closed.get(event.entity & ~3)
        end = None if closed is None else closed.valid_from
        values = {
            "ESTABLISHMENTDATE": event.valid_from,
            "ESTABLISHMENTDATEII": event.valid_from,
            "LISTEDDATE": listing_day(index, part),
            "STARTDATE": event.valid_from,
            "EXPIREDATE": end,
            "LASTOPERATIONDATE": None if end is None else sessions().before(end),
            "INVESTADVISORCODE": fund.adviser,
            "TRUSTEECODE": fund.trustee,
            "TYPE": fund.operation,
            "INVESTMENTTYPE": fund.investment,
            "FOUNDEDSIZE": float(fund.units) if payload.main else None,
            "FUNDTYPECODE": fund.kind // 10_000,
            "SECURITYCODE": payload.code,
            "MAINCODE": payload.main_code,
            "SECUCODE": payload.code,
            "IFFOF": 1 if fund.kind == FOF else 2,
            "IFINITIATINGFUND": 2,
            "TRANSCODE": fund.trans,
        }
        rows.append(part.row(values, closed))
    return view.table("mf_fundarchives", rows)


def mf_issueandlisting(view: View) -> pa.Table:
    """Return one row per share class of an offered fund, filled in as the offer ends and the fund is listed."""
    index, rows = FundIndex(view), []
    offers = {event.event_id: event for event in view.ledger.of(EventType.FUND_OFFER)}
    for part in parts(view, EventType.FUND_CLASS, index):
        event, payload = part.event, part.who
        opened = index.opened[event.entity & ~3]
        if event.valid_from != opened.valid_from:
            continue
        fund, offer = index.fund(opened.entity), offers[opened.cause_ids[0]]
        assert isinstance(offer.payload, FundOffer)  # noqa: S101 - by its type
        listed = listing_day(index, part)
        values = {
            "INITIALINFOPUBLDATE": offer.disclosed_at.date(),
            "PROSPECTUSISSUEDDATE": offer.disclosed_at.date(),
            "ISSUESTARTDATE": offer.payload.start,
            "ISSUEENDDATE": opened.disclosed_at.date(),
            "PARVALUE": 1.0,
            "UNITISSUEPRICE": 1.0,
            "SHAREISSUED": float(fund.units) if payload.main else None,
            "ESTABLISHMENTDATE": opened.valid_from,
            "LISTEDDATE": listed,
            "LISTANNOUNCEMENTISSUEDATE": None if listed is None else sessions().shift(listed, -3),
            "CURRENCYCODE": 142,
            "FUNDTYPE": fund.kind // 10_000,
            "INSERTTIME": offer.recorded_at,
        }
        rows.append(part.row(values, opened))
    return view.table("mf_issueandlisting", rows)


def mf_fundprodname(view: View) -> pa.Table:
    """Return the names of share classes; none has changed."""
    index, rows = FundIndex(view), []
    for part in parts(view, EventType.FUND_CLASS, index):
        event, payload = part.event, part.who
        values = {
            "INFOPUBLDATE": event.disclosed_at.date(),
            "INFOTYPE": 1,
            "DISCLNAME": payload.name,
            "EFFECTIVEDATE": event.valid_from,
            "TRANSCODE": index.fund(event.entity & ~3).trans,
        }
        rows.append(part.row(values))
    return view.table("mf_fundprodname", rows)


def mf_investadvisoroutline(view: View) -> pa.Table:
    """Return the advisers."""
    rows = []
    for event in view.ledger.of(EventType.FUND_ADVISER):
        assert isinstance(event.payload, FundAdviser)  # noqa: S101 - by its type
        values = {
            "INVESTADVISORCODE": event.payload.code,
            "INVESTADVISORNAME": event.payload.name,
            "INVESTADVISORABBRNAME": event.payload.abbreviation,
            "ESTABLISHMENTDATE": event.valid_from,
            "REGCAPITALCURRENCY": 142,
        }
        rows.append(Row(event, values))
    return view.table("mf_investadvisoroutline", rows)


def mf_personalinfo(view: View) -> pa.Table:
    """Return the people; years of experience are those at the snapshot."""
    rows = []
    for event in view.ledger.of(EventType.FUND_PERSON):
        assert isinstance(event.payload, FundPerson)  # noqa: S101 - by its type
        years = (view.snapshot - event.valid_from) / timedelta(days=365.25)
        values = {
            "PERSONALCODE": event.payload.code,
            "CHINESENAME": event.payload.name,
            "GENDER": event.payload.gender,
            "PRACTICEDATE": event.valid_from,
            "EXPERIENCETIME": round(max(0.0, years), 1),
        }
        rows.append(Row(event, values))
    return view.table("mf_personalinfo", rows)
