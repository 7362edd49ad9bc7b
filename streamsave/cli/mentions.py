"""What a save still says of a mod whose objects were dropped."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from streamsave.cli.text import show
from streamsave.consume.conditions import HeaderText, Pattern
from streamsave.consume.needed_text import NeededText
from streamsave.consume.search import ValueSearch
from streamsave.consume.stream import open_save
from streamsave.limits import Limits
from streamsave.output.flat_text import path_text

__all__ = ["Mention", "mentions_of"]

#: Characters of a value that are shown.
SHOWN = 200


class Mention(NamedTuple):
    """One place with a text that starts like the classes of a mod."""

    class_name: str
    #: Of the object; "" in the header of the save.
    instance_name: str
    #: Of the value, from the object; "class": it is the object's own.
    path: str
    text: str


def mentions_of(mods: Collection[str], path: str, limits: Limits | None, hints: Mapping[str, str]) -> Iterator[Mention]:
    """Yield where a save mentions mods: classes of objects, and values with the path of something in the folder of a mod.

    Args:
        mods: names of folders.
        path: of the save.
        limits: what to refuse.
        hints: as `type_hints` of `streamsave.open`.

    Raises:
        SaveError: it is damaged.
        OSError: it cannot be read.
    """
    pattern = "|".join(f"/{re.escape(mod)}/" for mod in sorted(mods))
    says = re.compile(pattern).search
    with open_save(path, limits=limits, type_hints=hints) as events:
        for _, found in events.select(HeaderText("class", Pattern(f"^({pattern})", "regex")), sizes=False):
            yield Mention(found.class_name, found.instance_name, "class", found.class_name)
    with open_save(path, limits=limits, type_hints=hints) as events:
        for match in ValueSearch(events, None, says, NeededText(pattern)).matches():
            header = match.header
            place = path_text(match.path or ())
            yield Mention(header.class_name, header.instance_name, place, show(match.value, SHOWN))
