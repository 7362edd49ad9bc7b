"""Does each command say what another way to the same answer says?

    python tools/equations.py world.sav                 all equations over one save
    python tools/equations.py world.sav later.sav       also what `diff` says of the two
    python tools/equations.py world.sav --only grep     only those whose command has this in its name

It prints a line for each equation: command, equation, `held`, `broken` with the first counterexample, or `-` with the reason
where it is not about such a save. Exit code 1 if one is broken. What is tried (names, values) is drawn from the save, by
`--seed`. The whole save is held in memory several times, as JSON and as lines: a save of 1 MB takes some minutes and 1 GB.

The module is long because it has all equations, and each way to an answer in a few lines of its own.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click
from attack.layers import unpack
from attrs import frozen
from click.testing import CliRunner
from header_peer import READERS as HEADERS
from palworld_peer import Refused, SecondWorld
from satisfactory_peer import Refused as CannotRead
from satisfactory_peer import SecondFactory, from_json, from_package, mentions, mods

import streamsave
from streamsave import ChunkStart, EditError, ObjectEnd, ObjectHeader, SaveEnd, SaveError
from streamsave.claims import claimed_spans, claims_value
from streamsave.cli import main as streamsave_main
from streamsave.errors import UnsupportedSave
from streamsave.events import OBJECT_MEMBERS, STORED_MEMBERS, Event
from streamsave.report.tree import Tree, collect

Json = dict[str, Any]
#: Class and instance name.
Key = tuple[str, str]

HEADER_KEYS: Final = ("kind", "class_name", "instance_name")
#: What is drawn from a save for one equation.
MANY: Final = 4
#: A step into a map.
MAP_KEY: Final = re.compile(r'\["(?:[^"\\]|\\.)*"\]')
#: A number that may be of single precision, and the largest one that is.
FLOAT: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+(?:e[-+]?[0-9]+)?|e[-+]?[0-9]+)")
LARGEST_SINGLE: Final = 3.4028234663852886e38
#: A bool is also found by `True` and `TRUE`.
BOOLS: Final = frozenset(("true", "false"))
#: How Unreal save games start that are not packed.
PLAIN: Final = b"GVAS"
#: What is at the ninth byte of Palworld's saves that Oodle packs.
OODLE: Final = b"PlM"
#: In the archives of our samples of Astroneer, before the save.
OTHER_FILE: Final = "readme.txt"
#: What `json` says of an object that is no member of it.
NO_MEMBERS: Final = frozenset((*HEADER_KEYS, *OBJECT_MEMBERS, *STORED_MEMBERS, "path", "properties", "ucs_modified_properties"))
#: Characters of a text that is searched.
LONG: Final = 64
#: A moment, as JSON has it.
TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT")
CLASS_LINE: Final = re.compile(r"(?:(.*)/)?@class_name = ")
#: A name that needs no quotes with escapes in a selection, and is no pattern.
SIMPLE: Final = re.compile(r"[\w.:/ -]+")


class NotHere(Exception):
    """An equation is not about such a save."""


class Subject:
    """A save, and what commands say of it; each is asked once.

    Args:
        path: the save.
        later: another one of its format, or None.
        seed: of what is drawn.
        folder: for files that commands write.
    """

    def __init__(self, path: Path, later: Path | None, seed: int, folder: Path) -> None:
        self.path = path
        self.later = later
        self.folder = folder
        self.chance = random.Random(seed)

    def ask(self, *args: object, codes: Iterable[int] = (0, 1)) -> list[str]:
        """Return the lines that a command prints.

        Raises:
            NotHere: it refuses such a save.
        """
        result = CliRunner().invoke(streamsave_main, [str(arg) for arg in args])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code not in codes:
            raise NotHere(result.stderr.strip().rpartition("\n")[2] or f"{args[0]}: exit code {result.exit_code}")
        return result.stdout.split("\n")[:-1]

    def ask_json(self, *args: object, codes: Iterable[int] = (0, 1)) -> list[Json]:
        """Return the JSON objects that a command prints, one a line."""
        return [json.loads(line) for line in self.ask(*args, codes=codes)]

    @cached_property
    def objects(self) -> list[Json]:
        """What `json --ndjson` says of each object that is in no other one."""
        rows = self.ask_json("json", "--ndjson", self.path)
        return [row for row in rows if all(key in row for key in HEADER_KEYS)]

    @cached_property
    def listed(self) -> list[Json]:
        """The rows of `ls`."""
        return self.ask_json("ls", "--json", self.path)

    @cached_property
    def flat(self) -> list[str]:
        """The lines of `cat --flat`."""
        return self.ask("cat", "--flat", self.path)

    @cached_property
    def named(self) -> list[Key]:
        """All objects, by `grep`, in their order."""
        return [key_of(row) for row in self.ask_json("grep", "--json", "", self.path)]

    @cached_property
    def walked(self) -> tuple[set[Key], int, int]:
        """From the events: objects that hold others, bytes claimed in all, and by outermost objects."""
        holders: set[Key] = set()
        opened: list[ObjectHeader] = []
        claimed = held = 0
        last: Event | None = None
        with streamsave.open(self.path) as events:
            for event in events:
                if isinstance(event, ChunkStart):
                    continue  # it may be between a property and its value
                if last is not None:
                    claimed += size_of(last, event)
                last = event
                if isinstance(event, ObjectHeader):
                    opened.append(event)
                    if events.holds_objects(event):
                        holders.add((event.class_name, event.instance_name))
                elif isinstance(event, ObjectEnd):
                    header = opened.pop()
                    if not opened:
                        size = header.size if header.size >= 0 else event.offset - header.data_offset
                        held += header.header_size + header.prefix_size + size
        return holders, claimed, held

    @cached_property
    def alone(self) -> dict[Key, Json]:
        """Objects that are alone with their names, and in no other one."""
        counts = Counter(self.named)
        return {key_of(row): row for row in self.objects if counts[key_of(row)] == 1}

    @cached_property
    def plain(self) -> dict[Key, Json]:
        """Those of them that hold no others."""
        return {key: row for key, row in self.alone.items() if key not in self.walked[0]}

    @cached_property
    def values(self) -> dict[Key, set[str]]:
        """The texts of all values of the plain objects, and of the keys of their maps, by `cat --flat`. Bytes have none.

        A text with lone surrogates is left out: no argument of a command can have it.
        """
        found: dict[Key, set[str]] = {}
        keys = iter(self.named)
        texts: set[str] = set()
        start = ""
        for line in self.flat:
            opened = CLASS_LINE.match(line)
            if opened:
                texts = found.setdefault(next(keys), set())
                start = f"{opened[1]}/" if opened[1] else ""
            elif line.startswith(start):
                path, _, text = line.removeprefix(start).partition(" = ")
                texts.update(json.loads(step[1:-1]) for step in MAP_KEY.findall(path))
                if not path.startswith("@") and not path.endswith(("/base64", "/@bytes")) and not text.startswith('{"escaped":'):
                    texts.add(json.loads(text) if text.startswith('"') else text)
                    if FLOAT.fullmatch(text):
                        texts.add(shortest(float(text)))
        return {key: texts for key, texts in found.items() if key in self.plain}

    def draw(self, what: Iterable[Any], count: int = MANY) -> list[Any]:
        """Return some of these."""
        every = list(what)
        return self.chance.sample(every, min(count, len(every)))

    def properties(self) -> Iterator[tuple[Key, str, Any]]:
        """Yield each plain object that is known by a simple name, and name and value of a property that is a simple one."""
        for key, row in self.plain.items():
            for name, value in row.get("properties", {}).items():
                if re.fullmatch(r"\w+", name) and is_plain(value):
                    yield key, name, value


def is_plain(value: object) -> bool:
    """Return whether a value is a number, a bool or a simple text."""
    if isinstance(value, str):
        return bool(SIMPLE.fullmatch(value))
    return isinstance(value, (bool, int, float))


def key_of(row: Json) -> Key:
    """Return what an object is called."""
    return row["class_name"], row["instance_name"]


def inside(value: Any, *names: str) -> Any:  # noqa: ANN401 - JSON
    """Return a member of members of JSON; None if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def content(row: Json) -> Json:
    """Return the members of an object: its properties and fields, or key and value of a pair."""
    return {**row.get("properties", {}), **{name: value for name, value in row.items() if name not in NO_MEMBERS}}


def size_of(event: Event, after: Event) -> int:
    """Return how many bytes an event claims."""
    return sum(end - start for start, end in claimed_spans(event, with_value=claims_value(event, after)))


def unlike(one: Counter[Any] | dict[Any, Any], other: Counter[Any] | dict[Any, Any]) -> str:
    """Return the first thing that two answers disagree on; "" if there is none."""
    for key in [*one, *other]:
        if one.get(key) != other.get(key):
            return f"{key}: {one.get(key)!r}, not {other.get(key)!r}"
    return ""


def inflated(path: Path) -> list[tuple[str, bytes]]:
    """Inflate a save without the package.

    Raises:
        NotHere: it is packed in a way that only the package knows.
    """
    data = path.read_bytes()
    if data.startswith(PLAIN):
        return [("body", data)]
    found = unpack(data)
    if data[8:11] == OODLE:
        size, packed = struct.unpack_from("<II", data)
        return [("body", bytes(import_module("ooz").decompress(data[12 : 12 + packed], size)))]
    if found is None or found[0][0][0] == OTHER_FILE:
        raise NotHere("nothing else inflates such a save")
    return found[0]


# --- names, selections ---


def grep_names(subject: Subject) -> str:
    """`grep PATTERN` finds what `re` finds in the rows of `ls`."""
    rows = [key_of(row) for row in subject.listed]
    parts = [re.escape(text[len(text) // 3 :][:9]) for key in subject.draw(rows) for text in key]
    for pattern in ["", "_C$", "^.[^/]", *parts]:
        expected = Counter(key for key in rows if any(re.search(pattern, text) for text in key))
        found = Counter(key_of(row) for row in subject.ask_json("grep", "--json", "--", pattern, subject.path))
        if found != expected:
            return f"{pattern!r}: {unlike(found, expected)}"
    return ""


def shortest(number: float) -> str:
    """Return the fewest digits that are the same number in single precision, if it is such a number; else all of them."""
    if abs(number) < LARGEST_SINGLE and single(number) == number:
        for digits in range(1, 10):
            text = f"{number:.{digits}g}"
            if single(float(text)) == number:
                return repr(float(text))
    return repr(number)


def single(number: float) -> float:
    """Round a number to single precision."""
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded


def grep_values(subject: Subject) -> str:
    """`grep --value X` finds the objects with a line of `cat --flat` whose value is X."""
    every = sorted(set().union(*subject.values.values())) if subject.values else []
    kinds: dict[bool, list[str]] = {}
    for text in every:
        if len(text) < LONG:
            kinds.setdefault(FLOAT.fullmatch(text) is not None, []).append(text)
    for texts in kinds.values():
        for text in subject.draw(texts):
            pattern = f"^{re.escape(text)}$"
            expected = {key for key, values in subject.values.items() if text in values or text.lower() in values & BOOLS}
            rows = subject.ask_json("grep", "--json", "--value", pattern, "--", "", subject.path)
            found = {key_of(row) for row in rows} & subject.values.keys()
            if found != expected:
                only = min(found ^ expected)
                return f"{pattern}: only {'grep' if only in found else 'cat --flat'} finds {only}"
    return ""


def has(steps: tuple[str, ...], name: str, value: object, row: Json) -> bool:
    """Return whether a member of JSON is a value, and of its type."""
    found = inside(row, *steps, name)
    return type(found) is type(value) and found == value


def ends(part: str, row: Json) -> bool:
    """Return whether the name of an object ends so."""
    return str(row["instance_name"]).endswith(part)


def list_where(subject: Subject) -> str:
    """`ls --where E` lists what E, written in Python, is true for in `json --ndjson`."""
    tests: list[tuple[str, Callable[[Json], bool]]] = []
    for class_name, name in subject.draw(key for key in subject.plain if all(map(SIMPLE.fullmatch, key))):
        part = name[len(name) // 2 :]
        tests.append((f'class_name = "{class_name}"', partial(has, (), "class_name", class_name)))
        tests.append((f'instance_name ~ "{re.escape(part)}$"', partial(ends, part)))
    for _, name, value in subject.draw(subject.properties(), 2 * MANY):
        tests.append((f"{name} = {json.dumps(value, ensure_ascii=False)}", partial(has, ("properties",), name, value)))
    for where, test in tests:
        expected = {key for key, row in subject.plain.items() if test(row)}
        found = {key_of(row) for row in subject.ask_json("ls", "--json", "--where", where, subject.path)} & subject.plain.keys()
        if found != expected:
            only = min(found ^ expected)
            return f"{where}: only {'ls' if only in found else 'json'} finds {only}"
    return ""


def list_sizes(subject: Subject) -> str:
    """`ls --where 'size > N'` lists the rows of `ls` with more bytes."""
    for size in subject.draw(sorted({row["size"] or 0 for row in subject.listed})):
        found = Counter(map(key_of, subject.ask_json("ls", "--json", "--where", f"size > {size}", subject.path)))
        expected = Counter(key_of(row) for row in subject.listed if (row["size"] or 0) > size)
        if found != expected:
            return f"{size}: {unlike(found, expected)}"
    return ""


# --- the same objects in each form ---


def get_one(subject: Subject) -> str:
    """`get NAME` prints the object of `json --ndjson`."""
    names = Counter(name for _, name in subject.named)
    for row in subject.draw(row for row in subject.objects if names[row["instance_name"]] == 1):
        (found,) = subject.ask_json("get", "--json", subject.path, "--", row["instance_name"])
        expected = {name: value for name, value in row.items() if name != "path"}
        if found != expected:
            return f"{row['instance_name']}: {unlike(found, expected)}"[:500]
    return ""


def objects_in(value: object) -> Iterator[Json]:
    """Yield the objects in a JSON document."""
    if isinstance(value, list):
        for member in value:
            yield from objects_in(member)
    elif isinstance(value, dict):
        if all(key in value for key in HEADER_KEYS):
            yield value
            return
        for member in value.values():
            yield from objects_in(member)


def whole_document(subject: Subject) -> str:
    """The objects in the document of `json` are those of `json --ndjson`, in their order.

    In the document of an Unreal save game they are elements of its containers.
    """
    document = json.loads("\n".join(subject.ask("json", subject.path)))
    found = list(objects_in(document))
    if [row["kind"] for row in found] == ["save game"] and (not subject.objects or subject.objects[0]["path"]):
        for row in subject.objects:
            if element(found[0]["properties"], row["path"]) != content(row):
                return f"{row['path']}: other properties"
        return ""
    for one, other in zip(found, subject.objects, strict=False):
        if one != {name: value for name, value in other.items() if name != "path"}:
            return f"{one['instance_name']}, not {other['instance_name']}"
    return "" if len(found) == len(subject.objects) else f"{len(found)} objects, not {len(subject.objects)}"


def element(value: Any, path: list[str | int]) -> Any:  # noqa: ANN401 - JSON
    """Return what is at a path in JSON; an entry of a map, which is a list of two, as key and value."""
    for step in path:
        value = value[("key", "value").index(str(step))] if isinstance(value, list) and isinstance(step, str) else value[step]
    return {"key": value[0], "value": value[1]} if isinstance(value, list) else value


def export_rows(subject: Subject) -> str:
    """`export --format ndjson` has the names, places and properties of `json --ndjson`."""
    fields = sorted({name for row in subject.alone.values() for name in content(row) if re.fullmatch(r"\w+", name)})
    fields = [name for name in subject.draw(fields) if name.lower() not in EXPORTED]
    options = [text for name in fields for text in ("--field", name)]
    rows = subject.ask_json("export", subject.path, "--format", "ndjson", "-o", "-", *options)
    keys = [(row["class_name"], row["instance_name"]) for row in rows]
    if Counter(keys) != Counter(subject.named):  # one that holds others may come after them
        return unlike(Counter(keys), Counter(subject.named))
    for key, row in zip(keys, rows, strict=True):
        full = subject.alone.get(key)
        if full is None:
            continue
        place = full["transform"]
        expected = dict(zip("xyz", place["translation"] if place else [None] * 3, strict=True))
        expected |= {"level": full["level"], **{name: content(full).get(name) for name in fields}}
        if any(row.get(name) != value for name, value in expected.items()):
            return f"{key}: {unlike({name: row.get(name) for name in expected}, expected)}"[:500]
    return export_cells(subject, rows, options)


EXPORTED: Final = frozenset(("file", "class_name", "instance_name", "level", "x", "y", "z", "size", "offset"))


def export_cells(subject: Subject, rows: list[Json], options: list[str]) -> str:
    """Compare CSV with the rows of NDJSON: texts as they are, nothing as nothing, others as JSON."""
    text = "\n".join(subject.ask("export", subject.path, "--format", "csv", "-o", "-", *options)) + "\n"
    csv.field_size_limit(len(text) + 1)
    cells = list(csv.DictReader(io.StringIO(text, newline="")))
    if len(cells) != len(rows):
        return f"CSV: {len(cells)} rows, not {len(rows)}"
    for shown, row in zip(cells, rows, strict=True):
        for name, value in row.items():
            cell: object = shown[name]
            if not isinstance(value, str):
                cell = json.loads(shown[name] or "null")
            if cell != ("" if value is None and isinstance(cell, str) else value):
                return f"CSV: {row['instance_name']}: {name}: {cell!r}, not {value!r}"[:500]
    return ""


def sql_counts(subject: Subject) -> str:
    """`sql` counts the objects, and the bytes, of each class as `ls` does."""
    rows = subject.ask_json(
        "sql", "--json", "select class_name, count(*) as n, sum(size) as bytes from objects group by 1", subject.path
    )
    found = {row["class_name"]: (row["n"], row["bytes"]) for row in rows}
    expected: dict[str, tuple[int, int]] = {}
    for row in subject.listed:
        count, size = expected.get(row["class_name"], (0, 0))
        expected[row["class_name"]] = count + 1, size + (row["size"] or 0)
    wrong = unlike({name: count for name, (count, _) in found.items()}, {name: count for name, (count, _) in expected.items()})
    if wrong:
        return wrong
    for name in [name for name in found if not found[name][1] or not expected[name][1]]:  # a size that only a walk shows
        del found[name], expected[name]
    return unlike(found, expected)


# --- two saves ---


def growth(subject: Subject) -> str:
    """Of each class, `diff` finds as many more as `ls --by-class` counts, and as many more bytes as the events claim."""
    if subject.later is None:
        raise NotHere("there is no later save")
    counts = [
        Counter({row["class_name"]: row["objects"] for row in subject.ask_json("ls", "--by-class", "--json", path)})
        for path in (subject.path, subject.later)
    ]
    expected = {name: counts[1][name] - counts[0][name] for name in counts[0] | counts[1]}
    rows = subject.ask_json("diff", "--all", "--summary", "--json", subject.path, subject.later)
    found = dict.fromkeys(expected, 0) | {row["class_name"]: row["added"] - row["removed"] for row in rows if row["class_name"]}
    before, after = own_sizes(subject.path), own_sizes(subject.later)
    grown = {name: after[name] - before[name] for name in before | after}
    more = dict.fromkeys(grown, 0) | {row["class_name"] or "": row["bytes"] for row in rows}
    return unlike(found, expected) or (unlike(more, grown) if rows else "")


def own_sizes(path: Path, where: str = "") -> Counter[str]:
    """Return the bytes of the wanted objects of each class, each in the innermost one; of all, "" has what is in no object."""
    found: Counter[str] = Counter()
    opened: list[tuple[ObjectHeader, list[int]]] = []
    with streamsave.open(path) as events:
        if where:
            events.only(where)
        for event in events:
            if isinstance(event, ObjectHeader):
                opened.append((event, []))
            elif isinstance(event, ObjectEnd):
                header, inner = opened.pop()
                size = header.size if header.size >= 0 else event.offset - header.data_offset
                found[header.class_name] += size - sum(inner)
                if opened:
                    opened[-1][1].append(size)
            elif isinstance(event, SaveEnd) and not where:
                found[""] += event.offset - found.total()
    return found


def same_save(subject: Subject) -> str:
    """`diff --all SAVE SAVE` finds nothing."""
    return "".join(subject.ask("diff", "--all", subject.path, subject.path)[:1])


def changed_rows(subject: Subject, new: Path) -> list[tuple[str, Key, str | None, Any, Any]]:
    """Return what `diff` says of objects; sizes and counts outside of objects follow from them."""
    rows = subject.ask_json("diff", "--all", "--json", subject.path, new)
    return [
        (row["change"], key_of(row), row.get("path"), row.get("old"), row.get("new")) for row in rows if "instance_name" in row
    ]


def own_key(key: Key) -> bool:
    """Return whether an object can be named in a selection, by a name that is not only its number."""
    return bool(SIMPLE.fullmatch(key[1])) and not key[1].endswith("]")


def set_one(subject: Subject) -> str:
    """`edit --set` of a value is what `diff` finds."""
    names = Counter(name for _, name in subject.named)
    every = [
        (key, name, old)
        for key, name, old in subject.properties()
        # In an element of an Unreal save game, a text may be class or name of the object.
        if own_key(key) and names[key[1]] == 1 and isinstance(old, int if subject.plain[key]["path"][1:] else (int, str))
    ]
    if not every:
        raise NotHere("no object with a name has a simple property")
    for number, (key, name, old) in enumerate(subject.draw(every)):
        if isinstance(old, str) and "::" in old:
            continue  # of an enum; another value may be none of it
        # Of a moment, the last digit.
        text = f"{old[:-1]}{(int(old[-1]) + 1) % 10}" if isinstance(old, str) and TIME.match(old) else f"{old}x"
        value = (not old) if isinstance(old, bool) else (old + 1 if old < 100 else old - 1) if isinstance(old, int) else text
        new = subject.folder / f"set-{number}"
        change = f"{name} = {json.dumps(value)}"
        subject.ask("edit", subject.path, "-o", new, "--where", f'instance_name == "{key[1]}"', "--set", change, codes=(0,))
        found = changed_rows(subject, new)
        if found != [("changed", key, name, old, value)]:
            return f"{key[1]}: {name}: {old!r} -> {value!r}: {found[:2]}"[:500]
    return ""


def set_place(subject: Subject) -> str:
    """`edit --set` of a number that `cat --flat` prints of a place is what `diff` finds."""
    names = Counter(name for _, name in subject.named)
    every = [key for key, row in subject.plain.items() if own_key(key) and names[key[1]] == 1 and row["transform"]]
    if not every:
        raise NotHere("no object with a name has a place")
    for number, key in enumerate(subject.draw(every)):
        part, size = subject.chance.choice([("translation", 3), ("rotation", 4), ("scale", 3)])
        index = subject.chance.randrange(size)
        path = f"@{'position' if part == 'translation' else part}[{index}]"
        old = subject.plain[key]["transform"][part][index]
        new = subject.folder / f"place-{number}"
        chosen = ("--where", f'instance_name == "{key[1]}"')
        try:
            subject.ask("edit", subject.path, "-o", new, *chosen, "--set", f"{path} = {old + 1}", codes=(0,))
        except NotHere as reason:
            if "no header" in str(reason) or "(Oodle) cannot be written" in str(reason):
                raise
            return f"{key[1]}: {path}: {reason}"
        found = [(kind, where, at, before) for kind, where, at, before, _ in changed_rows(subject, new)]
        if found != [("changed", key, path, old)]:
            return f"{key[1]}: {path}: {found[:2]}"[:500]
    return ""


def drop_one(subject: Subject) -> str:
    """`edit --drop` of an object is what `diff` finds."""
    names = Counter(name for _, name in subject.named)
    every = [key for key in subject.plain if own_key(key) and names[key[1]] == 1]
    if not every:
        raise NotHere("no object has a name of its own")
    for number, key in enumerate(subject.draw(every)):
        new = subject.folder / f"drop-{number}"
        keep = ("--keep-parts", "--keep-references")
        subject.ask("edit", subject.path, "-o", new, "--drop", f'instance_name == "{key[1]}"', *keep, codes=(0,))
        found = changed_rows(subject, new)
        if found != [("removed", key, None, None, None)]:
            return f"{key[1]}: {found[:2]}"[:500]
    return ""


def drop_selected(subject: Subject) -> str:
    """In a `rewrite`, `only` and `drop` of each object drop what is selected, and not what is around it."""
    holding = {key[0] for key in subject.walked[0]}
    for number, class_name in enumerate(subject.draw(sorted({key[0] for key in subject.named} - holding))):
        new = subject.folder / f"only-{number}"
        try:
            with streamsave.rewrite(subject.path, new) as save:
                save.only(f'class_name == "{class_name}"')
                for event in save:
                    if isinstance(event, ObjectHeader):
                        save.drop()
        except (UnsupportedSave, EditError) as error:
            raise NotHere(str(error)) from error
        found = Counter(key[0] for kind, key, *_ in changed_rows(subject, new) if kind == "removed")
        expected = Counter(key[0] for key in subject.named if key[0] == class_name)
        if found != expected:
            return f"{class_name}: {unlike(found, expected)}"
    return ""


# --- bytes ---


def all_bytes(subject: Subject) -> str:
    """The bytes that events claim are as many as inflate; `ls --by-class --full` says so, and has the classes of `ls`."""
    size = sum(len(data) for _, data in inflated(subject.path))
    claimed = subject.walked[1]
    (stats,) = subject.ask_json("ls", "--by-class", "--full", "--json", "--top", "0", subject.path)
    if not size == claimed == stats["inflated_size"]:
        return f"{size} inflated, {claimed} claimed, ls --full says {stats['inflated_size']}"
    by_class: Counter[str] = Counter()
    for row in subject.listed:
        by_class[row["class_name"]] += row["size"] or 0
    sizes = [(row["class_name"], row["size"]) for row in stats["classes"]]
    unknown = {row["class_name"] for row in subject.listed if row["size"] is None}
    return unlike(*({name: size for name, size in each if name not in unknown} for each in (sizes, by_class.items())))


def parts_of_tree(subject: Subject) -> str:
    """The parts that `treemap` draws are the bytes that events claim in objects, and all."""
    tree = Tree()
    with streamsave.open(subject.path) as events:
        collect(events, tree)
    held = sum(node.size for node in tree.classes.values()) + sum(tree.headers.values())
    return unlike(
        {"all": tree.inflated_size, "in objects": held}, dict(zip(("all", "in objects"), subject.walked[1:], strict=True))
    )


def checked(subject: Subject) -> str:
    """`check` decodes a save whose events can be read, and counts the findings that it writes."""
    *findings, summary = subject.ask_json("check", "--json", subject.path, codes=(0, 1, 4))
    lines = subject.ask("check", "--quiet", subject.path, codes=(0, 1, 4))
    kinds = Counter(row["severity"] for row in findings)
    found = {"findings": summary["findings"], "lines": len(lines), "decodes": summary["result"] != "undecodable"}
    return unlike(found, {"findings": kinds["finding"], "lines": kinds["finding"], "decodes": subject.walked[1] >= 0})


def explained(subject: Subject) -> str:
    """`explain` finds each path that `cat --flat` prints; a row of the layout that is called like its last step has the value."""
    lines = Counter(line.partition(" = ")[0] for line in subject.flat)
    for line in subject.draw(
        (line for line in subject.flat if lines[line.partition(" = ")[0]] == 1 and "#" not in line), 3 * MANY
    ):
        path, _, text = line.partition(" = ")
        found = subject.ask_json("explain", "--json", subject.path, "--", path)
        if not found:
            return f"{path}: not found"
        rows = found[0]["layout"]
        step = re.split(r"[/\[]", path)[-1].removesuffix("]")
        value = rows[-1]["value"] if rows and rows[-1]["name"] == step else None
        value = inside(value, "path_name") if isinstance(value, dict) else value
        is_empty = value == "" and text == "null"  # an item without a state has an empty reference
        if value is not None and value != json.loads(text) and not is_empty:
            return f"{line}: {value!r}"[:500]
    return ""


def written_again(subject: Subject) -> str:
    """A save that is written again without edits inflates to the same bytes."""
    new = subject.folder / "again"
    before = inflated(subject.path)
    try:
        with streamsave.rewrite(subject.path, new) as save:
            for _ in save:
                pass
    except UnsupportedSave as error:
        raise NotHere(str(error)) from error
    after = inflated(new)
    for (name, old), (_, again) in zip(before, after, strict=True):
        if old != again:
            return f"{name}: {len(old)} bytes, not the {len(again)} of before"
    return ""


def from_documents(subject: Subject) -> str:
    """What `json` writes in each form, indented or not, becomes the very same save."""
    try:
        streamsave.rewrite(subject.path, None).close()
    except UnsupportedSave as error:
        raise NotHere(str(error)) from error
    document, new = subject.folder / "document", subject.folder / "new"
    like = ("--like", subject.path)
    for options, others in (((), like), (("--ndjson",), like), (("--with-source",), like), (("--with-original",), ())):
        subject.ask("json", subject.path, "-o", document, *options, codes=(0,))
        for form in ("as it is", "indented") if "--ndjson" not in options else ("as it is",):
            if form == "indented":
                document.write_text(json.dumps(json.loads(document.read_bytes()), indent=1), "utf-8")
            try:
                subject.ask("from-json", document, *others, "-o", new, codes=(0,))
            except NotHere as reason:
                return f"{' '.join(options)}, {form}: {reason}"
            if new.read_bytes() != subject.path.read_bytes():
                return f"{' '.join(options)}, {form}: {new.stat().st_size} other bytes"
    return ""


def packed_again(subject: Subject) -> str:
    """`arx extract` of an Arx save has the entries of `ls`; `arx pack` of them has the same bytes."""
    if not any(row["kind"] in {"pld", "player", "entity", "globals", "level", "blob"} for row in subject.listed):
        raise NotHere("only Arx saves have entries")
    with streamsave.open(subject.path) as events:
        if events.format.name != "Arx save":
            raise NotHere("only Arx saves have entries")
    out, new, again = subject.folder / "entries", subject.folder / "packed.sav", subject.folder / "again"
    rows = subject.ask_json("arx", "extract", "--json", subject.path, "-o", out, "--force")
    names = Counter(row["name"] for row in rows)
    if names != Counter(name for _, name in subject.named):
        return unlike(names, Counter(name for _, name in subject.named))
    subject.ask("arx", "pack", out, "-o", new, "--like", subject.path, codes=(0,))
    subject.ask("arx", "extract", new, "-o", again, "--force", codes=(0,))
    return unlike(*({path.name: sha256(path.read_bytes()).hexdigest() for path in each.iterdir()} for each in (out, again)))


# --- games ---


def require(subject: Subject, format_name: str) -> None:
    """Raise `NotHere` if a save is of another game."""
    with streamsave.open(subject.path) as events:
        start = next(events)
        name = getattr(start, "format", "")
        if not name.startswith(format_name):
            raise NotHere(f"it is no save of {format_name}")


#: What each command says, by the method that has its rows another way.
FACTORY: Final = {
    "inventory": "inventory",
    "inventory --by-store": "stores",
    "find ": "stores",
    "machines": "machines",
    "machines --idle": "idle",
    "power": "power",
    "power --unconnected": "unconnected",
    "trains": "trains",
}


def rows_of(subject: Subject, *words: str) -> Counter[str]:
    """Return the rows that a command of a game prints, without the file and labels."""
    rows = subject.ask_json(*words, "--json", subject.path, codes=(0,))
    return as_texts({name: value for name, value in row.items() if name != "file" and name[-6:] != "_label"} for row in rows)


def as_texts(rows: Iterable[Json]) -> Counter[str]:
    """Return rows as texts."""
    return Counter(json.dumps(row, sort_keys=True) for row in rows)


def by_rules(subject: Subject) -> str:
    """Each row of each command of `satisfactory` is what the rules of the game make of `json --ndjson`, and of `ls`."""
    require(subject, "satisfactory")
    world = SecondFactory(from_json(subject.objects))
    listed = inside(header_of(subject), "mod_metadata") or {}
    more = {"mods": mods(listed, subject.listed), "mods --mentions": mentions(subject.objects, world)}
    return differs(subject, world, more)


def second_factory(subject: Subject) -> str:
    """Each row of each command of `satisfactory` but `mods` is what they make of what `satisfactory-save` reads."""
    require(subject, "satisfactory")
    try:
        return differs(subject, SecondFactory(from_package(subject.path)), {})
    except ImportError as error:
        raise NotHere(f"{error.name} is not installed") from error
    except CannotRead as error:
        raise NotHere(str(error)) from error


def differs(subject: Subject, world: SecondFactory, more: Mapping[str, Iterable[Json]]) -> str:
    """Return the first row that a command and the rules do not agree on; `more`: the rows of other commands."""
    for words, expected in {**{words: getattr(world, name)() for words, name in FACTORY.items()}, **more}.items():
        wrong = unlike(rows_of(subject, "satisfactory", *words.split(" ")), as_texts(expected))
        if wrong:
            return f"{words}: {wrong}"
    return ""


def header_of(subject: Subject) -> Json:
    """Read what the header of a save says, by a few lines of `struct`.

    Raises:
        NotHere: there is no second way to read it.
    """
    with streamsave.open(subject.path) as events:
        read = HEADERS.get(getattr(next(events), "format", ""))
    if read is None:
        raise NotHere("no other reader of such a header")
    packed = not read.__name__.startswith(("satisfactory", "blueprint", "shapez2"))
    return read(subject.path.read_bytes(), inflated(subject.path) if packed else ())


def headers(subject: Subject) -> str:
    """`info` says what `struct` and `json` find in the header of the file; of a blueprint code, also what it places and costs."""
    expected = {**header_of(subject), "file_size": subject.path.stat().st_size}
    said: Json = {}
    for row in subject.ask_json("info", "--json", subject.path):
        said |= {**row["header"], "file_size": row["file_size"]}
    if "custom_versions" in said:
        said["custom_versions"] = ["{key} {version}".format_map(each) for each in said["custom_versions"]]
    return unlike({name: said.get(name) for name in expected}, expected)


def palworld(subject: Subject) -> str:
    """`palworld players`, `pals`, `guilds`, `bases` and `items` have a row for each of the kind in `json --ndjson`."""
    require(subject, "gvas")
    expected: dict[str, Counter[Any]] = {name: Counter() for name in ("players", "pals", "guilds", "bases", "items")}
    with streamsave.open(subject.path) as events:
        header: Any = getattr(next(events), "header", None)
    if not header.save_game_class.startswith("/Script/Pal."):
        raise NotHere("it is no save of Palworld")
    is_world = header.save_game_class == "/Script/Pal.PalWorldSaveGame"
    owned: Counter[str] = Counter()
    for row in subject.objects:
        for character in characters_in(row) if not is_world or CHARACTERS in row["path"] else ():
            is_player = inside(character, "IsPlayer") is True
            expected["players" if is_player else "pals"][character.get("CharacterID", "") if not is_player else "player"] += 1
            owned[character.get("OwnerPlayerUId", "") if not is_player else ""] += 1
        properties = content(row)
        if row["kind"] == "guild":
            expected["guilds"][inside(properties, "value", "RawData", "group_id")] += 1
        if row["kind"] == "base":
            expected["bases"][inside(properties, "value", "RawData", "group_id_belong_to")] += 1
        if row["kind"] == "container":
            for slot in inside(properties, "value", "Slots") or ():
                item = inside(slot, "RawData", "item", "static_id") or inside(slot, "RawData", "item_id", "static_id")
                item = item or inside(slot, "ItemId", "StaticId")
                if item and item != "None":
                    expected["items"][item] += 1
    columns = {"pals": "species"}
    if is_world:  # a storage has only pals
        columns |= {"players": "", "guilds": "id", "bases": "guild_id", "items": "item"}
    answers = {
        command: subject.ask_json("palworld", command, *(("--slots",) if command == "items" else ()), "--json", subject.path)
        for command in columns
    }
    for command, column in columns.items():
        wrong = unlike(Counter(row[column] if column else "player" for row in answers[command]), expected[command])
        if wrong:
            return f"{command}: {wrong}"
    return sums_of_palworld(subject, answers, owned) if is_world else ""


def sums_of_palworld(subject: Subject, answers: Mapping[str, Sequence[Json]], owned: Counter[str]) -> str:
    """Each number of a row is the sum of the rows of another command: items of guilds, pals of players, bases."""
    of_item: Counter[tuple[str, str]] = Counter()
    stored: Counter[str] = Counter()
    for row in answers["items"]:
        of_item[row["item"], row["guild_id"]] += row["count"]
        stored[row["guild_id"]] += row["count"]
    for row in subject.ask_json("palworld", "items", "--json", subject.path):
        of_item[row["item"], row["guild_id"]] -= row["count"]
    chest = sum(row["count"] for row in subject.ask_json("palworld", "items", "--guild-chests", "--json", subject.path))
    bases = Counter(row["guild_id"] for row in answers["bases"])
    told = {row["id"]: row for row in answers["guilds"]}
    equal = {
        "items: the sums are those of the slots": not any(of_item.values()),
        "guilds: stored": {guild: row["stored"] for guild, row in told.items()} == {guild: stored[guild] for guild in told},
        "guilds: bases": {guild: row["bases"] for guild, row in told.items()} == {guild: bases[guild] for guild in told},
        "guilds: chests": sum(row["chest"] or 0 for row in told.values()) == chest,
        "players: pals": all(row["pals"] == owned[row["id"]] for row in answers["players"]),
        "pals: owners": Counter(row["owner_id"] for row in answers["pals"])
        == Counter({each: count for each, count in owned.items() if each}) + Counter({"": owned[""] - len(answers["players"])}),
    }
    return next((text for text, holds in equal.items() if not holds), "")


def second_palworld(subject: Subject) -> str:
    """`palworld players`, `pals`, `guilds`, `bases` and `items --slots` are what `palworld-save-tools` reads: each number."""
    require(subject, "gvas")
    asked = ("players", "pals", "guilds", "bases", "items --slots")
    answers = {words: rows_of(subject, "palworld", *words.split()) for words in asked}
    try:
        world = SecondWorld(inflated(subject.path)[0][1])
    except ImportError as error:
        raise NotHere(f"{error.name} is not installed") from error
    except Refused as error:
        raise NotHere(str(error)) from error
    for words, rows in answers.items():
        wrong = unlike(rows, as_texts(getattr(world, words.split()[0])()))
        if wrong:
            return f"{words}: {wrong}"
    return ""


CHARACTERS: Final = "CharacterSaveParameterMap"


def characters_in(value: object) -> Iterator[Json]:
    """Yield the parameters of players and pals, wherever they are in JSON, but for empty slots."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name == "SaveParameter" and isinstance(member, dict):
                if member.get("CharacterID", "None") != "None" or member.get("IsPlayer") is True:
                    yield member
            else:
                yield from characters_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from characters_in(member)


@frozen
class Equation:
    """A command, what it says, and a function that returns the first counterexample, or ""."""

    command: str
    text: str
    first_wrong: Callable[[Subject], str]


EQUATIONS: Final = (
    Equation("grep", "PATTERN = names and classes of ls", grep_names),
    Equation("grep --value", "X = the objects of the lines of cat --flat", grep_values),
    Equation("ls --where", "a class, a name, a property = Python over json --ndjson", list_where),
    Equation("ls --where", "size > N = rows of ls", list_sizes),
    Equation("get", "NAME = the object of json --ndjson", get_one),
    Equation("json", "the document = json --ndjson", whole_document),
    Equation("export", "ndjson, csv = json --ndjson", export_rows),
    Equation("sql", "count(*), sum(size) = ls", sql_counts),
    Equation("diff", "added - removed = growth of ls --by-class; bytes = events", growth),
    Equation("diff", "SAVE SAVE = nothing", same_save),
    Equation("edit --set", "a value = diff", set_one),
    Equation("edit --set", "a number of a place = diff", set_place),
    Equation("edit --drop", "an object = diff", drop_one),
    Equation("rewrite", "only, drop = diff", drop_selected),
    Equation("ls --by-class --full", "inflated = claimed by events; classes = ls", all_bytes),
    Equation("treemap", "parts = inflated", parts_of_tree),
    Equation("check", "decodes what can be read; findings = lines", checked),
    Equation("explain", "a path of cat --flat = its bytes, and its value", explained),
    Equation("rewrite", "without edits = the same bytes inflated", written_again),
    Equation("from-json", "what json writes, unchanged = the same bytes", from_documents),
    Equation("arx", "the same entries", packed_again),
    Equation("info", "the header, what a code places = struct and json", headers),
    Equation("satisfactory", "each number = the rules over json --ndjson", by_rules),
    Equation("satisfactory", "each number = the rules over satisfactory-save", second_factory),
    Equation("palworld", "players, pals, guilds, bases, items = json --ndjson; sums", palworld),
    Equation("palworld", "each number = palworld-save-tools and struct", second_palworld),
)


def judge(equation: Equation, subject: Subject) -> tuple[str, str]:
    """Return `held`, `broken` or `-`, and the counterexample or the reason."""
    try:
        wrong = equation.first_wrong(subject)
    except NotHere as reason:
        return "-", str(reason)
    except SaveError as error:
        return "broken", str(error)
    return ("broken", wrong) if wrong else ("held", "")


@click.command()
@click.argument("save", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("later", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=False)
@click.option("--seed", default=1, show_default=True, help="Of what is drawn from the save.")
@click.option("--only", default="", help="Only equations whose command has this in its name.")
def main(save: Path, later: Path | None, seed: int, only: str) -> None:
    """Check each command against another way to the same answer."""
    is_broken = False
    with tempfile.TemporaryDirectory() as folder:
        for equation in EQUATIONS:
            if only in equation.command:
                with tempfile.TemporaryDirectory(dir=folder) as own:
                    verdict, why = judge(equation, Subject(save, later, seed, Path(own)))
                is_broken |= verdict == "broken"
                print(f"{equation.command:<24}{equation.text:<60}{verdict:<8}{why}".rstrip(), flush=True)
    sys.exit(is_broken)


if __name__ == "__main__":
    main()
