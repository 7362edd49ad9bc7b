"""README.md and the pages it leads to: what is in them runs as it is written. CONTRIBUTING.md: its files exist."""

import ast
import os
import re
import sys
from typing import Final

import pytest
from cli_runs import AS_INSTALLED, ROOT, SAMPLES, run, run_in

import streamsave
from streamsave import parse_selection
from streamsave.cli.app import COMMANDS
from streamsave.consume import parser as streamsave_grammar

README: Final = (ROOT / "README.md").read_text(encoding="utf-8")
#: Page -> text, of the pages whose commands and programs are tried here. The recipes and the tutorial have tests of their own.
PAGES: Final = {
    page: (ROOT / page).read_text(encoding="utf-8")
    for page in sorted(set(re.findall(r"\]\(([\w/]+\.md)\)", README)))
    if not page.endswith(("FORMAT.md", "HOWTO.md", "TUTORIAL.md")) and "/" in page
}


def blocks(language: str, page: str = "") -> list[str]:
    """The blocks of code in one language, of all pages or of one."""
    text = PAGES[page] if page else "".join([README, *PAGES.values()])
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def section(head: str) -> str:
    return README.split(f"\n## {head}\n")[1].split("\n## ")[0]


def shell_commands() -> list[str]:
    """All commands that can run here; of `a && b`, those of the parts that can. Others install things, or run all tests."""
    left_out = ("pip install", "tox", "python tools/")
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    parts = [[part for part in line.split(" && ") if not part.startswith(left_out)] for line in lines]
    return [" && ".join(some) for some in parts if some]


def test_example():
    example = blocks("python")[0]
    assert len(example.splitlines()) <= 11
    ran = run_in(ROOT, sys.executable, "-c", example)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == [f"Persistent_Level:PersistentLevel.BP_EnemySpawner{n} [{n}]" for n in range(1, 8)]


def test_it_is_read_in_five_minutes():
    assert len(README.splitlines()) <= 150


def test_its_links_lead_to_files():
    link = re.compile(r"\]\((?!https?:)([^)#]+)")
    linked = [(page, target) for page, text in {"README.md": README, **PAGES}.items() for target in link.findall(text)]
    assert len(linked) > 25
    assert [(page, target) for page, target in linked if not (ROOT / page).parent.joinpath(target).is_file()] == []


@pytest.mark.slow
def test_some_of_the_objects():
    ran = run_in(ROOT, sys.executable, "-c", blocks("python", "streamsave/consume/SELECTIONS.md")[0])
    assert (ran.returncode, ran.stderr) == (0, "")
    *spawners, counts = ran.stdout.splitlines()
    assert [ast.literal_eval(line[line.index("{") :])["mSpawnData[0].NumTimesKilled"] for line in spawners] == [6, 7]
    listed = (run("ls", "--where", where, SAMPLES[-1]).stdout.splitlines() for where in ("kind = actor", "outer ~ Spawner"))
    assert counts == " ".join(str(len(each)) for each in listed)


def test_tests_are_those_of_the_grammar():
    """Each row of the table is a row of the docstring, with the same test before it."""
    rows = re.findall(r"^\| (`.*?) \| ", PAGES["streamsave/consume/SELECTIONS.md"].partition("\n## ")[0], re.MULTILINE)
    assert len(rows) == 13
    for row in rows:
        for test in re.findall(r"`([^`]+)`", row):
            assert test in (streamsave_grammar.__doc__ or "")
            parse_selection(test)


@pytest.mark.slow
def test_the_programs_on_edits_are_whole(tmp_path):
    (tmp_path / "corpora").symlink_to(ROOT / "corpora")
    ran = [run_in(tmp_path, sys.executable, "-c", program) for program in blocks("python", "streamsave/rewriting/EDITING.md")]
    assert [(each.stdout, each.stderr) for each in ran] == [("museums: 0\n", ""), ("museums: 1\n", "")]


@pytest.mark.slow
def test_tables():
    for name in ("dask", "duckdb", "pandas", "polars", "pyarrow"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    ran = run_in(ROOT, sys.executable, "-c", blocks("python", "streamsave/output/TABLES.md")[0])
    assert (ran.returncode, ran.stderr) == (0, "")
    killed, count, of_one_level, rows_and_errors = ran.stdout.splitlines()
    assert sorted(ast.literal_eval(killed)) == [(f"corpora/valid/satisfactory/{name}.sav", 28) for name in ("sv52", "sv58")]
    assert (count, of_one_level, rows_and_errors) == ("14", "4", "14 0")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "expected"), [(1, ["True", "3"]), (2, ["19 0"])], ids=["series", "fleet"])
def test_recipes_of_tables(number, expected):
    for name in ("dask", "duckdb", "polars", "pyarrow"):
        pytest.importorskip(name, reason=f"{name} is not installed")
    ran = run_in(ROOT, sys.executable, "-c", blocks("python", "streamsave/output/TABLES.md")[number])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines() == expected


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("command", shell_commands())
def test_command(command, tmp_path):
    """In a folder that has the corpora, too, and gets the files that are written."""
    if re.search(r"-o \S+\.(png|svg)", command):
        pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    corpora = tmp_path / "corpora"
    corpora.symlink_to(ROOT / "corpora")
    ran = run_in(tmp_path, "/bin/sh", "-c", AS_INSTALLED + command)
    assert (ran.returncode, ran.stderr) == (0, "")
    written = [path for path in tmp_path.iterdir() if path != corpora]
    assert ran.stdout or [path.stat().st_size > 1000 for path in written] == [True]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_messages_are_as_the_pages_show_them():
    """The mark of an error, too, is at its place in the text."""
    examples = re.findall(r"^```\n\$ (streamsave .*\n)((?:.*\n)+?)```", "".join(PAGES.values()), re.MULTILINE)
    assert len(examples) == 4
    for command, said in examples:
        assert run_in(ROOT, "/bin/sh", "-c", AS_INSTALLED + command).stderr.endswith(said)


def test_all_kinds_of_commands_are_run():
    assert len(shell_commands()) == 11


def test_all_commands_are_in_the_table():
    assert re.findall(r"^\| `([\w-]+)` \|", section("Commands"), re.MULTILINE) == list(COMMANDS)


def test_all_events_are_in_the_table():
    kinds = {name: getattr(streamsave, name) for name in streamsave.__all__}
    names = {name for name, kind in kinds.items() if isinstance(kind, type) and streamsave.Event in kind.__mro__}
    assert names - set(re.findall(r"`(\w+)`", section("Events"))) <= {"Event"}


CONTRIBUTING: Final = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_files_that_contributing_names_exist():
    """A path starts at the root, and `<family>` is any name in it; a name alone is a file somewhere in these folders."""
    named = set(re.findall(r"`((?:[\w.<>]+/)*[\w<>]+\.(?:py|md|toml))`", CONTRIBUTING))
    assert len(named) > 50
    patterns = {name: re.sub(r"<\w+>", "*", name) for name in named}
    folders = [ROOT / name for name in ("streamsave", "tools", "tests")]
    missing = [
        name
        for name, pattern in patterns.items()
        if not any(ROOT.glob(pattern)) and ("/" in name or not any(any(folder.rglob(pattern)) for folder in folders))
    ]
    assert missing == []


def test_links_of_contributing():
    heads = {line.lstrip("# ").lower().replace(" ", "-") for line in CONTRIBUTING.splitlines() if line.startswith("#")}
    linked = set(re.findall(r"\]\(#([\w-]+)\)", CONTRIBUTING))
    assert linked <= heads
    assert len(linked) >= 9


@pytest.mark.parametrize("page", sorted(ROOT.glob("streamsave/formats/*/FORMAT.md")), ids=lambda page: page.parent.name)
def test_files_that_the_pages_on_formats_name_exist(page):
    """In the folder of the page, in `streamsave/`, or among what all Unreal formats share; links lead to files."""
    text = page.read_text(encoding="utf-8")
    folders = [page.parent, ROOT / "streamsave", ROOT / "streamsave" / "formats" / "unreal"]
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", text))
    assert [name for name in named if not any((folder / name).is_file() for folder in folders)] == []
    assert [link for link in re.findall(r"\]\(([^)#:]+)", text) if not (page.parent / link).is_file()] == []
