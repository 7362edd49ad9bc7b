"""The former place of `streamsave.decode.build`; imports of it keep working."""

from streamsave.decode.build import CONTAINER_DELTA, JSON_ARRAY, add_member, build_list, build_opened

__all__ = ["CONTAINER_DELTA", "JSON_ARRAY", "add_member", "build_list", "build_opened"]
