"""Each recipe of `streamsave/HOWTO.md` prints what the page says, and its saves are those of the writer.

`pytest tests/test_howto.py --update-howto` writes what the recipes print into the page.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import zlib
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from cli_runs import AS_INSTALLED, ROOT, run, run_in
from writer.howto import files

PAGE: Final = ROOT / "streamsave" / "HOWTO.md"
SAVES: Final = ROOT / "corpora" / "howto"
#: A heading, its block of commands or program, and what that prints.
BLOCK: Final = re.compile(r"^### (.*?)$|^```(sh|python)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.DOTALL | re.MULTILINE)
#: What needs a package that comes with an extra.
NEEDS: Final = {"streamsave sql": "duckdb", "to_arrow": "pyarrow", "streamsave map": "matplotlib"}
#: What only a shell understands.
OF_A_SHELL: Final = re.compile(r"\||^export ", re.MULTILINE)


class Recipe(NamedTuple):
    question: str
    language: str
    code: str
    printed: str


def recipes() -> list[Recipe]:
    found, question = [], ""
    for head, language, code, printed in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        question = head or question
        if language:
            found.append(Recipe(question, language, code, printed))
    return found


RECIPES: Final = recipes()


def run_recipe(recipe: Recipe) -> str:
    """Return what a recipe prints, in the folder where we are."""
    if recipe.language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(recipe.code, "HOWTO.md", "exec"), {})  # noqa: S102 - our own words
        return printed.getvalue()
    if OF_A_SHELL.search(recipe.code):
        ran = run_in(Path.cwd(), "/bin/sh", "-c", AS_INSTALLED + recipe.code)
        assert (ran.returncode, ran.stderr) == (0, "")
        return ran.stdout
    printed = []
    for line in recipe.code.splitlines():
        words = shlex.split(line)
        ran = run(*words[1:])
        assert words[0] == "streamsave"
        # 1: there are findings, losses, differences.
        assert ran.exit_code in ({0, 1, 4} if words[1] in {"check", "diff", "salvage"} else {0}), ran.output
        printed.append(ran.output)
    return "".join(printed)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the saves, beside the other sample saves as in a checkout."""
    shutil.copytree(SAVES, tmp_path / "howto")
    (tmp_path / "valid").symlink_to(ROOT / "corpora" / "valid")
    monkeypatch.chdir(tmp_path / "howto")
    return tmp_path / "howto"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("recipe", RECIPES, ids=[recipe.question for recipe in RECIPES])
def test_recipe(recipe, folder, request):
    for word, module in NEEDS.items():
        if word in recipe.code:
            pytest.importorskip(module, reason=f"{module} is not installed")
    if "| jq " in recipe.code and shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    printed = run_recipe(recipe)
    if request.config.getoption("--update-howto"):
        start = f"```{recipe.language}\n{recipe.code}```\n"
        old = start + (f"\n```text\n{recipe.printed}```\n" if recipe.printed else "")
        new = start + (f"\n```text\n{printed}```\n" if printed else "")
        PAGE.write_text(PAGE.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return
    assert printed == recipe.printed
    # What prints nothing writes something.
    assert printed or len(list(folder.iterdir())) > len(list(SAVES.iterdir()))


def test_there_are_recipes_for_everybody():
    page = PAGE.read_text(encoding="utf-8")
    sections = page.split("\n## ")[1:]
    assert [section.splitlines()[0] for section in sections] == [
        "Players", "Players who change a save", "Owners of servers", "Analysts", "Modders", "Authors of tools",
    ]  # fmt: skip
    assert all(section.count("\n### ") >= 6 for section in sections)
    questions = {recipe.question for recipe in RECIPES}
    assert len(questions) == page.count("\n### ") >= 30
    assert f"has {len(questions)} such questions" in (ROOT / "README.md").read_text(encoding="utf-8")


def inflated(data: bytes) -> bytes:
    """The only zlib stream in a save."""
    start = re.search(rb"\x78[\x01\x9c\xda]", data)
    return zlib.decompress(data[start.start() :])


def test_the_saves_are_those_of_the_writer():
    """`python tools/make_corpora.py` writes them. Compressed bytes depend on the zlib at hand."""
    there = {path.name: inflated(path.read_bytes()) for path in SAVES.iterdir()}
    assert there == {name: inflated(data) for name, data in files().items()}


def test_the_saves_are_small():
    assert sum(path.stat().st_size for path in Path(SAVES).iterdir()) < 10_000
