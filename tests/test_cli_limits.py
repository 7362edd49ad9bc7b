"""`--limit` of every command."""

from __future__ import annotations

from importlib import import_module

import click
import pytest
from cli_runs import SAMPLES, run
from saves import VALID

from streamsave.cli.app import COMMANDS
from streamsave.cli.limits import parse_limit


def test_every_command_takes_it():
    for name in COMMANDS:
        assert "--limit" in {option for each in import_module(f"streamsave.cli.{name}").command.params for option in each.opts}, (
            name
        )


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


def test_unknown_names_are_told_with_those_there_are():
    result = run("cat", "--limit", "dpth=1", SAMPLES[0])
    assert result.exit_code == 2
    assert "no limit 'dpth'" in result.stderr
    assert "total_inflated_size" in result.stderr


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        (("info",), "string_size=3"),
        (("ls",), "chunk_inflated_size=1K"),
        (("cat",), "depth=2"),
        (("grep", "--value", "zzz", "."), "total_inflated_size=1K"),
        (("json",), "chunk_compressed_size=1K"),
        (("stats",), "total_inflated_size=1K"),
    ],
)
def test_what_is_above_is_refused(command, limit):
    name = limit.split("=")[0]
    assert run(*command, SAMPLES[2]).exit_code in {0, 1}
    result = run(*command, "--limit", limit, SAMPLES[2])
    assert result.exit_code == 2
    assert f"is above the limit {name}" in result.stderr


def test_get_reads_within_limits():
    assert "is above the limit" in run("get", "--limit", "total_inflated_size=1K", SAMPLES[2], "BP_Museum_C_1").stderr


def test_check_reads_within_limits():
    result = run("check", "--limit", "depth=2", SAMPLES[2])
    assert result.exit_code == 4
    assert "is above the limit depth" in result.stdout


def test_extract_reads_within_limits(tmp_path):
    result = run("extract", "-o", tmp_path, "--limit", "table_entries=2", VALID / "arx" / "v2.1.sav")
    assert result.exit_code == 2
    assert "is above the limit table_entries" in result.stderr


def test_the_next_command_has_the_default_ones():
    assert run("cat", "--limit", "depth=2", SAMPLES[2]).exit_code == 2
    assert run("cat", SAMPLES[2]).exit_code == 0
