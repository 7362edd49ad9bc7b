"""The tree of bytes: sums of several saves, and how processes hand it on."""

from __future__ import annotations

import pickle

from streamsave.report import tree as tree_module
from streamsave.report.tree import MOST_NODES, Tree


def handed_on(tree: Tree) -> Tree:
    return pickle.loads(pickle.dumps(tree))  # noqa: S301 - we wrote it


def small(size: int, *names: str) -> Tree:
    tree = Tree()
    node = tree.child(tree.outside, "body")
    assert node is not None
    node.size, node.count = size, 1
    for name in names:
        inner = tree.child(node, name)
        assert inner is not None
        inner.size = size
    tree.classes["actor", "A"] = handed_on(tree).outside.nodes["body"]
    tree.headers["actor", "A"] = 5
    tree.inflated_size = 100
    return tree


def shape(node) -> tuple[object, ...]:
    return node.size, node.count, {name: shape(each) for name, each in node.nodes.items()}


def test_sums_of_two_saves():
    tree = small(3, "x", "y")
    tree.add(small(4, "y", "z"))
    other = small(1)
    other.classes["actor", "B"] = other.classes.pop(("actor", "A"))
    tree.add(other)
    x, y, z = (3, 0, {}), (7, 0, {}), (4, 0, {})
    assert shape(tree.classes["actor", "A"]) == (7, 2, {"x": x, "y": y, "z": z})
    assert shape(tree.classes["actor", "B"])[0] == 1
    assert tree.headers == {("actor", "A"): 15}
    assert tree.inflated_size == 300


def test_it_can_be_handed_on():
    tree = small(3, "x")
    other = handed_on(tree)
    assert {key: shape(node) for key, node in other.classes.items()} == {key: shape(node) for key, node in tree.classes.items()}
    assert shape(other.outside) == shape(tree.outside)
    assert (other.headers, other.inflated_size) == (tree.headers, tree.inflated_size)


def test_it_holds_at_most_so_many_nodes():
    tree = Tree()
    tree.node_count = tree_module.MOST_NODES - 1
    assert tree.child(tree.outside, "last") is not None
    assert tree.child(tree.outside, "one more") is None
    assert tree.child(tree.outside, "last") is not None
    assert tree.node_count == MOST_NODES
