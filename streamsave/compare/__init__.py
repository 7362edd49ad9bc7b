"""What differs between two saves.

`compare` reads both saves side by side. What comes in the same order in both is compared at once (`lockstep`); of the rest, a
digest is kept, and it is read again in the end (`unmatched`, `second_look`).
"""
