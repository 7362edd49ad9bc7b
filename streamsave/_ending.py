"""What a process leaves on disk when it is ended: nothing, or what the next process knows to be out of use.

| the process ends by | what it was writing |
|---|---|
| its work, an exception, Ctrl-C | is removed |
| SIGTERM, SIGHUP | is removed, then the signal ends the process |
| SIGKILL, a crash | is removed by the next process that writes there |

A process holds a lock on a file of its own (`_new_file`). The system releases the lock when the process ends, however it
ends; process numbers would not do: processes of other containers may share the folder.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["ending_well"]

#: Signals that end a process; those that the platform has.
SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Ended(BaseException):
    """A signal asks the process to end."""


@contextmanager
def ending_well() -> Iterator[None]:
    """Let signals that would end the process at once raise an exception first, so that it can clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def end(number: int, _: object) -> None:
        received.append(number)
        for each in caught:
            signal.signal(each, signal.SIG_IGN)  # cleaning up is not interrupted
        raise _Ended

    # What ignores a signal, as under `nohup`, or handles it, goes on to do that.
    caught = [number for number in SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in caught:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
        if received:
            os.kill(os.getpid(), received[0])
