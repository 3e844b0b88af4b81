"""`make demo`: two studies on real prices, run in the jail, with their results and traces.

Uses the shared test data where it is (FINASSAY_SHARED, default ../shared), else the prices that bokeh-sampledata ships.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "demo-out"
SHARED_PRICES = "data/us_pystock_prices_sample_2015_2017.parquet"
COLUMNS = ["collected_date", "symbol", "date", "open", "high", "low", "close", "volume", "adj_close"]


def main() -> int:
    """Prepare the prices, run the studies, return the worst exit code."""
    market = OUT / "market"
    market.mkdir(parents=True, exist_ok=True)
    prices, source = real_prices()
    pa.parquet.write_table(prices, market / "prices.parquet")
    symbols = pc.count_distinct(prices["symbol"]).as_py()
    print(f"Prices: {source}\n  {prices.num_rows:,} rows, {symbols} symbols\n", flush=True)
    codes = [
        show("db", "info", str(market.relative_to(ROOT))),
        study("momentum.sql"),
        study("drawdown.json"),
    ]
    print(
        f"\nTraces and results are in {OUT.name}/: momentum/trace.json, drawdown/trace.json, drawdown/picture.png"
    )
    return max(codes)


def real_prices() -> tuple[pa.Table, str]:
    """Daily prices with the day on which each was collected, and where they come from."""
    shared = Path(os.environ.get("FINASSAY_SHARED", ROOT.parent / "shared")) / SHARED_PRICES
    if shared.exists():
        return pa.parquet.read_table(shared).select(COLUMNS), f"pystock-data (CC BY-SA 4.0), {shared.name}"
    import bokeh_sampledata

    table = pa.csv.read_csv(Path(bokeh_sampledata.__file__).parent / "_data" / "stocks.csv.gz")
    table = table.rename_columns(
        [name.lower().replace(" ", "_") for name in table.column_names]
    ).rename_columns({"ticker": "symbol"})
    # The closing price of a day is known that evening.
    return table.append_column("collected_date", table["date"]).select(
        COLUMNS
    ), "bokeh-sampledata (public domain)"


def study(name: str) -> int:
    """Run one example, keeping its trace."""
    out = OUT / Path(name).stem
    shutil.rmtree(out, ignore_errors=True)  # this script's own folder
    return show("run", f"examples/{name}", "--db", "demo-out/market", "--out", str(out.relative_to(ROOT)))


def show(*arguments: str) -> int:
    """Print a finassay command and run it."""
    print(f"$ finassay {shlex.join(arguments)}", flush=True)
    code = subprocess.run([sys.executable, "-m", "finassay", *arguments], cwd=ROOT, check=False).returncode
    print(flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
