"""`streamsave edit`: a save out of a save."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from cli_runs import LEVEL, ROOT, SAMPLES, command_line, environment, json_lines, lines, run, thing, write
from saves import SATISFACTORY, VALID, inflate
from writer.primitives import Ref
from writer.satisfactory import Object
from writer.tags import FLOAT, OBJECT, STR, Prop

import streamsave
from streamsave.cli.edit import editor_at

SV58 = SAMPLES[2]
KILLED = "mSpawnData[*].NumTimesKilled"


def count(path, where):
    return sum(1 for _ in streamsave.objects(path, where))


def test_objects_are_dropped_and_values_set(tmp_path):
    new = tmp_path / "new.sav"
    drop = "class_name = *Unknown*"
    spawners = count(SV58, "class_name = *Spawner*")
    result = run("edit", SV58, "-o", new, "--drop", drop, "--where", "class_name = *Spawner*", "--set", f"{KILLED} = 5")
    assert result.exit_code == 0
    assert count(SV58, drop) == 1
    assert result.stdout.endswith(f": 1 object dropped, {spawners:,} values set\n")
    assert count(SV58, drop) > 0 == count(new, drop)
    killed = [found.fields[KILLED] for found in streamsave.objects(new, "class_name = *Spawner*", [KILLED])]
    assert {number for each in killed for number in each} == {5}
    assert run("check", new).exit_code == run("check", SV58).exit_code


def test_a_dry_run_lists_the_changes(tmp_path):
    found = lines(
        "edit", SV58, "--dry-run", "--where", "class_name = *Spawner*", "--set", f"{KILLED} = 5", "-o", tmp_path / "new.sav"
    )
    assert [line[0] for line in found[:-1]] == ["set"] * (len(found) - 1)
    assert found[0][3:] == [KILLED, "1 -> 5"]
    as_json = json_lines("edit", SV58, "--dry-run", "--drop", "class_name = *Spawner*")
    assert as_json[-1] == {"save": str(SV58), "dropped": len(as_json) - 1, "unlinked": 0, "set": 0}
    assert {line["change"] for line in as_json[:-1]} == {"drop"}
    assert list(tmp_path.iterdir()) == []


def test_several_saves_go_to_a_folder(tmp_path):
    folder = tmp_path / "new"
    folder.mkdir()
    result = run("edit", *SAMPLES, "-o", folder, "--drop", "class_name = *Spawner*", "--json")
    assert result.exit_code == 0
    assert [orjson.loads(line)["save"] for line in result.stdout.splitlines()] == [str(path) for path in SAMPLES]
    assert sorted(path.name for path in folder.iterdir()) == [path.name for path in SAMPLES]
    again = run("edit", *SAMPLES, "-o", folder, "--drop", "class_name = *Spawner*")
    assert again.exit_code == 2
    assert again.stderr.count("is there already") == 3


def test_in_place_keeps_the_old_save(tmp_path):
    copies = [tmp_path / path.name for path in SAMPLES[:2]]
    for path, copy in zip(SAMPLES, copies, strict=False):
        copy.write_bytes(path.read_bytes())
    assert run("edit", *copies, "--in-place", "--dry-run", "--drop", "class_name = *Spawner*").exit_code == 0
    assert sorted(tmp_path.iterdir()) == sorted(copies)
    assert run("edit", *copies, "--in-place", "--drop", "class_name = *Spawner*").exit_code == 0
    for path, copy in zip(SAMPLES, copies, strict=False):
        assert count(copy, "class_name = *Spawner*") == 0
        assert copy.with_name(f"{copy.name}.bak").read_bytes() == path.read_bytes()
    both = run("edit", *copies, "--in-place", "-o", tmp_path / "x", "--drop", "class_name = *Spawner*")
    assert (both.exit_code, "no --output" in both.stderr) == (2, True)


def test_nothing_matches(tmp_path):
    result = run("edit", SV58, "-o", tmp_path / "new.sav", "--set", "mNowhere = 1")
    assert (result.exit_code, list(tmp_path.iterdir())) == (1, [])
    assert "no object has mNowhere" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give --drop or --set"),
        (("--drop", "class_name = x"), "Missing option '-o'"),
        (("--drop", "class_name = x", "--where", "class_name = x", "--dry-run"), "--where says where to --set"),
        (("--drop", "class_name ="), "--drop: "),
        (("--set", "mInt"), "--set: expected '='"),
    ],
)
def test_command_lines_that_are_wrong(words, message):
    result = run("edit", SV58, *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_what_cannot_be_edited(tmp_path):
    copy = tmp_path / "a.sav"
    copy.write_bytes(SV58.read_bytes())
    drop = ("--drop", "class_name = *Spawner*")
    itself = run("edit", copy, "-o", copy, *drop)
    assert (itself.exit_code, "save itself" in itself.stderr) == (2, True)
    pipe = run("edit", "-", "-o", tmp_path / "b.sav", *drop)
    assert (pipe.exit_code, "name a file" in pipe.stderr) == (2, True)
    misfit = run("edit", copy, "-o", tmp_path / "b.sav", "--set", f"{KILLED} = text")
    assert (misfit.exit_code, "another kind of value" in misfit.stderr) == (2, True)
    other = run("edit", SV58.parent / "v6.sbpcfg", "-o", tmp_path / "b.sav", *drop)
    assert (other.exit_code, "cannot be written" in other.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == [copy]


HOSTILE = [
    "NaN",
    "Infinity",
    "1e999",
    f"1{'0' * 400}",
    f"1{'0' * 6000}",
    "-3000000000",
    "3000000000",
    "[" * 900 + "]" * 900,
    "null",
]


@pytest.mark.parametrize("value", [*HOSTILE, "\ud800", "[" * 5000 + "]" * 5000])
@pytest.mark.parametrize("path", [KILLED, "@position"])
def test_hostile_values(tmp_path, path, value):
    """A value that does not fit is one line, or a wrong command line; nothing is written."""
    words = ("--where", "class_name = *Spawner*", "--set", f"{path} = {value}")
    result = run("edit", SV58, "-o", tmp_path / "new.sav", *words)
    assert (result.exit_code, result.stdout, list(tmp_path.iterdir())) == (2, "", [])
    assert len(result.stderr) < 1500
    assert result.stderr.startswith("Usage: ") or result.stderr.count("\n") == 1


def test_another_name_of_the_session(tmp_path):
    ran = run("edit", SV58, "-o", tmp_path / "new.sav", "--session-name", "Second")
    assert ran.exit_code == 0
    assert "session name\tSecond" in run("info", tmp_path / "new.sav").stdout.replace("    ", "\t")


def test_fast_saves_are_larger_and_the_same(tmp_path):
    sizes = []
    for number, options in enumerate([(), ("--fast",)]):
        new = tmp_path / f"{number}.sav"
        assert run("edit", SV58, "-o", new, "--drop", "class_name = *Unknown*", *options).exit_code == 0
        sizes.append(new.stat().st_size)
    found = [[each.offset for each in streamsave.objects(tmp_path / f"{number}.sav")] for number in range(2)]
    assert found[0] == found[1]
    assert sizes[0] < sizes[1]


def test_values_of_astroneer_are_set_and_no_object_is_dropped(tmp_path):
    save = VALID / "astroneer" / "full.savegame"
    new = tmp_path / "new.savegame"
    result = run(
        "edit", save, "-o", new, "--where", "class_name = *Rover_C", "--set", "Label = other", "--set", "Numbers[0] = 77"
    )
    assert (result.exit_code, result.stdout) == (0, f"{save}: 0 objects dropped, 2 values set\n")
    (rover,) = streamsave.objects(new, "class_name = *Rover_C", ["Label", "Numbers"])
    assert (rover.fields["Label"], rover.fields["Numbers"][0]) == ("other", 77)
    assert run("check", new).exit_code == run("check", save).exit_code
    result = run("edit", save, "-o", tmp_path / "b", "--set", "Engine = Terran_1")
    assert result.exit_code == 0
    assert [
        found.fields["Engine"].index for found in streamsave.objects(tmp_path / "b", "class_name = *Rover_C", ["Engine"])
    ] == [3]
    refused = run("edit", save, "-o", tmp_path / "none", "--drop", "class_name = *Rover_C")
    assert refused.exit_code == 2
    assert "refer to objects by number: none can be left out" in refused.stderr
    assert not (tmp_path / "none").exists()


# --- what was matched, set and missing ---


def mixed_world(folder):
    """Three lamps, of which one has no power stored, and a part of one of them."""
    lamps = [thing(f"Lamp_{number}", *props, class_name="Lamp") for number, props in enumerate(LAMPS)]
    part = thing("Lamp_0.Part", Prop("mPower", FLOAT, 9.0), class_name="Part", outer=f"{LEVEL}Lamp_0")
    return write(folder, "lamps.sav", *lamps, part)


LAMPS = [(Prop("mPower", FLOAT, 0.5),), (Prop("mLabel", STR, "x"),), (Prop("mPower", FLOAT, 0.25), Prop("mLabel", STR, "y"))]


def test_how_many_match_and_have_the_value(tmp_path):
    """The new save differs from the old one in what was set, and `-v` names all that matches."""
    old, new = mixed_world(tmp_path), tmp_path / "new.sav"
    words = ("edit", old, "-o", new, "--where", "class_name = Lamp_C", "--set", "mPower = 1")
    result = run(*words)
    assert (result.exit_code, result.stdout) == (0, f"{old}: 0 objects dropped, 2 values set\n")
    assert result.stderr == f"streamsave: {old}: mPower: 3 matched, 2 set, 1 has no such value\n"
    rows = [line.split("\t")[3:] for line in run("diff", old, new).stdout.splitlines()]
    assert rows == [[f"{LEVEL}Lamp_0", "mPower: 0.5 -> 1.0"], [f"{LEVEL}Lamp_2", "mPower: 0.25 -> 1.0"]]
    new.unlink()
    named = [line.split("\t") for line in run(*words, "-v").stdout.splitlines()[:-1]]
    assert [(row[0], row[2]) for row in named] == [
        ("set", f"{LEVEL}Lamp_0"),
        ("no such value", f"{LEVEL}Lamp_1"),
        ("set", f"{LEVEL}Lamp_2"),
    ]
    as_json = [orjson.loads(line) for line in run(*words[:2], "--dry-run", "-v", "--json", *words[4:]).stdout.splitlines()]
    assert [line.get("change") for line in as_json] == ["set", "no such value", "set", None]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            ("--where", "class_name = Lmap_C", "--set", "mPower = 1"),
            "no object matches --where: no class_name is 'Lmap_C'; the nearest: Lamp_C",
        ),
        (
            ("--where", "class_name = Lamp_C", "--set", "mPowre = 1"),
            "3 matched, but none of them has mPowre: what has its default value is not stored, and cannot be added",
        ),
        (("--set", "mPowre = 1"), "no object has mPowre: what has its default value is not stored, and cannot be added"),
        (
            ("--drop", "class_name = Lmap_C"),
            "no object matches --drop 'class_name = Lmap_C': no class_name is 'Lmap_C'; the nearest: Lamp_C",
        ),
    ],
)
def test_why_nothing_was_edited(tmp_path, words, reason):
    old = mixed_world(tmp_path)
    result = run("edit", old, "-o", tmp_path / "new.sav", *words)
    assert (result.exit_code, result.stderr) == (1, f"streamsave: {old}: {reason}\n")
    assert not (tmp_path / "new.sav").exists()


def test_a_path_that_is_the_end_of_one_is_named():
    old = VALID / "arx" / "v2.1.sav"
    result = run("edit", old, "--dry-run", "--set", "gold = 9999")
    assert (result.exit_code, result.stderr) == (1, f"streamsave: {old}: no object has gold; this ends so: player/gold\n")
    assert run("edit", old, "--dry-run", "--set", "player/gold = 9999").exit_code == 0


@pytest.mark.slow
def test_the_example_of_the_help_works_on_a_real_world(corpus, tmp_path):
    """The help names what a modded world of game 1.1 has; `diff` finds that and nothing else."""
    old = corpus / "satisfactory" / "v11-hv14-sv52-mods-3m.sav"
    if not old.is_file():
        pytest.skip(f"not in this corpus: {old.name}")
    text = re.sub(r"\s+", " ", run("edit", "--help").stdout)
    (example,) = re.findall(r"streamsave (edit world\.sav -o full\.sav .*? --set '.*?')", text)
    words = shlex.split(example)[1:]
    new = tmp_path / "full.sav"
    result = run("edit", old, *(new if word == "full.sav" else word for word in words if word != "world.sav"))
    assert result.exit_code == 0
    assert result.stderr == f"streamsave: {old}: mCurrentHealth: 4 matched, 1 set, 3 have no such value\n"
    (line,) = run("diff", old, new).stdout.splitlines()
    assert "Char_Player" in line
    assert line.endswith("-> 100.0")


# --- what `edit` says of a mod whose objects were dropped ---


def strings_with(path, text):
    """How many of the texts after the header of a save of Satisfactory have a text; each ends in a NUL."""
    return len(re.findall(re.escape(text) + rb"[^\0]*", inflate(path.read_bytes())))


@pytest.mark.slow
@pytest.mark.parametrize("mod", ["SS_Mod", "FicsitWiremod", "RoadSplineTool"])
def test_what_still_mentions_a_mod(corpus, tmp_path, mod):
    """`-v` lists as many places as there are such texts in the bytes of the new save; its summary has their number."""
    old, new = corpus / "satisfactory" / "v11-hv14-sv52-mods-3m.sav", tmp_path / "new.sav"
    if not old.is_file():
        pytest.skip(f"not in this corpus: {old.name}")
    result = run("edit", old, "-o", new, "-v", "--drop", f'class_name = "/{mod}/*"')
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines() if line.startswith("mentions\t")]
    assert len(rows) == strings_with(new, f"/{mod}/".encode()) > 0
    assert all(f"/{mod}/" in row[4] for row in rows)
    assert f"in the new save, {len(rows):,} place" in result.stderr
    _, class_name, name, path, _ = next(row for row in rows if "[" in row[3])
    assert class_name
    assert any(line.split("\t")[:2] == [name, path] for line in run("grep", ".", new, "--value", f"/{mod}/").stdout.splitlines())


def test_a_mod_that_is_gone_is_not_mentioned(tmp_path):
    pole = Object("/SomeMod/Pole.Pole_C", f"{LEVEL}Pole_1", [])
    lamp = thing("Lamp_1", Prop("mRecipe", OBJECT, Ref("", "/SomeMod/Recipe.Recipe_C")), class_name="Lamp")
    mentions = write(tmp_path, "mentions.sav", pole, lamp)
    silent = write(tmp_path, "silent.sav", pole)
    words = ("--drop", 'class_name = "/SomeMod/*"')
    told = run("edit", mentions, "-o", tmp_path / "a.sav", *words)
    text = "in the new save, 1 place still mentions /SomeMod/: Lamp_C mRecipe (1); -v lists all"
    assert told.stderr == f"streamsave: {mentions}: {text}\n"
    assert run("edit", silent, "-o", tmp_path / "b.sav", *words).stderr == ""
    assert "does not mention /SomeMod/" in run("edit", silent, "-o", tmp_path / "c.sav", "-v", *words).stderr


SAVE = SATISFACTORY / "sv60.sav"
PALWORLD = ROOT / "corpora" / "howto" / "Level.sav"
WORLD = PALWORLD.with_name("world.sav")
#: Replaces a text in a file, and notes how it was called.
EDITOR = """
import pathlib, sys
*options, name = sys.argv[4:]
with open(sys.argv[1], "a") as log: log.write(" ".join(options) + ";")
path = pathlib.Path(name)
path.write_text(path.read_text("utf-8").replace(sys.argv[2], sys.argv[3]), "utf-8")
"""


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """Makes the user's editor one that replaces a text."""
    script = tmp_path / "editor.py"
    script.write_text(EDITOR)

    def make(old: str, new: str) -> Path:
        log = tmp_path / "log"
        words = [sys.executable, str(script), str(log), old, new]
        monkeypatch.setenv("VISUAL", shlex.join(words))
        return log

    return make


def found(save, name):
    return json.loads(run("get", str(save), name).stdout)


def test_an_object_is_edited(editor, tmp_path):
    editor('"mInt": -123456', '"mInt": 5')
    new = tmp_path / "new.sav"
    result = run("edit", SAVE, "-o", new, "--open", "BP_Museum_C_1", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        'set\tPersistent_Level/"Persistent_Level:PersistentLevel.BP_Museum_C_1"/mInt\t-123456 -> 5',
        f"{SAVE}: 1 value set",
        f"{SAVE}: {new} is written",
    ]
    assert found(new, "BP_Museum_C_1")["properties"]["mInt"] == 5


def test_in_place_and_dry_run(editor, tmp_path):
    editor('"mInt": -123456', '"mInt": 5')
    save = tmp_path / "world.sav"
    shutil.copy(SAVE, save)
    dry = run("edit", save, "--dry-run", "--open", "BP_Museum_C_1")
    assert dry.stdout.endswith(f"{save}: 1 value set\n")
    assert save.read_bytes() == SAVE.read_bytes()
    assert run("edit", save, "--in-place", "--open", "BP_Museum_C_1", "-y").exit_code == 0
    assert (tmp_path / "world.sav.bak").read_bytes() == SAVE.read_bytes()
    assert found(save, "BP_Museum_C_1")["properties"]["mInt"] == 5


def test_a_new_name_and_its_references(editor, tmp_path):
    editor("BP_Museum_C_1", "BP_Museum_C_77")
    new = tmp_path / "new.sav"
    result = run("edit", SAVE, "-o", new, "--open", "BP_Museum_C_1", "-y", "--references")
    assert result.exit_code == 0
    assert "references renamed" in result.stdout or "1 reference renamed" in result.stdout
    assert found(new, "BP_Museum_C_77")["class_name"].endswith("BP_Museum_C")


@pytest.mark.parametrize(("name", "new"), [("Anna", "Änne"), ("Foxy", "Rusty"), ("Night shift", "Day shift")])
def test_players_pals_and_guilds(editor, tmp_path, name, new):
    editor(f'"{name}"', f'"{new}"')
    target = tmp_path / "new.sav"
    assert run("edit", PALWORLD, "-o", target, "--open", name, "-y").exit_code == 0
    assert found(target, new)["instance_name"] == new


def test_nothing_is_written_without_an_edit(editor, tmp_path):
    editor("no such text", "")
    result = run("edit", SAVE, "-o", tmp_path / "new.sav", "--open", "BP_Museum_C_1", "-y")
    assert (result.exit_code, result.stdout) == (0, f"{SAVE}: nothing was edited, nothing is written\n")
    editor("{\n", "{\n\n")
    result = run("edit", SAVE, "-o", tmp_path / "new.sav", "--open", "BP_Museum_C_1", "-y")
    assert (result.exit_code, result.stdout) == (0, f"{SAVE}: 0 values set\n")
    assert not (tmp_path / "new.sav").exists()


def test_a_mistake_is_told_with_its_line(editor, tmp_path):
    editor('"mInt": -123456', '"mInt": yes')
    text = json.dumps(found(SAVE, "BP_Museum_C_1"), indent=2)
    line = text[: text.index('"mInt"')].count("\n") + 1
    result = run("edit", SAVE, "-o", tmp_path / "new.sav", "--open", "BP_Museum_C_1", "-y")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {SAVE}: line {line}, column ")
    assert not (tmp_path / "new.sav").exists()


@pytest.mark.parametrize(
    ("options", "variable", "message"),
    [
        (("--open", "BP_Museum_C_1"), "true", "there is no terminal to ask on"),
        (("--open", "BP_Museum_C_1", "-y"), "false", "false: Editing failed"),
        (("--open", "BP_Museum_C_1", "-y"), "/no/such/editor", "/no/such/editor: Editing failed"),
        (("--open", "BP_Museum_C_1", "--drop", "class_name = *"), "true", "--open is for one object of one SAVE"),
        (("--open", "BP_Museum_C_1", str(SAVE)), "true", "--open is for one object of one SAVE"),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="needs commands of POSIX")
def test_what_is_refused(options, variable, message, tmp_path, monkeypatch):
    monkeypatch.setenv("VISUAL", variable)
    result = run("edit", SAVE, "-o", tmp_path / "new.sav", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"), [("missing", "no object is called missing"), ("StorageInventory", "2 objects have a name that ends")]
)
def test_a_name_that_means_no_object(editor, name, message):
    editor("", "")
    result = run("edit", WORLD, "--dry-run", "--open", name)
    assert result.exit_code == 1
    assert message in result.stderr


def test_no_editor(monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("PATH", "/no/such/folder")
    result = run("edit", SAVE, "--dry-run", "--open", "BP_Museum_C_1")
    assert (result.exit_code, result.stderr) == (
        2,
        "streamsave: edit --open: there is no editor: name one in $VISUAL or $EDITOR\n",
    )


@pytest.mark.parametrize(
    ("editor", "line", "command"),
    [
        ("vim", 1, "vim"),
        ("vim", 12, "vim +12"),
        ("/usr/bin/nano -w", 3, "/usr/bin/nano -w +3"),
        ("code --wait", 3, "code --wait"),
    ],
)
def test_where_an_editor_opens_a_file(editor, line, command):
    assert editor_at(editor, line) == command


def in_terminal(answers: str, *args: object, **variables: str) -> tuple[int, str]:
    """Run a command in a terminal that answers; give the exit code, and what is on the terminal."""
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(command_line(*args), stdin=theirs, stdout=theirs, stderr=theirs, env=environment(**variables)) as child:
        os.close(theirs)
        os.write(ours, answers.encode())
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            pieces.append(piece)
        child.wait(timeout=60)
        os.close(ours)
    return child.returncode, b"".join(pieces).decode().replace("\r\n", "\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ends as a terminal of Linux does")
class TestInATerminal:
    """What is asked."""

    @pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 0), ("n\n", 1)])
    def test_whether_to_write(self, editor, tmp_path, answer, code):
        editor('"mInt": -123456', '"mInt": 5')
        new = tmp_path / "new.sav"
        args = ("edit", SAVE, "-o", new, "--open", "BP_Museum_C_1")
        ended, text = in_terminal(answer, *args, VISUAL=os.environ["VISUAL"])
        assert ended == code
        assert f"Write {new}? [Y/n]: " in text
        assert new.exists() == (code == 0)

    def test_whether_to_open_the_file_again_at_the_line(self, tmp_path):
        """The second time, the editor mends what it did the first time."""
        script = tmp_path / "vim"
        script.write_text(
            "#!/bin/sh\n"
            f'echo "$@" >> {tmp_path}/log\n'
            "for file; do :; done\n"
            'if grep -q wrong "$file"; then sed -i s/wrong/5/ "$file"; else sed -i s/-123456/wrong/ "$file"; fi\n'
        )
        script.chmod(0o700)
        new = tmp_path / "new.sav"
        args = ("edit", SAVE, "-o", new, "--open", "BP_Museum_C_1")
        ended, text = in_terminal("y\ny\n", *args, VISUAL=str(script))
        assert ended == 0, text
        first, second = (tmp_path / "log").read_text().splitlines()
        line = text.partition(": line ")[2].partition(",")[0]
        assert (first.split()[:-1], second.split()[:-1]) == ([], [f"+{line}"])
        assert "Open it again? [Y/n]: " in text
        assert found(new, "BP_Museum_C_1")["properties"]["mInt"] == 5
        ended, text = in_terminal("n\n", *args, VISUAL="sed -i s/-123456/yes/")
        assert ended == 2
