"""The slow twins: every operator written as its index formula in NumPy.

They import nothing else of `dmlc`, so that what the kernels compute can be judged by them: in the
tests, and in the conformance sets that `dmlc vectors` writes.
"""
