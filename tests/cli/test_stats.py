"""`streamsave stats`."""

from __future__ import annotations

from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines, lines, run, small_world, terminal

from streamsave.consume.stream import open_save


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
    assert "│ Chest (BP_Chest_C)" in text
    assert "│ mStacks" in text


def test_prometheus(tmp_path):
    path = small_world(tmp_path)
    said = run("stats", "--format", "prometheus", path).stdout.splitlines()
    assert f'streamsave_save_bytes{{file="{path}"}} {path.stat().st_size}' in said
    assert f'streamsave_objects{{file="{path}"}} 4' in said
    assert f'streamsave_class_objects{{file="{path}",class="/Game/Oracle/BP_Bush.BP_Bush_C"}} 1' in said
    assert len([line for line in said if line.startswith("streamsave_class_bytes")]) == 4
    one = run("stats", "--format", "prometheus", "--top", "1", path).stdout
    assert one.count("streamsave_class_bytes{") == 1
    target = tmp_path / "sizes.prom"
    assert run("stats", "--format", "prometheus", "-o", target, path, tmp_path / "missing.sav").exit_code == 2
    assert target.read_text(encoding="utf-8").splitlines() == said
    assert run("stats", "-o", target, path).exit_code == 2
    assert run("stats", "--json", "--format", "prometheus", path).exit_code == 2
