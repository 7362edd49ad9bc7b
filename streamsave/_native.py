"""The integer types of the compiler, which cost nothing where the code runs interpreted.

Compiled, an `i64` is a machine word, and wraps: never add a hostile length to a position, compare it with what is left. Run by
the interpreter, the names are plain `int`: the classes of mypy_extensions convert slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

if not TYPE_CHECKING:
    i64 = int

__all__ = ["i64"]
