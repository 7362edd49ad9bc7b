"""`--names` and STREAMSAVE_NAMES."""

from __future__ import annotations

import json

import pytest
from cli_runs import SAMPLES, run
from pages import read_page

from streamsave.cli.names_option import VARIABLE, current_names


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
