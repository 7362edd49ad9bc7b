"""Configurations of buildings and islands, by the id of their owner. The same in saves and in blueprints.

| configuration | bytes |
|---|---|
| LabelConfig | Text |
| SignalProducerConfig | Signal |
| ItemProducerConfig | BeltItem; before V 1057 Text, `shape:...` |
| FluidProducerConfig | Fluid; before V 1057 Text, `color-...` |
| ButtonConfig | bool |
| CompareGateConfig | u8: 1 equal, 2 greater or equal, 3 greater, 4 less, 5 less or equal, 6 not equal |
| GlobalSignalReceiverConfig | Channel |
| RailConfig | u8 or i32 count, which its size shows; u32 mask of colours for each way through |
| TrainUnloaderConfig | u32 mask of disabled lanes |
"""

from __future__ import annotations

import binascii
import json
from typing import Final, cast

from streamsave._native import i64
from streamsave.decode.codecs import BOOL8, I32, U8, U32, Array, BuildContext, Codec, Repeat
from streamsave.decode.cursor import Cursor
from streamsave.decode.encoder import Encoder
from streamsave.errors import EditError
from streamsave.formats.shapez2.game_reader import GameCursor, GameEncoder
from streamsave.formats.shapez2.jsontext import JsonLeaf, json_prefix_size
from streamsave.formats.shapez2.layout import BySize
from streamsave.formats.shapez2.primitives import BELT_ITEM, CHANNEL, FLUID, SIGNAL, TEXT, Alias, Choice, Counted, Named
from streamsave.input.windows import BytesWindows
from streamsave.limits import Limits

__all__ = ["BUILDING_CONFIGURATIONS", "ISLAND_CONFIGURATIONS", "ITEM_PRODUCER", "DecodedConfiguration", "configuration_cursor"]


#: An old configuration that is text has more bytes.
LONGEST_OTHER: Final = 7


class ProducerConfiguration(Choice):
    """What a producer of the sandbox makes.

    A code keeps its old configurations when a later version saves it. The layout follows from the bytes, not from the version:
    an old configuration is a Text that fills it; no new one starts with its own length.
    """

    def __init__(self, name: str, codec: Codec) -> None:
        super().__init__(name, -1, codec.least)
        self._codec = codec

    def choose(self, cursor: Cursor) -> Codec:
        in_line = cast(GameCursor, cursor).table is None
        is_text = (
            in_line and cursor.remaining() > LONGEST_OTHER and int.from_bytes(cursor.peek(2), "little") == cursor.remaining() - 2
        )
        return TEXT if is_text else self._codec

    def encode(self, value: object, encoder: Encoder) -> None:
        if not isinstance(value, str):
            self._codec.encode(value, encoder)
            return
        start = len(encoder.data)
        TEXT.encode(value, encoder)
        if len(encoder.data) - start <= LONGEST_OTHER:
            raise EditError("no text of an item", value, "shape: or color- and more, in a blueprint")


LABEL: Final = Alias("LabelConfig", TEXT)
SIGNAL_PRODUCER: Final = Alias("SignalProducerConfig", SIGNAL)
ITEM_PRODUCER: Final = ProducerConfiguration("ItemProducerConfig", BELT_ITEM)
FLUID_PRODUCER: Final = ProducerConfiguration("FluidProducerConfig", FLUID)
BUTTON: Final = Alias("ButtonConfig", BOOL8)
RECEIVER: Final = Alias("GlobalSignalReceiverConfig", CHANNEL)
RAIL: Final = Counted("RailConfig", U8, 1, lambda count: Repeat(U32, count))
RAIL_WIDE: Final = Alias("RailConfig", Array(U32))
UNLOADER: Final = Alias("TrainUnloaderConfig", U32)


def rail_layout(cursor: Cursor) -> Codec:
    """Return the layout of a RailConfig that ends at the limit: 1 + 4n bytes, or 4 + 4n. No size is both."""
    left = cursor.remaining()
    is_wide = left >= I32.size and int.from_bytes(cursor.peek(I32.size), "little") * U32.size == left - I32.size
    return RAIL_WIDE if is_wide else RAIL


#: How a gate compares.
COMPARE_GATE: Final = Named(
    "CompareGateConfig", {1: "Equal", 2: "GreaterEqual", 3: "Greater", 4: "Less", 5: "LessEqual", 6: "NotEqual"}
)

BUILDING_CONFIGURATIONS: Final[dict[str, Codec]] = {
    "LabelDefaultInternalVariant": LABEL,
    "ConstantSignalDefaultInternalVariant": SIGNAL_PRODUCER,
    "SandboxItemProducerDefaultInternalVariant": ITEM_PRODUCER,
    "SandboxFluidProducerDefaultInternalVariant": FLUID_PRODUCER,
    "ButtonDefaultInternalVariant": BUTTON,
    "LogicGateCompareInternalVariant": COMPARE_GATE,
    "LogicGateCompareInternalVariantMirrored": COMPARE_GATE,
    "ControlledSignalReceiverInternalVariant": RECEIVER,
    "ControlledSignalReceiverInternalVariantMirrored": RECEIVER,
    "WireGlobalTransmitterReceiverInternalVariant": RECEIVER,
}

RAILS: Final = (
    "Forward",
    "LeftTurn",
    "RightTurn",
    "LeftFwdSplitter",
    "RightFwdSplitter",
    "YSplitter",
    "YSplitterFlipped",
    "TripleSplitter",
    "TripleSplitterFlipped",
    "RightFwdMerger",
    "LeftFwdMerger",
    "YMerger",
    "TripleMerger",
)
STATIONS: Final = ("TrainUnloader_Shapes", "TrainUnloader_Fluids", "TrainTransfer_Shape", "TrainTransfer_Fluid")

ISLAND_CONFIGURATIONS: Final[dict[str, Codec]] = {
    **{f"Rail_{rail}": BySize(RAIL.name, RAIL.least, rail_layout) for rail in RAILS},
    **{f"Layout_{station}{flipped}": UNLOADER for station in STATIONS for flipped in ("", "_Flipped")},
}


class DecodedConfiguration(JsonLeaf):
    """A configuration of a blueprint: its value comes from the bytes that were base64, not from those at the cursor."""

    def __init__(self, codec: Codec, data: bytes, size: i64) -> None:
        super().__init__(codec.name, size, 0)
        self._codec = codec
        self._data = data

    def decode(self, cursor: Cursor, context: BuildContext) -> object:
        return self._codec.decode(configuration_cursor(self._data, cursor.limits), context)

    def replaced(self, raw: bytes, value: object) -> bytes:
        """Do as `JsonLeaf.replaced`: other base64, or an object with other base64 in its `$value`."""
        made: object = binascii.b2a_base64(self._codec.encoded(value, GameEncoder(None)), newline=False).decode("ascii")
        start = json_prefix_size(raw)
        old = json.loads(raw[start:])
        if isinstance(old, dict):
            made = {**old, "$value": made}
        return raw[:start] + json.dumps(made, separators=(",", ":")).encode()


def configuration_cursor(data: bytes, limits: Limits) -> GameCursor:
    """Return a cursor over the bytes of a configuration of a blueprint: texts in line, no checkpoints."""
    cursor = GameCursor(BytesWindows(data), limits)
    cursor.set_limit(len(data))
    return cursor
