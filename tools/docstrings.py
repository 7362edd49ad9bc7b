"""Write docstrings into the C files of mypyc, so that `help()` of compiled code shows them.

Mypyc keeps only the signatures of functions, methods and classes, in the form of which `inspect.signature` makes use. The texts
cannot be set later: `__doc__` of a C function is read-only. So they are written into the C source, after the signatures, where
CPython looks for them. That costs nothing at run time.

What a later mypyc writes in another form is left as it is. `tests/test_exports.py` asserts that the public docstrings are there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

#: A C string literal, or none.
LITERAL = r'(?P<literal>NULL|"(?:[^"\\]|\\.)*")'
#: A row of a table of functions or methods.
FUNCTION = re.compile(r"\(PyCFunction\)CPyPy_(?P<name>\w+),\s*METH_[A-Z_ |]+,\s*PyDoc_STR\(" + LITERAL + r"\)")
#: The start of a type object.
CLASS = re.compile(r'\.tp_name = "(?P<name>\w+)",(?:(?!\.tp_name).)*?\.tp_doc = PyDoc_STR\(' + LITERAL + r"\)", re.DOTALL)
#: A property: its last two fields are its docstring and what C code may add.
PROPERTY = re.compile(r'\{"\w+",\s*\(getter\)(?P<name>\w+),\s*[^,{}]+, (?P<literal>NULL), NULL\}')
#: A row of a table of methods that CPython passes over for the slot of `__init__`, whose signature is `(*args, **kwargs)`. With
#: other flags, those of the C function, it takes the row.
INIT = re.compile(r"(\(PyCFunction\)CPyPy_\w+_____init__,\s*)METH_FASTCALL \| METH_KEYWORDS")
INIT_FLAGS = r"\1METH_VARARGS | METH_KEYWORDS | METH_COEXIST"
MODULE = re.compile(r'PyModuleDef_HEAD_INIT,\s*"(?P<name>[\w.]+)",\s*(?P<literal>NULL), /\* docstring \*/')


def insert_docstrings(folder: Path, root: Path, modules: list[str]) -> int:
    """Write the docstrings of modules into their C files.

    Args:
        folder: where mypyc has written the C files, one for each module.
        root: what the paths of the modules are relative to.
        modules: the paths of the sources.

    Returns:
        How many docstrings were written.
    """
    count = 0
    for path in modules:
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        file = folder / f"__native_{module.replace('.', '___')}.c"
        if not file.is_file():
            continue
        docstrings = dict(docstrings_of(ast.parse((root / path).read_text(encoding="utf-8")), module))
        text = file.read_text(encoding="utf-8")
        for pattern in (FUNCTION, CLASS, PROPERTY, MODULE):
            text, replaced = _insert(pattern, text, docstrings)
            count += replaced
        file.write_text(INIT.sub(INIT_FLAGS, text), encoding="utf-8")
    return count


def docstrings_of(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Yield the names that C files have for what a module defines, and the docstrings; not for functions with private names."""
    yield from _named(tree, [module])
    parts = module.split(".")
    # Names in C start with as much of the module's name as distinguishes it from the others.
    prefixes = ["___".join(parts[at:]) for at in range(len(parts))]
    for node in tree.body:
        if _is_public(node):
            yield from _named(node, [f"{prefix}___{node.name}" for prefix in prefixes])
        elif isinstance(node, ast.ClassDef):
            yield from _named(node, [node.name])
            for inner in node.body:
                if _is_public(inner):
                    methods = [f"{prefix}___{node.name}___{inner.name}" for prefix in prefixes]
                    properties = [f"{prefix}___{node.name}_get_{inner.name}" for prefix in prefixes]
                    yield from _named(inner, methods + properties)


def _is_public(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    return isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name.endswith("__"))


def _named(node: ast.Module | ast.ClassDef | ast.FunctionDef, names: list[str]) -> Iterator[tuple[str, str]]:
    docstring = ast.get_docstring(node)
    if docstring:
        for name in names:
            yield name, docstring


def _insert(pattern: re.Pattern[str], text: str, docstrings: dict[str, str]) -> tuple[str, int]:
    """Append the docstrings to the literals that a pattern finds; how many there are."""
    pieces: list[str] = []
    at = 0
    for match in pattern.finditer(text):
        docstring = docstrings.get(match["name"])
        if docstring is not None:
            literal = match["literal"]
            start, end = match.span("literal")
            pieces += [text[at:start], "" if literal == "NULL" else literal, c_literal(docstring)]
            at = end
    return "".join(pieces) + text[at:], len(pieces) // 3


def c_literal(text: str) -> str:
    """Return a text as a C string literal in UTF-8, one piece for each line: compilers bound the length of a piece."""
    return "".join([f'\n"{_escaped(line)}"' for line in text.splitlines(keepends=True)])


def _escaped(line: str) -> str:
    return "".join([chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in line.encode()])
