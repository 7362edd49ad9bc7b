"""How the commands of a game write rows."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.cli.answers import Answer, Where, read_answers, rows_of
from streamsave.cli.save import Save
from streamsave.consume.parser import parse_selection

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


class Taken(Answer):
    """The names that each selection has given, and the fields."""

    columns = ("number", "name", "fields")

    def __init__(self, wanted, fields):
        self.wanted, self.fields, self.taken = wanted, fields, []

    def take(self, number, found):
        fields = {name: value for name, value in found.fields.items() if name in self.fields}
        self.taken.append((number, found.instance_name, fields))

    def rows(self):
        yield from sorted(self.taken, key=repr)


@pytest.mark.parametrize("text", [None, "class_name = *Spawner*", "class_name = Nothing"])
def test_answers_of_one_walk_are_those_of_a_walk_each(text):
    """What the user wants is about the first selection of each answer, also where another answer has the same one."""
    where = None if text is None else parse_selection(text)

    def answers():
        yield Taken(("kind = actor", "kind = object"), ())
        yield Taken(("kind = object", "kind = actor", "class_name = *Spawner*"), ("mCount", "mNumItems"))
        yield Taken(("has(mSpawnData)", "kind = actor"), ("mSpawnData",))

    def opened():
        return streamsave.open(SAMPLES[2])

    together = [*answers()]
    with opened() as events:
        read_answers(Save("a.sav", 3, events), together, where)
    for one, alone in zip(together, answers(), strict=True):
        with opened() as events:
            assert [*one.rows()] == [*rows_of(Save("a.sav", 3, events), alone, where)]
    with opened() as events:
        selections = ["kind = actor" if text is None else f"kind = actor and {text}", "kind = object"]
        expected = [(number, found.instance_name, {}) for number, found in events.select(*selections)]
    assert sorted(together[0].taken, key=repr) == sorted(expected, key=repr)
    assert expected
