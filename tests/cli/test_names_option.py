"""`--names` and STREAMSAVE_NAMES."""

from __future__ import annotations

import json

import pytest
from cli_runs import SAMPLES, run
from pages import read_page

from streamsave.cli.options import VARIABLE, current_names, for_people


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_file_that_is_no_list(tmp_path, content):
    names = tmp_path / "names.json"
    if content is not None:
        names.write_text(content)
    result = run("report", SAMPLES[0], "-o", tmp_path / "page.html", "--names", names)
    assert result.exit_code == 2
    assert "--names" in result.stderr
    assert not (tmp_path / "page.html").exists()


def test_the_environment(tmp_path, monkeypatch):
    names = tmp_path / "names.json"
    names.write_text(json.dumps([{"Classes": [{"ClassName": "BP_CreatureSpawner_C", "mDisplayName": "Nest"}]}]))
    monkeypatch.setenv(VARIABLE, str(names))
    assert run("report", SAMPLES[2], "-o", tmp_path / "page.html").exit_code == 0
    assert "Nest" in {row[0] for row in read_page(tmp_path / "page.html").rest["table"]}


def test_outside_of_a_command():
    assert current_names()("Build_ConstructorMk1_C") == "Constructor Mk1"
    assert for_people("Build_ConstructorMk1_C") == "Constructor Mk1 (Build_ConstructorMk1_C)"
    assert for_people("door") == "door"


@pytest.mark.parametrize("arguments", [("ls",), ("ls", "--by-class")])
def test_a_terminal_shows_what_people_call_a_class(monkeypatch, arguments):
    for module in ("view", "ls"):
        monkeypatch.setattr(f"streamsave.cli.{module}.on_terminal", lambda: True)
    shown = run(*arguments, SAMPLES[2]).stdout
    assert "Creature Spawner (BP_CreatureSpawner_C)" in shown
    for option in ("--raw-names", "--long"):
        assert "Creature Spawner" not in run(*arguments, SAMPLES[2], option).stdout


@pytest.mark.parametrize("arguments", [("stats",), ("grep", "Spawner")])
def test_so_do_stats_and_grep(monkeypatch, arguments):
    monkeypatch.setattr(f"streamsave.cli.{arguments[0]}.on_terminal", lambda: True)
    assert "Creature Spawner (BP_CreatureSpawner_C)" in run(*arguments, SAMPLES[2]).stdout
    raw = run(*arguments, SAMPLES[2], "--raw-names").stdout
    assert "Creature Spawner" not in raw
    assert "BP_CreatureSpawner_C" in raw


@pytest.mark.parametrize("arguments", [("ls",), ("ls", "--by-class"), ("ls", "--json"), ("grep", "Spawner")])
def test_a_pipe_has_the_names_of_the_save(tmp_path, arguments):
    names = tmp_path / "names.json"
    names.write_text(json.dumps([{"Classes": [{"ClassName": "BP_CreatureSpawner_C", "mDisplayName": "Nest"}]}]))
    plain = run(*arguments, SAMPLES[2]).stdout
    assert run(*arguments, SAMPLES[2], "--names", names).stdout == plain
    assert "Creature Spawner" not in plain
