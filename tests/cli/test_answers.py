"""How the commands of a game write rows."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.cli.answers import write_answers
from streamsave.cli.save import Save

COLUMNS = ("name", "count")
ROWS = [("Zug\tA", 3), ("B\x1b", 12.5)]


@pytest.fixture
def save():
    with streamsave.open(SAMPLES[0]) as events:
        yield Save("a.sav", 3, events)


def test_in_a_pipe(save, capsys):
    write_answers(save, COLUMNS, ROWS, numbers=("count",), several=False, as_json=False)
    assert capsys.readouterr().out == "Zug\\tA\t3\nB\\x1b\t12.5\n"


def test_of_several_saves(save, capsys):
    write_answers(save, COLUMNS, ROWS, numbers=("count",), several=True, as_json=False)
    assert capsys.readouterr().out == "a.sav\tZug\\tA\t3\na.sav\tB\\x1b\t12.5\n"


def test_as_json(save, capsys):
    write_answers(save, COLUMNS, ROWS, numbers=("count",), several=True, as_json=True)
    assert [orjson.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"file": "a.sav", "name": "Zug\tA", "count": 3},
        {"file": "a.sav", "name": "B\x1b", "count": 12.5},
    ]
