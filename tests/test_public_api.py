"""The promised names and their signatures, against a recorded list: what others build on does not change by accident.

The docstring of the package says what is promised. `pytest tests/test_public_api.py --update-api` writes the list anew.
"""

import ast
import importlib
import re
from pathlib import Path

import pytest

import streamsave

ROOT = Path(__file__).resolve().parent.parent
RECORD = Path(__file__).with_name("public_api.txt")
#: Modules whose names are public, besides those of the package.
MODULES = ["check", "errors", "events", "headers", "limits", "values"]
#: Public classes that only functions make: nothing is promised of their constructors.
MADE_BY_FUNCTIONS = {"Container", "CutStream", "EventStream", "RewriteStream", "Selection"}
#: What public functions return and take, of classes that have no public name.
RETURNED = ["streamsave.decode.reader.Container", "streamsave.rewriting.family.Cutting", "streamsave.rewriting.stream.Copied"]


def definitions(path: Path) -> dict[str, ast.stmt]:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def source_of(value: object) -> ast.stmt | None:
    """The definition of a public class or function. It is read from the source: compiled code has no annotations."""
    module = getattr(value, "__module__", "")
    name = getattr(value, "__name__", "")
    path = ROOT / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        path = ROOT / module.replace(".", "/") / "__init__.py"
    return definitions(path).get(name) if path.is_file() else None


def signature(node: ast.FunctionDef) -> str:
    kinds = [decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)]
    returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    if "property" in kinds:
        return f"{node.name}{returned.replace(' ->', ':')}"
    return f"{node.name}({ast.unparse(node.args)}){returned}"


def lines_of_class(kind: type) -> list[str]:
    """The public members of a class, inherited ones too: methods and properties, and annotated fields."""
    lines: set[str] = set()
    constructor = "" if kind.__name__ in MADE_BY_FUNCTIONS else "__init__"
    for base in reversed(kind.__mro__):
        node = source_of(base) if base.__module__.startswith("streamsave") else None
        if not isinstance(node, ast.ClassDef):
            continue
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and (not member.name.startswith("_") or member.name == constructor):
                lines = {line for line in lines if not line.startswith((f"{member.name}(", f"{member.name}:"))}
                lines.add(signature(member))
            elif isinstance(member, ast.FunctionDef) and member.name == "__init__":
                lines |= {name for name in re.findall(r"self\.(\w+)(?:: [^=]+)? = ", ast.unparse(member)) if name[0] != "_"}
            elif isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
                lines.add(f"{ast.unparse(member.target)}: {ast.unparse(member.annotation)}")
    return sorted(lines)


def lines_of(path: str, value: object, *, with_members: bool = True) -> list[str]:
    """A public name, and the members of a class."""
    if isinstance(value, type):
        members = [f"    {line}" for line in lines_of_class(value)] if with_members else []
        return [f"class {path}({', '.join(base.__name__ for base in value.__bases__)})", *members]
    node = source_of(value)
    return [f"{path}{signature(node).removeprefix(node.name)}" if isinstance(node, ast.FunctionDef) else path]


def lines_of_dask() -> list[str]:
    """The public names of `streamsave.dask`, from its source: without its extra it cannot be imported."""
    nodes = definitions(ROOT / "streamsave" / "dask.py")
    lines = [f"class streamsave.dask.Found({ast.unparse(nodes['Found'].bases[0])})"]
    fields = [member for member in nodes["Found"].body if isinstance(member, ast.AnnAssign)]
    lines += [f"    {ast.unparse(member.target)}: {ast.unparse(member.annotation)}" for member in fields]
    return [*lines, f"streamsave.dask.{signature(nodes['objects'])}"]


def current() -> str:
    lines = []
    for module in ["", *MODULES]:
        loaded = importlib.import_module(f"streamsave.{module}") if module else streamsave
        for name in sorted(loaded.__all__):
            path = ".".join(part for part in ("streamsave", module, name) if part)
            lines += lines_of(path, getattr(loaded, name), with_members=not module or name not in streamsave.__all__)
    for path in RETURNED:
        module, _, name = path.rpartition(".")
        lines += lines_of(path, getattr(importlib.import_module(module), name))
    return "\n".join([*lines, *lines_of_dask()]) + "\n"


@pytest.mark.slow
def test_nothing_public_has_changed(request: pytest.FixtureRequest):
    if request.config.getoption("--update-api"):
        RECORD.write_text(current(), encoding="utf-8")
    assert current().splitlines() == RECORD.read_text(encoding="utf-8").splitlines()


def test_the_modules_are_those_that_the_package_promises():
    promised = re.findall(r"^\| `streamsave\.(\w+)`", streamsave.__doc__ or "", re.MULTILINE)
    assert sorted(promised) == sorted([*MODULES, "dask"])


def test_the_record_has_what_is_public_and_nothing_that_only_we_call():
    record = RECORD.read_text(encoding="utf-8")
    assert re.findall(r"^    _(?!_init__)\w+", record, re.MULTILINE) == []
    assert "_peek" not in record
    assert "Source, limits" not in record  # the constructor of a stream
    assert "streamsave.open(source: SourceLike, *, " in record
    assert "\n    skip(self) -> BlobSkip\n" in record
