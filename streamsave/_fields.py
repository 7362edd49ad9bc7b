"""The names of the fields of classes that are made with attrs, and of those that are written out by hand."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

__all__ = ["name_fields", "names_of_fields"]


def names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields of an attrs class; None of another class."""
    fields = getattr(cls, "__attrs_attrs__", None)
    return None if fields is None else tuple([field.name for field in fields])


def name_fields(cls: type, names: Iterable[str]) -> None:
    """Let attrs know the fields of a class that is written out by hand, besides those of its bases."""
    attrs.define(cls, these={name: attrs.field() for name in names}, init=False, eq=False, repr=False, slots=False)
