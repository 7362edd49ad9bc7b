"""Which saves an argument of the command line means."""

import ntpath
import os
import zipfile
from types import SimpleNamespace

import pytest
from cli_runs import run
from saves import VALID
from served import Served, serving

from streamsave.cli.save_names import expand, file_name, is_many

FILES = ("a.sav", "b.SBP", "c.txt", "deep/d.spz2", "deep/er/e.savegame", "deep/readme", "f[1].sav", "g.sbpcfg", "h.spz2bp")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of files, which is also the current one."""
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(argument) -> list[str]:
    """The saves that an argument means, with / between folders."""
    return [
        name.replace(os.sep, "/") if isinstance(name, str) else f"{name.filename}: {name.strerror}" for name in expand(argument)
    ]


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("a.sav", ["a.sav"]),
        ("missing.sav", ["missing.sav"]),
        ("c.txt", ["c.txt"]),
        ("f[1].sav", ["f[1].sav"]),
        ("-", ["-"]),
        ("SHAPEZ2-1-xyz*$", ["SHAPEZ2-1-xyz*$"]),
        ("deep", ["deep/d.spz2", "deep/er/e.savegame"]),
        (
            ".",
            [f"./{name}" for name in sorted(FILES, key=lambda name: ("/" in name, name)) if name not in {"c.txt", "deep/readme"}],
        ),
        ("?.sav", ["a.sav"]),
        ("f[[]?].sav", ["f[1].sav"]),
        ("*.txt", ["c.txt"]),
        ("d*", ["deep/d.spz2", "deep/er/e.savegame"]),
        ("deep/**", ["deep/d.spz2", "deep/er/e.savegame", "deep/readme"]),
        ("**/e.*", ["deep/er/e.savegame"]),
        ("*.nothing", ["*.nothing: no file matches"]),
        ("C:\\x.sav", ["C:\\x.sav"]),
    ],
)
@pytest.mark.usefixtures("folder")
def test_names(argument, expected):
    assert names(argument) == expected


@pytest.mark.parametrize("argument", [".", "deep", "*.sav", "a*", "memory://a/", "memory://*.sav", "nothing-*"])
@pytest.mark.usefixtures("folder")
def test_what_may_be_many(argument):
    assert is_many(argument)


@pytest.mark.parametrize("argument", ["a.sav", "missing", "f[1].sav", "-", "memory://a.sav", "http://h/x?a=b", "SHAPEZ2-1-*$"])
@pytest.mark.usefixtures("folder")
def test_what_is_one(argument):
    assert not is_many(argument)


def test_a_folder_without_saves(tmp_path):
    (name,) = expand(str(tmp_path))
    assert isinstance(name, OSError)
    assert name.filename == str(tmp_path)
    assert ".sav, " in name.strerror


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.usefixtures("folder")
def test_pipes_in_a_folder_are_left_alone():
    os.mkfifo("deep/pipe.sav")
    assert names("deep") == ["deep/d.spz2", "deep/er/e.savegame"]


def test_links(folder):
    """One that leads nowhere is a file that cannot be read; those to folders are not followed: they may lead round in circles."""
    (folder / "deep" / "broken.sav").symlink_to("nowhere.sav")
    (folder / "deep" / "er" / "circle").symlink_to(folder)
    assert names("deep") == ["deep/broken.sav", "deep/d.spz2", "deep/er/e.savegame"]


@pytest.mark.parametrize("pattern", ["**/*.sav", "**/**/*.sav", "one/**/*.sav", "*/**/*.sav", "./**/[ab].sav", "**/a.sav"])
def test_all_folders_with_links_that_lead_in_circles(tmp_path, monkeypatch, pattern):
    """Each link doubles the number of paths: without end, these would be 2**40."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name[0].replace('o', 'a').replace('t', 'b')}.sav").touch()
        for number in range(4):
            (tmp_path / name / f"up{number}").symlink_to(tmp_path)
    found = [path.removeprefix("./") for path in names(pattern)]
    assert sum(path.endswith("a.sav") for path in found) == 1
    assert sum(path.endswith("b.sav") for path in found) == (pattern != "**/a.sav")
    if not pattern.startswith("one"):
        assert "one/a.sav" in found


def test_all_folders_in_a_folder_behind_a_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "far" / "deep" / "a.sav").touch()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path / "far")
    (tmp_path / "here" / "again").symlink_to(tmp_path / "far" / "deep")
    (tmp_path / "here" / ".hidden").mkdir()
    (tmp_path / "here" / ".hidden" / "a.sav").touch()
    assert names("here/**/*.sav") == ["here/again/a.sav"]
    assert names("here/**/deep/*.sav") == ["here/link/deep/a.sav"]
    assert names("here/**") == ["here/again/a.sav"]
    assert names("nothing/**") == ["nothing/**: no file matches"]


@pytest.mark.usefixtures("folder")
def test_a_folder_that_may_not_be_read(monkeypatch):
    def scandir(path):
        if os.fspath(path).endswith("er"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    real = os.scandir
    monkeypatch.setattr("os.scandir", scandir)
    assert names("deep") == ["deep/d.spz2", f"deep{os.sep}er: Permission denied"]


def test_looked_up_one_by_one(folder):
    """A file that comes while the first ones are read is found."""
    coming = expand(".")
    next(coming)
    (folder / "deep" / "er" / "late.sav").touch()
    assert any("late.sav" in str(name) for name in coming)


@pytest.fixture
def memory(memory):
    """The same files in fsspec's memory."""
    for name in FILES:
        memory.pipe(f"/saves/{name}", b"")


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("memory://saves/a.sav", ["memory://saves/a.sav"]),
        ("memory://saves/deep/", ["memory:///saves/deep/d.spz2", "memory:///saves/deep/er/e.savegame"]),
        ("memory://saves/*.sav", ["memory:///saves/a.sav", "memory:///saves/f[1].sav"]),
        ("memory://saves/**/e.*", ["memory:///saves/deep/er/e.savegame"]),
        ("memory://saves/d*", ["memory://saves/d*: no file matches"]),
    ],
)
@pytest.mark.usefixtures("memory")
def test_urls(argument, expected):
    assert names(argument) == expected


@pytest.mark.usefixtures("memory")
def test_urls_of_nothing():
    (name,) = expand("memory://nothing/")
    assert isinstance(name, OSError)
    assert name.filename == "memory://nothing/"
    (name,) = expand("frobnicate://*")
    assert isinstance(name, OSError)
    assert (name.filename, name.strerror) == ("frobnicate://*", "Protocol not known: frobnicate")


@pytest.mark.usefixtures("memory")
def test_urls_in_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "saves.zip", "w") as archive:
        for name in FILES:
            archive.writestr(name, b"")
    behind = (tmp_path / "saves.zip").as_uri()
    assert names(f"zip://*.sav::{behind}") == [f"zip://a.sav::{behind}", f"zip://f[1].sav::{behind}"]


def test_pages_of_a_server_are_folders():
    pytest.importorskip("aiohttp", reason="needs the extra `remote`")
    page = b'<a href="x.sav">x</a> <a href="y.txt">y</a> <a href="z.sav">z</a>'
    with serving(Served({"": page})) as server:
        assert names(server.url) == [f"{server.url}x.sav", f"{server.url}z.sav"]
        assert names(f"{server.url}x.sav?version=1") == [f"{server.url}x.sav?version=1"]


HOSTILE = "a\x1b[31m\n"
#: Commands that write the name of a save, with what is before and after it.
COMMANDS = [
    (["info"], []),
    (["ls"], []),
    (["cat"], []),
    (["cat", "--flat"], []),
    (["grep", "-l", ""], []),
    (["grep", "-c", ""], []),
    (["ls", "--by-class", "--full"], []),
    (["check"], []),
    (["check", "--summary"], []),
    (["check", "--format", "prometheus"], []),
    (["edit", "--dry-run", "--drop", "instance_name = *"], []),
    (["edit", "--session-name", "x"], ["-o", "new"]),
    (["salvage"], ["--save", "salvaged"]),
    (["diff", "old"], []),
]


@pytest.mark.skipif(os.name == "nt", reason="no such names there")
def test_no_name_of_a_save_reaches_the_terminal_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / HOSTILE).mkdir()
    data = (VALID / "arx" / "v2.1-duplicates.sav").read_bytes()
    names = [f"{HOSTILE}/{name}.sav" for name in "ab"]
    for name in ("old", *names):
        (tmp_path / name).write_bytes(data)
    for before, after in COMMANDS:
        files = names[:1] if after or before[0] == "diff" else names
        result = run(*before, *files, *[f"{HOSTILE}/{each}" if each.isalpha() else each for each in after])
        assert result.exit_code <= 1, before
        assert "\x1b" not in result.output, before
    (tmp_path / HOSTILE / "out").mkdir()
    (tmp_path / HOSTILE / "out" / "globals.sav").write_bytes(b"")
    result = run("arx", "pack", f"{HOSTILE}/out", "-o", f"{HOSTILE}/packed.sav")
    assert result.exit_code == 0
    assert "\x1b" not in result.output


def test_the_last_part_of_a_name(monkeypatch):
    assert [file_name("a/b.sav"), file_name("https://host/c.sav"), file_name("d/"), file_name("a\\b.sav")] == [
        "b.sav",
        "c.sav",
        "d",
        "a\\b.sav",
    ]
    monkeypatch.setattr("streamsave.cli.save_names.os", SimpleNamespace(path=ntpath, sep="\\"))
    assert {file_name(name) for name in (r"C:\a\b.sav", "C:/a/b.sav", "a\\b.sav\\")} == {"b.sav"}
