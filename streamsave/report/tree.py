"""The bytes of a save as a tree: of each class, of its members, of what is in these.

| part | parts of it |
|---|---|
| a class: the data of its objects, without objects inside them | properties, fields and structs by name, in turn with parts |
| the headers of objects | by class |
| the bytes outside of objects | structs and fields by name |

Together they are the inflated bytes. Elements of a container have no part of their own: their members are the container's.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from streamsave._native import i64
from streamsave.events import Event

__all__ = ["HEADERS", "MOST_NODES", "OUTSIDE", "Node", "PackedTree", "Tree", "unpacked_tree"]

HEADERS: Final = "(headers of objects)"
OUTSIDE: Final = "(in no object)"
#: Nodes of a tree; what comes after is only in the sum of the node around it.
MOST_NODES: Final = 60_000


#: Size, count, and nodes by name.
Packed: TypeAlias = tuple[int, int, dict[str, Any]]

PackedTree: TypeAlias = tuple[dict[tuple[str, str], Packed], dict[tuple[str, str], int], Packed, int]


class Node:
    """A number of bytes with a name, and what they are made of."""

    def __init__(self) -> None:
        self.size: i64 = 0
        self.count: i64 = 0
        #: Of a class: bytes of the objects inside of its objects.
        self.inner: i64 = 0
        self.nodes: dict[str, Node] = {}

    def packed(self) -> Packed:
        """Return the same as a tuple, which can be pickled."""
        return self.size, self.count, {name: node.packed() for name, node in self.nodes.items()}

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


def unpacked(packed: Packed) -> Node:
    """Return the node that a tuple was made of."""
    node = Node()
    node.size, node.count = packed[0], packed[1]
    node.nodes = {name: unpacked(each) for name, each in packed[2].items()}
    return node


class Tree:
    """What takes the bytes of saves."""

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

    def packed(self) -> PackedTree:
        """Return the same as a tuple, which can be pickled: processes of `--jobs` hand it on."""
        classes = {key: node.packed() for key, node in self.classes.items()}
        return classes, self.headers, self.outside.packed(), self.inflated_size


def unpacked_tree(packed: PackedTree) -> Tree:
    """Return the tree that a tuple was made of."""
    tree = Tree()
    tree.classes = {key: unpacked(node) for key, node in packed[0].items()}
    tree.headers = packed[1]
    tree.outside = unpacked(packed[2])
    tree.inflated_size = packed[3]
    return tree
