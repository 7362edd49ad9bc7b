"""Work in a process of its own, which is ended after a time limit."""

from __future__ import annotations

import os
import pickle
import select
import signal
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["apart"]


def apart(work: Callable[[], object], seconds: float) -> Any:  # noqa: ANN401 - what the work returns, or a text
    """Return what the work gives, or how it ended without that: "time limit" or "crash"."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(receive)
            with os.fdopen(send, "wb") as pipe:
                pickle.dump(work(), pipe)
        except BaseException:  # noqa: BLE001 - it must not go on as a second parent
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as pipe:
        is_ready = bool(select.select([pipe], [], [], seconds)[0])
        answer = pipe.read() if is_ready else b""
    if not is_ready:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not answer:
        return "crash" if is_ready else "time limit"
    return pickle.loads(answer)  # noqa: S301 - of our own process
