"""`streamsave check`."""

from __future__ import annotations

import orjson
import pytest
from cli_runs import LEVEL, process, run, terminal, thing
from saves import SATISFACTORY
from writer.primitives import Ref
from writer.satisfactory import World, release_header, save_bytes
from writer.tags import OBJECT, Prop
from writer.trailers import Opaque


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "sound.sav"
    path.write_bytes(save_bytes(World(release_header(46), (), [thing("BP_Chest_C_1")])))
    return path


@pytest.fixture
def noted(tmp_path):
    """A save with notes: a mod's bytes, a reference that leads nowhere."""
    path = tmp_path / "noted.sav"
    nowhere = Prop("mOwner", OBJECT, Ref("Persistent_Level", LEVEL + "BP_Gone_C_1"))
    path.write_bytes(save_bytes(World(release_header(46), (), [thing("BP_Chest_C_1", nowhere, trailer=Opaque(b"mod"))])))
    return path


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / "faulty.sav"
    path.write_bytes(save_bytes(World(release_header(46), unresolved=None)))
    return path


@pytest.fixture
def cut(tmp_path, sound):
    path = tmp_path / "cut.sav"
    path.write_bytes(sound.read_bytes()[:-1])
    return path


def test_sound(sound):
    result = run("check", sound)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{sound}: sound\n", "")


def test_notes_are_no_findings(noted):
    assert run("check", noted).stdout == f"{noted}: sound, 2 notes\n"
    result = run("check", "-v", noted)
    mod, dangling, verdict = result.stdout.splitlines()
    chest = f"Persistent_Level/{LEVEL}BP_Chest_C_1"
    assert mod.startswith(f"{noted}: note: offset 0x")
    assert mod.endswith(f": {chest}: unknown trailing data of /Game/Oracle/BP_Thing.BP_Thing_C (1 times, here first)")
    assert f": {chest}/mOwner: at least 1 of 1 references" in dangling
    assert verdict == f"{noted}: sound, 2 notes"
    assert result.exit_code == 0


def test_one_finding(faulty):
    result = run("check", faulty)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1] == f"{faulty}: 1 finding"


def test_several_findings(tmp_path, sound):
    twice = tmp_path / "twice.sav"
    twice.write_bytes(sound.read_bytes() * 2)
    result = run("check", twice)
    md5, fatal, verdict = result.stdout.splitlines()
    assert md5.startswith(f"{twice}: finding: MD5 of the chunks is ")
    assert fatal.startswith(f"{twice}: fatal: offset 0x")
    assert verdict == f"{twice}: 2 findings"
    assert result.exit_code == 4


def test_a_save_that_cannot_be_decoded(cut):
    result = run("check", cut)
    assert result.exit_code == 4
    assert "fatal: offset" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["sound", "noted"], 0),
        (["sound", "faulty"], 1),
        (["faulty", "sound"], 1),
        (["faulty", "missing"], 2),
        (["missing", "faulty"], 2),
        (["folder", "sound"], 2),
        (["missing", "cut", "faulty"], 4),
        (["cut", "missing", "sound"], 4),
    ],
)
def test_the_worst_of_many_files_is_the_exit_code(names, code, sound, noted, faulty, cut, tmp_path):
    (tmp_path / "folder").mkdir()
    paths = {
        **{path.stem: path for path in (sound, noted, faulty, cut)},
        "missing": tmp_path / "missing.sav",
        "folder": tmp_path / "folder",
    }
    result = run("check", *(paths[name] for name in names))
    assert result.exit_code == code
    for name in names:
        said = result.stderr if name in {"missing", "folder"} else result.stdout
        assert f"{paths[name]}: " in said


def test_unreadable_files_are_reported(tmp_path):
    result = run("check", tmp_path / "missing.sav", tmp_path)
    missing, folder = result.stderr.splitlines()
    assert missing == f"streamsave: {tmp_path / 'missing.sav'}: No such file or directory"
    assert folder.startswith(f"streamsave: {tmp_path}: no save is in this folder")
    assert result.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sv25.sav", "sv58.sav", "sv58.sbp", "v6.sbpcfg"])
def test_pipe_says_what_the_file_says(name):
    path = SATISFACTORY / name
    piped = process("check", "-", stdin=path.read_bytes())
    told = process("check", path)
    assert piped.stdout.replace(b"(standard input)", str(path).encode()) == told.stdout
    assert (piped.returncode, piped.stderr) == (told.returncode, told.stderr) == (0, b"")


@pytest.mark.slow
def test_damage_from_a_pipe(cut):
    piped = process("check", "-", stdin=cut.read_bytes())
    assert piped.returncode == 4
    assert b"(standard input): fatal: " in piped.stdout


def test_json(noted):
    result = run("check", noted, "--json")
    mod, dangling, whole = map(orjson.loads, result.stdout.splitlines())
    assert whole == {"file": str(noted), "result": "sound", "notes": 2, "findings": 0}
    assert {name: mod[name] for name in ("file", "severity", "kind", "path")} == {
        "file": str(noted),
        "severity": "note",
        "kind": "unknown-bytes",
        "path": ["Persistent_Level", LEVEL + "BP_Chest_C_1"],
    }
    assert isinstance(mod["offset"], int)
    assert list(dangling) == list(mod) == ["file", "severity", "kind", "offset", "path", "message"]


def test_json_of_what_is_about_the_whole_save(faulty):
    result = run("check", faulty, "--json")
    finding, whole = map(orjson.loads, result.stdout.splitlines())
    assert whole == {"file": str(faulty), "result": "findings", "notes": 0, "findings": 1}
    assert (finding["severity"], finding["kind"], finding["offset"], finding["path"]) == ("finding", "missing-list", None, [])
    assert result.exit_code == 1


def test_json_of_a_sound_save_is_one_record(sound):
    result = run("check", sound, "--json")
    assert result.exit_code == 0
    assert [orjson.loads(line) for line in result.stdout.splitlines()] == [
        {"file": str(sound), "result": "sound", "notes": 0, "findings": 0}
    ]
    assert run("check", "-q", sound, "--json").stdout == ""


def test_quiet(sound, noted, faulty, cut):
    assert (run("check", "-q", sound, noted).stdout, run("check", "-q", sound, noted).exit_code) == ("", 0)
    result = run("check", "-q", sound, noted, faulty, cut)
    assert [line.split(": ")[:2] for line in result.stdout.splitlines()] == [
        [str(faulty), "finding"],
        [str(cut), "finding"],
        [str(cut), "fatal"],
    ]
    assert result.exit_code == 4


def test_summary(sound, noted, faulty, cut):
    result = run("check", "--summary", sound, noted, faulty, cut)
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    said = "unresolved_destroyed_actors is missing: the game always writes it"
    end = "offset 0x0 (chunk 0 + 0x0): the file ends inside a chunk (expected 113 bytes, found 112)"
    assert rows == [
        [str(sound), "sound", "0", "0", ""],
        [str(noted), "sound", "2", "0", ""],
        [str(faulty), "findings", "0", "1", said],
        [str(cut), "undecodable", "0", "2", end],
    ]
    _, text = terminal("check", "--summary", "--jobs", "2", sound, faulty, cut, "nix.sav", NO_COLOR="1")
    heading, first, *_, last = text.splitlines()
    assert (heading.split(), first.split()) == (["result", "notes", "findings", "file"], ["sound", "0", "0", str(sound)])
    assert last == "2 of 4 are damaged; 1 cannot be read"
    assert f"{faulty}  {said}\n" in text
    records = [orjson.loads(line) for line in run("check", "--summary", "--json", noted, cut).stdout.splitlines()]
    assert [record["result"] for record in records] == ["sound", "undecodable"]


def test_prometheus(sound, noted, cut, tmp_path):
    missing = tmp_path / "missing.sav"
    result = run("check", "--format", "prometheus", sound, noted, cut, missing)
    assert result.exit_code == 4
    said = result.stdout.splitlines()
    assert said.count("# TYPE streamsave_check_result gauge") == 1
    for path, code in ((sound, 0), (noted, 0), (cut, 4), (missing, 2)):
        assert f'streamsave_check_result{{file="{path}"}} {code}' in said
    assert f'streamsave_check_notes{{file="{noted}"}} 2' in said
    assert f'streamsave_check_findings{{file="{cut}"}} 2' in said
    assert not [line for line in said if line.startswith("streamsave_check_findings") and "missing" in line]
    target = tmp_path / "saves.prom"
    assert run("check", "--format", "prometheus", "-o", target, sound, "--jobs", "2", noted).exit_code == 0
    assert f'streamsave_check_result{{file="{noted}"}} 0\n' in target.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


@pytest.mark.parametrize(
    "options",
    [["-q", "-v"], ["-q", "--summary"], ["-o", "a.prom"], ["--format", "prometheus", "--json"], ["--format", "prometheus", "-v"]],
)
def test_options_that_exclude_each_other(options, sound):
    result = run("check", *options, sound)
    assert result.exit_code == 2
    assert "Usage" in result.stderr
