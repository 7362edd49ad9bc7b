"""The table of an Arx container made wrong: no entry is given the bytes of another, and what is lost is reported.

| finding | when |
|---|---|
| lie | an entry is given without damage, and no entry of its name was like that |
| silent | no entry has the content of one any more, and neither an error nor a loss is reported |

Not known, and so not compared: stored entries that do not start with a struct of the game, entities that a script has made, and
stubs; which of the levels is which: nothing in them says so.
"""

from __future__ import annotations

import random
import re
import struct
from typing import Final

from attrs import field, frozen
from writer.arx import DEFLATE, LEGACY

import streamsave
from attack.contract import Finding, crash
from streamsave import BlobSkip, Damage, ObjectHeader, SaveError

CHUNK_SIZE: Final = 8
WAYS: Final = ("field", "field", "chunk", "chunk", "zeros", "name", "swap", "copy", "chunks", "drop", "twice", "count")
STEPS: Final = (-1, 1, 2, -20, 8, 1 << 15)
#: How the reasons start why an entry is not read as what its name says: it is given as bytes.
PASSED: Final = ("entry of an unknown kind", "too short for a ")
#: Of IO_SAVE: whether a script has made the entity.
SCRIPTLOAD: Final = slice(452, 456)
#: Where an entity says which one it is; a stub, of something that was destroyed, does not.
STUB: Final = slice(12, 272)
LEVEL: Final = re.compile(r"lvl\d{3}")
#: Chunks that are elsewhere may change what follows: an imploded entry has no checksum.
HEAD_SIZE: Final = 272


@frozen
class Rows:
    """The contents of a sound container by names, and those whose loss shows."""

    contents: dict[str, set[bytes]] = field(repr=False)
    shown: set[bytes] = field(repr=False)
    #: Names of entries that are given as bytes.
    blobs: set[str] = field(repr=False)


def rows_of(data: bytes) -> tuple[int, list[bytes]]:
    """Return where the rows of a sound container start, and the rows."""
    (size,) = struct.unpack_from("<I", data)
    version, count = struct.unpack_from("<II", data, size + 4)
    start = at = size + 12
    rows: list[bytes] = []
    for _ in range(count):
        end = data.index(0, at) + 13
        (chunks,) = struct.unpack_from("<I", data, end - 8)
        end += CHUNK_SIZE * (1 if version < DEFLATE and not chunks else chunks)
        rows.append(data[at:end])
        at = end
    return start, rows


def truth_of_rows(data: bytes) -> Rows:
    """Read a sound container."""
    contents: dict[str, set[bytes]] = {}
    shown: set[bytes] = set()
    blobs: set[str] = set()
    with streamsave.open(data) as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                content = events.raw()
                contents.setdefault(event.instance_name, set()).add(content)
                is_gone = event.kind == "entity" and any(content[SCRIPTLOAD])
                if event.kind == "blob":
                    blobs.add(event.instance_name)
                elif not is_gone:
                    shown.add(content)
    return Rows(contents, shown, blobs)


def break_table(data: bytes, draw: random.Random) -> tuple[bytes, str] | None:
    """Make one thing wrong in the table; None where there is nothing to change."""
    start, rows = rows_of(data)
    first = int.from_bytes(data[start - 8 : start - 4], "little") == LEGACY
    if len(rows) < first + 2:
        return None
    one, other = draw.sample(range(int(first), len(rows)), 2)
    way = draw.choice(WAYS)
    made = [bytearray(row) for row in rows]
    row, numbers = made[one], made[one].index(0) + 1
    count = len(rows)
    if way in {"field", "chunk"}:
        places = range(numbers, numbers + 12, 4) if way == "field" else range(numbers + 12, len(row), 4)
        if not places:
            return None
        at = draw.choice(places)
        value = int.from_bytes(row[at : at + 4], "little") + draw.choice(STEPS)
        row[at : at + 4] = (value % (1 << 32)).to_bytes(4, "little")
    elif way == "zeros":
        begin, end = draw.choice(((0, 4), (8, 12), (0, 12), (4, 8)))
        row[numbers + begin : numbers + end] = bytes(end - begin)
    elif way == "name" and numbers > 1:
        row[draw.randrange(numbers - 1)] ^= 1 << draw.randrange(5)
    elif way in {"swap", "copy"}:
        numbers_there = made[other].index(0) + 1
        begin, end = draw.choice(((0, 4), (8, 12), (16, 20), (12, 20)))
        here, there = (slice(at + begin, at + end) for at in (numbers, numbers_there))
        row[here], made[other][there] = made[other][there], row[here] if way == "swap" else made[other][there]
    elif way == "chunks":
        names = [bytes(made[at][: made[at].index(0) + 1]) for at in (one, other)]
        rest = [bytes(made[at][made[at].index(0) + 1 :]) for at in (one, other)]
        made[one][:], made[other][:] = names[0] + rest[1], names[1] + rest[0]
    elif way == "drop":
        del made[one]
        count -= 1
    elif way == "twice":
        made[other][:] = row
    else:
        count += draw.choice((-1, 1, -2))
    return data[: start - 4] + count.to_bytes(4, "little") + b"".join(made), f"table: {way}"


def lies_of_table(data: bytes, truth: Rows) -> list[Finding]:
    """Read a container with a broken table in resync mode."""
    try:
        names, is_told = _sound_names(data, truth.blobs)
        contents = _contents(data)
    except SaveError:
        return []  # the table is refused
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        return [crash(error, "table")]
    given: set[bytes] = set()
    for name, content in zip(names, contents, strict=True):
        if not content:
            continue  # damaged, or empty, as the table says
        given.add(content)
        if name is None or ("_" in name and content[STUB] == bytes(len(content[STUB]))):
            continue
        known = _known(name, truth)
        if not any(content[:HEAD_SIZE] == other[:HEAD_SIZE] for other in known):
            return [Finding("lie", f"{name}: other data ({len(content)} bytes)", "lie row")]
    lost = truth.shown - given
    if lost and not is_told:
        gone = sorted(name for name, some in truth.contents.items() if some & lost)
        return [Finding("silent", f"missing: {gone[:5]}", "silent row")]
    return []


def _known(name: str, truth: Rows) -> set[bytes]:
    """Return what an entry of a name may be."""
    alike = [some for other, some in truth.contents.items() if LEVEL.fullmatch(other)] if LEVEL.fullmatch(name) else []
    return set().union(*(alike or [truth.contents.get(name) or set().union(*truth.contents.values())]))


def _sound_names(data: bytes, blobs: set[str]) -> tuple[list[str | None], bool]:
    """Return the names of the entries, None of those with damage, and whether anything was reported."""
    names: list[str | None] = []
    is_told = False
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                names.append(event.instance_name)
            elif isinstance(event, Damage):
                is_told = True
                if events.depth and names:
                    names[-1] = None
            elif isinstance(event, BlobSkip) and event.reason.startswith(PASSED):
                is_told |= names[-1] not in blobs
                names[-1] = None
    return names, is_told


def _contents(data: bytes) -> list[bytes | None]:
    """Return what the entries hold, None where that is damaged."""
    contents: list[bytes | None] = []
    with streamsave.open(data, on_damage="resync") as events:
        for event in events:
            if isinstance(event, ObjectHeader):
                try:
                    contents.append(events.raw())
                except SaveError:
                    contents.append(None)
    return contents
