"""Take the trashcan out of the C code of classes that the garbage collector does not know.

When objects inside of objects are freed 50 levels deep, CPython's trashcan frees the rest later. It keeps the list of them in the
space that the collector has before each object. Mypyc uses it for all classes, also for those with `acyclic=True`, which have no
such space: there it writes over what other objects have in memory. Such an object holds no deep ones, so it needs none.
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["take_out_trashcans"]

#: A function that frees an object.
DEALLOC = re.compile(r"^\w+_dealloc\(\w+ \*self\)\n\{\n.*?^\}$", re.MULTILINE | re.DOTALL)
TRASHCAN = re.compile(r"^ *CPy_TRASHCAN_(?:BEGIN|END)\(.*\)\n", re.MULTILINE)
#: What is there only in classes that the collector knows.
KNOWN = "PyObject_GC_UnTrack(self)"


def take_out_trashcans(folder: Path) -> int:
    """Change the C files that mypyc has written into a folder; return in how many classes."""
    count = 0

    def without(found: re.Match[str]) -> str:
        nonlocal count
        if KNOWN in found[0] or not TRASHCAN.search(found[0]):
            return found[0]
        count += 1
        return TRASHCAN.sub("", found[0])

    for path in sorted(folder.glob("__native*.c")):
        text = path.read_text(encoding="utf-8")
        changed = DEALLOC.sub(without, text)
        if changed != text:
            path.write_text(changed, encoding="utf-8")
    return count
