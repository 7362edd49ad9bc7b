"""Which objects the user wants."""
