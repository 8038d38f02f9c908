"""The NumPy face against the slow twins and NumPy's own functions."""
