"""Values of shapez 2 -> bytes: strings, items, signals, belts, states.

A layout is one line of text, as the game's own terms put it: `name:type` each, where a type is a word below, perhaps `*n` of it
or `*name` as many as that field said. The value of a layout is a dict by name, so what a reader builds can be held against it.
Small values are tuples that start with their name: `("Shape", "CuRuSuWu")`. Most of the file is the tables of these layouts.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

from attrs import define, field

NULL_TEXT = -(1 << 31)

Value = Any


def hash_name(name: str) -> int:
    """Hash a name, as the game does, for a checkpoint."""
    value = 523423
    for letter in name:
        value = (value + ord(letter)) % 2**32
        value = value * 1025 % 2**32
        value ^= value // 64
    value = value * 9 % 2**32
    value ^= value // 2048
    return value * 32769 % 2**32


@define
class Out:
    """Bytes that grow; strings go to a table, or inline where there is none."""

    checkpoints: bool = True
    table: dict[str, int] | None = None
    data: bytearray = field(factory=bytearray)

    def put(self, layout: str, *values: float) -> None:
        """Append numbers."""
        self.data += struct.pack("<" + layout, *values)

    def text(self, text: str | None) -> None:
        """Append a string."""
        if self.table is None:
            raw = None if text is None else text.encode()
            self.put("h", -1 if raw is None else len(raw))
            self.data += raw or b""
        else:
            self.put("i", NULL_TEXT if text is None else self.table.setdefault(text, len(self.table)))

    def mark(self, name: str) -> None:
        """Append a checkpoint."""
        if self.checkpoints:
            self.put("I", hash_name(name))

    def inner(self) -> Out:
        """Make an empty one for the content of a blob."""
        return Out(self.checkpoints, self.table)

    def blob(self, content: Out) -> None:
        """Append a blob."""
        self.mark("blob:start")
        self.put("i", len(content.data))
        self.data += content.data
        self.mark("blob:end")


# --- small values ---


def put_shape(out: Out, shape: Value) -> None:
    """Append a ShapeItem."""
    out.put("?", shape is not None)
    if shape is not None:
        out.text(shape[1])


def put_fluid(out: Out, fluid: Value) -> None:
    """Append a fluid."""
    out.put("?", fluid is not None)
    if fluid is not None:
        out.put("B", ord(fluid[1]))


def put_package(put: Callable[[Out, Value], None]) -> Callable[[Out, Value], None]:
    """Make a function that appends a package on the rails."""

    def put_it(out: Out, package: Value) -> None:
        out.put("h", package[1])
        if package[1]:
            put(out, package[2])

    return put_it


def put_item(out: Out, item: Value) -> None:
    """Append a belt item."""
    names = [None, "Shape", "FluidPackage", "FluidOnTrack", "ShapeOnTrack"]
    tag = names.index(item and item[0])
    out.put("B", tag)
    if tag == 1:
        put_shape(out, item)
    elif tag == 2:
        put_fluid(out, item[1])
        out.put("q", item[2])
    elif tag > 2:
        put_package(put_fluid if tag == 3 else put_shape)(out, item)


def put_signal(out: Out, signal: Value) -> None:
    """Append a signal; the two shortest integers have tags of their own."""
    if signal is None:
        out.put("B", 0)
        return
    kind, value = signal[1:]
    if kind == "Integer" and value in {0, 1}:
        out.put("B", 4 + value)
        return
    out.put("B", ["", "Null", "Conflict", "Integer", "", "", "Item", "Fluid"].index(kind))
    if kind == "Integer":
        out.put("i", value)
    elif kind == "Item":
        put_item(out, value)
    elif kind == "Fluid":
        put_fluid(out, value)


def put_lane(out: Out, item: Value) -> None:
    """Append a place on a belt."""
    out.put("?", item is not None)
    if item is not None:
        put_item(out, item[1])
        out.put("q", item[2])


def put_collapse(out: Out, collapse: Value) -> None:
    """Append what a cut leaves."""
    if collapse is None:
        out.put("B", 0)
        return
    out.put("B", len(collapse["parts"]))
    put_shape(out, collapse["result"])
    for part in collapse["parts"]:
        out.text(part["shape"])
        out.put("B?", part["layer"], part["is_crystal"])


def put_conduit(out: Out, conduit: Value) -> None:
    """Append the end of a wire."""
    out.put("i", len(conduit["signals"]))
    for signal in conduit["signals"]:
        put_signal(out, signal)
    out.put("qq?", conduit["time"], conduit["signal_time"], conduit["is_dirty"])


def put_coordinate(layout: str) -> Callable[[Out, Value], None]:
    """Make a function that appends a place."""

    def put_it(out: Out, place: Value) -> None:
        out.put(layout, *place[1:])

    return put_it


# --- values to begin with ---

SHAPES = ["CuCuCuCu", "RuRuRuRu", "CrRgSbWy", "CuRuSuWu:P-P-P-P-", "--Cu--Cu:crcgcbcw"]


def any_shape(rng: random.Random) -> Value:
    """Make a shape, or none."""
    return ("Shape", rng.choice(SHAPES)) if rng.random() < 0.8 else None


def any_fluid(rng: random.Random) -> Value:
    """Make a fluid, or none."""
    return ("Fluid", rng.choice("rgbcmywk")) if rng.random() < 0.8 else None


def any_package(name: str, make: Callable[[random.Random], Value]) -> Callable[[random.Random], Value]:
    """Make a function that makes packages on the rails."""

    def make_it(rng: random.Random) -> Value:
        amount = rng.randrange(5)
        return (name, amount, make(rng) if amount else None)

    return make_it


def any_item(rng: random.Random) -> Value:
    """Make a belt item, or none."""
    kind = rng.randrange(8)
    if kind == 0:
        return None
    if kind == 1:
        return ("FluidPackage", any_fluid(rng), rng.randrange(1 << 50))
    if kind == 2:
        return any_package("FluidOnTrack", any_fluid)(rng)
    if kind == 3:
        return any_package("ShapeOnTrack", any_shape)(rng)
    return ("Shape", rng.choice(SHAPES))


def any_signal(rng: random.Random) -> Value:
    """Make a signal of any kind, or none."""
    kind = rng.choice([None, "Null", "Conflict", "Integer", "Zero", "Item", "Fluid"])
    if kind is None:
        return None
    values: dict[str, Callable[[], Value]] = {
        "Integer": lambda: rng.randrange(-(1 << 31), 1 << 31),
        "Zero": lambda: rng.randrange(2),
        "Item": lambda: any_item(rng),
        "Fluid": lambda: any_fluid(rng),
    }
    value = values[kind]() if kind in values else None
    return ("Signal", "Integer" if kind == "Zero" else kind, value)


def any_lane(rng: random.Random) -> Value:
    """Make a place on a belt."""
    return ("LaneItem", any_item(rng), rng.randrange(1 << 45)) if rng.random() < 0.6 else None


def any_collapse(rng: random.Random) -> Value:
    """Make what a cut leaves."""
    count = rng.randrange(4)
    if not count:
        return None
    parts = [{"shape": rng.choice(SHAPES), "layer": each, "is_crystal": rng.random() < 0.5} for each in range(count)]
    return {"result": any_shape(rng), "parts": parts}


def any_conduit(rng: random.Random) -> Value:
    """Make the end of a wire."""
    return {
        "signals": [any_signal(rng) for _ in range(4)],
        "time": rng.randrange(1 << 50),
        "signal_time": rng.randrange(1 << 30),
        "is_dirty": rng.random() < 0.5,
    }


def any_place(rng: random.Random) -> Value:
    """Make a place."""
    return ("Coordinate", rng.randrange(-1000, 1000), rng.randrange(-1000, 1000), rng.randrange(3))


def number(layout: str, least: int, most: int) -> tuple[Callable[[Out, Value], None], Callable[[random.Random], Value]]:
    """Make the row of a number."""
    return (lambda out, value: out.put(layout, value)), (lambda rng: rng.randint(least, most))


#: How each word of a layout is written, and how a value for it is made up.
WORDS: dict[str, tuple[Callable[[Out, Value], None], Callable[[random.Random], Value]]] = {
    "u8": number("B", 0, 3),
    "i16": number("h", 0, 100),
    "i32": number("i", 0, 3),
    "i64": number("q", -(1 << 62), 1 << 62),
    "bool": (lambda out, value: out.put("?", value), lambda rng: rng.random() < 0.5),
    "f32": (lambda out, value: out.put("f", value), lambda rng: rng.randrange(1000) / 8),
    "text": (Out.text, lambda rng: rng.choice([*SHAPES, None])),
    "shape": (put_shape, any_shape),
    "fluid": (put_fluid, any_fluid),
    "item": (put_item, any_item),
    "signal": (put_signal, any_signal),
    "lane": (put_lane, any_lane),
    "collapse": (put_collapse, any_collapse),
    "conduit": (put_conduit, any_conduit),
    "gcc": (put_coordinate("iih"), any_place),
    "fluids": (put_package(put_fluid), any_package("FluidOnTrack", any_fluid)),
    "shapes": (put_package(put_shape), any_package("ShapeOnTrack", any_shape)),
}

#: Words that mean a layout. `{...}` is a blob, `!name` a checkpoint.
LAYOUTS: dict[str, str] = {
    "tank": "amount:i64 fluid:fluid",
    "launch": "fluid:fluid amount:i64 time:i64 duration:i64",
    "fast": "!fast-belt-path:start capacity:i16 compressed:i16 items:{fastitems} !fast-belt-path:end",
    "fastitems": "item_count:i32 first_item_distance:i64 items:fastitem*item_count",
    "fastitem": "item:item next_item_distance:i64",
    "belt": "!belt-path-state:start slot_count:i32 slots:lane*slot_count !belt-path-state:end",
    "buffer": "item_count:i32 items:{bufferitems}",
    "bufferitems": "items:bufferitem*item_count",
    "bufferitem": "item:item time:i64",
    "merger": "input_count:u8 lanes:lane*4*input_count cursor:i16 next_input:u8",
    "splitter": "output_count:u8 paths:belt*output_count next_output:u8",
    "belts": "belts:belt*12",
    "shapestation": "version:u8 belts:{belts} packages:shapes*3 tracks:belt*3 has_bridges:bool bridges:belt*3",
    "fluidstation": "version:u8 belts:{belts} packages:fluids*3 tracks:belt*3 has_bridges:bool bridges:belt*3",
    "transfer": "tracks:belt*3 bridges_in:belt*3 bridges_out:belt*3",
}

STATES: dict[str, str] = {
    "BeltFilterState": "output_count:u8 input:lane outputs:lane*output_count signal:conduit",
    "BeltPortReceiverDisabledState": "lane:lane",
    "BeltPortSenderBlockedState": "lane:lane",
    "BeltPortSenderDiscardState": "lane:lane",
    "BeltPortSenderToHubState": "lane:lane path:fast",
    "BeltPortSenderToSpacePathState": "path:belt buffer:buffer",
    "BeltPortSenderTransferState": "version:u8 path:fast",
    "BeltReaderState": "lanes:lane*2",
    "ControlledSignalReceiverState": "signal:conduit",
    "ControlledSignalTransmitterState": "signal:conduit",
    "ConverterHubProducerState": "lane:lane progress:i32",
    "ConveyorState": "slots:lane*2",
    "CrystalGeneratorState": "lanes:lane*2 tank:tank fluid:fluid input_shape:shape output_shape:shape amount:i64 times:i64*3",
    "DisplayState": "signal:conduit",
    "ExtractorState": "lanes:lane*2",
    "FluidPortReceiverDisabledState": "tank:tank",
    "FluidPortSenderBlockedState": "tank:tank",
    "FluidPortSenderDiscardState": "tank:tank",
    "FluidPortSenderToSpacePipeState": "tank:tank launcher:launch",
    "FluidPortTransferState": "input:tank launcher:launch output:tank",
    "FluidStorageState": "tank:tank",
    "FullCutterState": "lanes:lane*5 collapses:collapse*2",
    "HalfCutterState": "lanes:lane*3 collapses:collapse*2 is_flipped:bool",
    "HalvesSwapperState": "lanes:lane*6 collapses:collapse*4 shapes:shape*2",
    "ItemProducerState": "lane:lane",
    "Lift1LayerState": "lanes:lane*3",
    "Lift2LayerState": "lanes:lane*4",
    "LogicGate2In1OutState": "inputs:conduit*2",
    "LogicGateCompareState": "inputs:conduit*2",
    "LogicGateIfState": "inputs:conduit*2",
    "LogicGateNotState": "input:conduit",
    "MergerState": "input_count:u8 inputs:lane*input_count output:lane cursor:i16 next_input:u8",
    "MixerState": "tanks:tank*5 state:u8 time:i64 fluid:fluid",
    "PainterState": "lanes:lane*2 tank:tank fluid:fluid amount:i64 times:i64*3",
    "PinPusherState": "lanes:lane*3 shape:shape collapse:collapse",
    "PipeGateState": "tank:tank signal:conduit",
    "RotatorState": "lanes:lane*3",
    "PrioritySplitterState": "output_count:u8 input:lane outputs:lane*output_count next_output:u8",
    "SignalPortSenderBlockedState": "signal:conduit",
    "SignalPortTransferState": "signal:conduit",
    "ConverterHubState": "bundle_count:u8 bundles:fast*12*bundle_count",
    "SpaceConveyorState": "paths:fast*12",
    "SpaceMergerState": "mergers:merger*12 output_count:u8 outputs:fast*12*output_count",
    "SpacePathToBeltPortReceiverState": "lane:lane path:fast buffer:buffer",
    "SpacePipeToFluidPortReceiverState": "tank:tank launcher:launch buffer:buffer lane:lane",
    "SpaceSplitterState": "splitters:splitter*12",
    "SplitterState": "output_count:u8 input:lane outputs:lane*output_count",
    "StackerState": "lanes:lane*4 collapse:collapse",
    "TrashState": "lanes:lane*4",
    "Virtual1InSimulationState": "input:conduit",
    "Virtual2InSimulationState": "inputs:conduit*2",
}
#: States whose content no reader knows, or not to its end.
OPAQUE_STATES = ["ConverterState", "ResearchStationState", "SpaceTrashState"]
#: Starts with two counts and bundles; of what follows no layout is known.
STATES["SpaceConverterState"] = "input_count:u8 output_count:u8 inputs:fast*12*input_count"


def put_layout(out: Out, layout: str, value: Value) -> None:
    """Append the fields of a layout."""
    for entry in layout.split():
        if entry.startswith("!"):
            out.mark(entry[1:])
        else:
            name, kind = entry.split(":", 1)
            put_kind(out, kind, value[name])


def put_kind(out: Out, kind: str, value: Value) -> None:
    """Append one field."""
    element, star, _ = kind.rpartition("*")
    if star:
        for each in value:
            put_kind(out, element, each)
    elif kind.startswith("{"):
        content = out.inner()
        put_kind(content, kind[1:-1], value)
        out.blob(content)
    elif kind in LAYOUTS:
        put_layout(out, LAYOUTS[kind], value)
    else:
        WORDS[kind][0](out, value)


def any_layout(layout: str, rng: random.Random, outer: dict[str, Value] | None = None) -> dict[str, Value]:
    """Make up a value of a layout; its counts are small."""
    value: dict[str, Value] = {}
    for entry in layout.split():
        if not entry.startswith("!"):
            name, kind = entry.split(":", 1)
            value[name] = any_kind(kind, rng, {**(outer or {}), **value})
    return value


def any_kind(kind: str, rng: random.Random, fields: dict[str, Value]) -> Value:
    """Make up a value of a field, which may refer to those before it."""
    element, star, count = kind.rpartition("*")
    if star:
        return [any_kind(element, rng, fields) for _ in range(int(count) if count.isdigit() else fields[count])]
    if kind.startswith("{"):
        return any_kind(kind[1:-1], rng, fields)
    if kind in LAYOUTS:
        return any_layout(LAYOUTS[kind], rng, fields)
    return WORDS[kind][1](rng)


# --- configurations ---

#: By name: a layout with one field, or bytes that only their own tool knows.
CONFIGURATIONS: dict[str, tuple[Callable[[Out, Value], None], list[Value]]] = {
    "LabelConfig": (Out.text, ["Hello", "", "wörld ☃", None]),
    "SignalProducerConfig": (
        put_signal,
        [
            None,
            ("Signal", "Null", None),
            ("Signal", "Conflict", None),
            ("Signal", "Integer", -7),
            ("Signal", "Integer", 1),
            ("Signal", "Item", ("Shape", "CuRuSuWu")),
            ("Signal", "Fluid", ("Fluid", "r")),
        ],
    ),
    "ItemProducerConfig": (
        put_item,
        [
            ("Shape", "CuCuCuCu"),
            None,
            ("FluidPackage", ("Fluid", "g"), 38_419_920_000),
            ("FluidOnTrack", 3, ("Fluid", "b")),
            ("ShapeOnTrack", 0, None),
        ],
    ),
    "FluidProducerConfig": (put_fluid, [("Fluid", "y"), None]),
    "ButtonConfig": (WORDS["bool"][0], [True, False]),
    "CompareGateConfig": (
        lambda out, mode: out.put("B", ["", "Equal", "GreaterEqual", "Greater", "Less", "LessEqual", "NotEqual"].index(mode)),
        ["Equal", "GreaterEqual", "Greater", "Less", "LessEqual", "NotEqual"],
    ),
    "GlobalSignalReceiverConfig": (
        lambda out, channel: out.put("i", channel[1] << 24 | channel[2]),
        [("Channel", kind, value) for kind, value in ((2, 0), (3, 77), (4, ord("r")), (5, 12), (6, 3))],
    ),
    "RailConfig": (lambda out, masks: out.put(f"B{len(masks)}I", len(masks), *masks), [[0], [14, 1], [], [0xFFFFFFFF] * 3]),
    "TrainUnloaderConfig": (WORDS["i32"][0], [0, 5]),
}


def configuration_bytes(out: Out, name: str, value: Value) -> Out:
    """Write a configuration by itself; of an unknown name the value is the bytes."""
    content = out.inner()
    if name in CONFIGURATIONS:
        CONFIGURATIONS[name][0](content, value)
    else:
        content.data += value
    return content
