"""Classes that attrs completes when it is needed behave as if it had made them at once."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from threading import Thread

import attrs
import pytest

from streamsave import Limits
from streamsave import _lazy_attrs as lazy


def point(maker, **options):
    """A class with a required field, one with a default, and one that `__init__` does not take."""

    @maker.frozen(**options)
    class Point:
        """Where it is."""

        x: int
        y: int = 2
        _sum: int = maker.field(init=False, eq=False, repr=False)

        def __attrs_post_init__(self) -> None:
            object.__setattr__(self, "_sum", self.x + self.y)

        @property
        def total(self) -> int:
            return self._sum

    return Point


@pytest.mark.parametrize(
    ("values", "named"),
    [((1, 2), {}), ((1,), {}), ((1,), {"y": 3}), ((), {"x": 1}), ((), {"y": 1, "x": 5})],
)
@pytest.mark.parametrize("kw_only", [False, True])
def test_what_attrs_takes_is_taken(values, named, kw_only):
    theirs, ours = point(attrs, kw_only=kw_only), point(lazy, kw_only=kw_only)
    if kw_only and values:
        with pytest.raises(TypeError):
            theirs(*values, **named)
        with pytest.raises(TypeError):
            ours(*values, **named)
        return
    one, other = theirs(*values, **named), ours(*values, **named)
    assert (one.x, one.y, one.total) == (other.x, other.y, other.total)
    assert repr(one) == repr(other)


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), ((1, 2, 3), {}), ((1,), {"x": 2}), ((1,), {"z": 2}), ((), {"y": 1}), ((1, 2), {"_sum": 3})]
)
def test_what_attrs_refuses_is_refused_with_its_words(values, named):
    theirs, ours = point(attrs), point(lazy)
    with pytest.raises(TypeError) as expected:
        theirs(*values, **named)
    with pytest.raises(TypeError) as found:
        ours(*values, **named)
    assert str(found.value) == str(expected.value)


def test_a_class_of_many_objects_is_completed():
    kind = point(lazy)
    ours = kind.__init__
    for number in range(lazy.MANY):
        assert kind(number).total == number + 2
    assert kind.__init__ is ours
    assert kind(7).total == 9
    assert kind.__init__ is not ours
    assert kind(7) == kind(7, 2)


def test_it_has_slots_and_a_name():
    kind = point(lazy)
    assert not hasattr(kind(1), "__dict__")
    assert (kind.__name__, kind.__qualname__, kind.__module__, kind.__doc__) == (
        "Point",
        "point.<locals>.Point",
        __name__,
        "Where it is.",
    )
    assert kind.__match_args__ == point(attrs).__match_args__ == ("x", "y")
    assert point(lazy, kw_only=True).__match_args__ == ()


ASK = {
    "fields": lambda kind: [(each.name, each.default, each.init, each.type) for each in attrs.fields(kind)],
    "has": attrs.has,
    "astuple": lambda kind: attrs.astuple(kind(1)),
    "evolve": lambda kind: attrs.evolve(kind(1), y=7).total,
    "equal": lambda kind: (kind(1) == kind(1, 2), kind(1) == kind(2), kind(1) != kind(1), kind(1) == 1),
    "hash": lambda kind: len({kind(1), kind(1), kind(2)}),
    "repr": lambda kind: repr(kind(1)),
    "signature": lambda kind: str(inspect.signature(kind)),
    "copy": lambda kind: (copy.copy(kind(1)).total, copy.deepcopy(kind(1)).total),
    "subclass": lambda kind: attrs.astuple(attrs.frozen(type("Sub", (kind,), {"__annotations__": {"z": "int"}, "z": 0}))(1, 5)),
}


@pytest.mark.parametrize("ask", ASK)
def test_first_use(ask):
    """Whatever comes first, the answer is that of attrs."""
    assert ASK[ask](point(lazy)) == ASK[ask](point(attrs))


@pytest.mark.parametrize("change", [lambda one: setattr(one, "x", 2), lambda one: delattr(one, "x")])
def test_frozen_objects_cannot_be_changed(change):
    kind = point(lazy)
    for _ in range(2):  # before attrs has completed the class, and after
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            change(kind(1))


@lazy.define
class Base:
    a: int = 1


@lazy.define
class Derived(Base):
    b: str = "b"


@lazy.define(unsafe_hash=True)
class Hashed:
    a: int = 1


def test_fields_of_a_base_come_first():
    assert [field.name for field in attrs.fields(Derived)] == list(Derived.__match_args__) == ["a", "b"]
    assert Derived(5) == Derived(5, "b") != Base(5)


def test_objects_that_can_be_changed_are_no_keys():
    one = Base()
    one.a = 7
    assert one == Base(7)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    assert hash(Hashed(1)) == hash(Hashed(1))


@pytest.mark.slow
def test_a_pickle_is_read_where_the_class_is_not_complete():
    limits = Limits(depth=3)
    code = f"import pickle; limits = pickle.loads({pickle.dumps(limits)!r}); print(limits)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == repr(limits), done.stderr


def use(kind: type, found: list[object]) -> None:
    """Ask what attrs answers."""
    one = kind(1)
    found.append((one == kind(1), hash(one) == hash(kind(1)), repr(one)))


def test_threads_meet_one_class():
    for _ in range(20):
        kind = point(lazy)
        found: list[object] = []
        threads = [Thread(target=use, args=(kind, found)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(True, True, repr(kind(1)))] * 4


def test_fields_of_a_class_that_is_written_out():
    class Written:
        __slots__ = ("a", "b")

        def __init__(self, a: int, b: int) -> None:
            self.a = a
            self.b = b

    lazy.name_fields(Written, ("a", "b"))
    assert attrs.astuple(Written(1, 2)) == (1, 2)
    assert attrs.evolve(Written(1, 2), b=3).b == 3


@lazy.define
class Again(Derived):
    a: int = 2


class Plain(Derived):
    """A class that attrs has not made, but its base."""


class WrittenBase:
    __slots__ = ("a",)


class Written(WrittenBase):
    __slots__ = ("b",)


lazy.name_fields(WrittenBase, ("a",))
lazy.name_fields(Written, ("b",))


@pytest.mark.parametrize(
    "kind", [Base, Derived, Again, Plain, Hashed, Written, point(lazy), point(lazy, kw_only=True), point(attrs)]
)
def test_names_of_fields(kind):
    """They are those of attrs, before and after attrs has completed the class."""
    before = lazy.names_of_fields(kind)
    assert before == tuple(field.name for field in attrs.fields(kind)) == lazy.names_of_fields(kind)


def test_other_classes_have_no_fields():
    assert lazy.names_of_fields(int) is None


@pytest.mark.parametrize("one_completes", [False, True])
def test_the_state_of_an_object_is_that_of_attrs(one_completes):
    """It is taken by a class that attrs has completed, and by one that it has not."""
    kinds = point(lazy), point(lazy)
    _ = kinds[one_completes].__attrs_attrs__
    theirs, one = point(attrs)(3), kinds[0](3)
    assert one.__getstate__() == theirs.__getstate__() == {"x": 3, "y": 2, "_sum": 5}
    other = object.__new__(kinds[1])
    other.__setstate__(one.__getstate__())
    assert (other.x, other.y, other.total) == (3, 2, 5)


def test_what_leaves_attrs_alone():
    """Pickles, and the names of fields."""
    code = "import copy, pickle, sys; from streamsave import Limits; from streamsave.decode.json_values import json_value\n"
    code += "json_value(copy.copy(pickle.loads(pickle.dumps(Limits())))); print('attr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
