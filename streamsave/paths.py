"""The former place of `streamsave.query.paths`, which is no part of the API: imports of it warn."""

import warnings

from streamsave.query.paths import EACH, MISSING, Each, Key, Path, Step, leaves, parse_path, read_path, text_of

warnings.warn("streamsave.paths will go: see streamsave.query.paths, which may change", DeprecationWarning, stacklevel=2)

__all__ = ["EACH", "MISSING", "Each", "Key", "Path", "Step", "leaves", "parse_path", "read_path", "text_of"]
