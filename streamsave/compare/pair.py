"""An object in both saves, and what differs in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from streamsave.compare.value_differences import text_of, value_differences
from streamsave.events import ObjectHeader
from streamsave.output.flat_text import path_text

__all__ = ["Pair", "Report", "header_differences"]


class Pair:
    """An object in both saves, or in one of them; or no object: values that are in none."""

    def __init__(self, old: ObjectHeader | None, new: ObjectHeader | None) -> None:
        self.old: Final = old
        self.new: Final = new
        #: A summary has it already: differences of the objects inside may come between those of its own.
        self.is_summed = False


#: Takes a difference: the object, the path in it, and the values as JSON. "": the object itself was added or removed.
Report = Callable[[Pair, str, str | None, str | None], None]


def header_differences(old: ObjectHeader, new: ObjectHeader) -> list[tuple[str, str | None, str | None]]:
    """Return what differs between the headers of two objects: path, and both values as JSON."""
    found: list[tuple[str, str | None, str | None]] = []
    if not old._is_placed_like(new):
        before, after = old.transform, new.transform
        if before is None or after is None:
            texts = [None if place is None else text_of(place.translation) for place in (before, after)]
            found.append(("@position", texts[0], texts[1]))
        else:
            for name, first, second in (
                ("@position", before.translation, after.translation),
                ("@rotation", before.rotation, after.rotation),
                ("@scale", before.scale, after.scale),
            ):
                found += [(path_text(path), one, other) for path, one, other in value_differences((name,), first, second)]
    for name, text, other_text in (("@kind", old.kind, new.kind), ("@outer", old.outer, new.outer)):
        if text != other_text:
            found.append((name, text_of(text), text_of(other_text)))
    for name, number, other_number in (("@flags", old.flags, new.flags), ("@save_version", old.save_version, new.save_version)):
        if number != other_number:
            found.append((name, text_of(number), text_of(other_number)))
    if old.stored_flags != new.stored_flags:
        # What the save of one side does not store is false there.
        for name in ("need_transform", "was_placed_in_level", "migrate_references"):
            flag, other_flag = bool(getattr(old, name)), bool(getattr(new, name))
            if flag != other_flag:
                found.append((f"@{name}", text_of(flag), text_of(other_flag)))
    return found
