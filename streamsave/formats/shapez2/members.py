"""Layouts of the members of a save that are tables of records. Those of islands and states are in `objects`.

| member | pieces |
|---|---|
| maps/main/simulation/state.bin | Ticks now; i32 count; (Channel; Blob{ i32 count; (Signal, SignalTicks) each }) each |
| maps/main/cargo.bin | Blob{ 6 times: i32 count; (GlobalChunkCoordinate; Blob{state}) each } |
| maps/main/resource-chunks.bin | i32 count; (mark; i32 x, y; Blob{ mark; shapes; mark; fluids }) each |
| maps/main/trains.bin | i32 count; (mark; Blob{ Blob{navigation}; GlobalChunkCoordinate; Blob{fluids}; Blob{shapes} }) each |
| statistics.bin | 2 times: Blob{ Blob{stream}; i32 count; Blob{tracker} each } |
| maps/main/meta/ | Text |

The game writes a member from a buffer, often up to the end of the buffer: the bytes after the pieces are padding.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.decode.codecs import BOOL8, F32, I16, I32, I64, U8, Array, BuildContext, Codec, Map, Struct, encode_each, list_of
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.shapez2.layout import Blob, Mark, Record, Rows, Sequence, Tally
from streamsave.formats.shapez2.primitives import (
    CHANNEL,
    FLUID,
    FLUID_PACKAGE,
    GLOBAL_CHUNK,
    SHAPE,
    SHAPE_PACKAGE,
    SIGNAL,
    SIGNAL_TICKS,
    TEXT,
    TICKS,
    Counted8,
)
from streamsave.formats.shapez2.states import FLUID_EXCHANGER, SHAPE_EXCHANGER, TRANSFER

__all__ = ["MEMBERS"]

TALLY32: Final = Tally(I32)


def table(name: str, element: Codec) -> Record:
    """Return the layout of a count and elements that are walked one by one."""
    return Record(f"{name}s", count=TALLY32, elements=Sequence(element, tally="count"))


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
    return table(name, Record(name, position=GLOBAL_CHUNK, state=Blob(state.name, state)))


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


class Hold(Codec):
    """`i16` count, `i16` capacity, then packages."""

    def __init__(self, package: Codec) -> None:
        super().__init__(f"Hold of {package.name}", -1, 4)
        self._package = package

    def measure(self, cursor: Cursor, context: BuildContext) -> None:
        for _ in range(self._counts(cursor)[0]):
            self._package.measure(cursor, context)

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        count, capacity = self._counts(cursor)
        context.spend(count, 0)
        return {"capacity": capacity, "packages": [self._package.decode(cursor, context) for _ in range(count)]}

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, dict) or value.keys() != {"capacity", "packages"}:
            raise EditError(f"not a {self.name}", value, "a dict of capacity and packages")
        packages = list_of(value["packages"])
        I16.encode(len(packages), encoder)
        I16.encode(value["capacity"], encoder)
        encode_each(self._package, packages, encoder)

    def _counts(self, cursor: Cursor) -> tuple[i64, i64]:
        count = cursor.i16()
        if count < 0:
            raise cursor.damaged("number of packages", offset=cursor.tell() - 2, expected="0 or more", actual=count)
        return count, cursor.i16()


def cargo(name: str, package: Codec) -> Codec:
    """Return the layout of what the wagons of a train hold."""
    return Blob(name, Array(Struct("WagonCargo", None, wagon=I32, holds=Counted8(Hold(package)))))


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
