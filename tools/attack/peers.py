"""Readers that others wrote, each in a process of its own: what they find in a save, and what we find.

A reader gets a path in a line, and answers with a line of JSON: whether it accepts the save, and how many properties of which
name and type, and objects of which class there are. A reader that does not answer in time or dies refuses the save.
"""

from __future__ import annotations

import json
import resource
import select
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from attrs import Factory, define, frozen

import streamsave
from streamsave import BlobSkip, ObjectEnd, ObjectHeader, PropertyTag, SaveError, SaveStart, StructEnter, StructExit
from streamsave.output.json_document import json_document

HERE: Final = Path(__file__).resolve().parent.parent / "peers"
#: Seconds for one save.
PATIENCE: Final = 20.0
MOST_MEMORY: Final = 4 << 30
#: What the readers call properties that they keep as bytes.
AS_BYTES: Final = frozenset({"Raw", "Unknown"})


@frozen
class Peer:
    """A reader: where it is in the folder of the peers, how it is started, how it comes there."""

    name: str
    #: Names of the formats that it reads.
    formats: tuple[str, ...]
    #: Is there if the reader is.
    file: str
    command: tuple[str, ...]
    install: str
    limits_memory: bool = True

    def is_there(self, folder: Path) -> bool:
        """Return whether it is installed."""
        return (folder / self.file).exists()


CARGO: Final = f"cargo build --release --manifest-path {HERE}/Cargo.toml --target-dir {{folder}}/target"
PEERS: Final = (
    Peer(
        "satisfactory-file-parser", ("satisfactory",), "node_modules/@etothepii/satisfactory-file-parser",
        ("node", "--max-old-space-size=1000", f"{HERE}/satisfactory.mjs", "{folder}"),
        "npm install --prefix {folder} @etothepii/satisfactory-file-parser@2.0.1", limits_memory=False,
    ),
    Peer(
        "satisfactory-save", ("satisfactory",), "satisfactory/bin/python",
        ("{folder}/satisfactory/bin/python", f"{HERE}/satisfactory.py"),
        "python -m venv {folder}/satisfactory && {folder}/satisfactory/bin/pip install satisfactory-save==0.11.0",
    ),
    Peer(
        "palworld-save-tools", ("gvas",), "palworld/bin/python", ("{folder}/palworld/bin/python", f"{HERE}/palworld.py"),
        "python -m venv {folder}/palworld && {folder}/palworld/bin/pip install palworld-save-tools==0.24.0",
    ),
    Peer("uesave", ("gvas",), "target/release/peers", ("{folder}/target/release/peers", "uesave"), CARGO),
    Peer("gvas", ("gvas",), "target/release/peers", ("{folder}/target/release/peers", "gvas"), CARGO),
)  # fmt: skip


@define
class Answer:
    """What a reader finds in a save."""

    error: str = ""
    types: Counter[str] = Factory(Counter)
    names: Counter[str] = Factory(Counter)
    classes: Counter[str] = Factory(Counter)
    #: A list has two properties of the same name and index; readers with dicts keep one.
    repeats: bool = False
    #: Bytes were passed over that may hold properties.
    passes_over: bool = False

    @property
    def is_ok(self) -> bool:
        """Whether the reader accepts the save."""
        return not self.error


def format_of(save: bytes | Path) -> str:
    """Return the format of a save; empty if it is none that we read."""
    try:
        with streamsave.open(save) as events:
            start = next(events)
            return start.format if isinstance(start, SaveStart) else ""
    except SaveError:
        return ""


def ours(data: bytes) -> Answer:
    """Return what we find."""
    found = Answer()
    lists: list[set[tuple[str, int]]] = [set()]
    try:
        with streamsave.open(data) as events:
            for event in events:
                if isinstance(event, PropertyTag):
                    found.types[event.type] += 1
                    found.names[event.name] += 1
                    found.repeats |= (event.name, event.index) in lists[-1]
                    lists[-1].add((event.name, event.index))
                elif isinstance(event, (StructEnter, ObjectHeader)):
                    lists.append(set())
                    if isinstance(event, ObjectHeader):
                        found.classes[event.class_name] += 1
                elif isinstance(event, (StructExit, ObjectEnd)):
                    lists.pop()
                elif isinstance(event, BlobSkip):
                    found.passes_over = True
                elif isinstance(event, SaveStart):
                    found.passes_over = isinstance(getattr(event.header, "class_header", None), bytes)
    except SaveError as error:
        found.error = f"{type(error).__name__}: {error}"
    return found


class Running:
    """A reader at work; it is started anew after each save that it does not survive."""

    def __init__(self, peer: Peer, folder: Path) -> None:
        self.peer = peer
        self._command = [part.format(folder=folder) for part in peer.command]
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, path: Path) -> Answer:
        """Return what it finds."""
        process = self._process or self._start()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a process without pipes")
        line = b""
        try:
            process.stdin.write(f"{path}\n".encode())
            process.stdin.flush()
            if select.select([process.stdout], [], [], PATIENCE)[0]:
                line = process.stdout.readline()
        except BrokenPipeError:
            pass  # as if it had died of this save
        if not line.endswith(b"\n"):
            died = process.poll() is not None or (line == b"" and select.select([process.stdout], [], [], 0)[0])
            self.close()
            return Answer("died" if died else f"no answer within {PATIENCE:.0f} s")
        answer: dict[str, Any] = json.loads(line)
        if not answer["ok"]:
            return Answer(answer["error"] or "refused")
        types, names, classes = (Counter(answer.get(name, {})) for name in ("types", "names", "classes"))
        return Answer("", types, names, classes)

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        if self.peer.limits_memory and sys.platform == "linux":
            resource.prlimit(self._process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        return self._process


def differences(own: Answer, other: Answer) -> list[str]:
    """Say what two readers that accept a save do not agree on."""
    found: list[str] = []
    for what in ("types", "names", "classes"):
        one, two = getattr(own, what), getattr(other, what)
        if what == "classes" and not two:
            continue  # no format with objects
        more, less = one - two, two - one
        found += [f"{what}: we have {dict(more)} more"] if more else []
        found += [f"{what}: it has {dict(less)} more"] if less else []
    return found


def reason(data: bytes, own: Answer, other: Answer) -> str:
    """Say why they may differ, or nothing."""
    more, less = own.names - other.names, other.names - own.names
    shorter = Counter({name[:-1]: count for name, count in more.items()})
    if own.types == other.types and more.total() == less.total() and (_are_odd(more) or _are_odd(less) or shorter == less):
        return "a name with a NUL, without end, or not ASCII: decoded in another way"
    if own.repeats and not less:
        return "a name twice in a list: it keeps one"
    if other.types.keys() & AS_BYTES and other.names.total() <= own.names.total():
        return "it keeps as bytes what it cannot decode"
    if own.passes_over and (own.names.total() <= other.names.total() or own.repeats):
        return "we pass over bytes of unknown layout"
    if not decodes(data):
        return "a size that does not fit its value: we go by the size, and refuse the value when it is decoded"
    return ""


def _are_odd(names: Counter[str]) -> bool:
    return all(not (name.isascii() and name.isprintable()) or "." in name for name in names)  # a dot separates names of a path


def decodes(data: bytes) -> bool:
    """Return whether we accept a save with all its values."""
    try:
        with streamsave.open(data) as events:
            for _ in json_document(events):
                pass
    except SaveError:
        return False
    return True
