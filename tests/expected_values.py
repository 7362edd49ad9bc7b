"""What `build()` has to give for what the writer has written: its values, as the table in `streamsave.decode.build` has them."""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from writer import structs, tags, text
from writer.dialect import SAVE_VERSION_PLAYER_HANDLE_TWICE, Dialect
from writer.primitives import EMPTY_WITH_NUL, Ref

from streamsave import values
from streamsave.values import ObjectReference, SoftObjectPath


def single(number: float) -> float:
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


def string(value: str) -> str:
    """A string: what is stored as a lone NUL is empty."""
    return "" if value == EMPTY_WITH_NUL else value


def reference(value: Ref) -> ObjectReference:
    return ObjectReference(string(value.level), string(value.path))


def text_value(value: text.FText) -> values.Text:
    fields: dict[str, object]
    match value:
        case text.PlainText(None, flags):
            return values.Text(flags, "none", "", {})
        case text.PlainText(plain, flags):
            return values.Text(flags, "none", string(plain), {"culture_invariant": string(plain)})
        case text.BaseText():
            fields = {"namespace": string(value.namespace), "key": string(value.key), "source": string(value.source)}
            return values.Text(value.flags, "base", string(value.source), fields)
        case text.FormatText():
            template = text_value(value.pattern)
            given = [_argument(argument) for argument in value.arguments]
            if value.history != text.HISTORY_ORDERED_FORMAT:
                given = [(string(argument.name), one) for argument, one in zip(value.arguments, given, strict=True)]
            history = FORMATS[value.history]
            return values.Text(value.flags, history, template.source, {"format": template, "arguments": given})
        case text.NumberText():
            number = _argument(value.value)
            fields = {"code": string(value.currency)} if value.history == text.HISTORY_CURRENCY else {}
            fields |= {"value": number, "options": _options(value.options), "culture": string(value.culture)}
            return values.Text(value.flags, NUMBERS[value.history], str(number), fields)
        case text.MomentText():
            moment = values.DateTime(value.ticks)
            fields = {"moment": moment, "style": value.style}
            fields |= {"time_style": value.time_style} if value.history == text.HISTORY_DATE_TIME else {}
            fields |= {"time_zone": string(value.zone), "culture": string(value.culture)}
            return values.Text(value.flags, MOMENTS[value.history], str(moment), fields)
        case text.TransformText():
            inner = text_value(value.source)
            return values.Text(value.flags, "transform", inner.source, {"text": inner, "transform": value.transform})
        case text.TableText():
            key = string(value.key)
            return values.Text(value.flags, "string_table", key, {"table": string(value.table), "key": key})
        case text.GeneratedText():
            contents = None if value.generator == "None" else value.contents
            return values.Text(value.flags, "generator", "", {"generator": value.generator, "contents": contents})
        case text.RawText():
            return values.Text(value.flags, "raw", string(value.text), {"text": string(value.text)})


FORMATS = {1: "named_format", 2: "ordered_format", 3: "argument_format"}
NUMBERS = {4: "number", 5: "percent", 6: "currency"}
MOMENTS = {7: "date", 8: "time", 9: "date_time"}


def _argument(argument: text.Argument) -> object:
    if argument.type == text.ARGUMENT_F32:
        assert isinstance(argument.value, (int, float))
        return single(argument.value)
    return argument.value if isinstance(argument.value, (int, float)) else text_value(argument.value)


def _options(options: text.NumberOptions | None) -> dict[str, object] | None:
    if options is None:
        return None
    names = ("always_sign", "grouping", "rounding", "integral_digits", "fractional_digits")
    return {name: getattr(options, name) for name in names}


def soft_path(value: tags.SoftPath, dialect: Dialect) -> SoftObjectPath:
    """A soft reference: it names a package from UE5 on, and in old save games nothing inside of the asset."""
    package = string(value.package) if dialect.soft_path_parts > 2 else ""
    return SoftObjectPath(package, string(value.asset), string(value.sub_path) if dialect.soft_path_parts > 1 else "")


def property_values(props: tags.Props, dialect: Dialect) -> dict[str, object]:
    return by_name((prop.name, prop.index, value_of(prop.type, prop.value, dialect)) for prop in props)


def by_name(rows: Iterable[tuple[str, int, object]]) -> dict[str, object]:
    """Values by name: one that repeats gets its index in a static array, or else a count."""
    built: dict[str, object] = {}
    for plain, index, value in rows:
        name = f"{plain}[{index}]" if index else plain
        key, repeat = name, 1
        while key in built:
            repeat += 1
            key = f"{name}#{repeat}"
        built[key] = value
    return built


def value_of(kind: tags.PropType[Any], value: Any, dialect: Dialect) -> object:
    match kind:
        case tags.Number(code="f"):
            return single(value)
        case tags.Number() | tags.Byte() | tags.Bool():
            return value
        case tags.Enum():
            return string(value)
        case tags.SoftObject():
            return soft_path(value, dialect)
        case tags.Fields():
            return property_values(value, dialect)
        case tags.Native():
            return NATIVE[kind.struct](value, dialect)
        case tags.Array(inner=tags.Byte()):
            return bytes(value)
        case tags.Set() | tags.Map() if isinstance(value, tags.Delta):
            removed = [value_of(kind.key if isinstance(kind, tags.Map) else kind.inner, one, dialect) for one in value.removed]
            added = value_of(kind, value.added, dialect)
            assert isinstance(added, list)
            return values.ContainerDelta(removed, added)
        case tags.Array() | tags.Set():
            return [value_of(kind.inner, one, dialect) for one in value]
        case tags.Map():
            pairs = value.items() if isinstance(value, Mapping) else value
            return [(value_of(kind.key, key, dialect), value_of(kind.value, one, dialect)) for key, one in pairs]
        case tags.TEXT:
            return text_value(value)
        case tags.OBJECT | tags.INTERFACE:
            return reference(value)
        case tags.STR | tags.NAME:
            return string(value)
        case tags.Encoded(name="OracleProperty"):
            return values.Opaque(value, "unknown type OracleProperty")
    raise AssertionError(f"no row says what becomes of {kind}")


def reals(value: Sequence[float], dialect: Dialect) -> list[float]:
    """Doubles, or floats before SaveVersion 41."""
    return list(value) if dialect.doubles else [single(number) for number in value]


def _lwc(make: Callable[..., object]) -> Callable[[Any, Dialect], object]:
    return lambda value, dialect: make(*reals(value, dialect))


def _numbers(*names: str) -> Callable[[Any, Dialect], object]:
    return lambda value, _dialect: dict(zip(names, value, strict=True))


def _box(value: structs.Bounds, dialect: Dialect) -> object:
    low, high = reals(value.minimum, dialect), reals(value.maximum, dialect)
    return values.Box(values.Vector(*low), values.Vector(*high), int(value.valid))


def item(value: structs.Item, dialect: Dialect) -> values.InventoryItem:
    """An item: its state is a dynamic struct, or an actor before SaveVersion 43."""
    state: values.DynamicStruct | ObjectReference | None = None
    if dialect.item_state_structs:
        state = dynamic(value.state, dialect)
    elif value.legacy_state.path:
        state = reference(value.legacy_state)
    return values.InventoryItem(reference(value.item), state)


def dynamic(value: structs.DynamicStruct | None, dialect: Dialect) -> values.DynamicStruct | None:
    if value is None:
        return None
    if value.raw is not None:
        return values.DynamicStruct(reference(value.struct), values.Opaque(value.raw, "no property list"))
    return values.DynamicStruct(reference(value.struct), property_values(value.fields, dialect))


def player_handle(value: structs.PlayerHandle, dialect: Dialect) -> dict[str, int]:
    """A player's handle, which one version stores twice."""
    handle = {"service_provider": value.provider, "player_info_table_index": value.index}
    if dialect.save_version == SAVE_VERSION_PLAYER_HANDLE_TWICE:
        handle |= {f"{name}_again": number for name, number in handle.items()}
    return handle


def unique_net_id(value: structs.UniqueNetId, _dialect: Dialect) -> dict[str, object]:
    """An id: which parts it has depends on its flags."""
    kind = value.flags >> 3
    built: dict[str, object] = {"flags": value.flags}
    encoded = bool(value.flags & structs.UNIQUE_ID_ENCODED)
    if encoded and value.flags & structs.UNIQUE_ID_EMPTY:
        return built
    if encoded and kind == structs.UNIQUE_ID_SERVICE:
        return built | {"online_services_type": value.service, "replication_data": value.data}
    if kind == structs.UNIQUE_ID_NAMED:
        built["type"] = value.type_name
    if kind:
        built["contents"] = value.data if encoded else value.contents
    return built


def trace(value: structs.Trace, _dialect: Dialect) -> dict[str, object]:
    before = None if value.previous is None else trace(value.previous, _dialect)
    return {"object": reference(value.target), "before": before, "step": value.step}


NATIVE: dict[str, Callable[[Any, Dialect], object]] = {
    "Color": lambda value, _dialect: values.Color(*value),
    "LinearColor": lambda value, _dialect: values.LinearColor(*map(single, value)),
    "Guid": lambda value, _dialect: values.Guid(value),
    "IntPoint": _numbers("x", "y"),
    "IntVector": _numbers("x", "y", "z"),
    "IntVector4": _numbers("x", "y", "z", "w"),
    "FluidBox": lambda value, _dialect: {"value": single(value)},
    "DateTime": lambda value, _dialect: values.DateTime(value),
    "Vector2D": _lwc(values.Vector2D),
    "Vector": _lwc(values.Vector),
    "Rotator": _lwc(values.Rotator),
    "Quat": _lwc(values.Quat),
    "Vector4": _lwc(values.Vector4),
    "Vector4D": _lwc(values.Vector4),
    "Box": _box,
    "Box3f": lambda value, _dialect: _box(value, Dialect(0)),
    "RailroadTrackPosition": lambda value, _dialect: values.RailroadTrackPosition(
        reference(value.track), single(value.offset), single(value.forward)
    ),
    "InventoryItem": item,
    "ClientIdentityInfo": lambda value, _dialect: {
        "offline_id": value.offline_id,
        "account_ids": [tuple(account) for account in value.accounts],
    },
    "UniqueNetIdRepl": unique_net_id,
    "PlayerInfoHandle": player_handle,
    "SlateBrush": lambda value, _dialect: {"resource_name": value},
    "SoftClassPath": soft_path,
    "SoftObjectPath": soft_path,
    "FINNetworkTrace": trace,
    "FIRTrace": trace,
    "FINGPUT1BufferPixel": lambda value, _dialect: bytes(value),
    "FICFrameRange": _numbers("begin", "end"),
    "LBBalancerIndexing": _numbers("normal_index", "overflow_index", "filter_index"),
    "OracleBinary": lambda value, _dialect: values.Opaque(value, "unknown struct OracleBinary"),
}
