"""The pages of the manual, and the tutorial: its commands and programs run as they are written."""

import re
import sys

import make_manual
import pytest
from cli_runs import AS_INSTALLED, ROOT, run_in

import streamsave
from streamsave.cli.app import COMMANDS

TUTORIAL = (ROOT / "streamsave" / "TUTORIAL.md").read_text(encoding="utf-8")
#: Language, code, and what it prints.
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```\n\n```text\n(.*?)^```", TUTORIAL, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("manual") / "pages"
        patch.setattr(make_manual, "PAGES", folder)
        make_manual.write_pages()
    return folder


def test_the_pages_are_those_of_the_contents(pages):
    listed = set(re.findall(r": ([\w/]+\.md)$", (ROOT / "tools" / "manual" / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed == {path.relative_to(pages).as_posix() for path in pages.rglob("*.md")}


def test_all_commands_are_there(pages):
    assert re.findall(r"^## ([\w-]+)$", (pages / "commands.md").read_text(), re.MULTILINE) == list(COMMANDS)


def test_links_lead_to_pages(pages):
    count = 0
    for page in pages.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
            count += 1
    assert count > 10


def test_a_link_that_leads_nowhere_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(make_manual, "ROOT", tmp_path)
    (tmp_path / "a.md").write_text("see [there](gone.md)")
    with pytest.raises(ValueError, match=r"a.md links to gone.md, which is not there"):
        make_manual.copied("a.md", "a.md")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(("language", "code", "printed"), BLOCKS)
def test_the_tutorial_prints_what_it_says(language, code, printed, tmp_path):
    (tmp_path / "corpora").symlink_to(ROOT / "corpora")
    command = ("/bin/sh", "-c", AS_INSTALLED + code) if language == "sh" else (sys.executable, "-W", "ignore", "-c", code)
    ran = run_in(tmp_path, *command)
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", printed)


def test_each_block_of_the_tutorial_has_its_output():
    assert len(re.findall(r"^```(?:sh|python)$", TUTORIAL, re.MULTILINE)) == len(BLOCKS)
    assert [language for language, _, _ in BLOCKS].count("sh") == 6
    assert [language for language, _, _ in BLOCKS].count("python") == 5


def test_all_limits_are_in_the_table(pages):
    page = (pages / "errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\d,]+) \| \w", page, re.MULTILINE))
    assert rows.keys() == streamsave.Limits.__annotations__.keys()
    assert rows["depth"] == "128"


def test_all_public_names_have_a_page():
    named = {name for _, names in make_manual.DOCUMENTED.values() for name in names}
    modules = {name for name in named if name not in {"streamsave", "streamsave.check"}}
    for name in streamsave.__all__:
        value = getattr(streamsave, name)
        assert {f"streamsave.{name}", value.__module__, f"{value.__module__}.{name}"} & modules, name
