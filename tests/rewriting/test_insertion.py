"""Objects and properties of one save in another."""

import zlib
from contextlib import suppress
from itertools import pairwise, product

import pytest
from edits import view
from saves import VALID, read

import streamsave
from streamsave import (
    ChunkStart,
    EditError,
    Field,
    LimitExceeded,
    Limits,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    StaleEvent,
    StructEnter,
    TruncatedSave,
)
from streamsave.consume.parser import parse_selection
from streamsave.rewriting import cut, rewrite
from streamsave.rewriting.actors import DESTROYED
from streamsave.rewriting.editor import Editor

SATISFACTORY = VALID / "satisfactory"
#: Before versions of its own for each object, with 64-bit sizes, with version data.
NAMES = ["sv25.sav", "sv36.sav", "sv46.sav", "sv58.sav", "sv60.sav"]
GVAS = ["ue5-1018.sav", "ue4-508.sav", "palworld-1.0.sav", "deltas-new-tags.sav"]


def objects(path):
    with streamsave.open(path) as events:
        return [
            (event.level, event.instance_name, events.raw())
            for event in events
            if isinstance(event, ObjectHeader) and event.header_size > 0
        ]


def cuttings(path, wants):
    with cut(path) as events:
        found = []
        for event in events:
            if wants(event):
                found.append(events.take())
            elif isinstance(event, ObjectHeader):
                events.skip()
        return found


REAL = ["v12-hv14-sv58-140k.sav", "v10-hv13-sv46-110k.sav", "u4-hv8-sv25-480k.sav"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "after"), [*product(NAMES, [False, True]), *((name, True) for name in REAL)])
def test_what_was_dropped_comes_back(tmp_path, any_save, name, after):
    """A save from which an object was dropped, and that got it again from the first one, is the first one."""
    path = any_save(f"satisfactory/{name}")
    before = objects(path)
    by_level = {}
    for level, instance, _ in before:
        by_level.setdefault(level, []).append(instance)
    level = max(by_level.items(), key=lambda item: len(item[1]))[0]
    # Its neighbours are of the same level, next to it.
    at = next(at for at in range(1, len(before) - 1) if {each[0] for each in before[at - 1 : at + 2]} == {level})
    gone, beside = before[at][1], before[at - 1 if after else at + 1][1]
    with rewrite(path, tmp_path / "less.sav") as save:
        save.only(lambda header: header.instance_name == gone)
        for event in save:
            if isinstance(event, ObjectHeader) and event.instance_name == gone and event.header_size:
                save.drop()
    (cutting,) = cuttings(path, lambda event: isinstance(event, ObjectHeader) and event.instance_name == gone)
    assert cutting.header
    with rewrite(tmp_path / "less.sav", tmp_path / "more.sav") as save:
        inside = ""
        for event in save:
            if isinstance(event, ObjectHeader):
                inside = event.instance_name
                if inside == beside and not after:
                    save.insert_raw(cutting)
            elif isinstance(event, ObjectEnd) and inside == beside and after:
                save.insert_raw(cutting)
                inside = ""
    assert len(objects(tmp_path / "less.sav")) == len(before) - 1
    assert objects(tmp_path / "more.sav") == before
    assert view(tmp_path / "more.sav") == view(path)


@pytest.mark.parametrize("name", [*NAMES, "sv58.sbp"])
def test_after_the_last_object_of_each_level(tmp_path, name):
    """Its header and its data end where other parts of the level start, which have sizes and counts of their own."""
    path = SATISFACTORY / name
    before = objects(path)
    last = {level: number for number, (level, *_) in enumerate(before)}
    with cut(path) as events:
        headers = (event for event in events if isinstance(event, ObjectHeader) and event.header_size > 0)
        taken = {number: events.take() for number, _ in enumerate(headers) if number in last.values()}
    number = -1
    with rewrite(path, tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.header_size > 0:
                number += 1
            elif isinstance(event, ObjectEnd) and event.instance_name == before[number][1] and number in taken:
                save.insert_raw(taken[number])
                save.insert_raw(taken.pop(number))
    twice = [each for number, each in enumerate(before) for _ in range(3 if last[each[0]] == number else 1)]
    assert objects(tmp_path / "new.sav") == twice


def names_after_openers(path):
    """For each event that opens a nesting, the name of the property that comes next; None: something else does."""
    found = [event for event in read(path) if not isinstance(event, (ChunkStart, Field))]
    return [
        after.name if isinstance(after, PropertyTag) else None
        for event, after in pairwise(found)
        if isinstance(event, (ObjectHeader, StructEnter))
    ]


SAMPLES = [*(f"satisfactory/{name}" for name in ("sv25.sav", "sv60.sav", "sv58.sbp")), *(f"gvas/{name}" for name in GVAS)]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_property_at_the_start_of_each_list(tmp_path, name):
    """Also where none is left: the first pass leaves out all of them."""
    path, empty, new = VALID / name, tmp_path / "empty.sav", tmp_path / "new.sav"
    cutting = integers(name)[0]
    with rewrite(path, empty, verify=False) as save:
        for event in save:
            if isinstance(event, PropertyTag):
                with suppress(EditError):
                    save.drop()
    for source in (path, empty):
        opens = []
        with rewrite(source, new) as save:
            for event in save:
                if isinstance(event, (ObjectHeader, StructEnter)):
                    try:
                        save.insert_raw(cutting)
                    except EditError:
                        opens.append(False)
                    else:
                        opens.append(True)
        before, after = names_after_openers(source), names_after_openers(new)
        assert any(opens)
        assert after == [cutting.event.name if is_list else old for is_list, old in zip(opens, before, strict=True)]
        if source is path:
            # All but those of objects that are older than their save, whose tags are others.
            assert sum(old is not None and not is_list for is_list, old in zip(opens, before, strict=True)) <= len(opens) // 9


def integers(name):
    with cut(VALID / name) as events:
        return [events.take() for event in events if isinstance(event, PropertyTag) and event.type == "IntProperty"]


def test_an_object_that_is_dropped_after_an_insertion(tmp_path):
    """Dropping an object does not forget what was inserted before it."""
    path = SATISFACTORY / "sv60.sav"
    before = objects(path)
    last = before[-1]
    assert before[-2][0] == last[0]
    (cutting, *_) = cuttings(path, lambda event: isinstance(event, ObjectHeader) and event.instance_name == last[1])
    with rewrite(path, tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.level == last[0]:
                save.insert_raw(cutting)
                save.drop()
                break
    new = objects(tmp_path / "new.sav")
    assert len(new) == len(before)
    assert sum(each == last for each in new) == 2


def destroyed(path):
    with streamsave.open(path) as events:
        return [events.raw() for event in events if isinstance(event, Field) and event.name in DESTROYED]


@pytest.mark.slow
def test_an_object_of_the_map_is_destroyed_no_longer(tmp_path):
    """Dropped, an object is noted as destroyed; inserted again, it is not."""
    path = SATISFACTORY / "sv60.sav"
    found = cuttings(path, lambda event: isinstance(event, ObjectHeader) and event.kind == "actor")
    noted = 0
    for cutting in found:
        if not cutting.is_of_map:
            continue
        name = cutting.event.instance_name
        editor = Editor(str(path))
        editor.choose([parse_selection(f'instance_name = "{name}"')], None, keeps_parts=True, keeps_references=True)
        assert len(list(editor.edit(tmp_path / "less.sav"))) == 1
        if editor.not_noted:
            continue
        assert destroyed(tmp_path / "less.sav") != destroyed(path)
        with rewrite(tmp_path / "less.sav", tmp_path / "more.sav") as save:
            done = False
            for event in save:
                if isinstance(event, ObjectHeader) and event.level == cutting.event.level and not done:
                    save.insert_raw(cutting)
                    done = True
        if done:
            noted += 1
            with streamsave.open(tmp_path / "more.sav") as events:
                lists = [events.build() for event in events if isinstance(event, Field) and event.name in DESTROYED]
            assert name not in repr(lists)
    assert noted > 0


def test_what_does_not_fit(tmp_path):
    def first(event):
        return isinstance(event, ObjectHeader) and event.header_size > 0

    sv46, sv60 = cuttings(SATISFACTORY / "sv46.sav", first), cuttings(SATISFACTORY / "sv60.sav", first)
    tags = integers("gvas/ue5-1018.sav")
    levels = {each.event.level for each in sv60}
    refused, named = [], []
    with rewrite(SATISFACTORY / "sv60.sav", tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, (ChunkStart, SaveEnd)):
                continue
            others = [each for each in sv60 if isinstance(event, ObjectHeader) and each.event.level != event.level]
            for cutting in (sv46[0], tags[0], *others):
                with pytest.raises(EditError) as error:
                    save.insert_raw(cutting)
                refused.append(error.value.message)
                named.append(str(error.value.expected))
        assert save.edit_count == 0
    assert "it does not fit: another SaveVersion of the level" in refused
    assert "it does not fit: another format" in refused
    assert not [expected for expected in named if "Reader" in expected]
    assert len(levels) == 1 or "it does not fit: another level" in refused
    assert "an object is inserted before an object, or after one" in refused


@pytest.mark.parametrize(("version", "after"), [("1.0", False), ("1.1", True), ("2.0", True), ("2.1", False)])
def test_an_entry_of_another_container(tmp_path, version, after):
    path = VALID / "arx" / f"v{version}.sav"
    before = entries(path)
    gone = before[1][0]
    with rewrite(path, tmp_path / "less.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader) and event.instance_name == gone:
                save.drop()
    assert [name for name, _ in entries(tmp_path / "less.sav")] == [name for name, _ in before if name != gone]
    with cut(path) as events:
        cutting = next(events.take() for event in events if isinstance(event, ObjectHeader) and event.instance_name == gone)
    with rewrite(tmp_path / "less.sav", tmp_path / "more.sav") as save:
        beside = before[0 if after else 2][0]
        inside = ""
        for event in save:
            if isinstance(event, ObjectHeader):
                inside = event.instance_name
            if inside == beside and isinstance(event, ObjectEnd if after else ObjectHeader):
                save.insert_raw(cutting)
    assert entries(tmp_path / "more.sav") == before
    with pytest.raises(EditError, match="version"), rewrite(VALID / "arx" / OTHERS[version], tmp_path / "no.sav") as save:
        for event in save:
            if isinstance(event, ObjectHeader):
                save.insert_raw(cutting)


#: A container of another version.
OTHERS = {"1.0": "v1.1.sav", "1.1": "v1.0.sav", "2.0": "v2.1.sav", "2.1": "v2.0.sav"}


def entries(path):
    with streamsave.open(path) as events:
        return [(event.instance_name, zlib.crc32(events.raw())) for event in events if isinstance(event, ObjectHeader)]


# --- taking objects and properties from a save ---


def test_what_cannot_be_taken():
    with cut(VALID / "satisfactory" / "sv60.sav") as events:
        with pytest.raises(StaleEvent):
            events.take()
        for event in events:
            if isinstance(event, StructEnter):
                with pytest.raises(EditError, match="only objects and properties"):
                    events.take()
            elif isinstance(event, ObjectHeader):
                events.skip()
                with pytest.raises(StaleEvent):
                    events.take()


def test_nothing_is_taken_in_part():
    data = (VALID / "gvas" / "ue4-508.sav").read_bytes()
    with cut(data) as events:
        tags = [event for event in events if isinstance(event, PropertyTag) and event.size > 0]
    for tag in tags:
        end = tag.value_offset + tag.size
        with pytest.raises(TruncatedSave), cut(data[: end - 1]) as events:
            next(event for event in events if event == tag)
            events.take()
        with pytest.raises(LimitExceeded), cut(data, limits=Limits(build_size=end - tag.offset - 1)) as events:
            next(event for event in events if event == tag)
            events.take()


# --- copies of what has ended ---


def test_what_there_may_not_be_several_of(tmp_path):
    """A member of a struct, a property, an entry of an archive; nothing at all."""
    with rewrite(SATISFACTORY / "sv46.sav", tmp_path / "new.sav") as save:
        seen = 0
        for event in save:
            if seen < 20 and (isinstance(event, PropertyTag) or (isinstance(event, Field) and event.index < 0)):
                seen += 1
                with pytest.raises(EditError):
                    save.insert_copy()
        with pytest.raises(StaleEvent):
            save.insert_copy()
    assert seen == 20
    assert (tmp_path / "new.sav").read_bytes() == (SATISFACTORY / "sv46.sav").read_bytes()
    with rewrite(VALID / "arx" / "v2.1.sav", tmp_path / "new.sav") as save:
        for event in save:
            if isinstance(event, ObjectEnd):
                with pytest.raises(EditError, match="each copy needs a name of its own"):
                    save.insert_copy()
                break
