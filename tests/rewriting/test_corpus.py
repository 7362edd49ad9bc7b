"""Real saves: packed anew, they have the game's own bytes; edited at random, they have the events that they have to."""

import io
import re
import shlex
import shutil

import pytest
from cli_runs import ROOT, run
from damage_satisfactory import broken_list
from edits import rewrite_at_random, values
from saves import VALID, headers_of

import streamsave
from streamsave import PropertyTag
from streamsave.check import check as findings_of
from streamsave.formats import find_format, make_reader
from streamsave.formats.satisfactory.reader import BodyReader
from streamsave.input.archive_header import read_archive_header
from streamsave.input.chunk_table import ChunkTable
from streamsave.input.source import open_source
from streamsave.limits import Limits
from streamsave.output.json_document import json_document
from streamsave.rewriting.family import make_family
from streamsave.rewriting.from_json import make_save
from streamsave.rewriting.packing import ChunkPacker, edited

#: Small ones of each era and wrapper; the others were compared by hand.
SAVES = [
    "satisfactory/hv14-sv52-pep-modtest-1.sav",
    "satisfactory/hv14-sv53-empty-save-before-1.2.sav",
    "satisfactory/v10-hv13-sv46-110k.sav",
    "satisfactory/v12-hv14-sv58-140k.sav",
    "satisfactory/hv13-sv41-freshstart001.sav",
    "satisfactory/u7-hv10-sv36-216k.sav",
    "satisfactory/u4-hv8-sv25-480k.sav",
    "gvas/palworld-level-plz-280k.sav",
    "gvas/palworld-plz31.sav",
]
#: All that can be written.
SAMPLES = sorted(path.relative_to(VALID).as_posix() for path in VALID.rglob("*") if path.is_file())
REAL = ["satisfactory/v10-hv13-sv46-mods-657k.sav", "satisfactory/u5-hv9-sv28-1m.sav"]


@pytest.mark.parametrize("name", SAVES)
def test_packed_anew_the_bytes_are_the_same(name, real_save):
    path = real_save(name)
    data = path.read_bytes()
    source = open_source(data)
    reader = make_reader(find_format(source), source, Limits())
    packed = io.BytesIO()
    if isinstance(reader, BodyReader):
        reader.next_event()
        start = reader.header.size
        packed.write(data[:start])
        packer = ChunkPacker(read_archive_header(data[start : start + 100]))
        packed.writelines(packer.pack(edited(ChunkTable(source, start, Limits()), ())))
    else:
        make_family(source, reader, Limits()).write(iter(()), packed)
    assert packed.getvalue() == data


@pytest.mark.parametrize(
    ("name", "rate"), [("satisfactory/hv14-sv52-pep-modtest-1.sav", 0.02), ("gvas/abiotic-player-ue544.sav", 0.05)]
)
def test_random_edits(tmp_path, name, rate, real_save):
    assert rewrite_at_random(real_save(name), tmp_path / "out.sav", 5, rate) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLES, *REAL])
def test_documents_come_back(any_save, name, tmp_path):
    """Each sample is the save that its JSON document becomes. `tests/test_equations.py` has smaller real saves."""
    path, new = any_save(name), tmp_path / "new"
    with streamsave.open(path) as events:
        document = io.BytesIO(b"".join(json_document(events)))
    assert list(make_save(document, path, new)) == []
    assert new.read_bytes() == path.read_bytes()


# --- the recipes of `streamsave/HOWTO.md` that write saves, on real saves ---

PAGE = (ROOT / "streamsave" / "HOWTO.md").read_text(encoding="utf-8")
SMALL = "satisfactory/hv14-sv52-1.sav"
LARGER = "satisfactory/v10-hv13-sv46-mods-657k.sav"
CONTAINERS = "satisfactory/u7-hv10-sv36-216k.sav"
FLAGGED = "satisfactory/v10-hv13-sv46-110k.sav"
PALWORLD = "gvas/palworld-level-plz-280k.sav"
TWO_PLAYERS = "gvas/palworld-level-plz-1.5m.sav"


def check_box(old, new):
    gone = {header.instance_name for header in headers_of(old)} - {header.instance_name for header in headers_of(new)}
    assert any("PowerPole" in name for name in gone)
    assert all("Power" in name for name in gone)
    assert [finding for finding in findings_of(new) if finding.kind == "gone"] == []


def check_mod(old, new):
    assert any(header.class_name.startswith("/SkyUI/") for header in headers_of(old))
    assert not any(header.class_name.startswith("/SkyUI/") for header in headers_of(new))


def check_place(old, new):
    (before,) = [header for header in headers_of(old) if header.class_name.endswith("Char_Player_C")]
    (after,) = [header for header in headers_of(new) if header.class_name.endswith("Char_Player_C")]
    assert after.transform.translation == (-211900, -91500, 5000)
    assert (after.transform.rotation, after.transform.scale) == (before.transform.rotation, before.transform.scale)


def check_slot(old, new):
    """Splitters have inventories of that name, too."""
    field, filled = "mInventoryStacks[*].NumItems", "mInventoryStacks[0].NumItems > 0"
    for where, first in (("outer ~ StorageContainer", [500]), ("not outer ~ StorageContainer", [])):
        before = values(old, f"instance_name = *.StorageInventory and {where} and {filled}", field)
        assert before
        after = values(new, f"instance_name = *.StorageInventory and {where} and {filled}", field)
        assert after == [first + counts[len(first) :] for counts in before]


def check_flag(_old, new):
    assert values(new, "class_name = *UnlockSubsystem*", "mIsMapUnlocked") == [True]


def check_session(_old, new):
    with streamsave.open(new) as events:
        assert next(events).header.session_name == "Second try"
    assert values(new, "class_name = *BP_GameMode_C", "mSaveSessionName") == ["Second try"]


def check_blueprint(old, new):
    assert len(headers_of(new)) < len(headers_of(old))


def check_level(_old, new):
    assert values(new, "kind = player", "value.RawData.object.SaveParameter.Level") == [50]


def check_ids(old, new):
    field = "key.PlayerUId"
    before, after = values(old, "kind = player", field), values(new, "kind = player", field)
    assert len(set(before)) == 2
    assert after == before[::-1]
    before, after = (
        [str(each) for each in values(path, "kind = guild", "value.RawData.admin_player_uid")] for path in (old, new)
    )
    first, second = "00000000-00000000-00000000-00000001", "FCE11ED5-00000000-00000000-00000000"
    assert {first, second} & set(before)
    assert after == [{first: second, second: first}.get(each, each) for each in before]


CHECKS = [
    ("remove a mod", SMALL, check_mod),
    ("delete everything of a class in a box", SMALL, check_box),
    ("move a player", SMALL, check_place),
    ("refill a container", CONTAINERS, check_slot),
    ("unlock something", LARGER, check_flag),
    ("rename my session", SMALL, check_session),
    ("save what is left of a damaged blueprint", "satisfactory/blueprints/elevated-intersection-1.0.sbp", check_blueprint),
    ("change the level of a player", PALWORLD, check_level),
    ("two players swap their characters", TWO_PLAYERS, check_ids),
]


def code_of(question: str, language: str) -> str:
    """The commands or the program of a recipe."""
    (found,) = re.findall(
        rf"^### How do (?:I )?{question}\?\n(?:(?!^###).)*?^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE
    )
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("question", "source", "check"), CHECKS, ids=[question for question, _, _ in CHECKS])
def test_recipe(tmp_path, monkeypatch, real_save, question, source, check):
    save = real_save(source)
    monkeypatch.chdir(tmp_path)
    # In the real save, the player has another name.
    lines = code_of(question, "sh").replace("Anna", "Deathsnacks").splitlines()
    words = shlex.split(lines[0])
    name = words[2]
    shutil.copy(save, name)
    old = tmp_path / f"old-{name}"
    shutil.copy(name, old)
    if words[1] == "salvage":
        (tmp_path / name).write_bytes(broken_list(old.read_bytes(), 1)[0])
    for line in lines:
        words = shlex.split(line)
        assert words[0] == "streamsave"
        ran = run(*words[1:])
        assert ran.exit_code == (1 if words[1] == "salvage" else 0), ran.stderr
    new = tmp_path / f"new.{name.rpartition('.')[2]}"
    check(old, new)
    assert run("check", new).exit_code == 0


@pytest.mark.slow
def test_a_flag_that_is_not_there(tmp_path, monkeypatch, real_save):
    """The program takes it from another save."""
    save = real_save(FLAGGED)
    monkeypatch.chdir(tmp_path)
    shutil.copy(save, "other.sav")
    where, flag = "class_name = *UnlockSubsystem*", "mIsMapUnlocked"
    with streamsave.rewrite("other.sav", "world.sav") as save:
        save.only(where)
        for event in save:
            if isinstance(event, PropertyTag) and event.name == flag:
                save.drop()
    assert values("world.sav", where, flag) == [None]
    assert run("edit", "world.sav", "-o", "no.sav", "--where", where, "--set", f"{flag} = true").exit_code == 1
    program = code_of("unlock something that has no flag yet", "python")
    program = program.replace("yesterday.sav", "other.sav").replace("mIsBuildingOverclockUnlocked", flag)
    exec(compile(program, "HOWTO.md", "exec"), {})  # noqa: S102 - our own words
    assert values("new.sav", where, flag) == [True]
