"""What no game has written is left out of a new save, and reported, even where it can be read."""

from __future__ import annotations

import pytest
from proofs import save, with_size
from writer.gvas import SaveGame
from writer.primitives import fstring
from writer.structs import VECTOR
from writer.tags import INT, Fields, Prop

import streamsave
from streamsave import DamagedSave, PropertyTag
from streamsave.check import FINDING, check
from streamsave.rewriting.salvage import SaveSalvage

BEFORE = Prop("Before", INT, 1)
AFTER = Prop("After", INT, 2)
PLACE = Prop("Place", VECTOR, (1.0, 2.0, 3.0))
INNER = Prop("Inner", Fields("Inner", "/Script/Game"), [BEFORE, AFTER])


def salvaged(data, target):
    """The names of the properties in the new save; what was reported as lost; how many findings the new save has."""
    lost = [damage.lost.name for damage in SaveSalvage(data).write(target)]
    with streamsave.open(target) as events:
        names = [event.name for event in events if isinstance(event, PropertyTag)]
    return names, lost, len(list(check(target)))


def test_a_struct_of_another_size_than_its_type(tmp_path):
    data = save(BEFORE, PLACE, AFTER)
    with streamsave.open(data) as events:
        size = next(event.size for event in events if isinstance(event, PropertyTag) and event.name == "Place")
    end = data.index(fstring("After"))
    longer = with_size(data[:end] + b"\7" + data[end:], "Place", size + 1)
    with streamsave.open(longer) as events:
        assert [event.name for event in events if isinstance(event, PropertyTag)] == ["Before", "Place", "After"]
    assert salvaged(longer, tmp_path / "new.sav") == (["Before", "After"], ["Place"], 0)


def test_bytes_after_a_list_of_properties_in_a_struct(tmp_path):
    data = save(INNER, AFTER)
    with streamsave.open(data) as events:
        size = next(event.size for event in events if isinstance(event, PropertyTag) and event.name == "Inner")
    end = data.rindex(fstring("After"))
    longer = with_size(data[:end] + b"\7\7\7" + data[end:], "Inner", size + 3)
    target = tmp_path / "new.sav"
    names, lost, findings = salvaged(longer, target)
    assert (names, lost, findings) == (["Inner", "Before", "After", "After"], ["bytes after the end of a property list"], 0)
    assert target.read_bytes() == data


@pytest.mark.parametrize(
    ("change", "offset"),
    [
        ({"save_game_version": 65535}, 4),
        ({"ue4": -522}, 8),
        ({"ue4": 1 << 30}, 8),
        ({"engine": (5, 1, 40000)}, 16),
        ({"engine": (0, 0, 3)}, 16),
    ],
)
def test_the_versions_of_no_engine(change, offset, tmp_path):
    data = SaveGame([BEFORE], **change).encode()
    assert [(finding.kind, finding.severity, finding.offset) for finding in check(data)] == [("header", FINDING, offset)]
    with pytest.raises(DamagedSave, match="engine") as caught:
        salvaged(data, tmp_path / "new.sav")
    assert caught.value.offset == offset
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_none(tmp_path):
    data = SaveGame([BEFORE], class_name="/Script/Game.Save").encode()
    at = data.index(b"/Script/Game")
    with pytest.raises(DamagedSave, match="name in the header"):
        salvaged(data[:at] + b"\xff" + data[at + 1 :], tmp_path / "new.sav")
    two_bytes = SaveGame([BEFORE], class_name="/Script/Game.Gr\xfc\xdfe").encode()
    assert salvaged(two_bytes, tmp_path / "new.sav") == (["Before"], [], 0)
