"""What the name of a save may be completed to."""

from __future__ import annotations

import click
import pytest

from streamsave.cli.save_path import SavePath


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    for name in ("other.txt", "some.sav", "some.SBP", ".hidden.sav", "one.sav.bak"):
        (tmp_path / name).touch()
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / "one.spz2").touch()
    monkeypatch.chdir(tmp_path)


def completed(start: str) -> list[tuple[str, str]]:
    argument = click.Argument(["saves"], type=SavePath())
    found = argument.type.shell_complete(click.Context(click.Command("x")), argument, start)
    return [(item.type, item.value) for item in found]


@pytest.mark.parametrize(
    ("start", "saves"),
    [
        ("so", ["some.SBP", "some.sav"]),
        ("./so", ["./some.SBP", "./some.sav"]),
        ("worlds/", ["worlds/one.spz2"]),
        (".h", [".hidden.sav"]),
    ],
)
def test_saves_come_by_their_endings(start, saves):
    assert completed(start) == [("plain", save) for save in saves]


@pytest.mark.parametrize("start", ["", "w", "o", "https://x", "nowhere/x", "~nobody/x"])
def test_else_the_shell_knows_all_files(start):
    """Where there are folders, which may have saves, and where no such save is."""

    assert completed(start) == [("file", start)]
