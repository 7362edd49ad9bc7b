"""Selections at work: what is built and what is skipped, and which of two members with one name counts."""

import warnings

import pytest
from cli_runs import thing
from saves import VALID
from writer.primitives import Ref
from writer.satisfactory import World, release_header, save_bytes
from writer.tags import BOOL, BYTE, INT, STR, Array, Prop

import streamsave
from streamsave import Limits, ObjectHeader, SelectError, SelectWarning, parse_selection
from streamsave.consume.conditions import EVERYTHING
from streamsave.consume.selection import (
    KEPT_CLASSES,
    KEPT_JUDGED,
    LARGEST_SEARCHED,
    HeaderFilter,
    Plan,
    Selector,
    filter_of,
    keys_of,
    looks_at_header,
)
from streamsave.values import Transform

SHAPEZ2 = VALID / "shapez2" / "small.spz2"
OWNER = Ref("Persistent_Level", "Persistent_Level:PersistentLevel.BP_Owner_C_1")


def save(*objects: object) -> bytes:
    return save_bytes(World(release_header(46), (), objects))


def names(source: object, where: str, **options: object) -> list[str]:
    """The last part of the names of the objects that a selection wants."""
    return [found.instance_name.rpartition(".")[2] for found in streamsave.objects(source, where, **options)]


SPAWNERS = VALID / "satisfactory" / "sv58.sav"
KILLED = "mSpawnData[0].NumTimesKilled"


def test_a_function_is_a_test():
    """It gets the fields that were asked for, and combines with other tests."""
    expected = names(SPAWNERS, f"{KILLED} > 5")
    assert len(expected) == 2
    assert names(SPAWNERS, lambda found: found.fields.get(KILLED, 0) > 5, fields=[KILLED]) == expected
    spawners = parse_selection("class_name = *CreatureSpawner*")

    def first(found):
        return found.instance_name.endswith("6")

    assert names(SPAWNERS, spawners & first) == expected[:1] == names(SPAWNERS, first & spawners)
    everything = names(SPAWNERS, None)
    assert names(SPAWNERS, spawners | (lambda _: True)) == everything == names(SPAWNERS, (lambda _: True) | spawners)
    assert names(SPAWNERS, ~(spawners & (lambda _: True))) == names(SPAWNERS, "class_name != *CreatureSpawner*")
    with streamsave.open(SPAWNERS) as events:
        events.only(spawners & first)
        assert [event.instance_name[-1] for event in events if isinstance(event, ObjectHeader)] == ["6"]
    table = list(streamsave.objects(SPAWNERS, lambda found: found.position is not None, ["@position", "@class_name"]))
    assert table
    assert all(found.fields == {"@position": found.position, "@class_name": found.class_name} for found in table)
    with pytest.raises(TypeError, match="a selection is a text, a function"):
        spawners & 3


PLANS = [
    # selection, fields, roots, presence only
    ("class_name = a", (), set(), set()),
    ("has(mX)", (), {"mX"}, {"mX"}),
    ("has(mX) and has(mY)", (), {"mX", "mY"}, {"mX", "mY"}),
    ("has(mX) and mX > 1", (), {"mX"}, set()),
    ("has(mX)", ("mX",), {"mX"}, set()),
    ("has(mX)", ("mX.y",), {"mX"}, set()),
    ("has(mX.y)", (), {"mX"}, set()),
    ("has(mX[0])", (), {"mX"}, set()),
    # `build` may have made these names of others: only building the members shows them.
    ('has("mX#2")', (), {"mX#2", "mX"}, set()),
    ('has("mX[1]")', (), {"mX[1]", "mX"}, set()),
]


@pytest.mark.parametrize(("where", "fields", "roots", "presence_only"), PLANS)
def test_plan(where, fields, roots, presence_only):
    plan = Plan([where], fields)
    assert (plan.roots, plan.presence_only) == (roots, presence_only)


NEEDS = [
    # selection, sizes, more of the header is tested than the class, the data is needed
    ("class_name = a", False, False, False),
    ("class_name = a", True, False, True),
    ("instance_name = a", False, True, False),
    ("level = a", False, True, False),
    ("kind = a", False, True, False),
    ("outer = a", False, True, False),
    ('@class_name = "a" or has(@position)', False, True, False),
    ("position in (0, 0)..(1, 1)", False, True, False),
    ("size > 3", False, True, True),
    ("has(mX)", False, False, True),
    ("mX = 3", False, False, True),
]


@pytest.mark.parametrize(("where", "sizes", "at_header", "data"), NEEDS)
def test_what_a_plan_needs(where, sizes, at_header, data):
    plan = Plan([where], sizes=sizes)
    assert (any(map(looks_at_header, parse_selection(where)._tests())), plan.needs_data) == (at_header, data)
    assert plan.looks_at_names == where.startswith(("instance_name", "level"))


def test_a_plan_takes_texts_and_selections():
    parsed = parse_selection("class_name = a")
    assert Plan(["class_name = a", parsed, None]).selections == [parsed, parsed, EVERYTHING]
    with pytest.raises(SelectError):
        Plan(["class_name ="])
    with pytest.raises(SelectError):
        Plan([None], ["mX["])
    with pytest.raises(TypeError, match="is no int"):
        Plan([3])


def test_a_property_hides_a_field_of_its_name():
    """Every actor has the field `actor`; this one has a property of that name, too."""
    data = save(thing("BP_A_C_1", Prop("actor", INT, 7), owner=OWNER), thing("BP_B_C_2", owner=OWNER))
    with streamsave.open(data) as events:
        first = next(event for event in events if isinstance(event, ObjectHeader))
        built = events.build()
        assert (first.instance_name[-8:], built["actor"]["owner"].path_name) == ("BP_A_C_1", OWNER.path)
        assert built["properties"]["actor"] == 7
    assert [one.fields["actor"] for one in streamsave.objects(data, "instance_name ~ A_C_1", ["actor"])] == [7]
    assert names(data, "actor = 7") == ["BP_A_C_1"]
    assert names(data, f"actor.owner = '{OWNER.path}'") == ["BP_B_C_2"]
    assert names(data, "has(actor.owner)") == ["BP_B_C_2"]
    assert names(data, "has(actor)") == ["BP_A_C_1", "BP_B_C_2"]


def test_what_is_only_tested_for_presence_is_not_built():
    data = save(thing("BP_A_C_1", Prop("mX", STR, "x" * 2000)))
    limits = Limits(build_size=1000)
    assert names(data, "has(mX)", limits=limits) == ["BP_A_C_1"]
    with pytest.raises(streamsave.LimitExceeded):
        names(data, "mX ~ x", limits=limits)


def test_only_the_keys_of_what_is_wanted_are_kept():
    plan = Plan(["has(data)"])
    with streamsave.open(SHAPEZ2) as events:
        keys = keys_of(events._opener(), plan)
    islands = [found.offset for found in streamsave.objects(SHAPEZ2, "kind = island")]
    assert list(keys) == islands == sorted(islands)


def header_at(offset: int, class_name: str = "A", transform: Transform | None = None) -> ObjectHeader:
    return ObjectHeader(offset, "actor", class_name, "N", "L", "", transform, 0, 46, 10, 0, offset + 10, 0)


def test_a_function_is_asked_once_for_each_object():
    headers = [header_at(1), header_at(2), header_at(3)]
    asked = []
    chosen = HeaderFilter(lambda header: asked.append(header) or header is headers[1])
    assert [(chosen.wants_header(header), chosen.takes(header)) for header in headers] == [
        (False, False),
        (True, True),
        (False, False),
    ]
    assert asked == headers
    assert chosen.wants_class("any")
    assert chosen.wants_names("any", "name", "level")
    assert (chosen.needs_data, chosen.needs_rest) == (True, True)


def test_filters_that_let_the_rest_of_a_level_come():
    """`only` lets what is in no object come, `select` does not need it."""
    events, _ = opened(save(thing("BP_A_C_1")))
    with events:
        assert not Selector(events, Plan(["class_name = A"])).needs_rest
        assert filter_of(events, "class_name = A").needs_rest


def opened(data: bytes) -> tuple[streamsave.EventStream, ObjectHeader]:
    """A stream, and its first object: the cursor is where the object's data starts."""
    events = streamsave.open(data)
    return events, next(event for event in events if isinstance(event, ObjectHeader))


@pytest.mark.slow
def test_verdicts_are_kept_for_so_many_classes():
    """One class above the limit, and the verdicts are made anew."""
    events, _ = opened(save(thing("BP_A_C_1")))
    with events:
        asked = Selector(events, Plan(["class_name = 1"]))
        for number in range(KEPT_CLASSES):
            assert asked.wants_class(str(number)) == (number == 1)
        assert len(asked._classes) == KEPT_CLASSES
        assert not asked.wants_class("more")
        assert list(asked._classes) == ["more"]
        assert asked.wants_class("1")


def test_verdicts_are_kept_for_so_many_sets_of_tests():
    """Each object lacks other texts than the last one."""
    objects = [
        thing(f"BP_A_C_{number}", *(Prop(f"mPart{at}", INT, 1) for at in range(7) if number >> at & 1)) for number in range(128)
    ]
    sizes = []
    with streamsave.open(save(*objects)) as events:
        asked = Selector(events, Plan([" or ".join(f"mPart{at} = 1" for at in range(7))]))
        for header in events:
            if isinstance(header, ObjectHeader):
                asked.wants_class(header.class_name)
                assert asked.wants_header(header) == (not header.instance_name.endswith("_C_0"))
                sizes.append(len(asked._classes[header.class_name].judged))
    assert (len(sizes), max(sizes), sizes[KEPT_JUDGED]) == (128, KEPT_JUDGED, 1)


@pytest.mark.parametrize(("size", "is_searched"), [(LARGEST_SEARCHED, True), (LARGEST_SEARCHED + 1, False)])
def test_data_is_searched_up_to_a_size(size, is_searched):
    """The text is missing: a search says so before a tag is read, and without one the object has to be read."""
    with (empty := opened(save(thing("BP_A_C_1", Prop("mX", STR, "x")))))[0]:
        rest = empty[1].size - 1
    events, header = opened(save(thing("BP_A_C_1", Prop("mX", STR, "x" * (size - rest)))))
    with events:
        assert header.size == size
        asked = Selector(events, Plan(["mY = Gold"]))
        assert asked.wants_class(header.class_name)
        assert asked.wants_header(header) != is_searched


# --- values of another type than that of the test ---

MANY_TYPES = save(
    thing("A_1", Prop("mCount", INT, 12), Prop("mFlag", BOOL, True), Prop("mLabel", STR, "iron"), Prop("mBoth", INT, 7)),
    thing("A_2", Prop("mCount", INT, 5), Prop("mFlag", BOOL, False), Prop("mLabel", STR, "True"), Prop("mBoth", INT, 8)),
    thing("B_3", Prop("mBoth", STR, "seven"), Prop("mList", Array(BYTE), b"abc"), class_name="BP_Other"),
)


def test_a_test_that_no_value_can_pass():
    """`cli/printed/where.txt` has each of them."""
    for where in ("mFlag = 1", "mLabel ~ on and not mCount ~ gold"):
        with pytest.warns(SelectWarning, match="all values are"):
            list(streamsave.objects(MANY_TYPES, where))
        with pytest.warns(SelectWarning), streamsave.open(MANY_TYPES) as events:
            events.only(where)
        with warnings.catch_warnings(), streamsave.open(MANY_TYPES) as events:
            warnings.simplefilter("error", SelectWarning)
            with pytest.raises(SelectWarning):
                list(events.select(where))


def test_no_warning_before_the_end():
    found = streamsave.objects(MANY_TYPES, "mBoth = 7 or mFlag = 1")
    assert next(found).instance_name.endswith("A_1")
    found.close()
