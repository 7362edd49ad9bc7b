"""Edits by selection; the name of the session: everywhere where a save has it.

The file is long because each format has its own cases.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest
from cli_runs import run, thing, write
from edits import values
from factories import actor
from saves import VALID, headers_of
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.tags import INT, STR, Array, Fields, Map, Prop

import streamsave
from streamsave import EditError, Field, SelectError, UnsupportedSave, parse_selection
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.leaves import BYTES
from streamsave.output.flat_text import path_text
from streamsave.rewriting.assignments import MISSING, SET, parse_assignment
from streamsave.rewriting.editor import Editor

SV60 = str(VALID / "satisfactory" / "sv60.sav")


def edited(path, target, drops=(), where=None, sets=(), names_missing=False, **options):
    editor = Editor(path)
    editor.choose([parse_selection(text) for text in drops], None if where is None else parse_selection(where), **options)
    return editor, list(editor.edit(target, [parse_assignment(text) for text in sets], names_missing=names_missing))


@pytest.mark.parametrize("when", ["chosen", "edited"])
def test_a_save_that_changes_is_not_edited(tmp_path, when):
    """What was chosen of the first file may be another object of the second."""
    path, target = tmp_path / "a.sav", tmp_path / "b.sav"
    path.write_bytes(Path(SV60).read_bytes())
    editor = Editor(str(path))
    editor.choose([parse_selection("class_name = *")], None)
    if when == "chosen":
        os.utime(path, (1e9, 1e9))
    changes = editor.edit(target)
    with pytest.raises(OSError, match="has changed while it was read"):
        for _ in changes:
            os.utime(path, (2e9, 2e9))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_objects_go_with_what_they_own(tmp_path):
    before = headers_of(SV60)
    names = {header.instance_name for header in before}
    owner = next(header.outer for header in before if header.kind == "object" and header.outer in names)
    drop = f'instance_name = "{owner}"'
    editor, changes = edited(SV60, tmp_path / "a.sav", [drop])
    gone = [header.instance_name for header in before if owner in {header.instance_name, header.outer}]
    assert len(gone) > 1
    assert [change.instance_name for change in changes] == gone
    assert editor.drop_count == len(gone)
    assert not {header.instance_name for header in headers_of(tmp_path / "a.sav")} & set(gone)
    _, changes = edited(SV60, tmp_path / "b.sav", [drop], keeps_parts=True)
    assert [change.instance_name for change in changes] == [owner]


def test_nothing_is_written_if_nothing_matches(tmp_path):
    editor, changes = edited(SV60, tmp_path / "a.sav", ["class_name = nothing"], where="class_name = nothing", sets=["mInt = 1"])
    assert (editor.drop_count, editor.set_counts, changes) == (0, [0], [])
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_writes_nothing(tmp_path):
    _, changes = edited(SV60, None, ["class_name = *Spawner*"])
    assert changes
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("mSpawnData = 1", "mSpawnData has parts: set one of them"),
        ("mInt = text", "mInt: another kind of value"),
        ("mInt = 3000000000", "mInt: out of range"),
    ],
)
def test_what_is_refused(tmp_path, assignment, message):
    with pytest.raises(EditError, match=message):
        edited(SV60, tmp_path / "a.sav", sets=[assignment])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((VALID / "arx").glob("*.sav")), ids=lambda path: path.name)
def test_one_entry_of_an_arx_save(tmp_path, path):
    """Where entries have no size, the place of one in the stream depends on what was skipped before it."""
    names = [header.instance_name for header in headers_of(path)]
    for name in {names[3], names[len(names) // 2], names[-1]}:
        editor, _ = edited(str(path), tmp_path / "a.sav", [f'instance_name = "{name}"'])
        assert editor.drop_count == names.count(name), name
        assert [header.instance_name for header in headers_of(tmp_path / "a.sav")] == [other for other in names if other != name]


def test_keys_of_maps_of_structs(tmp_path):
    counts = [("Iron", [Prop("Total", INT, 1), Prop("Last", Map(STR, INT), [("a", 1)])]), ("Copper", [Prop("Total", INT, 2)])]
    path = write(tmp_path, "map.sav", thing("Counter", Prop("mCounts", Map(STR, Fields("Count")), counts)))
    editor, _ = edited(str(path), tmp_path / "a.sav", sets=['mCounts["Iron"]/Total = 5', 'mCounts["Iron"]/Last["a"] = 6'])
    assert editor.set_counts == [1, 1]
    (found,) = values(tmp_path / "a.sav", None, "mCounts")
    assert found == [("Iron", {"Total": 5, "Last": [("a", 6)]}), ("Copper", {"Total": 2})]


def test_each_part_of_a_value_that_is_set_is_told(tmp_path):
    """Where the step to it was set, too, the whole value; what it has already is no change."""
    values = [
        Prop("mNumbers", Array(INT), [1, 2, 3]),
        Prop("mCounts", Map(STR, INT), [("a", 1), ("b", 2)]),
        Prop("mNames", Array(STR), ["a", "b"]),
    ]
    path = write(tmp_path, "a.sav", thing("Full", *values))
    sets = ["mNumbers[0] = 5", "mNumbers[*] = 7", 'mCounts["b"] = 5', 'mNames["a"] = c', "mNumbers[1] = 7"]
    editor, changes = edited(str(path), tmp_path / "b.sav", sets=sets)
    assert editor.set_counts == [1, 3, 1, 1, 1]
    assert [(change.path, change.old, change.new) for change in changes] == [
        ("mNumbers[0]", 1, 5),
        ("mNumbers[*]", [5, 2, 3], [7, 7, 7]),
        ('mCounts["b"]', 2, 5),
        ('mNames["a"]', ["a", "b"], ["c", "b"]),
    ]


def test_a_key_or_an_element_that_is_missing_is_no_such_value(tmp_path):
    """Of structs and of scalars, and of the objects that have the value."""
    rows = [[Prop("Total", INT, 1)]]
    values = [
        Prop("mRows", Array(Fields("Row")), rows),
        Prop("mNumbers", Array(INT), [1, 2]),
        Prop("mCounts", Map(STR, INT), [("a", 1)]),
    ]
    path = write(tmp_path, "a.sav", thing("Full", *values), thing("Empty", Prop("mNumbers", Array(INT), [3])))
    sets = ["mRows[1]/Total = 5", "mNumbers[2] = 5", 'mCounts["b"] = 5', "mNumbers[1] = 5"]
    editor, changes = edited(str(path), tmp_path / "b.sav", where="class_name = *", sets=sets, names_missing=True)
    assert editor.set_counts == [0, 0, 0, 1]
    assert [change.new for change in changes if change.verb == SET] == [5]
    assert Counter(change.path for change in changes if change.verb == MISSING) == {
        "mRows[1]/Total": 2,
        "mNumbers[2]": 2,
        'mCounts["b"]': 2,
        "mNumbers[1]": 1,
    }


@pytest.mark.parametrize(
    ("sets", "new"),
    [
        (["mStatic[1] = 7"], [1, 7, 3]),
        (["mStatic[0] = 7", "mStatic[3] = 8"], [7, 2, 3]),
        (["mStatic[*] = 7"], [7, 7, 7]),
        (["mStatic = 7"], [7, 2, 3]),
    ],
)
def test_elements_of_a_static_array(tmp_path, sets, new):
    edited(SV60, tmp_path / "a.sav", sets=sets)
    lines = run("cat", "--flat", tmp_path / "a.sav").stdout.splitlines()
    assert [int(line.rpartition(" = ")[2]) for line in lines if re.search(r"/mStatic(\[\d\])? = ", line)] == new


@pytest.mark.parametrize("text", ['"" = 78', "mNext = 78"])
def test_a_property_without_a_name(tmp_path, text):
    """A damaged save may have one; its path is a name without characters."""
    path = write(tmp_path, "a.sav", thing("Build_A_C_1", Prop("", INT, 1), Prop("mNext", INT, 1)))
    edited(str(path), tmp_path / "b.sav", sets=[text])
    lines = [run("cat", "--flat", each).stdout.splitlines() for each in (path, tmp_path / "b.sav")]
    changed = [new for old, new in zip(*lines, strict=True) if old != new and new[0] != "@"]
    assert [line.partition("Build_A_C_1/")[2] for line in changed] == [text]


@pytest.mark.parametrize("path", ["ByGuid[*]/Count", "ByGuid[*]/value/Count"])
def test_a_path_into_all_values_of_a_map(tmp_path, path):
    save = VALID / "gvas" / "ue5-1018.sav"
    edited(str(save), tmp_path / "a.sav", sets=[f"{path} = 7"])
    old, new = (run("cat", "--flat", each).stdout.splitlines() for each in (save, tmp_path / "a.sav"))
    assert new == [re.sub(r"(ByGuid\[.*/Count) = .*", r"\1 = 7", line) for line in old]
    assert old != new


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gvas/ue5-1018.sav", "NoItems = []"),
        ("gvas/ue5-1018.sav", "InstancedStruct/value = {}"),
        ("satisfactory/sv60.sav", "mTimer = {}"),
        ("satisfactory/sv60.sav", 'mTrackGraphs["0"] = {}'),
    ],
)
def test_what_is_empty_may_stay(tmp_path, name, text):
    """A list or a struct with events inside."""
    editor, changes = edited(str(VALID / name), tmp_path / "a.sav", sets=[text])
    assert (editor.set_counts, changes) == ([1], [])


@pytest.mark.parametrize("text", ["ByItem = []", "NoItems = {}", "NoItems = null", "NoItems = [1]"])
def test_no_other_value_with_parts_is_set(tmp_path, text):
    with pytest.raises(EditError, match="has parts: set one of them"):
        edited(str(VALID / "gvas" / "ue5-1018.sav"), tmp_path / "a.sav", sets=[text])


@pytest.mark.parametrize(("path", "old"), [("Scores[0].key", 'Scores["a"]'), ("ByItem[0]/key/Name", "ByItem[0]/key/Name")])
def test_the_key_of_an_entry(tmp_path, path, old):
    save = VALID / "gvas" / "ue5-1018.sav"
    edited(str(save), tmp_path / "a.sav", sets=[f"{path} = new"])
    before, after = (run("cat", "--flat", each).stdout.splitlines() for each in (save, tmp_path / "a.sav"))
    ((was, now),) = [(was, now) for was, now in zip(before, after, strict=True) if was != now]
    assert (was.startswith(old), now.count("new")) == (True, 1)


def assert_all_paths_are_of_an_edit(path, target):
    """Each path of a leaf sets as many values as have it: to the value that they have, all at once."""
    found = {}
    with streamsave.open(path) as events:
        for part in Walk(events, loose=False):
            if isinstance(part, Part):
                for steps, value in leaves(part):
                    if steps[-1] not in {BYTES, "base64", "reason", "script_struct"}:
                        found.setdefault(path_text(steps[part.base :]), []).append(value)
    kept = {text: those for text, those in found.items() if isinstance(those[0], (str, int, float))}
    same = {text: len(those) for text, those in kept.items() if len(set(map(repr, those))) == 1 and repr(those[0]) != "nan"}
    sets = [f"{text} = {json.dumps(found[text][0])}" for text in same]
    editor, changes = edited(str(path), target, sets=sets)
    assert [(text, count) for text, count in zip(same, editor.set_counts, strict=True) if count != same[text]] == []
    assert changes == []
    assert same


@pytest.mark.parametrize(
    "name",
    [
        "satisfactory/sv25.sav",
        "satisfactory/sv46.sbp",
        "satisfactory/sv60.sav",
        "gvas/ue5-1018.sav",
        "gvas/deltas.sav",
        "gvas/palworld-1.0.sav",
        "astroneer/full.savegame",
        "arx/v2.1.sav",
    ],
)
def test_all_paths_of_leaves(tmp_path, name):
    assert_all_paths_are_of_an_edit(VALID / name, tmp_path / "a.sav")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "satisfactory/hv14-sv51-unlock-1.1.sav",
        "satisfactory/hv14-sv52-pep-modtest-1.sav",
        "gvas/deadlink-ue427.sav",
        "gvas/hogwarts-list.sav",
        "more/EnhancedInputUserSettings.sav",
    ],
)
def test_all_paths_of_leaves_of_real_saves(tmp_path, real_save, name):
    assert_all_paths_are_of_an_edit(real_save(name), tmp_path / "a.sav")


@pytest.mark.parametrize(
    ("name", "path", "found"),
    [
        ("sv60.sav", "mFieldsFields[*].BuildCount", "mFieldsFields[0]/value/BuildCount"),
        ("sv60.sav", "mFieldsFields[0]/BuildCount", "mFieldsFields[0]/value/BuildCount"),
        ("sv46.sbp", "mItemWithState/state/value/CurrentFuel", "mItemWithState/state/value/CurrentFuel"),
        ("sv46.sbp", "mItemWithState.state.CurrentFuel", "mItemWithState/state/value/CurrentFuel"),
        ("sv46.sbp", "CurrentFuel", "mItemWithState/state/value/CurrentFuel"),
    ],
)
def test_value_may_be_left_out(tmp_path, name, path, found):
    """That of an entry whose key has parts, and that of a struct that follows its type."""
    save = VALID / "satisfactory" / name
    edited(str(save), tmp_path / name, where="class_name = BP_Museum_C", sets=[f"{path} = 7"])
    rows = [line for line in run("diff", save, tmp_path / name).stdout.splitlines() if found in line]
    assert [row.endswith((" -> 7", " -> 7.0")) for row in rows] == [True], rows


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("gvas/savage-planet-ue425.sav", "SaveGameData/TrackedQuests/TrackedQuestsNames[1]", "None of them"),
        ("gvas/hogwarts-list.sav", "Info/CurrentCharacter/CharacterNameBytes/base64", "TmVtbwA="),
    ],
)
def test_a_line_of_cat_is_set_in_a_real_save(tmp_path, real_save, name, path, value):
    save = real_save(name)
    edited(str(save), tmp_path / "a.sav", sets=[f"{path} = {value}"])
    before, after = [run("cat", "--flat", each).stdout.splitlines() for each in (save, tmp_path / "a.sav")]
    assert [new for old, new in zip(before, after, strict=True) if old != new] == [f'{path} = "{value}"']


def destroyed(path):
    """The lists of destroyed objects by level: those among the headers, those after the objects."""
    found = {}
    with streamsave.open(path) as events:
        for event in events:
            if (
                isinstance(event, Field)
                and event.name.endswith("destroyed_actors")
                and event.name.startswith(("toc", "destroyed"))
            ):
                found[event.name, events.path[0]] = events.build()
    return found


@pytest.mark.parametrize("name", ["sv29.sav", "sv46.sav", "sv60.sav"])
def test_objects_of_the_map_are_noted_as_destroyed(tmp_path, name):
    path = str(VALID / "satisfactory" / name)
    before = destroyed(path)
    editor, changes = edited(path, tmp_path / "a.sav", ["kind = actor"])
    after = destroyed(tmp_path / "a.sav")
    assert before.keys() == after.keys()
    added = Counter()
    for key, old in before.items():
        new = after[key]
        if (old and isinstance(old[0], tuple)) or (new and isinstance(new[0], tuple)):
            old_references = [reference for _, references in old for reference in references]
            new_references = [reference for _, references in new for reference in references]
            assert len({level for level, _ in new}) == len(new)
        else:
            old_references, new_references = old, new
        assert [reference for reference in new_references if reference in old_references] == old_references
        added.update(reference.path_name for reference in new_references[len(old_references) :])
    assert 0 < len(added) < editor.drop_count
    assert set(added) <= {change.instance_name for change in changes}
    # An object without a place in the map is none of them: a subsystem.
    assert not any("Subsystem" in name for name in added)


def test_numbers_of_a_place_are_set_one_by_one(tmp_path):
    sets = ["@position[0] = 1", "@rotation[3] = 0.5", "@scale = [1, 2, 3]", "@position[2] = -4", "@scale[*] = 5"]
    editor, changes = edited(SV60, tmp_path / "a.sav", where='class_name = "*BP_Museum_C"', sets=sets)
    assert editor.set_counts == [1, 1, 1, 1, 3]
    (before,) = [header.transform for header in headers_of(SV60) if header.class_name.endswith("BP_Museum_C")]
    (after,) = [header.transform for header in headers_of(tmp_path / "a.sav") if header.class_name.endswith("BP_Museum_C")]
    assert after.translation == (1, before.translation[1], -4)
    assert after.rotation == (*before.rotation[:3], 0.5)
    assert after.scale == (5, 5, 5)
    assert [(change.path, change.new) for change in changes[:2]] == [("@position[0]", 1), ("@rotation[3]", 0.5)]
    for wrong in ("@position[3] = 1", '@position[0] = "x"', "@position/x = 1", "@position[0][0] = 1"):
        with pytest.raises(EditError):
            edited(SV60, tmp_path / "b.sav", where='class_name = "*BP_Museum_C"', sets=[wrong])
    with pytest.raises(SelectError, match="x, y, z, w"):
        edited(SV60, tmp_path / "b.sav", where='class_name = "*BP_Museum_C"', sets=["@rotation = [0, 0, 1]"])


def test_what_has_no_place_in_its_header_is_not_moved(tmp_path):
    with pytest.raises(EditError, match="no place"):
        edited(SV60, tmp_path / "a.sav", where="kind = object", sets=["@position = [1, 2, 3]"])


@pytest.mark.parametrize("path", ["data", "data/buildings", "configuration"])
def test_what_has_parts_is_not_set_as_a_whole(tmp_path, path):
    with pytest.raises(EditError, match=f"{path}: {path} has parts"):
        edited(str(VALID / "shapez2" / "checkpoints.spz2"), tmp_path / "a.spz2", where='kind != ""', sets=[f"{path} = {{}}"])


NAME = "Neuer Näme"


def renamed(path, target, name=NAME):
    editor = Editor(str(path), session_name=name)
    editor.choose([], None)
    changes = list(editor.edit(target))
    assert [finding for finding in check(target) if finding.severity != NOTE and finding.kind != "dangling"] == []
    with streamsave.open(target) as events:
        return next(events).header, changes


@pytest.mark.parametrize("version", [25, 28, 46, 60])
def test_satisfactory(tmp_path, version):
    mode = actor("BP_GameMode_C", "Mode", Prop("mOther", STR, "oracle"), Prop("mSaveSessionName", STR, "oracle"))
    state = actor("BP_GameState_C", "State", Prop("mReplicatedSessionName", STR, "oracle"))
    third = actor("BP_Other_C", "Other", Prop("mSaveSessionName", STR, "oracle"))
    version_data = VersionData() if version >= 53 else None
    path = tmp_path / "old.sav"
    path.write_bytes(save_bytes(World(release_header(version), objects=[mode, state, third], version_data=version_data)))
    with streamsave.open(path) as events:
        old = next(events).header
    header, changes = renamed(path, tmp_path / "new.sav")
    assert header.session_name == NAME
    assert f"?sessionName={NAME}?" in header.map_options
    assert header.map_options.replace(NAME, old.session_name) == old.map_options
    assert (header.map_name, header.play_duration, header.save_date_time) == (old.map_name, old.play_duration, old.save_date_time)
    assert [(change.old, change.new) for change in changes] == [("oracle", NAME)] * 2
    found = {
        each.instance_name[-5:]: each.fields for each in streamsave.objects(tmp_path / "new.sav", None, ["mSaveSessionName"])
    }
    assert found["Other"] == {"mSaveSessionName": "oracle"}


@pytest.mark.parametrize("path", ["gvas/palworld-1.0.sav", "satisfactory/sv46.sbp", "shapez2/no-icons.spz2bp"])
def test_what_has_no_name_of_a_session_is_refused(tmp_path, path):
    with pytest.raises(UnsupportedSave, match="no name of a session"):
        renamed(VALID / path, tmp_path / "new")
    with pytest.raises(UnsupportedSave, match="no name of a session"), streamsave.rewrite(VALID / path, tmp_path / "new") as save:
        save.rename_session(NAME)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a?b", "a\nb"])
def test_names_that_cannot_be_are_refused(tmp_path, name):
    path = VALID / "satisfactory" / "sv46.sav"
    with pytest.raises(EditError):
        renamed(path, tmp_path / "new", name)
    with pytest.raises(EditError, match="the name of a session cannot"), streamsave.rewrite(path, tmp_path / "new") as save:
        save.rename_session(name)
    assert list(tmp_path.iterdir()) == []
