"""Which objects are wanted: text -> tests, and the tests at work in a reader."""
