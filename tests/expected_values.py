"""What `build()` has to give for what the writer has written: its values, as the table in `streamsave.decode.build` has them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from writer import gvas_values, structs, tags, text
from writer.dialect import SAVE_VERSION_PLAYER_HANDLE_TWICE, Dialect
from writer.gvas import CORE_FIELD_OWNER, CORE_OBJECT, UE4_NET_ID_TYPE, GameDialect
from writer.primitives import EMPTY_WITH_NUL, Ref

from streamsave import values
from streamsave.values import ObjectReference, SoftObjectPath


def single(number: float) -> float:
    """A number as 32 bits keep it."""
    return float(struct.unpack("<f", struct.pack("<f", number))[0])


def string(value: str) -> str:
    """A string: what is stored as a lone NUL is empty."""
    return "" if value == EMPTY_WITH_NUL else value


def reference(value: Ref) -> ObjectReference:
    """A reference."""
    return ObjectReference(string(value.level), string(value.path))


def text_value(value: text.FText, spelling: text.Spelling = text.NEWEST) -> values.Text:
    """A text."""
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
            template = text_value(value.pattern, spelling)
            given = [_argument(argument, spelling) for argument in value.arguments]
            if value.history != text.HISTORY_ORDERED_FORMAT:
                given = [(string(argument.name), one) for argument, one in zip(value.arguments, given, strict=True)]
            history = FORMATS[value.history]
            return values.Text(value.flags, history, template.source, {"format": template, "arguments": given})
        case text.NumberText():
            number = _argument(value.value, spelling)
            fields = {"code": string(value.currency)} if value.history == text.HISTORY_CURRENCY and spelling.currency else {}
            fields |= {"value": number, "options": _options(value.options, spelling), "culture": string(value.culture)}
            return values.Text(value.flags, NUMBERS[value.history], str(number), fields)
        case text.MomentText():
            moment = values.DateTime(value.ticks)
            fields = {"moment": moment, "style": value.style}
            fields |= {"time_style": value.time_style} if value.history == text.HISTORY_DATE_TIME else {}
            fields |= {"time_zone": string(value.zone)} if spelling.time_zone else {}
            return values.Text(value.flags, MOMENTS[value.history], str(moment), fields | {"culture": string(value.culture)})
        case text.TransformText():
            inner = text_value(value.source, spelling)
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


def _argument(argument: text.Argument, spelling: text.Spelling) -> object:
    if argument.type == text.ARGUMENT_F32:
        assert isinstance(argument.value, (int, float))
        return single(argument.value)
    return argument.value if isinstance(argument.value, (int, float)) else text_value(argument.value, spelling)


def _options(options: text.NumberOptions | None, spelling: text.Spelling) -> dict[str, object] | None:
    if options is None:
        return None
    fields: dict[str, object] = {"always_sign": options.always_sign} if spelling.always_sign else {}
    return fields | {
        "grouping": options.grouping,
        "rounding": options.rounding,
        "integral_digits": options.integral_digits,
        "fractional_digits": options.fractional_digits,
    }


def soft_path(value: tags.SoftPath, dialect: Dialect) -> SoftObjectPath:
    """A soft reference: it names a package from UE5 on, and in old save games nothing inside of the asset."""
    package = string(value.package) if dialect.soft_path_parts > 2 else ""
    return SoftObjectPath(package, string(value.asset), string(value.sub_path) if dialect.soft_path_parts > 1 else "")


def property_values(props: tags.Props, dialect: Dialect) -> dict[str, object]:
    """A property list."""
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
    """A value of any type."""
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
        case gvas_values.GAME_TEXT:
            assert isinstance(dialect, GameDialect)
            return text_value(value, dialect.text_spelling)
        case gvas_values.FIELD_PATH:
            return field_path(value, dialect)
        case gvas_values.Optional():
            return None if value is None else value_of(kind.inner, value, dialect)
        case gvas_values.LAZY_OBJECT:
            return values.Guid(value)
        case gvas_values.DELEGATE:
            return values.Delegate(*value)
        case tags.Encoded() if kind.name in gvas_values.MULTICASTS:
            return [values.Delegate(*one) for one in value]
        case tags.Encoded() if kind.name in {*gvas_values.PATHS, *gvas_values.UTF8_STRINGS}:
            return value
        case tags.Encoded(name="OracleProperty"):
            return values.Opaque(value, "unknown type OracleProperty")
    raise AssertionError(f"no row says what becomes of {kind}")


def reals(value: Sequence[float], dialect: Dialect) -> list[float]:
    """Doubles, or floats before SaveVersion 41."""
    return list(value) if dialect.doubles else [single(number) for number in value]


def _lwc(make: Callable[..., object]) -> Callable[[Any, Dialect], object]:
    return lambda value, dialect: make(*reals(value, dialect))


#: Structs that never change their precision: the last letter of their name says it.
EXACT = {"Vector2": values.Vector2D, "Vector3": values.Vector, "Vector4": values.Vector4, "Quat4": values.Quat}


def _exact(make: Callable[..., object], number: Callable[[float], float]) -> Callable[[Any, Dialect], object]:
    return lambda value, _dialect: make(*map(number, value))


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
    """A struct with its type, or nothing."""
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


def field_path(value: gvas_values.Field, dialect: Dialect) -> values.FieldPath:
    """A path to a field, which old engines do not say the owner of."""
    assert isinstance(dialect, GameDialect)
    return values.FieldPath(list(value.names), value.owner if dialect.custom_version(CORE_OBJECT) >= CORE_FIELD_OWNER else "")


def net_id(value: structs.UniqueNetId | gvas_values.NetId | None, dialect: Dialect) -> dict[str, object] | None:
    """A player's id, of a game that replicates it, or of the engine."""
    if isinstance(value, structs.UniqueNetId):
        return unique_net_id(value)
    if value is None:
        return None
    assert isinstance(dialect, GameDialect)
    return ({"type": value.type} if dialect.ue4 >= UE4_NET_ID_TYPE else {}) | {"contents": value.contents}


def unique_net_id(value: structs.UniqueNetId) -> dict[str, object]:
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
    """A trace: hop by hop."""
    before = None if value.previous is None else trace(value.previous, _dialect)
    return {"object": reference(value.target), "before": before, "step": value.step}


def _rows(make: Callable[..., object], names: Sequence[str]) -> Callable[[Any, Dialect], object]:
    """So many values of the same number of numbers, by name."""

    def rows(value: Sequence[float], dialect: Dialect) -> object:
        numbers = reals(value, dialect)
        size = len(numbers) // len(names)
        return {name: make(*numbers[at * size : (at + 1) * size]) for at, name in enumerate(names)}

    return rows


def _box2d(value: gvas_values.Bounds2D, dialect: Dialect) -> object:
    low, high = reals(value.minimum, dialect), reals(value.maximum, dialect)
    return values.Box(values.Vector2D(*low), values.Vector2D(*high), int(value.valid))


def _platforms(number: Callable[[Any], object]) -> Callable[[gvas_values.Platforms, Dialect], object]:
    def platforms(value: gvas_values.Platforms, _dialect: Dialect) -> object:
        others = [(name, number(one)) for name, one in value.others or ()]
        return {"default": number(value.default), "platforms": others}

    return platforms


def _curve_key(value: tuple[bytes, Sequence[float]], _dialect: Dialect) -> object:
    modes = ("interpolation_mode", "tangent_mode", "tangent_weight_mode")
    numbers = ("time", "value", "arrive_tangent", "arrive_tangent_weight", "leave_tangent", "leave_tangent_weight")
    return dict(zip((*modes, *numbers), (*value[0], *map(single, value[1])), strict=True))


def _instanced(value: gvas_values.Instanced, dialect: Dialect) -> object:
    return {"script_struct": value.struct, "value": property_values(value.fields, dialect)}


def _sampling(value: tuple[Sequence[float], Sequence[int], float], _dialect: Dialect) -> object:
    return {"weights": [single(one) for one in value[0]], "aliases": list(value[1]), "total_weight": single(value[2])}


def _track(value: structs.TrackPosition, _dialect: Dialect) -> object:
    return values.RailroadTrackPosition(reference(value.track), single(value.offset), single(value.forward))


def _identity(value: structs.ClientIdentity, _dialect: Dialect) -> object:
    return {"offline_id": value.offline_id, "account_ids": [tuple(account) for account in value.accounts]}


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
    "RailroadTrackPosition": _track,
    "InventoryItem": item,
    "ClientIdentityInfo": _identity,
    "UniqueNetIdRepl": net_id,
    "PlayerInfoHandle": player_handle,
    "SlateBrush": lambda value, _dialect: {"resource_name": value},
    **dict.fromkeys(gvas_values.SOFT_PATHS, soft_path),
    "FINNetworkTrace": trace,
    "FIRTrace": trace,
    "FINGPUT1BufferPixel": lambda value, _dialect: bytes(value),
    "FICFrameRange": _numbers("begin", "end"),
    "LBBalancerIndexing": _numbers("normal_index", "overflow_index", "filter_index"),
    "Timespan": lambda value, _dialect: values.Timespan(value),
    "Plane": _lwc(values.Vector4),
    "Matrix": _rows(values.Vector4, "xyzw"),
    "TwoVectors": _rows(values.Vector, ("first", "second")),
    **{f"{name}f": _exact(make, single) for name, make in EXACT.items()},
    **{f"{name}d": _exact(make, float) for name, make in EXACT.items()},
    "Box2D": _box2d,
    "FrameNumber": lambda value, _dialect: {"value": value},
    "RichCurveKey": _curve_key,
    "KeyHandleMap": lambda _value, _dialect: {},
    "GameplayTagContainer": lambda value, _dialect: list(value),
    "TopLevelAssetPath": _numbers("package_name", "asset_name"),
    "PerPlatformFloat": _platforms(single),
    "PerPlatformInt": _platforms(int),
    "PerPlatformBool": _platforms(bool),
    "InstancedStruct": _instanced,
    "SkeletalMeshSamplingLODBuiltData": _sampling,
    "OracleBinary": lambda value, _dialect: values.Opaque(value, "unknown struct OracleBinary"),
}
