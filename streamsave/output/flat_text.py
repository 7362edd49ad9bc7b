r"""Values as lines `path = value`: each innermost value under its path, as JSON.

A path is what selections take (`streamsave.decode.paths`). A name that selections could not read is in quotes, with the escapes
of JSON. The places of levels and objects are no part of a selection: they are as they are, in quotes only if they have a control
character.

The module is long because values come whole, in slices or as events, and give the same lines.
"""

from __future__ import annotations

import json
import re
from binascii import b2a_base64
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import orjson

from streamsave._native import i64
from streamsave.consume.stream import EventStream
from streamsave.consume.values import Part, Walk, leaves
from streamsave.decode.json_values import json_step, to_jsonable
from streamsave.decode.leaves import BYTES, Key, Step, key_of, split_name
from streamsave.decode.paths import BARE_NAME, leads_into
from streamsave.decode.paths import Step as WantedStep
from streamsave.errors import SaveError
from streamsave.events import ObjectEnd, ObjectHeader, PropertyTag, SaveStart
from streamsave.output.json_text import PIECE_SIZE, escaped, value_bytes
from streamsave.values import ObjectReference, Opaque

__all__ = ["FlatText", "flat_lines", "path_text", "steps_text", "type_text"]

#: What `json` leaves as it is in a text: controls, and halves of characters.
NO_TEXT: Final = re.compile(r"[\x7f-\x9f\ud800-\udfff]")
#: Characters of a place that would break a line, or a terminal.
CONTROL: Final = re.compile(r"[\x00-\x1f\"\x7f-\x9f\u2028\u2029\ud800-\udfff]")
#: Names whose text is kept.
MOST_NAMES: Final = 1 << 14
#: What orjson writes between elements.
SEPARATOR: Final = ",\n  "
#: Lines that are made at once.
MOST_LINES: Final = 512


def type_text(tag: PropertyTag) -> str:
    """Return the type of a property with its parts: `ArrayProperty(StructProperty(InventoryStack))`."""
    name = f"({tag.type_name})" if tag.type_name else ""
    if not tag.inner_type and not tag.value_type:
        return tag.type + name
    inner = ", ".join([part for part in (tag.inner_type, tag.value_type) if part])
    return f"{tag.type}({inner}{name})"


def quoted(name: str) -> str:
    """Return a name in quotes, as JSON has it, in printable characters."""
    return NO_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(name, ensure_ascii=False))


@lru_cache(maxsize=1 << 12)
def name_text(name: str) -> str:
    """Return a name as a path has it."""
    return name if BARE_NAME.fullmatch(name) else quoted(name)


@lru_cache(maxsize=1 << 12)
def place_text(name: str) -> str:
    """Return the name of a level or an object."""
    return quoted(name) if CONTROL.search(name) or not name else name


def step_text(step: Step) -> str:
    """Return a step with what is before it in a path."""
    if isinstance(step, int):
        return f"[{step}]"
    if isinstance(step, Key):
        return f"[{step.index if step.text is None else quoted(step.text)}]"
    return f"/{name_text(step)}"


def steps_text(path: tuple[Step, ...], base: int = 0) -> str:
    """Return steps as one string with what is before the first; the first `base` of them lead to an object."""
    text = "".join([f"/{place_text(step)}" if isinstance(step, str) else step_text(step) for step in path[:base]])
    return text + "".join([step_text(step) for step in path[base:]])


def path_text(path: tuple[Step, ...], base: int = 0) -> str:
    """Return a path as one string; its first `base` steps lead to an object."""
    return steps_text(path, base).removeprefix("/")


class FlatText:
    """Collects lines.

    Args:
        before: what each line begins with.
        ignores: whether to leave out a value: takes the class of its object, without its path, and the path of the value in it.
    """

    def __init__(self, before: str = "", ignores: Callable[[str, str], bool] | None = None) -> None:
        self._before = before
        self._ignores = ignores
        self._paths: list[str] = []
        self._values: list[object] = []
        #: Text before these lines, and how much; and the line of bytes that is open at its end.
        self._pieces: list[bytes] = []
        self._size = 0
        self._in_bytes = False
        #: The steps to the last part, without its own, and their text; many parts share them.
        self._known: tuple[Step, ...] = ()
        self._known_text = ""
        #: The steps to the object that values are in, and their text.
        self._place: tuple[Step, ...] = ()
        self._place_text = ""
        #: The steps of members that came before, as text.
        self._names: dict[str, str] = {}
        #: The class of the object that values are in, and how many characters lead to it.
        self._class = ""
        self._inner: i64 = 0

    def begin(self, place: tuple[Step, ...], header: ObjectHeader) -> None:
        """Add the lines of an object's header, which leads to all members."""
        self._end_bytes()
        self._enter(place)
        text = self._known_text = self._place_text.removeprefix("/")
        self._known = place
        self._class = header.class_name[header.class_name.rfind(".") + 1 :]
        self._leaf(f"{text}/@class_name", header.class_name)
        if header.position is not None:
            self._value(f"{text}/@position", header.position)

    def add(self, part: Part) -> None:
        """Add the lines of a part."""
        if part.around is not self._known:
            self._known = part.around
            place = part.around[: part.base]
            if place != self._place:
                self._enter(place)
            self._known_text = (self._place_text + steps_text(part.around[part.base :])).removeprefix("/")
        text = self._known_text
        for step in part.steps:
            if isinstance(step, str):
                name = self._names.get(step)
                if name is None:
                    name = self._name(step)
                text = text + name if text else name[1:]
            else:
                text += step_text(step)
        value = part.value
        if self._in_bytes and (part.first <= 0 or not isinstance(value, bytes)):
            self._end_bytes()
        if part.first < 0:
            self._value(text, value)
        elif isinstance(value, (list, tuple)):
            self._elements(text, value, part.first)
        elif isinstance(value, bytes):
            self._bytes(f"{text}/base64", value, part.first)

    def _enter(self, place: tuple[Step, ...]) -> None:
        """Take the steps to an object."""
        self._place = place
        self._place_text = steps_text(place, len(place))
        text = self._place_text.removeprefix("/")
        self._inner = len(text) + 1 if text else 0

    def header(self, header: object) -> None:
        """Add the lines of the header of a save."""
        self._inner = 0
        self._value("@header", header)

    def is_full(self) -> bool:
        """Return whether so much text waits that it should be taken."""
        return len(self._paths) >= MOST_LINES or self._size >= PIECE_SIZE

    def take(self) -> bytes:
        """Return the text that waits. It may end in a line, if that is long."""
        text = self._lines()
        if self._pieces:
            self._pieces.append(text)
            text = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
        return text

    def end(self) -> bytes:
        """Return the rest of the text."""
        self._end_bytes()
        return self.take()

    def _lines(self) -> bytes:
        paths, values = self._paths, self._values
        self._paths, self._values = [], []
        if not paths:
            return b""
        try:
            # One call for all values, each of which is on a line of its own.
            texts = escaped(orjson.dumps(values, option=orjson.OPT_INDENT_2))[4:-2].decode().split(SEPARATOR)
        except orjson.JSONEncodeError:
            texts = [value_bytes(value).decode() for value in values]
        # To join all at once takes a third less time than to make each line and join these.
        pieces = [self._before, "", " = ", "", "\n"] * len(paths)
        pieces[1::5] = paths
        pieces[3::5] = texts
        return "".join(pieces).encode("utf-8", "surrogatepass")

    def _bytes(self, path: str, value: bytes, first: i64) -> None:
        """Add a slice of bytes, which are one line."""
        if first == 0 and not self._is_ignored(path):
            self._in_bytes = True
            self._pieces.append(self._lines())
            self._pieces.append(f'{self._before}{path} = "'.encode("utf-8", "surrogatepass"))
        if self._in_bytes:
            text = b2a_base64(value, newline=False)  # three bytes, or a multiple of that, in all but the last
            self._pieces.append(text)
            self._size += len(text)

    def _end_bytes(self) -> None:
        """End the line of bytes that is open."""
        if self._in_bytes:
            self._pieces.append(b'"\n')
            self._in_bytes = False

    def _is_ignored(self, path: str) -> bool:
        ignores = self._ignores
        return ignores is not None and ignores(self._class if self._inner else "", path[self._inner :])

    def _leaf(self, path: str, value: object) -> None:
        if self._ignores is not None and self._is_ignored(path):
            return
        self._paths.append(path)
        self._values.append(value)

    def _value(self, path: str, value: object) -> None:
        if isinstance(value, (str, int)) or value is None:
            self._leaf(path, value)
        elif isinstance(value, float):
            self._leaf(path, value if value - value == 0.0 else to_jsonable(value))
        elif isinstance(value, ObjectReference):
            self._leaf(path, value.path_name)
        elif isinstance(value, dict):
            self._members(path, value)
        elif isinstance(value, (list, tuple)):
            self._elements(path, value, 0)
        elif isinstance(value, Opaque):
            self._leaf(f"{path}/{BYTES}", len(value.data))
        else:
            stepped = json_step(value)
            if isinstance(stepped, dict):
                self._members(path, stepped)
            else:
                self._leaf(path, stepped)

    def _members(self, path: str, members: dict[str, object]) -> None:
        if not members:
            self._leaf(path, members)
            return
        names = self._names
        for name, member in members.items():
            text = names.get(name)
            if text is None:
                text = self._name(name)
            self._value(path + text if path else text[1:], member)

    def _name(self, name: str) -> str:
        """Return the steps of a member, and keep them."""
        if len(self._names) >= MOST_NAMES:
            self._names.clear()
        text = self._names[name] = "".join([step_text(step) for step in split_name(name)])
        return text

    def _elements(self, path: str, elements: list[object] | tuple[object, ...], first: int) -> None:
        if not elements:
            self._leaf(path, [])
            return
        index = first
        for element in elements:
            if isinstance(element, tuple) and len(element) == 2:
                key = key_of(element[0])
                if key is not None:
                    self._value(f"{path}[{quoted(key)}]", element[1])
                else:
                    self._value(f"{path}[{index}]/key", element[0])
                    self._value(f"{path}[{index}]/value", element[1])
            else:
                self._value(f"{path}[{index}]", element)
            index += 1


def flat_lines(
    events: EventStream,
    wanted: Callable[[ObjectHeader], bool] | None = None,
    *,
    before: str = "",
    ignores: Callable[[str, str], bool] | None = None,
    within: Walk | None = None,
    under: tuple[WantedStep, ...] = (),
) -> Iterator[bytes]:
    """Yield the lines of a save, many at a time.

    Args:
        events: of the save; nothing was read yet.
        wanted: only objects for which this is true, with what is in them, and no header of the save.
        before: what each line begins with.
        ignores: as for `FlatText`.
        within: only the object whose header is the last step of this walk, with what is in it.
        under: only values that this path in their object leads to, and no headers.

    Raises:
        SaveError: the save is damaged; the lines before the damage come first.
    """
    text = FlatText(before, ignores)
    walk = within or Walk(events)
    #: The place of the object that is wanted.
    inside = walk.place
    takes = wanted is None
    if isinstance(walk.event, ObjectHeader) and not under:
        text.begin(inside, walk.event)
    try:
        for step in walk:
            if isinstance(step, Part):
                if takes:
                    for part in (step,) if not under else parts_under(step, under):
                        text.add(part)
            elif isinstance(step, ObjectHeader):
                if not takes and wanted is not None:
                    if not wanted(step):
                        walk.skip()
                        continue
                    takes = True
                    inside = walk.place
                if not under:
                    text.begin(walk.place, step)
            elif isinstance(step, ObjectEnd):
                if inside and len(walk.place) < len(inside):
                    if within is not None:
                        break
                    inside = ()
                    takes = False
            elif isinstance(step, SaveStart) and takes:
                text.header(step.header)
            if text.is_full():
                yield text.take()
    except SaveError as error:
        yield text.end()
        raise error  # noqa: TRY201 - compiled, a `raise` alone does not know it any more
    yield text.end()


def parts_under(part: Part, steps: tuple[WantedStep, ...]) -> Iterator[Part]:
    """Yield what steps lead to: the part, if that is all of it, or leaves in it.

    Args:
        part: the part.
        steps: those of a path in the object.
    """
    inner = (*part.inner, "base64") if isinstance(part.value, bytes) else part.inner
    if leads_into(steps, inner, part.value):
        yield part
        return
    for path, leaf in () if isinstance(part.value, bytes) else leaves(part, keys=steps[-1] == "key"):
        if leads_into(steps, path[part.base :], leaf):
            yield Part(part.around, path[len(part.around) :], part.base, leaf)
