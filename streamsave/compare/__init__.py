"""What differs between two saves: `compare` reads both side by side, item by item."""
