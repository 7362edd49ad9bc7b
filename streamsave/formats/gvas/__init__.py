"""Unreal Engine's own save games (GVAS), raw, and in the wrappers that games put around them."""
