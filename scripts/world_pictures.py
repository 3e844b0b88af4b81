"""Draw the pictures of docs/explanation/world.md from a built world, and print the figures that the page
  quotes.

    finassay world build --scale 0.05 --to duckdb:///world.duckdb
    python scripts/world_pictures.py world.duckdb docs/explanation/images

Everything is read from the tables as any user would read them; nothing comes from the ledger.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb
import matplotlib as mpl
import matplotlib.dates
import numpy as np
import pandas as pd

mpl.use("Agg")
import matplotlib.pyplot as plt  # the backend must be chosen before

BLUE, RED, GREY, GREEN, ORANGE = "#1f5fa8", "#b3261e", "#8a8f98", "#2e7d4f", "#d9822b"
SIZE = (9.0, 4.2)


@dataclass(frozen=True, slots=True)
class World:
    """A built world, read only."""

    connection: duckdb.DuckDBPyConnection

    def read(self, sql: str, *values: object) -> pd.DataFrame:
        """Rows of a query."""
        return self.connection.execute(sql, list(values)).fetchdf()


def company(world: World, folder: Path) -> str:
    """One share: its price, and what was announced about it."""
    chosen = world.read(
        """SELECT r.INNERCODE, s.COMPANYCODE, count(*) AS alerts, (SELECT count(*) FROM lc_suspendresumption h
             WHERE h.INNERCODE = r.INNERCODE) AS halts, (SELECT count(*) FROM lc_indexcomponent i
             WHERE i.SECUINNERCODE = r.INNERCODE) AS spells
           FROM cs_riskalert r JOIN secumain s USING (INNERCODE)
           WHERE r.REMOVEDATE IS NOT NULL AND s.LISTEDSTATE = 1 AND s.LISTEDDATE < DATE '2016-06-01'
             AND (SELECT count(NETPROFITYOY) FROM lc_qfinancialindexnew f WHERE f.COMPANYCODE = s.COMPANYCODE
               AND INFOPUBLDATE >= DATE '2016-05-01') >= 30
           GROUP BY ALL HAVING alerts BETWEEN 2 AND 3 ORDER BY spells DESC, halts DESC, r.INNERCODE LIMIT 1"""
    ).iloc[0]
    code, issuer = int(chosen.INNERCODE), int(chosen.COMPANYCODE)
    price = world.read(
        "SELECT TRADINGDAY AS day, CLOSEPRICE::DOUBLE AS close FROM qt_dailyquote WHERE INNERCODE = ? ORDER BY day",
        code,
    )
    reports = world.read(
        """SELECT ENDDATE AS period, min(INFOPUBLDATE) AS disclosed, arg_min(NETPROFITYOY,
          INFOPUBLDATE)::DOUBLE AS growth
           FROM lc_qfinancialindexnew WHERE COMPANYCODE = ? AND INFOPUBLDATE >= DATE '2016-05-01'
           GROUP BY period ORDER BY period""",
        issuer,
    )
    alerts = world.read(
        """SELECT IMPLEMENTDATE AS begins, coalesce(REMOVEDATE, (SELECT max(TRADINGDAY) FROM qt_dailyquote)) AS ends
           FROM cs_riskalert WHERE INNERCODE = ?""",
        code,
    )
    halts = world.read(
        "SELECT SUSPENDDATE AS begins FROM lc_suspendresumption WHERE INNERCODE = ?",
        code,
    )
    figure, (top, low) = plt.subplots(2, 1, figsize=(9, 5.6), sharex=True, height_ratios=[2.2, 1])
    top.plot(price.day, price.close, color=BLUE, linewidth=0.8)
    top.set_yscale("log")
    top.set_ylabel("close, yuan (log)")
    for number, alert in enumerate(alerts.itertuples()):
        top.axvspan(
            alert.begins,
            alert.ends,
            color=RED,
            alpha=0.15,
            label="special treatment in effect" if not number else None,
        )
    for number, halt in enumerate(halts.itertuples()):
        top.axvline(
            halt.begins, color=ORANGE, linewidth=0.8, alpha=0.8, label="trading halt" if not number else None
        )
    top.legend(loc="upper left", fontsize=8, frameon=False)
    growth = reports.growth.clip(-150, 150)
    low.bar(reports.disclosed, growth, width=25, color=np.where(growth < 0, RED, GREEN))
    low.axhline(0, color=GREY, linewidth=0.6)
    low.set_ylabel("quarter's profit,\n% on the year")
    low.set_xlabel("day of disclosure")
    _save(figure, folder / "one-company.png")
    return f"company {code}: {len(price)} sessions, {len(reports)} quarters, {len(alerts)} alerts, {len(halts)} halts"


def surprise(world: World, folder: Path) -> str:
    """Prices move when a result becomes public, not when the period ends."""
    paths = world.read(
        """WITH market AS (
             SELECT q.TRADINGDAY AS day, avg(ln(CLOSEPRICE / PREVCLOSEPRICE)) AS m FROM qt_dailyquote q
               GROUP BY day),
           daily AS (
             SELECT q.INNERCODE, TRADINGDAY AS day, ln(CLOSEPRICE / PREVCLOSEPRICE) - m AS r,
                    row_number() OVER (PARTITION BY q.INNERCODE ORDER BY TRADINGDAY) AS n
             FROM qt_dailyquote q JOIN market ON day = TRADINGDAY WHERE PREVCLOSEPRICE > 0 AND CLOSEPRICE >
               0),
           quarters AS (
             SELECT s.INNERCODE, ENDDATE, INFOPUBLDATE AS told,
                    NPFROMPARENTCOMPANYOWNERS::DOUBLE AS profit,
                    lag(NPFROMPARENTCOMPANYOWNERS::DOUBLE, 4) OVER w AS before,
                    stddev(NPFROMPARENTCOMPANYOWNERS::DOUBLE) OVER (w ROWS BETWEEN 8 PRECEDING AND 1
                      PRECEDING) AS spread
             FROM lc_qfinancialindexnew f JOIN secumain s ON s.COMPANYCODE = f.COMPANYCODE AND SECUCATEGORY
               = 1 AND SECUMARKET <> 72
             WINDOW w AS (PARTITION BY s.INNERCODE ORDER BY ENDDATE)),
           ranked AS (
             SELECT INNERCODE, told, ntile(3) OVER (PARTITION BY ENDDATE ORDER BY (profit - before) /
               spread) AS third
             FROM quarters WHERE spread > 0 AND before IS NOT NULL AND date_diff('day', ENDDATE, told)
               BETWEEN 5 AND 130),
           zero AS (
             SELECT k.INNERCODE, k.told, k.third, min(d.n) AS n0 FROM ranked k
             JOIN daily d ON d.INNERCODE = k.INNERCODE AND d.day >= k.told AND d.day < k.told + INTERVAL 10
               DAY GROUP BY ALL)
           SELECT third, d.n - n0 AS lag, avg(r) AS r, count(*) AS n
           FROM zero z JOIN daily d ON d.INNERCODE = z.INNERCODE AND d.n BETWEEN n0 - 15 AND n0 + 15 GROUP
             BY ALL ORDER BY lag"""
    )
    figure, axes = plt.subplots(figsize=SIZE)
    jumps = {}
    for third, name, colour in (
        (3, "best third of results", GREEN),
        (2, "middle third", GREY),
        (1, "worst third", RED),
    ):
        part = paths[paths.third == third]
        axes.plot(part.lag, 100 * part.r.cumsum(), color=colour, label=name)
        jumps[name] = 100 * float(part.r[part.lag.between(0, 1)].sum())
    axes.axvline(0, color=GREY, linewidth=0.8, linestyle=":")
    axes.set_xlabel("sessions from the day of disclosure")
    axes.set_ylabel("return beyond the market,\nsummed, %")
    axes.legend(fontsize=8, frameon=False)
    _save(figure, folder / "results-and-prices.png")
    return (
        "results: "
        + ", ".join(f"{name} {value:+.2f}% on days 0 and 1" for name, value in jumps.items())
        + (f" (n {int(paths.n.max())} each)")
    )


def lags(world: World, folder: Path) -> str:
    """Of a period that has ended, what share of companies has reported, and what was said later."""
    known = world.read(
        """SELECT month(ENDDATE) AS quarter, date_diff('day', ENDDATE, min(INFOPUBLDATE)) AS days
           FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE >= DATE '2016-06-30' GROUP BY COMPANYCODE, ENDDATE
           HAVING days BETWEEN 1 AND 200"""
    )
    versions = world.read(
        """SELECT ENDDATE AS period, INFOPUBLDATE AS told, NPFROMPARENTCOMPANYOWNERS::DOUBLE AS profit FROM
          lc_maindatanew
           WHERE MARK = 1 AND (COMPANYCODE, ENDDATE) = (
             SELECT (COMPANYCODE, ENDDATE) FROM lc_maindatanew WHERE MARK = 1 AND ENDDATE >= DATE '2016-12-31'
             GROUP BY COMPANYCODE, ENDDATE ORDER BY count(DISTINCT NPFROMPARENTCOMPANYOWNERS) DESC,
               max(INFOPUBLDATE) - min(INFOPUBLDATE) DESC, COMPANYCODE, ENDDATE LIMIT 1)
           ORDER BY told"""
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
    names = {3: "first quarter", 6: "half year", 9: "third quarter", 12: "year"}
    medians = {}
    for (quarter, name), colour in zip(names.items(), (ORANGE, GREEN, BLUE, RED), strict=True):
        days = np.sort(known.days[known.quarter == quarter])
        left.plot(days, np.arange(1, len(days) + 1) / len(days), color=colour, label=name)
        medians[name] = int(np.median(days))
    left.set_xlabel("days since the end of the period")
    left.set_ylabel("share of companies that have reported")
    left.legend(fontsize=8, frameon=False)
    period = versions.period.iloc[0].date()
    right.step(versions.told, versions.profit / 1e8, where="post", color=BLUE)
    right.plot(versions.told, versions.profit / 1e8, "o", color=BLUE, markersize=4)
    right.axvline(pd.Timestamp(period), color=GREY, linestyle=":", linewidth=0.8)
    right.set_ylabel(f"profit of the period ending {period},\n100 million yuan, as last disclosed")
    right.set_xlabel("as-of day")
    right.tick_params(axis="x", rotation=30)
    right.xaxis.set_major_locator(mpl.dates.AutoDateLocator(maxticks=6))
    _save(figure, folder / "known-over-time.png")
    return (
        "reports: median days "
        + ", ".join(f"{name} {days}" for name, days in medians.items())
        + (f"; the period shown has {versions.profit.nunique()} different profits in {len(versions)} filings")
    )


def ratings(world: World, folder: Path) -> str:
    """A rating has a day on which it was decided and a day on which anybody could know it."""
    moves = world.read(
        """WITH graded AS (
             SELECT MAINCODE, CRDATE, INFOPUBLDATE, CRCODE, CRDESC, lag(CRCODE) OVER w AS was
             FROM bond_bdcreditgrading WINDOW w AS (PARTITION BY MAINCODE ORDER BY CRDATE, INFOPUBLDATE)),
           changed AS (SELECT g.*, b.INNERCODE FROM graded g JOIN bond_code b USING (MAINCODE)
                       WHERE was > 850 AND CRCODE > 850 AND CRCODE <> was AND INFOPUBLDATE >= DATE
                         '2016-06-01'),
           values AS (SELECT INNERCODE, ENDDATE, VPYIELD::DOUBLE AS y FROM bond_cbvaluationall WHERE
             CREDIBILITYCODE = 1),
           curve AS (SELECT ENDDATE, YIELD::DOUBLE AS base FROM bond_cbyieldcurve WHERE CURVECODE = 10 AND
             YIELDTYPECODE = 1
                     AND YEARSTOMATURITY = 3)
           SELECT c.MAINCODE, c.INFOPUBLDATE AS told, c.CRCODE < c.was AS down, date_diff('day',
             INFOPUBLDATE, v.ENDDATE) AS lag,
                  y - base AS spread
           FROM changed c JOIN values v ON v.INNERCODE = c.INNERCODE
                AND v.ENDDATE BETWEEN c.INFOPUBLDATE - INTERVAL 60 DAY AND c.INFOPUBLDATE + INTERVAL 60 DAY
           JOIN curve k ON k.ENDDATE = v.ENDDATE"""
    )
    waits = world.read(
        """SELECT date_diff('day', CRDATE, INFOPUBLDATE) AS days FROM bond_bdcreditgrading
           WHERE INFOPUBLDATE >= DATE '2016-06-01'"""
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
    steps = {}
    for down, name, colour in ((True, "downgrades", RED), (False, "upgrades", GREEN)):
        paths = (
            moves[moves.down == down]
            .pivot_table(index=["MAINCODE", "told"], columns="lag", values="spread")
            .ffill(axis=1)
        )
        change = paths.sub(paths.loc[:, -60:-21].mean(axis=1), axis=0)
        left.plot(change.columns, change.median(), color=colour, label=f"{name} ({len(paths)})")
        steps[name] = float(change.loc[:, 20:].mean(axis=1).median())
    left.axvline(0, color=GREY, linestyle=":", linewidth=0.8)
    left.set_xlabel("days from the rating's publication")
    left.set_ylabel("spread over the curve,\nmedian change, points")
    left.legend(fontsize=8, frameon=False)
    right.hist(waits.days.clip(0, 40), bins=np.arange(0, 42), color=BLUE)
    right.set_xlabel("days from the rating's date to its publication")
    right.set_ylabel("ratings")
    _save(figure, folder / "ratings.png")
    return (
        f"ratings: {len(waits)}, median wait {int(waits.days.median())} days, "
        f"{100 * float((waits.days > 0).mean()):.0f}% published later, "
        + (", ".join(f"spread {step:+.2f} points after {name}" for name, step in steps.items()))
    )


def membership(world: World, folder: Path) -> str:
    """Who was in an index, and when it was known."""
    spells = world.read(
        """SELECT SECUINNERCODE AS code, INDATE AS begins, coalesce(OUTDATE, DATE '2026-04-30') AS ends,
          OUTDATE IS NULL AS stays
           FROM lc_indexcomponent WHERE INDEXINNERCODE = 3001 ORDER BY begins, code"""
    )
    sizes = world.read(
        """WITH caps AS (
             SELECT p.INNERCODE, TRADINGDAY, percent_rank() OVER (PARTITION BY TRADINGDAY ORDER BY
               NEGOTIABLEMV) AS place
             FROM qt_performance p WHERE TRADINGDAY IN (SELECT max(TRADINGDAY) FROM qt_performance GROUP BY
               date_trunc('month', TRADINGDAY)))
           SELECT EXISTS (SELECT 1 FROM lc_indexcomponent i WHERE i.INDEXINNERCODE = 3001 AND
             i.SECUINNERCODE = c.INNERCODE
                  AND i.INDATE <= c.TRADINGDAY AND coalesce(i.OUTDATE, DATE '9999-01-01') > c.TRADINGDAY)
                    AS member, place FROM caps c"""
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), width_ratios=[1.5, 1])
    order = {code: number for number, code in enumerate(dict.fromkeys(spells.code))}
    for spell in spells.itertuples():
        left.hlines(
            order[spell.code], spell.begins, spell.ends, color=BLUE if spell.stays else GREY, linewidth=1.6
        )
    left.set_ylabel("companies, by first entry")
    left.set_xlabel("in the large-cap index (blue: still)")
    left.set_yticks([])
    left.set_xlim(pd.Timestamp("2015-12-01"), pd.Timestamp("2026-05-31"))
    bins = np.linspace(0, 1, 21).tolist()
    right.hist(
        [sizes.place[sizes.member], sizes.place[~sizes.member]],
        bins=bins,
        density=True,
        color=[BLUE, GREY],
        label=["members", "others"],
    )
    right.set_xlabel("place by free-float value at month end")
    right.set_ylabel("density")
    right.legend(fontsize=8, frameon=False)
    _save(figure, folder / "membership.png")
    gone = int((~spells.stays).sum())
    place = float(sizes.place[sizes.member].median())
    companies = spells.code.nunique()
    return f"membership: {companies} companies in {len(spells)} spells, {gone} ended; members' median place {place:.2f}"


def news(world: World, folder: Path) -> str:
    """Documents come with events; some come with nothing."""
    around = world.read(
        """WITH told AS (
             SELECT try_cast(trim(x) AS BIGINT) AS code, genre, published_at::DATE AS day
             FROM (SELECT genre, published_at, unnest(string_split(entities, ',')) AS x FROM documents
               WHERE market = 'CN')),
           reports AS (
             SELECT DISTINCT s.INNERCODE AS code, INFOPUBLDATE::DATE AS day FROM lc_maindatanew m
             JOIN secumain s ON s.COMPANYCODE = m.COMPANYCODE AND SECUCATEGORY = 1 WHERE INFOPUBLDATE >=
               DATE '2016-06-01')
           SELECT genre, date_diff('day', r.day, t.day) AS lag, count(*) / (SELECT count(*) FROM reports)
             AS per_report
           FROM reports r JOIN told t USING (code) WHERE t.day BETWEEN r.day - 20 AND r.day + 20 GROUP BY
             ALL ORDER BY lag"""
    )
    moves = world.read(
        """WITH told AS (
             SELECT DISTINCT try_cast(trim(x) AS BIGINT) AS code, published_at::DATE AS day
             FROM (SELECT published_at, unnest(string_split(entities, ',')) AS x FROM documents
                   WHERE market = 'CN' AND genre IN ('news', 'notice', 'filing'))),
           market AS (
             SELECT TRADINGDAY, avg(ln(CLOSEPRICE / PREVCLOSEPRICE)) AS m FROM qt_dailyquote WHERE
               PREVCLOSEPRICE > 0 GROUP BY TRADINGDAY),
           daily AS (
             SELECT INNERCODE AS code, TRADINGDAY::DATE AS day, ln(CLOSEPRICE / PREVCLOSEPRICE) - m AS r
             FROM qt_dailyquote JOIN market USING (TRADINGDAY) WHERE PREVCLOSEPRICE > 0),
           scaled AS (SELECT code, day, abs(r) / stddev(r) OVER (PARTITION BY code) AS z FROM daily)
           SELECT least(floor(z), 5) AS size, avg((EXISTS (SELECT 1 FROM told t WHERE t.code = s.code
                  AND t.day BETWEEN s.day - 1 AND s.day))::INT) AS with_document, count(*) AS n FROM scaled
                    s GROUP BY size ORDER BY size"""
    )
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8))
    for genre, colour in (("filing", BLUE), ("news", ORANGE), ("post", GREEN), ("notice", GREY)):
        part = around[
            (around.genre == genre) & (around.lag != 0 if genre == "filing" else around.lag == around.lag)
        ]
        left.plot(part.lag, part.per_report, color=colour, label=genre)
    left.set_xlabel("days from a company's report (its own filing left out)")
    left.set_ylabel("documents about it per day")
    left.legend(fontsize=8, frameon=False)
    right.bar(moves["size"], 100 * moves.with_document, color=BLUE)
    right.set_xticks(range(6), ["0-1", "1-2", "2-3", "3-4", "4-5", "5+"])
    right.set_xlabel("day's move beyond the market, deviations")
    right.set_ylabel("share with a document\nthat day or the day before, %")
    _save(figure, folder / "documents.png")
    return "documents: share with one, by size of move " + ", ".join(
        f"{100 * x:.0f}%" for x in moves.with_document
    )


def macro(world: World, folder: Path) -> str:
    """A figure of the economy has a first print and later ones."""
    prints = world.read(
        """SELECT period_end AS period, arg_min(value::DOUBLE, released_at) AS first,
          arg_max(value::DOUBLE, released_at) AS last,
                  date_diff('day', period_end, min(released_at)) AS wait, count(*) AS n
           FROM us_macro_vintage WHERE series = 'GDP' AND period_end >= DATE '2016-03-31' GROUP BY period
             ORDER BY period"""
    )
    figure, axes = plt.subplots(figsize=SIZE)
    axes.vlines(prints.period, prints["first"], prints["last"], color=GREY, linewidth=1)
    axes.plot(prints.period, prints["first"], "o", color=ORANGE, markersize=4, label="first print")
    axes.plot(
        prints.period,
        prints["last"],
        "o",
        color=BLUE,
        markersize=4,
        label="last revision before the snapshot",
    )
    axes.set_ylabel("GDP, % annualised growth (US side)")
    axes.legend(fontsize=8, frameon=False)
    _save(figure, folder / "vintages.png")
    revised = (prints["last"] - prints["first"]).abs()
    wait = int(prints.wait.median())
    return f"GDP: {len(prints)} quarters, median wait {wait} days, mean absolute revision {revised.mean():.2f} points"


def alerts(world: World, folder: Path) -> str:
    """What the last report before an alert said; no picture."""
    _ = folder
    found = world.read(
        """WITH told AS (
             SELECT COMPANYCODE, ENDDATE, min(INFOPUBLDATE) AS told,
                    arg_min(NPFROMPARENTCOMPANYOWNERS, INFOPUBLDATE)::DOUBLE AS profit
             FROM lc_maindatanew WHERE MARK = 1 GROUP BY COMPANYCODE, ENDDATE),
           grown AS (
             SELECT n.COMPANYCODE, n.ENDDATE, n.told, n.profit, n.profit < b.profit AS fell FROM told n
             JOIN told b ON b.COMPANYCODE = n.COMPANYCODE AND b.ENDDATE = n.ENDDATE - INTERVAL 1 YEAR),
           alert AS (
             SELECT s.COMPANYCODE, r.RISKALERTTYPE = 5 AS grave, g.fell, g.profit < 0 AS loss,
                    row_number() OVER (PARTITION BY r.ID ORDER BY g.told DESC, g.ENDDATE DESC) AS n
             FROM cs_riskalert r JOIN secumain s USING (INNERCODE)
             JOIN grown g ON g.COMPANYCODE = s.COMPANYCODE AND g.told <= r.IMPLANNOUCEDATE)
           SELECT CASE WHEN grave THEN '*ST' ELSE 'ST' END AS kind, count(*) AS n, avg(fell::INT) AS fell,
                  avg(loss::INT) AS loss FROM alert WHERE n = 1 GROUP BY kind
           UNION ALL SELECT 'all reports', count(*), avg(fell::INT), avg((profit < 0)::INT) FROM grown
           ORDER BY kind"""
    )
    return "before alerts: " + ", ".join(
        f"{row.kind} ({row.n}) {100 * row.fell:.0f}% fell, {100 * row.loss:.0f}% a loss"
        for row in found.itertuples()
    )


def books(world: World, folder: Path) -> str:
    """Price to book by year; no picture."""
    _ = folder
    found = world.read(
        """SELECT year(TRADINGDAY) AS year, quantile_cont(PB::DOUBLE, [0.01, 0.1, 0.5, 0.9, 0.99, 1.0]) AS q
           FROM lc_dindicesforvaluation WHERE PB IS NOT NULL GROUP BY year ORDER BY year"""
    )
    rows = [f"| {row.year} | " + " | ".join(f"{x:.3g}" for x in row.q) + " |" for row in found.itertuples()]
    return "\n".join(["price to book, 1%, 10%, 50%, 90%, 99%, largest:", *rows])


def indices(world: World, folder: Path) -> str:
    """Where the indices went, and what entrants of the large one did after they came in; no picture."""
    _ = folder
    levels = world.read(
        """SELECT INNERCODE, arg_max(CLOSEPRICE, TRADINGDAY)::DOUBLE AS level FROM qt_indexquote
           GROUP BY INNERCODE ORDER BY INNERCODE"""
    )
    after = world.read(
        """WITH market AS (SELECT TRADINGDAY AS day, avg(ln(CLOSEPRICE / PREVCLOSEPRICE)) AS m FROM qt_dailyquote
             WHERE PREVCLOSEPRICE > 0 AND CLOSEPRICE > 0 GROUP BY day),
           moves AS (SELECT i.ID, sum(ln(CLOSEPRICE / PREVCLOSEPRICE) - m) AS r FROM lc_indexcomponent i
             JOIN qt_dailyquote q ON q.INNERCODE = i.SECUINNERCODE AND q.TRADINGDAY >= i.INDATE
               AND q.TRADINGDAY < i.INDATE + INTERVAL 6 MONTH AND PREVCLOSEPRICE > 0 AND CLOSEPRICE > 0
             JOIN market ON day = q.TRADINGDAY WHERE i.INDEXINNERCODE = 3001 AND i.INDATE >= DATE '2016-06-01'
               AND i.INDATE <= DATE '2025-10-31' GROUP BY i.ID)
           SELECT avg(r)::DOUBLE AS mean, stddev(r) / sqrt(count(*)) AS error, count(*) AS n FROM moves"""
    ).iloc[0]
    together = world.read(
        """SELECT exp(sum(ln(even))) AS even, exp(sum(ln(whole))) AS whole FROM (
             SELECT avg(CLOSEPRICE / PREVCLOSEPRICE) AS even,
                    sum(p.TOTALMV::DOUBLE) / sum(p.TOTALMV::DOUBLE * PREVCLOSEPRICE / CLOSEPRICE) AS whole
             FROM qt_dailyquote q JOIN lc_dindicesforvaluation p USING (INNERCODE, TRADINGDAY)
             WHERE PREVCLOSEPRICE > 0 AND CLOSEPRICE > 0 GROUP BY TRADINGDAY)"""
    ).iloc[0]
    gain, error = 100 * after["mean"], 100 * after["error"]
    return (
        f"indices from 1,000 to {', '.join(f'{level:,.0f}' for level in levels.level)}; entrants of the first "
        f"{gain:+.0f}% beyond the market in half a year (error {error:.0f}, n {int(after.n)}); "
        f"all shares in equal parts {together.even:.2f}, by value {together.whole:.2f} times"
    )


def _save(figure: plt.Figure, path: Path) -> None:
    """Write a picture without a date in it."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


def main(database: str, target: str) -> None:
    """Draw all pictures into a folder, print a line of figures for each."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    world = World(duckdb.connect(database, read_only=True))
    for draw in (company, alerts, surprise, books, lags, ratings, membership, indices, news, macro):
        print(draw(world, folder))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python scripts/world_pictures.py WORLD.duckdb FOLDER")
    main(sys.argv[1], sys.argv[2])
