"""`streamsave info`."""

from __future__ import annotations

import hashlib

import pytest
from attrs import evolve
from cli_runs import ROOT, SAMPLES, json_lines, lines, run, terminal
from writer.satisfactory import World, release_header, save_bytes

WITH_MODS = ROOT / "corpora" / "valid" / "satisfactory" / "sv42.sav"


def header_size(path) -> int:
    (line,) = json_lines("info", path)
    return line["header"]["size"]


def info(path) -> dict[str, str]:
    return dict(lines("info", path))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_header_of_a_sample(path):
    data = path.read_bytes()
    said = info(path)
    assert said["format"] == "satisfactory"
    assert said["save version"] == path.stem[2:]
    assert said["session name"] == "oracle"
    assert said["play time"] == "1:00:00"
    assert said["saved"] == "2022-09-28 22:13:20"
    assert said["file size"].endswith(f"({len(data)} bytes)")
    assert said["mods"] == "(none)"
    assert said["MD5"] == hashlib.md5(data[header_size(path) :], usedforsecurity=False).hexdigest()


def test_mods_are_counted():
    assert info(WITH_MODS)["mods"] == "1"
    (line,) = json_lines("info", WITH_MODS)
    assert line["header"]["mod_metadata"]["Mods"] == [{"Reference": "Oracle", "Version": "1.0.0"}]


@pytest.mark.parametrize("metadata", ["{", "[]", '{"Mods": 3}', "null"])
def test_mod_metadata_that_is_something_else(tmp_path, metadata):
    path = tmp_path / "odd.sav"
    path.write_bytes(save_bytes(World(evolve(release_header(52), mod_metadata=metadata))))
    assert info(path)["mods"] == "(none)"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_nothing_is_inflated(path, tmp_path):
    """Where the chunks were there is garbage: who looks at it fails."""
    broken = tmp_path / "broken.sav"
    broken.write_bytes(path.read_bytes()[: header_size(path)] + b"no chunk at all" * 10)
    assert info(broken)["session name"] == "oracle"
    assert run("ls", broken).exit_code == 2


def test_a_save_alone(tmp_path):
    """Without a command, a save, a folder and a code are shown by `info`; in a terminal with what people ask next."""
    assert run(SAMPLES[0]).stdout == run("info", SAMPLES[0]).stdout != ""
    assert run(SAMPLES[0], "--json").stdout == run("info", "--json", SAMPLES[0]).stdout
    assert run(tmp_path).stderr == run("info", tmp_path).stderr != ""
    code, shown = terminal(SAMPLES[0])
    assert (code, "session name" in shown, "streamsave satisfactory machines --idle" in shown) == (0, True, True)


def test_json():
    (line,) = json_lines("info", SAMPLES[0])
    assert line["file"] == str(SAMPLES[0])
    assert line["file_size"] == SAMPLES[0].stat().st_size
    assert (line["format"], line["version"]) == ("satisfactory", 46)
    assert line["header"]["play_duration"] == 3600
    assert line["header"]["save_date_time"] == "2022-09-28T22:13:20"
    assert len(line["header"]["save_data_hash"]) == 32


def test_several_files_have_their_name_first():
    rows = lines("info", *SAMPLES)
    assert [row[2] for row in rows if row[1] == "save version"] == ["46", "52", "58"]
    assert {row[0] for row in rows} == set(map(str, SAMPLES))


def test_a_version_without_hash_or_mods_says_nothing_about_them(tmp_path):
    path = tmp_path / "bare.sav"
    path.write_bytes(save_bytes(World(evolve(release_header(46), hash_valid=False))))
    assert "MD5" not in info(path)


def test_a_terminal_gets_a_table():
    code, text = terminal("info", SAMPLES[0], NO_COLOR="1")
    assert code == 0
    assert "│ play time" in text
    assert "│ 1:00:00" in text
    assert "\t" not in text


def test_real_mods(corpus):
    path = corpus / "satisfactory" / "v11-hv14-sv52-mods-3m.sav"
    if not path.exists():
        pytest.skip("that save is not here")
    (line,) = json_lines("info", path)
    assert info(path)["mods"] == str(len(line["header"]["mod_metadata"]["Mods"]))
    assert int(info(path)["mods"]) > 0


def test_the_version_of_the_engine():
    assert info(ROOT / "corpora" / "valid" / "gvas" / "palworld-1.0.sav")["engine version"] == "5.1.1"
