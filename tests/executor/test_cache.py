"""Finished results are kept: a killed job resumes, a changed program starts over, a damaged entry is not trusted."""

from __future__ import annotations

import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.executor import CorruptEntryWarning, JobError, ResultCache, code_version, open_executor
from support import executor_jobs as jobs


@pytest.fixture
def calls(tmp_path):
    folder = tmp_path / "calls"
    folder.mkdir()
    return folder


@pytest.fixture
def serial():
    return open_executor("serial")


def run(executor, calls, numbers, cache):
    """Return the results and which numbers were computed for them."""
    before = set(calls.iterdir())
    results = executor.map(
        jobs.recorded_square, [(str(calls), number) for number in numbers], label="squares", cache=cache
    )
    computed = sorted(int(path.name.partition("-")[0]) for path in set(calls.iterdir()) - before)
    return results, computed


def test_a_second_run_computes_nothing(executor, calls, cache):
    assert run(executor, calls, [1, 2, 3], cache) == ([1, 4, 9], [1, 2, 3])
    assert run(executor, calls, [1, 2, 3], cache) == ([1, 4, 9], [])


def test_only_new_items_are_computed(executor, calls, cache):
    run(executor, calls, [1, 3], cache)
    assert run(executor, calls, [0, 1, 2, 3], cache) == ([0, 1, 4, 9], [0, 2])


def test_executors_share_a_cache(executor, serial, calls, cache):
    run(serial, calls, [1, 2], cache)
    assert run(executor, calls, [1, 2], cache) == ([1, 4], [])


def test_after_a_failure_only_the_failed_items_are_tried_again(executor, calls, cache):
    tasks = [(str(calls), number) for number in (0, 1, 2)]
    for round_, tried in enumerate([3, 3 + 1]):  # all three; then item 1 alone
        with pytest.raises(JobError, match="1 of 3"):
            executor.map(jobs.recorded_fail_on_odd, tasks, label=f"round {round_}", cache=cache)
        assert len(list(calls.iterdir())) == tried


def test_the_type_of_an_item_counts(serial, cache):
    assert serial.map(jobs.square, [2], label="int", cache=cache) == [4]
    [result] = serial.map(jobs.square, [2.0], label="float", cache=cache)
    assert type(result) is float


def entries(cache):
    return [path for path in cache.folder.rglob("*") if path.is_file()]


def spoil_nothing(entry: bytes) -> bytes:
    return b""


def spoil_half(entry: bytes) -> bytes:
    return entry[: len(entry) // 2]


def spoil_a_bit(entry: bytes) -> bytes:
    return entry[:-2] + bytes([entry[-2] ^ 1]) + entry[-1:]


def spoil_the_head(entry: bytes) -> bytes:
    return entry.replace(b"finassay-result 1", b"finassay-result 9")


@pytest.mark.parametrize("spoil", [spoil_nothing, spoil_half, spoil_a_bit, spoil_the_head])
def test_a_damaged_entry_is_reported_computed_again_and_replaced(serial, calls, cache, spoil):
    run(serial, calls, [5], cache)
    [entry] = entries(cache)
    entry.write_bytes(spoil(entry.read_bytes()))
    with pytest.warns(CorruptEntryWarning, match=entry.name):
        assert run(serial, calls, [5], cache) == ([25], [5])
    assert run(serial, calls, [5], cache) == ([25], [])


def test_an_entry_under_another_entrys_name_is_not_trusted(serial, calls, cache):
    run(serial, calls, [5], cache)
    [five] = entries(cache)
    run(serial, calls, [6], cache)
    [six] = set(entries(cache)) - {five}
    six.write_bytes(five.read_bytes())
    with pytest.warns(CorruptEntryWarning, match="checksum"):
        assert run(serial, calls, [6], cache) == ([36], [6])


def test_no_temporary_file_is_left(serial, calls, cache):
    run(serial, calls, range(5), cache)
    assert {path.suffix for path in entries(cache)} == {".result"}


def test_the_folder_is_its_owners_alone(tmp_path):
    folder = ResultCache(tmp_path / "new" / "cache").folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        ResultCache(tmp_path / "file")


@pytest.mark.parametrize("function", [lambda number: number, "nested"])
def test_a_function_whose_code_has_no_version_is_refused(serial, cache, function):
    def nested(number):
        return number

    with pytest.raises(InputError, match="cannot be cached: it is not a named function"):
        serial.map(nested if function == "nested" else function, [1], label="lambda", cache=cache)


# A package on disk whose source changes between two runs of Python, as it does between two runs of a user

PACKAGE = {
    "shop/__init__.py": "",
    "shop/job.py": """
        import helper
        from .rates import RATE

        def price(number):
            from shop.late import extra
            return number * RATE + extra() + helper.shift()
    """,
    "shop/rates.py": "RATE = 2\n",
    "shop/late.py": "def extra():\n    return 0\n",
    "shop/unrelated.py": "",
    "helper.py": "def shift():\n    return 0\n",  # a script beside the package
}
MAIN = """
    import sys
    from shop.job import price
    from finassay.executor import ResultCache, open_executor
    class Counting(ResultCache):
        puts = 0
        def put(self, key, payload):
            Counting.puts += 1
            super().put(key, payload)
    cache = Counting(sys.argv[1])
    print(open_executor("serial").map(price, [1, 10], label="prices", cache=cache), Counting.puts)
"""


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))


@pytest.fixture
def shop(tmp_path):
    """Return a function that runs the package of this test and says what it printed."""
    write(tmp_path, PACKAGE)

    def run_it() -> str:
        command = [sys.executable, "-B", "-c", textwrap.dedent(MAIN), str(tmp_path / "results")]
        return subprocess.run(
            command, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout.strip()

    run_it.root = tmp_path
    return run_it


def test_an_unchanged_program_reuses_its_results(shop):
    assert shop() == "[2, 20] 2"
    assert shop() == "[2, 20] 0"


@pytest.mark.parametrize(
    ("changed", "printed"),
    [
        ({"shop/job.py": "def price(number):\n    return -number\n"}, "[-1, -10] 2"),
        ({"shop/rates.py": "RATE = 3\n"}, "[3, 30] 2"),
        ({"shop/late.py": "def extra():\n    return 1\n"}, "[3, 21] 2"),
        ({"helper.py": "def shift():\n    return 5\n"}, "[7, 25] 2"),
        ({"shop/__init__.py": "import shop.rates\nshop.rates.RATE = 5\n"}, "[5, 50] 2"),
    ],
    ids=[
        "its own module",
        "a module it imports",
        "one imported late",
        "a script beside it",
        "the package above it",
    ],
)
def test_a_changed_program_does_not_reuse_stale_results(shop, changed, printed):
    assert shop() == "[2, 20] 2"
    write(shop.root, changed)
    assert shop() == printed


def test_a_change_the_function_cannot_reach_keeps_its_results(shop):
    assert shop() == "[2, 20] 2"
    write(shop.root, {"shop/unrelated.py": "X = 1\n"})
    assert shop() == "[2, 20] 0"


def test_a_change_back_finds_the_old_results(shop):
    shop()
    write(shop.root, {"shop/rates.py": "RATE = 3\n"})
    shop()
    write(shop.root, PACKAGE)
    assert shop() == "[2, 20] 0"


def test_two_functions_of_one_module_have_two_versions():
    assert code_version(jobs.square) != code_version(jobs.slow_first)
