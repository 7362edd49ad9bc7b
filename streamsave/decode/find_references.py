"""Events -> the references to objects in them: what `build` would read is read, with the same errors, but no values are made."""

from __future__ import annotations

from streamsave.decode.build import JSON_ARRAY, build_opened
from streamsave.decode.reader import Reader
from streamsave.decode.references import add_references
from streamsave.events import BlobSkip, Damage, Event, Field, ObjectHeader, PropertyTag, StructEnter, StructExit

__all__ = ["find_opened"]


def find_opened(reader: Reader, event: Event, found: list[str]) -> None:
    """Collect what `references_in` finds in the value of `build_opened`. The exit of a nesting becomes `reader.last_exit`.

    Raises:
        TypeError: the event opens nothing.
        SaveError: the save is damaged, or `build_opened` would make more than `Limits` allows.
    """
    if isinstance(event, PropertyTag):
        inner = reader.open_value()
        if inner is None:
            reader.find_references(event, found)
        else:
            find_opened(reader, inner, found)
    elif isinstance(event, Field):
        reader.find_references(event, found)
    elif isinstance(event, StructEnter):
        _find_in_struct(reader, event, found)
    else:
        add_references(build_opened(reader, event), found)


def _find_in_struct(reader: Reader, enter: StructEnter, found: list[str]) -> None:
    script_struct = reader.script_struct(enter)
    if script_struct is not None:
        add_references(script_struct, found)
    is_list = enter.count >= 0 or enter.type_name == JSON_ARRAY
    while True:
        event = reader.next_event()
        reader.allowance.spend(reader.cursor)
        if isinstance(event, StructExit):
            reader.last_exit = event
            return
        if isinstance(event, (PropertyTag, Field, StructEnter)):
            reader.spend(1, 0 if is_list else len(event.name))
            find_opened(reader, event, found)
        elif isinstance(event, (BlobSkip, ObjectHeader)):
            reader.spend(1, 0)
            find_opened(reader, event, found)
        elif isinstance(event, Damage):
            raise event.error
        elif event is None:
            raise RuntimeError("a nesting was left open by its reader")
