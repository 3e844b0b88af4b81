"""What every executor promises, run over every one of them."""

from __future__ import annotations

import functools
import threading

import pytest

from finassay.core import ExitCode, InputError
from finassay.executor import JobError, WorkerLostError
from support import executor_jobs as jobs


def test_results_come_in_the_order_of_the_items(executor):
    assert executor.map(jobs.square, range(20), label="squares") == [number * number for number in range(20)]


def test_the_order_holds_where_later_items_end_first(executor):
    assert executor.map(jobs.slow_first, range(6), label="sleepers") == [0, 1, 2, 3, 4, 5]


def test_no_items_give_no_results(executor, cache):
    assert executor.map(jobs.square, [], label="nothing", cache=cache) == []


def test_items_may_be_an_iterator(executor):
    assert executor.map(jobs.square, iter([3, 4]), label="squares") == [9, 16]


def test_a_partial_binds_what_all_jobs_share(executor, cache):
    triple = functools.partial(jobs.sum_of_two, scale=3)
    assert executor.map(triple, [(1, 2), (3, 4)], label="sums", cache=cache) == [9, 21]


def test_a_job_cannot_change_its_callers_objects(executor):
    mine = [1]
    assert executor.map(jobs.append, [mine], label="appends") == [[1, 0]]
    assert mine == [1]


def test_equal_items_give_separate_results(executor):
    first, second = executor.map(jobs.append, [[1], [1]], label="appends")
    assert first == second
    assert first is not second


def test_every_item_is_tried_and_the_first_failure_is_named(executor):
    with pytest.raises(JobError) as caught:
        executor.map(jobs.fail_on_odd, [0, 2, 7, 4, 9], label="parity")
    message = str(caught.value)
    assert "2 of 5 jobs of 'parity' failed; the first is item 2, 7: ValueError: 7 is odd" in message
    assert [(failure.index, failure.item) for failure in caught.value.failures] == [(2, "7"), (4, "9")]


def test_the_traceback_of_the_job_comes_along(executor):
    with pytest.raises(JobError) as caught:
        executor.map(jobs.fail_on_odd, [1], label="parity")
    assert "executor_jobs.py" in caught.value.failures[0].traceback
    assert "in fail_on_odd" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("who", "code"),
    [
        (["candidate", "nobody"], ExitCode.FAILED),
        (["candidate", "input"], ExitCode.BAD_INPUT),  # 4, else 2, else 1: see worst_exit_code
    ],
)
def test_the_exit_code_is_the_worst_of_the_failures(executor, who, code):
    with pytest.raises(JobError) as caught:
        executor.map(jobs.blame, who, label="blame")
    assert caught.value.exit_code == code


def test_an_exception_of_any_other_kind_is_our_own_failure(executor):
    with pytest.raises(JobError) as caught:
        executor.map(jobs.fail_on_odd, [1], label="parity")
    assert caught.value.exit_code == ExitCode.INTERNAL


def test_a_result_that_cannot_travel_is_a_failure_of_its_job(executor):
    with pytest.raises(JobError, match="cannot pickle"):
        executor.map(jobs.unpicklable, [1], label="generators")


def test_an_item_that_cannot_travel_is_refused_before_any_job_runs(executor, tmp_path):
    with pytest.raises(InputError, match=r"Item 1, .* cannot be sent to a worker"):
        executor.map(jobs.recorded_square, [(str(tmp_path), 1), threading.Lock()], label="locks")
    assert list(tmp_path.iterdir()) == []


def test_an_executor_works_on_after_a_failure(executor):
    with pytest.raises(JobError):
        executor.map(jobs.fail_on_odd, [1], label="parity")
    assert executor.map(jobs.square, [3], label="squares") == [9]


def test_a_worker_that_dies_is_reported_and_the_executor_works_on(executor):
    if executor.name == "serial":
        pytest.skip("a serial job has no process of its own to lose")
    with pytest.raises(WorkerLostError, match="died"):
        executor.map(jobs.die, range(4), label="deaths")
    assert executor.map(jobs.square, [3], label="squares") == [9]


def test_libraries_get_one_thread_in_a_worker(executor):
    if executor.name == "serial":
        pytest.skip("a serial job runs with the threads of its caller")
    # OpenBLAS and MKL follow OMP_NUM_THREADS where their own variable is not set
    for openblas, openmp in executor.map(jobs.thread_limits, range(4), label="threads"):
        assert (openblas or openmp) == "1"
