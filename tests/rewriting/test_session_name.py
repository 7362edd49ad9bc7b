"""The name of the session: everywhere where a save has it."""

from __future__ import annotations

import pytest
from factories import actor
from saves import VALID
from writer.satisfactory import VersionData, World, release_header, save_bytes
from writer.tags import STR, Prop

import streamsave
from streamsave import EditError, Field, UnsupportedSave
from streamsave.check import check
from streamsave.check.finding import NOTE
from streamsave.rewriting.editor import Editor

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


def test_arx_and_shapez2(tmp_path):
    for name in ("v1.0.sav", "v2.0.sav"):
        renamed(VALID / "arx" / name, tmp_path / name, "Fort")
        with streamsave.open(tmp_path / name) as events:
            found = [
                events.build() for event in events if isinstance(event, Field) and events.path == ("pld", "level_data", "name")
            ]
        assert found == ["Fort"]
    header, _ = renamed(VALID / "shapez2" / "small.spz2", tmp_path / "new.spz2")
    assert header.savegame_name == NAME


@pytest.mark.parametrize("path", ["gvas/palworld-1.0.sav", "satisfactory/sv46.sbp", "shapez2/no-icons.spz2bp"])
def test_what_has_no_name_of_a_session_is_refused(tmp_path, path):
    with pytest.raises(UnsupportedSave, match="no name of a session"):
        renamed(VALID / path, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a?b", "a\nb"])
def test_names_that_cannot_be_are_refused(tmp_path, name):
    with pytest.raises(EditError):
        renamed(VALID / "satisfactory" / "sv46.sav", tmp_path / "new", name)


def test_of_a_stream_of_which_nothing_was_read(tmp_path):
    path = VALID / "satisfactory" / "sv46.sav"
    for name, reads in (("unread.sav", False), ("read.sav", True)):
        with streamsave.rewrite(path, tmp_path / name) as save:
            save.rename_session(NAME)
            if reads:
                list(save)
    with streamsave.open(tmp_path / "unread.sav") as events:
        assert next(events).header.session_name == NAME
    assert (tmp_path / "unread.sav").read_bytes() == (tmp_path / "read.sav").read_bytes()
