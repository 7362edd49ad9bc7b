"""Where layouts are written down: the files and lines of structs and their members, found in the sources of the formats.

A layout is what a module assigns to a name, or what follows its name in a call, a tuple or a dict. Its members are the keywords,
the rows `Member("name", codec, gates)` and the keys of dicts in it, and in the lists and dicts that it names.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

from streamsave.decode.codecs import Codec, Struct

__all__ = ["member_source", "source_of"]

#: The modules that have layouts.
PACKAGE: Final = "streamsave.formats."
#: What is added to a name that comes again in one layout.
AGAIN: Final = re.compile(r"_\d+$")
#: What a layout may be in a dict.
LAYOUTS: Final = (ast.List, ast.Dict)
#: Least characters of a name that a longer one, which is put together, may have inside.
PUT_TOGETHER: Final = 4


def source_of(codec: Codec) -> tuple[str, str]:
    """Return where a layout is written down, and "", as it has no versions of its own; empty texts if that is unknown."""
    return next(((_place(module, node), "") for module, node in _layouts(codec, codec.name, 0)), ("", ""))


def member_source(struct: object, struct_name: str, member: str) -> tuple[str, str]:
    """Return where a member of a struct is written down, and which versions have it; empty texts if that is unknown.

    Args:
        struct: it, or a table of types; None if only its name is known.
        struct_name: the name of its type; "" if it has none.
        member: the name of the member.
    """
    names = {member, AGAIN.sub("", member)} - {""}
    layouts = _layouts(struct, struct_name, PUT_TOGETHER if struct is None else 0)
    for found in layouts:
        for name, module, row in _members(*found):
            if name in names:
                return _place(module, row), _versions(module, row)
    # A reader that reads it by itself, or a list that a function puts together, if no other place has the name.
    for modules in ([*{module for module, _ in layouts}], _modules()):
        rows = [(module, row) for module in modules for name, row in _source(module).rows if name in names]
        if len(rows) == 1:
            return _place(*rows[0]), _versions(*rows[0])
    return "", ""


def _modules() -> list[ModuleType]:
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(PACKAGE)]


def _layouts(struct: object, name: str, least: int) -> list[tuple[ModuleType, ast.AST]]:
    """Return what is assigned to a struct; or follows its name; or else a part of its name, of `least` characters if not 0."""
    modules = _modules()
    found: list[tuple[ModuleType, ast.AST]] = [
        (module, node)
        for module in modules
        for target, node in _source(module).assigned.items()
        if struct is not None and vars(module).get(target) is struct
    ]
    named = [(text, module, node) for module in modules for text, node in _source(module).named if text and text in name]
    longest = max((len(text) for text, _, _ in named), default=0)
    fits = longest == len(name) or longest >= least > 0
    return found or [(module, node) for text, module, node in named if fits and len(text) == longest]


def _members(module: ModuleType, layout: ast.AST) -> Iterator[tuple[str, ModuleType, ast.AST]]:
    """Yield the members of a layout: name, module and place. Those of structs inside come after its own."""
    for node in ast.walk(layout):
        if isinstance(node, ast.Call):
            yield from ((word.arg, module, word.value) for word in node.keywords if word.arg)
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if key is not None:
                    yield _text_of(key) or str(vars(module).get(getattr(key, "id", ""))), module, key
        elif node is not layout:
            yield _text_of(node), module, node
        if isinstance(node, ast.Name):
            value = vars(module).get(node.id)
            for other in _modules() if isinstance(value, (list, dict)) or hasattr(value, "codec") else ():
                inner = _source(other).assigned.get(node.id)
                if inner is not None and vars(other).get(node.id) is value:
                    yield _text_of(inner), other, inner
                    yield from _members(other, inner)


def _text_of(node: ast.AST | None) -> str:
    """Return the text that a constant is, or a call or tuple starts with; "" for none."""
    first = node.args[:1] if isinstance(node, ast.Call) else node.elts[:1] if isinstance(node, ast.Tuple) else [node]
    return next((each.value for each in first if isinstance(each, ast.Constant) and isinstance(each.value, str)), "")


def _place(module: ModuleType, node: ast.AST) -> str:
    return f"{module.__name__.replace('.', '/')}.py:{getattr(node, 'lineno', 0)}"


def _versions(module: ModuleType, row: ast.AST) -> str:
    """Return which versions have a row, by the gates after its name and codec."""
    if not isinstance(row, ast.Call) or not isinstance(row.func, ast.Name):
        return ""
    gates = dict(zip(("from", "before"), row.args[2:], strict=False)) | {word.arg: word.value for word in row.keywords}
    texts = []
    for word, node in gates.items():
        gate = ast.unparse(node)
        number = vars(module).get(gate)
        if word in {"from", "before"} and gate != "0":
            texts.append(f"{word} {gate}" + (f" ({number})" if isinstance(number, int) else "") + " on" * (word == "from"))
    return ", ".join(texts)


class _Source:
    """What the source of a module says of layouts."""

    def __init__(self, module: ModuleType, tree: ast.Module) -> None:
        #: What is assigned to a name at its top.
        self.assigned: dict[str, ast.AST] = {}
        #: Layouts after their names.
        self.named: list[tuple[str, ast.AST]] = []
        #: Calls that start with a name, outside of these: rows, and what reads a field.
        self.rows: list[tuple[str, ast.AST]] = []
        for statement in tree.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
                self.assigned[statement.target.id] = statement.value
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                made = vars(module).get(node.func.id) if isinstance(node.func, ast.Name) else None
                is_struct = isinstance(made, type) and issubclass(made, Struct)
                if is_struct or not isinstance(node.func, ast.Name) or node.func.id == "Member":
                    (self.named if is_struct else self.rows).append((_text_of(node), node))
            elif isinstance(node, ast.Tuple):
                self.named.append((_text_of(node), node))
            elif isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                self.named += [(_text_of(key), value) for key, value in pairs if isinstance(value, LAYOUTS)]
        inside = {node for _, layout in self.named for node in ast.walk(layout)}
        self.rows = [row for row in self.rows if row[1] not in inside]


@cache
def _source(module: ModuleType) -> _Source:
    """Read the source of a module, which lies beside what was compiled from it."""
    path = Path(str(module.__file__))
    path = path.with_name(path.name.split(".")[0] + ".py")
    return _Source(module, ast.parse(path.read_text("utf-8") if path.exists() else ""))
