"""What the tests of tables share: a contract with every column type, and a table that satisfies it."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from finassay.grading import OutputContract


@pytest.fixture
def contract() -> OutputContract:
    return OutputContract.parse("""
    columns:
      - {name: code, aliases: [代码, 证券代码], type: code}
      - {name: date, aliases: [日期], type: date}
      - {name: revenue, aliases: [营收], type: number, unit: CNY, decimals: 2}
      - {name: margin, type: number, unit: percent, decimals: 2}
      - {name: shares, type: integer}
      - {name: industry}
      - {name: state, type: enumeration, values: {open: [开放], closed: [暂停]}}
      - {name: profitable, type: boolean}
    key: [code, date]
    """)


@pytest.fixture
def table() -> pa.Table:
    return pa.table({
        "code": ["600519.SH", "000001.SZ", "0700.HK"],
        "date": [dt.date(2024, 12, 31), dt.date(2024, 12, 31), dt.date(2025, 3, 31)],
        "revenue": [174_144_069_958.25, 146_695_000_000.0, -12.5],
        "margin": [91.93, 30.14, 52.9],
        "shares": [1_256_197_800, 19_405_918_198, 9_267_000_000],
        "industry": ["食品饮料", "银行", None],
        "state": ["open", "closed", "open"],
        "profitable": [True, True, False],
    })  # fmt: skip
