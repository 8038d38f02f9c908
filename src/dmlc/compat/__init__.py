"""dmlc behind signatures that people know: NumPy's, array-api-extra's, and functions for Numba."""
