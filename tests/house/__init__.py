"""Rules of the house: import direction, exported symbols, the public surface."""
