"""How differences are written."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import LEVEL, run, terminal, thing, write
from writer.tags import INT, STR, Prop

from streamsave.cli.diff import Summary
from streamsave.cli.output import flush
from streamsave.compare.pair import Pair
from streamsave.events import ObjectHeader

LONG = "x" * 500
HEADER = (0, "actor", "C", "N", "L", "", None, 0, 1, 0, 0, 0)


@pytest.fixture
def pair(tmp_path):
    old = write(tmp_path, "old.sav", thing("A", Prop("m", STR, "a\x1b\t\n"), Prop("n", INT, 1)), thing("B", Prop("m", STR, LONG)))
    new = write(tmp_path, "new.sav", thing("A", Prop("m", STR, LONG), Prop("n", INT, 2)), *(thing(f"C{at}") for at in range(2)))
    return old, new


def test_long_values_are_cut(pair):
    first = run("diff", *pair).stdout.splitlines()[0].split("\t")[-1]
    assert first == f'm: "a\\u001b\\t\\n" -> "{"x" * 159}... (502 characters)'
    assert LONG in run("diff", "--long", *pair).stdout
    assert "/Game/Oracle/BP_Thing.BP_Thing_C" in run("diff", "--long", *pair).stdout


def test_summary(pair):
    result = run("diff", "--summary", *pair)
    assert result.exit_code == 1
    (row,) = result.stdout.splitlines()
    assert row.split("\t")[:4] == ["BP_Thing_C", "2", "1", "1"]
    counted = orjson.loads(run("diff", "--summary", "--json", *pair).stdout)
    size = counted.pop("bytes")
    assert row.split("\t")[4] == f"{size:+}"
    assert counted == {"class_name": "/Game/Oracle/BP_Thing.BP_Thing_C", "added": 2, "removed": 1, "changed": 1}
    assert run("diff", "--summary", *pair[::-1]).stdout.split("\t")[1:] == ["1", "2", "1", f"{-size:+}\n"]
    assert "(in no object)" in run("diff", "--summary", "--all", *pair).stdout
    assert run("diff", "--summary", pair[0], pair[0]).stdout == ""


def test_summary_counts_an_object_once(capsys):
    """Values of a subsystem, of a foundation in it, and of the subsystem again."""
    outer, inner = ObjectHeader(*HEADER, 100), ObjectHeader(*HEADER, 10)
    both = Pair(outer, ObjectHeader(*HEADER, 103))
    summary = Summary(long=False, as_json=True)
    for pair, path in ((both, "a"), (Pair(inner, inner), "b"), (both, "c")):
        summary.add(pair, path, "1", "2")
    summary.close()
    flush()
    counted = orjson.loads(capsys.readouterr().out)
    assert (counted["changed"], counted["bytes"]) == (2, 3)


def test_json_of_what_is_in_no_object(pair):
    rows = [orjson.loads(line) for line in run("diff", "--all", "--json", *pair).stdout.splitlines()]
    loose = next(row for row in rows if row.get("path") == "body_size")
    assert set(loose) == {"change", "path", "old", "new"}
    added = next(row for row in rows if row["change"] == "added")
    assert (added["instance_name"], "old_size" in added, added["new_size"] > 0) == (LEVEL + "C0", False, True)


def test_on_a_terminal(pair):
    code, text = terminal("diff", *pair)
    assert code == 1
    assert text.splitlines()[:3] == [
        f"~ BP_Thing_C {LEVEL}A",
        f'    m: "a\\u001b\\t\\n" -> "{"x" * 159}... (502 characters)',
        "    n: 1 -> 2",
    ]
    code, text = terminal("diff", "--summary", *pair)
    assert "total" in text
    assert "BP_Thing_C" in text
