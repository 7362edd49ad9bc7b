"""The events of a save one by one, the verbs on them, and recovery."""
