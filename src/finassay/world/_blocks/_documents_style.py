"""How documents are written: phrases in two languages, picked by number; amounts, dates and periods in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

_MASK = (1 << 64) - 1
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


class Pair(NamedTuple):
    """A phrase in Chinese and in English; names in braces are filled in.

    Some are said at some times alone (`when`), some of one matter alone (`about`), which a title names.
    """

    zh: str
    en: str
    when: str = ""
    about: str = ""


class Amount(NamedTuple):
    """A value in words of both languages."""

    zh: str
    en: str


class Text(NamedTuple):
    """A document's title and text in both languages."""

    title_zh: str
    title_en: str
    text_zh: str
    text_en: str


@dataclass(frozen=True)
class Genre:
    """A kind of text: alternatives for its title and for each of its parts, in their order."""

    titles: tuple[Pair, ...]
    parts: tuple[tuple[Pair, ...], ...]

    @cached_property
    def variants(self) -> int:
        """How many numbers pick the texts that the same facts can become; some pick the same."""
        count = len(self.titles)
        for part in self.parts:
            count *= len(part)
        return count


def mixed(*numbers: int) -> int:
    """Mix integers into one of 64 bits (SplitMix64): the choice of words is a function of what is told alone."""
    state = 0
    for number in numbers:
        state = (state ^ number) + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        state ^= state >> 31
    return state


class _In:
    """Facts in one language: 0 Chinese, 1 English."""

    __slots__ = ("_facts", "_language")

    def __init__(self, facts: Mapping[str, str | Amount], language: int) -> None:
        self._facts, self._language = facts, language

    def __getitem__(self, name: str) -> str:
        value = self._facts[name]
        return value if isinstance(value, str) else value[self._language]


def write(
    name: str, facts: Mapping[str, str | Amount], number: int, times: frozenset[str] = frozenset()
) -> Text:
    """Fill in the phrases of a genre, chosen by a number; those for some times alone only at these `times`."""
    title_zh, title_en, zh, en = _template(name, number % genre(name).variants, times)
    chinese, english = _In(facts, 0), _In(facts, 1)
    return Text(
        title_zh.format_map(chinese),
        title_en.format_map(english).replace("..", "."),
        zh.format_map(chinese),
        en.format_map(english).replace("..", ".").replace("  ", " ").strip(),
    )


@lru_cache(maxsize=4096)
def _template(name: str, choice: int, times: frozenset[str]) -> Text:
    """Put phrases together: in English with spaces, and capitals after full stops."""
    chosen = genre(name)
    title, left = _said(chosen.titles, choice, times, None), choice // len(chosen.titles)
    chinese, english, starts = [], [], True
    for part in chosen.parts:
        phrase = _said(part, left, times, title.about)
        left //= len(part)
        chinese.append(phrase.zh)
        words = phrase.en.strip()
        if words:
            english.append(f"{words[0].upper()}{words[1:]}" if starts else words)
            starts = words[-1] in ".?!}"
    return Text(title.zh, title.en, "".join(chinese), " ".join(english))


def _said(phrases: tuple[Pair, ...], choice: int, times: frozenset[str], about: str | None) -> Pair:
    """Return the phrase of a number among those that are right at this time and, where one is given, on this matter."""
    right = [
        phrase
        for phrase in phrases
        if (not phrase.when or phrase.when in times) and (about is None or phrase.about in ("", about))
    ]
    return right[choice % len(phrases) % len(right)]


def money(value: float, currency: str) -> Amount:
    """Return an amount of yuan or dollars in words, to four or three digits."""
    size = abs(value)
    unit = "美元" if currency == "USD" else "元"
    if size >= 1e8:
        zh = f"{value / 1e8:,.2f}亿{unit}"
    elif size >= 1e4:
        zh = f"{value / 1e4:,.2f}万{unit}"
    else:
        zh = f"{value:,.2f}{unit}"
    sign = "-" if value < 0 else ""
    mark = "$" if currency == "USD" else "RMB "
    if size >= 1e9:
        return Amount(zh, f"{sign}{mark}{size / 1e9:,.2f} billion")
    return Amount(zh, f"{sign}{mark}{size / 1e6:,.1f} million" if size >= 1e5 else f"{sign}{mark}{size:,.2f}")


def change(now: float, before: float | None) -> Amount:
    """Return a change on a year before in words; without a base, or from a loss, it has no percentage."""
    if before is None or before == 0:
        return Amount("上年同期无可比数据", "with no comparable figure a year earlier")
    if before < 0:
        return Amount("上年同期为亏损", "against a loss a year earlier")
    if now < 0:
        return Amount("由盈转亏", "swinging to a loss")
    rate = (now / before - 1) * 100
    if abs(rate) < 0.05:
        return Amount("与上年同期基本持平", "little changed from a year earlier")
    if rate > 0:
        return Amount(f"同比增长{rate:,.2f}%", f"up {rate:,.1f}% from a year earlier")
    return Amount(f"同比下降{-rate:,.2f}%", f"down {-rate:,.1f}% from a year earlier")


def day(when: date) -> Amount:
    """Return a date in words."""
    return Amount(
        f"{when.year}年{when.month}月{when.day}日", f"{_MONTHS[when.month - 1]} {when.day}, {when.year}"
    )


def month(when: date) -> Amount:
    """Return a month in words."""
    return Amount(f"{when.year}年{when.month}月", f"{_MONTHS[when.month - 1]} {when.year}")


@cache
def phrases() -> dict[str, Genre | tuple[Pair, ...]]:
    """Return all genres, and the lists of phrases that texts are filled in with, by name."""
    import yaml

    found: dict[str, Genre | tuple[Pair, ...]] = {}
    for file in sorted(
        resources.files("finassay.world").joinpath("_phrases").iterdir(), key=lambda f: f.name
    ):
        if not file.name.endswith(".yaml"):
            continue
        for name, content in yaml.safe_load(file.read_text(encoding="utf-8")).items():
            if isinstance(content, dict):
                parts = tuple(_pairs(part) for part in content["parts"])
                found[name] = Genre(_pairs(content["titles"]), parts)
            else:
                found[name] = _pairs(content)
    return found


def _pairs(rows: list[list[str]] | dict[str, list[list[str]]]) -> tuple[Pair, ...]:
    """Return phrases, of a list or of lists by matter; what stands under `any` goes with all."""
    if isinstance(rows, dict):
        return tuple(
            Pair(*row)._replace(about="" if about == "any" else about)
            for about, group in rows.items()
            for row in group
        )
    return tuple(Pair(*row) for row in rows)


def genre(name: str) -> Genre:
    """Return a genre by its name."""
    found = phrases()[name]
    assert isinstance(found, Genre)  # noqa: S101 - by its name
    return found


def one_of(name: str, number: int) -> Amount:
    """Return one of a list of phrases."""
    found = phrases()[name]
    assert not isinstance(found, Genre)  # noqa: S101 - by its name
    return Amount(*found[number % len(found)][:2])
