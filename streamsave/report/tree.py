"""The bytes of a save as a tree: of each class, of its members, of what is in these.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects | structs and fields by name |

Together they are the inflated bytes. Elements of a container have no part of their own: their members are the container's.

`collect` reads a save to its end and sums up its bytes; on the way it hands places and chosen values to a `Sink`.
"""

from __future__ import annotations

from typing import Any, Final

from mypy_extensions import mypyc_attr

from streamsave._native import i64
from streamsave.consume.stream import EventStream
from streamsave.events import (
    BlobSkip,
    ChunkStart,
    Event,
    Field,
    ObjectEnd,
    ObjectHeader,
    PropertyTag,
    SaveEnd,
    StructEnter,
    StructExit,
)

__all__ = ["HEADERS", "MOST_NODES", "OUTSIDE", "Node", "Sink", "Tree", "collect"]

HEADERS: Final = "(headers of objects)"
OUTSIDE: Final = "(in no object)"
#: Nodes of a tree; what comes after is only in the sum of the node around it.
MOST_NODES: Final = 60_000


class Node:
    """A number of bytes with a name, and what they are made of."""

    def __init__(self, size: i64 = 0, count: i64 = 0, nodes: dict[str, Node] | None = None) -> None:
        self.size: i64 = size
        self.count: i64 = count
        #: Of a class: bytes of the objects inside of its objects.
        self.inner: i64 = 0
        self.nodes: dict[str, Node] = {} if nodes is None else nodes

    def __reduce__(self) -> tuple[object, ...]:
        return Node, (self.size, self.count, self.nodes)

    def add(self, other: Node) -> None:
        """Add the bytes of another node, and those of its nodes by their names."""
        self.size += other.size
        self.count += other.count
        add_nodes(self.nodes, other.nodes)


def add_nodes(nodes: dict[Any, Node], others: dict[Any, Node]) -> None:
    """Add the bytes of nodes to those of the same key."""
    for key, other in others.items():
        if key in nodes:
            nodes[key].add(other)
        else:
            nodes[key] = other


class Tree:
    """What takes the bytes of saves. Processes of `--jobs` hand on its nodes and headers."""

    def __init__(
        self,
        classes: dict[tuple[str, str], Node] | None = None,
        headers: dict[tuple[str, str], int] | None = None,
        outside: Node | None = None,
        inflated_size: i64 = 0,
    ) -> None:
        #: Kind and full class -> bytes of the data of its objects, without objects inside them, and their number.
        self.classes: dict[tuple[str, str], Node] = classes or {}
        #: The same keys -> bytes of their headers.
        self.headers: dict[tuple[str, str], int] = headers or {}
        #: What is in no object; its own size counts only if all objects are wanted.
        self.outside = outside or Node()
        self.inflated_size: i64 = inflated_size
        self.node_count: i64 = 0
        #: How many events of each kind there were; how many chunks the save has: those that were passed over give no event.
        self.events: dict[type[Event], int] = {}
        self.chunks: i64 = 0

    def child(self, node: Node, name: str) -> Node | None:
        """Return the part of a node with a name; None if the tree has too many."""
        found = node.nodes.get(name)
        if found is None:
            if self.node_count >= MOST_NODES:
                return None
            self.node_count += 1
            found = node.nodes[name] = Node()
        return found

    def add(self, other: Tree) -> None:
        """Add the bytes of another save."""
        add_nodes(self.classes, other.classes)
        for key, size in other.headers.items():
            self.headers[key] = self.headers.get(key, 0) + size
        self.outside.add(other.outside)
        self.inflated_size += other.inflated_size

    def __reduce__(self) -> tuple[object, ...]:
        return Tree, (self.classes, self.headers, self.outside, self.inflated_size)


# --- reading a save ---


@mypyc_attr(allow_interpreted_subclasses=True)
class Sink:
    """Takes places of objects, and values of chosen properties. This one takes nothing."""

    def __init__(self) -> None:
        #: Names of properties whose values may be wanted.
        self.names: frozenset[str] = frozenset()

    def place(self, header: ObjectHeader) -> None:
        """Take an object: its header."""

    def wants(self, header: ObjectHeader, name: str) -> bool:
        """Return whether the value of a property is wanted."""
        return True

    def value(self, header: ObjectHeader, name: str, value: object) -> None:
        """Take a value of an object, as `build()` makes it."""


#: In place of where a nesting starts: it belongs to the node around it; it is the value of a property, which has its own.
PART: Final = -1
VALUE: Final = -2
#: Open nestings of which each has a node; what is deeper belongs to the last one.
DEEPEST: Final = 12


class Level:
    """A nesting that is open: a struct, a container, an element, or an object.

    Args:
        node: whose bytes are in it.
        start: where it starts, if its size is not counted yet; `PART` or `VALUE` otherwise.
    """

    def __init__(self, node: Node, start: i64) -> None:
        self.node = node
        self.start: i64 = start
        #: What is in it has nodes of its own.
        self.has_parts = True
        #: Bytes of the objects in it.
        self.inner: i64 = 0
        #: Where the last of its properties ends: a struct before that is the property's value.
        self.end: i64 = 0
        #: The node of this property.
        self.last: Node = node


def collect(events: EventStream, tree: Tree, sink: Sink | None = None, *, members_only: bool = False) -> None:
    """Read all events and add their sums to a tree; only the wanted objects count (`EventStream.only`).

    Args:
        events: the stream, at its start.
        tree: an empty one; it has what comes before the fault, too, if the bytes are at fault.
        sink: takes what is found on the way.
        members_only: the members of objects have no parts, and bytes of unknown layout are no members.

    Raises:
        SaveError: the bytes are at fault.
    """
    headers = tree.headers
    names: frozenset[str] = frozenset() if sink is None else sink.names
    unwanted: Node = Node()
    kinds = tree.events
    #: The headers of the objects that are open.
    around: list[ObjectHeader] = []
    levels: list[Level] = [Level(tree.outside, PART)]
    level = levels[0]
    size: i64
    for event in events:
        what = type(event)
        kinds[what] = kinds.get(what, 0) + 1
        if isinstance(event, PropertyTag):
            name = event.name
            if level.has_parts:
                end: i64 = event.value_offset + event.size
                level.last = _counted(tree, level.node, name, end - event.offset)
                level.end = end
            if around and name in names and sink is not None and sink.wants(around[-1], name):
                sink.value(around[-1], name, events.build())
        elif isinstance(event, Field):
            if level.has_parts:
                _counted(tree, level.node, event.name, event.size)
        elif isinstance(event, StructEnter):
            if event.offset < level.end or event.index >= 0:
                # The value of the property before it, or an element: its bytes are counted.
                is_value = event.offset < level.end and level.last is not level.node
                level = Level(level.last, VALUE) if is_value else Level(level.node, PART)
            elif len(levels) > DEEPEST or not event.name or not level.has_parts:
                level = Level(level.node, PART)
            else:
                part = tree.child(level.node, event.name)
                level = Level(level.node, PART) if part is None else Level(part, event.offset)
            level.has_parts = not members_only
            levels.append(level)
        elif isinstance(event, StructExit):
            if len(levels) > 1:
                closed = levels.pop()
                level = levels[-1]
                _close(closed, level, event.offset + event.size)
        elif isinstance(event, ObjectHeader):
            key = (event.kind, event.class_name)
            if events.takes(event):
                node = tree.classes.get(key) or tree.classes.setdefault(key, Node())
                headers[key] = headers.get(key, 0) + event.header_size + event.prefix_size
                node.count += 1
                if sink is not None:
                    sink.place(event)
            else:
                node = unwanted
            level = Level(node, PART)
            levels.append(level)
            around.append(event)
        elif isinstance(event, ObjectEnd):
            if around:
                header = around.pop()
                # If the header does not have the size, it is known only now.
                size = header.size if header.size >= 0 else event.offset - header.data_offset
                closed = levels.pop()
                closed.node.size += size - closed.inner
                closed.node.inner += closed.inner
                level = levels[-1]
                level.inner += size + header.header_size + header.prefix_size
        elif isinstance(event, BlobSkip):
            if event.offset >= level.end and not members_only:
                _counted(tree, level.node, event.reason, event.size)
        elif isinstance(event, ChunkStart):
            tree.inflated_size = max(tree.inflated_size, event.offset + event.size)
            tree.chunks = max(tree.chunks, event.index + 1)
        elif isinstance(event, SaveEnd):
            tree.inflated_size = max(tree.inflated_size, event.offset)


def _counted(tree: Tree, node: Node, name: str, size: i64) -> Node:
    """Add bytes to the part of a node with a name; return that part, or the node if the tree has too many."""
    found = tree.child(node, name)
    if found is None:
        return node
    found.size += size
    found.count += 1
    return found


def _close(closed: Level, around: Level, end: i64) -> None:
    """Count the bytes of a nesting that ends; those of objects in it belong to these."""
    node = closed.node
    if closed.start >= 0:
        node.size += end - closed.start - closed.inner
        node.count += 1
    elif closed.start == VALUE:
        node.size -= closed.inner
    around.inner += closed.inner
