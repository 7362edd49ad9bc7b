"""The former place of `streamsave.query.parser`, which is no part of the API: imports of it warn."""

import warnings

from streamsave.query.parser import parse_selection

warnings.warn("streamsave.grammar will go: see streamsave.query.parser, which may change", DeprecationWarning, stacklevel=2)

__all__ = ["parse_selection"]
