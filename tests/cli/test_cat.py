"""`streamsave cat`."""

from __future__ import annotations

import pytest
from cli_runs import LEVEL, SAMPLES, json_lines, lines, run, small_world, terminal, thing, write
from writer.tags import STR, Prop

from streamsave.consume.stream import open_save


def text_of(*args) -> list[str]:
    return [line for (line,) in lines("cat", *args)]


def test_the_events_of_an_object(tmp_path):
    name = LEVEL + "BP_Chest_C_1"
    first, references, *rest = text_of("--object", "BP_Chest_C$", small_world(tmp_path))
    assert first.startswith(f"actor BP_Chest_C {name} (")
    assert references.startswith("  actor: ")
    stacks, table = (next(line for line in rest if name in line) for name in ("mStacks", "mMap"))
    assert stacks.endswith(" bytes) [2 elements]")
    assert table.startswith("  mMap: MapProperty(IntProperty, StructProperty) (")
    assert table.endswith(" bytes) [1 element]")
    assert rest == [
        '  mLabel: StrProperty = "iron, mostly"',
        "  mStatic: IntProperty = 10",
        "  mStatic[1]: IntProperty = 11",
        f"  mOwner: ObjectProperty = {LEVEL}BP_Lamp_C_7",
        stacks,
        "    [0] InventoryStack",
        '      Name: StrProperty = "iron"',
        "      Count: IntProperty = 5",
        "    [1] InventoryStack",
        '      Name: StrProperty = "gold"',
        "      Count: IntProperty = 6",
        "  mPoint: StructProperty(Vector) = Vector(x=1.0, y=2.0, z=0.5)",
        table,
        "    [0] MapEntry",
        "      key: i32 = 3",
        "      value: struct",
        "        Level: FloatProperty = 1.5",
    ]


def test_all_of_a_save(tmp_path):
    said = text_of(small_world(tmp_path))
    assert said[0] == "satisfactory save, version 46"
    assert said[-1].startswith("end of ")
    assert [line for line in said if line.startswith("level ")] == ["level FOREST", "level DESERT", "level Persistent_Level"]
    assert sum(line.startswith(("  actor ", "  object ")) for line in said) == 4


def test_depth(tmp_path):
    path = small_world(tmp_path)
    for depth in (1, 2, 3, 4):
        shallow = text_of("--depth", depth, path)
        assert all(len(line) - len(line.lstrip()) < 2 * depth for line in shallow)
        assert "level DESERT" in shallow
    assert text_of("--depth", 9, path) == text_of("--depth", 1 << 64, path) == text_of(path)
    assert len(text_of("--object", "Chest_C$", "--depth", 1, path)) == 1


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_shallow_view_of_a_sample(path):
    """Values are skipped, not decoded, and so are the objects in them."""
    assert len([line for line in text_of("--depth", 2, path) if line.startswith(("  actor ", "  object "))]) == len(
        [row for row in json_lines("ls", path) if row["kind"] != "lightweight"]
    )


def test_offsets(tmp_path):
    path = small_world(tmp_path)
    with open_save(path) as events:
        offsets = {event.offset for event in events}
    plain, marked = text_of(path), text_of("--offsets", path)
    assert [line[10:] for line in marked] == plain
    assert {int(line[:8], 16) for line in marked} <= offsets


def test_chunks(tmp_path):
    path = small_world(tmp_path)
    (chunk,) = [line for line in text_of("--chunks", path) if line.startswith("chunk ")]
    assert chunk.startswith("chunk 0 at 0x")
    assert not [line for line in text_of(path) if line.startswith("chunk ")]


def test_json_is_each_event(tmp_path):
    path = small_world(tmp_path)
    events = json_lines("cat", "--chunks", path)
    with open_save(path) as stream:
        kinds = [type(event).__name__ for event in stream]
    built = {"PropertyTag", "Field"}  # with what is in them
    assert [event["event"] for event in events if event["event"] not in built] == [kind for kind in kinds if kind not in built]
    (count,) = [event for event in events if event.get("name") == "mCount"]
    assert (count["event"], count["type"], count["value"]) == ("PropertyTag", "IntProperty", 2)
    assert "file" not in count
    assert {event["file"] for event in json_lines("cat", path, path)} == {str(path)}


def test_long_values_are_not_decoded(tmp_path):
    path = write(tmp_path, "long.sav", thing("A", Prop("mText", STR, "x" * 5000), Prop("mNext", STR, "y" * 4000)))
    long, cut = text_of("--object", "A", path)[-2:]
    assert long == "  mText: StrProperty (5,005 bytes)"
    assert cut.startswith('  mNext: StrProperty = "yyy')
    assert cut.endswith('…"')


def test_several_files_have_a_heading(tmp_path):
    path = small_world(tmp_path)
    assert text_of("--depth", 1, path, path).count(f"{path}:") == 2


def test_bad_pattern(tmp_path):
    result = run("cat", "--object", "(", small_world(tmp_path))
    assert result.exit_code == 2
    assert "is no regular expression" in result.stderr
    assert run("cat", "--object", "a{99999999999999}", SAMPLES[0]).exit_code == 2


def test_a_terminal_gets_the_same_but_shorter(tmp_path):
    path = write(tmp_path, "long.sav", thing("A", Prop("mText", STR, "x" * 300)))
    _, text = terminal("cat", "--object", "A", path)
    assert '"' + "x" * 80 + '…"' in text


def test_events_before_the_damage_are_printed(tmp_path):
    whole = small_world(tmp_path)
    cut = tmp_path / "cut.sav"
    cut.write_bytes(whole.read_bytes() + b"behind the end of the save")
    result = run("cat", cut)
    assert result.exit_code == 2
    assert result.stdout.splitlines() == text_of(whole)[:-1]
    assert str(cut) in result.stderr
