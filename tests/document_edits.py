"""Documents of saves, and random edits of them."""

import copy
import json
import random
import re
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

import streamsave
from streamsave.output.json_document import json_document
from streamsave.rewriting.from_json import Change, make_save

#: One of each layout.
SAMPLES = [
    "arx/v2.1.sav",
    "astroneer/full.savegame",
    "gvas/palworld-0.3.sav",
    "gvas/palworld-1.0.sav",
    "gvas/ue4-502.sav",
    "gvas/ue5-1018.sav",
    "gvas/wrapper-plz-32.sav",
    "satisfactory/sv25.sav",
    "satisfactory/sv42.sav",
    "satisfactory/sv46.sbp",
    "satisfactory/sv60.sav",
    "shapez2/checkpoints.spz2",
    "shapez2/islands-5.spz2bp",
]
#: What follows from other bytes or parts: the document need not be right there.
FOLLOWING = {"save_data_hash", "body_size", "size", "stated_size", "data_size", "source", "data_blob", "culture_invariant"}
FOLLOWING |= {"building_count", "island_count", "input_count", "channel_count"}
#: The same of the header of an object that has none in the save: its values say it.
OF_VALUES = {"transform", "outer", "instance_name", "class_name", "flags"}


def document_of(save: str | bytes | Path) -> bytes:
    with streamsave.open(save) as events:
        return b"".join(json_document(events))


def made(document: object, save: Path, target: Path) -> list[Change]:
    """Make a save of a document, bytes or a value; return what has changed."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return list(make_save(BytesIO(text), save, target))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values without others inside; bytes are left out."""
    if isinstance(value, dict):
        if not {"base64", "zeros"} & value.keys():
            for name, part in value.items():
                yield from leaves(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def other(value: object, choose: random.Random) -> object:
    """Another value of the same type; not of a `path_name`: a reference to nothing has no level either."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return choose.choice([0, 1, 5])
    if isinstance(value, float):
        return choose.choice([0.0, 1.5, -0.25, 2.0])
    return choose.choice(["", "Zoë", f"{value}x"])


def lists_of(document: Any, *, of_objects: bool) -> list[list[Any]]:
    """The lists of a document that have several objects or, in objects, several elements that are lists or have members."""
    found = []
    waiting: list[tuple[Any, bool, bool]] = [(document, False, False)]
    while waiting:
        value, inside, has_objects = waiting.pop()
        if isinstance(value, dict):
            waiting += [(part, inside or key == "properties", key.startswith("objects")) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [(part, inside, False) for part in value]
            if has_objects == of_objects and (inside or of_objects) and len(value) > 1 and isinstance(value[0], (dict, list)):
                found.append(value)
    return found


def edit(document: Any, choose: random.Random) -> None:
    """Change a value of an object, leave out what is around it, add a copy of an element or object, move one."""
    kind = choose.choice(["set", "set", "drop", "add", "element", "object", "move"])
    lists = lists_of(document, of_objects=kind in {"object", "move"}) if kind in {"element", "object", "move"} else []
    if lists:
        elements = choose.choice(lists)
        if kind == "object":
            new = {**copy.deepcopy(choose.choice(elements)), "instance_name": f"new {choose.random()}"}
            elements.insert(choose.randrange(len(elements) + 1), new)
        elif kind == "move":
            elements.append(elements.pop(choose.randrange(len(elements))))
        elif choose.random() < 0.5:
            elements.pop(choose.randrange(len(elements)))
        else:
            elements.append(copy.deepcopy(choose.choice(elements)))
        return
    # The index in a reference of Astroneer follows from its name.
    paths = [path for path in leaves(document) if "properties" in path and path[-1] not in {*FOLLOWING, "index"}]
    if not paths:
        return
    path = choose.choice(paths)
    start = path.index("properties") + 2
    around = [path[:end] for end in range(start, len(path)) if isinstance(at(document, path[:end]), list)]
    if kind == "add" and around:
        elements = at(document, choose.choice(around))
        elements.append(elements[-1])
    elif kind == "drop":
        gone = path[: choose.randrange(start, len(path) + 1)]
        holder = at(document, gone[:-1])
        holder.pop(gone[-1] if isinstance(holder, dict) else -1)
    else:
        value = at(document, path)
        at(document, path[:-1])[path[-1]] = f"{value}x" if path[-1] == "path_name" else other(value, choose)


#: Values that say how other bytes are read.
STEERING = {"has_configuration", "serialization_id", "class_end", "class_end_2"}
GUID = re.compile(r"[0-9A-Fa-f]{8}-.*")
#: Members of an object that are its header, or what that says.
HEADER = {"kind", "class_name", "instance_name", "level", "outer", "transform", "flags", "save_version", "need_transform"}
HEADER |= {"was_placed_in_level", "migrate_references"}


def is_object(value: Any) -> bool:
    return isinstance(value, dict) and {"kind", "class_name", "instance_name"} <= value.keys()


def lists_with_objects(document: Any) -> list[list[Any]]:
    """The lists of objects of a document, also those in others."""
    found = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        waiting += [part for part in (value.values() if isinstance(value, dict) else value) if isinstance(part, (dict, list))]
        if isinstance(value, list) and value and is_object(value[0]):
            found.append(value)
    return found


def edit_one(document: Any, choose: random.Random, *, with_objects: bool) -> None:
    """Make an edit that a user makes: of a number, switch or text; a property or element more or less; also objects, places."""
    objects = choose.choice(lists_with_objects(document))
    chosen = choose.choice(objects)
    kind = choose.choice(["set", "set", "set", "drop", "more", "less", "new", "gone", "moved"])
    body = {name: part for name, part in chosen.items() if name not in HEADER and not name.startswith("objects")}
    lists = [at(body, path) for path in around(body) if not is_object(next(iter(at(body, path)), None))]
    lists = [each for each in lists if len(each) > 1]
    if kind == "new" and with_objects:
        objects.append(copy.deepcopy(chosen) | {"instance_name": f"{chosen['instance_name']}_{choose.randrange(1 << 30)}"})
    elif kind == "gone" and with_objects and len(objects) > 1:
        objects.remove(chosen)
    elif kind == "moved" and with_objects and chosen["transform"]:
        chosen["transform"]["translation"] = [choose.randrange(1000) / 2 for _ in range(3)]
    elif kind == "drop" and chosen["properties"]:
        del chosen["properties"][choose.choice(list(chosen["properties"]))]
    elif kind in {"more", "less"} and lists:
        elements = choose.choice(lists)
        if kind == "more":
            elements.append(copy.deepcopy(elements[-1]))
        else:
            elements.pop()
    elif values := [path for path in leaves(body) if is_plain(body, path)]:
        path = choose.choice(values)
        holder = at(body, path[:-1])
        value = holder[path[-1]]
        holder[path[-1]] = f"{value}x" if path[-1] == "path_name" else other(value, choose)


def is_plain(body: Any, path: tuple[Any, ...]) -> bool:
    """Whether a value of an object may be another one: it is nothing that follows, null, a GUID, or a part of a text."""
    value = at(body, path)
    if (
        value is None
        or {"fields", "index", "history", *HEADER, *FOLLOWING, *STEERING} & {*path}
        or (isinstance(value, str) and GUID.fullmatch(value))
    ):
        return False
    holder = at(body, path[:-1])
    return not (isinstance(holder, dict) and {"source", "contents", "history"} & holder.keys())


def around(value: Any) -> list[tuple[Any, ...]]:
    """The paths of all lists in a property."""
    found = {path[:end] for path in leaves(value) for end in range(2, len(path)) if path[0] == "properties"}
    return sorted((path for path in found if isinstance(at(value, path), list)), key=str)


def in_order(value: Any, key: str = "") -> Any:
    """A document whose objects and entries of maps are sorted: it does not matter in which order they are."""
    if isinstance(value, dict):
        is_named = value.get("kind", "actor") not in {"actor", "object"}
        return {
            name: in_order(part, name)
            for name, part in value.items()
            # What begins with nb is a number of things, in saves of Arx.
            if name not in FOLLOWING and not name.startswith("nb") and not (is_named and name in OF_VALUES)
        }
    if not isinstance(value, list):
        return value
    parts = [in_order(part) for part in value]
    are_entries = all(isinstance(part, list) and len(part) == 2 for part in parts)
    is_sorted = are_entries or key.startswith("objects") or all(map(is_object, value))
    return sorted(parts, key=partial(json.dumps, sort_keys=True)) if is_sorted else parts


def differing(said: Any, wanted: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """The innermost values that differ, each with its path; bytes, and what holds no value, are left out."""
    if said == wanted:
        return
    if isinstance(said, dict) and isinstance(wanted, dict):
        if not {"base64", "zeros"} & said.keys() & wanted.keys():
            for name in said.keys() | wanted.keys():
                yield from differing(said.get(name, {}), wanted.get(name, {}), (*path, name))
    elif isinstance(said, list) and isinstance(wanted, list):
        for index, (one, other) in enumerate(zip_longest(said, wanted, fillvalue={})):
            yield from differing(one, other, (*path, index))
    elif any(True for each in (said, wanted) for _ in leaves(each)):
        yield path, said, wanted


def assert_says(new: Any, document: Any) -> None:
    """A save says what a document does, but for what follows from other bytes, and for how numbers are rounded."""
    for path, said, wanted in differing(in_order(new | {"header": None}), in_order(document | {"header": None})):
        assert isinstance(said, float), path
        assert isinstance(wanted, (int, float)), path
        if path[-1] in {"pitch", "yaw", "roll"} and "RawData" in path:  # packed into two bytes, from 0 to less than a turn
            assert abs((said - wanted + 180.0) % 360.0 - 180.0) <= 0.01, path
        else:
            assert said == pytest.approx(wanted, rel=1e-6), path
