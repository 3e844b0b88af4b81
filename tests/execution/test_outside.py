"""What a program reaches for beside its database is noted, whether or not it catches the failure."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from finassay.execution import Outcome, Outside, Run, Submission, run

pytestmark = pytest.mark.jail
TRIED = "try:\n    {}\nexcept Exception:\n    cached = None\n"
HOSTS = {
    "urllib": ("import urllib.request; urllib.request.urlopen('http://a.example/x', timeout=1)", "a.example"),
    "an address": ("import socket; socket.create_connection(('192.0.2.7', 80), timeout=1)", "192.0.2.7"),
    "a datagram": (
        "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.8', 53))",
        "192.0.2.8",
    ),
    "pandas": ("import pandas as pd; pd.read_csv('https://b.example/x.csv')", "b.example"),
    "polars": ("import polars as pl; pl.read_parquet('https://c.example/x.parquet')", "c.example"),
    "a command": ("import subprocess; subprocess.run(['curl', 'https://d.example'], check=True)", "curl"),
    "a thread": (
        (
            "from concurrent.futures import ThreadPoolExecutor as T; import socket\n"
            "    list(T(1).map(socket.gethostbyname, ['e.example']))"
        ),
        "e.example",
    ),
    "asyncio": (
        "import asyncio; asyncio.run(asyncio.wait_for(asyncio.open_connection('192.0.2.9', 80), 1))",
        "192.0.2.9",
    ),
}
FILES = {
    "a pickle beside it": ("import pandas as pd; pd.read_pickle('cache.pkl')", "cache.pkl"),
    "Parquet elsewhere": ("import pandas as pd; pd.read_parquet('/var/tmp/x.parquet')", "/var/tmp/x.parquet"),
    "a CSV beside it": ("import pandas as pd; pd.read_csv('data.csv')", "data.csv"),
    "the user's cache": (
        "import os, pickle; pickle.load(open(os.path.expanduser('~/.cache/x.pkl'), 'rb'))",
        "~/.cache/x.pkl",
    ),
    "a path": ("from pathlib import Path; Path('answers/x.json').read_text()", "answers/x.json"),
    "a name that is put together": ("name = 'today'; open(f'cache_{name}.json').read()", "cache_today.json"),
    "polars": ("import polars as pl; pl.read_parquet('p.parquet')", "p.parquet"),
    "polars, late": ("import polars as pl; pl.scan_csv('late.csv').collect()", "late.csv"),
    "Arrow": ("import pyarrow.parquet as pq; pq.read_table('arrow.parquet')", "arrow.parquet"),
    "numpy": ("import numpy as np; np.load('cache.npy')", "cache.npy"),
    "a library, for the program": (
        "import shelve; shelve.open('cached_answers', flag='r')",
        "cached_answers",
    ),
}
LOOKED = {
    "os.path": ("import os; os.path.exists('cache.pkl')", "cache.pkl"),
    "pathlib": ("from pathlib import Path; Path('/var/tmp/cache.txt').exists()", "/var/tmp/cache.txt"),
    "glob": ("import glob; glob.glob('cache/*.csv')", "cache/*.csv"),
}
OWN = {
    "writes and reads": "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('m.csv')\npd.read_csv('m.csv')",
    "a temporary file": (
        "import os, tempfile\nimport pandas as pd\nwith tempfile.TemporaryDirectory() as t:\n"
        "    p = os.path.join(t, 'x.parquet')\n    pd.DataFrame({'a': [1]}).to_parquet(p)\n    pd.read_parquet(p)"
    ),
    "a library's own": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('picture.png')",
    "a time zone": "from zoneinfo import ZoneInfo\nZoneInfo('Asia/Shanghai')",
    "a new database": "import sqlite3\nsqlite3.connect('mine.db').execute('CREATE TABLE t (a)')",
    "itself": "import socket\nsocket.gethostbyname('localhost')",
    "statistics": "import scipy.stats\nscipy.stats.norm.cdf(0.5)",
    "pymysql": "import pymysql\npymysql.connect(host='127.0.0.1', user='me').cursor().execute('SELECT 1')",
    "SQLAlchemy": (
        "import os, sqlalchemy as sa\n"
        "with sa.create_engine(os.environ['DATABASE_URL']).connect() as c: c.execute(sa.text('SELECT 1'))"
    ),
    "DuckDB": "import os, duckdb\nduckdb.connect(os.environ['FINASSAY_DUCKDB'], read_only=True).execute('SELECT 1')",
}


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DuckDB file with one table."""
    path = tmp_path_factory.mktemp("market") / "market.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE quote AS SELECT 1 AS price")
    return path


def done(market: Path, code: str) -> Run:
    text = f"{code}\nresult = [{{'a': 1}}]\n"
    found = run(Submission("python", python_code=text, source="study.py"), f"duckdb:///{market}")
    assert found.trace.outcome is Outcome.OK, found.trace.error
    return found


def all_of(cases: dict[str, tuple[str, str]]) -> tuple[str, set[str]]:
    """Return one program that tries all, and what it reaches for."""
    return "".join(TRIED.format(call) for call, _ in cases.values()), {what for _, what in cases.values()}


def test_the_network(market: Path) -> None:
    code, wanted = all_of(HOSTS)
    assert set(done(market, code).outside.hosts) == wanted


def test_files_that_it_did_not_make(market: Path) -> None:
    code, wanted = all_of(FILES)
    found = done(market, code).outside
    # dbm tries the endings of several formats
    seen = {re.sub(r"\.(pag|dir|dat|bak|db)$", "", path) for path in found.files}
    assert (seen, found.hosts) == (wanted, ())


def test_files_that_it_asked_for(market: Path) -> None:
    code, wanted = all_of(LOOKED)
    found = done(market, code).outside
    assert (set(found.looked), found.files) == (wanted, ())


def test_what_is_its_own_is_not_outside(market: Path) -> None:
    code = "".join(f"{part}\n" for part in OWN.values())
    assert done(market, code).outside == Outside()
