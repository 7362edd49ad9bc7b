"""Warnings through structlog, which is imported with the first warning."""

from __future__ import annotations

import sys

__all__ = ["warn"]


def warn(event: str, **details: object) -> None:
    """Log a warning with the structlog configuration of the application; to stderr if it has none.

    Args:
        event: the text of the warning.
        details: values to write beside it.
    """
    import structlog  # noqa: PLC0415 - takes 40 ms, and most saves give no reason to warn

    if structlog.is_configured():
        logger = structlog.get_logger("streamsave")
    else:
        logger = structlog.wrap_logger(
            structlog.WriteLogger(sys.stderr),
            processors=[structlog.processors.add_log_level, structlog.processors.KeyValueRenderer(key_order=["level", "event"])],
        )
    logger.warning(event, **details)
