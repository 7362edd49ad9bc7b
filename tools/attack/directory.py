"""The directory of a zip archive made wrong: no entry may hide a member, nor give it the bytes of another.

| finding | when |
|---|---|
| silent | neither an error nor a loss is reported, but there are other events than those of the sound save |
"""

from __future__ import annotations

import random
import struct
from typing import Final

from attrs import field, frozen

import streamsave
from attack.contract import Finding, crash
from streamsave import ChunkStart, Damage, SaveError

ENTRY: Final = b"PK\1\2"
END: Final = b"PK\5\6"
ENTRY_SIZE: Final = 46
#: Offset and width in an entry: flags, method, CRC, sizes, length of the name, offset of the local header.
FIELDS: Final = ((8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (42, 4))
METHOD_TO_SIZES: Final = (10, 28)

Shape = tuple[tuple[str, object], ...]


@frozen
class Sound:
    """What the sound save gives."""

    shape: Shape = field(repr=False)


def entries_of(data: bytes) -> list[tuple[int, int]]:
    """Return where the entries of a sound archive's directory start and end; none where there is no archive."""
    end = data.rfind(END)
    if not data.startswith(b"PK\3\4") or end < 0:
        return []
    count, _, at = struct.unpack_from("<HII", data, end + 10)
    found: list[tuple[int, int]] = []
    for _ in range(count):
        if data[at : at + 4] != ENTRY:
            return []
        next_at = at + ENTRY_SIZE + sum(struct.unpack_from("<HHH", data, at + 28))
        found.append((at, next_at))
        at = next_at
    return found


def break_directory(data: bytes, draw: random.Random) -> tuple[bytes, str] | None:
    """Make one thing wrong in the directory; None where there is none."""
    entries = entries_of(data)
    if not entries:
        return None
    made = bytearray(data)
    start, end = draw.choice(entries)
    kind = draw.choice(("zeros", "field", "swap", "name", "copy"))
    if kind == "zeros":
        first, last = draw.choice((METHOD_TO_SIZES, (16, 28), (20, 28), (10, 12)))
        made[start + first : start + last] = bytes(last - first)
    elif kind == "field":
        offset, width = draw.choice(FIELDS)
        at = start + offset
        value = int.from_bytes(made[at : at + width], "little") + draw.choice((-1, 1, 2, -20, 8, 1 << 15))
        made[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")
    elif kind == "name":
        at = draw.randrange(start + ENTRY_SIZE, max(end, start + ENTRY_SIZE + 1))
        made[at] ^= 1 << draw.randrange(8)
    else:
        other, _ = draw.choice(entries)
        one = draw.choice(((42, 46), (10, 28), (16, 28)))
        places = [slice(at + one[0], at + one[1]) for at in (start, other)]
        made[places[0]], made[places[1]] = made[places[1]], made[places[0 if kind == "swap" else 1]]
    return bytes(made), f"directory entry at {start:#x}: {kind}"


def shape_of(data: bytes, mode: str) -> tuple[Shape, bool]:
    """Return what a save gives besides chunks, and whether something was reported."""
    found: list[tuple[str, object]] = []
    reported = False
    try:
        with streamsave.open(data, on_damage="resync" if mode == "resync" else "raise") as events:
            for event in events:
                if not isinstance(event, ChunkStart):
                    found.append((type(event).__name__, getattr(event, "name", getattr(event, "instance_name", ""))))
                reported |= isinstance(event, Damage)
    except SaveError:
        reported = True
    return tuple(found), reported


def silence(data: bytes, truth: Sound) -> list[Finding]:
    """Read a save with a broken directory in both modes."""
    for mode in ("raise", "resync"):
        try:
            shape, reported = shape_of(data, mode)
        except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
            return [crash(error, "directory")]
        if not reported and shape != truth.shape:
            detail = f"{mode}: {len(shape)} events, {len(truth.shape)} of the sound save, and nothing is reported"
            return [Finding("silent", detail, f"silent {mode}")]
    return []
