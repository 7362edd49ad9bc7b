"""`streamsave ls`."""

from __future__ import annotations

import pytest
from cli_runs import LEVEL, SAMPLES, lines, run, small_world, terminal, thing, write
from writer.samples import sample
from writer.trailers import Lightweight

from streamsave.cli.text import short_class


def objects_written(path) -> list[tuple[str, str, str]]:
    world = sample(path.stem)
    rows = []
    for item in [item for level in world.levels for item in level.objects] + list(world.objects):
        rows.append((item.class_name, item.instance_name, item.level))
        if isinstance(item.trailer, Lightweight):
            for buildable, instances in item.trailer.classes:
                name = f"{item.instance_name}.{short_class(buildable.path)}"
                rows += [(buildable.path, f"{name}_{at}", item.level) for at in range(len(instances))]
    return rows


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_each_object_that_was_written_is_a_line(path):
    assert [tuple(row[:3]) for row in lines("ls", "--long", path)] == objects_written(path)
    assert [row[0] for row in lines("ls", path)] == [short_class(name) for name, _, _ in objects_written(path)]


def test_a_save_without_objects(tmp_path):
    path = write(tmp_path, "empty.sav")
    assert terminal("ls", path, NO_COLOR="1")[1].endswith("no objects\n")
    assert run("ls", path).stdout == ""


@pytest.mark.parametrize("width", [60, 80, 100, 120, 170])
def test_lines_fit_into_the_terminal(tmp_path, width):
    """What does not fit is left out or cut; what is left of a name is what `get` takes."""
    path = write(tmp_path, "long.sav", thing("BP_Lamp_C_1." + "Part" * 4, class_name="BP_LongNameOfALamp" + "Long" * 12))
    (head, line) = terminal("ls", path, NO_COLOR="1", COLUMNS=str(width))[1].splitlines()
    assert len(line) <= width
    assert ("level" in head, "place" in head) == (width == 170, width >= 100)
    name = line.split()[-1].removeprefix("…")
    assert run("get", path, name).exit_code == 0
    assert "Long Name Of A L" in line


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_classes_are_all_objects_largest_first(path):
    rows = [(name, int(count), int(size)) for name, count, size in lines("ls", "--by-class", "--long", path)]
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    assert sum(row[1] for row in rows) == len(objects_written(path))
    assert sum(row[2] for row in rows) == sum(int(row[3]) for row in lines("ls", path))
    assert {row[0] for row in rows} == {name for name, _, _ in objects_written(path)}


def test_a_terminal_gets_aligned_lines_and_tables(tmp_path):
    path = small_world(tmp_path)
    code, text = terminal("ls", path, path, NO_COLOR="1")
    assert code == 0
    assert text.count(f"{path}:\n") == 2
    assert "1.00 -2.50 0.01 m" in text
    places = {line.index("Persistent_Level ") for line in text.splitlines() if "Persistent_Level " in line}
    assert len(places) == 1
    assert "│ FOREST" in terminal("ls", "--levels", path, NO_COLOR="1")[1]


def test_a_terminal_begins_with_the_classes(tmp_path):
    path = write(tmp_path, "many.sav", *(thing(f"BP_Lamp_C_{number}", class_name="BP_Lamp") for number in range(30)))
    _, text = terminal("ls", path, NO_COLOR="1")
    assert text.startswith("30 objects of 1 class ")
    assert text.index("ls --by-class") < text.index("      bytes  class_name ") < text.index("BP_Lamp_C_0")
    assert "\x1b[36m" in terminal("ls", path)[1]
    for words in (("ls", path, "--where", "instance_name ~ BP"), ("ls", path, "--json"), ("ls", path, path)):
        assert "30 objects" not in terminal(*words)[1]
    assert run("ls", path).stdout.count("\n") == 30


def test_names_cannot_break_lines(tmp_path):
    path = write(tmp_path, "evil.sav", thing("a\tb\nc\x1b[31m"), thing("鉄"))
    (row, wide) = lines("ls", path)
    assert row[1] == LEVEL + "a\\tb\\nc\\x1b[31m"
    assert wide[1] == LEVEL + "鉄"


def test_real_saves_add_up(real_save):
    path = real_save("satisfactory/v12-hv14-sv58-140k.sav")
    count = len(lines("ls", path))
    assert count > 100
    assert sum(int(row[1]) for row in lines("ls", "--levels", path)) == count
    assert sum(int(row[1]) for row in lines("ls", "--by-class", path)) == count


COMMANDS = [
    ("ls", SAMPLES[2], "--where"),
    ("grep", "", SAMPLES[2], "--where"),
    ("json", "--ndjson", SAMPLES[2], "--where"),
    ("edit", SAMPLES[2], "--dry-run", "--drop"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_a_test_that_no_value_can_pass_is_named(arguments):
    """In all commands that take a selection."""
    result = run(*arguments, 'mSpawnData[*].NumTimesKilled = "x"')
    said = "mSpawnData[*].NumTimesKilled: all values are numbers, and none has the text 'x'"
    assert f"streamsave: {SAMPLES[2]}: {said}\n" in result.stderr
    assert "Warning" not in result.stderr
    assert "all values" not in run(*arguments, "mSpawnData[*].NumTimesKilled = 7654").stderr
