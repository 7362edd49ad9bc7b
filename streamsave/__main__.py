"""`python -m streamsave`, and the command `streamsave`."""

from __future__ import annotations

import gc
import sys
from typing import Final

__all__ = ["run"]

#: What the extra `cli` brings.
OF_EXTRA: Final = frozenset({"click", "orjson", "rich"})


def run() -> None:
    """Run the command line as this process; its exit code is that of the command, or 2 if what commands need is not installed."""
    # What is imported stays to the end, so the garbage collector need not look at it: not while it is imported, nor later, nor
    # when the interpreter ends. That is an eighth of what a command on a small save takes.
    gc.disable()
    try:
        from streamsave.cli import main  # noqa: PLC0415 - see above
        from streamsave.cli.app import collect_rarely  # noqa: PLC0415

        gc.freeze()
        collect_rarely()
        gc.enable()
        main(prog_name="streamsave")
    except ModuleNotFoundError as error:
        if error.name not in OF_EXTRA:
            raise
        sys.stderr.write(f'streamsave: {error.name} is not installed; all that commands need: pip install "streamsave[cli]"\n')
        sys.exit(2)
    finally:
        if "duckdb" in sys.modules:
            gc.unfreeze()  # it complains of what is left at the end
        else:
            gc.freeze()


if __name__ == "__main__":
    run()
