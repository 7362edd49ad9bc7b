"""Small saves and codes of shapez 2 that together hold every construct, and big saves."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable, Iterator

from attrs import evolve

from writer.shapez2 import Building, Island, Save, State, write_save
from writer.shapez2_codes import Blueprint
from writer.shapez2_values import CONFIGURATIONS, OPAQUE_STATES, SHAPES, STATES, Value, any_kind, any_layout

CONFIGURED_BUILDINGS = {
    "LabelDefaultInternalVariant": "LabelConfig",
    "ConstantSignalDefaultInternalVariant": "SignalProducerConfig",
    "SandboxItemProducerDefaultInternalVariant": "ItemProducerConfig",
    "SandboxFluidProducerDefaultInternalVariant": "FluidProducerConfig",
    "ButtonDefaultInternalVariant": "ButtonConfig",
    "LogicGateCompareInternalVariant": "CompareGateConfig",
    "LogicGateCompareInternalVariantMirrored": "CompareGateConfig",
    "ControlledSignalReceiverInternalVariant": "GlobalSignalReceiverConfig",
    "ControlledSignalReceiverInternalVariantMirrored": "GlobalSignalReceiverConfig",
    "WireGlobalTransmitterReceiverInternalVariant": "GlobalSignalReceiverConfig",
}
RAILS = (
    "Forward LeftTurn RightTurn LeftFwdSplitter RightFwdSplitter YSplitter YSplitterFlipped TripleSplitter TripleSplitterFlipped"
    " RightFwdMerger LeftFwdMerger YMerger TripleMerger"
)
STATIONS = "TrainUnloader_Shapes TrainUnloader_Fluids TrainTransfer_Shape TrainTransfer_Fluid"
CONFIGURED_ISLANDS = {
    **{f"Rail_{name}": "RailConfig" for name in RAILS.split()},
    **{f"Layout_{name}{flip}": "TrainUnloaderConfig" for name in STATIONS.split() for flip in ("", "_Flipped")},
}
#: Without `InternalVariant` at the end; a trailing `*` means a mirrored one beside it.
BUILDINGS = """
    BeltDefaultForward BeltDefaultLeft* BeltFilterDefault* BeltPortReceiver BeltPortSender BeltReaderDefault*
    CrystalGeneratorDefault* CutterDefault* CutterHalf DisplayDefault ExtractorDefault FluidPortReceiver FluidPortSender
    HalvesSwapperDefault Lift1DownBackward Lift1DownForward Lift1DownLeft* Lift1UpBackward Lift1UpForward Lift1UpLeft*
    Lift2DownBackward Lift2DownForward Lift2DownLeft* Lift2UpBackward Lift2UpForward Lift2UpLeft* LogicGateAnd
    LogicGateIf* LogicGateNot Merger2To1L* Merger3To1 MergerTShape MixerDefault PainterDefault* PinPusherDefault
    Pipe2UpBackward Pipe2UpForward Pipe2UpLeft* PipeCross PipeForward PipeJunction PipeLeft* PipeUpBackward
    PipeUpForward PipeUpLeft* PumpDefault RotatorHalf RotatorOneQuadCCW RotatorOneQuad Splitter1To2L* Splitter1To3
    SplitterOverflowL* SplitterTShape StackerDefault* StackerStraight TrashDefault VirtualAnalyzerDefault*
    VirtualHalfCutterDefault VirtualRotatorDefault VirtualStackerDefault VirtualUnstackerDefault* WireDefault1UpBackward
    WireDefault1UpForward WireDefault1UpLeft* WireDefault2UpBackward WireDefault2UpLeft WireDefaultBridge
    WireDefaultCross WireDefaultForward WireDefaultJunction WireDefaultLeft* WireTransmitterReceiver
    WireTransmitterSender
"""
ISLANDS = """
    Foundation_1x1 Foundation_1x2 Foundation_1x2_Flipped Foundation_1x3 Foundation_1x4 Foundation_2x2 Foundation_2x3
    Foundation_2x4 Foundation_2x4_Flipped Foundation_3x3 Foundation_C5 Foundation_L3 Foundation_L4 Foundation_S4
    Foundation_T4 Layout_FluidMiner Layout_FluidMinerExtension Layout_Normal_1 Layout_ShapeMiner
    Layout_ShapeMinerExtension Layout_TrainQuickStation SpaceBelt_Forward SpaceBelt_LeftFwdMerger SpaceBelt_LeftTurn
    SpaceBelt_RightFwdMerger SpaceBelt_RightTurn SpacePipe_Forward SpacePipe_LeftFwdSplitter SpacePipe_LeftTurn
    SpacePipe_Lift1DownForward SpacePipe_RightFwdMerger SpacePipe_RightFwdSplitter SpacePipe_RightTurn
"""


def building_ids() -> list[str]:
    """All buildings without a configuration."""
    return [
        f"{name.rstrip('*')}InternalVariant{mirrored}"
        for name in BUILDINGS.split()
        for mirrored in (("", "Mirrored") if name.endswith("*") else ("",))
    ]


def configurations(name: str, ids: dict[str, str]) -> list[tuple[str, Value]]:
    """All sample configurations of an id."""
    return [(ids[name], value) for value in CONFIGURATIONS[ids[name]][1]]


def all_buildings() -> list[Building]:
    """One of each building, one of each configuration, and an unknown one."""
    places = ((x, y, z) for z in range(3) for y in range(-20, 40) for x in range(-20, 40))
    found = [Building(name, next(places), index % 4) for index, name in enumerate(building_ids())]
    for name in CONFIGURED_BUILDINGS:
        found += [Building(name, next(places), 0, each) for each in configurations(name, CONFIGURED_BUILDINGS)]
    found.append(Building("FutureInternalVariant", next(places), 3, ("FutureConfig", b"???")))
    return found


def all_islands() -> list[Island]:
    """One of each island, one of each configuration, and an unknown one."""
    places = ((x, -x, x % 3) for x in itertools.count(-50))
    found = [Island(name, next(places), index % 4) for index, name in enumerate(ISLANDS.split())]
    for name in CONFIGURED_ISLANDS:
        found += [Island(name, next(places), 1, each) for each in configurations(name, CONFIGURED_ISLANDS)]
    found.append(Island("FutureIsland", next(places), 0, ("FutureConfig", b"\0\1\2")))
    return found


def all_states(rng: random.Random) -> list[State]:
    """One of each state, made up, and those whose content is unknown."""
    found = [
        State("BeltDefaultForwardInternalVariant", (index, 0, 0), kind, any_layout(layout, rng))
        for index, (kind, layout) in enumerate(STATES.items())
    ]
    found += [State("BeltDefaultForwardInternalVariant", (0, 1, 0), kind, b"\1\2\3") for kind in [*OPAQUE_STATES, "FutureState"]]
    return [*found, State("LabelDefaultInternalVariant", (-1, -1, 2))]


def all_tables(rng: random.Random) -> dict[str, Value]:
    """Values of the members that are one value each, made up."""

    def some(kind: str, count: int) -> list[Value]:
        return [any_kind(kind, rng, {}) for _ in range(count)]

    def stations(kind: str, count: int) -> Value:
        rows = [{"position": any_kind("gcc", rng, {}), "state": any_kind(kind, rng, {})} for _ in range(count)]
        return {"count": count, "elements": rows}

    def tiles(count: int) -> list[Value]:
        return [{"x": rng.randrange(64), "y": rng.randrange(64)} for _ in range(count)]

    def wagon() -> Value:
        entry, leave = some("gcc", 2)
        turn = {"entry_direction": rng.randrange(4), "exit_direction": rng.randrange(4), "is_upside_down": rng.random() < 0.5}
        return {"entry": entry, "exit": leave, **turn, "state": rng.randrange(9), "progress": 0.5, "wait": 2.25}

    def cargo(kind: str) -> Value:
        return {"value": [{"wagon": each, "holds": [{"capacity": 9, "packages": some(kind, each)}] * each} for each in range(3)]}

    def train() -> Value:
        navigation: dict[str, Value] = {"color": rng.choice(["red", None]), "progress": 0.75, "state": 1, "is_upside_down": False}
        navigation |= {"wagons": [wagon() for _ in range(2)], "velocity": 1.5, "maximum_speed_ahead": 2.0}
        navigation |= {"acceleration": 0.125, "chunks_until_stop": 7.0, "is_stopped": False, "was_stopped": True, "stop_time": 12}
        navigation |= {"reserved": [{"position": each, "is_under": True} for each in some("gcc", 2)]}
        return {
            "data": {
                "navigation": navigation,
                "parent": any_kind("gcc", rng, {}),
                "fluids": cargo("fluids"),
                "shapes": cargo("shapes"),
            }
        }

    def half(key: Callable[[], Value]) -> Value:
        def bucket(count: int) -> list[Value]:
            return [(key(), rng.randrange(1 << 60)) for _ in range(count)]

        seconds = (1, 5, 60, 300, 3600)
        trackers: list[Value] = [
            {
                "last_bucket": 3,
                "capacity": 32,
                "interval": each * 9_604_980_000,
                "bucket_count": 2,
                "buckets": {"buckets": [bucket(2), bucket(0)]},
            }
            for each in seconds
        ]
        trackers += [{"value": bucket(3)}, *[{"version": 1, "start": 5, "count": each} for each in range(3)]]
        entries = [(key(), [{"time": rng.randrange(1 << 40), "amount": 4}] * count) for count in range(3)]
        return {"stream": {"total": 3, "entries": entries}, "trackers": trackers}

    chunk = {
        "x": -1,
        "y": 2,
        "resources": {
            "shape_count": 1,
            "shapes": [
                {"type": 1, "position": ("Coordinate", 1, 2, 0), "tile_count": 2, "shapes": SHAPES[:2], "tiles": tiles(2)}
            ],
            "fluid_count": 2,
            "fluids": [
                {"type": 1, "position": ("Coordinate", 5, 6, 0), "fluid": ("Fluid", "b"), "tiles": tiles(each)} for each in (1, 3)
            ],
        },
    }
    changes = [{"signal": each, "time": 12 * at} for at, each in enumerate(some("signal", 5))]
    return {
        "simulation": {
            "now": 34_577_928_000_000,
            "channel_count": 2,
            "channels": [
                {"channel_id": ("Channel", 2, 4), "history": {"value": changes}},
                {"channel_id": ("Channel", 6, 123), "history": {"value": []}},
            ],
        },
        "cargo": {
            "cargo": {
                "shape_loaders": stations("shapestation", 1),
                "fluid_loaders": stations("fluidstation", 1),
                "shape_unloaders": stations("shapestation", 0),
                "fluid_unloaders": stations("fluidstation", 2),
                "shape_transfers": stations("transfer", 1),
                "fluid_transfers": stations("transfer", 0),
            }
        },
        "resource_chunks": {"chunk_count": 2, "chunks": [chunk, {**chunk, "x": 7}]},
        "trains": {"train_count": 2, "trains": [train(), train()]},
        "statistics": {
            "shapes": half(lambda: ("Shape", rng.choice(SHAPES))),
            "rockets": half(lambda: rng.choice(["RocketGroup1", None])),
        },
    }


RESEARCH = {
    "Shapes": {"StoredShapes": {"CuCuCuCu": 7, "RuRuRuRu": 12345678901234567890}},
    "ResearchProgress": {"UnlockedUpgradeIds": ["RNCutter", "RNRotator"]},
    "LinearUpgrades": {"UpgradeLevels": {"BeltSpeed": 3}},
    "PlayerLevel": {"Level": 5, "Nested": [[1, 2.5], [], [{"a": None, "b": True}]]},
}
PLAYER = {"HUDData": {"TutorialState": {"CompletedTutorials": ["TPlaceBelt"]}}, "Viewport": {"X": -1.5, "Zoom": 2e3}}


def full_save(*, checkpoints: bool = True, padded: bool = True, version: int = 1138, seed: int = 1) -> Save:
    """A save with every building, island, configuration, state and member."""
    rng = random.Random(seed)
    islands = all_islands()
    islands[0].buildings = all_buildings()
    islands[-1].buildings = [Building("BeltDefaultForwardInternalVariant", (1, 2, 0), 2)]
    states = all_states(rng)
    half = len(islands) // 2
    return Save(
        version=version,
        checkpoints=checkpoints,
        padded=padded,
        name="every construct",
        research=RESEARCH,
        player=PLAYER,
        islands=[(half, islands[:half]), (len(islands) - half, islands[half:])],
        states=[(states[-9:], len(states), states), ([], 0, [])],
        extra={"my-mod-data.json": b'{"mod": true}', "maps/main/notes.bin": bytes(range(100))},
        **all_tables(rng),
    )


def small_save(**changes: Value) -> Save:
    """A save of two islands and three buildings."""
    label = Building("LabelDefaultInternalVariant", (2, 2, 1), 0, ("LabelConfig", "Hi"))
    belt = Building("BeltDefaultForwardInternalVariant", (8, 9, 0), 3)
    lane = ("LaneItem", ("Shape", "CuCuCuCu"), 5)
    save = Save(
        islands=[
            (
                2,
                [
                    Island("Foundation_1x1", (0, 0, 0), 0, None, [belt, label, belt]),
                    Island("Rail_Forward", (1, -1, 0), 2, ("RailConfig", [7])),
                ],
            )
        ],
        states=[([State("Foundation_1x1")], 1, [State(belt.id, (8, 9, 0), "ConveyorState", {"slots": [lane, None]})])],
    )
    return evolve(save, **changes)


def big_save(islands: int, buildings: int, *, checkpoints: bool = True, bundle: int = 500) -> Save:
    """A save of so many islands with so many buildings in all, made as it is written."""
    ids = building_ids()
    foundations = [name for name in ISLANDS.split() if name.startswith("Foundation")]

    def island(number: int) -> Island:
        count = buildings // islands + (number < buildings % islands)
        rng = random.Random(number)
        found = [Building(ids[rng.randrange(len(ids))], (at % 18, at // 18 % 18, at // 324), at % 4) for at in range(count)]
        if found:
            found[0] = Building("LabelDefaultInternalVariant", (0, 0, 0), 0, ("LabelConfig", f"line {number % 100}"))
        return Island(foundations[number % len(foundations)], (number % 200, number // 200, 0), number % 4, None, found)

    def state(number: int) -> State:
        lane = ("LaneItem", ("Shape", SHAPES[number % len(SHAPES)]), number)
        return State("BeltDefaultForwardInternalVariant", (number, 0, 0), "ConveyorState", {"slots": [lane, None]})

    def some(make: Callable[[int], object], first: int, count: int) -> Iterator[object]:
        return (make(number) for number in range(first, first + count))

    starts = range(0, islands, bundle)
    save = Save(checkpoints=checkpoints, name="big")
    save.islands = [(min(bundle, islands - at), some(island, at, min(bundle, islands - at))) for at in starts]  # type: ignore[misc]
    per = buildings // len(starts) if starts else 0
    save.states = [([], per, some(state, at * per, per)) for at in range(len(starts))]  # type: ignore[misc]
    return save


def save_bytes(save: Save) -> bytes:
    """A save as bytes."""
    file = io.BytesIO()
    write_save(save, file, level=9)
    return file.getvalue()


SAVES: dict[str, Callable[[], Save]] = {
    "checkpoints": full_save,
    "no-checkpoints": lambda: full_save(checkpoints=False),
    "unpadded": lambda: full_save(padded=False),
    "small": small_save,
    "backwards": lambda: small_save(order=lambda name: [-ord(letter) for letter in name]),
    "old": lambda: small_save(version=1057, checkpoints=False),
    "future": lambda: small_save(version=2000),
    "empty": Save,
}


def islands_blueprint(envelope: int) -> Blueprint:
    """A blueprint of every island, with every building on one."""
    islands = all_islands()
    islands[0].buildings = all_buildings()
    return Blueprint(islands, envelope)


def islands_maker(envelope: int) -> Callable[[], Blueprint]:
    """Make a function that makes the same blueprint."""
    return lambda: islands_blueprint(envelope)


CODES: dict[str, Callable[[], Blueprint]] = {
    **{f"islands-{envelope}": islands_maker(envelope) for envelope in range(1, 6)},
    "buildings": lambda: Blueprint(list(all_buildings()), 4),
    "backwards": lambda: evolve(islands_blueprint(5), backwards=True),
    "pretty": lambda: evolve(islands_blueprint(4), indent=2),
    "no-icons": lambda: Blueprint([Building("TrashDefaultInternalVariant")], 5, icons=[]),
}


# --- what can be wrong ---
