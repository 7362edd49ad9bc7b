"""All commands read a format of one's own whose objects hold objects."""

from __future__ import annotations

import csv
import io
import json
import struct
import sys
from pathlib import Path

import pytest
from cli_runs import run
from nested_format import BOX
from toy_format import install

import streamsave
from streamsave.formats.plugins import plugins
from streamsave.output.json_document import json_document

NAMES = ["crate_1", "tin_1", "crate_2", "tin_2", "crate_3"]


def box(name: str, weight: int, *inside: bytes) -> bytes:
    data = struct.pack("<ifB", weight, weight / 2, len(inside)) + b"".join(inside) + b"\x01"
    return bytes([len(name)]) + name.encode() + struct.pack("<I", len(data)) + data


def boxes(weight: int = 7) -> bytes:
    crate = box("crate_1", 3, box("tin_1", 1), box("crate_2", 2, box("tin_2", weight)))
    return b"BOX1\2" + crate + box("crate_3", 4)


@pytest.fixture
def save(tmp_path, monkeypatch):
    install(tmp_path, "nested_format:BOX", package="box", name="box")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.cache_clear()
    path = tmp_path / "one.box"
    path.write_bytes(boxes())
    yield path
    plugins.cache_clear()
    for module in Path(tmp_path).glob("*.py"):
        sys.modules.pop(module.stem, None)


def built(weight: int = 7) -> list[dict[str, object]]:
    def one(name: str, weight: int, *inside: dict[str, object]) -> dict[str, object]:
        values = {"class_name": name.partition("_")[0], "instance_name": name, "weight": weight, "price": weight / 2}
        return values | {"count": len(inside), **({"objects": list(inside)} if inside else {}), "lid": 1}

    crate = one("crate_1", 3, one("tin_1", 1), one("crate_2", 2, one("tin_2", weight)))
    return [crate, one("crate_3", 4)]


def own(value: dict[str, object]) -> dict[str, object]:
    """A built object without what the header of every object says, and those in it."""
    rest = {"kind", "level", "outer", "transform", "flags", "save_version", "properties"}
    values = {name: item for name, item in value.items() if name not in rest}
    if "objects" in values:
        values["objects"] = [own(inner) for inner in values["objects"]]
    return values


def test_build_has_the_objects_inside(save):
    with streamsave.open(save) as events:
        assert [own(events.build()) for event in events if isinstance(event, streamsave.ObjectHeader)] == built()


@pytest.mark.parametrize("built_size", [0, 30, 1 << 16])
def test_json_is_the_same_in_pieces_of_any_size(save, built_size):
    with streamsave.open(save, reader=BOX) as events:
        document = json.loads(b"".join(json_document(events, built_size=built_size)))
    assert [own(value) for value in document["boxes"]] == built()


def test_commands(save):
    other = save.with_name("two.box")
    other.write_bytes(boxes(8))
    assert [line.split("\t")[1] for line in run("ls", save).stdout.splitlines()] == NAMES
    assert [own(value) for value in json.loads(run("json", save).stdout)["boxes"]] == built()
    assert run("grep", "tin", save).stdout.splitlines() == ["tin\ttin_1", "tin\ttin_2"]
    assert "boxes/crate_1/crate_2/tin_2/weight = 7" in run("cat", "--flat", save).stdout.splitlines()
    assert "boxes/crate_1/crate_2/tin_2/weight: 7 -> 8" in run("diff", save, other).stdout
    assert "class\ttin\t2\t" in run("stats", save).stdout
    assert run("check", save).stdout == f"{save}: sound\n"
    table = save.with_name("table.csv")
    run("export", save, "-o", table)
    assert [row["name"] for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))] == NAMES
