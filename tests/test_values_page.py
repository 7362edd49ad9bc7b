"""The page on what `build()` gives, against all properties of all samples."""

import re
from collections.abc import Iterator

import pytest
from cli_runs import ROOT
from saves import VALID

import streamsave
from streamsave import PropertyTag, values
from streamsave._log import quiet

PAGE = (ROOT / "streamsave" / "VALUES.md").read_text(encoding="utf-8")
OTHER = "any other"


def rows(head: str) -> dict[str, set[str]]:
    """The table below a head: type -> names of classes."""
    table = PAGE.partition(f"\n| `PropertyTag.{head}` |")[2].partition("\n\n")[0]
    found = {}
    for line in table.splitlines()[2:]:
        types, said = line.strip("| ").split(" | ")
        names = set(re.findall(r"`(\w+)`", said)) - {"inner_type", "value_type", "key", "ByteProperty"}
        for name in re.findall(r"`(\w+)`", types) or [OTHER]:
            found[name] = names
    return found


def built() -> Iterator[tuple[PropertyTag, str]]:
    """The tags of all samples, with the class of what `build()` gives."""
    for path in sorted(VALID.glob("*/*")):
        with quiet(), streamsave.open(path) as events:
            for event in events:
                if isinstance(event, PropertyTag):
                    value = events.build()
                    yield event, "None" if value is None else type(value).__name__


@pytest.mark.slow
def test_properties_are_what_the_page_says():
    types, structs = rows("type"), rows("type_name")
    seen: dict[tuple[bool, str], set[str]] = {}
    for tag, name in built():
        is_struct = tag.type == "StructProperty"
        table, key = (structs, tag.type_name) if is_struct else (types, tag.type)
        key = key if key in table else OTHER
        assert name in table[key], tag
        seen.setdefault((is_struct, key), set()).add(name)
    said = {(False, key): names for key, names in types.items() if key != "StructProperty"}
    said |= {(True, key): names for key, names in structs.items()}
    assert seen.keys() == said.keys()
    for key, names in seen.items():
        assert said[key] - names <= {"Delegate", "InstanceReference", "ObjectReference", "str"}, key


def test_the_classes_are_public():
    named = {name for table in (rows("type"), rows("type_name")) for names in table.values() for name in names}
    assert {name for name in named if name[0].isupper()} - set(values.__all__) == {"None", "InstanceReference"}
