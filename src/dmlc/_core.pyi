"""Types of the binding; see _core.pyx."""

from typing import Any, TypeAlias, final

import numpy as np
import numpy.typing as npt

_Integers: TypeAlias = npt.NDArray[np.int64]
_Array: TypeAlias = npt.NDArray[Any]

BACKGROUND_VALUE: int
BACKGROUND_INPUT: int
BACKGROUND_KEEP: int

@final
class Plan:
    @staticmethod
    def padding(
        width: int,
        input_sizes: _Integers,
        input_strides: _Integers,
        output_strides: _Integers,
        start: _Integers,
        end: _Integers,
        mode: int,
    ) -> Plan: ...
    @staticmethod
    def slice(
        width: int,
        output_sizes: _Integers,
        input_strides: _Integers,
        output_strides: _Integers,
        offsets: _Integers,
        steps: _Integers,
    ) -> Plan: ...
    @staticmethod
    def one_hot(
        width: int,
        index_type: int,
        from_end: bool,
        output_sizes: _Integers,
        indices_strides: _Integers,
        output_strides: _Integers,
        axis: int,
    ) -> Plan: ...
    @staticmethod
    def diagonal_matrix(
        width: int,
        sizes: _Integers,
        input_strides: _Integers,
        output_strides: _Integers,
        begin: int,
        end: int,
        background: int,
    ) -> Plan: ...
    def run(
        self,
        output: _Array,
        input: _Array | None = None,
        background: bytes | None = None,
        value: bytes | None = None,
    ) -> None: ...

def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> _Array: ...
def set_memory_limit(bytes: int) -> None: ...
def memory_limit() -> int: ...
def memory_kept() -> int: ...
def clear_memory() -> None: ...
def version() -> str: ...
def get_threads() -> int: ...
def set_threads(threads: int) -> None: ...
def set_thread_threads(threads: int) -> int: ...
def has_openmp() -> bool: ...
def isa() -> str: ...
def isa_names() -> tuple[str, ...]: ...
def set_isa(name: str | None) -> None: ...
