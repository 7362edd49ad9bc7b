"""Read paths from standard input, and write one line of JSON for each: what `satisfactory-save` finds.

With two arguments, `read` or `rewrite` and a path, it only reads that save, or writes it to a new file beside, for
`tools/bench_peers.py`.

It runs with the interpreter that has `satisfactory_save`, and imports nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

#: Parts of a value that may have properties inside, by the names that the package has for them.
PARTS = ("Value", "Data", "Values", "Keys", "List", "ItemState", "TypeSpecificData", "StructInstance")


def walk(value: Any, found: dict[str, Counter[str]]) -> None:  # noqa: ANN401 - a module that need not be there to check this
    """Count the properties in a value."""
    kind = type(value).__name__
    if kind == "PropertyList" or kind.startswith("StdVector") or isinstance(value, (list, tuple)):
        for part in value:
            if hasattr(part, "ArrayIndex"):
                found["names"][part.Name.toString()] += 1
                found["types"][part.Type.toString()] += 1
            walk(part, found)
    elif not isinstance(value, (str, int, float, bytes)):
        for name in PARTS:
            part = getattr(value, name, None)
            if part is not None:
                walk(part, found)


def read(path: str, tools: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Read one save."""
    found: dict[str, Counter[str]] = {"names": Counter(), "types": Counter(), "classes": Counter()}
    try:
        for one in tools.SaveGame(path).allSaveObjects():
            found["classes"][str(one.BaseHeader.ClassName)] += 1
            walk(one.Object.Properties, found)
            built = getattr(one.Object, "mBuildableClassToInstanceArray", None)
            for kind, instances in () if built is None else zip(built.Keys, built.Values, strict=True):
                found["classes"][str(kind.PathName)] += len(instances)  # foundations that are no objects of their own
                walk(list(instances), found)
    except Exception as error:  # noqa: BLE001 - whatever it raises, it refuses the save
        return {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
    return {"ok": True, **found}


def main() -> None:
    """Answer until there are no more paths."""
    tools = import_module("satisfactory_save")
    if len(sys.argv) > 1:
        save = tools.SaveGame(sys.argv[2])
        if sys.argv[1] == "rewrite":
            with tempfile.TemporaryDirectory() as folder:
                save.save(str(Path(folder) / "new.sav"))
        return
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # the package writes warnings there
    for line in sys.stdin:
        print(json.dumps(read(line.rstrip("\n"), tools)), file=answers, flush=True)


if __name__ == "__main__":
    main()
