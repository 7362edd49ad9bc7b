"""Each valid sample's events and values, as they were when they were last checked: `pytest --update-golden` writes them anew.

A line is an event: where it is in hexadecimal, its kind, and its fields in the order of `streamsave.events`, indented by depth;
of a leaf also its value. Flags, GUIDs and other fields that are rarely set are left out where they are not. Of a long dump only
the start is kept, and a hash of the rest; and so of a long value.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from saves import VALID

import streamsave
from streamsave import Event, Field, ObjectHeader, PropertyTag, SaveError, SaveStart, StructEnter, StructExit
from streamsave.events import ObjectEnd

GOLDEN = Path(__file__).resolve().parent / "golden"
SAMPLES = sorted(path.relative_to(VALID) for path in VALID.rglob("*") if path.is_file())

#: So many lines of a dump are kept.
LONGEST = 300
#: So many letters of a value are kept.
LONGEST_VALUE = 60

#: Short names of the kinds that come most.
KINDS = {"PropertyTag": "tag", "StructEnter": "enter", "StructExit": "exit", "ObjectHeader": "object", "ObjectEnd": "end"}


def line(event: Event) -> str:
    kind = type(event).__name__
    parts = [f"{event.offset:x}", KINDS.get(kind, kind)]
    if isinstance(event, SaveStart):
        header = attrs.asdict(event.header, recurse=False)
        first = " ".join([*parts, event.format, str(event.version)])
        return "\n".join([first, *(f"    {name}={value}" for name, value in header.items())])
    if isinstance(event, PropertyTag):
        parts += [event.name, event.type, str(event.size), f"+{event.value_offset - event.offset}"]
        told = attrs.asdict(event, recurse=False)
        rare = ("index", "type_name", "inner_type", "value_type", "flag", "struct_guid", "guid")
        parts += [f"{name}={told[name]}" for name in rare if told[name]]
    elif isinstance(event, ObjectHeader):
        told = attrs.asdict(event, recurse=False)
        del told["offset"]
        parts += [f"{name}={value}" for name, value in told.items() if value not in (None, "", 0)]
    else:
        rare = {"archive_version": 0, "ucs_modified_properties": -1}
        told = attrs.asdict(event, recurse=False)
        del told["offset"]
        parts += [_field(value) for name, value in told.items() if name not in rare]
        parts += [f"{name}={told[name]}" for name, usual in rare.items() if told.get(name, usual) != usual]
    return " ".join(parts)


def _field(value: object) -> str:
    return value if isinstance(value, str) and value and " " not in value else repr(value)


def value_text(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}... {digest(text)[:16]}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def dump(path: Path) -> Iterator[str]:
    """All events of a file, and the fault that ends them, if one does."""
    depth = 0
    try:
        with streamsave.open(path) as events:
            for event in events:
                if isinstance(event, (StructExit, ObjectEnd)):
                    depth -= 1
                is_value = isinstance(event, (PropertyTag, Field)) and events.is_leaf()
                yield " " * depth + line(event) + (f" = {value_text(events.build())}" if is_value else "")
                if isinstance(event, (StructEnter, ObjectHeader)):
                    depth += 1
    except SaveError as error:
        yield f"{type(error).__name__}: {error}"


def shortened(lines: list[str]) -> list[str]:
    """The start of a long dump, and a hash of the rest."""
    if len(lines) <= LONGEST:
        return lines
    rest = lines[LONGEST:]
    rest_digest = digest("\n".join(rest))
    return [*lines[:LONGEST], f"{len(rest)} more lines, SHA-256 {rest_digest}"]


@pytest.mark.parametrize("name", SAMPLES, ids=str)
def test_events_are_as_they_were(name, pytestconfig):
    text = "\n".join(shortened("\n".join(dump(VALID / name)).split("\n"))) + "\n"
    golden = GOLDEN / f"{name}.txt"
    if pytestconfig.getoption("--update-golden"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, encoding="utf-8", newline="\n")
    assert golden.is_file(), f"{golden} is missing: look at what --update-golden writes, and commit it"
    assert text.split("\n") == golden.read_text(encoding="utf-8").split("\n")


@pytest.mark.slow
def test_valid_samples_have_no_fault():
    for name in SAMPLES:
        *_, last = dump(VALID / name)
        assert "SaveEnd" in last, f"{name}: {last}"


def test_no_golden_file_is_left_over():
    assert {path.relative_to(GOLDEN) for path in GOLDEN.rglob("*.txt")} == {Path(f"{name}.txt") for name in SAMPLES}
