"""How the commands of a game write rows."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.cli.answers import Where
from streamsave.cli.save import Save

ROWS = [("Zug\tA", 3), ("B\x1b", 12.5)]


@pytest.fixture
def save():
    with streamsave.open(SAMPLES[0]) as events:
        yield Save("a.sav", 3, events)


def test_rows_in_a_pipe_and_as_json(save, capsys):
    where = Where((), ("name", "count"))
    for several, as_json in (False, False), (True, False), (True, True):
        where.write(save, ROWS, numbers=("count",), several=several, as_json=as_json)
    *lines, first, second = capsys.readouterr().out.splitlines()
    assert lines == ["Zug\\tA\t3", "B\\x1b\t12.5", "a.sav\tZug\\tA\t3", "a.sav\tB\\x1b\t12.5"]
    assert orjson.loads(first) == {"file": "a.sav", "name": "Zug\tA", "count": 3}
    assert orjson.loads(second) == {"file": "a.sav", "name": "B\x1b", "count": 12.5}
