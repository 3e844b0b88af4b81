"""lc_conceptlist and lc_coconcept: concepts and their members; ends are written into the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._blocks._concepts import FIRST_ENTITY
from finassay.world._events import EventType
from finassay.world._events_company import Concept, ConceptMember
from finassay.world._tables._view import Row, View

if TYPE_CHECKING:
    import pyarrow as pa


def lc_conceptlist(view: View) -> pa.Table:
    """One row per concept."""
    rows = []
    for event in view.ledger.of(EventType.CONCEPT_OPEN):
        concept = event.payload
        assert isinstance(concept, Concept)  # noqa: S101 - by its type
        kind = (event.entity - FIRST_ENTITY) % 4
        end = view.next_of(event)
        values = {
            "CLASSCODE": 1,
            "CLASSNAME": "主题概念",
            "SUBCLASSCODE": 11 + kind,
            "SUBCLASSNAME": ("科技", "能源", "消费", "制造")[kind],
            "CONCEPTCODE": concept.code,
            "CONCEPTNAME": concept.name,
            "BEGINDATE": event.valid_from,
            "ENDDATE": end.valid_from if end else None,
            "INFOPUBLDATE": event.disclosed_at.date(),
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("lc_conceptlist", rows)


def lc_coconcept(view: View) -> pa.Table:
    """One row per membership of a share in a concept."""
    codes = {event.entity: event.payload for event in view.ledger.of(EventType.CONCEPT_OPEN)}
    rows = []
    for event in view.ledger.of(EventType.CONCEPT_IN):
        member, concept = event.payload, codes[event.entity]
        assert isinstance(member, ConceptMember)  # noqa: S101 - by its type
        assert isinstance(concept, Concept)  # noqa: S101 - by its type
        end = view.next_of(event)
        values = {
            "INNERCODE": member.inner,
            "CONCEPTCODE": concept.code,
            "INDATE": event.valid_from,
            "OUTDATE": end.valid_from if end else None,
            "INFOPUBLDATE": event.disclosed_at.date(),
        }
        rows.append(Row(event, values, (end,) if end else ()))
    return view.table("lc_coconcept", rows)
