"""`streamsave arx extract`; and `streamsave arx pack`: what `extract` has written becomes a save again."""

import os
import signal
import time
from contextlib import closing
from pathlib import Path

import orjson
import pytest
from cli_runs import lines, run, started
from saves import ROOT, file_with
from writer.arx import DEFLATED, IMPLODE, NO_EXTENSION, STORED, Container, Entry, crypt, implode_zeros
from writer.arx_samples import SAMPLES, inner_files

from streamsave.cli.arx import file_name_fault, folded, folder_of, free_name
from streamsave.formats.arx.container import read_container
from streamsave.input.source import open_source
from streamsave.limits import Limits

ARX = ROOT / "corpora" / "valid" / "arx"
UNSAFE = ROOT / "corpora" / "invalid" / "arx" / "unsafe-names.sav"


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "v2.1-duplicates"])
def test_all_entries(tmp_path, name):
    rows = lines("arx", "extract", ARX / f"{name}.sav", "-o", tmp_path / "new" / "folder")
    found = files(tmp_path / "new" / "folder")
    assert found.pop("empty", b"") == b""
    assert found == inner_files()
    assert [(row[0], int(row[2])) for row in rows if row[0] != "empty"] == [(n, len(data)) for n, data in inner_files().items()]


def test_real_containers(corpus, tmp_path):
    folder = corpus / "arx"
    if not folder.is_dir():
        pytest.skip("there are no real saves of Arx")
    for path in folder.glob("v1*.sav"):
        target = tmp_path / path.stem
        lines("arx", "extract", path, "-o", target)
        assert files(target) == files(folder / "inner")


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("where", ["saves", "saves/*/*.sav"])
def test_each_of_several_saves_has_a_folder(tmp_path, monkeypatch, where, jobs):
    monkeypatch.chdir(tmp_path)
    for name in ("saves/save0001", "saves/save0002"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "gsave.sav").write_bytes((ARX / "v1.1.sav").read_bytes())
    assert len(lines("arx", "extract", where, "pld", "lvl*", "-o", "out", "-j", jobs)) == 4
    inner = inner_files()
    assert files(tmp_path / "out") == {
        f"saves/{save}/gsave.sav/{name}": inner[name] for save in ("save0001", "save0002") for name in ("pld", "lvl001")
    }


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("saves/a.sav", "saves/a.sav"),
        ("/saves/../a.sav", "saves/a.sav"),
        ("../../a.sav", "a.sav"),
        ("C:\\saves\\a.sav", "C/saves/a.sav"),
        ("https://host:80/saves/a.sav?x=1", "https/host/80/saves/a.sav_x=1"),
        ("-", "(standard input)"),
    ],
)
def test_folder_of(name, folder):
    assert folder_of(name).as_posix() == folder


def test_messages_about_entries_of_several_saves_name_the_save(tmp_path):
    folder = tmp_path / "saves"
    folder.mkdir()
    for save in (UNSAFE, ARX / "v2.1-duplicates.sav"):
        one = run("arx", "extract", save, "*", "no", "-o", tmp_path / save.stem)
        (folder / save.name).write_bytes(save.read_bytes())
        several = run("arx", "extract", folder, "*", "no", "-o", tmp_path / "all")
        assert one.exit_code == several.exit_code == 2
        assert several.stderr == one.stderr.replace("streamsave: ", f"streamsave: {folder / save.name}: ")
        (folder / save.name).unlink()


DEVICES = "con PRN aux Nul COM0 lpt9 COM\xb9 com\xb2 LPT\xb3 lpt\xb9 conin$ CONOUT$"
NAMES = "pld goblin_base_0007 player_-001 .sav ..a \xe4pfel nullable #1 com com\xb9\xb2 com10 conin xcon"


def test_unsafe_names(tmp_path):
    folder = tmp_path / "folder"
    result = run("arx", "extract", UNSAFE, "-o", folder)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 10
    assert "\x1b" not in result.stderr
    assert files(folder) == {"n" * 255: b"do not write me"}
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "a/b", "/a", "a\\b", "c:", "a*", "a\0", "\x7f", "\x85", "NUL", "com1.txt", "a.", "a "),
        *("n" * 256, "\xe9" * 128),
        *(
            variant
            for device in DEVICES.split()
            for variant in (device, f"{device}.txt", f"{device} .a.b", f"{device}.", f"{device} ", f"{device}...  ")
        ),
    ],
)
def test_names_that_are_none(name):
    assert file_name_fault(name) is not None


@pytest.mark.parametrize("name", ["a b", *NAMES.split()])
def test_names_that_are(name):
    assert file_name_fault(name) == ""


@pytest.mark.parametrize(("first", "second"), [("A", "a"), ("\xe9", "e\u0301"), ("\xc9", "e\u0301"), ("Stra\xdfe", "STRASSE")])
def test_names_that_are_one_file_on_some_systems_get_a_number(first, second):
    assert free_name(second, {folded(first)}) == f"{second}#2"
    assert free_name(second, {folded(first), folded(f"{first}#2")}) == f"{second}#3"
    assert free_name(second, {folded(first + "x")}) == second


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_saves_with_names_that_are_one_folder_on_some_systems_have_two_folders(tmp_path, monkeypatch, jobs):
    monkeypatch.chdir(tmp_path)
    for name in ("x", "X"):
        Path(name).mkdir()
        Path(name, "a.sav").write_bytes(Container(NO_EXTENSION, [Entry(b"n", name.encode(), STORED)]).encode())
    if Path("x/a.sav").samefile("X/a.sav"):
        pytest.skip("this file system ignores case")
    lines("arx", "extract", "?/a.sav", "-o", "out", "--force", "--jobs", jobs)
    assert Path("out/X/a.sav/n").read_bytes() == b"X"
    assert Path("out/x/a.sav#2/n").read_bytes() == b"x"


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    assert run("arx", "extract", ARX / "v1.1.sav", "-o", tmp_path / "file" / "out").exit_code == 2


@pytest.mark.parametrize("limits", [("total_inflated_size=1500000",), ("inflate_ratio_after=1500000",)])
def test_all_entries_together_are_within_the_limits(tmp_path, limits):
    """What does not say its size is counted as it comes."""
    entries = [Entry(name, bytes(1_000_000), DEFLATED, unknown_size=True) for name in (b"one", b"two")]
    path = file_with(tmp_path / "save.sav", Container(NO_EXTENSION, entries).encode())
    result = run("arx", "extract", path, "-o", tmp_path / "out", "--limit", *limits)
    assert result.exit_code == 2
    assert "two: " in result.stderr
    assert "is above the limit" in result.stderr
    assert set(files(tmp_path / "out")) == {"one"}
    assert run("arx", "extract", path, "-o", tmp_path / "all").exit_code == 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("jobs", [(), ("-j2",)], ids=["one process", "several"])
def test_a_signal_leaves_no_half_file(tmp_path, jobs):
    """The entry takes long to unpack: it is imploded."""
    big = Entry(b"big", b"", IMPLODE, packed=crypt(implode_zeros(256 << 20)), unknown_size=True)
    saves, out = tmp_path / "saves", tmp_path / "out"
    saves.mkdir()
    (saves / "big.sav").write_bytes(Container(NO_EXTENSION, [big]).encode())
    (saves / "small.sav").write_bytes((ARX / "v1.1.sav").read_bytes())
    with started("arx", "extract", *jobs, saves, "-o", out) as child:
        while not list(out.rglob("big.sav/.streamsave-*")):
            assert child.poll() is None
            time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=60)
    assert child.returncode == -signal.SIGTERM
    # A worker may end a moment later.
    for _ in range(100):
        if not (left := list(out.rglob("big.sav/*"))):
            break
        time.sleep(0.1)
    assert left == []


@pytest.mark.parametrize("name", ["v1.0.sav", "v1.1-gaps.sav", "v2.0.sav", "v2.1.sav"])
@pytest.mark.parametrize("options", [(), ("--like",)])
def test_what_was_extracted_comes_out_again(tmp_path, name, options):
    run("arx", "extract", ARX / name, "-o", tmp_path / "old")
    like = (*options, ARX / name) if options else ()
    ran = run("arx", "pack", tmp_path / "old", "-o", tmp_path / "new.sav", "--json", *like)
    assert ran.exit_code == 0
    row = orjson.loads(ran.stdout)
    number = name[1:4].replace(".", "")
    assert row["version"] == (f"0x{number[0]}000{number[1]}" if like else "0x20001")
    run("arx", "extract", tmp_path / "new.sav", "-o", tmp_path / "again")
    assert files(tmp_path / "again") == files(tmp_path / "old")
    assert run("check", tmp_path / "new.sav").exit_code == run("check", ARX / name).exit_code


@pytest.mark.parametrize("options", [(), ("--like", "old.sav")])
def test_names_that_differ_in_case_only_come_out_again(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    names = ["A", "a", "b", "a", "\xc9", "\xe9"]
    entries = [Entry(name.encode("latin-1"), b"%d" % number, STORED) for number, name in enumerate(names)]
    Path("old.sav").write_bytes(Container(NO_EXTENSION, entries).encode())
    run("arx", "extract", "old.sav", "-o", "entries")
    assert run("arx", "pack", "entries", "-o", "new.sav", *options).exit_code == 0
    with closing(open_source("new.sav")) as source:
        packed = [entry.name for entry in read_container(source, Limits()).entries]
    assert sorted(packed) == sorted(names)
    run("arx", "extract", "new.sav", "-o", "again")
    assert files(Path("again")) == files(Path("entries"))
    if options:
        assert run("diff", "old.sav", "new.sav").exit_code == 0
