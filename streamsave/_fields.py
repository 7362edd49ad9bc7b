"""The names of the fields of classes, made with attrs or written out by hand, and names that a caller gives."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

__all__ = ["each_of", "name_fields", "names_of_fields"]


def each_of(texts: str | Iterable[str]) -> list[str]:
    """Return the texts that a caller gave: one alone is one text, not its characters."""
    return [texts] if isinstance(texts, str) else list(texts)


def names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields of an attrs class; None of another class."""
    fields = getattr(cls, "__attrs_attrs__", None)
    return None if fields is None else tuple([field.name for field in fields])


def name_fields(cls: type, names: Iterable[str]) -> None:
    """Let attrs know the fields of a class that is written out by hand, besides those of its bases."""
    attrs.define(cls, these={name: attrs.field() for name in names}, init=False, eq=False, repr=False, slots=False)
