"""Signals that end a process. `test_replaced_file.py` and `test_jobs.py` send them, to processes of their own."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from streamsave._ending import ending_well

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and file locks")


@posix
def test_handlers_are_there_only_meanwhile_and_never_instead_of_others():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ending_well():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@posix
def test_one_inside_another_changes_nothing():
    with ending_well():
        outer = signal.getsignal(signal.SIGTERM)
        with ending_well():
            assert signal.getsignal(signal.SIGTERM) is outer
        assert signal.getsignal(signal.SIGTERM) is outer


def test_in_another_thread():
    seen = []

    def run():
        with ending_well():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]
