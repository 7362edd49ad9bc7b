"""Worlds with a lightweight subsystem: foundations and beams at places that tests know."""

from attrs import evolve
from saves import read
from writer.primitives import Ref
from writer.satisfactory import Object, VersionData, World, release_header, save_bytes
from writer.structs import DynamicStruct, PlayerHandle
from writer.tags import FLOAT, INT, Prop
from writer.trailers import Instance, Lightweight

from streamsave import ObjectHeader

SUBSYSTEM = "/Script/FactoryGame.FGLightweightBuildableSubsystem"
OWNER = "Persistent_Level:PersistentLevel.LightweightBuildableSubsystem"
FOUNDATION = "/Game/FactoryGame/Buildable/Building/Foundation/Build_Foundation_8x1_01.Build_Foundation_8x1_01_C"
BEAM = "/Game/FactoryGame/Buildable/Building/Beam/Build_Beam.Build_Beam_C"
NONE_OF = "/Game/FactoryGame/Buildable/Building/Wall/Build_Wall.Build_Wall_C"
RECIPE = "/Game/FactoryGame/Recipes/Recipe_Foundation.Recipe_Foundation_C"
#: SaveVersion -> the version of the subsystem that the game writes then.
VERSIONS = {46: 1, 52: 2, 53: 3, 58: 4, 60: 4}
#: What the names of instances end with, in their order.
NAMES = [f"Build_Foundation_8x1_01_C_{at}" for at in range(4)] + [f"Build_Beam_C_{at}" for at in range(3)]


def place(at: int) -> list[float]:
    """Rotation, translation and scale of an instance."""
    return [0.0, 0.0, 0.6, 0.8, 800.0 * at, -400.5, 100.0, 1.0, 1.0, 1.0 + at]


def instances(count: int, first: int) -> list[Instance]:
    """So many, each at its place."""
    recipe = Ref("", RECIPE)
    return [Instance(place(first + at), swatch=Ref("", f"/Game/Swatch_{at}"), recipe=recipe) for at in range(count)]


def beam(one: Instance, length: float) -> Instance:
    """The same with a length."""
    kind = Ref("", "/Script/FactoryGame.BuildableBeamLightweightData")
    return evolve(one, type_data=DynamicStruct(kind, [Prop("BeamLength", FLOAT, length)]), builder=PlayerHandle(1, 2))


def subsystem() -> Object:
    """Four foundations, no wall, three beams."""
    beams = [beam(one, 100.0 * at) for at, one in enumerate(instances(3, 4))]
    classes = [(Ref("", FOUNDATION), instances(4, 0)), (Ref("", NONE_OF), []), (Ref("", BEAM), beams)]
    return Object(SUBSYSTEM, OWNER, [Prop("mBefore", INT, 1)], Lightweight(classes), owner=Ref(), need_transform=True)


def world(version: int, one: Object | None = None) -> bytes:
    """A save with the subsystem between two other objects."""
    around = [Object("/Game/Wall.Wall_C", f"Persistent_Level:PersistentLevel.Wall_{at}", [Prop("m", INT, at)]) for at in range(2)]
    objects = [around[0], subsystem() if one is None else one, around[1]]
    data = VersionData() if version >= 53 else None
    return save_bytes(World(release_header(version), objects=objects, version_data=data))


def headers(data: bytes) -> list[ObjectHeader]:
    return [event for event in read(data) if isinstance(event, ObjectHeader) and event.kind == "lightweight"]
