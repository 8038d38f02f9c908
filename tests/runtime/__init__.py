"""Threads and the cache of output buffers: they change speed, never results."""
