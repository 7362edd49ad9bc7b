"""The former place of `streamsave.decode.build`, which is no part of the API: imports of it warn."""

import warnings

from streamsave.decode.build import CONTAINER_DELTA, JSON_ARRAY, add_member, build_list, build_opened

warnings.warn("streamsave.build will go: see streamsave.decode.build, which may change", DeprecationWarning, stacklevel=2)

__all__ = ["CONTAINER_DELTA", "JSON_ARRAY", "add_member", "build_list", "build_opened"]
