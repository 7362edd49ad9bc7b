"""Worlds of all eras of Satisfactory, to damage them: few objects, each unlike the others."""

from collections.abc import Callable

from satisfactory_layouts import header_of
from strategies import data_of
from truth import Sound
from writer.blueprint import Blueprint
from writer.primitives import Ref
from writer.satisfactory import Level, Object, World, save_bytes
from writer.tags import INT, STR, Prop

VERSIONS = [25, 28, 29, 36, 41, 46, 52, 58, 60]
BLUEPRINTS = [36, 46, 58]


def objects(prefix: str, count: int) -> list[Object]:
    """Actors and components of different sizes, each unlike the others."""
    found = []
    for at in range(count):
        props = [Prop("mNumber", INT, at), Prop("mName", STR, prefix * (1 + at % 5)), Prop("mIndex", INT, 7 * at)][: 1 + at % 3]
        is_actor = at % 3 == 0
        found.append(
            Object(
                f"/Game/{prefix}/One.One_C" if is_actor else "/Script/Oracle.Part",
                f"Persistent_Level:PersistentLevel.{prefix}_{at}",
                props,
                outer=None if is_actor else f"Persistent_Level:PersistentLevel.{prefix}_0",
                components=[Ref("Persistent_Level", f"{prefix}_{at}.Part")] * (at % 2) if is_actor else (),
            )
        )
    return found


def world(version: int) -> Sound:
    data = data_of(version)
    levels = [Level(name, objects(name, 9), [Ref("A", "B")], version_data=data) for name in ("Cell", "Next")]
    return Sound(save_bytes(World(header_of(version), levels if version >= 29 else [], objects("Main", 12), version_data=data)))


def blueprint(version: int) -> Sound:
    return Sound(Blueprint(version, objects("Blue", 12)).encode())


#: The function that makes it, and its SaveVersion.
SOUND: list[tuple[Callable[[int], Sound], int]] = [
    *((world, version) for version in VERSIONS),
    *((blueprint, version) for version in BLUEPRINTS),
]
