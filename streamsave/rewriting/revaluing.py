"""Turn values of a JSON document into values of a save, with the types of the old values."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Final

import orjson

from streamsave._fields import names_of_fields
from streamsave.decode.build import header_members
from streamsave.decode.json_values import field_names, json_key, unescape
from streamsave.errors import EditError, shown_value
from streamsave.events import ObjectHeader
from streamsave.output.json_text import escaped, value_text
from streamsave.rewriting.assignments import converted
from streamsave.rewriting.json_difference import REFERENCE, are_same
from streamsave.rewriting.json_reader import JsonReader
from streamsave.rewriting.json_walk import LIKE, WRAPPED, canonical
from streamsave.values import Opaque, Text

__all__ = ["new_header", "revalued"]

#: Integers above this are rounded by programs that have only doubles.
LARGEST_EXACT: Final = 1 << 53
#: An integer of more than 64 bits, which JSON has as text.
WIDE: Final = re.compile(r"-?[0-9]{1,40}")
FLOATS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def new_header(event: ObjectHeader, document: JsonReader, at: int) -> dict[str, object]:
    """Return the members of the header of an object that differ in the document, with their new values.

    Args:
        event: the object.
        document: the document.
        at: offset of the object in the document.

    Raises:
        EditError: a member has another type.
    """
    old = header_members(event)
    document.seek(at)
    new = document.members(tuple(old))
    return {
        name: revalued(value, new[name])
        for name, value in old.items()
        if name in new and not are_same(orjson.loads(value_text(value)), new[name])
    }


def revalued(old: object, new: object) -> object:
    """Return the value that JSON shows as `new`, with the types of the old one.

    Args:
        old: the value of the save, as `build()` returns it.
        new: the value of the document.

    Raises:
        EditError: `new` is not like `old`.
    """
    if isinstance(new, dict) and WRAPPED in new:
        new = new[WRAPPED]
    elif isinstance(new, dict) and LIKE in new:
        new = {name: part for name, part in new.items() if name != LIKE}
    text = escaped(value_text(old))
    if canonical(new) == canonical(orjson.loads(text)):
        return old
    if isinstance(old, (bytes, Opaque)):
        return data_of(old, new)
    if isinstance(old, float) and isinstance(new, str) and new in FLOATS:
        return FLOATS[new]
    if isinstance(old, int) and not isinstance(old, bool):
        if isinstance(new, str) and WIDE.fullmatch(new):
            return int(new)
        if isinstance(new, float) and new.is_integer():
            new = int(new)
        if abs(old) > LARGEST_EXACT and isinstance(new, (int, float)) and new == float(old):
            return old  # rounded by a program that has only doubles
    if isinstance(old, str) and isinstance(new, dict) and new.keys() == {"escaped"}:
        return unescape(str(new["escaped"]))
    if isinstance(old, (list, tuple)) and isinstance(new, list):
        if isinstance(old, tuple) and len(new) != len(old):
            raise EditError("wrong number of elements", len(new), f"{len(old)}")
        parts = [revalued(old[min(index, len(old) - 1)], part) if old else part for index, part in enumerate(new)]
        return tuple(parts) if isinstance(old, tuple) else parts
    if isinstance(old, dict) and isinstance(new, dict):
        names = {json_key(name): name for name in old}
        if names.keys() != new.keys():
            raise EditError("other members", sorted(new), ", ".join(names))
        return {name: revalued(old[name], new[key]) for key, name in names.items()}
    if (
        isinstance(old, Text)
        and isinstance(new, dict)
        and canonical(new) == canonical(shown(old) | {"source": new.get("source")})
    ):
        return converted(old, new["source"])  # the text is also one of the fields
    if isinstance(new, dict) and not isinstance(old, (int, str)) and names_of_fields(type(old)):
        fields = field_names(type(old))
        if new.keys() != set(fields):
            raise EditError("other members", sorted(new), ", ".join(fields))
        is_reference = new.keys() == REFERENCE  # the index follows from the name
        values = {name: getattr(old, name) for name in fields}
        return type(old)(
            *[value if is_reference and name == "index" else revalued(value, new[name]) for name, value in values.items()]
        )
    if isinstance(new, dict):
        raise EditError("another kind of value", new, f"one like {shown_value(old)}")
    return converted(old, new)


def shown(value: object) -> dict[str, object]:
    """Return a value as JSON shows it, if that is an object; else {}."""
    members = orjson.loads(value_text(value))
    return members if isinstance(members, dict) else {}


def data_of(old: bytes | Opaque, new: object) -> bytes | Opaque:
    """Return the bytes that JSON shows as Base64.

    Raises:
        EditError: `new` is not of that form.
    """
    text = new.get("base64") if isinstance(new, dict) else None
    if not isinstance(text, str) or shown(old) | {"base64": text} != new:
        raise EditError("no such bytes", new, "those of the save, with another text in base64")
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        raise EditError("no Base64", text) from None
    return Opaque(data, old.reason) if isinstance(old, Opaque) else data
