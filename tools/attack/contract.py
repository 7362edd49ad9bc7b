"""One input read in many ways: what must hold, and what does not.

| finding | when |
|---|---|
| crash | an exception that is none of the contract's |
| again | after an error, the next call does not raise the same |
| feeds | another way of feeding gives other events, or another error |
| verb | a verb works where it must not, or refuses where it must work |
| nesting | an exit without its enter, or one left open |
| resync | where damage is survived, what is before it is not as it was |
| tiling | a byte that no event claims, or two |
| rewrite | a save that can be read cannot be read after objects and values were dropped |
| slow, memory, hang, died | reported by `campaign` |

The module is long because it has a function for each row of the table.
"""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from attrs import Factory, define, frozen

import streamsave
from attack.feeds import fed
from attack.rewrites import is_writable, rewrites
from streamsave import (
    BlobSkip,
    ChunkStart,
    Damage,
    Event,
    EventStream,
    Field,
    Limits,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    SaveError,
    SaveStart,
    StaleEvent,
    StructEnter,
    StructExit,
)
from streamsave.check.check import check
from streamsave.check.checker import Claims
from streamsave.input.source import SourceLike
from streamsave.output.json_document import json_document

#: Events that the verbs act on.
OPENERS: Final = (ObjectHeader, PropertyTag, StructEnter, Field)
ENTERS: Final = (ObjectHeader, StructEnter)
EXITS: Final = (ObjectEnd, StructExit)

#: Limits that inputs meet now and then, so that the ways out of them are walked, too.
TIGHT_LIMITS: Final = (
    Limits(depth=3),
    Limits(string_size=8),
    Limits(build_nodes=10, build_size=100),
    Limits(total_inflated_size=1000),
    Limits(chunk_inflated_size=100, chunk_compressed_size=100),
    Limits(table_entries=2, zero_size_count=2),
    Limits(inflate_ratio=2, inflate_ratio_after=500),
)
#: How often an input is read in which way, besides as bytes. The table of a campaign says how many were.
FEED_SHARE: Final = 0.5
VERB_SHARE: Final = 0.6
CONSUMER_SHARE: Final = 0.02
RESYNC_SHARE: Final = 0.1
REWRITE_SHARE: Final = 0.1
#: Seconds on the clock. What takes longer is read in one way only: an Oodle stream that does not end has five seconds each time.
LONG_WAIT: Final = 4.0
#: Full comparison of events costs more than walking them.
COMPARE_SHARE: Final = 0.25


@frozen
class Finding:
    """Something that does not hold; `key` is the same for the same bug, more or less."""

    kind: str
    detail: str
    key: str


@define
class Verdict:
    """What reading an input showed."""

    #: Class of the error, or "ok".
    outcome: str = "ok"
    events: int = 0
    #: Of the processor, for the walk over bytes.
    seconds: float = 0.0
    findings: list[Finding] = Factory(list)
    #: In which ways it was read, besides as bytes.
    ways: list[str] = Factory(list)


@define
class Walk:
    """All events of an input, and the error that ended them."""

    events: list[Event] = Factory(list)
    error: Exception | None = None
    findings: list[Finding] = Factory(list)


def crash(error: BaseException, where: str) -> Finding:
    """Make a finding of an exception."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "streamsave" in frame.filename]
    last = f"{Path(frames[-1].filename).stem}.{frames[-1].name}" if frames else "?"
    detail = "".join(traceback.format_exception(error, limit=-12))
    return Finding("crash", f"{where}\n{detail}", f"crash {type(error).__name__} in {last}")


def told(error: BaseException | None) -> tuple[object, ...]:
    """All that an error says."""
    if error is None:
        return ()
    return (type(error).__name__, str(error), tuple((name, str(value)) for name, value in sorted(vars(error).items())))


def walk(source: SourceLike, limits: Limits | None = None) -> Walk:
    """Read an input to its end."""
    made = Walk()
    try:
        events = streamsave.open(source, limits=limits)
    except SaveError as error:
        made.error = error
        return made
    except Exception as error:  # noqa: BLE001 - which one it may be is what is looked for
        made.error = error
        made.findings.append(crash(error, "open"))
        return made
    with events:
        try:
            made.events.extend(events)  # keeps what came before an exception
        except SaveError as error:
            made.error = error
            made.findings += same_again(events, error)
        except Exception as error:  # noqa: BLE001 - as above
            made.error = error
            made.findings.append(crash(error, "next"))
    return made


def timed(data: bytes) -> tuple[Walk, float]:
    """Read an input to its end, and return the seconds of the processor that it took: others may want that, too."""
    started = time.process_time()
    made = walk(data)
    return made, time.process_time() - started


def same_again(events: EventStream, error: SaveError) -> list[Finding]:
    """After an error, every call raises it again."""
    calls: dict[str, Callable[[], object]] = {
        "next": lambda: next(events), "skip": events.skip, "build": events.build, "raw": events.raw, "is_leaf": events.is_leaf
    }  # fmt: skip
    found: list[Finding] = []
    for name, call in calls.items():
        try:
            call()
        except SaveError as other:
            if other is error:
                continue
            said = repr(other)
        except Exception as other:  # noqa: BLE001 - as above
            said = repr(other)
        else:
            said = "nothing"
        found.append(Finding("again", f"after {error!r}, {name}() raised {said}", f"again {name}"))
    return found


def nesting(events: Iterable[Event]) -> list[Finding]:
    """Each enter has its exit, and nothing is left open at the end."""
    depth = 0
    last: Event | None = None
    for event in events:
        if isinstance(event, ENTERS):
            depth += 1
        elif isinstance(event, EXITS):
            depth -= 1
        if depth < 0:
            return [Finding("nesting", f"{event} leaves what was not entered", "nesting exit")]
        last = event
    if isinstance(last, SaveEnd) and depth:
        return [Finding("nesting", f"{depth} left open at the end", "nesting open")]
    return []


def compare(one: Walk, other: Walk, name: str, *, whole: bool) -> list[Finding]:
    """Two ways of feeding give the same."""
    if told(one.error) != told(other.error):
        return [
            Finding("feeds", f"{name}: {told(other.error)}\nbytes: {told(one.error)}", f"feeds error {type(one.error).__name__}")
        ]
    short = [(type(event), event.offset) for event in one.events]
    if short != [(type(event), event.offset) for event in other.events]:
        return [Finding("feeds", f"{name}: other events", "feeds events")]
    if whole:
        for event, like in zip(one.events, other.events, strict=True):
            if event != like and not isinstance(event, ChunkStart) and repr(event) != repr(like):  # NaN is not equal to itself
                return [Finding("feeds", f"{name}: {like}\nbytes: {event}", f"feeds {type(event).__name__}")]
    return []


class VerbWalk:
    """A walk that uses verbs at random, rightly and wrongly."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.findings: list[Finding] = []
        self._share = draw.choice((0.02, 0.1, 0.5))

    def run(self, source: SourceLike, limits: Limits | None, *, takes_sparse: bool) -> None:
        """Read an input; its format may take `sparse`."""
        sparse = self.draw.random() < 0.3 and takes_sparse
        try:
            with streamsave.open(source, limits=limits, sparse=sparse) as events:
                try:
                    for event in events:
                        if self.draw.random() < self._share and not self._act(events, event):
                            return
                except SaveError as error:
                    self.findings += same_again(events, error)
        except SaveError:
            return
        except Exception as error:  # noqa: BLE001 - as above
            self.findings.append(crash(error, "verbs"))

    def _act(self, events: EventStream, event: Event) -> bool:
        """Use one verb, perhaps twice; False when the stream was closed."""
        choice = self.draw.randrange(8)
        if choice < 5:
            self._verb(events, event, ("skip", "build", "raw", "is_leaf", "skip")[choice])
        elif choice == 5 and isinstance(event, BlobSkip):
            events.opaque(event)
        elif choice == 6:
            if len(events.path) > 1 << 12 or events.depth < 0:
                self._say("verb", f"depth {events.depth}")
            events.location(event)
        elif choice == 7 and self.draw.random() < 0.02:
            events.close()
            self._refuses(events.skip, "skip of a closed stream")
            self._refuses(lambda: next(events), "next of a closed stream")
            return False
        return True

    def _verb(self, events: EventStream, event: Event, name: str) -> None:
        call: Callable[[], object] = getattr(events, name)
        try:
            given = call()
        except StaleEvent as error:
            if isinstance(event, OPENERS):
                self._say("verb", f"{name} of {event}: {error}")
            return
        if not isinstance(event, OPENERS):
            self._say("verb", f"{name} worked on {event}")
        if self.draw.random() < 0.3 and not (name == "is_leaf" and given):
            inner = isinstance(event, ENTERS) and name == "is_leaf"
            if not inner:
                self._refuses(getattr(events, self.draw.choice(("skip", "build", "raw", "is_leaf"))), f"a verb after {name}")

    def _refuses(self, call: Callable[[], object], what: str) -> None:
        try:
            call()
        except StaleEvent:
            return
        self._say("verb", f"{what} was not refused")

    def _say(self, kind: str, detail: str) -> None:
        self.findings.append(Finding(kind, detail, f"{kind} {detail.split(' ', 1)[0]}"))


def consumers(data: bytes, draw: random.Random) -> list[Finding]:
    """What is built on the stream keeps to the contract, too."""
    try:
        if draw.random() < 0.5:
            for found in check(data):
                if found.kind == "tiling":
                    return [Finding("tiling", str(found), "tiling")]
        else:
            with streamsave.open(data) as events:
                for _ in json_document(events):
                    pass
    except SaveError:
        return []
    except Exception as error:  # noqa: BLE001 - as above
        return [crash(error, "consumer")]
    return []


def rewritten(data: bytes, draw: random.Random, folder: Path) -> list[Finding]:
    """A save that can be read can be read after edits, too."""
    try:
        wrong = rewrites(data, draw, folder)
    except Exception as error:  # noqa: BLE001 - as above
        return [crash(error, "rewrite")]
    return [Finding("rewrite", wrong, "rewrite")] if wrong else []


def tiling(events: Iterable[Event]) -> list[Finding]:
    """The claims of all events tile the stream up to `SaveEnd`."""
    claims = Claims()
    last: Event | None = None
    for event in events:
        if not isinstance(event, ChunkStart):
            claims.note(event)
            last = event
    if not isinstance(last, SaveEnd):
        return []  # an error ended the walk
    return [Finding("tiling", f"{offset:#x}: {message}", "tiling resync") for offset, message in claims.faults(last.offset)][:1]


def resynced(source: SourceLike) -> Walk:
    """Read an input to its end, and survive damage."""
    made = Walk()
    try:
        with streamsave.open(source, on_damage="resync") as opened:
            made.events.extend(opened)  # keeps what came before an exception
    except SaveError as error:
        made.error = error  # a limit, or a start that is no save's
    except Exception as error:  # noqa: BLE001 - as above
        made.error = error
        made.findings.append(crash(error, "resync"))
    return made


def survives(data: bytes, strict: Walk, draw: random.Random, folder: Path) -> list[Finding]:
    """What is damaged costs itself: all before it comes as it did, what follows nests, and any feed gives the same events."""
    made = resynced(data)
    found = made.findings + nesting(made.events) + tiling(made.events)
    # Nothing is given before it is proven: that enters chunks earlier.
    before, after = ([event for event in events if not isinstance(event, ChunkStart)] for events in (strict.events, made.events))
    if strict.error is None:
        # What no table names any more is a loss without bytes, and no fault: `check` notes it.
        after = [event for event in after if not (isinstance(event, Damage) and event.size == 0)]
    lost = next((index for index, event in enumerate(after) if isinstance(event, Damage)), -1)
    if lost >= 0:
        before = before[:lost]  # a loss may come before the fault, or where only a proof finds one
    if strict.error is not None or lost >= 0:
        after = after[: len(before)]
    if lost >= 0:
        _forget_openers(before, after)
    if not _are_same(before, after):
        found.append(Finding("resync", f"other events before the fault: {strict.error!r}", "resync events"))
    with fed(data, draw, folder) as source:
        other = resynced(source)
        found += other.findings or compare(made, other, f"resync, {type(source).__name__}", whole=True)
    return found


def _forget_openers(before: list[Event], after: list[Event]) -> None:
    """Let what opens the elements that are open at a loss be the same: without resync, nothing in them was proven."""
    opened: list[int] = []
    for index, event in enumerate(after):
        if isinstance(event, (StructEnter, ObjectHeader)):
            opened.append(index)
        elif isinstance(event, (StructExit, ObjectEnd)):
            opened.pop()
    for index in opened:
        one, other = before[index], after[index]
        if isinstance(other, ObjectHeader) and other.header_size == 0 and one.offset == other.offset:
            before[index] = other if isinstance(one, (StructEnter, ObjectHeader)) else one


def _are_same(one: list[Event], other: list[Event]) -> bool:
    """Return whether events are the same; NaN is not equal to itself."""
    if [(type(event), event.offset) for event in one] != [(type(event), event.offset) for event in other]:
        return False
    return all(a == b or repr(a) == repr(b) for a, b in zip(one, other, strict=True))


def judge(data: bytes, seed: int, folder: Path) -> Verdict:
    """Read an input in many ways; `folder` is for what must be a path."""
    draw = random.Random(seed)
    started = time.monotonic()
    first, seconds = timed(data)
    has_waited = time.monotonic() - started > LONG_WAIT
    verdict = Verdict("ok" if first.error is None else type(first.error).__name__, len(first.events), seconds)
    verdict.findings += first.findings + nesting(first.events)
    if first.findings or has_waited:
        return verdict
    if draw.random() < FEED_SHARE:
        verdict.ways.append("fed")
        with fed(data, draw, folder) as source:
            other = walk(source)
            verdict.findings += other.findings or compare(
                first, other, type(source).__name__, whole=draw.random() < COMPARE_SHARE
            )
    if draw.random() < VERB_SHARE:
        verdict.ways.append("verbs")
        verbs = VerbWalk(draw)
        limits = draw.choice(TIGHT_LIMITS) if draw.random() < 0.2 else None
        with fed(data, draw, folder) as source:
            start = first.events[0] if first.events else None
            takes_sparse = isinstance(start, SaveStart) and start.format == "arx"
            verbs.run(data if draw.random() < 0.5 else source, limits, takes_sparse=takes_sparse)
        verdict.findings += verbs.findings
    if draw.random() < CONSUMER_SHARE:
        verdict.ways.append("consumers")
        verdict.findings += consumers(data, draw)
    if draw.random() < RESYNC_SHARE:
        verdict.ways.append("resync")
        verdict.findings += survives(data, first, draw, folder)
    if first.error is None and is_writable(first.events) and draw.random() < REWRITE_SHARE:
        verdict.ways.append("rewrites")
        verdict.findings += rewritten(data, draw, folder)
    return verdict
