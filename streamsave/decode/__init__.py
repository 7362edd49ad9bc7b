"""Windows of bytes as numbers, strings, layouts and values; the interface of a format's reader."""
