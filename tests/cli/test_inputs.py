"""The arguments and options that commands share."""

from __future__ import annotations

import os
from importlib import import_module

import click
import pytest
from cli_runs import SAMPLES

import streamsave
from streamsave.cli.app import COMMANDS as APP_COMMANDS
from streamsave.cli.options import SavePath, hints_option, jobs_option, keep_only, save_argument, saves_argument, where_option
from streamsave.consume.parser import parse_selection


def test_every_command_that_reads_saves_takes_many_and_jobs():
    for name in APP_COMMANDS:
        # They read the files of one folder, two saves, one save, one save, all for one answer, none.
        if name in {"pack", "diff", "report", "explain", "sql", "completion"}:
            continue
        command = import_module(f"streamsave.cli.{name}").command
        for each in getattr(command, "commands", {name: command}).values():
            needed = {"saves", "jobs"} if each is command else {"saves"}  # those of a group take no --jobs
            assert needed <= {parameter.name for parameter in each.params}, (name, each.name)


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


def test_a_folder_may_be_several_saves(tmp_path):
    assert command_with(save_argument)(tmp_path)["saves"].several


@pytest.mark.parametrize(("jobs", "expected"), [(1, 1), (3, 3), (0, len(os.sched_getaffinity(0)))])
def test_jobs(jobs, expected):
    assert command_with(saves_argument, jobs_option)("a", "--jobs", jobs)["saves"].jobs == expected


def test_type_hints():
    call = command_with(hints_option)
    assert call() == {"hints": {}}
    given = call("--type-hint", "a.b=Vector", "--type-hint", "c=d=Guid")
    assert given == {"hints": {"a.b": "Vector", "c=d": "Guid"}}


@pytest.mark.parametrize("hint", ["a", "=Vector", "a=", ".=Vector", ""])
def test_what_is_no_type_hint(hint):
    with pytest.raises(click.UsageError, match="is no type hint"):
        command_with(hints_option)("--type-hint", hint)


def test_where():
    call = command_with(where_option)
    assert call() == {"where": None}
    assert call("--where", "class = a")["where"].selection == parse_selection("class = a")
    both = call("--where", "class = a", "--where", "size = 1 or size = 2")["where"].selection
    assert both == parse_selection("class = a and (size = 1 or size = 2)")
    with pytest.raises(click.UsageError, match="--where: "):
        call("--where", "class =")


def test_only_the_wanted_objects_are_kept():
    with streamsave.open(SAMPLES[0]) as events:
        keep_only(events, None)
        count = sum(isinstance(event, streamsave.ObjectHeader) for event in events)
    with streamsave.open(SAMPLES[0]) as events:
        keep_only(events, parse_selection("kind = actor"))
        actors = [event for event in events if isinstance(event, streamsave.ObjectHeader)]
    assert {event.kind for event in actors} == {"actor"}
    assert 0 < len(actors) < count


@pytest.fixture(autouse=True)
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


@pytest.mark.parametrize("start", ["", "w", "o", "https://x", "nowhere/x", "~nobody/x"])
def test_else_the_shell_knows_all_files(start):
    """Where there are folders, which may have saves, and where no such save is."""

    assert completed(start) == [("file", start)]
