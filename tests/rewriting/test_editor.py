"""Edits by selection; `cli/printed/edit-values.txt` has what is set, what cannot be, and the name of the session."""

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from cli_runs import run
from saves import VALID, headers_of, slow

import streamsave
from streamsave import EditError, Field, UnsupportedSave, parse_selection
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.leaves import BYTES
from streamsave.output.flat_text import path_text
from streamsave.rewriting.assignments import parse_assignment
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


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((VALID / "arx").glob("*.sav")), ids=lambda path: path.name)
def test_one_entry_of_an_arx_save(tmp_path, path):
    """Where entries have no size, the place of one in the stream depends on what was skipped before it."""
    names = [header.instance_name for header in headers_of(path)]
    for name in {names[3], names[len(names) // 2], names[-1]}:
        editor, _ = edited(str(path), tmp_path / "a.sav", [f'instance_name = "{name}"'])
        assert editor.drop_count == names.count(name), name
        assert [header.instance_name for header in headers_of(tmp_path / "a.sav")] == [other for other in names if other != name]


PATHS = ["sv25.sav", "sv46.sbp", "sv60.sav"]
FAMILIES = ["gvas/ue5-1018.sav", "gvas/deltas.sav", "gvas/palworld-1.0.sav", "astroneer/full.savegame", "arx/v2.1.sav"]
REAL = ["satisfactory/hv14-sv51-unlock-1.1.sav", "satisfactory/hv14-sv52-pep-modtest-1.sav"]
REAL += ["gvas/deadlink-ue427.sav", "gvas/hogwarts-list.sav", "more/EnhancedInputUserSettings.sav"]


@pytest.mark.parametrize("name", [*(f"satisfactory/{name}" for name in PATHS), *FAMILIES, *slow(REAL)])
def test_all_paths_of_leaves(any_save, tmp_path, name):
    """Each path of a leaf sets as many values as have it: to the value that they have, all at once."""
    path, target = any_save(name), tmp_path / "a.sav"
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


@pytest.mark.parametrize(
    ("name", "path", "reason"),
    [
        ("gvas/ue4-522.sav", "MysteryStruct", "unknown struct MysteryStruct"),
        ("gvas/ue5-1018.sav", "MysteryStruct", "unknown struct MysteryStruct"),
        ("satisfactory/sv52.sav", "mStrange", "unknown type OracleProperty"),
        ("astroneer/bare.gvas", '"custom data of /Script/Astro.SlotsComponent"', "custom data of /Script/Astro.SlotsComponent"),
    ],
)
def test_bytes_without_a_layout_are_set_as_diff_prints_them(tmp_path, name, path, reason):
    save, new = str(VALID / name), tmp_path / "a.sav"
    edited(save, new, sets=[f"{path}/base64 = AQIDBAU="])
    assert f'\t{path}/base64: "' in run("diff", save, new).stdout
    assert run("diff", save, new).stdout.endswith('" -> "AQIDBAU="\n')
    whole = json.dumps({"base64": "AQIDBAU=", "reason": reason})
    assert edited(str(new), None, sets=[f"{path} = {whole}"])[0].set_counts == [1]
    assert edited(str(new), None, sets=[f"{path}/reason = x", f"{path}/data = x"])[0].set_counts == [0, 0]


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


@pytest.mark.parametrize(
    ("path", "name", "error", "message"),
    [
        *((path, "x", UnsupportedSave, "no name of a session") for path in ("gvas/palworld-1.0.sav", "satisfactory/sv46.sbp")),
        ("shapez2/no-icons.spz2bp", "x", UnsupportedSave, "no name of a session"),
        *(("satisfactory/sv46.sav", name, EditError, "the name of a session cannot") for name in ("a?b", "a\nb")),
    ],
)
def test_names_of_a_session_that_are_refused(tmp_path, path, name, error, message):
    with pytest.raises(error, match=message), streamsave.rewrite(VALID / path, tmp_path / "new") as save:
        save.rename_session(name)
    assert list(tmp_path.iterdir()) == []


def test_the_session_name_of_shapez_2_is_for_no_object(tmp_path):
    editor = Editor(str(VALID / "shapez2/small.spz2"), session_name="x")
    changes = list(editor.edit(tmp_path / "new.spz2"))
    assert [(change.class_name, change.path) for change in changes] == [("", "session name")]
    assert [task.match_count for task in editor.tasks] == [1]


def test_a_list_of_destroyed_objects_is_set_and_gets_those_that_are_dropped(tmp_path):
    path = str(VALID / "satisfactory/sv46.sav")
    name = "2J4PGNO3844RV4WUX3IXE99RH"
    old = destroyed(path)["toc_destroyed_actors", name]
    editor = Editor(path)
    editor.choose([parse_selection('instance_name = "*EnemySpawner3"')], None)
    list(editor.edit(tmp_path / "new", [parse_assignment(f"{name}/toc_destroyed_actors[0] = x")]))
    new = destroyed(tmp_path / "new")["toc_destroyed_actors", name]
    assert editor.set_counts == [1]
    assert [each.path_name for each in new] == [
        "x",
        old[1].path_name,
        old[2].path_name,
        "Persistent_Level:PersistentLevel.BP_EnemySpawner3",
    ]
