"""A process that does one piece of work after the other."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from streamsave._ending import ending_well
from streamsave.cli.worker import Answer, Worker, WorkerDied, how_to_begin

PATHS = (Path("out"), Path("err"))


def work(name: str, paths: tuple[Path, Path]) -> Answer:
    """Does what the name says. The process imports it from here."""
    if name == "dies":
        os._exit(3)
    if name == "signals":
        return Answer(0, f"{signal.getsignal(signal.SIGTERM)!r} {signal.pthread_sigmask(signal.SIG_BLOCK, ())}")
    if name == "raises":
        raise ZeroDivisionError(name)
    return Answer(len(name), f"{paths[0]} {os.getpid()}")


@pytest.fixture(params=["a copy of this process", "another process"])
def way(request) -> Iterator[str]:
    """How workers begin: this process has other threads, or it seems to have none."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    if request.param == "another process":
        thread.start()
    elif how_to_begin().get_start_method() != "fork":
        pytest.skip("this process has other threads")
    yield request.param
    ended.set()
    if thread.ident is not None:
        thread.join()


@pytest.fixture
def importable(monkeypatch) -> None:
    """Another process can import `work`."""
    monkeypatch.setattr(work, "__module__", "test_worker")
    monkeypatch.setitem(sys.modules, "test_worker", sys.modules[__name__])
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


@pytest.fixture
def worker(request) -> Iterator[Worker]:
    request.getfixturevalue("importable")
    made = Worker()
    yield made
    made.kill()
    made.close()


def answer(worker: Worker, name: str) -> Answer:
    worker.begin(work, name, PATHS)
    return worker.answer()


def test_one_process_for_all_work(worker):
    assert not worker.has_answer()
    one, other = answer(worker, "a"), answer(worker, "four")
    assert (one.code, other.code) == (1, 4)
    assert one.failure == other.failure != f"out {os.getpid()}"


@pytest.mark.slow
def test_what_it_raises_is_raised_here(worker):
    with pytest.raises(ZeroDivisionError, match="raises") as caught:
        answer(worker, "raises")
    assert "in work" in caught.value.__notes__[0]  # where it was raised there
    assert answer(worker, "b").code == 1


@pytest.mark.slow
def test_one_that_dies(worker):
    with pytest.raises(WorkerDied):
        answer(worker, "dies")
    assert worker.has_answer()
    with pytest.raises(WorkerDied):
        answer(worker, "a")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
def test_ctrl_c_is_not_blocked_afterwards(worker):
    assert answer(worker, "a").code == 1
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_no_copy_of_a_process_with_threads(way):
    assert how_to_begin().get_start_method() == {"a copy of this process": "fork", "another process": "spawn"}[way]


def test_workers_end_in_any_order():
    """A copy has the pipe of each worker before it, too, so that these do not see it end."""
    workers = [Worker() for _ in range(2)]
    for each in workers:
        each.close()
    assert multiprocessing.active_children() == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no signal masks here")
@pytest.mark.usefixtures("way", "importable")
def test_signals_end_a_worker_at_once():
    """Although this process raises an exception for them."""
    with ending_well():
        made = Worker()
        try:
            assert answer(made, "signals") == (0, f"{signal.SIG_DFL!r} set()")
            made.kill()
            made._process.join(60)
            assert made._process.exitcode == -signal.SIGTERM
        finally:
            made.close()
