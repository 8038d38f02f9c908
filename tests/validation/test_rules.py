"""Every rule broken once, with its whole message."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlc import validation
from dmlc.descriptors import (
    BufferTensorDesc,
    DiagonalMatrix1OperatorDesc,
    DiagonalMatrixOperatorDesc,
    OneHotOperatorDesc,
    Padding1OperatorDesc,
    PaddingOperatorDesc,
    Slice1OperatorDesc,
    SliceOperatorDesc,
)
from dmlc.enums import FeatureLevel, PaddingMode, TensorFlags
from dmlc.enums import TensorDataType as T
from dmlc.errors import FeatureLevelError, InvalidDescriptorError

from .descriptors import VALID, tensor

ALL = "FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"
INDICES = "UINT32, INT32, UINT64, INT64"
UINT = "must be 0 to 4294967295"
SIZE = "must be 1 to 4294967295"
INT = "must be -2147483648 to 2147483647"
COUNT_2 = "must have one entry per dimension = 2"
COUNT_4 = "must have one entry per dimension = 4"
TOTAL = "total_tensor_size_in_bytes"
ALIGNMENT = "guaranteed_base_offset_alignment"


def changed(cls, **changes):
    """The valid descriptor of a class with some fields changed, ``tensor__field`` inside a tensor."""
    arguments = dict(VALID[cls])
    for name, value in changes.items():
        field, _, inner = name.partition("__")
        arguments[field] = (
            dataclasses.replace(arguments[field], **{inner: value}) if inner else value
        )
    return cls(**arguments)


def complaints(desc, level=FeatureLevel.LEVEL_6_4):
    return [str(complaint) for complaint in validation.check(desc, level)]


@pytest.mark.parametrize("cls", VALID, ids=lambda cls: cls.__name__)
def test_valid(cls):
    assert validation.check(changed(cls)) == []


# class, what is changed, the field that is complained about, the message
BROKEN = [
    # --- tensors, on an input ---
    (SliceOperatorDesc, {"input_tensor__data_type": T.UNKNOWN},
     "input_tensor.data_type", f"must be one of {ALL}, got UNKNOWN"),
    (SliceOperatorDesc, {"input_tensor__sizes": (1, 2**32, 4, 4)},
     "input_tensor.sizes[1]", f"{SIZE}, got 4294967296"),
    (SliceOperatorDesc, {"input_tensor__sizes": (0, 1, 4, 4)},
     "input_tensor.sizes[0]", f"{SIZE}, got 0"),
    (SliceOperatorDesc, {"input_tensor__sizes": (1, 1, 4, -4)},
     "input_tensor.sizes[3]", f"{SIZE}, got -4"),
    (SliceOperatorDesc, {"input_tensor__sizes": (2**16, 2**16, 4, 4)},
     "input_tensor.sizes",
     "must be at most 4294967295 elements, got 65536 x 65536 x 4 x 4 = 68719476736"),
    (SliceOperatorDesc, {"input_tensor__strides": (16, 4, 1)},
     "input_tensor.strides", f"{COUNT_4}, got 3"),
    (SliceOperatorDesc, {"input_tensor__strides": (16, 16, 4, -1)},
     "input_tensor.strides[3]", f"{UINT}, got -1"),
    (SliceOperatorDesc, {"input_tensor__strides": (2**32, 16, 4, 1)},
     "input_tensor.strides[0]", f"{UINT}, got 4294967296"),
    (OneHotOperatorDesc,
     {"values_tensor": BufferTensorDesc(T.FLOAT32, (2**31, 1, 1, 1), (2**32 - 1, 0, 0, 0))},
     "values_tensor.strides",
     f"must span at most 9223372036854775807 bytes, got {((2**31 - 1) * (2**32 - 1) + 1) * 4}"),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": 60},
     f"input_tensor.{TOTAL}", "must be at least the minimum implied size 64, got 60"),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": -1},
     f"input_tensor.{TOTAL}", "must be at least the minimum implied size 64, got -1"),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": 2**63},
     f"input_tensor.{TOTAL}", "must be at most 9223372036854775807, got 9223372036854775808"),
    (SliceOperatorDesc, {"input_tensor__strides": (0, 0, 100, 0), f"input_tensor__{TOTAL}": 1200},
     f"input_tensor.{TOTAL}", "must be at least the minimum implied size 1204, got 1200"),
    *[
        (SliceOperatorDesc, {f"input_tensor__{ALIGNMENT}": alignment},
         f"input_tensor.{ALIGNMENT}",
         f"must be 0 or a power of two from the element size 4 to 2147483648, got {alignment}")
        for alignment in (2, 12, -4, 2**32)
    ],
    # --- tensors, on an output ---
    (DiagonalMatrixOperatorDesc, {"output_tensor__data_type": T.UNKNOWN},
     "output_tensor.data_type", f"must be one of {ALL}, got UNKNOWN"),
    (DiagonalMatrixOperatorDesc, {"output_tensor__sizes": (1, 0, 4, 5)},
     "output_tensor.sizes[1]", f"{SIZE}, got 0"),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (20, 20, 0, 1)},
     "output_tensor.strides[2]", "must not be 0 (to broadcast) in an output, got 0 at size 4"),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (20, 20, 4, 1)},
     "output_tensor.strides[2]",
     "must exceed 4, the reach of the smaller strides, or elements may overlap, got 4"),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (20, 20, 1, 1)},
     "output_tensor.strides[3]",
     "must exceed 3, the reach of the smaller strides, or elements may overlap, got 1"),
    # Elements of strides 2 and 3 do not meet at sizes 3 and 2, but the rule does not see that.
    (DiagonalMatrixOperatorDesc,
     {"output_tensor": BufferTensorDesc(T.INT8, (3, 2), (2, 3))},
     "output_tensor.strides[1]",
     "must exceed 4, the reach of the smaller strides, or elements may overlap, got 3"),
    (DiagonalMatrixOperatorDesc, {f"output_tensor__{TOTAL}": 76},
     f"output_tensor.{TOTAL}", "must be at least the minimum implied size 80, got 76"),
    (DiagonalMatrixOperatorDesc, {f"output_tensor__{ALIGNMENT}": 1},
     f"output_tensor.{ALIGNMENT}",
     "must be 0 or a power of two from the element size 4 to 2147483648, got 1"),
    # --- padding ---
    (PaddingOperatorDesc, {"output_tensor__data_type": T.FLOAT16},
     "output_tensor.data_type", "must equal the input's data type FLOAT32, got FLOAT16"),
    (PaddingOperatorDesc, {"output_tensor__sizes": (8, 10)},
     "output_tensor.sizes", "must have the input's dimension count 4, got 2"),
    (PaddingOperatorDesc, {"output_tensor__sizes": (1, 1, 7, 10)},
     "output_tensor.sizes[2]", "must be input size + start + end = 4 + 1 + 3 = 8, got 7"),
    (PaddingOperatorDesc, {"input_tensor__sizes": (1, 1, 1, 4)},
     "output_tensor.sizes[2]", "must be input size + start + end = 1 + 1 + 3 = 5, got 8"),
    (PaddingOperatorDesc, {"start_padding": (0, 0, 1)},
     "start_padding", f"{COUNT_4}, got 3"),
    (PaddingOperatorDesc, {"start_padding": (0, 0, -1, 2)},
     "start_padding[2]", f"{UINT}, got -1"),
    (PaddingOperatorDesc, {"end_padding": (0, 0, 3, 4, 0)},
     "end_padding", f"{COUNT_4}, got 5"),
    (PaddingOperatorDesc, {"end_padding": (0, 2**32, 3, 4)},
     "end_padding[1]", f"{UINT}, got 4294967296"),
    # --- padding1 ---
    (Padding1OperatorDesc, {"output_tensor__sizes": (8, 11)},
     "output_tensor.sizes[1]", "must be input size + start + end = 4 + 2 + 4 = 10, got 11"),
    (Padding1OperatorDesc, {"padding_value_data_type": T.UNKNOWN},
     "padding_value_data_type", "must be a known data type, got UNKNOWN"),
    (Padding1OperatorDesc, {"padding_value_data_type": T.INT8},
     "padding_value_data_type", "must equal the output's data type UINT8, got INT8"),
    (Padding1OperatorDesc, {"padding_value": 256},
     "padding_value", "must be an integer from 0 to 255 (UINT8), got 256"),
    (Padding1OperatorDesc, {"padding_value": -1, "padding_mode": PaddingMode.EDGE},
     "padding_value", "must be an integer from 0 to 255 (UINT8), got -1"),
    (Padding1OperatorDesc, {"padding_value": 0.5},
     "padding_value", "must be an integer from 0 to 255 (UINT8), got 0.5"),
    (Padding1OperatorDesc, {"padding_value": math.nan},
     "padding_value", "must be an integer from 0 to 255 (UINT8), got nan"),
    (Padding1OperatorDesc, {"padding_value": -math.inf},
     "padding_value", "must be an integer from 0 to 255 (UINT8), got -inf"),
    (Padding1OperatorDesc, {"padding_value": 10**5000},
     "padding_value", f"must be an integer from 0 to 255 (UINT8), got {hex(10**5000)}"),
    # --- one-hot ---
    (OneHotOperatorDesc, {"indices_tensor__data_type": T.UINT8},
     "indices_tensor.data_type", f"must be one of {INDICES}, got UINT8"),
    (OneHotOperatorDesc, {"indices_tensor__data_type": T.FLOAT32},
     "indices_tensor.data_type", f"must be one of {INDICES}, got FLOAT32"),
    (OneHotOperatorDesc, {"indices_tensor__sizes": (1, 2, 3, 4)},
     "indices_tensor.sizes[3]", "must be 1 along the axis 3, got 4"),
    (OneHotOperatorDesc, {"values_tensor__sizes": (1, 2)},
     "values_tensor.sizes", "must have the indices' dimension count 4, got 2"),
    (OneHotOperatorDesc, {"values_tensor__sizes": (1, 1, 1, 1)},
     "values_tensor.sizes", "must be at least 2 elements (off, on), got 1"),
    (OneHotOperatorDesc, {"output_tensor__data_type": T.INT8},
     "output_tensor.data_type", "must equal the values' data type FLOAT32, got INT8"),
    (OneHotOperatorDesc, {"output_tensor__sizes": (1, 2, 3, 4, 1)},
     "output_tensor.sizes", "must have the indices' dimension count 4, got 5"),
    (OneHotOperatorDesc, {"output_tensor__sizes": (1, 2, 5, 4)},
     "output_tensor.sizes[2]", "must equal the indices' size 3, got 5"),
    (OneHotOperatorDesc, {"axis": 4},
     "axis", "must be 0 to dimension count - 1 = 3, got 4"),
    (OneHotOperatorDesc, {"axis": -1},
     "axis", "must be 0 to dimension count - 1 = 3, got -1"),
    # --- slice1 ---
    (Slice1OperatorDesc, {"output_tensor__data_type": T.UINT32},
     "output_tensor.data_type", "must equal the input's data type FLOAT32, got UINT32"),
    (Slice1OperatorDesc, {"output_tensor__sizes": (1, 2, 2)},
     "output_tensor.sizes", "must have the input's dimension count 4, got 3"),
    (Slice1OperatorDesc, {"output_tensor__sizes": (1, 1, 3, 2)},
     "output_tensor.sizes[2]",
     "must be at most 1 + (window size - 1) / |stride| = 1 + (4 - 1) / |-2| = 2, got 3"),
    (Slice1OperatorDesc, {"input_window_offsets": (0, 0, 0)},
     "input_window_offsets", f"{COUNT_4}, got 3"),
    (Slice1OperatorDesc, {"input_window_offsets": (0, 0, -1, 0)},
     "input_window_offsets[2]", f"{UINT}, got -1"),
    (Slice1OperatorDesc, {"input_window_offsets": (0, 1, 0, 1)},
     "input_window_offsets[1]", "must be less than the input size 1, got 1"),
    (Slice1OperatorDesc, {"input_window_sizes": (1, 1, 4, 3, 1)},
     "input_window_sizes", f"{COUNT_4}, got 5"),
    (Slice1OperatorDesc, {"input_window_sizes": (1, 0, 4, 3)},
     "input_window_sizes[1]", f"{SIZE}, got 0"),
    (Slice1OperatorDesc, {"input_window_sizes": (1, 1, 4, 4)},
     "input_window_sizes[3]", "must be at most input size - offset = 4 - 1 = 3, got 4"),
    (Slice1OperatorDesc, {"input_window_strides": (1, 1)},
     "input_window_strides", f"{COUNT_4}, got 2"),
    (Slice1OperatorDesc, {"input_window_strides": (1, 0, -2, 2)},
     "input_window_strides[1]", "must not be 0, got 0"),
    (Slice1OperatorDesc, {"input_window_strides": (1, 2**31, -2, 2)},
     "input_window_strides[1]", f"{INT}, got 2147483648"),
    # --- slice ---
    (SliceOperatorDesc, {"output_tensor__data_type": T.INT32},
     "output_tensor.data_type", "must equal the input's data type FLOAT32, got INT32"),
    (SliceOperatorDesc, {"output_tensor__sizes": (2, 2)},
     "output_tensor.sizes", "must have the input's dimension count 4, got 2"),
    (SliceOperatorDesc, {"offsets": (0, 0, 0)},
     "offsets", f"{COUNT_4}, got 3"),
    (SliceOperatorDesc, {"offsets": (0, 0, -1, 0)},
     "offsets[2]", f"{UINT}, got -1"),
    (SliceOperatorDesc, {"offsets": (0, 0, 4, 1)},
     "offsets[2]", "must be less than the input size 4, got 4"),
    (SliceOperatorDesc, {"sizes": (1, 1, 2)},
     "sizes", f"{COUNT_4}, got 3"),
    (SliceOperatorDesc, {"sizes": (1, 1, 2, 0)},
     "sizes[3]", f"{SIZE}, got 0"),
    (SliceOperatorDesc, {"sizes": (1, 1, 2, 1)},
     "sizes[3]", "must equal the output size 2, got 1"),
    (SliceOperatorDesc, {"strides": (1, 1, 3, 2, 1)},
     "strides", f"{COUNT_4}, got 5"),
    (SliceOperatorDesc, {"strides": (0, 1, 3, 2)},
     "strides[0]", f"{SIZE}, got 0"),
    (SliceOperatorDesc, {"strides": (1, -1, 3, 2)},
     "strides[1]", f"{SIZE}, got -1"),
    (SliceOperatorDesc, {"strides": (1, 1, 3, 3)},
     "strides[3]",
     ("must keep the last element, offset + (size - 1) * stride = 1 + (2 - 1) * 3 = 4,"
     " below the input size 4, got 3")),
    # --- diagonal matrix 1 ---
    (DiagonalMatrix1OperatorDesc, {"input_tensor__sizes": (4, 6)},
     "output_tensor.sizes[1]", "must equal the input size 6, got 5"),
    (DiagonalMatrix1OperatorDesc, {"input_tensor__sizes": (1, 4, 5)},
     "output_tensor.sizes", "must have the input's dimension count 3, got 2"),
    (DiagonalMatrix1OperatorDesc, {"input_tensor__data_type": T.UINT16},
     "output_tensor.data_type", "must equal the input's data type UINT16, got INT16"),
    (DiagonalMatrix1OperatorDesc, {"input_tensor__strides": (5, 1, 1)},
     "input_tensor.strides", f"{COUNT_2}, got 3"),
    (DiagonalMatrix1OperatorDesc, {"input_tensor": None, "output_tensor__sizes": (4,)},
     "output_tensor.sizes", "must have 2 to 4 dimensions, got 1"),
    (DiagonalMatrix1OperatorDesc, {"value_data_type": T.UNKNOWN},
     "value_data_type", "must be a known data type, got UNKNOWN"),
    (DiagonalMatrix1OperatorDesc, {"value_data_type": T.FLOAT16},
     "value_data_type", "must equal the output's data type INT16, got FLOAT16"),
    (DiagonalMatrix1OperatorDesc, {"value": -32769},
     "value", "must be an integer from -32768 to 32767 (INT16), got -32769"),
    (DiagonalMatrix1OperatorDesc, {"diagonal_fill_begin": -(2**31) - 1},
     "diagonal_fill_begin", f"{INT}, got -2147483649"),
    (DiagonalMatrix1OperatorDesc, {"diagonal_fill_end": 2**31},
     "diagonal_fill_end", f"{INT}, got 2147483648"),
    # --- diagonal matrix ---
    (DiagonalMatrixOperatorDesc, {"output_tensor__sizes": (1, 1, 1, 4, 5)},
     "output_tensor.sizes", "must have 2 to 4 dimensions, got 5"),
    (DiagonalMatrixOperatorDesc, {"offset": 2**31},
     "offset", f"{INT}, got 2147483648"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cls", "changes", "field", "message"),
    BROKEN,
    ids=[f"{cls.__name__}-{field}-{i}" for i, (cls, _, field, _) in enumerate(BROKEN)],
)
def test_one_broken_rule(cls, changes, field, message):
    found = validation.check(changed(cls, **changes))
    assert [str(complaint) for complaint in found] == [f"{cls.__name__}.{field}: {message}"]
    (complaint,) = found
    assert type(complaint) is InvalidDescriptorError
    assert (complaint.operator, complaint.field) == (cls.__name__, field)
    assert complaint.message == message


@pytest.mark.parametrize("count", [0, 9])
def test_dimension_counts_that_no_level_has(count):
    sizes = (0,) * count  # of more than 8 dimensions, nothing else is looked at
    desc = PaddingOperatorDesc(
        tensor(T.INT8, *sizes), tensor(T.INT8, *sizes), 0, 0, (0,) * count, (0,) * count
    )
    assert complaints(desc) == [
        f"PaddingOperatorDesc.{name}_tensor.sizes: must have 1 to 8 dimensions, got {count}"
        for name in ("input", "output")
    ]


# What is at the edge of a rule, or looks odd, and is right.
RIGHT = [
    (PaddingOperatorDesc, {"padding_value": 1e300, "padding_mode": PaddingMode.WRAP}),
    (PaddingOperatorDesc, {"padding_value": 10**400}),
    (Padding1OperatorDesc, {"padding_value": 255.0}),
    (OneHotOperatorDesc, {"values_tensor__sizes": (2, 1, 1, 1)}),
    (OneHotOperatorDesc, {"values_tensor__sizes": (3, 5, 7, 9)}),
    (OneHotOperatorDesc, {"output_tensor__sizes": (1, 2, 3, 1)}),
    (OneHotOperatorDesc, {"indices_tensor__strides": (0, 0, 0, 0)}),
    (Slice1OperatorDesc, {"output_tensor__sizes": (1, 1, 1, 1)}),
    (Slice1OperatorDesc, {"input_window_strides": (-(2**31), 2**31 - 1, -2, 2)}),
    (SliceOperatorDesc, {"strides": (2**32 - 1, 1, 3, 2)}),
    (SliceOperatorDesc, {"input_tensor__strides": (0, 0, 0, 0)}),
    (SliceOperatorDesc, {"input_tensor__strides": (7, 7, 1, 1)}),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": 64}),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": 65}),
    (SliceOperatorDesc, {f"input_tensor__{TOTAL}": 2**63 - 1}),
    (SliceOperatorDesc, {f"input_tensor__{ALIGNMENT}": 4}),
    (SliceOperatorDesc, {f"input_tensor__{ALIGNMENT}": 2**31}),
    (SliceOperatorDesc, {"input_tensor__flags": TensorFlags.OWNED_BY_DML}),
    # A dimension of size 1 takes no step, so its stride is of no consequence.
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (0, 0, 5, 1)}),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (1, 5, 5, 1)}),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (0, 0, 1, 4)}),
    (DiagonalMatrixOperatorDesc, {"output_tensor__strides": (0, 0, 2**32 - 1, 2**29)}),
    (DiagonalMatrixOperatorDesc, {"output_tensor": tensor(T.INT64, 2**16 - 1, 2**16 + 1)}),
    (DiagonalMatrix1OperatorDesc, {"input_tensor": None}),
    (DiagonalMatrix1OperatorDesc, {"diagonal_fill_begin": 5, "diagonal_fill_end": -5}),
]


@pytest.mark.parametrize(("cls", "changes"), RIGHT, ids=str)
def test_right(cls, changes):
    assert complaints(changed(cls, **changes)) == []


@pytest.mark.parametrize("data_type", list(T)[1:])
@pytest.mark.parametrize("alignment", [1, 2, 4, 8, 16])
def test_alignment_and_element_size(data_type, alignment):
    output = BufferTensorDesc(data_type, (2, 2), guaranteed_base_offset_alignment=alignment)
    found = complaints(DiagonalMatrixOperatorDesc(output, 0, 1))
    assert len(found) == (alignment < data_type.itemsize)


class TestSeveral:
    def test_all_at_once_in_field_order(self):
        output = BufferTensorDesc(
            T.UINT8,
            (1, 1, 7, 0),
            (0, 1, 0, -1),
            total_tensor_size_in_bytes=2**63,
            guaranteed_base_offset_alignment=3,
        )
        desc = changed(
            PaddingOperatorDesc,
            input_tensor__sizes=(1, 0, 4, -4),
            output_tensor=output,
            start_padding=(-1, 0, 1, 2),
            end_padding=(0,),
        )
        prefix = "PaddingOperatorDesc"
        assert complaints(desc) == [
            f"{prefix}.input_tensor.sizes[1]: {SIZE}, got 0",
            f"{prefix}.input_tensor.sizes[3]: {SIZE}, got -4",
            f"{prefix}.output_tensor.data_type: must equal the input's data type FLOAT32, got UINT8",
            f"{prefix}.output_tensor.sizes[3]: {SIZE}, got 0",
            f"{prefix}.output_tensor.strides[3]: {UINT}, got -1",
            (
                f"{prefix}.output_tensor.{TOTAL}: must be at most 9223372036854775807,"
                " got 9223372036854775808"
            ),
            (
                f"{prefix}.output_tensor.{ALIGNMENT}: must be 0 or a power of two from the element"
                " size 1 to 2147483648, got 3"
            ),
            f"{prefix}.start_padding[0]: {UINT}, got -1",
            f"{prefix}.end_padding: {COUNT_4}, got 1",
        ]

    def test_relations_of_later_fields_stand_with_the_earlier_field(self):
        # The window decides the output's size, but the output is an earlier field.
        desc = changed(
            Slice1OperatorDesc,
            output_tensor__sizes=(1, 1, 3, 3),
            input_window_sizes=(1, 1, 4, 4),
            input_window_strides=(1, 0, 2, 2),
        )
        fields = [complaint.field for complaint in validation.check(desc)]
        assert fields == [
            "output_tensor.sizes[2]",
            "output_tensor.sizes[3]",
            "input_window_sizes[3]",
            "input_window_strides[1]",
        ]

    def test_ten_comes_after_nine(self):
        desc = changed(SliceOperatorDesc, offsets=(-1,) * 12, sizes=(0,) * 4)
        fields = [complaint.field for complaint in validation.check(desc)]
        assert fields == ["offsets", "sizes[0]", "sizes[1]", "sizes[2]", "sizes[3]"]

    def test_levels_and_rules_together(self):
        desc = changed(
            PaddingOperatorDesc,
            output_tensor__data_type=T.INT64,
            padding_mode=PaddingMode.WRAP,
            end_padding=(0, 0, 3, -4),
        )
        found = validation.check(desc, FeatureLevel.LEVEL_2_1)
        assert [str(complaint) for complaint in found] == [
            "PaddingOperatorDesc.output_tensor.data_type: INT64 needs feature level 5_0, got 2_1",
            (
                "PaddingOperatorDesc.output_tensor.data_type: must equal the input's data type FLOAT32,"
                " got INT64"
            ),
            "PaddingOperatorDesc.padding_mode: WRAP needs feature level 6_4, got 2_1",
            f"PaddingOperatorDesc.end_padding[3]: {UINT}, got -4",
        ]
        assert [type(complaint) for complaint in found] == [
            FeatureLevelError,
            InvalidDescriptorError,
            FeatureLevelError,
            InvalidDescriptorError,
        ]


@pytest.mark.parametrize(
    "desc", [None, 3, "PaddingOperatorDesc", tensor(T.INT8, 2), PaddingOperatorDesc], ids=repr
)
def test_foreign_objects(desc):
    with pytest.raises(TypeError, match="^must be an operator descriptor, got "):
        validation.check(desc)


integers = st.one_of(
    st.integers(-2, 9),
    st.sampled_from([2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**63, 2**64, 10**5000]),
    st.integers(),
)
arrays = st.lists(integers, max_size=10)
tensors = st.builds(
    BufferTensorDesc,
    st.sampled_from(T),
    arrays,
    st.none() | arrays,
    total_tensor_size_in_bytes=st.none() | integers,
    guaranteed_base_offset_alignment=integers,
)
values = integers | st.floats()
modes = st.sampled_from(PaddingMode)
types = st.sampled_from(T)
descriptors = st.one_of(
    st.builds(PaddingOperatorDesc, tensors, tensors, modes, values, arrays, arrays),
    st.builds(Padding1OperatorDesc, tensors, tensors, modes, types, values, arrays, arrays),
    st.builds(OneHotOperatorDesc, tensors, tensors, tensors, integers),
    st.builds(Slice1OperatorDesc, tensors, tensors, arrays, arrays, arrays),
    st.builds(SliceOperatorDesc, tensors, tensors, arrays, arrays, arrays),
    st.builds(
        DiagonalMatrix1OperatorDesc,
        input_tensor=st.none() | tensors,
        output_tensor=tensors,
        value_data_type=types,
        value=values,
        diagonal_fill_begin=integers,
        diagonal_fill_end=integers,
    ),
    st.builds(DiagonalMatrixOperatorDesc, tensors, integers, values),
)


@given(descriptors, st.sampled_from(FeatureLevel))
def test_any_descriptor_is_judged(desc, level):
    for complaint in validation.check(desc, level):
        assert isinstance(complaint, InvalidDescriptorError)
        assert complaint.operator == type(desc).__name__
        assert str(complaint)
        # The path leads to something in the descriptor.
        if complaint.field:
            assert eval(f"desc.{complaint.field}") is not None


def test_huge_arrays_get_one_complaint_each():
    count = 100_000
    sizes = [0] * count
    desc = SliceOperatorDesc(
        BufferTensorDesc(T.INT8, sizes, sizes), BufferTensorDesc(T.INT8, [2**40] * count, sizes),
        sizes, sizes, sizes,
    )  # fmt: skip
    fields = [complaint.field for complaint in validation.check(desc)]
    assert fields == ["input_tensor.sizes", "output_tensor.sizes"]
