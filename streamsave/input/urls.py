"""URLs, through fsspec: which file system they name, and what its errors become."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol, TypeGuard

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

__all__ = ["OpenFile", "file_system", "is_open_file", "is_url", "url_errors"]

#: How a URL starts: a protocol, perhaps after others (`zip::https://`). One letter is a drive of Windows.
URL_START = r"(?i:(?:[a-z][a-z0-9+.-]+::)*[a-z][a-z0-9+.-]+://)"
#: Errors whose number an `OSError` keeps: Python makes one of the same class of it.
ERRORS = {FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES, TimeoutError: errno.ETIMEDOUT}


class OpenFile(Protocol):
    """What `fsspec.open` returns: a file that is not open yet."""

    fs: AbstractFileSystem
    path: str
    mode: str
    compression: str | None

    @property
    def full_name(self) -> str:
        """The URL."""
        ...

    def open(self) -> IO[bytes]:
        """Open the file."""
        ...

    def close(self) -> None:
        """Close what was opened."""
        ...


def is_open_file(source: object) -> TypeGuard[OpenFile]:
    """Return whether something is what `fsspec.open` returns."""
    return hasattr(source, "fs") and hasattr(source, "full_name") and not hasattr(source, "read")


def file_system(
    url: str, storage_options: Mapping[str, object] | None = None, *, is_fresh: bool = False
) -> tuple[AbstractFileSystem, str]:
    """Return the file system of fsspec for a URL, and the path of the URL in it. No server is asked yet.

    Args:
        url: the URL.
        storage_options: what fsspec takes for it.
        is_fresh: nothing else uses the file system.

    Raises:
        ImportError: fsspec, or what it needs for this protocol, is not installed.
        OSError: fsspec does not know the protocol, or cannot read the URL.
    """
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "fsspec":
            raise
        message = f'{url}: URLs need the extra `remote`: pip install "streamsave[remote]"'
        raise ModuleNotFoundError(message, name=error.name) from None
    try:
        files, path = url_to_fs(url, **(storage_options or {}), **({"skip_instance_cache": True} if is_fresh else {}))
    except ImportError:
        raise
    except Exception as error:
        raise url_error(url, error) from error
    return files, path


@contextmanager
def url_errors(url: str) -> Iterator[None]:
    """Raise every error of what reads a URL as an `OSError` with a text: fsspec passes on those of all that it uses.

    Raises:
        OSError: see above; its cause is the error of the library.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            raise
        raise url_error(url, error) from error


def url_error(url: str, error: Exception) -> OSError:
    """Return an error of what reads a URL as one with a text."""
    number = next((number for kind, number in ERRORS.items() if isinstance(error, kind)), errno.EIO)
    return OSError(number, said(url, error), url)


def said(url: str, error: BaseException) -> str:
    """Return what an error says besides the URL, or a part of it; if that is nothing, what its cause says."""
    text = str(error).removeprefix(url).removeprefix(": ")
    if text not in url:
        return text
    if error.__cause__ is not None:
        return said(url, error.__cause__)
    return os.strerror(errno.ENOENT) if isinstance(error, FileNotFoundError) else f"cannot be read ({type(error).__name__})"


def is_url(name: str) -> bool:
    """Return whether a name is a URL. The name of an existing file is none."""
    return "://" in name and re.match(URL_START, name) is not None and not os.path.lexists(name)
