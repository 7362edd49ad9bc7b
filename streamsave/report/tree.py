"""The bytes of a save as a tree: of each class, of its members, of what is in these.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects | structs and fields by name |

Together they are the inflated bytes. Elements of a container have no part of their own: their members are the container's.
"""

from __future__ import annotations

from typing import Final

from streamsave._native import i64
from streamsave.events import Event

__all__ = ["HEADERS", "MOST_NODES", "OUTSIDE", "Node", "Tree"]

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
        for name, node in other.nodes.items():
            mine = self.nodes.get(name)
            if mine is None:
                self.nodes[name] = node
            else:
                mine.add(node)


class Tree:
    """What takes the bytes of saves. Processes of `--jobs` hand on its nodes and headers."""

    def __init__(self) -> None:
        #: Kind and full class -> bytes of the data of its objects, without objects inside them, and their number.
        self.classes: dict[tuple[str, str], Node] = {}
        #: The same keys -> bytes of their headers.
        self.headers: dict[tuple[str, str], int] = {}
        #: What is in no object; its own size counts only if all objects are wanted.
        self.outside = Node()
        self.inflated_size: i64 = 0
        self.node_count: i64 = 0
        #: How many events of each kind there were; chunks, and bytes in them as they are stored.
        self.events: dict[type[Event], int] = {}
        self.chunks: i64 = 0
        self.compressed_size: i64 = 0

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
        for key, node in other.classes.items():
            mine = self.classes.get(key)
            if mine is None:
                self.classes[key] = node
            else:
                mine.add(node)
        for key, size in other.headers.items():
            self.headers[key] = self.headers.get(key, 0) + size
        self.outside.add(other.outside)
        self.inflated_size += other.inflated_size

    def __reduce__(self) -> tuple[object, ...]:
        return handed_on, (self.classes, self.headers, self.outside, self.inflated_size)


def handed_on(
    classes: dict[tuple[str, str], Node], headers: dict[tuple[str, str], int], outside: Node, inflated_size: i64
) -> Tree:
    """Return a tree of these parts."""
    tree = Tree()
    tree.classes, tree.headers, tree.outside, tree.inflated_size = classes, headers, outside, inflated_size
    return tree
