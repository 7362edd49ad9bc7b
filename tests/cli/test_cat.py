"""`streamsave cat`."""

from cli_runs import json_lines, lines, run, small_world

from streamsave.consume.stream import open_save


def text_of(*args) -> list[str]:
    return [line for (line,) in lines("cat", *args)]


def test_any_depth(small):
    assert text_of("--depth", 9, small) == text_of("--depth", 1 << 64, small) == text_of(small)


def test_json_is_each_event(small):
    events = json_lines("cat", "--chunks", small)
    with open_save(small) as stream:
        kinds = [type(event).__name__ for event in stream]
    built = {"PropertyTag", "Field"}  # with what is in them
    assert [event["event"] for event in events if event["event"] not in built] == [kind for kind in kinds if kind not in built]
    (count,) = [event for event in events if event.get("name") == "mCount"]
    assert (count["event"], count["type"], count["value"]) == ("PropertyTag", "IntProperty", 2)
    assert "file" not in count
    assert {event["file"] for event in json_lines("cat", small, small)} == {str(small)}


def test_events_before_the_damage_are_printed(tmp_path):
    whole = small_world(tmp_path)
    cut = tmp_path / "cut.sav"
    cut.write_bytes(whole.read_bytes() + b"behind the end of the save")
    result = run("cat", cut)
    assert result.exit_code == 2
    assert result.stdout.splitlines() == text_of(whole)[:-1]
    assert str(cut) in result.stderr
