"""Events and values as JSON, rows and Arrow tables."""
