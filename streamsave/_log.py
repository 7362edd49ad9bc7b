"""The one channel for what a program may want to know: warnings, and what was decided, through structlog.

| level | what | without a configuration of structlog |
|---|---|---|
| warning | a save that is newer than known, or cannot be read to its end while others are; a plugin that fails | to stderr |
| debug | which layout was chosen, what was spooled, what was lost to damage | nothing |

structlog is imported with the first warning: that takes 40 ms, and most saves give no reason to warn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["debug", "each_once", "quiet", "warn"]

#: What was said so far, where each warning comes once; None where all come.
_said: ContextVar[set[tuple[object, ...]] | None] = ContextVar("_said", default=None)
_is_quiet: ContextVar[bool] = ContextVar("_is_quiet", default=False)


@contextmanager
def each_once() -> Iterator[None]:
    """Let each warning come once: a command reads a save several times."""
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


@contextmanager
def quiet() -> Iterator[None]:
    """Let no warning come: what is read is our own output, and the save that it was made of had them."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn(event: str, **details: object) -> None:
    """Log a warning with the structlog configuration of the application; to stderr if it has none.

    Args:
        event: the text of the warning.
        details: values to write beside it.
    """
    if _is_quiet.get():
        return
    said = _said.get()
    if said is not None:
        key = (event, *details.items())
        if key in said:
            return
        said.add(key)
    import structlog  # noqa: PLC0415 - see above

    if structlog.is_configured():
        logger = structlog.get_logger("streamsave")
    else:
        logger = structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[structlog.processors.add_log_level, structlog.processors.KeyValueRenderer(key_order=["level", "event"])],
        )
    logger.warning(event, **details)


def debug(event: str, **details: object) -> None:
    """Log what was decided, if the application has configured structlog.

    Args:
        event: the text.
        details: values to write beside it.
    """
    structlog = sys.modules.get("structlog")
    if structlog is not None and structlog.is_configured() and not _is_quiet.get():
        structlog.get_logger("streamsave").debug(event, **details)
