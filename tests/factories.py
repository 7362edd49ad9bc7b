"""A small factory: poles and a line between them, a circuit, belts and their chains, connections."""

from writer.primitives import Ref
from writer.satisfactory import Object, VersionData, World, release_header, save_bytes
from writer.tags import INT, OBJECT, Array, Prop
from writer.trailers import Chain, PowerLine, Segment

GAME = "/Game/FactoryGame/Buildable"
CONNECTION = "/Script/FactoryGame.FGPowerConnectionComponent"
BELT_CONNECTION = "/Script/FactoryGame.FGFactoryConnectionComponent"
LEVEL = "Persistent_Level"


def path(name: str) -> str:
    return f"Persistent_Level:PersistentLevel.{name}"


def to(name: str) -> Ref:
    return Ref(LEVEL, path(name))


def actor(class_name: str, name: str, *props: object, **more: object) -> Object:
    return Object(f"{GAME}/{class_name}.{class_name}", path(name), props, **more)


def part(class_name: str, owner: str, name: str, *props: object) -> Object:
    return Object(class_name, path(f"{owner}.{name}"), props, outer=path(owner))


def chain(name: str, *belts: str) -> Object:
    segments = [Segment(to(name), to(belt), indices=(-1, -1, number)) for number, belt in enumerate(belts)]
    trailer = Chain(to(belts[0]), to(belts[-1]), segments)
    return Object("/Script/FactoryGame.FGConveyorChainActor", path(name), (), trailer)


def factory(version: int = 46) -> bytes:
    wires = Array(OBJECT)
    objects = [
        part("/Script/Oracle.Inner", "PoleA.Power", "Inner"),
        part(CONNECTION, "PoleA", "Power", Prop("mWires", wires, [to("Line")])),
        actor("Build_PowerPole_C", "PoleA"),
        actor("Build_PowerPole_C", "PoleB"),
        part(CONNECTION, "PoleB", "Power", Prop("mCount", INT, 1), Prop("mWires", wires, [to("Line"), to("Other")])),
        actor("Build_PowerLine_C", "Line", trailer=PowerLine(to("PoleA.Power"), to("PoleB.Power"))),
        part(
            "/Script/FactoryGame.FGPowerCircuit",
            "Circuits",
            "One",
            Prop("mComponents", wires, [to("PoleA.Power"), to("PoleB.Power")]),
        ),
        actor("Build_Belt_C", "BeltA"),
        part(BELT_CONNECTION, "BeltA", "Out", Prop("mConnectedComponent", OBJECT, to("BeltB.In"))),
        actor("Build_Belt_C", "BeltB"),
        part(BELT_CONNECTION, "BeltB", "In", Prop("mConnectedComponent", OBJECT, to("BeltA.Out"))),
        actor("Build_Belt_C", "BeltC"),
        chain("ChainA", "BeltA"),
        chain("ChainBC", "BeltB", "BeltC"),
        actor("Build_Sign_C", "Sign", Prop("mTarget", OBJECT, to("PoleA"))),
    ]
    version_data = VersionData() if version >= 53 else None
    return save_bytes(World(release_header(version), objects=objects, version_data=version_data))
