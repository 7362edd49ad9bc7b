"""The references to objects in built values."""

from __future__ import annotations

from streamsave._fields import names_of_fields
from streamsave.frequent_values import ObjectReference

__all__ = ["references_in"]

#: Class -> the names of its fields, if attrs has made it.
_field_names: dict[type, tuple[str, ...]] = {}


def references_in(value: object) -> list[str]:
    """Return the paths of the objects that a built value refers to: of all references that have a level and a path.

    References to assets have no level.
    """
    found: list[str] = []
    _add_references(value, found)
    return found


def _add_references(value: object, found: list[str]) -> None:
    """Add what `references_in` returns."""
    if value is None or isinstance(value, (str, int, float, bytes)):
        return
    if isinstance(value, ObjectReference):
        if value.level_name and value.path_name:
            found.append(value.path_name)
    elif isinstance(value, dict):
        for part in value.values():
            _add_references(part, found)
    elif isinstance(value, (list, tuple)):
        for part in value:
            _add_references(part, found)
    else:
        for name in _names(type(value)):
            _add_references(getattr(value, name), found)


def _names(kind: type) -> tuple[str, ...]:
    names = _field_names.get(kind)
    if names is None:
        names = _field_names[kind] = names_of_fields(kind) or ()
    return names
