"""The format of the page on plug-ins: all commands read it, and it keeps the contract."""

import csv
import io
import json
import os
import struct
import zlib
from pathlib import Path

import box_format
import pytest
from box_format import BOX, BoxReader, box_save
from cli_runs import PACKAGE_FOLDER, run
from saves import read
from toy_format import install

import streamsave
from streamsave.check import check_reader
from streamsave.formats.plugins import plugins
from streamsave.output.json_document import json_document

NAMES = ["crate_1", "tin_1", "crate_2", "tin_2", "crate_3"]
READER = ("--reader", "box_format:BoxReader")


@pytest.fixture
def save(tmp_path):
    path = tmp_path / "one.box"
    path.write_bytes(box_save())
    return path


def built(weight: int = 7) -> list[dict[str, object]]:
    def one(name: str, weight: int, *inside: dict[str, object]) -> dict[str, object]:
        properties = {"weight": weight, "price": weight / 2, "label": f"a {name}", "marks": [1, weight]}
        values = {"class_name": name.partition("_")[0], "instance_name": name, "properties": properties}
        return values | {"boxes": list(inside)}

    return [one("crate_1", 3, one("tin_1", 1), one("crate_2", 2, one("tin_2", weight))), one("crate_3", 4)]


def own(value: dict[str, object]) -> dict[str, object]:
    """A built object without what the header of every object says."""
    rest = {"kind", "level", "outer", "transform", "flags", "save_version"}
    values = {name: item for name, item in value.items() if name not in rest}
    return values | {"boxes": [own(inner) for inner in values["boxes"]]}


def test_the_page_has_a_file_of_a_format():
    assert len(box_format.CODE.splitlines()) < 150
    assert box_format.CODE.startswith('"""box_format.py: ')


@pytest.mark.slow
def test_it_keeps_the_contract():
    assert list(check_reader(box_save(), BoxReader)) == []
    assert list(check_reader(box_save(), BOX)) == []


def test_build_has_the_objects_inside(save):
    with streamsave.open(save, reader=BoxReader) as events:
        assert [own(events.build()) for event in events if isinstance(event, streamsave.ObjectHeader)] == built()


@pytest.mark.parametrize("built_size", [0, 30, 1 << 16])
def test_json_is_the_same_in_pieces_of_any_size(save, built_size):
    with streamsave.open(save, reader=BOX) as events:
        document = json.loads(b"".join(json_document(events, built_size=built_size)))
    assert [own(value) for value in document["boxes"]] == built()


def test_commands(save):
    other = save.with_name("two.box")
    other.write_bytes(box_save(8))
    assert [line.split("\t")[1] for line in run("ls", save, *READER).stdout.splitlines()] == NAMES
    assert [own(value) for value in json.loads(run("json", save, *READER).stdout)["boxes"]] == built()
    assert run("grep", "tin", save, *READER).stdout.splitlines() == ["tin\ttin_1", "tin\ttin_2"]
    path = "boxes/crate_1/boxes/crate_2/boxes/tin_2/weight"
    assert f"{path} = 7" in run("cat", "--flat", save, *READER).stdout.splitlines()
    assert "tin\ttin_2\tweight: 7 -> 8" in run("diff", save, other, *READER).stdout
    assert "class\ttin\t2\t" in run("ls", "--by-class", "--full", save, *READER).stdout
    assert "weight: i32" in run("explain", save, path, *READER).stdout
    table = save.with_name("table.csv")
    run("export", save, "-o", table, *READER)
    assert [row["instance_name"] for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))] == NAMES


@pytest.mark.slow
def test_check_is_the_contract_test(save):
    assert run("check", save, *READER).stdout == f"{save}: sound\n"


def test_without_the_option_the_file_is_unknown(save):
    assert "no known format starts like this" in run("ls", save).stderr


def test_edits(save):
    new = save.with_name("new.box")
    where = ("--where", "instance_name = tin_2")
    assert "1 value set" in run("edit", save, "-o", new, *where, "--set", "label = a much longer label", *READER).stdout
    assert "1 object dropped" in run("edit", new, "--in-place", "--drop", "class_name = tin and weight < 5", *READER).stdout
    with streamsave.open(new, reader=BoxReader) as events:
        (first, _) = (own(events.build()) for event in events if isinstance(event, streamsave.ObjectHeader))
    assert [inner["instance_name"] for inner in first["boxes"]] == ["crate_2"]
    assert first["boxes"][0]["boxes"][0]["properties"]["label"] == "a much longer label"


def test_a_value_without_a_size_changes(save, monkeypatch):
    """A format may store no sizes of values: then only the bytes of the value change."""
    monkeypatch.setattr(box_format.BoxFamily, "lengths", lambda _family, _event: [])
    new = io.BytesIO()
    with streamsave.rewrite(save, new, reader=BoxReader, verify=False) as events:
        next(event for event in events if getattr(event, "name", "") == "label")
        events.replace("longer than before")
    old, label = zlib.decompress(save.read_bytes()[8:]), struct.pack("<i", 10) + b"a crate_1\0"
    assert zlib.decompress(new.getvalue()[8:]) == old.replace(label, struct.pack("<i", 19) + b"longer than before\0", 1)


def test_rewrite_and_back(save):
    new, back = save.with_name("new.box"), save.with_name("back.box")
    for source, target, value in ((save, new, 100), (new, back, 7)):
        with streamsave.rewrite(source, target, reader=BOX) as events:
            for event in events:
                if isinstance(event, streamsave.PropertyTag) and event.name == "weight" and "tin_2" in events.path:
                    events.replace(value)
    assert zlib.decompress(back.read_bytes()[8:]) == zlib.decompress(save.read_bytes()[8:])
    assert new.read_bytes()[8:] != save.read_bytes()[8:]


def test_from_json(save):
    document, new = save.with_name("one.json"), save.with_name("new.box")
    document.write_bytes(run("json", save, *READER).stdout_bytes.replace(b'"a tin_1"', b'"x"'))
    assert "1 value set" in run("from-json", document, "--like", save, "-o", new, *READER).stdout
    with streamsave.open(new, reader=BoxReader) as events:
        labels = [events.build() for event in events if isinstance(event, streamsave.PropertyTag) and event.name == "label"]
    assert labels == ["a crate_1", "x", "a crate_2", "a tin_2", "a crate_3"]


def test_damage_costs_a_box(save):
    stream = bytearray(zlib.decompress(save.read_bytes()[8:]))
    stream[stream.index(b"tin_1\0") + 6 + 4 + 11] = 99  # the type of its first property
    save.write_bytes(box_save(stream=bytes(stream)))
    seen = read(save, reader=BoxReader, on_damage="resync")
    names = [event.instance_name for event in seen if isinstance(event, streamsave.ObjectHeader)]
    (damage,) = (event for event in seen if isinstance(event, streamsave.Damage))
    assert (names, damage.lost.name, damage.lost.class_name) == (NAMES, "tin_1", "tin")
    new = save.with_name("new.box")
    assert "lost" in run("salvage", save, "--save", new, *READER).stderr
    assert [line.split("\t")[1] for line in run("ls", new, *READER).stdout.splitlines()] == [n for n in NAMES if n != "tin_1"]


@pytest.mark.parametrize("name", NAMES)
def test_salvage_as_json_loses_what_salvage_as_a_save_does(save, name):
    """A box around a lost one has a line, with `"lost"` in the place of that."""
    stream = bytearray(zlib.decompress(save.read_bytes()[8:]))
    label = stream.index(f"a {name}\0".encode()) - 4
    stream[label : label + 4] = b"\xff\xff\xff\x7f"
    save.write_bytes(box_save(stream=bytes(stream)))

    def sound(boxes):
        for each in boxes:
            if "lost" not in str({**each, "boxes": []}):
                yield each["instance_name"]
            yield from sound(each.get("boxes", []))

    as_json = run("salvage", save, *READER)
    as_save = run("salvage", save, "--save", save.with_name("new.box"), *READER)
    assert (as_json.exit_code, as_json.stderr) == (1, as_save.stderr)
    kept = [line.split("\t")[1] for line in run("ls", save.with_name("new.box"), *READER).stdout.splitlines()]
    assert [*sound(map(json.loads, as_json.stdout.splitlines()[1:]))] == kept


def test_as_a_package(save, tmp_path, monkeypatch):
    folder = tmp_path / "packages"
    folder.mkdir()
    install(folder, "box_format:BOX", package="box", name="box")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(Path(box_format.__file__).parent), str(PACKAGE_FOLDER)]))
    plugins.cache_clear()
    try:
        assert len(run("ls", save).stdout.splitlines()) == len(NAMES)
    finally:
        plugins.cache_clear()
