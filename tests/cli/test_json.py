"""`streamsave json`; what a document holds is tested with `streamsave.output.json_document`."""

import struct

import orjson
import pytest
from cli_runs import large_world, refused, run, small_world
from saves import SATISFACTORY
from writer.gvas import SaveGame
from writer.tags import Encoded, Fields, Prop

from streamsave.decode.known_bytes import COMPILED


def test_a_damaged_save_among_several_keeps_the_others_on_lines_of_their_own(tmp_path):
    small = small_world(tmp_path)
    large, broken = large_world(tmp_path), tmp_path / "broken.sav"
    broken.write_bytes(large.read_bytes()[:-200])
    result = run("json", broken, small)
    assert result.exit_code == 2
    cut, whole = result.stdout.splitlines()
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(cut)
    assert len(cut) > 60_000
    assert run("json", large).stdout.startswith(cut[:60_000])
    assert orjson.loads(whole) == orjson.loads(run("json", small).stdout)


def deep_texts(path, texts=127, structs=100):
    """An Unreal save game with a text in 127 others: 128 levels of the save, four times as many of JSON."""
    empty = struct.pack("<Ibi", 0, -1, 0)
    text = empty
    for _ in range(texts):
        # Named format, of one argument, which is a text.
        text = struct.pack("<Ib", 0, 1) + empty + struct.pack("<ii", 1, 0) + b"\4" + text
    value = [Prop("mText", Encoded("TextProperty", bytes), text)]
    for _ in range(structs):
        value = [Prop("mStruct", Fields("Struct"), value)]
    path.write_bytes(SaveGame(value).encode())
    return path


@pytest.mark.parametrize(
    "args",
    [
        ("json",),
        ("json", "--ndjson"),
        ("salvage",),
        ("cat", "--json"),
        ("cat",),
        ("cat", "--flat"),
        ("diff", "--textconv"),
        ("export", "--field", "mStruct", "-o", "-", "--format", "ndjson"),
        ("export", "--field", "mStruct", "-o", "-", "--format", "csv"),
        ("grep", "", "--value", "no such value"),
        ("grep", "", "--property", "mStruct", "--json"),
        ("check",),
    ],
    ids=" ".join,
)
def test_deep_values(tmp_path, args):
    result = run(*args, deep_texts(tmp_path / "deep.sav"))
    assert (result.exit_code, result.stderr) == (int(args[-1] == "no such value"), "")


def test_deep_values_side_by_side(tmp_path):
    """Another process has room for as many calls."""
    path = deep_texts(tmp_path / "deep.sav")
    args = ("export", "--field", "mStruct", "-o", "-", "--format", "ndjson", path, path)
    one_by_one, side_by_side = run(*args), run(*args, "-j2")
    assert (side_by_side.exit_code, side_by_side.stderr) == (0, "")
    assert side_by_side.stdout == one_by_one.stdout


@pytest.mark.parametrize("args", [("json",), ("cat", "--json"), ("export", "--field", "mStruct", "-o", "-", "--format", "csv")])
def test_values_with_no_room_on_the_stack(tmp_path, args):
    """With the largest `depth`, plain Python cannot build all values; compiled code can."""
    result = run(*args, "--limit", "depth=256", deep_texts(tmp_path / "deep.sav", 200, 180))
    assert result.exit_code == (0 if COMPILED or not result.stderr else 2)
    assert all("limit depth = 256" in line for line in result.stderr.splitlines())


# --- `from-json`: what it writes, and where ---

SAVE = SATISFACTORY / "sv60.sav"


@pytest.mark.parametrize("option", ["--with-source", "--with-original"])
@pytest.mark.parametrize("lines", [(), ("--ndjson",)], ids=["whole", "lines"])
def test_the_document_of_another_save_is_refused(tmp_path, option, lines):
    path, other = tmp_path / "world.json", tmp_path / "other.sav"
    plain = run("json", str(SAVE), *lines).stdout
    text = run("json", str(SAVE), option, *lines).stdout
    assert text.endswith(plain[1:])
    path.write_text(text, "utf-8")
    assert run("from-json", str(path), "--like", str(SAVE), "--dry-run").exit_code == 0
    other.write_bytes(SAVE.read_bytes()[:-1] + b"\0")
    assert "it was made from another save than this one" in refused("from-json", str(path), "--like", str(other), "--dry-run")
