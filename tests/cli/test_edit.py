"""`streamsave edit`: a save out of a save."""

import json
import os
import re
import shlex
import signal
import sys

import pytest
from box_format import BoxReader, box_save
from cli_runs import SAMPLES, refused, run, terminal
from saves import SATISFACTORY, VALID, file_with, headers_of, inflate

import streamsave
from streamsave.cli.edit import editor_at

SV58 = SAMPLES[2]
KILLED = "mSpawnData[*].NumTimesKilled"


def count(path, where):
    return sum(1 for _ in streamsave.objects(path, where))


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


def test_fast_saves_are_larger_and_the_same(tmp_path):
    sizes = []
    for number, options in enumerate([(), ("--fast",)]):
        new = tmp_path / f"{number}.sav"
        assert run("edit", SV58, "-o", new, "--drop", "class_name = *Unknown*", *options).exit_code == 0
        sizes.append(new.stat().st_size)
    found = [[each.offset for each in streamsave.objects(tmp_path / f"{number}.sav")] for number in range(2)]
    assert found[0] == found[1]
    assert sizes[0] < sizes[1]


@pytest.mark.slow
def test_the_example_of_the_help_works_on_a_real_world(real_save, tmp_path):
    """The help names what a modded world of game 1.1 has; `diff` finds that and nothing else."""
    old = real_save("satisfactory/v11-hv14-sv52-mods-3m.sav")
    text = re.sub(r"\s+", " ", run("edit", "--help").stdout)
    (example,) = re.findall(r"streamsave (edit world\.sav -o full\.sav .*? --set \".*?\")", text)
    words = shlex.split(example)[1:]
    new = tmp_path / "full.sav"
    result = run("edit", old, *(new if word == "full.sav" else word for word in words if word != "world.sav"))
    assert result.exit_code == 0
    assert result.stderr == f"streamsave: {old}: mCurrentHealth: 4 matched, 1 set, 3 have no such value\n"
    (line,) = run("diff", old, new).stdout.splitlines()
    assert "Char_Player" in line
    assert line.endswith("-> 100.0")


# --- what `edit` says of a mod whose objects were dropped ---


@pytest.mark.slow
@pytest.mark.parametrize("mod", ["SS_Mod", "FicsitWiremod", "RoadSplineTool"])
def test_what_still_mentions_a_mod(real_save, tmp_path, mod):
    """`-v` lists as many places as there are such texts in the bytes of the new save; its summary has their number."""
    old, new = real_save("satisfactory/v11-hv14-sv52-mods-3m.sav"), tmp_path / "new.sav"
    result = run("edit", old, "-o", new, "-v", "--drop", f'class_name = "/{mod}/*"')
    assert result.exit_code == 0
    rows = [line.split("\t") for line in result.stdout.splitlines() if line.startswith("mentions\t")]
    assert len(rows) == len(re.findall(re.escape(f"/{mod}/".encode()) + rb"[^\0]*", inflate(new.read_bytes()))) > 0
    assert all(f"/{mod}/" in row[4] for row in rows)
    assert f"in the new save, {len(rows):,} place" in result.stderr
    _, class_name, name, path, _ = next(row for row in rows if "[" in row[3])
    assert class_name
    assert any(line.split("\t")[:2] == [name, path] for line in run("grep", ".", new, "--value", f"/{mod}/").stdout.splitlines())


SAVE = SATISFACTORY / "sv60.sav"


def found(save, name):
    return json.loads(run("get", str(save), name).stdout)


@pytest.mark.parametrize("name", ["need_transform", "was_placed_in_level"])
def test_what_a_header_stores_beside_the_place(name, tmp_path):
    save = SAVE
    for text, value in (("true", True), ("false", False)):
        new = tmp_path / f"{text}.sav"
        run("edit", save, "-o", new, "--where", "kind = actor", "--set", f"@{name} = {text}")
        assert {getattr(header, name) for header in headers_of(new.read_bytes()) if header.kind == "actor"} == {value}
        save = new


@pytest.mark.parametrize("variable", ["false", "/no/such/editor"])
@pytest.mark.skipif(os.name != "posix", reason="needs commands of POSIX")
def test_an_editor_that_fails(variable, tmp_path, monkeypatch):
    monkeypatch.setenv("VISUAL", variable)
    assert f"{variable}: Editing failed" in refused("edit", SAVE, "-o", tmp_path / "new.sav", "--open", "BP_Museum_C_1", "-y")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="needs commands of POSIX")
def test_faults_on_the_first_line_are_where_the_editor_shows_them(monkeypatch):
    """Also after the mark with which editors of Windows begin a file."""
    for command in ("sed -i '1s/{/{ 5/'", "sed -i '1s/{/\\xef\\xbb\\xbf{ 5/'"):
        monkeypatch.setenv("VISUAL", command)
        assert "line 1, column 3 of the document" in refused("edit", SAVE, "--dry-run", "--open", "BP_Museum_C_1")


@pytest.mark.skipif(os.name != "posix", reason="needs commands of POSIX")
def test_ctrl_c_is_for_the_editor(monkeypatch):
    """The editor goes on, and streamsave waits for it; then Ctrl-C is what it was."""
    script = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.kill(os.getppid(), signal.SIGINT)"
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, "-c", script]))
    before = signal.getsignal(signal.SIGINT)
    result = run("edit", SAVE, "--dry-run", "--open", "BP_Museum_C_1")
    assert (result.exit_code, result.stdout) == (0, f"{SAVE}: nothing was edited, nothing is written\n")
    assert signal.getsignal(signal.SIGINT) is before


def test_what_lacks_a_dropped_entry_is_told(tmp_path):
    """As `check` finds it."""
    save, new = VALID / "arx" / "v1.1.sav", tmp_path / "new.sav"
    result = run("edit", save, "-o", new, "--drop", "instance_name ~ bread|torch")
    found = map(json.loads, run("check", "--json", new).stdout.splitlines())
    messages = [row["message"] for row in found if row.get("severity") == "finding"]
    assert result.stderr.splitlines() == [f"streamsave: {save}: in the new save, {message}" for message in messages]
    assert "there is no entry 'torch_0009'" in messages


@pytest.mark.parametrize("new", ["", "no/such/folder/new.sav"])
def test_what_cannot_be_written_is_told_before_anything_is_edited(tmp_path, monkeypatch, new):
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    assert "directory" in refused("edit", SAVE, "-o", tmp_path / new, "--open", "BP_Museum_C_1", "-y")
    monkeypatch.delattr(BoxReader, "writer")
    box = file_with(tmp_path / "one.box", box_save())
    options = ("-o", tmp_path / "new.sav", "--reader", "box_format:BoxReader", "--open", "any", "-y")
    assert "cannot be written" in refused("edit", box, *options)
    assert "only once" in refused("edit", "-", "-o", tmp_path / "new.sav", "--open", "BP_Museum_C_1", "-y")


def test_an_editor_with_an_open_quote(monkeypatch):
    monkeypatch.setenv("VISUAL", "it's")
    assert refused("edit", SAVE, "--dry-run", "--open", "BP_Museum_C_1").endswith(": it's: No closing quotation\n")


def test_no_editor(monkeypatch):
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setenv("PATH", "/no/such/folder")
    assert refused("edit", SAVE, "--dry-run", "--open", "BP_Museum_C_1").endswith("; name an editor in $VISUAL or $EDITOR\n")


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


def test_paths_of_an_editor_on_windows(monkeypatch):
    """Its separator quotes what follows, for what splits the command."""
    monkeypatch.setattr("os.sep", "\\")
    assert editor_at(r'"C:\Program Files\n\ed.exe" -w', 1) == '"C:/Program Files/n/ed.exe" -w'


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ends as a terminal of Linux does")
class TestInATerminal:
    """What is asked."""

    @pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 0), ("n\n", 1)])
    def test_whether_to_write(self, tmp_path, answer, code):
        new = tmp_path / "new.sav"
        args = ("edit", SAVE, "-o", new, "--open", "BP_Museum_C_1")
        ended, text = terminal(*args, reads=True, answers=answer, VISUAL="sed -i s/-123456/5/")
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
        ended, text = terminal(*args, reads=True, answers="y\ny\n", VISUAL=str(script))
        assert ended == 0, text
        first, second = (tmp_path / "log").read_text().splitlines()
        line = text.partition(": line ")[2].partition(",")[0]
        assert (first.split()[:-1], second.split()[:-1]) == ([], [f"+{line}"])
        assert "Open it again? [Y/n]: " in text
        assert found(new, "BP_Museum_C_1")["properties"]["mInt"] == 5
        ended, text = terminal(*args, reads=True, answers="n\n", VISUAL="sed -i s/-123456/yes/")
        assert ended == 2
