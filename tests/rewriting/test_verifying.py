"""New saves are read before they appear: all of them, or the objects that were edited."""

from __future__ import annotations

import pytest
from saves import SATISFACTORY

import streamsave
from streamsave import DamagedSave, Limits, ObjectHeader, PropertyTag, SaveError
from streamsave.check.finding import FATAL, FINDING, NOTE, Finding
from streamsave.rewriting import rewrite
from streamsave.rewriting.verifying import check_edited, raise_wrong, verify_save

WRONG = [
    (Finding(FATAL, "undecodable", "x", 3, (), DamagedSave("x", 3)), True),
    (Finding(FINDING, "tiling", "two events", 3), True),
    (Finding(FINDING, "md5", "another"), True),
    (Finding(FINDING, "missing-list", "x"), False),
    (Finding(NOTE, "unknown-bytes", "x"), False),
]


@pytest.mark.parametrize(("finding", "is_wrong"), WRONG)
def test_which_findings_make_a_save_unusable(finding, is_wrong):
    if not is_wrong:
        raise_wrong([finding])
        return
    with pytest.raises(DamagedSave):
        raise_wrong([WRONG[-1][0], finding])


def places(path):
    with streamsave.open(path) as events:
        return [event.offset for event in events if isinstance(event, ObjectHeader) and event.size > 50]


def test_of_edits_that_move_nothing_only_the_objects_are_read(tmp_path):
    target = tmp_path / "a.sav"
    with rewrite(SATISFACTORY / "sv60.sav", target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "IntProperty":
                save.replace(5)
                break
        assert len(save.edited_objects) == 1
    assert save.findings == []
    whole = verify_save(target, Limits(), None)
    assert {finding.severity for finding in whole} == {NOTE}


@pytest.mark.parametrize("verb", ["drop", "replace", "outside"])
def test_all_is_read_after_other_edits(tmp_path, verb):
    with rewrite(SATISFACTORY / "sv60.sav", tmp_path / "a.sav") as save:
        for event in save:
            if verb == "outside" and isinstance(event, streamsave.Field) and event.name == "destroyed_actors":
                save.replace_raw(save.raw())
            elif verb == "drop" and isinstance(event, ObjectHeader):
                save.drop()
                break
            elif verb == "replace" and isinstance(event, PropertyTag) and event.type == "StrProperty":
                save.replace("of another size")
                break
    assert save.edited_objects is None
    assert save.findings != []


def test_the_edited_object_is_decoded(tmp_path):
    """A new save whose edited object is damaged does not appear; nor does it with another MD5."""
    target = tmp_path / "a.sav"
    with pytest.raises(SaveError), rewrite(SATISFACTORY / "sv60.sav", target) as save:
        for event in save:
            if isinstance(event, PropertyTag) and event.type == "ArrayProperty" and event.inner_type == "StructProperty":
                save.replace_raw(b"\xff" * event.size)
                break
    assert not target.exists()
    with rewrite(SATISFACTORY / "sv60.sav", target):
        pass
    data = bytearray(target.read_bytes())
    data[-1] ^= 1  # of the checksum of the last chunk
    target.write_bytes(data)
    with streamsave.open(SATISFACTORY / "sv60.sav") as events:
        objects = [event.offset for event in events if isinstance(event, ObjectHeader)]
    found = check_edited(target, Limits(), objects[:1])
    assert next(found).kind == "md5"
