"""Elements of damaged saves of which it is not certain what their headers say: each is lost as a whole, nothing of it is given.

An element has no size. Where it ends shows only a walk to its end, which goes past what is lost in it.
"""

from __future__ import annotations

from streamsave.decode.reader import Reader
from streamsave.errors import SaveError
from streamsave.events import Damage, Event, PropertyTag, StructEnter
from streamsave.formats.unreal.frames import MAP
from streamsave.formats.unreal.nestings import Nestings
from streamsave.formats.unreal.object_rows import ObjectRow
from streamsave.values import Loss

__all__ = ["find_end", "lose"]

#: The part of a pair after its value: only its exit is left.
PAIR_END = 3
#: How many nestings are open around those of a save game's properties.
OUTER_DEPTH = 1


def find_end(look: Reader, nestings: Nestings) -> int:
    """Walk to the end of the element that was just opened; return where that is, or -1 if no end is known.

    Args:
        look: the reader to walk with. It makes no objects, and passes over what is lost.
        nestings: its open nestings; the last one is that of the element or, of a map, that of the container.
    """
    depth = len(nestings.frames)
    last = nestings.frames[-1]
    try:
        while True:
            look.allowance.spend(look.cursor)
            event = _next(look)
            if len(nestings.frames) < depth or (last.kind == MAP and last.at == 0):
                return -1 if isinstance(event, Damage) else int(look.cursor.tell())
            if isinstance(event, (PropertyTag, StructEnter)):
                look.skip(event)
    except SaveError:  # the walk comes to it next, and says what is wrong
        return -1


def _next(look: Reader) -> Event | None:
    """Return the next event; what is lost, after a fault that something around it survives."""
    try:
        return look.walk()
    except SaveError as error:
        event = look.give_up(error)
        if event is None:
            raise
        return event


def lose(reader: Reader, nestings: Nestings, row: ObjectRow, end: int, error: SaveError) -> Event:
    """Give up the element that was just opened, and go to its end: return what is lost."""
    frame = nestings.frames[-1]
    path = nestings.path(())
    name = f"{row.names[-1]}[{int(frame.index)}]"
    start = int(reader.cursor.tell())
    if frame.kind == MAP:
        frame.at = 0
    else:
        nestings.pop(reader.cursor)
    reader.cursor.seek(end)
    if not error.path:
        error.path = path
    damage = Damage(start, end - start, error, Loss("object", name, path, end - start))
    reader.damage = damage
    reader.damage_depth = OUTER_DEPTH + nestings.depth()
    return damage
