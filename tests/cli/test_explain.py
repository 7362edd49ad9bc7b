"""`explain`: what it prints, for an offset, a path and a byte of the file."""

import json
import re
import struct
from pathlib import Path

import pytest
from cli_runs import refused, run
from saves import SATISFACTORY, VALID, file_with, headers_of, read

import streamsave
from streamsave.errors import format_path
from streamsave.events import ChunkStart, PropertyTag
from streamsave.rewriting.explain import part_of

SAVE = str(SATISFACTORY / "sv60.sav")
ARX = str(VALID / "arx" / "v2.1.sav")


def actor():
    return next(event for event in headers_of(SAVE) if event.kind == "actor")


def test_an_offset():
    header = actor()
    offset = header.offset + header.header_size - 28
    result = run("explain", SAVE, hex(offset))
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0] == f"offset  {offset:#x} ({offset:,}): chunk 0 + {offset:#x}, which starts at byte 204 of the file"
    assert sum(line.startswith("  here    ") and header.instance_name in line for line in lines) == 1
    x = next(number for number, line in enumerate(lines) if line.endswith(f"x: f32, 4 bytes = {header.transform.translation[0]}"))
    file, line = lines[x + 1].strip().split(":")
    assert "x=F32" in (Path(streamsave.__file__).parent.parent / file).read_text("utf-8").splitlines()[int(line) - 1]
    (marked,) = [line for line in lines if "[" in line and line.startswith("0x")]
    start = int(marked[:10], 16)
    assert marked[12:].index("[") == 4 * (offset - start)
    assert run("explain", SAVE, str(offset)).stdout == result.stdout
    found = json.loads(run("explain", SAVE, str(offset), "--json").stdout)
    assert (found["here"]["event"], found["here"]["offset"]) == ("ObjectHeader", header.offset)
    assert (found["layout"][-1]["name"], found["layout"][-1]["value"]) == ("x", header.transform.translation[0])
    assert bytes.fromhex(found["data"])[offset - found["start"] :][:4] == struct.pack("<f", header.transform.translation[0])


def test_a_path():
    header = actor()
    found = run("explain", SAVE, header.instance_name.rpartition(".")[2])
    assert found.stdout == run("explain", SAVE, str(header.offset)).stdout


def test_a_header_that_is_made_of_values():
    """The first bytes of the element are not what its path asks for."""
    save = VALID / "gvas" / "palworld-1.0.sav"
    found = run("explain", save, "worldSaveData/MapObjectSaveData/0000001E-00000000-0000ABCD-00001234/@position[0]").stdout
    assert re.search("^  here .*  ObjectHeader  .*1E-00000000", found, re.MULTILINE)
    assert "the header is made of values in the object" in found


def test_only_a_path_that_may_lead_through_whole_values_has_all_values_read_twice(monkeypatch):
    """`cat --flat` shows a struct with its type whole; no event has its path."""
    walks = []
    monkeypatch.setattr("streamsave.cli.explain.part_of", lambda *found: walks.append(found) or part_of(*found))
    (path,) = {
        line.split(" = ")[0]
        for line in run("cat", "--flat", SAVE).stdout.splitlines()
        if "mItemWithState/state/script_struct" in line
    }
    assert run("explain", SAVE, path).exit_code == 0
    assert len(walks) == 2
    assert run("explain", SAVE, "no/such/path").exit_code == 1
    assert len(walks) == 3


@pytest.mark.parametrize(
    ("name", "paths", "least", "taken"),
    [
        *((f"gvas/{name}.sav", r"^[^@].*\]$", 10, slice(None)) for name in ("deltas", "ue4-522", "ue5-1012")),
        ("astroneer/full.savegame", r"/names\[|transform/|/@class_name", 31, slice(1, None, 4)),  # the first name is not stored
    ],
)
def test_a_part_of_a_value(name, paths, least, taken):
    """The last row is what the path names: an element, also a struct or one after removals; a name, a number, a class."""
    lines = [line.partition(" = ") for line in run("cat", "--flat", VALID / name).stdout.splitlines()]
    found = [(path, value) for path, _, value in lines if re.search(paths, path)]
    assert len(found) >= least
    for path, value in found[taken]:
        assert json.loads(run("explain", VALID / name, path, "--json").stdout)["layout"][-1]["value"] == json.loads(value)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("satisfactory/sv58.sav", "@header/session_name"),
        ("arx/v2.1.sav", "@header/table_offset"),
        ("shapez2/checkpoints.spz2", "@header/version"),
        ("gvas/ue5-1018.sav", "@header/branch"),
        ("astroneer/full.savegame", "@header/branch"),
    ],
)
def test_only_some_headers_are_in_the_inflated_stream(name, path):
    """No event claims the others."""
    with streamsave.open(VALID / name) as events:
        start = next(events)
        first = next(event for event in events if not isinstance(event, ChunkStart))
    is_there = getattr(first, "header_size", 0) == getattr(start.header, "size", -1)
    found = json.loads(run("explain", VALID / name, path, "--json").stdout)
    assert found["here"]["event"] == type(first if is_there else start).__name__
    assert (found["data"] != "") == is_there
    assert ("before the inflated stream" in run("explain", VALID / name, path).stdout) != is_there


@pytest.mark.parametrize(
    ("name", "true"),
    [("gvas/ue4-502.sav", 1), ("gvas/ue5-1018.sav", 0x10), ("astroneer/full.savegame", 1), ("satisfactory/sv52.sav", 1)],
)
def test_a_bool_is_in_its_tag(name, true):
    """Its byte, or the one with its bit."""
    save = str(VALID / name)
    with streamsave.open(save) as events:
        tags = [(format_path(events.path), event) for event in events if isinstance(event, PropertyTag)]
    for path, tag in [(path, tag) for path, tag in tags if tag.type == "BoolProperty" and tag.size == 0][:4]:
        found = json.loads(run("explain", save, path, "--json").stdout)
        assert tag.offset < found["offset"] < tag.value_offset
        assert bytes.fromhex(found["data"])[found["offset"] - found["start"]] & true == true * tag.flag


def test_names_that_repeat():
    """Each is where `cat --flat` says how many bytes it has, and after the one before it."""
    entries = ("player/player/padding", "goblin_base_0007/npc/padding")
    lines = [line for line in run("cat", "--flat", ARX).stdout.splitlines() if line.startswith(entries)]
    assert sum("#2" in line for line in lines) > 1
    offsets = []
    for path, size in [line.split(" = ") for line in lines]:
        found = json.loads(run("explain", ARX, path, "--json").stdout)
        assert (found["here"]["event"], found["here"]["size"]) == ("BlobSkip", int(size))
        offsets.append(found["offset"])
    assert offsets == sorted(set(offsets))


def test_a_byte_of_the_file():
    chunk = next(event for event in read(SAVE) if isinstance(event, ChunkStart))
    result = run("explain", SAVE, str(chunk.compressed_offset + 60), "--file-offset")
    assert result.stdout == run("explain", SAVE, str(chunk.offset)).stdout
    assert "chunk 0 inflates to the bytes from 0x0 on" in result.stderr


def test_a_byte_of_a_file_without_chunks():
    words = ("explain", str(VALID / "gvas" / "ue4-522.sav"), "2000")
    assert run(*words, "--file-offset").stdout == run(*words).stdout != ""


def test_a_damaged_save(tmp_path):
    """What comes before the damage is explained; of what comes after it, the error says where the damage is."""
    data = Path(SAVE).read_bytes()
    path = file_with(tmp_path / "cut.sav", data[: len(data) // 2])
    header = actor()
    assert run("explain", str(path), str(header.offset)).exit_code in {0, 2}
    assert "offset" in refused("explain", str(path), "99999999")
