"""Version gates of a `RawData`: which layout its versions ask for.

The property after it, `CustomVersionData`, holds the versions of this one value. Worlds are of four ages:

| age | `CustomVersionData` | game |
|---|---|---|
| `AGE_PLAIN` | is not there | 0.1 |
| `AGE_LATE_PLAIN` | is not there | 0.2 |
| `AGE_FAULTY` | is there, but holds no versions; or, from 0.3.3 on, like that of 0.5 | 0.3 |
| `AGE_VERSIONS` | `u32 n; n * (guid, i32 version)` | from 0.5 on |

Where two ages have the same, the size of a value shows which one it is of.
"""

from __future__ import annotations

import struct
from typing import Final, TypeAlias

from streamsave.decode.codecs import Array, Codec, Struct

__all__ = ["ENTRY_SIZE", "Gate", "Layout", "Member", "Versions", "layout", "read_versions"]

AGE_PLAIN: Final = 0
AGE_LATE_PLAIN: Final = 1
AGE_FAULTY: Final = 2
AGE_VERSIONS: Final = 3

#: `guid key; i32 version`
ENTRY: Final = struct.Struct("<16si")
ENTRY_SIZE: Final = ENTRY.size
NO_ENTRIES: Final = bytes(4)

# --- keys of versions, as they are stored, and the newest known number of each ---

CHAIN_KEY: Final = bytes.fromhex("380b00de4949d7ce97df2d99c0c1c369")
SLOT_KEY: Final = bytes.fromhex("7eb4ea129a1b5aff71aa71bcdf33d60e")
CONTAINER_KEY: Final = bytes(16)
GUILD_KEY: Final = bytes.fromhex("e447387f9a4ec85e9aa6e88439bc16ad")
PROGRESS_KEY: Final = bytes.fromhex("d925c003f24e88d81387fab0c706e66a")
PICKUP_KEY: Final = bytes.fromhex("dc66ee47d14346996bcde88d9a942a82")
DROP_KEY: Final = bytes.fromhex("49941d848a25a84b806e9675bff537dc")
MODEL_KEY: Final = bytes.fromhex("c26b6f63d94ec4d508c43a99628b9e41")
WEAPON_KEY: Final = bytes.fromhex("5ce5d1372949215edc5ab593e15944e3")
WORK_TYPE_KEY: Final = bytes.fromhex("d9c5b3a76b4af2e85f3e1d9c0d9c8b7a")
PROPERTIES_KEY: Final = bytes.fromhex("6cf6fc0f99489011f89c60b15e47464a")
CHARACTER_CONTAINER_KEY: Final = bytes.fromhex("e2593afb3f405e44e4d5abaa011eeed2")

#: Later versions are read like these, with a warning.
NEWEST: Final = {
    CHAIN_KEY: 1,
    SLOT_KEY: 1,
    CONTAINER_KEY: 1,
    GUILD_KEY: 4,
    PROGRESS_KEY: 1,
    PICKUP_KEY: 1,
    DROP_KEY: 1,
    MODEL_KEY: 3,
    WEAPON_KEY: 1,
    WORK_TYPE_KEY: 1,
    PROPERTIES_KEY: 1,
    CHARACTER_CONTAINER_KEY: 1,
}


class Versions:
    """The versions of one value: its age, and the numbers by key."""

    def __init__(self, age: int, numbers: dict[bytes, int]) -> None:
        self.age = age
        self.numbers = numbers

    def newer(self) -> bytes | None:
        """Return a key whose number is newer than known, None if there is none."""
        return next((key for key, number in self.numbers.items() if number > NEWEST.get(key, number)), None)


def read_versions(data: bytes | None) -> list[Versions]:
    """Return what the bytes of a `CustomVersionData` may stand for; None: there is no such property.

    No bytes at all: a value of an older game, that was kept.
    """
    if data is None:
        return [Versions(AGE_PLAIN, {}), Versions(AGE_LATE_PLAIN, {})]
    if not data:
        return [*read_versions(None), *read_versions(NO_ENTRIES)]
    count = int.from_bytes(data[:4], "little")
    if len(data) < 4 or len(data) != 4 + count * ENTRY_SIZE:
        return [Versions(AGE_FAULTY, {})]
    numbers = dict(ENTRY.iter_unpack(data[4:]))
    return [Versions(AGE_VERSIONS, numbers), Versions(AGE_FAULTY, numbers)]


class Gate:
    """What the versions of a value must be: of an age or later, and with a number of a key or more."""

    def __init__(self, age: int = AGE_PLAIN, key: bytes | None = None, least: int = 1) -> None:
        self.age = age
        self.key = key
        self.least = least

    def holds(self, versions: Versions) -> bool:
        """Return whether these versions have what the gate guards."""
        if self.key is not None and versions.numbers.get(self.key, 0) < self.least:
            return False
        return versions.age >= self.age


#: A second list in item containers, a flag of machines.
SINCE_LATE_PLAIN: Final = Gate(AGE_LATE_PLAIN)
#: A second time in map models, who locked a chest.
SINCE_FAULTY: Final = Gate(AGE_FAULTY)
#: Several fields, from game 0.5 on.
SINCE_VERSIONS: Final = Gate(AGE_VERSIONS)
#: An i32 0 after the fields of each class of the inheritance chain.
CHAIN: Final = Gate(key=CHAIN_KEY)
#: Slots of items: index, count and item before the rest.
SLOT_ITEM: Final = Gate(key=SLOT_KEY)
#: Guilds: who changed the name; markers, roles, permissions.
GUILD_NAME_MODIFIER: Final = Gate(key=GUILD_KEY)
GUILD_ROLES: Final = Gate(key=GUILD_KEY, least=4)
#: Work that progresses: a kind.
PROGRESS_KIND: Final = Gate(key=PROGRESS_KEY)
#: Things that can be picked up: who may.
PICKUP_OWNER: Final = Gate(key=PICKUP_KEY)
#: Things that drop items when hit: an i32 0.
DROP_RESERVED: Final = Gate(key=DROP_KEY)
#: Map models, breed farms, dropped characters of game 1.0.
MODEL_1_0: Final = Gate(key=MODEL_KEY, least=3)
#: Weapons: one more string.
WEAPON_TEXT: Final = Gate(key=WEAPON_KEY)
#: Properties are in it: of dynamic items, only eggs have some.
HAS_PROPERTIES: Final = Gate(key=PROPERTIES_KEY)


class Member:
    """One row of a layout: a name, a codec, or the rows of each element of an array, and the gate of the versions that have it.

    Without a gate, all have it.
    """

    def __init__(self, name: str, codec: Codec | Layout, gate: Gate | None = None) -> None:
        self.name = name
        self.codec = codec
        self.gate = gate


#: The name of a struct, and its rows.
Layout: TypeAlias = tuple[str, list[Member]]


def layout(versions: Versions, table: Layout) -> Struct:
    """Make the layout of one value of these versions. A name that comes again gets a number."""
    found: dict[str, Codec] = {}
    for row in table[1]:
        if row.gate is None or row.gate.holds(versions):
            name = row.name
            repeat = 2
            while name in found:
                name = f"{row.name}_{repeat}"
                repeat += 1
            found[name] = row.codec if isinstance(row.codec, Codec) else Array(layout(versions, row.codec))
    return Struct(table[0], None, **found)
