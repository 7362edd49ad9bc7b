"""Tables that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["html_table"]

#: Characters of a value that are shown.
SHOWN = 500


def html_table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Return a table of names and values as HTML. Texts of a save may be hostile: all are escaped."""
    from html import escape  # noqa: PLC0415 - only notebooks need it

    def shown(value: object) -> str:
        text = value if isinstance(value, str) else repr(value)
        return escape(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")

    lines = [f"<tr><th style='text-align:left'>{escape(name)}</th><td>{shown(value)}</td></tr>" for name, value in rows]
    return f"<table><caption>{escape(title)}</caption>{''.join(lines)}</table>"
