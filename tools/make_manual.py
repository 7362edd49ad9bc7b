"""Gather the pages of the manual, for `tox -e docs`: `python tools/make_manual.py` writes them to `build/manual/pages`.

The pages are where what they describe is: README, tutorial, recipes, FORMAT.md files. Commands and selections come from the texts
of the code, and the API from its docstrings, which mkdocstrings reads.
"""

from __future__ import annotations

import inspect
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath

import click
from pygments.formatters import HtmlFormatter

from streamsave import headers, limits
from streamsave.cli import main
from streamsave.consume import parser
from streamsave.formats.unreal import object_rows

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "manual" / "pages"
#: Source -> page.
COPIED = {
    "README.md": "index.md",
    "streamsave/TUTORIAL.md": "tutorial.md",
    "streamsave/HOWTO.md": "howto.md",
    "streamsave/cli/COMMANDS.md": "about_commands.md",
    "streamsave/consume/SELECTIONS.md": "about_selections.md",
    "streamsave/output/TABLES.md": "tables.md",
    "streamsave/rewriting/EDITING.md": "editing.md",
    "streamsave/cli/DIFF.md": "differences.md",
    "streamsave/cli/PICTURES.md": "pictures.md",
    "streamsave/INSTALL.md": "install.md",
    "streamsave/VALUES.md": "build.md",
    "streamsave/formats/PLUGINS.md": "plugins.md",
    "streamsave/PROMISES.md": "promises.md",
    "streamsave/SPEED.md": "speed.md",
    "tools/attack/FUZZING.md": "fuzzing.md",
    "CONTRIBUTING.md": "internals.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changes.md",
    **{
        path.relative_to(ROOT).as_posix(): f"formats/{path.parent.name}.md"
        for path in sorted((ROOT / "streamsave" / "formats").glob("*/FORMAT.md"))
    },
}
#: Pictures.
PICTURES = {f"tools/manual/{path.name}": path.name for path in sorted((ROOT / "tools" / "manual").glob("*.png"))}
#: What a page has of a module that it is about: its text, and what is in it, without a heading of its own.
WHOLE = "    options:\n      show_root_heading: false\n      show_root_toc_entry: false\n"
#: Of these, the page has only the text: what is in them comes after that. A module `check` has the name of its function.
TEXT_ONLY = "    options:\n      members: false\n"
OPTIONS = {
    "streamsave": TEXT_ONLY,
    "streamsave.events": WHOLE,
    "streamsave.values": WHOLE,
    "streamsave.errors": WHOLE,
    "streamsave.check": f"{TEXT_ONLY}      toc_label: streamsave.check\n",
    "streamsave.headers": TEXT_ONLY,
    "streamsave.limits.Limits": TEXT_ONLY,
    "streamsave.check.check.check": "    options:\n      show_root_full_path: false\n",
    "streamsave.dask.objects": "    options:\n      toc_label: streamsave.dask.objects\n",
}
#: What the page on plug-ins has at its end.
PLUGIN_NAMES = [f"streamsave.formats.{name}" for name in ("Reader", "Cursor", "Format", "zlib_windows")]
#: Page -> title and modules or names whose docstrings it has.
DOCUMENTED = {
    "library.md": (
        "Library",
        [
            "streamsave",
            "streamsave.open",
            "streamsave.EventStream",
            "streamsave.objects",
            "streamsave.expand",
            "streamsave.aread",
            "streamsave.to_jsonable",
            "streamsave.SelectedObject",
            "streamsave.parse_selection",
            "streamsave.Selection",
            "streamsave.to_arrow",
            "streamsave.rewrite",
            "streamsave.RewriteStream",
            "streamsave.cut",
            "streamsave.CutStream",
            "streamsave.check",
            "streamsave.check.check.check",
            "streamsave.check.check_reader",
            "streamsave.check.Finding",
            "streamsave.dask.objects",
        ],
    ),
    "events.md": ("Events", ["streamsave.events"]),
    "values.md": ("Values", ["streamsave.values"]),
    "headers.md": ("Headers", ["streamsave.headers", *(f"streamsave.headers.{name}" for name in headers.__all__)]),
    "errors.md": ("Errors and limits", ["streamsave.errors", "streamsave.limits.Limits"]),
}
#: Cells of tables, and signatures, have more than one line.
CSS = """.rst-content table.docutils td, .rst-content table.docutils th { white-space: normal; }
.rst-content td code { white-space: normal; overflow-wrap: break-word; }
.rst-content .highlight pre, .highlight .err { border: 0; margin: 0; }
.rst-content .doc-signature pre, .rst-content .doc-signature code { white-space: pre-wrap !important; overflow-wrap: anywhere; }
"""
#: The colours of code.
STYLE = "default"
#: A link to a file: its text, the file, and the heading in it.
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")


def copied(source: str, page: str) -> str:
    """Return the text of a page. Links to other sources lead to their pages; of a link to code, the text is left.

    Raises:
        ValueError: a link leads to a file that is not there.
    """
    text = (ROOT / source).read_text(encoding="utf-8")

    def link(found: re.Match[str]) -> str:
        target = normpath((Path(source).parent / found[2]).as_posix())
        if not (ROOT / target).exists():
            raise ValueError(f"{source} links to {found[2]}, which is not there")
        other = COPIED.get(target) or PICTURES.get(target)
        return found[1] if other is None else f"[{found[1]}]({relpath(other, Path(page).parent.as_posix())}{found[3] or ''})"

    return LINK.sub(link, text)


def commands(group: click.Group, ctx: click.Context, level: int) -> Iterator[str]:
    """Yield the sections of all commands of a group: help as the terminal shows it."""
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if command is None:
            continue
        inner = click.Context(command, parent=ctx, info_name=name, max_content_width=100, terminal_width=100)
        yield f"{'#' * level} {name}\n\n```text\n{command.get_help(inner)}\n```\n"
        if isinstance(command, click.Group):
            yield from commands(command, inner, level + 1)


def command_page() -> str:
    """Return the page with the help of all commands."""
    ctx = click.Context(main, info_name="streamsave", help_option_names=["-h", "--help"])
    return "\n".join(["# Commands\n", *commands(main, ctx, 2)])


def selection_page() -> str:
    """Return the page with the grammar of selections."""
    return f"# Selections\n\nWhat `--where` and `streamsave.objects` take.\n\n{parser.__doc__}\n"


def objects_page() -> str:
    """Return the page with the grammar of `objects_at`."""
    about = "What `--objects` and the argument `objects_at` of `streamsave.open` take, for Unreal save games."
    return f"# Objects in save games\n\n{about}\n\n{object_rows.__doc__}\n"


def limit_table() -> str:
    """Return the limits as a table: name, default, and what the docstring says of it."""
    section = (inspect.getdoc(limits.Limits) or "").partition("Attributes:\n")[2].partition("\n\n")[0]
    texts = dict(re.findall(r"^ {4}(\w+) \(int\): (.*(?:\n {8}.*)*)", section, re.MULTILINE))
    defaults = limits.Limits()
    rows = [f"| `{name}` | {getattr(defaults, name):,} | {' '.join(text.split())} |" for name, text in texts.items()]
    return "\n".join(["| limit | default | what it bounds |", "|---|---|---|", *rows, ""])


def documented(title: str, names: list[str]) -> str:
    """Return a page with the docstrings of modules or names."""
    return f"# {title}\n\n[TOC]\n\n{entries(names)}"


def entries(names: list[str]) -> str:
    """Return what mkdocstrings replaces by docstrings."""
    return "\n".join(f"::: {name}\n{OPTIONS.get(name, '')}" for name in names)


def write_pages() -> None:
    """Write all pages anew."""
    shutil.rmtree(PAGES, ignore_errors=True)
    pages = {page: copied(source, page) for source, page in COPIED.items()}
    pages["commands.md"] = command_page()
    pages["selections.md"] = selection_page()
    pages["objects_at.md"] = objects_page()
    pages |= {page: documented(*content) for page, content in DOCUMENTED.items()}
    pages["plugins.md"] += "\n" + entries(PLUGIN_NAMES)
    pages["errors.md"] += f"\n{limit_table()}"
    pages["extra.css"] = f"{HtmlFormatter(style=STYLE).get_style_defs('.highlight')}\n{CSS}"
    for page, text in pages.items():
        path = PAGES / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for source, target in PICTURES.items():
        shutil.copyfile(ROOT / source, PAGES / target)


if __name__ == "__main__":
    write_pages()
