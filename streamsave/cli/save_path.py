"""The type of arguments that name saves: shells complete it to files that may be saves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streamsave.formats import save_extensions

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

__all__ = ["SavePath"]


class SavePath(click.Path):
    """The name of a save: a path, a URL, a pattern, a blueprint code, or `-`."""

    def __init__(self) -> None:
        super().__init__(allow_dash=True)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the saves, by their endings, whose paths start like this.

        Where there are folders, too, or no such saves, the shell completes the names of all files.
        """
        from click.shell_completion import CompletionItem

        everything = [CompletionItem(incomplete, type="file")]
        folder, start = os.path.split(incomplete)
        endings = save_extensions()
        saves: list[CompletionItem] = []
        try:
            for path in sorted(Path(os.path.expanduser(folder or ".")).iterdir()):  # noqa: PTH111 - the folder as it was written
                if not path.name.startswith(start) or (path.name.startswith(".") and not start):
                    continue
                if path.is_dir():
                    return everything
                if path.name.lower().endswith(endings):
                    saves.append(CompletionItem(os.path.join(folder, path.name)))  # noqa: PTH118 - as above
        except OSError:
            return everything
        return saves or everything
