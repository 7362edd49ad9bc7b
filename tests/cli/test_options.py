"""The arguments and options that commands share.

The file is long because it has all options that several commands take.
"""

import errno
import json
import os
import re
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import attrs
import box_format
import click
import pytest
from box_format import box_save
from cli_runs import PACKAGE_FOLDER, SAMPLES, lines, run, small_world
from pages import read_page
from saves import VALID, file_with

from streamsave import LimitExceeded, Limits, SelectError
from streamsave.cli.app import COMMANDS, main
from streamsave.cli.options import (
    VARIABLE,
    SavePath,
    Saves,
    current_names,
    current_options,
    for_people,
    hints_option,
    jobs_option,
    keeping,
    last_written,
    limit_hint,
    parse_limit,
    saves_argument,
)


def all_commands() -> dict[str, click.Command]:
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in COMMANDS}
    groups = {name: found.pop(name).commands for name, command in [*found.items()] if isinstance(command, click.Group)}
    return found | {f"{name} {each}": command for name, group in groups.items() for each, command in group.items()}


#: They read two saves, one save, one save, all for one answer.
ONE_ANSWER = {"diff", "report", "explain", "sql"}
OF_GAMES = {words for words in all_commands() if words.startswith(("palworld ", "satisfactory "))}
#: One reads the files of a folder, one no save.
NO_SAVE = {"arx pack", "completion"}


@pytest.mark.parametrize(
    ("parameter", "without"),
    [
        ("saves", {*NO_SAVE, "from-json"}),
        ("jobs", {*NO_SAVE, "from-json", *ONE_ANSWER, *OF_GAMES}),
        ("--limit", {"completion"}),
        ("--reader", NO_SAVE),
    ],
)
def test_each_command_that_reads_saves_takes_many_jobs_limits_and_a_reader(parameter, without):
    found = {words: {*command.params} for words, command in all_commands().items()}
    names = {words: {name for each in params for name in (each.name, *each.opts)} for words, params in found.items()}
    assert {words for words, those in names.items() if parameter not in those} == without


def command_with(*decorators):
    """A command that returns its parameters."""

    @click.command()
    def command(**parameters):
        found.append(parameters)

    found: list[dict[str, object]] = []
    for decorate in decorators:
        command = decorate(command)

    def call(*arguments: object) -> dict[str, object]:
        command.main([str(each) for each in arguments], standalone_mode=False)
        return found.pop()

    return call


@pytest.mark.parametrize(
    ("arguments", "several"),
    [
        (["a"], False),
        (["a", "b"], True),
        (["-"], False),
        (["*.sav"], True),
        (["https://host/*.sav"], True),
        (["SHAPEZ2-4-A$"], False),
    ],
)
def test_there_may_be_several_saves(arguments, several):
    saves = command_with(saves_argument)(*arguments)["saves"]
    assert (saves.arguments, saves.several, saves.jobs) == (tuple(arguments), several, 1)


CPUS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.mark.parametrize(("jobs", "expected"), [(1, 1), (3, 3), (0, CPUS)])
def test_jobs(jobs, expected):
    assert command_with(saves_argument, jobs_option)("a", "--jobs", jobs)["saves"].jobs == expected


def test_type_hints():
    @click.command()
    @hints_option
    def command():
        return current_options()["type_hints"]

    assert command.main([], standalone_mode=False) is None
    given = ["--type-hint", "a.b=Vector", "--type-hint", "c=d=Guid"]
    assert command.main(given, standalone_mode=False) == {"a.b": "Vector", "c=d": "Guid"}


@pytest.mark.parametrize("hint", ["a", "=Vector", "a=", ".=Vector", ""])
def test_what_is_no_type_hint(hint):
    with pytest.raises(click.UsageError, match="is no type hint"):
        command_with(hints_option)("--type-hint", hint)


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    for name in ("other.txt", "some.sav", "some.SBP", ".hidden.sav", "one.sav.bak"):
        (tmp_path / name).touch()
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "one.spz2").touch()
    monkeypatch.chdir(tmp_path)


def completed(start: str) -> list[tuple[str, str]]:
    argument = click.Argument(["saves"], type=SavePath())
    found = argument.type.shell_complete(click.Context(click.Command("x")), argument, start)
    return [(item.type, item.value) for item in found]


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(
    ("start", "saves"),
    [
        ("so", ["some.SBP", "some.sav"]),
        ("./so", ["./some.SBP", "./some.sav"]),
        ("worlds/", ["worlds/one.spz2"]),
        (".h", [".hidden.sav"]),
    ],
)
def test_saves_come_by_their_endings(start, saves):
    assert completed(start) == [("plain", save) for save in saves]


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("start", ["", "w", "o", "https://x", "nowhere/x", "~nobody/x"])
def test_else_the_shell_knows_all_files(start):
    """Where there are folders, which may have saves, and where no such save is."""

    assert completed(start) == [("file", start)]


# --- `--limit` of every command ---


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("depth=5", ("depth", 5)),
        ("build_size=0", ("build_size", 0)),
        ("build_size=3K", ("build_size", 3 << 10)),
        ("string_size=64m", ("string_size", 64 << 20)),
        ("total_inflated_size=9G", ("total_inflated_size", 9 << 30)),
    ],
)
def test_values(text, value):
    assert parse_limit(text) == value


@pytest.mark.parametrize(
    "text", ["", "depth", "depth=", "depth=-1", "depth=1.5", "depth=1KB", "depth=K", "depth= 1", "depth=1e3"]
)
def test_no_values(text):
    with pytest.raises(click.BadParameter, match=r"no limit|needs a number"):
        parse_limit(text)


#: Each limit: a command that meets it, and on which sample.
EACH = {
    "chunk_inflated_size": ("cat", "satisfactory/sv58.sav"),
    "chunk_compressed_size": ("cat", "satisfactory/sv58.sav"),
    "total_inflated_size": ("cat", "astroneer/full.savegame"),
    "inflate_ratio": ("cat", "shapez2/small.spz2"),
    "inflate_ratio_after": ("cat", "gvas/wrapper-gzip.sav"),
    "event_ratio": ("cat", "shapez2/small.spz2"),
    "event_ratio_after": ("cat", "satisfactory/sv58.sav"),
    "depth": ("cat", "gvas/ue5-1012.sav"),
    "string_size": ("cat", "arx/v2.1.sav"),
    "zero_size_count": ("cat", "satisfactory/sv58.sav"),
    "build_nodes": ("json", "gvas/ue5-1012.sav"),
    "build_size": ("json", "satisfactory/sv58.sav"),
    "table_entries": ("cat", "arx/v2.1.sav"),
    "object_entries": ("cat", "astroneer/full.savegame"),
}
#: The ratio is looked at once there is enough, and what is enough matters only where there is a ratio.
BESIDES = {
    "inflate_ratio": ("--limit", "inflate_ratio_after=0"),
    "inflate_ratio_after": ("--limit", "inflate_ratio=0"),
    "event_ratio": ("--limit", "event_ratio_after=0"),
    "event_ratio_after": ("--limit", "event_ratio=0"),
}


def test_each_limit_is_met_below():
    """But for that of the spool, which only a pipe has: `tests/input/test_source.py` has it."""
    assert [*EACH, "spool_size"] == sorted((limit.name for limit in attrs.fields(Limits)), key=[*EACH, "spool_size"].index)


@pytest.mark.parametrize("name", EACH)
def test_each_limit_can_be_set(name):
    command, sample = EACH[name]
    besides = BESIDES.get(name, ())
    assert run(command, VALID / sample).exit_code == 0
    result = run(command, "--limit", f"{name}=0", *besides, VALID / sample)
    assert result.exit_code == 2
    told = name.removesuffix("_after")
    assert f"is above the limit {told} = 0" in result.stderr
    assert run(command, "--limit", f"{name}={200 if name == 'depth' else '1M'}", *besides, VALID / sample).exit_code == 0


# --- the option that allows more ---

HINT = re.compile(r"is above the limit (\w+) = .*; --limit ((\w+)=\d+) allows more\n")


@pytest.mark.parametrize("name", ["inflate_ratio", "event_ratio", "depth", "string_size", "build_nodes", "total_inflated_size"])
def test_errors_end_with_the_option_that_allows_more(name):
    """Each time it allows twice as much: in the end it is enough."""
    command, sample = EACH[name]
    options = [*BESIDES.get(name, ()), "--limit", f"{name}=1"]
    for _ in range(30):
        result = run(command, *options, VALID / sample)
        if result.exit_code == 0:
            return
        hint = HINT.search(result.stderr)
        assert hint
        assert hint[1] == hint[3] == name
        options[-1] = hint[2]
    pytest.fail(f"not even {options[-1]} is enough")


@pytest.mark.parametrize("command", [["check"], ["salvage"], ["ls", "--by-class", "--full"]])
def test_commands_that_tell_it_in_their_own_way(command):
    assert "; --limit total_inflated_size=" in run(*command, "--limit", "total_inflated_size=8K", SAMPLES[2]).output


@pytest.mark.parametrize(
    ("limit", "value", "allowed", "hint"),
    [
        ("depth", 129, 128, "; --limit depth=256 allows more"),
        ("depth", 256, 255, "; --limit depth=256 allows more"),
        ("depth", 257, 128, ""),
        ("depth", 256, 256, ""),
        ("string_size", 300, 200, "; --limit string_size=600 allows more"),
        ("string_size", 10**15 - 1, 200, "; --limit string_size=999999999999999 allows more"),
        ("string_size", 10**15, 200, ""),
    ],
)
def test_no_option_allows_more_than_there_may_be(limit, value, allowed, hint):
    assert limit_hint(LimitExceeded("text", limit=limit, value=value, allowed=allowed)) == hint


# --- `--names` and STREAMSAVE_NAMES ---


def test_the_environment(tmp_path, monkeypatch):
    names = tmp_path / "names.json"
    names.write_text(json.dumps([{"Classes": [{"ClassName": "BP_CreatureSpawner_C", "mDisplayName": "Nest"}]}]))
    monkeypatch.setenv(VARIABLE, str(names))
    assert run("report", SAMPLES[2], "-o", tmp_path / "page.html").exit_code == 0
    assert "Nest" in {row[0] for row in read_page(tmp_path / "page.html").rest["table"]}


def test_outside_of_a_command():
    assert current_names()("Build_ConstructorMk1_C") == "Constructor"
    assert for_people("Build_ConstructorMk1_C") == "Constructor (Build_ConstructorMk1_C)"
    assert for_people("door") == "door"


@pytest.mark.parametrize("arguments", [("ls",), ("ls", "--by-class"), ("ls", "--by-class", "--full"), ("grep", "Spawner")])
def test_a_terminal_shows_what_people_call_a_class(monkeypatch, arguments):
    for module in ("view", "ls", "grep"):
        monkeypatch.setattr(f"streamsave.cli.{module}.on_terminal", lambda: True)
    assert "Creature Spawner (BP_CreatureSpawner_C)" in run(*arguments, SAMPLES[2]).stdout
    for option in ("--raw-names", "--long") if len(arguments) < 3 and arguments[0] == "ls" else ("--raw-names",):
        raw = run(*arguments, SAMPLES[2], option).stdout
        assert "Creature Spawner" not in raw
        assert "BP_CreatureSpawner_C" in raw


# --- `--since` and `--newest` ---


@pytest.fixture
def series(tmp_path):
    """Saves that were written one, two, ... hours ago; names are in another order."""
    data = small_world(tmp_path).read_bytes()
    (tmp_path / "small.sav").unlink()
    paths = []
    for hours, name in enumerate("dbace", 1):
        path = file_with(tmp_path / f"{name}.sav", data)
        os.utime(path, (time.time() - 3600 * hours,) * 2)
        paths.append(path)
    return paths


def names(*options):
    return [row[0][-5] for row in lines("check", "--summary", *options)]


def test_newest(series, tmp_path):
    assert names(tmp_path) == list("abcde")
    assert names(tmp_path, "--newest", "2") == ["b", "d"]
    assert names(tmp_path, "--newest", "99") == list("ecabd")
    assert names("--newest", "1", *series) == ["d"]
    assert names(tmp_path, "--newest", "3", "--jobs", "2") == list("abd")


@pytest.mark.usefixtures("series")
def test_since(tmp_path):
    assert names(tmp_path, "--since", "150min") == ["b", "d"]
    assert names(tmp_path, "--since", "3h", "--newest", "1") == ["d"]
    assert names(tmp_path, "--since", "1d") == list("ecabd")
    moment = (datetime.now() - timedelta(minutes=200)).isoformat()  # noqa: DTZ005 - as a user writes it
    assert names(tmp_path, "--since", moment) == list("abd")


@pytest.mark.usefixtures("series")
def test_nothing_is_so_new(tmp_path):
    result = run("check", tmp_path, "--since", "5min")
    assert (result.exit_code, result.stderr) == (2, "streamsave: --since: no save is so new\n")


def test_what_has_no_time(series, tmp_path):
    missing = FileNotFoundError(errno.ENOENT, "gone", "x")
    found = list(last_written([missing, "-", str(tmp_path / "none.sav"), str(series[0]), "SHAPEZ2-1-x$"], None, 2))
    assert found[0] == str(series[0])
    assert [(type(each).__name__, each.filename) for each in found[1:]] == [
        ("FileNotFoundError", "x"),
        ("OSError", "(standard input)"),
        ("FileNotFoundError", str(tmp_path / "none.sav")),
        ("OSError", "SHAPEZ2-1-x$..."),
    ]
    assert list(Saves(("-", str(series[0])), several=True)) == ["-", str(series[0])]


# --- the reader ---


@pytest.fixture
def boxes(tmp_path):
    paths = [tmp_path / "one.box", tmp_path / "two.box"]
    for path in paths:
        path.write_bytes(box_save())
    return paths


def test_a_reader_in_workers(boxes, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(box_format.__file__).parent), str(PACKAGE_FOLDER)]))
    options = ("--reader", "box_format:BoxReader")
    assert lines("ls", *boxes, *options, "-j", "2") == lines("ls", *boxes, *options)


def test_a_reader_in_the_folder_where_we_are(boxes, monkeypatch, tmp_path):
    (tmp_path / "here_format.py").write_text(box_format.CODE.replace("box_format:", "here_format:"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert len(lines("ls", boxes[0], "--reader", "here_format:BoxReader")) == 5


def test_a_chosen_reader_that_fails_costs_only_its_save(boxes, tmp_path, monkeypatch):
    (tmp_path / "bad_format.py").write_text(box_format.CODE.replace("CODECS[kind]", "{}[kind]"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    result = run("cat", *boxes, "--reader", "bad_format:BoxReader")
    assert result.exit_code == 2
    assert result.stderr.count("the reader of BoxReader has failed: KeyError: 1") == 2


def test_only_what_parsing_is_known_to_say_is_said_of_an_option():
    """Any other `ValueError` is a bug, and shows as one."""

    def parse(text: str) -> int:
        raise SelectError("a fault", text, 0) if text == "wrong" else ValueError(text)

    @click.command()
    @click.option("--kept", callback=keeping(parse, SelectError), expose_value=False)
    def command() -> None: ...

    with pytest.raises(click.BadParameter, match="a fault"):
        command(["--kept", "wrong"], standalone_mode=False)
    with pytest.raises(ValueError, match="bug"):
        command(["--kept", "bug"], standalone_mode=False)


@pytest.mark.parametrize(
    "words",
    [
        ("cat", "--flat", "SAVE"),
        ("get", "SAVE", "Save"),
        ("grep", "--property", "ByVector", "SAVE"),
        ("ls", "--where", "ByVector[*].value.z = 3", "SAVE"),
        ("salvage", "SAVE"),
        ("explain", "SAVE", "ByVector"),
    ],
    ids=lambda words: words[0],
)
def test_a_type_hint_is_for_all_that_read_values(words):
    save = VALID / "gvas" / "ue4-522.sav"
    with_hint, without = [
        run(*[save if word == "SAVE" else word for word in words], *hint)
        for hint in (("--type-hint", "ByVector.Value=Vector"), ())
    ]
    assert with_hint.exit_code == 0
    assert with_hint.output != without.output


def test_get_writes_what_from_json_reads_with_a_hint(tmp_path):
    save, document = VALID / "gvas" / "ue4-522.sav", tmp_path / "a.json"
    hint = ("--type-hint", "ByVector.Value=Vector")
    document.write_text(run("get", save, "Save", *hint).stdout)
    assert "0 values set" in run("from-json", document, "--like", save, "--dry-run", *hint).stdout
