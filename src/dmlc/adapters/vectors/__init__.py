"""Conformance sets: DxDispatch models with inputs and what an implementation must make of them.

    questions --> cases --expected--> sets --> a folder of models, with an index

`questions` says what is asked of each operator, `cases` draws its descriptors and bytes from a seed.
`expected` answers with the slow twins of `dmlc.reference`, never with the kernels, which the sets
are to judge as well.
"""

from __future__ import annotations

from dmlc.adapters.vectors.sets import Vector, is_set, read_index, write_set

__all__ = ["Vector", "is_set", "read_index", "write_set"]
