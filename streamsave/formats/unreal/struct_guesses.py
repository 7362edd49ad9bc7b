"""Which struct is in a set or map, whose old tags do not say it: hints and a look at the bytes do."""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import Codec
from streamsave.errors import DamagedSave, LimitExceeded, UnsupportedSave
from streamsave.formats.unreal.dialect import ROLES
from streamsave.formats.unreal.frames import Walk

__all__ = ["FITTING_SIZE", "fits", "struct_codec", "struct_hint"]

#: How many bytes of elements and pairs are tried before the guess is believed. A source that cannot go back keeps more than that.
FITTING_SIZE: Final = 256 * 1024
#: Nestings in a set or map that no hint names: what it removes and adds, and what is in these.
NO_NAMES: Final = frozenset((*ROLES, "removed", "added"))


def struct_codec(walk: Walk, role: str, type_name: str) -> Codec | None:
    """Return the codec of structs that are no property lists: by hint, by the tag's type, else a GUID."""
    return walk.dialect.struct(struct_hint(walk, role, type_name) or "Guid", -1)


def struct_hint(walk: Walk, role: str, type_name: str) -> str:
    """Return which struct is in the value of the last tag, by hint or by the tag's type; "" if neither says it.

    Args:
        walk: hints may be for its path.
        role: one of `ROLES`.
        type_name: what the tag says; "" if it does not.
    """
    dialect = walk.dialect
    hint = dialect.hints.get((walk.leaf.name, role), "")
    if dialect.path_hints and not hint:
        names = [step for step in walk.path() if isinstance(step, str) and step not in NO_NAMES]
        hint = next((struct for path, hinted, struct in dialect.path_hints if hinted == role and names[-len(path) :] == path), "")
    return hint or type_name or dialect.owner_hint(role)


def fits(walk: Walk, codec: Codec, count: i64, start: i64, end: i64) -> bool:
    """Return whether `count` values take exactly the bytes from `start` to `end`. The cursor stays where it is."""
    if codec.size >= 0:
        return count * codec.size == end - start
    cursor = walk.cursor
    spent = walk.build.spent()
    before = cursor.tell()
    outer = cursor.limit()
    cursor.seek(start)
    cursor.set_limit(end)
    try:
        codec.measure_many(cursor, walk, count)
        return cursor.tell() == end
    except (DamagedSave, UnsupportedSave, LimitExceeded) as error:
        if error is cursor.fault:
            raise
        return False
    finally:
        walk.build.restore(spent)
        cursor.seek(before)
        cursor.set_limit(outer)
