"""`streamsave stats`."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, lines, run, small_world, terminal

from streamsave.stream.stream import open_save


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sums(path):
    (stats,) = json_lines("stats", "-n", 0, path)
    with open_save(path) as events:
        assert stats["events"] == Counter(type(event).__name__ for event in events)
    sizes = [int(row[3]) for row in lines("ls", path)]
    assert sum(row["size"] for row in stats["classes"]) == sum(sizes)
    assert sum(row["count"] for row in stats["classes"]) == len(sizes)
    assert 0 < sum(row["size"] for row in stats["properties"]) <= sum(sizes)
    assert stats["ratio"] == stats["inflated_size"] / stats["compressed_size"] > 1
    assert stats["compressed_size"] < path.stat().st_size
    assert stats["chunks"] == stats["events"]["ChunkStart"]
    assert stats["seconds"] > 0
    assert stats["megabytes_per_second"] == pytest.approx(stats["inflated_size"] / 1e6 / stats["seconds"])


def test_bytes_of_properties(tmp_path):
    path = small_world(tmp_path)
    (stats,) = json_lines("stats", "-n", 0, path)
    with open_save(path) as events:
        tags = [event for event in events if getattr(event, "name", "") == "mStatic"]
    rows = {row["name"]: row for row in stats["properties"]}
    assert rows["mStatic"]["count"] == 2
    assert rows["mStatic"]["size"] == sum(tag.value_offset - tag.offset + tag.size for tag in tags)
    assert "Count" not in rows  # it is in a struct, whose bytes are counted already


def test_top(tmp_path):
    path = small_world(tmp_path)
    rows = lines("stats", "-n", 2, path)
    assert Counter(row[0] for row in rows)["class"] == 2
    assert Counter(row[0] for row in rows)["property"] == 2
    sizes = [int(row[3]) for row in rows if row[0] == "class"]
    assert sizes == sorted(sizes, reverse=True)
    assert run("stats", "-n", -1, path).exit_code == 2


def test_pipe_gets_bare_numbers(tmp_path):
    path = small_world(tmp_path)
    totals = {row[1]: row[2] for row in lines("stats", path) if row[0] == "total"}
    (stats,) = json_lines("stats", path)
    assert int(totals["inflated"]) == stats["inflated_size"]
    assert int(totals["events"]) == sum(stats["events"].values())
    assert float(totals["ratio"]) == pytest.approx(stats["ratio"], abs=0.01)


def test_several_files_have_their_name_first(tmp_path):
    path = small_world(tmp_path)
    assert {row[0] for row in lines("stats", path, path)} == {str(path)}


def test_a_terminal_gets_tables(tmp_path):
    code, text = terminal("stats", small_world(tmp_path), NO_COLOR="1")
    assert code == 0
    assert "│ PropertyTag" in text
    assert "│ BP_Chest_C" in text
    assert "│ mStacks" in text
