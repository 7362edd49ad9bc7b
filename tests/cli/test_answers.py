"""How the commands of a game write rows."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.cli.answers import Answer, Where, read_answers
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
        where.write(save, ROWS, several=several, as_json=as_json)
    *lines, first, second = capsys.readouterr().out.splitlines()
    assert lines == ["Zug\\tA\t3", "B\\x1b\t12.5", "a.sav\tZug\\tA\t3", "a.sav\tB\\x1b\t12.5"]
    assert orjson.loads(first) == {"file": "a.sav", "name": "Zug\tA", "count": 3}
    assert orjson.loads(second) == {"file": "a.sav", "name": "B\x1b", "count": 12.5}


def taken(selections, fields=()):
    """An answer whose rows are what each selection has given: the name, and those of the fields that are there."""

    def keep(found):
        values = {name: value for name, value in found.fields.items() if name in fields}
        return None if found.instance_name.endswith("7") else (found.instance_name, values)

    def rows(context, *lists):
        assert context == "context"
        yield from lists

    return Answer(("kept",), dict.fromkeys(selections, keep), fields, rows)


@pytest.mark.parametrize("text", [None, "class_name = *Spawner*", "class_name = Nothing"])
def test_answers_of_one_walk_are_those_of_a_walk_each(text):
    """What the user wants is about the first selection of each answer, also where another answer has the same one."""
    where = None if text is None else parse_selection(text)

    answers = [
        taken(("kind = actor", "kind = object")),
        taken(("kind = object", "kind = actor", "class_name = *Spawner*"), ("mCount", "mNumItems")),
        taken(("has(mSpawnData)", "kind = actor"), ("mSpawnData",)),
    ]

    def read(*some):
        with streamsave.open(SAMPLES[2]) as events:
            return [[*rows] for rows in read_answers(Save("a.sav", 3, events), some, where, "context")]

    together = read(*answers)
    assert together == [read(answer)[0] for answer in answers]
    with streamsave.open(SAMPLES[2]) as events:
        selections = ["kind = actor" if text is None else f"kind = actor and {text}", "kind = object"]
        expected = [[], []]
        for number, found in events.select(*selections):
            if not found.instance_name.endswith("7"):
                expected[number].append((found.instance_name, {}))
    assert together[0] == expected
    assert expected[1]
