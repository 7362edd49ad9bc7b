"""One save that a command reads: what it is opened from, and how its faults are reported."""

import builtins
import errno
import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from cli_runs import SAMPLES, json_lines, printed, run, small_world
from served import Served, serving

from streamsave.cli.options import OURS, Saves
from streamsave.cli.output import Failed
from streamsave.cli.save import attempt, copied, open_input
from streamsave.errors import DamagedSave, UnsupportedOption

needs_arrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
needs_duckdb = pytest.mark.skipif(find_spec("duckdb") is None, reason="duckdb is not installed")


def refuse(error: Exception):
    def visit(_name: str) -> None:
        raise error

    return visit


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DamagedSave("odd", 16), "x.sav: offset 0x10: odd"),
        (UnsupportedOption("type_hints", "Arx save"), "x.sav: Arx save takes no --type-hint"),
        (UnsupportedOption("sparse", "Toy save"), "x.sav: Toy save takes no --sparse"),
        (OSError(errno.EIO, "cannot be read", "x.sav"), "x.sav: cannot be read"),
        (OSError("plain"), "x.sav: plain"),
    ],
)
def test_a_fault_is_reported(capsys, error, message):
    assert attempt("x.sav", refuse(error)) == 2
    assert capsys.readouterr().err == f"streamsave: {message}\n"


def test_a_bug_is_not_hidden():
    with pytest.raises(TypeError, match="a bug"):
        attempt("x.sav", refuse(TypeError("a bug")))


@pytest.fixture
def pipe():
    """The name of a pipe with a save in it, as `<(...)` of a shell gives it."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as file:
        file.write(SAMPLES[-1].read_bytes())
    yield f"/dev/fd/{reading}"
    os.close(reading)


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="pipes have no names here")
@pytest.mark.parametrize(
    ("words", "code", "stderr"),
    [
        (["export", "-o", "OUT.csv"], 0, ""),
        pytest.param(["export", "-o", "OUT.parquet"], 0, "", marks=needs_arrow),
        pytest.param(["export", "-o", "OUT.arrow", "--limit", "spool_size=1K"], 2, "PIPE: offset 0x", marks=needs_arrow),
        (["report", "-o", "OUT.html"], 0, ""),
        (["ls", "--where", "typo = 1"], 0, "streamsave: PIPE: no object matches --where\n"),
        (["satisfactory", "find", "iron"], 2, "twice"),
        pytest.param(["sql", "select sum(len(mSpawnData)), count(*) from objects"], 0, "", marks=needs_duckdb),
    ],
    ids=lambda words: " ".join(words[::2]) if isinstance(words, list) else None,
)
def test_a_pipe_is_read_once(tmp_path, monkeypatch, pipe, words, code, stderr):
    monkeypatch.chdir(tmp_path)
    result = run(*words, pipe)
    assert (result.exit_code, stderr.replace("PIPE", pipe) in result.stderr, bool(result.stderr)) == (code, True, bool(stderr))
    if not code:
        assert result.stdout == run(*words, SAMPLES[-1]).stdout


def test_a_pipe_that_cannot_be_opened(tmp_path, monkeypatch):
    """It is at fault, not the folder of the copy."""
    monkeypatch.setattr("streamsave.cli.save.is_read_once", lambda _: True)
    name = f"{tmp_path}/./pipe"
    with pytest.raises(Failed) as caught, copied(Saves((name,), several=False)):
        pass
    assert (caught.value.subject, caught.value.message) == (name, "No such file or directory")


def test_options_reach_the_stream():
    with pytest.raises(UnsupportedOption), open_input(str(SAMPLES[0]), sparse=True):
        pass
    with click.Context(click.Command(None)) as context:
        context.meta[f"{OURS}hints"] = {"a": "Vector"}
        with pytest.raises(UnsupportedOption), open_input(str(SAMPLES[0])):
            pass


# --- the loop over saves: folders, wildcards and URLs in every command, one by one and side by side ---

COMMANDS = [
    ("info",),
    ("ls",),
    ("ls", "--by-class"),
    ("cat", "--depth", "2"),
    ("grep", "Chest|Spawner"),
    ("grep", "-c", "Chest"),
    ("grep", "-l", "Chest"),
    ("get",),
    ("json",),
    ("json", "--ndjson"),
    ("check",),
    ("check", "--json"),
    ("ls", "--json"),
]

commands = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)


def call(command, *saves) -> tuple[object, ...]:
    return (*command, *saves, "BP_Chest_C_1") if command == ("get",) else (*command, *saves)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Saves in folders, and two files that are none."""
    folder = tmp_path_factory.mktemp("inputs")
    small = small_world(folder)
    (folder / "deep").mkdir()
    for sample in SAMPLES:
        shutil.copy(sample, folder / "deep")
    shutil.copy(small, folder / "deep" / "small.sav")
    (folder / "deep" / "bad.sav").write_bytes(b"no save, but longer than a header is")
    (folder / "deep" / "cut.sav").write_bytes(small.read_bytes()[:-10])
    (folder / "deep" / "notes.txt").write_text("no save, and not called like one")
    return folder


def saves_in(folder) -> list[Path]:
    """The saves, in the order in which they are read."""
    return [folder / "small.sav", *(path for path in sorted((folder / "deep").iterdir()) if path.suffix == ".sav")]


@commands
def test_a_folder_is_the_files_in_it(folder, command):
    by_name = run(*call(command, *saves_in(folder)))
    assert by_name.exit_code == (4 if command[0] == "check" else 2)
    from_folder = run(*call(command, folder))
    assert from_folder.output == by_name.output
    assert (from_folder.stderr, from_folder.exit_code) == (by_name.stderr, by_name.exit_code)
    assert from_folder.stdout


@commands
def test_wildcards_that_the_shell_has_left_alone(folder, command):
    pattern = str(folder / "**" / "*.sav")
    matching = sorted(map(str, saves_in(folder)))
    assert run(*call(command, pattern)).output == run(*call(command, *matching)).output


@pytest.mark.slow
@commands
def test_side_by_side(folder, command):
    """Output, errors and exit code are those of one by one."""
    saves = (folder, folder / "missing.sav", folder / "no*thing", folder / "small.sav")
    one_by_one = run(*call(command, *saves))
    side_by_side = run(*call(command, *saves), "--jobs", "2")
    assert side_by_side.stdout == one_by_one.stdout
    assert side_by_side.stderr == one_by_one.stderr
    assert side_by_side.exit_code == one_by_one.exit_code
    assert one_by_one.stderr.count("missing.sav: No such file or directory\n") == 1
    assert one_by_one.stderr.count("no*thing: no file matches\n") == 1


def test_a_folder_of_one_save_is_several(tmp_path):
    """The form of the output does not hang on how many files a folder happens to have."""
    small = small_world(tmp_path)
    assert {line.split("\t")[0] for line in run("ls", tmp_path).stdout.splitlines()} == {str(small)}
    assert str(small) not in run("ls", small).stdout


@pytest.mark.slow
def test_stats_side_by_side(folder):
    """Times are never the same; all other sums are."""
    values = json_lines("ls", "--by-class", "--full", folder / "small.sav", *SAMPLES, "-j", 0)
    assert [value["file"] for value in values] == [str(folder / "small.sav"), *map(str, SAMPLES)]
    for value in values:
        (alone,) = json_lines("ls", "--by-class", "--full", value["file"])
        assert {**value, "seconds": 0, "megabytes_per_second": 0} == {**alone, "seconds": 0, "megabytes_per_second": 0}


@pytest.mark.slow
def test_quiet_stops_at_the_first_that_is_found(folder):
    for jobs in ("1", "2"):
        assert printed("grep", "-q", "Chest", folder / "small.sav", folder / "missing.sav", "-j", jobs) == ""
        assert run("grep", "-q", "Chest", folder / "missing.sav", folder / "small.sav", "-j", jobs).exit_code == 0
        assert run("grep", "-q", "Nobody", folder / "small.sav", folder / "missing.sav", "-j", jobs).exit_code == 2
        assert run("grep", "-q", "Nobody", folder / "small.sav", folder / "small.sav", "-j", jobs).exit_code == 1


@pytest.fixture(scope="module")
def server(folder):
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in saves_in(folder)}
    with serving(Served(files)) as served:
        yield served


@pytest.mark.parametrize("ranges", [True, False])
@commands
def test_urls(folder, server, command, ranges):
    server.ranges = ranges
    expected = run(*call(command, *saves_in(folder)))
    result = run(*call(command, *[server.url + path.relative_to(folder).as_posix() for path in saves_in(folder)]))
    there = f"{folder}{os.sep}"
    assert result.stdout.replace(server.url, there) == expected.stdout
    assert result.stderr.replace(server.url, there) == expected.stderr
    assert result.exit_code == expected.exit_code


@pytest.mark.slow
def test_urls_side_by_side(server):
    urls = [f"{server.url}small.sav", f"{server.url}missing.sav", f"{server.url}deep/small.sav"]
    one_by_one, side_by_side = run("ls", *urls), run("ls", *urls, "-j2")
    assert one_by_one.exit_code == side_by_side.exit_code == 2
    assert side_by_side.output == one_by_one.output


def test_extract_from_a_url(server, tmp_path):
    server.files["arx.sav"] = (SAMPLES[0].parent.parent / "arx" / "v2.1.sav").read_bytes()
    printed("arx", "extract", f"{server.url}arx.sav", "pld", "-o", tmp_path)
    assert (tmp_path / "pld").stat().st_size == 396


@pytest.mark.parametrize("command", [("ls",), ("check",), ("json",)], ids=" ".join)
def test_what_is_wrong_with_a_url_is_said_and_the_next_save_read(server, folder, command):
    result = run(
        *command,
        f"{server.url}missing.sav",
        f"{server.url}forbidden.sav",
        "http://127.0.0.1:1/x.sav",
        "frobnicate://x.sav",
        folder / "small.sav",
    )
    assert result.exit_code == 2
    assert result.stdout
    missing, forbidden, refused, unknown = result.stderr.splitlines()
    assert missing.startswith(f"streamsave: {server.url}missing.sav: 404")
    assert forbidden.startswith(f"streamsave: {server.url}forbidden.sav: 403")
    assert refused.startswith("streamsave: http://127.0.0.1:1/x.sav: Cannot connect")
    assert unknown == "streamsave: frobnicate://x.sav: Protocol not known: frobnicate"


def test_a_server_that_hangs_up(server, folder):
    server.cut_at = 200
    try:
        result = run("ls", f"{server.url}small.sav", folder / "small.sav")
    finally:
        server.cut_at = -1
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {server.url}small.sav: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout


def test_without_the_extra(monkeypatch, folder):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "fsspec":
            raise ModuleNotFoundError(f"No module named {name!r}", name="fsspec")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    result = run("ls", "memory://x.sav", folder / "small.sav")
    assert result.exit_code == 2
    assert result.stderr == 'streamsave: memory://x.sav: URLs need the extra `remote`: pip install "streamsave[remote]"\n'
    assert result.stdout
