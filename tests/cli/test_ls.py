"""`streamsave ls`."""

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, lines, on_terminal, run, small_world, terminal, thing, write
from saves import VALID, chunks_of, headers_of, real_names, slow
from writer.samples import sample
from writer.trailers import Lightweight

import streamsave
from streamsave.cli.ls import sums_of
from streamsave.cli.text import short_class
from streamsave.consume.stream import open_save
from streamsave.report.tree import Tree, collect


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


@pytest.mark.parametrize("width", [60, 80, 100, 120, 170])
def test_lines_fit_into_the_terminal(tmp_path, width):
    """What does not fit is left out or cut; what is left of a name is what `get` takes."""
    path = write(tmp_path, "long.sav", thing("BP_Lamp_C_1." + "Part" * 4, class_name="BP_LongNameOfALamp" + "Long" * 12))
    (head, line) = terminal("ls", path, NO_COLOR="1", COLUMNS=str(width))[1].splitlines()
    assert len(line) <= width
    assert ("level" in head, "place" in head) == (width == 170, width >= 100)
    assert run("get", path, line.split()[-1].removeprefix("…")).exit_code == 0
    assert "Long Name Of A L" in line


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_classes_are_all_objects_largest_first(path):
    rows = [(name, int(count), int(size)) for name, count, size in lines("ls", "--by-class", "--long", path)]
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    assert sum(row[1] for row in rows) == len(objects_written(path))
    assert sum(row[2] for row in rows) == sum(int(row[3]) for row in lines("ls", path))
    assert {row[0] for row in rows} == {name for name, _, _ in objects_written(path)}


def test_a_terminal_begins_with_the_classes(tmp_path):
    path = write(tmp_path, "many.sav", *(thing(f"BP_Lamp_C_{number}", class_name="BP_Lamp") for number in range(30)))
    _, text = terminal("ls", path, NO_COLOR="1")
    assert text.startswith("30 objects of 1 class ")
    assert text.index("ls --by-class") < text.index("      bytes  class_name ") < text.index("BP_Lamp_C_0")
    assert "\x1b[36m" in terminal("ls", path)[1]
    for words in (("ls", path, "--where", "instance_name ~ BP"), ("ls", path, "--json"), ("ls", path, path)):
        assert "30 objects" not in terminal(*words)[1]
    assert run("ls", path).stdout.count("\n") == 30


SOME = ["gvas/ue4-522.sav", "gvas/palworld-1.0.sav", "astroneer/full.savegame"]


@pytest.mark.parametrize("name", [*SOME, *slow(["satisfactory/v12-hv14-sv58-140k.sav"])])
def test_levels_add_up_and_so_do_classes(any_save, name):
    """Also bytes of an Unreal save game, whose size is known at its end only."""
    path = any_save(name)
    by_level, by_class = ([row[-2:] for row in lines("ls", option, path)] for option in ("--levels", "--by-class"))
    assert sum(int(size) for _, size in by_level) == sum(int(size) for _, size in by_class) > 0
    assert sum(int(count) for count, _ in by_level) == sum(int(count) for count, _ in by_class) == len(lines("ls", path))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sums(path):
    (stats,) = json_lines("ls", "--by-class", "--full", "-n", 0, path)
    with open_save(path) as events:
        assert stats["events"] == Counter(type(event).__name__ for event in events)
    sizes = [int(row[3]) for row in lines("ls", path)]
    assert sum(row["size"] for row in stats["classes"]) == sum(sizes)
    assert sum(row["count"] for row in stats["classes"]) == len(sizes)
    assert 0 < sum(row["size"] for row in stats["properties"]) <= sum(sizes)
    assert stats["ratio"] == stats["inflated_size"] / stats["compressed_size"] > 1
    assert stats["compressed_size"] == path.stat().st_size
    assert stats["chunks"] == len(chunks_of(path.read_bytes()))
    assert stats["seconds"] > 0
    assert stats["megabytes_per_second"] == pytest.approx(stats["inflated_size"] / 1e6 / stats["seconds"])


@pytest.mark.parametrize("name", real_names("satisfactory/v1*.sav"))
def test_chunks_that_are_passed_over_count(real_save, name):
    path = real_save(f"satisfactory/{name}")
    (stats,) = json_lines("ls", "--by-class", "--full", path)
    chunks = chunks_of(path.read_bytes())
    assert stats["events"]["ChunkStart"] < len(chunks) == stats["chunks"]
    assert stats["ratio"] == sum(len(chunk.data) for chunk in chunks) / path.stat().st_size


def test_a_save_that_is_not_compressed_has_no_ratio():
    path = VALID / "gvas/ue5-1018.sav"
    totals = {row[1]: row[2] for row in lines("ls", "--by-class", "--full", path) if row[0] == "total"}
    (stats,) = json_lines("ls", "--by-class", "--full", path)
    assert (totals["compressed"], totals["ratio"], stats["compressed_size"], stats["ratio"]) == ("-", "-", None, None)


def test_bytes_of_properties(small):
    (stats,) = json_lines("ls", "--by-class", "--full", "-n", 0, small)
    with open_save(small) as events:
        tags = [event for event in events if getattr(event, "name", "") == "mStatic"]
    rows = {row["name"]: row for row in stats["properties"]}
    assert rows["mStatic"]["count"] == 2
    assert rows["mStatic"]["size"] == sum(tag.value_offset - tag.offset + tag.size for tag in tags)
    assert "Count" not in rows  # it is in a struct, whose bytes are counted already


def test_a_pipe_gets_bare_numbers_after_the_name_of_one_of_several(small):
    rows = lines("ls", "--by-class", "--full", small, small)
    assert {row[0] for row in rows} == {str(small)}
    totals = {row[2]: row[3] for row in rows if row[1] == "total"}
    (stats,) = json_lines("ls", "--by-class", "--full", small)
    assert int(totals["inflated"]) == stats["inflated_size"]
    assert int(totals["events"]) == sum(stats["events"].values())
    assert float(totals["ratio"]) == pytest.approx(stats["ratio"], abs=0.01)


def test_a_terminal_gets_tables(tmp_path):
    text = on_terminal("ls", "--by-class", "--full", small_world(tmp_path), NO_COLOR="1")
    assert "│ PropertyTag" in text
    assert "│ Chest (BP_Chest_C)" in text
    assert "│ mStacks" in text
    assert "┃ class_name" in text


def test_only_what_was_asked_for():
    """Islands come for the buildings in them, but do not count."""
    path, tree = VALID / "shapez2" / "checkpoints.spz2", Tree()
    with streamsave.open(path) as events:
        events.only('kind = "building"')
        collect(events, tree, members_only=True)
    classes, _ = sums_of(tree, 0)
    headers = [event for event in headers_of(path) if event.kind == "building"]
    assert {name: count for name, count, _ in classes} == Counter(header.class_name for header in headers)
    assert sum(size for _, _, size in classes) == sum(header.size for header in headers)
