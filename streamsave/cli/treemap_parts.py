"""The bytes of saves as a tree of parts, which `streamsave treemap` draws.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name; the rest |
| the headers of objects | by class |
| the bytes outside of objects; not if only some objects are wanted | none |

Together they are the inflated bytes of the saves, or of the wanted objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from streamsave.cli.inputs import keep_only
from streamsave.cli.save import Save
from streamsave.cli.summing import collect
from streamsave.cli.text import clean, short_class
from streamsave.cli.totals import Totals

if TYPE_CHECKING:
    from attrs import frozen

    from streamsave.query.tests import Selection
else:
    from streamsave._lazy_attrs import frozen

__all__ = ["HEADERS", "OUTSIDE", "REST", "Part", "TotalsOf", "parts_of"]

HEADERS: Final = "(headers of objects)"
OUTSIDE: Final = "(in no object)"
#: The bytes of an object without a name.
REST: Final = "(without a name)"


@frozen
class TotalsOf:
    """Sums up a save."""

    where: Selection | None

    def __call__(self, save: Save) -> Iterator[Totals]:
        """Yield the sums when the save is read to its end.

        Raises:
            SaveError: the bytes are at fault.
        """
        keep_only(save.events, self.where)
        yield collect(save.events)


@frozen
class Part:
    """A number of bytes with a name, and the parts that they are made of, the largest first."""

    name: str
    size: int
    parts: tuple[Part, ...] = ()


def parts_of(totals: Totals, *, whole: bool) -> list[Part]:
    """Return the parts of saves, the largest first.

    Args:
        totals: sums of the saves.
        whole: the sums are those of all objects, so the bytes outside of objects are a part too.
    """
    parts = []
    for class_name, size in totals.class_bytes.items():
        members = totals.member_bytes.get(class_name, Counter())
        own = size - totals.inner_bytes[class_name]
        parts.append(Part(clean(short_class(class_name)), own, _named({**members, REST: own - members.total()})))
    headers = {short_class(class_name): size for class_name, size in totals.header_bytes.items()}
    parts.append(Part(HEADERS, totals.header_bytes.total(), _named(headers)))
    if whole:
        parts.append(Part(OUTSIDE, totals.inflated_size - sum(part.size for part in parts)))
    return _ordered(parts)


def _named(sizes: Mapping[str, int]) -> tuple[Part, ...]:
    return tuple(_ordered([Part(clean(name), size) for name, size in sizes.items()]))


def _ordered(parts: list[Part]) -> list[Part]:
    """Return the parts with the largest first; leave out empty ones."""
    return sorted((part for part in parts if part.size > 0), key=lambda part: (-part.size, part.name))
