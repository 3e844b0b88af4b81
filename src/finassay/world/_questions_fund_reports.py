"""As-of questions about what the reports of funds tell: holders, all stocks, the assets."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from finassay.world._family import Family, first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from finassay.world._world import World

    Edges = Callable[[World], Iterable[tuple[tuple[int, int], date]]]

_EPOCH = date(1970, 1, 1)
_QUARTERLY, _HALF_YEAR, _ANNUAL = 1, 2, 3
_DAY = "CAST(CAST({column} AS DATE) AS VARCHAR)"
_WHOLE = "CAST(CAST(ROUND({number}) AS BIGINT) AS VARCHAR)"
_HOLDERS = first(
    answer=f"{_DAY.format(column='t.ENDDATE')} || ' ' || {_WHOLE.format(number='t.HOLDERACCOUNTNUMBER')} || ' ' || "
    + _WHOLE.format(number="t.INSTITUTIONHOLDRATIO * 1000000"),
    order="t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.ID DESC",
    table="mf_holderinfo",
    match="t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c",
)
# The rows of the last publication of the last period
_STOCKS = f""", l AS (SELECT q.n, t.REPORTDATE, t.SERIALNUMBER * t.STOCKINNERCODE AS v, t.SHARESHOLDING AS u,
 RANK() OVER (PARTITION BY q.n ORDER BY t.REPORTDATE DESC, t.INFOPUBLDATE DESC) AS place
 FROM q JOIN mf_stockportfoliodetail t ON t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, {_DAY.format(column="MAX(REPORTDATE)")} || ' ' || {_WHOLE.format(number="SUM(v)")} || ' ' ||
  {_WHOLE.format(number="SUM(u)")} AS answer FROM l WHERE place = 1 GROUP BY n"""  # noqa: S608 - our own words
# A quarter may be published again on the day of the half-year: one report is recorded at one time
_SECTIONS = f""", l AS (SELECT q.n, t.ENDDATE, t.MARKETVALUE AS v,
 RANK() OVER (PARTITION BY q.n ORDER BY t.ENDDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC) AS place
 FROM q JOIN mf_industryportall t ON t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c)
SELECT n, {_DAY.format(column="MAX(ENDDATE)")} || ' ' || CAST(COUNT(*) AS VARCHAR) || ' ' ||
  {_WHOLE.format(number="SUM(v) * 100")} AS answer FROM l WHERE place = 1 GROUP BY n"""  # noqa: S608 - our own words
_ASSETS = first(
    answer=f"{_DAY.format(column='t.REPORTDATE')} || ' ' || {_WHOLE.format(number='t.MVOFSTOCK * 100')} || ' ' || "
    + _WHOLE.format(number="t.NV * 100"),
    order="t.REPORTDATE DESC, t.INFOPUBLDATE DESC, t.INSERTTIME DESC, t.ID DESC",
    table="mf_assetallocationnew",
    match="t.INNERCODE = q.k AND t.INFOPUBLDATE < q.c",
)


def _classes(world: World) -> list[tuple[int, int]]:
    return [(part.payload.inner, 0) for life in world.funds.lives for part in life.classes]


def _mains(world: World) -> list[tuple[int, int]]:
    return [(life.classes[0].payload.inner, 0) for life in world.funds.lives]


def _stock_funds(world: World) -> list[tuple[int, int]]:
    held = (world.funds.stocks.sum(axis=1) > 0).tolist()
    return [thing for thing, any_ in zip(_mains(world), held, strict=True) if any_]


def _published(*forms: int, every_class: bool = False) -> Edges:
    """Return the days on which reports of some forms were published; of another class for each, if asked."""

    def edges(world: World) -> Iterator[tuple[tuple[int, int], date]]:
        reports = world.funds.reports
        rows = zip(reports.fund.tolist(), reports.form.tolist(), reports.disclosed.tolist(), strict=True)
        for number, (fund, form, day) in enumerate(rows):
            if form in forms:
                classes = world.funds.lives[fund].classes
                part = classes[number % len(classes) if every_class else 0]
                yield (part.payload.inner, 0), _EPOCH + timedelta(days=day)

    return edges


def _words(value: tuple[date, int, int] | None) -> str | None:
    return None if value is None else " ".join(str(part) for part in value)


FUND_REPORT_FAMILIES = (
    Family(
        "holders of a fund",
        _HOLDERS,
        lambda oracle, q: _words(oracle.fund_holders(q.key, q.cutoff)),
        (),
        _classes,
        edges=_published(_HALF_YEAR, _ANNUAL, every_class=True),
    ),
    Family(
        "stocks of a fund",
        _STOCKS,
        lambda oracle, q: _words(oracle.fund_stocks(q.key, q.cutoff)),
        (),
        _stock_funds,
        edges=_published(_HALF_YEAR, _ANNUAL),
    ),
    Family(
        "sections of a fund",
        _SECTIONS,
        lambda oracle, q: _words(oracle.fund_sections(q.key, q.cutoff)),
        (),
        _stock_funds,
        edges=_published(_QUARTERLY, _HALF_YEAR, _ANNUAL),
    ),
    Family(
        "assets of a fund",
        _ASSETS,
        lambda oracle, q: _words(oracle.fund_assets(q.key, q.cutoff)),
        (),
        _mains,
        edges=_published(_QUARTERLY),
    ),
)
