"""The tree of bytes of a save: it adds up, and it is that of `ls`."""

import pickle
from collections import Counter

import pytest
from cli_runs import SAMPLES, json_lines
from saves import VALID
from scenes import header
from writer.shapez2_samples import save_bytes, small_save

from streamsave import open as open_save
from streamsave.errors import SaveError
from streamsave.report import tree as tree_module
from streamsave.report.tree import DEEPEST, MOST_NODES, Node, Sink, Tree, collect


def tree_of(path, sink=None) -> Tree:
    tree = Tree()
    with open_save(path) as events:
        collect(events, tree, sink)
    return tree


def overfull(node: Node, path: tuple[str, ...] = ()):
    """Nodes whose parts have more bytes than they."""
    if sum(each.size for each in node.nodes.values()) > node.size or node.size < 0:
        yield path
    for name, each in node.nodes.items():
        yield from overfull(each, (*path, name))


SAVES = [
    *SAMPLES,
    VALID / "satisfactory" / "sv25.sav",
    VALID / "satisfactory" / "sv58.sbp",
    VALID / "gvas" / "palworld-1.0.sav",
    VALID / "gvas" / "ue5-1018.sav",
    VALID / "shapez2" / "checkpoints.spz2",
    VALID / "arx" / "v2.1.sav",
    VALID / "astroneer" / "full.savegame",
]


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_classes_are_those_of_stats(path):
    tree = tree_of(path)
    (stats,) = json_lines("ls", "--by-class", "--full", "-n", 0, path)
    assert tree.inflated_size == stats["inflated_size"]
    counts = Counter()
    for (_, class_name), node in tree.classes.items():
        counts[class_name] += node.count
        assert list(overfull(node)) == []
    assert counts == {row["class_name"]: row["count"] for row in stats["classes"]}
    objects = sum(node.size for node in tree.classes.values()) + sum(tree.headers.values())
    assert 0 <= objects <= tree.inflated_size
    # What is in no object has room for its parts.
    tree.outside.size = tree.inflated_size - objects
    assert list(overfull(tree.outside)) == []


def test_structs_nest_up_to_a_depth():
    """What is deeper is in the last one."""
    value: object = 7
    for _ in range(DEEPEST + 3):
        value = {"a": value}
    node, depth = tree_of(save_bytes(small_save(summary={"Deep": value}))).outside, 0
    while node.nodes:
        node = node.nodes.get("a") or node.nodes.get("Deep") or node.nodes.get("value") or node.nodes["savegame.json"]
        depth += 1
    assert depth == DEEPEST + 1  # with the last value in it


class Taker(Sink):
    def __init__(self) -> None:
        super().__init__()
        self.names = frozenset(("mSpawnData",))
        self.headers = []
        self.values = []

    def place(self, header):
        self.headers.append(header.instance_name)

    def wants(self, header, name):
        return "CreatureSpawner" in header.class_name

    def value(self, header, name, value):
        self.values.append((header.instance_name, name, value))


def test_a_sink_gets_each_object_and_the_values_it_wants():
    sink = Taker()
    tree = tree_of(SAMPLES[2], sink)
    assert Counter(sink.headers) == Counter(row["instance_name"] for row in json_lines("ls", SAMPLES[2]))
    where = 'class_name = "*CreatureSpawner*" and has(mSpawnData)'
    expected = {row["instance_name"] for row in json_lines("ls", SAMPLES[2], "--where", where)}
    assert {name for name, _, _ in sink.values} == expected
    assert all(isinstance(value, list) for _, _, value in sink.values)
    assert sum(node.nodes["mSpawnData"].size for node in tree.classes.values() if "mSpawnData" in node.nodes) > 0


def test_a_damaged_save_gives_what_comes_before():
    tree = Tree()
    cut = (VALID / "gvas" / "palworld-1.0.sav").read_bytes()[:-100]
    with open_save(cut) as events, pytest.raises(SaveError):
        collect(events, tree)
    assert tree.classes


def test_a_sink_takes_nothing_and_minds_nothing():
    sink = Sink()
    sink.place(header())
    sink.value(header(), "name", 1)
    assert sink.names == frozenset()
    assert sink.wants(header(), "name")


# --- Sums of several saves, and how processes hand them on ---


def small(size: int, *names: str) -> Tree:
    tree = Tree()
    node = tree.child(tree.outside, "body")
    node.size, node.count = size, 1
    for name in names:
        inner = tree.child(node, name)
        inner.size = size
    tree.classes["actor", "A"] = pickle.loads(pickle.dumps(tree)).outside.nodes["body"]  # noqa: S301 - we wrote it
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


def test_it_holds_at_most_so_many_nodes():
    tree = Tree()
    tree.node_count = tree_module.MOST_NODES - 1
    assert tree.child(tree.outside, "last") is not None
    assert tree.child(tree.outside, "one more") is None
    assert tree.child(tree.outside, "last") is not None
    assert tree.node_count == MOST_NODES


@pytest.mark.parametrize("path", SAVES, ids=lambda path: path.stem)
def test_bytes_without_a_node_are_those_of_the_class(path):
    """Worlds of 19 MiB have more parts than a tree holds."""
    full = Tree()
    full.node_count = MOST_NODES
    with open_save(path) as events:
        collect(events, full)
    found = [{key: (node.size, node.count) for key, node in tree.classes.items()} for tree in (full, tree_of(path))]
    assert found[0] == found[1]
