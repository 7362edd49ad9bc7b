"""What a damaged save gives in resync mode is true: compared with what was there, by a parser that shares no code with ours.

| finding | when |
|---|---|
| lie | an object is given that is not byte for byte the one under its header |
| untold | an object is missing, and nothing says that it is lost |
| miscounted | more are missing than are reported as lost |
"""

from __future__ import annotations

import random
from typing import Final

from attrs import define

import streamsave
from attack.contract import Finding, crash
from attack.surgery import Truth
from streamsave import Damage, EventStream, ObjectEnd, ObjectHeader, SaveError

#: How often the data comes from `raw()`, which does not look into the objects.
RAW_SHARE: Final = 0.3
#: An object inside of another one, with which it is compared.
LIGHTWEIGHT: Final = "lightweight"
#: Losses that say nothing of single objects.
NARROW: Final = ("object", "property")


@define
class Told:
    """What was reported as lost."""

    names: set[str]
    #: Objects that it may be besides; infinite for levels and the like.
    count: float = 0
    #: A loss was reported that is not of single objects.
    is_wide: bool = False

    def add(self, event: Damage) -> None:
        """Take a report."""
        lost = event.lost
        self.names.add(lost.name)
        if lost.kind == "object":
            self.count += lost.count if lost.count >= 0 else float("inf")
        elif lost.kind not in NARROW:
            self.is_wide = True
            self.count += lost.count if lost.kind in {"headers", "object data"} and lost.count >= 0 else float("inf")


def lies(data: bytes, truth: Truth, seed: int) -> list[Finding]:
    """Read a damaged save in resync mode, and compare each object with what may be given.

    Where the same bytes come of another change, what that allows is true as well.
    """
    found = _lies(data, truth, seed)
    return [] if found and any(not _lies(data, other, seed) for other in truth.others()) else found


def _lies(data: bytes, truth: Truth, seed: int) -> list[Finding]:
    draw = random.Random(seed)
    told = Told(set())
    found: list[Finding] = []
    seen: set[int] = set()
    try:
        with streamsave.open(data, on_damage="resync") as events:
            _compare(events, truth, told, found, seen, is_raw=draw.random() < RAW_SHARE)
    except SaveError:
        told.count = float("inf")
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        return [crash(error, "truth")]
    missing = [answer for at, answer in truth.answers.items() if at not in seen and answer.is_due]
    silent = [answer for answer in missing if answer.keys is None or not any(key[-1] in told.names for key in answer.keys)]
    if len(missing) > told.count or (silent and not told.is_wide):
        names = [answer.keys[0][-1] if answer.keys else "?" for answer in silent or missing]
        kind = "miscounted" if told.is_wide or not silent else "untold"
        detail = f"{len(missing)} objects are missing, {told.count} told: {names[:5]}"
        found.append(Finding(kind, detail, f"{kind} {truth.name}"))
    return found


def _compare(events: EventStream, truth: Truth, told: Told, found: list[Finding], seen: set[int], *, is_raw: bool) -> None:
    #: The open objects; None for one that is given in part, as a report says.
    opened: list[ObjectHeader | None] = []
    for event in events:
        if isinstance(event, ObjectHeader) and event.kind == LIGHTWEIGHT:
            opened.append(None)
        elif isinstance(event, ObjectHeader):
            seen.add(event.offset)
            opened.append(event)
            if is_raw:
                try:
                    given = events.raw()
                except SaveError:
                    continue  # reported
                found += _judge(event, given, truth)
                opened[-1] = None
                end = event.data_offset + event.size
                seen.update(at for at in truth.answers if event.data_offset <= at < end)
        elif isinstance(event, Damage):
            told.add(event)
            opened = [None] * len(opened)
        elif isinstance(event, ObjectEnd):
            header = opened.pop()
            if header is not None:
                found += _judge(header, truth.body[header.data_offset : header.data_offset + max(header.size, 0)], truth)


def _judge(header: ObjectHeader, given: bytes, truth: Truth) -> list[Finding]:
    """Compare one object with what may be given."""
    answer = truth.answers.get(header.offset)
    what = f"{header.instance_name} at {header.offset:#x}, data at {header.data_offset:#x}"
    name = truth.name
    if answer is None:
        if truth.may_start(header.offset):
            return []
        return [Finding("lie", f"{what}: no header of an object is there", f"lie invented {name}")]
    key = (header.kind, header.class_name, header.level, header.instance_name)
    if answer.keys is not None and key not in answer.keys:
        return [Finding("lie", f"{what}: {key} is none of {answer.keys}", f"lie header {name}")]
    if answer.is_gone and truth.is_new(header.data_offset - header.prefix_size, header.data_offset + header.size):
        return []
    if answer.data is not None and given not in answer.data and not (given and answer.longer.startswith(given)):
        sizes = ", ".join(str(len(data)) for data in answer.data)
        return [Finding("lie", f"{what}: other data ({len(given)} bytes; there are {sizes})", f"lie data {name}")]
    return []
