"""What commands print: a command and its output side by side in `printed/`; `pytest --update-golden` writes the outputs anew.

| a line of a file | is |
|---|---|
| `$ streamsave ...` | a command, as a shell takes it |
| `! ...` | a line of its standard error |
| `[exit 1]` | its exit code, unless that is 0 |
| any other | a line of its standard output |

It runs in a folder that has `valid` and `xbox` of `corpora`, and a few worlds that are made here.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runs import LEVEL, run, small_world, thing, write
from lightweight_worlds import world
from saves import VALID

PAIRS = Path(__file__).resolve().parent / "printed"
FILES = sorted(PAIRS.glob("*.txt"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("printed")
    for samples in (VALID, VALID.parent / "xbox"):
        shutil.copytree(samples, made / samples.name)
    small_world(made)
    write(made, "twins.sav", thing("A.Inventory"), thing("B.Inventory"), thing("C"), thing(f"Outer.{LEVEL}C"))
    (made / "foundations.sav").write_bytes(world(58))
    (made / "bad.sav").write_bytes((made / "small.sav").read_bytes()[:100])
    (made / "longer.sav").write_bytes((made / "small.sav").read_bytes() + b"after the end of the save")
    return made


def printed(command: str) -> Iterator[str]:
    """Yield the lines of a file for one command."""
    yield command
    result = run(*shlex.split(command.removeprefix("$ streamsave ")))
    yield from result.stdout.splitlines()
    yield from (f"! {line}" for line in result.stderr.splitlines())
    if result.exit_code:
        yield f"[exit {result.exit_code}]"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_commands_print_what_they_printed(path, folder, monkeypatch, pytestconfig):
    expected = path.read_text(encoding="utf-8")
    monkeypatch.chdir(folder)
    lines = [line for command in expected.splitlines() if command.startswith("$ ") for line in printed(command)]
    text = "".join(f"{line}\n" for line in lines)
    if pytestconfig.getoption("--update-golden"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text.splitlines() == expected.splitlines()
