"""Objects that hold others: what is around these is of the one that holds them, wherever it is in both saves."""

import random

import pytest
from compared import differences, of_objects
from gvas_saves import save
from writer.tags import INT, STR, Array, Fields, Prop

from streamsave.compare import records

OBJECTS = ["Cells[*] instance_name=Name", "Cells[*].Parts[*] instance_name=Name"]
#: Cells whose names are their numbers: those at the same place belong together.
NUMBERED = [f"Cells[{number}]" for number in range(4)]


def drawn(chance, names):
    """Cells with a count, perhaps a label, and parts with a value."""
    parts = chance.sample(range(12), 12)
    return {
        name: (
            {"Count": chance.randrange(2), **({"Label": "a"} if chance.randrange(2) else {})},
            {f"Part {parts.pop()}": chance.randrange(2) for _ in range(chance.randrange(1, 3))},
        )
        for name in names
    }


def encoded(cells):
    elements = []
    for name, (values, parts) in cells.items():
        inner = [[Prop("Name", STR, part), Prop("Value", INT, value)] for part, value in parts.items()]
        label = [Prop("Label", STR, values["Label"])] if "Label" in values else []
        elements.append(
            [
                Prop("Name", STR, "" if name in NUMBERED else name),
                *label,
                Prop("Parts", Array(Fields("Part")), inner),
                Prop("Count", INT, values["Count"]),
            ]
        )
    return save(Prop("Cells", Array(Fields("Cell")), elements))


def objects(cells):
    found = {name: values for name, (values, _) in cells.items()}
    return found | {part: {"Value": value} for _, parts in cells.values() for part, value in parts.items()}


def expected(old, new):
    before, after = objects(old), objects(new)
    rows = [("-", name, "", None, None) for name in before.keys() - after.keys()]
    rows += [("+", name, "", None, None) for name in after.keys() - before.keys()]
    for name in before.keys() & after.keys():
        for path in before[name].keys() | after[name].keys():
            texts = [
                None if value is None else f'"{value}"' if path == "Label" else str(value)
                for value in (before[name].get(path), after[name].get(path))
            ]
            if texts[0] != texts[1]:
                rows.append(("~", name, path, *texts))
    return rows


@pytest.mark.parametrize("most", [3, 40_000])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("numbered", [False, True])
def test_values_are_of_the_innermost_object(monkeypatch, numbered, seed, most):
    monkeypatch.setattr(records.Waiting.__init__, "__defaults__", (most,))
    chance = random.Random(seed)
    old, new = (drawn(chance, NUMBERED if numbered else chance.sample("ABCDEF", chance.randrange(1, 6))) for _ in range(2))
    found = of_objects(differences(encoded(old), encoded(new), objects_at=OBJECTS))
    assert sorted(found, key=repr) == sorted(expected(old, new), key=repr)
