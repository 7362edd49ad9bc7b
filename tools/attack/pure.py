"""The package without its compiled modules, beside the one that is imported.

Compiled classes can neither be extended nor instrumented. While `pure_package` is open, every import of the package gives plain
Python; what had been imported before comes back afterwards.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

PACKAGE = "streamsave"


class SourceFinder(MetaPathFinder):
    """Finds the `.py` file of a module, whatever lies beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /) -> ModuleSpec | None:
        """Find a module of the package."""
        package, *names = fullname.split(".")
        if package != PACKAGE:
            return None
        folder = self._folder.joinpath(*names)
        if (folder / "__init__.py").is_file():
            return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])
        return spec_from_file_location(fullname, folder.with_suffix(".py"))


def package_folder() -> Path:
    """Where the package is imported from."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.origin:
        message = f"{PACKAGE} is not there"
        raise ModuleNotFoundError(message)
    return Path(spec.origin).parent


def use_pure() -> None:
    """Let every import of the package in this process give plain Python; none may have been imported yet."""
    sys.meta_path.insert(0, SourceFinder(package_folder()))


@contextmanager
def pure_package() -> Iterator[ModuleType]:
    """Give the package as plain Python; its imports inside of functions need the context to be open."""
    finder = SourceFinder(package_folder())
    imported = {name: module for name, module in sys.modules.items() if name.split(".")[0] == PACKAGE}
    for name in imported:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield import_module(PACKAGE)
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]
        sys.modules.update(imported)
