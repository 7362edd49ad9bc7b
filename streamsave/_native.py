"""The integer type of the compiler; in interpreted code it is plain `int`.

Compiled, an `i64` is a machine word and wraps around. Never add a length from a save to a position: compare the length with the
bytes that are left. Interpreted, `i64` is `int`, because the class of mypy_extensions is slow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

if not TYPE_CHECKING:
    i64 = int

__all__ = ["i64"]
