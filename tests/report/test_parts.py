"""What is shown of the tree of bytes."""

from streamsave.report.parts import DEEPEST_PARTS, REST, Part, members_of, parts_of
from streamsave.report.tree import Node, Tree


def test_parts_leave_out_what_is_small_or_too_many_or_too_deep():
    nodes = {f"m{number}": Node(5) for number in range(4)}
    assert members_of(nodes.items(), 100, "", 5, 3) == (Part(REST, 85), *(Part(f"m{number}", 5) for number in range(3)))
    assert members_of(nodes.items(), 100, "", 6) == members_of((), 100, "", 1) == ()
    assert parts_of(Tree(), whole=True, named=str, hue_of=str, other="", least_share=1) == ()
    deep = top = Node(1000)
    for _ in range(DEEPEST_PARTS + 2):
        deep.nodes["m"] = deep = Node(1000)
    assert str(members_of(top.nodes.items(), 1000, 0, 5)).count("'m'") == DEEPEST_PARTS
