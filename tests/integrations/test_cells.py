"""What of a notebook a cell needs."""

from __future__ import annotations

import pytest

from finassay.core import InputError
from finassay.integrations._cells import submission_of

BEFORE = [
    "import pandas as pd\nimport numpy as np\n%matplotlib inline",
    "def load(name):\n    return pd.DataFrame({'x': [SIZE]})\n",
    "SIZE = 3",
    "prices = load('prices')\nunused = load('other')",
    "prices['y'] = prices['x'] * 2\n",
    "this is no python",
    "!ls",
    "SIZE = 4",
]


def program(cell: str, before: list[str] = BEFORE) -> str:
    return submission_of(cell, before).python_code or ""


def test_a_cell_takes_what_defines_its_names_and_nothing_else():
    text = program("result = prices.sum()")
    assert "import pandas as pd" in text
    assert "def load" in text
    assert "prices['y'] = " in text
    assert "unused" not in text
    assert "numpy" not in text


def test_the_program_gives_what_the_notebook_gives():
    found: dict = {}
    exec(program("result = int(prices['y'].sum())", BEFORE[:5]), found)
    assert found["result"] == 6


def test_a_name_bound_anew_needs_no_older_value():
    assert program("result = SIZE", BEFORE).count("SIZE") == 2  # the last binding, and the use


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1 + 1", 2),
        ("x = 3\nx * 2", 6),
        ("x = 3\n(x *\n  2)", 6),
        ("result = 7\n5", 7),
        ("for result in [1, 2]:\n    pass", 2),
    ],
)
def test_the_last_expression_is_the_result(cell, value):
    found: dict = {}
    exec(program(cell, []), found)
    assert found["result"] == value


@pytest.mark.parametrize(
    "alteration", ["rows.append(2)", "rows[0] = 5", "rows += [1]", "import random\nrandom.shuffle(rows)"]
)
def test_what_alters_in_place_is_kept(alteration):
    assert alteration in program("result = rows", ["rows = [1]", alteration])


def test_a_statement_is_sql():
    found = submission_of("-- a note\nWITH a AS (SELECT 1 AS x) SELECT * FROM a", [])
    assert (found.mode, found.python_code) == ("sql", None)


def test_neither_is_refused():
    with pytest.raises(InputError, match="no Python that stands alone"):
        submission_of("%time x", [])
