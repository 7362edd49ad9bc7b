"""The one channel for what a program may want to know: warnings, and what was decided, through structlog.

| level | what |
|---|---|
| warning | a newer save than known; one that is not read to its end while others are; an unknown type hint; a plugin that fails |
| debug | which layout was chosen, what was spooled, what was lost to damage |

If the application has not configured structlog, events go to the logger `streamsave` of `logging`: a line with the level, the
text and the fields. `logging` writes warnings to stderr until the application configures it.

structlog is imported with the first event: that takes 40 ms, and most saves give no reason to warn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

__all__ = ["debug", "each_once", "quiet", "warn", "warn_unread"]

#: Of the logger.
NAME: Final = "streamsave"

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
    _logger().warning(event, **details)


def warn_unread(save: str, error: Exception) -> None:
    """Log that a save is not read to its end: `on_damage="skip"`."""
    warn("save is not read to its end", save=save, error=str(error))


def debug(event: str, **details: object) -> None:
    """Log what was decided, if the application has configured structlog, or lets the logger `streamsave` log it.

    Args:
        event: the text.
        details: values to write beside it.
    """
    structlog, logging = sys.modules.get("structlog"), sys.modules.get("logging")
    if _is_quiet.get():
        return
    if (structlog and structlog.is_configured()) or (logging and logging.getLogger(NAME).isEnabledFor(logging.DEBUG)):
        _logger().debug(event, **details)


def _logger() -> Any:  # noqa: ANN401 - structlog's own word for its loggers
    """Return the logger of the application's structlog; or what writes to that of `logging`."""
    import logging  # noqa: PLC0415 - see above

    import structlog  # noqa: PLC0415

    if structlog.is_configured():
        return structlog.get_logger(NAME)
    return structlog.wrap_logger(
        logging.getLogger(NAME),
        [structlog.processors.add_log_level, structlog.processors.KeyValueRenderer(key_order=["level", "event"])],
    )
