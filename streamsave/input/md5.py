"""MD5, which Satisfactory saves have of their chunks: that of the interpreter, as OpenSSL would take 3 MB of memory."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import _Hash

__all__ = ["new_md5"]


def new_md5() -> _Hash:
    """Return an MD5 of no bytes."""
    module: Any
    try:
        module = import_module("_md5")  # `hashlib` imports OpenSSL first
    except ImportError:  # an interpreter that was built without it
        module = import_module("hashlib")
    digest: _Hash = module.md5(usedforsecurity=False)
    return digest
