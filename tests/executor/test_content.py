"""The hash of an item: the same for the same content in any process, another for any other content."""

from __future__ import annotations

import enum
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from finassay.core import InputError
from finassay.executor import hash_content


@dataclass(frozen=True)
class Config:
    seed: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class OtherConfig:
    seed: int
    names: tuple[str, ...] = ()


class Model(BaseModel):
    seed: int


class Side(enum.Enum):
    BUY = 1
    SELL = 2


DISTINCT = [
    None,
    False,
    0,
    0.0,
    -0.0,
    math.nan,
    "",
    "0",
    b"0",
    Decimal(0),
    Decimal("0.0"),
    date(2024, 1, 1),
    datetime(2024, 1, 1),  # noqa: DTZ001 - databases give such
    datetime(2024, 1, 1, tzinfo=UTC),
    timedelta(days=1),
    Path("a"),
    (),
    [],
    {},
    set(),
    frozenset(),
    ("ab", "c"),
    ("a", "bc"),
    (("a",), "b"),
    ("a", ("b",)),
    {"a": 1, "b": 2},
    {"b": 2, "a": 1},  # a function may go through a mapping in its order
    {"a": {"b": 1}},
    Config(1),
    Config(1, ("x",)),
    OtherConfig(1),
    Model(seed=1),
    Side.BUY,
    Side.SELL,
    np.array([1, 2]),
    np.array([[1, 2]]),
    np.array([1, 2], dtype="i4"),
    np.array([1.0, 2.0]),
    np.int64(1),
    pa.table({"a": [1, None]}),
    pa.table({"a": [1, 0]}),
]


def test_different_values_have_different_hashes():
    hashes = [hash_content(value) for value in DISTINCT]
    assert len(set(hashes)) == len(DISTINCT)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def exact(value):
    """A rendering that tells 1, 1.0 and True apart, as repr does."""
    return repr(value)


@given(json_like, json_like)
def test_hashes_are_equal_exactly_where_contents_are(one, other):
    assert (hash_content(one) == hash_content(other)) == (exact(one) == exact(other))


@given(st.sets(st.text()))
def test_a_set_has_no_order(members):
    backwards: set[str] = set()
    for member in sorted(members, reverse=True):
        backwards.add(member)
    assert hash_content(members) == hash_content(backwards)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_the_hash_does_not_depend_on_the_process(seed):
    program = "from finassay.executor import hash_content; print(hash_content({'ab', 'cd', 'ef', 'gh'}))"
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": seed},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert printed.strip() == hash_content({"ab", "cd", "ef", "gh"})


@pytest.mark.parametrize("value", [object(), (1, [object()]), np.array([object()]), hash_content])
def test_a_value_without_content_is_refused(value):
    with pytest.raises(InputError, match="content cannot be hashed"):
        hash_content(value)
