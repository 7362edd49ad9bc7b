"""What `bench_salvage.py` does with one save: damage it, read it, judge what is given."""
