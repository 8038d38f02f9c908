"""The slow twins: every operator written as its index formula in NumPy, without `dmlc`."""
