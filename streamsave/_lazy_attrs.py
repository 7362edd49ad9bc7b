"""`define`, `frozen` and `field` of attrs, for classes that attrs completes only when it is needed.

To import attrs, and to let it write the methods of our classes, takes as long as to inflate 40 MB; yet a program that walks over
the events of a save compares, prints or pickles none of these objects. So a class gets its slots and an `__init__` at once. All
else that attrs writes comes with its first use, also what `attrs.fields` and the like look for. For type checkers they are those
of attrs:

    if TYPE_CHECKING:
        from attrs import define, field, frozen
    else:
        from streamsave._lazy_attrs import define, field, frozen
"""

from __future__ import annotations

from _thread import RLock  # `threading` takes longer to import than all of this
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

__all__ = ["define", "field", "frozen", "name_fields", "names_of_fields"]

REQUIRED: Final = object()
#: A class of which there are more objects is worth the time that attrs takes: its `__init__` is twice as fast as ours.
MANY: Final = 1000
#: What attrs writes.
LAZY: Final = ("__eq__", "__ne__", "__hash__", "__repr__")
LAZY_IF_FROZEN: Final = ("__setattr__", "__delattr__")
#: What a class keeps of its own when attrs has written the rest.
OWN: Final = frozenset({"__dict__", "__weakref__", "__slots__", "__module__", "__qualname__", "__doc__", "__annotations__"})

_lock = RLock()
#: The parameters of `__init__` of each class, with their defaults.
_parameters: dict[type, Mapping[str, object]] = {}


class LazyFields:
    """`__attrs_attrs__` of a class, where attrs looks for its fields, and `__signature__`, until attrs has made the class.

    Args:
        complete: makes it, and returns what is asked for.
        names: the names of the fields.
    """

    def __init__(self, complete: Callable[[], object], names: tuple[str, ...] = ()) -> None:
        self._complete = complete
        self.names = names

    def __get__(self, instance: object, owner: type) -> object:
        return self._complete()


class FieldOptions:
    """What `field` was called with."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options


def field(**options: Any) -> FieldOptions:
    """Take the options of a field, as `attrs.field` does. Defaults are values, not factories."""
    return FieldOptions(options)


def define(cls: type | None = None, /, **options: Any) -> Any:
    """Make a class with slots, as `attrs.define` does."""
    return partial(define, **options) if cls is None else _make_lazy(cls, "define", options)


def frozen(cls: type | None = None, /, **options: Any) -> Any:
    """Make a class with slots whose objects cannot be changed, as `attrs.frozen` does."""
    return partial(frozen, **options) if cls is None else _make_lazy(cls, "frozen", options)


def names_of_fields(cls: type) -> tuple[str, ...] | None:
    """Return the names of the fields of an attrs class; None of another class. Nothing is imported for it."""
    for each in cls.__mro__:
        known = vars(each).get("__attrs_attrs__")
        if known is not None:
            return known.names if isinstance(known, LazyFields) else tuple([field.name for field in known])
    return None


def name_fields(cls: type, names: Sequence[str]) -> None:
    """Let attrs know the fields of a class that is written out by hand; those of its bases are known in the same way."""

    def complete() -> object:
        import attrs  # noqa: PLC0415 - takes long: see above

        attrs.define(cls, these={name: attrs.field() for name in names}, init=False, eq=False, repr=False, slots=False)
        return vars(cls)["__attrs_attrs__"]

    cls.__attrs_attrs__ = LazyFields(complete, _with_inherited(cls, names))  # type: ignore[attr-defined]


def _with_inherited(cls: type, names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of all fields of a class that has these of its own. Those that it inherits come first."""
    inherited = names_of_fields(cls) or ()
    return (*[name for name in inherited if name not in names], *names)


def _make_lazy(cls: type, decorator: str, options: dict[str, Any]) -> type:
    """Return `cls` with slots for its fields, and with methods that let attrs complete the class at their first call."""
    names = {name: value for name, value in vars(cls).items() if name not in {"__dict__", "__weakref__"}}
    fields = {name: names.pop(name, REQUIRED) for name in names.get("__annotations__", {})}
    parameters = {name: value for base in reversed(cls.__mro__[1:]) for name, value in _parameters.get(base, {}).items()}
    for name, value in fields.items():
        given = value.options if isinstance(value, FieldOptions) else {"default": value}
        if given.get("init", True):
            parameters[name] = given.get("default", REQUIRED)
    is_frozen = decorator == "frozen"
    all_names = _with_inherited(cls, tuple(fields))
    ready = {"__getstate__": _make_getstate(all_names), "__setstate__": _make_setstate(all_names)}
    methods = {name: _lazy_method(name) for name in LAZY + LAZY_IF_FROZEN * is_frozen if name not in names}
    if not is_frozen and not options.get("unsafe_hash"):
        names["__hash__"] = None

    def complete() -> object:
        return _complete(made, cls, decorator, options)

    made: type = type(cls)(
        cls.__name__,
        cls.__bases__,
        {
            **ready,
            **methods,
            **names,
            "__slots__": (*fields, *(() if any("__weakref__" in vars(base) for base in cls.__mro__[1:]) else ("__weakref__",))),
            "__qualname__": cls.__qualname__,
            "__init__": _make_init(lambda: made, parameters, complete, kw_only=options.get("kw_only", False)),
            "__match_args__": () if options.get("kw_only") else tuple(parameters),
            "__attrs_attrs__": LazyFields(complete, all_names),
            "__signature__": LazyFields(lambda: complete() and None),
        },
    )
    _parameters[made] = parameters
    return made


def _make_init(
    made: Callable[[], type], parameters: Mapping[str, object], complete: Callable[[], object], *, kw_only: bool
) -> Callable[..., None]:
    """Make an `__init__` that does what that of attrs does; calls with wrong arguments are left to that one."""
    count = len(parameters)
    setters: list[Callable[[object, object], None]] = []
    finish: list[Callable[[object], None]] = []

    left = MANY

    def __init__(self: object, /, *values: object, **named: object) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        if left < 0:
            complete()  # from the next object on, the `__init__` of attrs is at work
        if not setters:
            setters.extend([getattr(made(), name).__set__ for name in parameters])
            finish.extend([method for method in [getattr(made(), "__attrs_post_init__", None)] if method is not None])
        if named or kw_only or len(values) != count:
            given = {**parameters, **dict(zip(parameters, values, strict=False)), **named}
            twice = not named.keys().isdisjoint(list(parameters)[: len(values)])
            lacks = any(value is REQUIRED for value in given.values())
            if twice or lacks or len(given) > count or len(values) > (0 if kw_only else count):
                complete()
                made().__init__(self, *values, **named)  # type: ignore[misc]
            values = tuple(given.values())
        for set_value, value in zip(setters, values, strict=True):
            set_value(self, value)
        for method in finish:
            method(self)

    return __init__


def _make_getstate(names: tuple[str, ...]) -> Callable[[object], dict[str, object]]:
    """Make what gives the values of the fields to `pickle` and `copy`, as that of attrs does."""

    def __getstate__(self: object) -> dict[str, object]:  # noqa: N807
        return {name: getattr(self, name) for name in names}

    return __getstate__


def _make_setstate(names: tuple[str, ...]) -> Callable[[object, Mapping[str, object]], None]:
    """Make what takes them again, whether attrs has completed the class where they come from or not."""

    def __setstate__(self: object, state: Mapping[str, object]) -> None:  # noqa: N807
        for name in names:
            if name in state:
                object.__setattr__(self, name, state[name])

    return __setstate__


def _lazy_method(name: str) -> Callable[..., Any]:
    """Make a method that lets attrs complete the class, and calls what it wrote."""

    def method(self: object, *values: object) -> object:
        _ = type(self).__attrs_attrs__  # type: ignore[attr-defined]
        return getattr(type(self), name)(self, *values)

    method.__name__ = name
    return method


def _complete(made: type, cls: type, decorator: str, options: dict[str, Any]) -> object:
    """Let attrs write the methods of `cls`, take them over into `made`, which has the slots, and return its fields."""
    with _lock:
        known = vars(made)["__attrs_attrs__"]
        if not isinstance(known, LazyFields):
            return known
        import attrs  # noqa: PLC0415 - takes long: see above

        for name, value in list(vars(cls).items()):
            if isinstance(value, FieldOptions):
                setattr(cls, name, attrs.field(**value.options))
        complete = getattr(attrs, decorator)(cls, **options)
        written = {name: value for name, value in vars(complete).items() if name not in OWN and name not in complete.__slots__}
        fields = written.pop("__attrs_attrs__")
        for name, value in written.items():
            if vars(made).get(name) is not value:
                setattr(made, name, value)
        # At last: until then, other threads wait for the lock.
        del made.__signature__  # type: ignore[attr-defined]
        made.__attrs_attrs__ = fields  # type: ignore[attr-defined]
        return fields
