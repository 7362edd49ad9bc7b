"""Palworld: what the byte arrays named `RawData` hold, for six ages of the game.

Each function writes one kind. What is in brackets on the format's page is written if the versions of the age ask for it; which
versions a blob names is noted beside its bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from writer.dialect import Dialect
from writer.primitives import bool32, counted, doubles, f32, f64, floats, fstring, i32, i64, join, sized, u8, u32
from writer.tags import BYTE, INT, NAME, Array, Fields, Prop, property_list

AnyProp = Prop[Any]

#: The first word of a key, as it is stored -> the whole key.
KEYS = {
    key[:8]: bytes.fromhex(key)
    for key in (
        "380b00de4949d7ce97df2d99c0c1c369",
        "7eb4ea129a1b5aff71aa71bcdf33d60e",
        "00000000000000000000000000000000",
        "e447387f9a4ec85e9aa6e88439bc16ad",
        "d925c003f24e88d81387fab0c706e66a",
        "dc66ee47d14346996bcde88d9a942a82",
        "49941d848a25a84b806e9675bff537dc",
        "c26b6f63d94ec4d508c43a99628b9e41",
        "5ce5d1372949215edc5ab593e15944e3",
        "d9c5b3a76b4af2e85f3e1d9c0d9c8b7a",
        "6cf6fc0f99489011f89c60b15e47464a",
        "e2593afb3f405e44e4d5abaa011eeed2",
    )
}
CHAIN = "380b00de"
NO_VERSIONS = 0
STILL_NO_VERSIONS = 1
FAULTY_VERSIONS = 2
VERSIONS = 3


@frozen(eq=False)
class Age:
    """A time of the game: what is written beside a blob, and the newest number of each version."""

    name: str
    kind: int
    numbers: Mapping[str, int] = field(factory=dict)

    def has(self, key: str, least: int = 1) -> bool:
        """Whether the game has that version."""
        return self.numbers.get(key, 0) >= least

    @property
    def end(self) -> bytes:
        """What follows the fields of each class."""
        return i32(0) if self.has(CHAIN) else b""

    def from_02(self, data: bytes) -> bytes:
        """What 0.2 brought."""
        return data if self.kind >= STILL_NO_VERSIONS else b""

    def from_03(self, data: bytes) -> bytes:
        """What 0.3 brought."""
        return data if self.kind >= FAULTY_VERSIONS else b""

    def from_05(self, data: bytes) -> bytes:
        """What 0.5 brought."""
        return data if self.kind >= VERSIONS else b""

    def since(self, key: str, data: bytes, least: int = 1) -> bytes:
        """What a version brought."""
        return data if self.has(key, least) else b""


_05 = {"7eb4ea12": 1, "00000000": 1, "e447387f": 1, "d925c003": 1, "6cf6fc0f": 1, "e2593afb": 1}
_06 = {**_05, CHAIN: 1, "dc66ee47": 1, "49941d84": 1}
_10 = {**_06, "e447387f": 4, "c26b6f63": 3, "5ce5d137": 1, "d9c5b3a7": 1}
AGES = {
    age.name: age
    for age in (
        Age("0.1", NO_VERSIONS),
        Age("0.2", STILL_NO_VERSIONS),
        Age("0.3", FAULTY_VERSIONS),
        Age("0.5", VERSIONS, _05),
        Age("0.6", VERSIONS, _06),
        Age("1.0", VERSIONS, _10),
    )
}


@frozen
class Blob:
    """The bytes of a `RawData`, and which versions it names beside that of the chain."""

    data: bytes
    keys: Sequence[str] = ()

    def props(self, age: Age) -> list[AnyProp]:
        """The property, and from 0.3 on that of its versions."""
        raw: AnyProp = Prop("RawData", Array(BYTE), self.data)
        if age.kind <= STILL_NO_VERSIONS:
            return [raw]
        if age.kind == FAULTY_VERSIONS:
            return [raw, Prop("CustomVersionData", Array(BYTE), bytes(12) + b"\x07" * 9)]
        if not self.data:
            return [raw, Prop("CustomVersionData", Array(BYTE), b"")]
        named = [key for key in (CHAIN, *self.keys) if age.has(key)]
        entries = counted(named, lambda key: KEYS[key] + i32(age.numbers[key]))
        return [raw, Prop("CustomVersionData", Array(BYTE), entries)]


def guid(number: int) -> bytes:
    """A GUID of that number."""
    return struct.pack("<4I", number, 0, 0xABCD, 0x1234)


def vector(*numbers: float) -> bytes:
    """A location."""
    return doubles(numbers or (1.0, -2.0, 3.0))


TURN = doubles((0.0, 0.0, 0.0, 1.0))
TRANSFORM = TURN + vector() + vector(1.0, 1.0, 1.0)


def item(name: str = "Wood") -> bytes:
    """An item."""
    return fstring(name) + guid(0) + guid(0)


def item_num(name: str = "Wood", count: int = 3) -> bytes:
    """Items of one kind."""
    return item(name) + u32(count)


def instance(number: int) -> bytes:
    """A character."""
    return guid(number) + guid(number + 1)


PERMISSION = sized(b"\1") + sized(b"") + counted(["Berries"], fstring)


# --- characters, items ---


def parameters(name: str, dialect: Dialect) -> bytes:
    """The property list inside of a character or an egg."""
    values: list[AnyProp] = [Prop("CharacterID", NAME, name), Prop("Level", INT, 7)]
    return property_list([Prop("SaveParameter", Fields("PalIndividualCharacterSaveParameter", "/Script/Pal"), values)], dialect)


def character(age: Age, dialect: Dialect, name: str = "SheepBall") -> Blob:
    """A player or a pal."""
    return Blob(parameters(name, dialect) + i32(0) + guid(1) + age.end, ["6cf6fc0f"])


def character_slot(age: Age) -> Blob:
    """A slot of a palbox."""
    return Blob(instance(2) + u8(0) + age.from_05(u8(0)) + age.end)


def item_container(age: Age) -> Blob:
    """Which items it takes."""
    return Blob(PERMISSION + age.from_02(counted(["Stone"], fstring)) + age.end, ["00000000"])


def item_slot(age: Age) -> Blob:
    """A slot of a container."""
    return Blob(age.since("7eb4ea12", i32(4) + i32(5) + item()) + PERMISSION + f32(0.25) + age.end, ["7eb4ea12"])


def dynamic_items(age: Age, dialect: Dialect) -> list[Blob]:
    """An egg, armour, a weapon."""
    end = age.end
    base = guid(3) + guid(4)
    egg = fstring("SheepBall") + parameters("SheepBall", dialect) + i32(0) + guid(5) + end + end
    weapon = f32(0.5) + i32(6) + counted(["Skill"], fstring) + age.since("5ce5d137", fstring("text"))
    return [
        Blob(base + fstring("PalEgg_Fire_01") + end + egg, ["6cf6fc0f"]),
        Blob(base + fstring("Cloth") + end + f32(0.75) + end),
        Blob(base + fstring("Bow") + end + weapon + end, ["5ce5d137"]),
    ]


# --- groups, bases ---


def groups(age: Age) -> dict[str, Blob]:
    """One of each type that real worlds have."""
    end = age.end
    base = guid(6) + fstring("Group") + counted([7, 8], instance) + end
    organization = base + u8(2) + counted([9], guid) + end
    camps = organization + i32(3) + counted([10], guid) + fstring("Gilde \u00e9")
    roles = counted([11], lambda number: guid(number) + vector() + i32(2) + guid(12)) + sized(b"\1\2")
    player = guid(13) + i64(638_000_000) + fstring("Player") + age.since("e447387f", u8(1), 4)
    permissions = counted([1], lambda role: u8(role) + sized(b"\0\1"))
    guild = camps + age.since("e447387f", guid(14)) + age.since("e447387f", roles, 4) + end + guid(13)
    guild += i32(1) + player + age.since("e447387f", permissions, 4) + end
    return {"Neutral": Blob(base), "Organization": Blob(organization), "Guild": Blob(guild, ["e447387f"])}


def guild_extras(age: Age) -> dict[str, Blob]:
    """The chest, the research and the expedition of a guild."""
    lab = counted(["Handcraft1"], lambda name: fstring(name) + f32(2.5)) + fstring("Handcraft1")
    return {
        "GuildItemStorage": Blob(guid(15) + age.end),
        "Lab": Blob(lab + age.end),
        "Expedition": Blob(i32(22) + age.end),
    }


def base_camp(age: Age) -> Blob:
    """A base."""
    data = guid(16) + fstring("Base") + u8(1) + TRANSFORM + f32(3500.0) + guid(6) + TRANSFORM + guid(17)
    return Blob(data + age.end)


def worker_director(age: Age) -> Blob:
    """Who works in it."""
    return Blob(guid(16) + TRANSFORM + u8(1) + u8(2) + guid(18) + age.end)


def work_collection(age: Age) -> Blob:
    """What there is to do in it."""
    return Blob(guid(16) + counted([19, 20], guid) + age.end)


def camp_modules(age: Age) -> dict[str, Blob]:
    """The modules of a base; most are empty."""
    transport = counted([1], lambda _: counted([item_num()], bytes) + vector())
    effect = counted([3], lambda kind: u8(kind) + sized(u8(1) + age.end) + age.from_03(sized(i32(0))))
    return {
        "Energy": Blob(b""),
        "TransportItemDirector": Blob(transport + age.end),
        "PassiveEffect": Blob(effect + age.end),
    }


# --- the world ---


def foliage_model(age: Age) -> Blob:
    """A kind of plant in a cell."""
    return Blob(fstring("tree") + u8(3) + i64(-2) + i64(5) + i64(0) + age.end)


def packed(bits: int, numbers: Sequence[int], flag: int = 64) -> bytes:
    """A packed vector."""
    size = (bits + 7) // 8
    return u32(bits | flag) + join(number.to_bytes(size, "little", signed=True) for number in numbers)


def foliage_instances(age: Age) -> list[Blob]:
    """Plants: each way to write where they are."""
    places = [packed(20, (-350_790, 247_290, -255)), u32(0) + floats((1.0, 2.0, 3.0)), u32(64) + vector()]
    turns = [u8(0) + u8(1) + b"\0\x80" + u8(0), bytes(3), bytes(3)]
    return [
        Blob(guid(21 + at) + turns[at] + places[at] + f32(0.5) + i32(1000) + age.from_05(i64(9)) + age.end) for at in range(3)
    ]


def map_model(age: Age) -> Blob:
    """What all map objects have."""
    data = join(guid(at) for at in (30, 31, 16, 6)) + i32(90) + i32(100) + TRANSFORM + join(guid(at) for at in (32, 33, 34, 35))
    data += u8(1) + guid(36) + bool32(True) + i64(77) + age.from_03(i64(78)) + age.since("c26b6f63", i32(2), 3)
    return Blob(data + age.end, ["c26b6f63"])


def build_process(age: Age) -> Blob:
    """How far it is."""
    return Blob(u8(1) + guid(0) + age.end)


def connectors(age: Age) -> list[Blob]:
    """Without any connection; of stairs; of a foundation, which has one class more."""
    end = age.end

    def connect(index: int, *targets: int) -> bytes:
        return u8(index) + counted(targets, lambda target: guid(target) + u8(1))

    plain = i32(2) + connect(254)
    stairs = i32(2) + connect(254, 40) + end + connect(0, 41) + connect(1) + end
    foundation = i32(0) + connect(254) + end + join(connect(at, *range(42, 42 + at % 3)) for at in range(8)) + end + end
    return [Blob(plain + end), Blob(stairs), Blob(foundation), Blob(b"")]


def paint(age: Age) -> Blob:
    """Its colour."""
    return Blob(floats((1.0, 0.5, 0.25, 1.0)) + i32(0) + age.end if age.has(CHAIN) else b"")


# --- work ---


def works(age: Age) -> dict[str, Blob]:
    """Work of each type."""
    end = age.end
    base = guid(50) + vector() + TURN + vector() + vector() + f64(99.5) + guid(16) + guid(30) + guid(31) + u8(1)
    base += counted([1], lambda _: vector() + vector()) + u8(2) + fstring("Define") + u8(3) + u8(4) + bool32(True) + bool32(False)
    base += bool32(True) + end
    progress = f32(100.0) + i32(8) + age.since("d925c003", u8(1)) + f32(25.0) + f32(0.5) + end
    suits = counted([5], lambda kind: u8(kind) + floats((1.0, 2.0, 3.0))) + i32(0)
    place = u8(2) + guid(30) + end + end
    found = {
        "Repair": Blob(base + place),
        "Defense": Blob(base + u8(2) + end + place),
        "Progress": Blob(base + progress + place, ["d925c003"]),
        "ReviveCharacter": Blob(base + instance(51) + end + u8(1) + TRANSFORM + end),
        "MonsterFarm": Blob(base + u8(3) + guid(52) + guid(53) + end),
    }
    if age.has("d9c5b3a7"):
        found["Progress_MultiType"] = Blob(base + progress + suits + place, ["d925c003", "d9c5b3a7"])
    return found


def work_assign(age: Age, kind: str) -> Blob:
    """Who does it."""
    more = bytes((1, 2, 3)) + age.end if kind == "Progress_MultiType" else b""
    return Blob(guid(54) + i32(1) + u8(2) + instance(55) + u8(1) + bool32(True) + age.end + more)
