"""The end of a page's data."""

import pytest
from cli_runs import SAMPLES
from saves import VALID
from scenes import Written, header

from streamsave import open as open_save
from streamsave.formats import METRES
from streamsave.report.categories import CLASS_COLOURS, classify_for, game_of
from streamsave.report.names import Names
from streamsave.report.summary import summary
from streamsave.report.tree import HEADERS, OUTSIDE, Node, Tree, collect


def summary_of(path, *, whole=True, where=None, names=None):
    tree, written = Tree(), Written("satisfactory")
    with open_save(path) as events, open_save(path) as again:
        classify = classify_for(game_of(next(again)))
        if where is not None:
            events.only(where)
        collect(events, tree, written.scene)
    return summary(written.scene, tree, classify, names or Names(), METRES, title="t", note="n", whole=whole), tree


def check_sums(part) -> int:
    """Assert that each part is the sum of its parts; return how many there are."""
    name, size, category, parts = part
    assert isinstance(name, str)
    assert size > 0
    assert category >= 0
    assert not parts or sum(each[1] for each in parts) == size
    return 1 + sum(map(check_sums, parts))


@pytest.mark.parametrize(
    "path",
    [*SAMPLES, VALID / "gvas" / "palworld-1.0.sav", VALID / "gvas" / "ue5-1018.sav", VALID / "arx" / "v2.1.sav"],
    ids=lambda path: path.stem,
)
def test_the_tree_adds_up_to_the_save(path):
    found, tree = summary_of(path)
    assert found["tree"][1] == tree.inflated_size
    assert check_sums(found["tree"]) > 10


def test_what_a_page_says_of_a_world():
    found, tree = summary_of(SAMPLES[2], names=Names({"BP_CreatureSpawner_C": "Nest"}))
    categories = [name for name, _, _ in found["categories"]]
    assert categories[-1] == "other"
    shown, _, kind, category, count, places, size, mod = {row[1]: row for row in found["table"]}["BP_CreatureSpawner_C"]
    assert (shown, kind, categories[category], mod) == ("Nest", "actor", "nature", "")
    ((_, node),) = [each for each in tree.classes.items() if each[0][1].endswith(".BP_CreatureSpawner_C")]
    assert (count, places, size) == (node.count, node.count, node.size)
    assert {part[0] for part in found["tree"][3]} >= {HEADERS, OUTSIDE, "nature"}
    assert found["points"] == sum(row[5] for row in found["table"])
    assert (found["title"], found["note"], found["unit"]) == ("t", "n", "m")


def test_games_without_categories_colour_their_classes():
    tree, written = Tree(), Written()
    for number in range(9):
        for _ in range(9 - number):
            written.scene.place(header(class_name=f"Class{number}"))
        tree.classes["actor", f"Class{number}"] = Node()
    found = summary(written.scene, tree, classify_for(""), Names(), METRES, title="", note="", whole=True)
    coloured = len(CLASS_COLOURS)
    assert [name for name, _, _ in found["categories"]] == [*(f"Class {number}" for number in range(coloured)), "other"]
    assert [row[3] for row in found["classes"]] == [*range(coloured), *[coloured] * (9 - coloured)]
    assert found["tree"][3] == ()  # objects without bytes have no part
