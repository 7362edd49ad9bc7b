"""`streamsave info`."""

from __future__ import annotations

import hashlib

import pytest
from attrs import evolve
from cli_runs import SAMPLES, json_lines, lines, run, terminal
from writer.satisfactory import World, release_header, save_bytes


def header_size(path) -> int:
    (line,) = json_lines("info", path)
    return line["header"]["size"]


def info(path) -> dict[str, str]:
    return dict(lines("info", path))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_header_of_a_sample(path):
    data = path.read_bytes()
    said = info(path)
    assert said["file size"].endswith(f"({len(data)} bytes)")
    assert said["MD5"] == hashlib.md5(data[header_size(path) :], usedforsecurity=False).hexdigest()


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
