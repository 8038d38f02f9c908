"""ONNX's rearranging operators for ``onnx.reference``, run by dmlc's kernels.

Needs the package ``onnx``: ``pip install "dmlc[onnx]"``.

>>> import numpy as np
>>> import onnx.parser
>>> import dmlc.onnx
>>> model = onnx.parser.parse_model('''
...     <ir_version: 8, opset_import: ["" : 18]>
...     flipped (int64[3] x) => (int64[3] y)
...     <int64[1] last = {-1}, int64[1] before = {-9}, int64[1] back = {-1}, int64[1] axis = {0}>
...     { y = Slice(x, last, before, axis, back) }
... ''')
>>> dmlc.onnx.ReferenceEvaluator(model).run(None, {"x": np.array([1, 2, 3])})
[array([3, 2, 1])]
"""

# Where onnx is not installed its types are unknown.
# mypy: allow-subclassing-any, disable-error-code="import-not-found,import-untyped"

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

try:
    import onnx.reference
    import onnx.reference.op_run
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] != "onnx":
        raise
    raise ModuleNotFoundError(
        'dmlc.onnx needs the package onnx: pip install "dmlc[onnx]"', name="onnx"
    ) from None

from dmlc.onnx import operators

__all__ = ["ReferenceEvaluator", "ops"]


def ops() -> list[type[onnx.reference.op_run.OpRun]]:
    """Return operators for ``onnx.reference.ReferenceEvaluator(model, new_ops=dmlc.onnx.ops())``.

    They are Pad, Slice, OneHot, EyeLike, Trilu, CenterCropPad, Transpose, Tile, SpaceToDepth and
    DepthToSpace, each for every operator set. They reach the bodies of If, Loop and Scan, but not
    those of a model's functions: `ReferenceEvaluator` does.

    Returns
    -------
    list of type
        A new list, as the evaluator appends to what it is given.

    Notes
    -----
    Results are packed, never views of an input. Types of 1, 2, 4, 8 and 16 bytes are moved by dmlc,
    2- and 4-bit types too, of which NumPy keeps one in a byte. Strings stay NumPy's: dmlc finds
    where each goes and NumPy moves it.

    Examples
    --------
    >>> import dmlc.onnx
    >>> sorted(operator.__name__ for operator in dmlc.onnx.ops())[:3]
    ['CenterCropPad', 'DepthToSpace', 'EyeLike']
    """
    return list(_operator_classes())


class ReferenceEvaluator(onnx.reference.ReferenceEvaluator):
    """``onnx.reference.ReferenceEvaluator`` with `ops`, in the bodies of functions too.

    Parameters
    ----------
    proto : ModelProto, GraphProto, FunctionProto, NodeProto, str or bytes
        As for ``onnx.reference.ReferenceEvaluator``.
    new_ops : list of type, optional
        More operators. They go before dmlc's of the same name.
    **options
        As for ``onnx.reference.ReferenceEvaluator``.

    Examples
    --------
    >>> import numpy as np
    >>> import onnx.helper
    >>> import dmlc.onnx
    >>> node = onnx.helper.make_node("Trilu", ["x"], ["y"], upper=0)
    >>> dmlc.onnx.ReferenceEvaluator(node).run(None, {"x": np.ones((2, 2), np.int8)})
    [array([[1, 0],
           [1, 1]], dtype=int8)]
    """

    def __init__(
        self,
        proto: Any,
        opsets: dict[str, int] | None = None,
        functions: Any = None,
        verbose: int = 0,
        new_ops: list[type[onnx.reference.op_run.OpRun]] | None = None,
        **options: Any,
    ) -> None:
        # The first of a name is used; the bodies of functions are evaluated by this class too.
        every = [*(new_ops or []), *ops()]
        super().__init__(proto, opsets, functions, verbose, every, **options)


@cache
def _operator_classes() -> tuple[type[onnx.reference.op_run.OpRun], ...]:
    """A class for each operator, of exactly its name: that is what the evaluator looks for."""
    return tuple(
        type(name, (onnx.reference.op_run.OpRun,), {"__module__": __name__, "_run": _runner(run)})
        for name, run in operators.OPERATORS.items()
    )


def _runner(run: Callable[..., Any]) -> Callable[..., tuple[Any]]:
    def _run(_self: object, *inputs: Any, **attributes: Any) -> tuple[Any]:
        return (run(*inputs, **attributes),)

    return _run
