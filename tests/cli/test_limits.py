"""`--limit` of every command."""

from __future__ import annotations

import re
from importlib import import_module

import attrs
import click
import pytest
from cli_runs import SAMPLES, run
from saves import VALID

from streamsave import DamagedSave, LimitExceeded, Limits
from streamsave.cli.app import COMMANDS
from streamsave.cli.options import limit_hint, parse_limit


def test_every_command_takes_it():
    for name in COMMANDS:
        if name == "completion":  # it reads no save
            continue
        command = import_module(f"streamsave.cli.{name}").command
        for each in getattr(command, "commands", {name: command}).values():
            assert "--limit" in {option for parameter in each.params for option in parameter.opts}, (name, each.name)


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


@pytest.mark.parametrize("text", ["string_size=9223372036854775808", "build_size=999999999999999G", "depth=257"])
def test_values_that_are_too_large(text):
    result = run("cat", "--limit", text, SAMPLES[0])
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert "has to be from 0 to" in result.stderr or "needs a number" in result.stderr


def test_unknown_names_are_listed_with_the_known_ones():
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


@pytest.mark.parametrize("command", ["check", "salvage", "stats"])
def test_commands_that_tell_it_in_their_own_way(command):
    result = run(command, "--limit", "total_inflated_size=8K", SAMPLES[2])
    assert "; --limit total_inflated_size=" in result.output


def test_an_entry_that_is_extracted(tmp_path):
    result = run(
        "extract", "-o", tmp_path, "--limit", "inflate_ratio_after=0", "--limit", "inflate_ratio=1", VALID / "arx" / "v2.1.sav"
    )
    assert HINT.search(result.stderr)


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


def test_other_errors_have_no_such_option():
    assert limit_hint(DamagedSave("text")) == ""
