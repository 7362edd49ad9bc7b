"""`python -m streamsave`, and the command `streamsave`."""

from __future__ import annotations

import gc
import sys

__all__ = ["run"]


def run() -> None:
    """Run the command line as this process; its exit code is that of the command.

    What is imported stays to the end, so the garbage collector need not look at it: not while it is imported, nor later, nor when
    the interpreter ends. That is an eighth of what a command on a small save takes.
    """
    gc.disable()
    from streamsave.cli import main  # noqa: PLC0415 - see above
    from streamsave.cli.app import collect_rarely  # noqa: PLC0415

    gc.freeze()
    collect_rarely()
    gc.enable()
    try:
        main(prog_name="streamsave")
    finally:
        if "duckdb" in sys.modules:
            gc.unfreeze()  # it complains of what is left at the end
        else:
            gc.freeze()


if __name__ == "__main__":
    run()
