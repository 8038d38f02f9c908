"""The cases of a conformance set: questions with their descriptors and inputs, drawn from a seed.

Every case draws from a generator of its own, seeded by the set's seed and the case's name: a case
that is added changes no other. Python's own generator gives the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dmlc.adapters.vectors.expected import Bytes
from dmlc.adapters.vectors.questions import QUESTIONS, Draw
from dmlc.descriptors import OneHotOperatorDesc, OperatorDesc
from dmlc.enums import FeatureLevel
from dmlc.validation import check


@dataclass(frozen=True, slots=True)
class Case:
    """A question to an implementation.

    Parameters
    ----------
    operator, name : str
        DirectML's name of the operator, and one that no other case of it has.
    covers : str
        What it asks about, in words.
    desc : operator descriptor
    inputs : mapping of str to numpy.ndarray
        The buffers of the input tensors, by the descriptor's names.
    in_place : bool
        Whether the output goes to the input's buffer.
    """

    operator: str
    name: str
    covers: str
    desc: OperatorDesc
    inputs: Mapping[str, Bytes]
    in_place: bool

    @property
    def feature_level(self) -> FeatureLevel:
        """The lowest level that has what is asked."""
        return next(level for level in FeatureLevel if not check(self.desc, level))


def cases(seed: int) -> Iterator[Case]:
    """Yield every case of the set of a seed."""
    for operator, questions in QUESTIONS.items():
        for name, covers, make in questions():
            draw = Draw(f"{seed}/{operator}/{name}")
            desc = make(draw)
            inputs = {
                field: draw.buffer(tensor)
                for field, tensor in ((field, getattr(desc, field, None)) for field in _INPUTS)
                if tensor is not None
            }
            if isinstance(desc, OneHotOperatorDesc):
                depth = desc.output_tensor.sizes[desc.axis]
                inputs["indices_tensor"] = draw.indices(desc.indices_tensor, depth)
            yield Case(operator, name, covers, desc, inputs, name == "in-place")


_INPUTS = ("input_tensor", "indices_tensor", "values_tensor")
