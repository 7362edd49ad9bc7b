"""Formats of other packages: those in the entry point group `streamsave.formats`.

They are looked up only when no built-in format fits a file for certain, or when a folder is searched. A plugin that fails is left
out with a warning that names it, so that it costs only the saves of its own format.
"""

from __future__ import annotations

from functools import cache
from traceback import walk_tb
from typing import TYPE_CHECKING, Final

from streamsave._log import warn
from streamsave.formats.format import Format, MakeReader, as_format
from streamsave.input.source import Source

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "find_plugin", "plugin_fault", "plugins"]

GROUP: Final = "streamsave.formats"


@cache
def plugins() -> dict[str, Format]:
    """Return the formats of installed packages: name of the plugin -> row. They are looked up once."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - takes long, and most saves need no plugin

    found: dict[str, Format] = {}
    for entry in sorted(entry_points(group=GROUP), key=_name):
        name = _name(entry)
        try:
            row = entry.load()
        except Exception as error:  # noqa: BLE001 - a foreign module may raise anything when it is imported
            warn("a format plugin cannot be imported", plugin=name, error=_text(error))
            continue
        if not isinstance(row, Format):
            warn("a format plugin is not a streamsave.formats.Format", plugin=name, actual=type(row).__name__)
            continue
        found[name] = row
    return found


def find_plugin(head: bytes, source: Source) -> Format | None:
    """Return the first plugin's format that fits a file, None where none does.

    Raises:
        OSError: the source cannot be read.
    """
    for name, row in plugins().items():
        try:
            fits = row.sniffer(head, source)
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - a foreign sniffer may raise anything
            warn("the sniffer of a format plugin failed", plugin=name, error=_text(error))
            continue
        if fits:
            return row
    return None


def plugin_fault(error: BaseException, chosen: Format | MakeReader | None = None) -> str:
    """Return what went wrong in the reader of a plugin, or the one that was chosen; "" if the error comes from elsewhere."""
    modules: dict[str, str] = {}
    for row in (*plugins().values(), *([] if chosen is None else [as_format(chosen)])):
        reader = row.reader
        modules[reader.partition(":")[0] if isinstance(reader, str) else reader.__module__] = row.name
    for frame, _ in walk_tb(error.__traceback__):
        name = modules.get(str(frame.f_globals.get("__name__")))
        if name is not None:
            return f"the reader of {name} has failed: {_text(error)}"
    return ""


def _name(entry: EntryPoint) -> str:
    """Return what messages call a plugin: its package and version, and its name there."""
    package = entry.dist
    return f"{package.name} {package.version}: {entry.name}" if package is not None else str(entry.name)


def _text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
