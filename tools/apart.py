"""Work in a process of its own, which is ended after a time limit."""

from __future__ import annotations

import os
import pickle
import select
import signal
from collections.abc import Callable
from typing import Any

__all__ = ["apart"]


def apart(work: Callable[[], object], seconds: float) -> Any:  # noqa: ANN401 - what the work returns, or a text
    """Return what the work gives, or how it ended without that: "time limit" or "crash"."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        with os.fdopen(send, "wb") as pipe:
            pickle.dump(work(), pipe)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        answer = pipe.read() if select.select([pipe], [], [], seconds)[0] else b""
        if not answer:
            os.kill(child, signal.SIGKILL)
    killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
    if not answer:
        return "time limit" if killed else "crash"
    return pickle.loads(answer)  # noqa: S301 - of our own process
