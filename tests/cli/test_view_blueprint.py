"""What `info` says of a Satisfactory blueprint and the configuration beside it."""

from __future__ import annotations

import shutil

import pytest
from cli_runs import json_lines, lines, run
from saves import VALID

BLUEPRINT = VALID / "satisfactory" / "sv46.sbp"
CONFIG = VALID / "satisfactory" / "v6.sbpcfg"


@pytest.fixture
def blueprint(tmp_path):
    return shutil.copy(BLUEPRINT, tmp_path / "mine.SBP")


def test_without_a_configuration(blueprint):
    assert not any(name.startswith("config") for name, _ in lines("info", blueprint))
    (line,) = json_lines("info", blueprint)
    assert line["config"] is None


def test_with_a_configuration(blueprint, tmp_path):
    path = shutil.copy(CONFIG, tmp_path / "mine.sbpcfg")
    rows = dict(lines("info", blueprint))
    assert (rows["config"], rows["config version"]) == (str(path), "6")
    assert "config description" in rows
    (line,) = json_lines("info", blueprint)
    assert (line["config"]["file"], line["config"]["header"]["config_version"]) == (str(path), 6)


def test_a_file_that_is_no_configuration(blueprint, tmp_path):
    shutil.copy(BLUEPRINT, tmp_path / "mine.sbpcfg")
    (line,) = json_lines("info", blueprint)
    assert line["config"] is None


def test_a_damaged_configuration_is_reported_and_the_blueprint_shown(blueprint, tmp_path):
    path = tmp_path / "mine.sbpcfg"
    path.write_bytes(b"damaged")
    result = run("info", blueprint)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"streamsave: {path}: ")
    assert "format\tsatisfactory-blueprint\n" in result.stdout


def test_a_blueprint_with_another_ending_has_no_configuration(tmp_path):
    path = shutil.copy(BLUEPRINT, tmp_path / "mine.bin")
    shutil.copy(CONFIG, tmp_path / "mine.sbpcfg")
    (line,) = json_lines("info", path)
    assert line["config"] is None
