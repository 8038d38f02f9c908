"""What no test of an operator asks: hostile arguments, forks, threads, leaks, exits and outputs beyond 2^32 bytes."""
