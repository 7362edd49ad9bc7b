"""Layouts of what buildings, islands and cargo stations are doing, and of the members of a save that are tables of records.

A state has its layout by its id. Its parts:

| part | pieces |
|---|---|
| FastBeltPath | mark; i16 capacity; i16 compressed; Blob{ i32 count; Steps first; (BeltItem, Steps) each }; mark |
| BeltPath | mark; i32 count; BeltLane each; mark |
| Buffer | i32 count; Blob{ (BeltItem, Ticks) each } |
| Tank | FluidUnit; Fluid |
| Launcher | Fluid; FluidUnit; Ticks; Ticks |
| PathMerger | u8 count; 4 BeltLanes each; i16; u8 |
| PathSplitter | u8 count; BeltPath each; u8 |
| Bundle of T | 12 T, one a lane of a space belt |

Ids are those of the game; it has no names for fields, so those are ours. No save of the game itself was at hand to check the
layouts, so bytes after the known part of a state are passed over, not refused.

| member | pieces |
|---|---|
| maps/main/simulation/state.bin | Ticks now; i32 count; (Channel; Blob{ i32 count; (Signal, SignalTicks) each }) each |
| maps/main/cargo.bin | Blob{ 6 times: i32 count; (GlobalChunkCoordinate; Blob{state}) each } |
| maps/main/resource-chunks.bin | i32 count; (mark; i32 x, y; Blob{ mark; shapes; mark; fluids }) each |
| maps/main/trains.bin | i32 count; (mark; Blob{ Blob{navigation}; GlobalChunkCoordinate; Blob{fluids}; Blob{shapes} }) each |
| statistics.bin | 2 times: Blob{ Blob{stream}; i32 count; Blob{tracker} each } |
| maps/main/meta/ | Text |

The game writes a member from a buffer, often up to the end of the buffer: the bytes after the pieces are padding.

The module is long because each kind of building has a layout of its own.
"""

from __future__ import annotations

from typing import Final

from streamsave.decode.codecs import BOOL8, F32, I16, I32, I64, U8, Array, Codec, Map, Repeat, Struct
from streamsave.formats.shapez2.layout import Blob, Mark, Record, Rest, Rows, Sequence, Tally
from streamsave.formats.shapez2.primitives import (
    BELT_ITEM,
    BELT_LANE,
    CHANNEL,
    COLLAPSE,
    CONDUIT,
    FLUID,
    FLUID_PACKAGE,
    FLUID_UNIT,
    GLOBAL_CHUNK,
    SHAPE,
    SHAPE_PACKAGE,
    SIGNAL,
    SIGNAL_TICKS,
    STEPS,
    TEXT,
    TICKS,
    Counted,
)

__all__ = ["FLUID_EXCHANGER", "MEMBERS", "SHAPE_EXCHANGER", "STATES", "TRANSFER"]

TALLY8: Final = Tally(U8)
TALLY32: Final = Tally(I32)

# --- states ---

FAST_PATH: Final = Record(
    "FastBeltPath",
    start=Mark("fast-belt-path:start"),
    capacity=I16,
    compressed=I16,
    items=Blob(
        "FastBeltPathItems",
        Record(
            "FastBeltPathItems",
            item_count=TALLY32,
            first_item_distance=STEPS,
            items=Sequence(Struct("FastBeltPathItem", None, item=BELT_ITEM, next_item_distance=STEPS), tally="item_count"),
        ),
    ),
    end=Mark("fast-belt-path:end"),
)
BELT_PATH: Final = Record(
    "BeltPath",
    start=Mark("belt-path-state:start"),
    slot_count=TALLY32,
    slots=Sequence(BELT_LANE, tally="slot_count"),
    end=Mark("belt-path-state:end"),
)
BUFFER: Final = Record(
    "Buffer",
    item_count=TALLY32,
    items=Blob(
        "BufferItems",
        Record("BufferItems", items=Sequence(Struct("BufferItem", None, item=BELT_ITEM, time=TICKS), tally="item_count")),
    ),
)
TANK: Final = Struct("Tank", None, amount=FLUID_UNIT, fluid=FLUID)
LAUNCHER: Final = Struct("Launcher", None, fluid=FLUID, amount=FLUID_UNIT, time=TICKS, duration=TICKS)
PATH_MERGER: Final = Record(
    "PathMerger", input_count=TALLY8, lanes=Sequence(Repeat(BELT_LANE, 4), tally="input_count"), cursor=I16, next_input=U8
)
PATH_SPLITTER: Final = Record(
    "PathSplitter", output_count=TALLY8, paths=Sequence(BELT_PATH, tally="output_count"), next_output=U8
)


#: Lanes of a space belt, and of a station's track and bridges.
BUNDLE_LANES: Final = 12
STATION_LANES: Final = 3
FAST_BUNDLE: Final = Sequence(FAST_PATH, BUNDLE_LANES)


def lanes(count: int) -> Codec:
    """Return the layout of `count` lanes."""
    return Repeat(BELT_LANE, count)


#: Layouts by serialization id. States that the game itself cannot read are opaque.
STATES: Final[dict[str, Codec]] = {
    layout.name: layout
    for layout in (
        # --- buildings ---
        Record(
            "BeltFilterState",
            output_count=TALLY8,
            input=BELT_LANE,
            outputs=Sequence(BELT_LANE, tally="output_count"),
            signal=CONDUIT,
        ),
        Record("BeltPortReceiverDisabledState", lane=BELT_LANE),
        Record("BeltPortSenderBlockedState", lane=BELT_LANE),
        Record("BeltPortSenderDiscardState", lane=BELT_LANE),
        Record("BeltPortSenderToHubState", lane=BELT_LANE, path=FAST_PATH),
        Record("BeltPortSenderToSpacePathState", path=BELT_PATH, buffer=BUFFER),
        Record("BeltPortSenderTransferState", version=U8, path=FAST_PATH),
        Record("BeltReaderState", lanes=lanes(2)),
        Record("ControlledSignalReceiverState", signal=CONDUIT),
        Record("ControlledSignalTransmitterState", signal=CONDUIT),
        Record("ConverterHubProducerState", lane=BELT_LANE, progress=I32),
        Record("ConverterState", content=Rest("ConverterState is not readable")),
        Record("ConveyorState", slots=lanes(2)),
        Record(
            "CrystalGeneratorState",
            lanes=lanes(2),
            tank=TANK,
            fluid=FLUID,
            input_shape=SHAPE,
            output_shape=SHAPE,
            amount=FLUID_UNIT,
            times=Repeat(TICKS, 3),
        ),
        Record("DisplayState", signal=CONDUIT),
        Record("ExtractorState", lanes=lanes(2)),
        Record("FluidPortReceiverDisabledState", tank=TANK),
        Record("FluidPortSenderBlockedState", tank=TANK),
        Record("FluidPortSenderDiscardState", tank=TANK),
        Record("FluidPortSenderToSpacePipeState", tank=TANK, launcher=LAUNCHER),
        Record("FluidPortTransferState", input=TANK, launcher=LAUNCHER, output=TANK),
        Record("FluidStorageState", tank=TANK),
        Record("FullCutterState", lanes=lanes(5), collapses=Repeat(COLLAPSE, 2)),
        Record("HalfCutterState", lanes=lanes(3), collapses=Repeat(COLLAPSE, 2), is_flipped=BOOL8),
        Record("HalvesSwapperState", lanes=lanes(6), collapses=Repeat(COLLAPSE, 4), shapes=Repeat(SHAPE, 2)),
        Record("ItemProducerState", lane=BELT_LANE),
        Record("Lift1LayerState", lanes=lanes(3)),
        Record("Lift2LayerState", lanes=lanes(4)),
        Record("LogicGate2In1OutState", inputs=Repeat(CONDUIT, 2)),
        Record("LogicGateCompareState", inputs=Repeat(CONDUIT, 2)),
        Record("LogicGateIfState", inputs=Repeat(CONDUIT, 2)),
        Record("LogicGateNotState", input=CONDUIT),
        Record(
            "MergerState",
            input_count=TALLY8,
            inputs=Sequence(BELT_LANE, tally="input_count"),
            output=BELT_LANE,
            cursor=I16,
            next_input=U8,
        ),
        Record("MixerState", tanks=Repeat(TANK, 5), state=U8, time=TICKS, fluid=FLUID),
        Record("PainterState", lanes=lanes(2), tank=TANK, fluid=FLUID, amount=FLUID_UNIT, times=Repeat(TICKS, 3)),
        Record("PinPusherState", lanes=lanes(3), shape=SHAPE, collapse=COLLAPSE),
        Record("PipeGateState", tank=TANK, signal=CONDUIT),
        Record("RotatorState", lanes=lanes(3)),
        Record(
            "PrioritySplitterState",
            output_count=TALLY8,
            input=BELT_LANE,
            outputs=Sequence(BELT_LANE, tally="output_count"),
            next_output=U8,
        ),
        Record("SignalPortSenderBlockedState", signal=CONDUIT),
        Record("SignalPortTransferState", signal=CONDUIT),
        Record("SplitterState", output_count=TALLY8, input=BELT_LANE, outputs=Sequence(BELT_LANE, tally="output_count")),
        Record("StackerState", lanes=lanes(4), collapse=COLLAPSE),
        Record("TrashState", lanes=lanes(4)),
        Record("Virtual1InSimulationState", input=CONDUIT),
        Record("Virtual2InSimulationState", inputs=Repeat(CONDUIT, 2)),
        # --- islands ---
        Record("ConverterHubState", bundle_count=TALLY8, bundles=Sequence(FAST_BUNDLE, tally="bundle_count")),
        Record(
            "SpaceConverterState",
            input_count=TALLY8,
            output_count=U8,
            inputs=Sequence(FAST_BUNDLE, tally="input_count"),
            # The layout of a converter is unknown, and it has no length, so what follows it cannot be found.
            converters=Rest("converters of no known layout, and outputs"),
        ),
        Record("SpaceConveyorState", paths=FAST_BUNDLE),
        Record(
            "SpaceMergerState",
            mergers=Sequence(PATH_MERGER, BUNDLE_LANES),
            output_count=TALLY8,
            outputs=Sequence(FAST_BUNDLE, tally="output_count"),
        ),
        Record("SpacePathToBeltPortReceiverState", lane=BELT_LANE, path=FAST_PATH, buffer=BUFFER),
        Record("SpacePipeToFluidPortReceiverState", tank=TANK, launcher=LAUNCHER, buffer=BUFFER, lane=BELT_LANE),
        Record("ResearchStationState", content=Rest("ResearchStationState is not readable")),
        Record("SpaceSplitterState", splitters=Sequence(PATH_SPLITTER, BUNDLE_LANES)),
        Record("SpaceTrashState", content=Rest("SpaceTrashState is not readable")),
    )
}


def exchanger(name: str, package: Codec) -> Codec:
    """Return the layout of a station that loads or unloads."""
    return Record(
        name,
        version=U8,
        belts=Blob("ExchangerBelts", Record("ExchangerBelts", belts=Sequence(BELT_PATH, BUNDLE_LANES))),
        packages=Repeat(package, STATION_LANES),
        tracks=Sequence(BELT_PATH, STATION_LANES),
        has_bridges=BOOL8,
        bridges=Sequence(BELT_PATH, STATION_LANES),
    )


SHAPE_EXCHANGER: Final = exchanger("ShapeExchanger", SHAPE_PACKAGE)
FLUID_EXCHANGER: Final = exchanger("FluidExchanger", FLUID_PACKAGE)
#: A station that transfers: three lanes of track, three of the bridge in, three of the bridge out.
TRANSFER: Final = Record(
    "CargoTransfer",
    tracks=Sequence(BELT_PATH, STATION_LANES),
    bridges_in=Sequence(BELT_PATH, STATION_LANES),
    bridges_out=Sequence(BELT_PATH, STATION_LANES),
)


# --- maps/main/simulation/state.bin ---

SIMULATION: Final = Record(
    "Simulation",
    now=TICKS,
    channel_count=TALLY32,
    channels=Sequence(
        Record(
            "SignalChannel",
            channel_id=CHANNEL,
            history=Blob("SignalHistory", Array(Struct("SignalChange", None, signal=SIGNAL, time=SIGNAL_TICKS))),
        ),
        tally="channel_count",
    ),
)


# --- maps/main/cargo.bin ---


def stations(name: str, state: Codec) -> Codec:
    """Return the layout of all stations of one kind."""
    station = Record(name, position=GLOBAL_CHUNK, state=Blob(state.name, state))
    return Record(f"{name}s", count=TALLY32, elements=Sequence(station, tally="count"))


CARGO: Final = Record(
    "Cargo",
    cargo=Blob(
        "CargoStations",
        Record(
            "CargoStations",
            shape_loaders=stations("ShapeLoader", SHAPE_EXCHANGER),
            fluid_loaders=stations("FluidLoader", FLUID_EXCHANGER),
            shape_unloaders=stations("ShapeUnloader", SHAPE_EXCHANGER),
            fluid_unloaders=stations("FluidUnloader", FLUID_EXCHANGER),
            shape_transfers=stations("ShapeTransfer", TRANSFER),
            fluid_transfers=stations("FluidTransfer", TRANSFER),
        ),
    ),
)


# --- maps/main/resource-chunks.bin ---

OFFSET: Final = Struct("ChunkOffset", None, x=I32, y=I32)
#: A chunk is 64 x 64 places of islands; the game stores only the chunks that it has generated.
RESOURCE_CHUNKS: Final = Record(
    "ResourceChunks",
    chunk_count=TALLY32,
    chunks=Sequence(
        Record(
            "SuperChunk",
            checkpoint=Mark("super-chunk"),
            x=I32,
            y=I32,
            resources=Blob(
                "SuperChunkResources",
                Record(
                    "SuperChunkResources",
                    shape_checkpoint=Mark("super-chunk:shape-resources"),
                    shape_count=TALLY32,
                    shapes=Sequence(
                        Record(
                            "ShapeResource",
                            type=U8,
                            position=GLOBAL_CHUNK,
                            tile_count=TALLY32,
                            shapes=Sequence(TEXT, tally="tile_count"),
                            tiles=Sequence(OFFSET, tally="tile_count"),
                        ),
                        tally="shape_count",
                    ),
                    fluid_checkpoint=Mark("super-chunk:fluid-resources"),
                    fluid_count=TALLY32,
                    fluids=Sequence(
                        Record("FluidResource", type=U8, position=GLOBAL_CHUNK, fluid=FLUID, tiles=Array(OFFSET)),
                        tally="fluid_count",
                    ),
                ),
            ),
        ),
        tally="chunk_count",
    ),
)


# --- maps/main/trains.bin ---


def hold(package: Codec) -> Codec:
    """Return the layout of `i16` count, `i16` capacity, then packages."""
    name = f"Hold of {package.name}"
    return Counted(name, I16, 4, lambda count: Struct(name, None, capacity=I16, packages=Repeat(package, count)))


def each(codec: Codec) -> Codec:
    """Return the layout of `u8` count, then that many values."""
    return Counted(f"{codec.name}[]", U8, 1, lambda count: Repeat(codec, count))


def cargo(name: str, package: Codec) -> Codec:
    """Return the layout of what the wagons of a train hold."""
    return Blob(name, Array(Struct("WagonCargo", None, wagon=I32, holds=each(hold(package)))))


WAGON: Final = Struct(
    "Wagon",
    None,
    entry=GLOBAL_CHUNK,
    exit=GLOBAL_CHUNK,
    entry_direction=U8,
    exit_direction=U8,
    is_upside_down=BOOL8,
    state=U8,
    progress=F32,
    wait=F32,
)
NAVIGATION: Final = Record(
    "TrainNavigation",
    color=TEXT,
    progress=F32,
    state=U8,
    is_upside_down=BOOL8,
    wagons=Array(WAGON),
    velocity=F32,
    maximum_speed_ahead=F32,
    acceleration=F32,
    chunks_until_stop=F32,
    is_stopped=BOOL8,
    was_stopped=BOOL8,
    stop_time=TICKS,
    reserved=Array(Struct("ReservedRail", None, position=GLOBAL_CHUNK, is_under=BOOL8)),
)
TRAINS: Final = Record(
    "Trains",
    train_count=TALLY32,
    trains=Sequence(
        Record(
            "Train",
            checkpoint=Mark("TrainData"),
            data=Blob(
                "TrainData",
                Record(
                    "TrainData",
                    navigation=Blob("TrainNavigation", NAVIGATION),
                    parent=GLOBAL_CHUNK,
                    fluids=cargo("FluidCargo", FLUID_PACKAGE),
                    shapes=cargo("ShapeCargo", SHAPE_PACKAGE),
                ),
            ),
        ),
        tally="train_count",
    ),
)


# --- statistics.bin ---


def statistics(name: str, key: Codec) -> Codec:
    """Return the layout of deliveries by `key`: recent ones, five trackers (1 second to 1 hour), totals, three gauges."""
    bucket = Map(key, I64)
    buckets = Blob("StatisticsBuckets", Record("StatisticsBuckets", buckets=Sequence(bucket, tally="bucket_count")))
    over_time = Blob(
        "TimeTracker",
        Record("TimeTracker", last_bucket=I32, capacity=I32, interval=TICKS, bucket_count=TALLY32, buckets=buckets),
    )
    gauge = Blob("Gauge", Struct("Gauge", None, version=I32, start=I32, count=I32))
    entry = Struct("Delivery", None, time=TICKS, amount=U8)
    return Blob(
        name,
        Record(
            name,
            stream=Blob("DeliveryStream", Struct("DeliveryStream", None, total=I32, entries=Map(key, Array(entry)))),
            trackers=Rows("Trackers", [*[over_time] * 5, Blob("Totals", bucket), gauge, gauge, gauge]),
        ),
    )


STATISTICS: Final = Record(
    "Statistics",
    shapes=statistics("ShapeStatistics", SHAPE),
    rockets=statistics("RocketStatistics", TEXT),
)


#: Layouts by the name of the member.
MEMBERS: Final[dict[str, Record]] = {
    "maps/main/simulation/state.bin": SIMULATION,
    "maps/main/cargo.bin": CARGO,
    "maps/main/resource-chunks.bin": RESOURCE_CHUNKS,
    "maps/main/trains.bin": TRAINS,
    "statistics.bin": STATISTICS,
    "maps/main/meta/": Record("Meta", mods_type=TEXT),
}
