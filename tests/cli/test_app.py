"""The command line as a whole: exit codes, pipes, errors, what is imported.

The file is long because the rules are for all commands.
"""

import gc
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import orjson
import pytest
from cli_runs import SAMPLES, command_line, environment, lines, printed, process, python, run, started, terminal
from click.testing import CliRunner
from saves import ROOT, VALID, file_with

from streamsave.cli import main
from streamsave.cli.app import COMMANDS, EXAMPLES, OBJECTS, collect_rarely
from streamsave.decode.known_bytes import COMPILED

READER_GONE = 141
#: The commands that read several saves, one after the other.
#: `arx` reads or writes files, `edit`, `export`, `map`, `treemap` and `report` write files, `json` writes one document a save,
#: `from-json` reads one, and `check` and `salvage` have exit codes of their own, `diff` takes two saves, `sql` asks all at once.
OTHERS = "arx edit json from-json check explain diff salvage export map treemap report sql palworld satisfactory completion"
READERS = [command for command in COMMANDS if command not in OTHERS.split()]
#: Those of a game.
GROUPED = [f"{game} {name}" for game in ("palworld", "satisfactory") for name in main.get_command(None, game).commands]


def empty_document(save: object) -> Path:
    """A file beside a save with a document that changes nothing."""
    path = Path(str(save)).with_name("nothing.json")
    path.write_text("{}")
    return path


def call(command: str, *saves) -> tuple[object, ...]:
    """A command line that works on the small world, for any command."""
    if command == "grep":
        return ("grep", "Chest", *saves)
    if command == "get":
        return ("get", *saves, "BP_Chest_C_1")
    if command == "edit":
        return ("edit", *saves, "--dry-run", "--drop", "class_name = *Chest*")
    if command == "sql":
        return ("sql", "select count(*) from objects", *saves)
    if command == "from-json":
        return ("from-json", *[empty_document(save) for save in saves[:1]], "--like", *saves[:1], "--dry-run")
    if command == "completion":
        return ("completion", "bash")
    return (command, *saves)


def test_version():
    text = printed("--version")
    assert text.startswith("streamsave ")
    assert text.endswith("(compiled)\n" if COMPILED else "(pure Python)\n")


@pytest.mark.parametrize("name", ["small", "no-such.sav"])
def test_the_limit_of_recursion_is_that_of_the_program_again(small, name):
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(2000)
    try:
        CliRunner().invoke(main, ["info", str(small) if name == "small" else name])
        assert sys.getrecursionlimit() == 2000
    finally:
        sys.setrecursionlimit(usual)


def test_help_names_all_commands():
    text = printed("--help")
    assert [line.split()[0] for line in text.split("Commands:\n")[1].splitlines()] == list(COMMANDS)


@pytest.mark.parametrize("command", [*READERS, *GROUPED])
def test_each_command_has_help(command):
    text = printed(*command.split(), "--help")
    assert "SAVE..." in text
    assert "--json" in text


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bad.sav", "offset 0x0: no known format starts like this "),
        ("missing.sav", "No such file or directory\n"),
        ("folder", "no save is in this folder or below it: "),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_next_one_read(command, small, tmp_path, name, message):
    (tmp_path / "bad.sav").write_bytes(b"no save, but longer than a header is")
    (tmp_path / "folder").mkdir()
    result = run(*call(command, tmp_path / name, small))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {tmp_path / name}: {message}")
    assert result.stderr.count("\n") == 1
    assert str(small) in result.stdout


@pytest.mark.parametrize("command", READERS)
def test_truncated_file(command, small, tmp_path):
    cut = file_with(tmp_path / "cut.sav", small.read_bytes()[:-10])
    result = run(*call(command, cut, small))
    assert result.exit_code == (0 if command == "info" else 2)
    assert (str(cut) in result.stderr) == (command != "info")


@pytest.mark.parametrize("command", READERS)
def test_standard_input_from_a_pipe(command, small):
    from_pipe = process(*call(command, "-"), stdin=small.read_bytes())
    from_file = process(*call(command, small))
    assert (from_pipe.returncode, from_pipe.stderr) == (0, b"")
    varies = (b"file size", b"total\tseconds", b"total\tMB/s")
    said = [[line for line in each.stdout.splitlines() if not line.startswith(varies)] for each in (from_pipe, from_file)]
    assert said[0] == said[1]
    assert len(said[0]) >= 1


@pytest.mark.parametrize("command", READERS)
def test_standard_input_that_is_a_file(command, small):
    with small.open("rb") as file:
        result = process(*call(command, "-", "--json"), stdin=file)
    assert (result.returncode, result.stderr) == (0, b"")
    assert all(orjson.loads(line) is not None for line in result.stdout.splitlines())


def test_standard_input_has_a_name(small):
    result = process("ls", "-", small, stdin=b"no save, but longer than a header is")
    assert result.returncode == 2
    assert result.stderr.startswith(b"streamsave: (standard input): ")


@pytest.mark.parametrize("command", READERS)
def test_json_is_one_value_a_line(command, small):
    text = printed(*call(command, small, small), "--json")
    assert {value["file"] for value in [orjson.loads(line) for line in text.splitlines()]} == {str(small)}


@pytest.mark.parametrize("command", READERS)
def test_a_reader_that_is_gone_from_the_start(command, small):
    reading, writing = os.pipe()
    os.close(reading)
    with started(*call(command, small), stdout=writing) as child:
        os.close(writing)
        _, errors = child.communicate(timeout=60)
    assert (child.returncode, errors) == (READER_GONE, b"")


def without(number: int, *args) -> tuple[int, bytes, bytes]:
    """Run a command in a process where one of the standard streams is closed."""
    result = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {number}>&-', "sh", *command_line(*args)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=environment(),
        timeout=60,
    )
    return result.returncode, result.stdout, result.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("command", [*READERS, "json", "salvage", "export -o - --format csv", "ls -j2", "json -j2"])
def test_a_standard_output_that_is_closed(command, small):
    args = call(command, small) if command in READERS else (*command.split(), small, small)
    assert without(1, *args) == (READER_GONE, b"", b"")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_a_standard_output_that_is_closed_and_not_needed(small, tmp_path):
    output = tmp_path / "out.json"
    assert without(1, "json", small, "-o", output) == (0, b"", b"")
    assert output.read_bytes() == process("json", small).stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_other_standard_streams_that_are_closed(small, tmp_path):
    assert without(0, "info", small)[0] == 0
    code, _, errors = without(0, "info", "-")
    assert (code, b"Traceback" in errors, errors.count(b"\n")) == (2, False, 1)
    assert without(2, "info", small, tmp_path / "missing")[::2] == (2, b"")


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_reader_that_leaves_early(flags):
    """More is written than a pipe holds, so the writer is still at it."""
    with started("ls", *flags, *SAMPLES * 60) as child:
        assert child.stdout.readline()
        child.stdout.close()
        errors = child.stderr.read()
        child.wait(timeout=60)
    assert (child.returncode, errors) == (READER_GONE, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", [*READERS, "--help", "ls --help", "palworld players --help", "--version"])
def test_a_full_disk(command, small):
    words = call(command, small) if command in READERS else command.split()
    with Path("/dev/full").open("wb") as full:
        result = process(*words, stdout=full)
    assert (result.returncode, result.stderr) == (2, b"streamsave: standard output: No space left on device\n")


def test_ctrl_c(small):
    """The chunk says that it is longer than what has come through the pipe so far."""
    header = orjson.loads(process("info", "--json", small).stdout)["header"]["size"]
    chunk = struct.pack("<IIqBqqqq", 0x9E2A83C1, 0x22222222, 131072, 3, *(1_000_000, 131072) * 2)
    with started("cat", "-", stdin=subprocess.PIPE, env=environment(PYTHONUNBUFFERED="1")) as child:
        child.stdin.write(small.read_bytes()[:header] + chunk + bytes(500_000))
        child.stdin.flush()
        assert child.stdout.readline() == b"satisfactory save, version 46\n"
        child.send_signal(signal.SIGINT)
        child.wait(timeout=60)
        errors = child.stderr.read()
    assert child.returncode == 130
    assert errors.strip() == b""


def test_warnings_go_to_standard_error(small, tmp_path):
    newer = tmp_path / "newer.sav"
    data = small.read_bytes()
    newer.write_bytes(data[:4] + (4000).to_bytes(4, "little") + data[8:])
    result = process("info", newer)
    assert result.returncode == 0
    assert b"newer" in result.stderr
    assert b"warning" in result.stderr
    assert all(line.count(b"\t") == 1 for line in result.stdout.splitlines())


def test_a_pager_shows_what_is_long(small, tmp_path):
    """As for git: only of commands that show, only in a terminal, and colours only if it is known to show them."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n", encoding="utf-8")
    pager.chmod(0o755)
    code, text = terminal("ls", small, reads=True, PAGER=str(pager))
    assert (code, text.startswith("PAGED\n"), "\x1b[3" in text) == (0, True, False)
    assert text.count("BP_Lamp_C_7") == 1
    code, text = terminal("get", small, "nothing", reads=True, PAGER=str(pager))
    assert (code, text) == (1, f"PAGED\nstreamsave: {small}: no object is called nothing\n")
    assert "Usage" in terminal("ls", "--help", reads=True, PAGER=str(pager))[1]
    for words in (("--no-pager", "ls", small), ("check", small)):
        assert "PAGED" not in terminal(*words, reads=True, PAGER=str(pager))[1]
    assert "PAGED" not in terminal("ls", small, PAGER=str(pager))[1]


def test_who_leaves_the_pager_ends_the_command(small, tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    pager.chmod(0o755)
    assert terminal("cat", *[small] * 200, reads=True, PAGER=str(pager)) == (141, "")


def test_no_color(small):
    assert re.compile(r"\x1b\[[0-9;]*36m").search(terminal("info", small)[1])
    assert "\x1b" not in terminal("info", small, NO_COLOR="1")[1]


def imported_by(*args) -> set[str]:
    """Run Python; give the modules that it has imported at the end."""
    code = f"import sys\nsys.argv = ['streamsave', *{[str(arg) for arg in args]!r}]\n"
    code += "import streamsave\n"
    if args:
        code += "from streamsave.cli import main\ntry:\n    main()\nexcept SystemExit: pass\n"
    code += "print('MODULES', *sys.modules)"
    return set(python(code).stdout.splitlines()[-1].split()[1:])


def test_the_library_does_not_import_the_command_line():
    assert not imported_by() & {"click", "rich", "orjson", "structlog", "streamsave.cli", "streamsave.decode.json_values"}


#: What else a command shows.
SHOWN = {"report": {"diff", "info", "palworld", "satisfactory"}}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_table_no_rich(command, small):
    modules = imported_by(*call(command, small))
    assert f"streamsave.cli.{command.replace('-', '_')}" in modules
    assert not modules & {"rich", "structlog"}
    assert not {f"streamsave.cli.{other}" for other in {*COMMANDS} - {command} - SHOWN.get(command, set())} & modules


def test_grep_does_not_wait_for_json(small):
    assert "orjson" not in imported_by("grep", "Chest", small)


def test_only_saves_have_wildcards_on_windows(monkeypatch, small, capsys):
    """There, click expands wildcards and variables in all arguments unless it is told not to."""

    class Windows:
        name = "nt"

        def __getattr__(self, name):
            return getattr(os, name)

    monkeypatch.setattr("click.core.os", Windows())
    monkeypatch.chdir(Path(small).parent)
    monkeypatch.setattr("sys.argv", ["streamsave", "ls", Path(small).name, "--where", "class_name = *"])
    Path("class_name = x").touch()
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert "BP_Chest_C_1" in capsys.readouterr().out


def test_names_of_files_that_are_odd(small, tmp_path):
    odd = file_with(tmp_path / "a\tb\n.sav", small.read_bytes())
    assert {row[0] for row in lines("ls", odd, odd)} == {str(tmp_path / "a\\tb\\n.sav")}


# --- the garbage collector ---


def test_collections_are_rare():
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.get_threshold() == (OBJECTS, *before[1:])
    finally:
        gc.set_threshold(*before)


# --- the examples of each `--help` ---

#: What a library is missing for.
NEEDED = {"map": "matplotlib", "treemap": "matplotlib", "sql": "duckdb"}
#: Exit codes that say what was found.
CODES = {"diff world.sav later.sav": 1, "diff world.sav later.sav --summary": 1}
LINES = [line for lines in EXAMPLES.values() for line in lines]


def commands(group=main, words=()) -> list[str]:
    """The words of all commands, and of the groups but the outermost."""
    found = []
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        found.append(" ".join((*words, name)))
        if isinstance(command, click.Group):
            found += commands(command, (*words, name))
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files that the examples name."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "saves").mkdir()
    for path in SAMPLES:
        shutil.copy(path, folder / "saves" / path.name)
    shutil.copy(SAMPLES[2], folder / "world.sav")
    shutil.copy(ROOT / "corpora" / "howto" / "Level.sav", folder / "Level.sav")
    shutil.copy(VALID / "arx" / "v2.1.sav", folder / "arx.sav")
    shutil.copy(ROOT / "corpora" / "invalid" / "satisfactory" / "array-count-most.sav", folder / "damaged.sav")
    spawners = ("--where", "class_name = *CreatureSpawner*", "--set", "mSpawnData[0].NumTimesKilled = 1000")
    assert run("edit", folder / "world.sav", "-o", folder / "later.sav", *spawners).exit_code == 0
    assert run("arx", "extract", VALID / "arx" / "v2.1.sav", "-o", folder / "entries").exit_code == 0
    assert run("json", folder / "world.sav", "-o", folder / "world.json").exit_code == 0
    return folder


def test_each_command_has_three():
    assert sorted(EXAMPLES) == sorted(commands())
    assert {len(each) for each in EXAMPLES.values()} == {3}
    for words, examples in EXAMPLES.items():
        assert all(line.split()[: len(words.split())] == words.split() for line in examples)


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
def test_examples(files, monkeypatch, line):
    words = shlex.split(line)
    if words[0] in NEEDED and find_spec(NEEDED[words[0]]) is None:
        pytest.skip(f"{NEEDED[words[0]]} is not installed")
    monkeypatch.chdir(files)
    result = run(*words)
    assert result.exit_code == CODES.get(line, 1 if "damaged" in line else 0), result.output


@pytest.mark.parametrize("line", LINES)
def test_lines_are_the_same_in_shells_and_cmd(line):
    """Both take double quotes; in them, a shell obeys some characters, and cmd others. Single quotes are only inside of them."""
    assert not set(line) & set("$`!\\^&|<>;")
    outside = line.split('"')[::2]
    assert not any(set(part) & set("'*?()%") for part in outside)
    assert line.count('"') % 2 == 0


@pytest.mark.parametrize("words", sorted(EXAMPLES))
def test_help_shows_them_fits_into_60_columns_and_says_what_has_json(words):
    shown = " ".join(run(*words.split(), "--help").output.split())
    assert all(f"streamsave {' '.join(line.split())}" in shown for line in EXAMPLES[words])
    assert "JSON" in shown or isinstance(main.get_command(click.Context(main), words), click.Group)
    narrow = CliRunner().invoke(main, [*words.split(), "--help"], terminal_width=60).output
    assert [line for line in narrow.splitlines() if len(line) > 60] == []
    assert "\\b" not in narrow  # the mark of lines that stay as they are
