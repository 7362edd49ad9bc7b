"""A process that does one piece of work after the other."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from streamsave.cli.worker import Answer, Worker, WorkerDied

PATHS = (Path("out"), Path("err"))


def work(name: str, paths: tuple[Path, Path]) -> Answer:
    """Does what the name says. The process imports it from here."""
    if name == "dies":
        os._exit(3)
    if name == "raises":
        raise ZeroDivisionError(name)
    return Answer(len(name), f"{paths[0]} {os.getpid()}")


@pytest.fixture
def worker(monkeypatch) -> Iterator[Worker]:
    monkeypatch.setattr(work, "__module__", "test_worker")
    monkeypatch.setitem(sys.modules, "test_worker", sys.modules[__name__])
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
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


def test_what_it_raises_is_raised_here(worker):
    with pytest.raises(ZeroDivisionError, match="raises") as caught:
        answer(worker, "raises")
    assert "in work" in caught.value.__notes__[0]  # where it was raised there
    assert answer(worker, "b").code == 1


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
