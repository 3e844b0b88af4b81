"""The text after --executor."""

from __future__ import annotations

import joblib
import pytest

from finassay.core import InputError
from finassay.executor import open_executor
from support import executor_jobs as jobs


@pytest.mark.parametrize(
    ("spec", "name", "workers"),
    [("serial", "serial", 1), ("loky:3", "loky", 3), ("loky", "loky", joblib.cpu_count())],
)
def test_forms(spec, name, workers):
    with open_executor(spec) as executor:
        assert (executor.name, executor.workers) == (name, workers)


def test_the_default_is_local_processes():
    assert open_executor().name == "loky"


@pytest.mark.parametrize(
    "spec",
    ["", "dask", "serial:2", "loky:", "loky:0", "loky:-1", "loky:two", "loky:²", "ray:", "ray:/x", "ray://"],
)
def test_another_text_is_refused_and_the_forms_are_named(spec):
    with pytest.raises(InputError, match=r"There is no executor .*\n.*loky:4, ray"):
        open_executor(spec)


def test_one_local_process_is_a_pool_too():
    with open_executor("loky:1") as executor:
        assert executor.map(jobs.square, range(3), label="squares") == [0, 1, 4]


@pytest.mark.parametrize("spec", ["serial", "loky:2"])
def test_closing_twice_is_harmless(spec):
    executor = open_executor(spec)
    executor.map(jobs.square, range(3), label="squares")
    executor.close()
    executor.close()
