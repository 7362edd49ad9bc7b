"""The examples of each `--help`."""

from __future__ import annotations

import shlex
import shutil
from importlib.util import find_spec

import click
import pytest
from cli_runs import SAMPLES, run
from click.testing import CliRunner
from saves import ROOT, VALID

from streamsave.cli import main
from streamsave.cli.app import EXAMPLES

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
    shutil.copy(VALID / "gvas" / "palworld-0.6.sav", folder / "Level.sav")
    shutil.copy(VALID / "arx" / "v2.1.sav", folder / "arx.sav")
    shutil.copy(ROOT / "corpora" / "invalid" / "satisfactory" / "array-count-most.sav", folder / "damaged.sav")
    spawners = ("--where", "class = *CreatureSpawner*", "--set", "mSpawnData[0].NumTimesKilled = 1000")
    assert run("edit", folder / "world.sav", "-o", folder / "later.sav", *spawners).exit_code == 0
    assert run("extract", VALID / "arx" / "v2.1.sav", "-o", folder / "entries").exit_code == 0
    return folder


def test_each_command_has_three():
    assert sorted(EXAMPLES) == sorted(commands())
    assert {len(lines) for lines in EXAMPLES.values()} == {3}
    for words, lines in EXAMPLES.items():
        assert all(line.split()[: len(words.split())] == words.split() for line in lines)


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
def test_help_shows_them(words):
    shown = " ".join(run(*words.split(), "--help").output.split())
    assert all(f"streamsave {' '.join(line.split())}" in shown for line in EXAMPLES[words])


@pytest.mark.parametrize("words", sorted(EXAMPLES))
def test_help_fits_into_60_columns(words):
    shown = CliRunner().invoke(main, [*words.split(), "--help"], terminal_width=60).output
    assert [line for line in shown.splitlines() if len(line) > 60] == []


@pytest.mark.parametrize("words", sorted(EXAMPLES))
def test_each_command_has_json_or_says_what_has(words):
    shown = run(*words.split(), "--help").output
    assert "JSON" in shown or isinstance(main.get_command(click.Context(main), words), click.Group)
