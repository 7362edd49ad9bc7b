"""The fields of classes, made with attrs or by hand: their names, those that a caller gives, and a table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import attrs

__all__ = ["each_of", "html_table", "name_fields", "names_of_fields"]


def each_of(texts: str | Iterable[str]) -> list[str]:
    """Return the texts that a caller gave: one alone is one text, not its characters."""
    return [texts] if isinstance(texts, str) else list(texts)


def names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields of an attrs class; None of another class."""
    return _names_of_fields(cls)  # mypy does not take a class as an argument of a cached function


@cache
def _names_of_fields(cls: type) -> tuple[str, ...] | None:
    fields = getattr(cls, "__attrs_attrs__", None)
    return None if fields is None else tuple([field.name for field in fields])


def name_fields(cls: type, names: Iterable[str]) -> None:
    """Let attrs know the fields of a class that is written out by hand, besides those of its bases."""
    attrs.define(cls, these={name: attrs.field() for name in names}, init=False, eq=False, repr=False, slots=False)


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
