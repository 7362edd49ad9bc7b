"""Random edits of documents, shown by `diff`: each difference is an edit, and each edit is a difference."""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from compared import differences
from document_edits import FOLLOWING, assert_says, document_of, edit_one, is_object, made

from streamsave import EditError

#: Real saves of each family and era, and how many edits are made of each, of small ones more: 300.
REAL = {
    "satisfactory/u4-hv8-sv25-480k.sav": 1,
    "satisfactory/u7-hv10-sv36-216k.sav": 8,
    "satisfactory/v10-hv13-sv46-110k.sav": 12,
    "satisfactory/hv14-sv52-pep-modtest-1.sav": 25,
    "satisfactory/v12-hv14-sv58-140k.sav": 8,
    "satisfactory/blueprints/smelters---iron-ingots.sbp": 45,
    "gvas/palworld-level-unicode.sav": 8,
    "gvas/railroads-ue425.sav": 10,
    "gvas/abiotic-world-15k-ue544.sav": 60,
    "gvas/hobby-ue544.sav": 33,
    "arx/v2.0-mixed.sav": 30,
    "arx/v1.1-fresh.sav": 30,
    "shapez2/blueprints/full-balanced-miner.spz2bp-fac41fd0.spz2bp": 15,
    "shapez2/synthetic-checkpoints.spz2": 15,
}
#: Samples, and how many edits are made of each: where there are no real saves, and of what these are not.
SAMPLES = {
    "satisfactory/sv25.sav": 10,
    "satisfactory/sv46.sbp": 10,
    "satisfactory/sv60.sav": 10,
    "gvas/palworld-1.0.sav": 10,
    "gvas/ue5-1018.sav": 10,
    "arx/v2.1.sav": 5,
    "astroneer/full.savegame": 10,
    "shapez2/checkpoints.spz2": 10,
    "shapez2/buildings.spz2bp": 5,
}
#: Edits that are made at once.
TOGETHER = 5
#: What `diff` calls the members of a header that a document has.
MEMBERS = {"@position": ("transform", "translation"), "@rotation": ("transform", "rotation"), "@scale": ("transform", "scale")}
INDEX = re.compile(r"\[(\d+)\]")
KEY = re.compile(r'\[("(?:[^"\\]|\\.)*")\]')

#: The objects of a document by name, each with its path.
Objects = dict[str, list[tuple[tuple[Any, ...], Any]]]


class Missing:
    """In place of a value that there is not."""


def is_same(old: Any, new: Any) -> bool:
    """Whether two values of JSON are equal; numbers are, as they are stored. `diff` shows only the path of a reference."""
    if old == new:
        return True
    if isinstance(old, str) and isinstance(new, dict):
        return bool(old == new.get("path_name"))
    if isinstance(old, dict) and isinstance(new, dict):
        names = (old.keys() | new.keys()) - FOLLOWING
        return all(is_same(old.get(name, Missing), new.get(name, Missing)) for name in names)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(is_same, old, new))
    if isinstance(old, float) and isinstance(new, (int, float)):
        return bool(new == pytest.approx(old, rel=1e-6))
    return bool(old == new)


def members_of(value: Any) -> dict[Any, Any]:
    """The parts of a value by what they are known by: names, keys, places."""
    if isinstance(value, dict):
        names = value.keys() - FOLLOWING
        return {name: part for name, part in value.items() if name in names}
    if all(map(is_object, value)):
        names = [f"{part['class_name']}:{part['instance_name']}" for part in value]
        if len(set(names)) == len(names):
            return dict(zip(names, value, strict=True))
    return dict(enumerate(value))


def edits_of(old: Any, new: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths at which two documents differ. Of lists of other lengths, and of what only one has, this is the whole of it."""
    if old == new or is_same(old, new):
        return
    kinds = {type(old), type(new)}
    if kinds == {dict} or (kinds == {list} and (len(old) == len(new) or all(map(is_object, (*old, *new))))):
        olds, news = members_of(old), members_of(new)
        for name in {**olds, **news}:
            yield from edits_of(olds.get(name, Missing), news.get(name, Missing), (*path, name))
    else:
        yield path


def resolved(value: Any, rest: str, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Where a path of `diff` may lead in a document: the path there, as `edits_of` has it, and the value."""
    rest = rest.removeprefix("/")
    if not rest:
        yield path, value
        return
    if isinstance(value, dict):
        if is_object(value):
            for name, steps in MEMBERS.items():
                part = value.get(steps[0])
                if rest.startswith(name) and isinstance(part, dict):
                    yield from resolved(part[steps[1]], rest[len(name) :], (*path, *steps))
            yield from resolved({f"@{name}": part for name, part in value.items()}, rest, path) if rest[0] == "@" else ()
        for name, part in value.items():
            for text in {name, json.dumps(name), json.dumps(name, ensure_ascii=False), re.sub(r"#\d+$", "", name)}:
                if rest.startswith(text) and rest[len(text) : len(text) + 1] in {"", "/", "["}:
                    yield from resolved(part, rest[len(text) :], (*path, name.removeprefix("@")))
            if name == "properties" or name.startswith("objects"):
                yield from resolved(part, rest, (*path, name))
    elif isinstance(value, list):
        if found := INDEX.match(rest):
            index = int(found[1])
            if index < len(value):
                yield from resolved(value[index], rest[found.end() :], (*path, index))
        elif found := KEY.match(rest):
            key = json.loads(found[1])
            for index, part in enumerate(value):
                if isinstance(part, list) and len(part) == 2 and (key == json.dumps(part[0]) or is_same(key, part[0])):
                    after = rest[found.end() :]
                    yield from resolved(part[1], after, (*path, index, 1) if after else (*path, index))
        else:
            if len(value) == 2:
                for index, name in enumerate(("key", "value")):
                    if rest == name or rest.startswith((f"{name}/", f"{name}[")):
                        yield from resolved(value[index], rest[len(name) :], (*path, index))
            if len(value) == 1 and is_object(value[0]):  # that of a save game of Unreal, which is no step
                yield from resolved(value[0], rest, (*path, *members_of(value)))
            for name, part in members_of(value).items():
                text = part["instance_name"] if is_object(part) else ""
                for each in {text, text.rpartition(":")[2]} - {""}:
                    if rest.startswith(each):
                        yield from resolved(part, rest[len(each) :], (*path, name))


def objects_of(document: Any) -> Objects:
    """The objects of a document by name, each with its path."""
    found = defaultdict(list)
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), document)]
    while waiting:
        path, value = waiting.pop()
        if is_object(value):
            found[value["instance_name"]].append((path, value))
        waiting += [((*path, key), part) for key, part in members_of(value).items() if isinstance(part, (dict, list))]
    return found


def touches(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether one path leads into what the other leads to."""
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def assert_shown(old: Any, new: Any, old_objects: Objects, save: Path, edited: Path) -> int:
    """`diff` shows the edits of a document, all of them, and nothing else; return how many there are."""
    edits = {path for path in edits_of(old, new) if path[0] != "header"}
    shown = set()
    rows = differences(save, edited)
    new_objects = objects_of(new)
    for sign, name, path, before, after in rows:
        if name is None and (path.startswith("@header/") or FOLLOWING & {*path.split("/")}):
            continue  # sizes and counts
        found = []
        for document, named, text in zip((old, new), (old_objects, new_objects), (before, after), strict=True):
            for place, value in [((), document)] if name is None else named.get(name, []):
                for where, part in resolved(value, path, place):
                    found += [where] if sign != "~" or text is None or is_same(json.loads(text), part) else [(*where, "?")]
        inside = {each for each in edits for where in found if touches(each, where)}
        assert inside, f"no edit is there: {sign} {name} {path}: {before} -> {after}"
        shown |= inside
    assert shown == edits
    return len(edits)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [*SAMPLES.items(), *REAL.items()])
def test_edits(any_save, name, count, tmp_path):
    """A number of edits of a save, a few at once: `diff` shows them."""
    save = any_save(name)
    text = document_of(save)
    old = json.loads(text)
    old_objects = objects_of(old)
    done = 0
    for seed in range(count * 10):
        if done >= count:
            break
        choose = random.Random(seed)
        document = json.loads(text)
        for _ in range(TOGETHER):
            edit_one(document, choose, with_objects="satisfactory" in save.parts)
        target = tmp_path / f"{seed}.new"
        try:
            made(document, save, target)
        except EditError:
            continue  # nothing of the kind is there to copy, or the value does not fit
        new = json.loads(document_of(target))
        if any(edits_of(new, document)):  # it takes longer
            assert_says(new, document)
        done += min(assert_shown(old, new, old_objects, save, target), TOGETHER)
        target.unlink()
    assert done >= count


def test_so_many_edits():
    assert sum(REAL.values()) >= 300
