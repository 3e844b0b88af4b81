"""What companies were called on a day, and how documents refer to them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from finassay.world._blocks._documents_style import Amount
from finassay.world._events import EventType, Index, Industry, Name, Security
from finassay.world._events_us import UsListing, UsSecurity

if TYPE_CHECKING:
    from datetime import date

    from finassay.world._ledger import Ledger


_HAN = "沪深中证上"  # what the short names of indices begin with
# Industries whose companies make something that is sold by the piece: others recall nothing
_MAKERS = {
    "农林牧渔", "基础化工", "钢铁", "有色金属", "电子", "家用电器", "食品饮料", "纺织服饰", "轻工制造", "医药生物",
    "建筑材料", "电力设备", "国防军工", "汽车", "机械设备", "美容护理",
}  # fmt: skip
_MANUFACTURING = range(2000, 4000)  # division D of the SIC


@dataclass
class _Spells:
    """Values in the order of the days from which they hold."""

    days: list[date] = field(default_factory=list)
    values: list[Amount] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)

    def on(self, day: date) -> tuple[Amount, str]:
        place = max(0, bisect_right(self.days, day) - 1)
        return self.values[place], self.symbols[place]


@dataclass(frozen=True)
class Known:
    """A company as a document of a day calls it: number at the vendor, code or symbol, short and full name."""

    number: int
    code: str
    name: Amount
    full: Amount


class Names:
    """Names of all companies and indices over time, from the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self._cn: dict[int, Security] = {}
        self._us: dict[int, UsSecurity] = {}
        self._spells: dict[int, _Spells] = {}
        self._listed: dict[int, date] = {}
        self._industries: dict[int, list[tuple[date, str]]] = {}
        self.indices: dict[int, Amount] = {}
        for event in ledger.of(EventType.SECURITY):
            if isinstance(event.payload, Security):
                self._cn[event.entity] = event.payload
                self._listed[event.entity] = event.valid_from
                self._add(event.entity, event.valid_from, event.payload.abbreviation, event.payload.english)
        for event in ledger.of(EventType.US_SECURITY):
            if isinstance(event.payload, UsSecurity):
                self._us[event.entity] = event.payload
                self._listed[event.entity] = event.valid_from
                who = event.payload
                self._add(event.entity, event.valid_from, who.name, who.name, who.symbol)
                if who.kind == "index":
                    self.indices[event.entity] = Amount("美国大盘300指数", who.name)
        for event in ledger.of(EventType.INDEX_OPEN):
            if isinstance(event.payload, Index):
                name = event.payload.abbreviation
                self.indices[event.entity] = Amount(f"{name}指数", f"CSI {name.lstrip(_HAN)} Index")
        for event in ledger.of(EventType.INDUSTRY_SET):
            if isinstance(event.payload, Industry):
                known = (event.disclosed_at.date(), event.payload.names[0])
                self._industries.setdefault(event.entity, []).append(known)
        changes = [*ledger.of(EventType.RENAME), *ledger.of(EventType.US_RENAME)]
        for event in sorted(changes, key=lambda e: (e.valid_from, e.disclosed_at)):
            if isinstance(event.payload, Name):
                english = self._cn[event.entity].english
                self._add(event.entity, event.valid_from, event.payload.abbreviation, english)
            elif isinstance(event.payload, UsListing):
                now = event.payload
                self._add(event.entity, event.valid_from, now.name, now.name, now.symbol)

    def _add(self, entity: int, day: date, zh: str, en: str, symbol: str = "") -> None:
        spells = self._spells.setdefault(entity, _Spells())
        spells.days.append(day)
        spells.values.append(Amount(zh, en))
        spells.symbols.append(symbol)

    def on(self, entity: int, day: date) -> Known:
        """Return how a company is called on a day."""
        name, symbol = self._spells[entity].on(day)
        share = self._cn.get(entity)
        if share is not None:
            return Known(share.inner, share.code, name, Amount(share.name, share.english))
        return Known(self._us[entity].security, symbol, name, name)

    def is_cn(self, entity: int) -> bool:
        """Whether it is a Chinese share."""
        return entity in self._cn

    def listed(self, entity: int) -> date:
        """Return the day on which a company was listed."""
        return self._listed[entity]

    def makes(self, entity: int, day: date) -> bool:
        """Whether a company makes something: by each industry that it was known to be in up to a day, or by its SIC."""
        if entity in self._us:
            return self._us[entity].sic in _MANUFACTURING
        industries = self._industries.get(entity, [])
        told = [name for known, name in industries if known <= day]
        return all(name in _MAKERS for name in told or [name for _, name in industries[:1]])
