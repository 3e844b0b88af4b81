"""Record what MariaDB answers to every construct of tests/database/dialect; print how the translation compares.

    python scripts/record_mysql_fixtures.py mysql://user:password@host:3306/database [--check]

The database must be empty: the tables of ``tables.yaml`` are created in it. Without ``--check`` the recorded answers
(``recorded.yaml``) are written anew, with the server's version.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "database" / "dialect"
sys.path.insert(0, str(FOLDER.parent.parent))

from database.dialect import support  # noqa: E402 - after the path is set


def connect(url: str) -> Any:
    import pymysql

    parts = urlsplit(url)
    return pymysql.connect(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 3306,
        user=unquote(parts.username or "root"),
        password=unquote(parts.password or ""),
        database=parts.path.lstrip("/"),
        charset="utf8mb4",
        autocommit=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args()
    server, local = connect(options.url), support.duckdb_connection()
    support.fill(server)
    total: Counter[str] = Counter()
    answers: dict[str, support.Answer] = {}
    for kind in support.kinds():
        counts: Counter[str] = Counter()
        for sql in support.constructs(kind):
            answers[sql] = support.on_mariadb(server, sql)
            counts[support.verdict(sql, answers[sql], support.on_duckdb(local, sql))] += 1
        print(support.line(kind, counts))
        total += counts
    print(support.line("all", total))
    if not options.check:
        with server.cursor() as cursor:
            cursor.execute("SELECT VERSION()")
            version = cursor.fetchone()[0]
        support.write_recorded(version, answers)
    return 1 if total["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
