"""What all descriptors have in common: coercion, equality, printing, pickling."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import re

import numpy as np
import pytest

import dmlc.descriptors
import dmlc.enums
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
from dmlc.enums import PaddingMode, TensorFlags
from dmlc.enums import TensorDataType as T

SCOPE = {
    name: getattr(module, name)
    for module in (dmlc.descriptors, dmlc.enums)
    for name in module.__all__
}
TENSOR = BufferTensorDesc(T.FLOAT32, (4, 5))
STRIDED = BufferTensorDesc(
    T.INT64,
    (4, 5),
    (8, 1),
    flags=TensorFlags.OWNED_BY_DML,
    total_tensor_size_in_bytes=512,
    guaranteed_base_offset_alignment=64,
)
ARGUMENTS = {
    PaddingOperatorDesc: {
        "input_tensor": TENSOR,
        "output_tensor": BufferTensorDesc(T.FLOAT32, (5, 5)),
        "padding_mode": PaddingMode.EDGE,
        "padding_value": 1.5,
        "start_padding": (1, 0),
        "end_padding": (0, 0),
    },
    Padding1OperatorDesc: {
        "input_tensor": TENSOR,
        "output_tensor": BufferTensorDesc(T.FLOAT32, (5, 5)),
        "padding_mode": PaddingMode.EDGE,
        "padding_value_data_type": T.FLOAT32,
        "padding_value": 1.5,
        "start_padding": (1, 0),
        "end_padding": (0, 0),
    },
    OneHotOperatorDesc: {
        "indices_tensor": BufferTensorDesc(T.INT64, (4, 1)),
        "values_tensor": BufferTensorDesc(T.INT8, (1, 2)),
        "output_tensor": BufferTensorDesc(T.INT8, (4, 7)),
        "axis": 1,
    },
    Slice1OperatorDesc: {
        "input_tensor": TENSOR,
        "output_tensor": BufferTensorDesc(T.FLOAT32, (2, 5)),
        "input_window_offsets": (0, 0),
        "input_window_sizes": (4, 5),
        "input_window_strides": (-2, 1),
    },
    SliceOperatorDesc: {
        "input_tensor": TENSOR,
        "output_tensor": BufferTensorDesc(T.FLOAT32, (2, 5)),
        "offsets": (0, 0),
        "sizes": (2, 5),
        "strides": (2, 1),
    },
    DiagonalMatrix1OperatorDesc: {
        "input_tensor": TENSOR,
        "output_tensor": BufferTensorDesc(T.FLOAT32, (4, 5)),
        "value_data_type": T.FLOAT32,
        "value": 1.5,
        "diagonal_fill_begin": -(2**31),
        "diagonal_fill_end": 1,
    },
    DiagonalMatrixOperatorDesc: {"output_tensor": STRIDED, "offset": -1, "value": 1.5},
}
DESCRIPTORS = [TENSOR, STRIDED, *(cls(**arguments) for cls, arguments in ARGUMENTS.items())]


def name_of(value):
    return value.__name__ if isinstance(value, type) else type(value).__name__


def with_values(value):
    """Descriptors of every class that has a value, with this one; the typed ones are FLOAT32."""
    return [
        dataclasses.replace(desc, **{field: value})
        for desc in DESCRIPTORS
        for field in ("padding_value", "value")
        if hasattr(desc, field)
    ]


@pytest.mark.parametrize("desc", DESCRIPTORS, ids=name_of)
class TestAll:
    def test_repr(self, desc):
        again = eval(repr(desc), SCOPE)
        assert again == desc
        assert repr(again) == repr(desc)

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle(self, desc, protocol):
        again = pickle.loads(pickle.dumps(desc, protocol))
        assert again == desc
        assert hash(again) == hash(desc)
        assert repr(again) == repr(desc)

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, dataclasses.replace])
    def test_copies(self, desc, copied):
        assert copied(desc) == desc

    def test_frozen(self, desc):
        for field in dataclasses.fields(desc):
            before = getattr(desc, field.name)
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(desc, field.name, before)
            with pytest.raises(dataclasses.FrozenInstanceError):
                delattr(desc, field.name)
            assert getattr(desc, field.name) is before
        with pytest.raises(AttributeError):
            desc.no_such_field = 1
        assert not hasattr(desc, "__dict__")

    def test_differs_from_all_others(self, desc):
        assert [other for other in DESCRIPTORS if other == desc] == [desc]
        assert desc != repr(desc)
        assert len({*DESCRIPTORS, desc}) == len(DESCRIPTORS)


@pytest.mark.parametrize("cls", ARGUMENTS, ids=name_of)
def test_fields_stand_in_order(cls):
    names = list(ARGUMENTS[cls])
    assert [field.name for field in dataclasses.fields(cls)] == names
    desc = cls(**ARGUMENTS[cls])
    assert [getattr(desc, name) for name in names] == list(ARGUMENTS[cls].values())


@pytest.mark.parametrize("cls", list(ARGUMENTS)[:-2] + list(ARGUMENTS)[-1:], ids=name_of)
def test_positional(cls):
    assert cls(*ARGUMENTS[cls].values()) == cls(**ARGUMENTS[cls])


def test_diagonal_matrix1_is_keyword_only():
    with pytest.raises(TypeError, match="positional"):
        DiagonalMatrix1OperatorDesc(None, TENSOR, T.FLOAT32, 1, 0, 1)


@pytest.mark.parametrize("cls", ARGUMENTS, ids=name_of)
def test_every_field_counts(cls):
    other = {
        BufferTensorDesc: BufferTensorDesc(T.UINT16, [9]),
        PaddingMode: PaddingMode.WRAP,
        T: T.FLOAT16,
        float: 2.5,
        int: 0,
        tuple: (7, 7),
    }
    desc = cls(**ARGUMENTS[cls])
    for name, value in ARGUMENTS[cls].items():
        changed = dataclasses.replace(desc, **{name: other[type(value)]})
        assert changed != desc, name
        assert eval(repr(changed), SCOPE) == changed


@pytest.mark.parametrize(
    "change",
    [
        {"data_type": T.UINT64},
        {"sizes": (5, 4)},
        {"strides": None},
        {"flags": TensorFlags.NONE},
        {"total_tensor_size_in_bytes": None},
        {"guaranteed_base_offset_alignment": 0},
    ],
    ids=str,
)
def test_every_field_of_a_tensor_counts(change):
    changed = dataclasses.replace(STRIDED, **change)
    assert changed != STRIDED
    assert eval(repr(changed), SCOPE) == changed


def test_printed_as_written():
    assert repr(TENSOR) == "BufferTensorDesc(TensorDataType.FLOAT32, (4, 5))"
    assert repr(STRIDED) == (
        "BufferTensorDesc(TensorDataType.INT64, (4, 5), strides=(8, 1),"
        " flags=TensorFlags.OWNED_BY_DML, total_tensor_size_in_bytes=512,"
        " guaranteed_base_offset_alignment=64)"
    )
    assert repr(BufferTensorDesc(T.INT8, [3])) == "BufferTensorDesc(TensorDataType.INT8, (3,))"
    assert repr(PaddingOperatorDesc(TENSOR, TENSOR, 0, 0, [0, 0], [0, 0])) == (
        "PaddingOperatorDesc("
        "input_tensor=BufferTensorDesc(TensorDataType.FLOAT32, (4, 5)), "
        "output_tensor=BufferTensorDesc(TensorDataType.FLOAT32, (4, 5)), "
        "padding_mode=PaddingMode.CONSTANT, padding_value=0, "
        "start_padding=(0, 0), end_padding=(0, 0))"
    )
    no_input = DiagonalMatrix1OperatorDesc(
        output_tensor=BufferTensorDesc(T.INT8, (2, 2)),
        value_data_type=T.INT8,
        value=np.int8(3),
        diagonal_fill_begin=0,
        diagonal_fill_end=1,
    )
    assert repr(no_input) == (
        "DiagonalMatrix1OperatorDesc("
        "output_tensor=BufferTensorDesc(TensorDataType.INT8, (2, 2)), "
        "value_data_type=TensorDataType.INT8, value=3, "
        "diagonal_fill_begin=0, diagonal_fill_end=1)"
    )


PRINTED = [
    (0.1, "0.1"),
    (np.float32(0.5), "0.5"),
    (np.uint64(2**64 - 1), "18446744073709551615"),
    (-0.0, "-0.0"),
    (math.inf, "float('inf')"),
    (-math.inf, "float('-inf')"),
    (math.nan, "float('nan')"),
    (np.float32("nan"), "float('nan')"),
    (np.float16("nan"), "float('nan')"),
    (T.FLOAT32.from_bits(0xFFC00000), "TensorDataType.FLOAT32.from_bits(0xffc00000)"),
    (T.FLOAT32.from_bits(0x7F800001), "TensorDataType.FLOAT32.from_bits(0x7f800001)"),
    (T.FLOAT16.from_bits(0x7E01), "TensorDataType.FLOAT16.from_bits(0x7e01)"),
    (
        T.FLOAT64.from_bits(0x7FF8000000000001),
        "TensorDataType.FLOAT64.from_bits(0x7ff8000000000001)",
    ),
    (10**5000, hex(10**5000)),
]


@pytest.mark.parametrize(("value", "text"), PRINTED, ids=[text[:42] for _, text in PRINTED])
def test_printed_values(value, text):
    for desc in with_values(value):
        assert f"value={text}" in repr(desc)
        again = eval(repr(desc), SCOPE)
        assert again == desc
        assert pickle.loads(pickle.dumps(desc)) == desc


def test_equality_is_by_bits():
    different = [
        0.0,
        -0.0,
        1.0,
        math.nan,
        T.FLOAT32.from_bits(0xFFC00000),
        T.FLOAT32.from_bits(0x7FC00001),
        T.FLOAT32.from_bits(0x7F800001),
        math.inf,
    ]
    for descriptors in zip(*map(with_values, different), strict=True):
        assert len(set(descriptors)) == len(different)
        for i, desc in enumerate(descriptors):
            assert [desc == other for other in descriptors] == [
                j == i for j in range(len(different))
            ]
    for one, other in [(1, 1.0), (np.float32(0.1), 0.1), (math.nan, np.float64("nan"))]:
        for desc, twin in zip(with_values(one), with_values(other), strict=True):
            assert desc == twin
            assert hash(desc) == hash(twin)


def test_values_that_cannot_be_elements_are_compared_too():
    def desc(value):
        arguments = ARGUMENTS[Padding1OperatorDesc]
        return Padding1OperatorDesc(
            **arguments | {"padding_value_data_type": T.UINT8, "padding_value": value}
        )

    assert desc(300) == desc(300)
    assert desc(300) != desc(301)
    assert desc(0.5) == desc(0.5)


def test_value_bytes():
    padding, typed = ARGUMENTS[PaddingOperatorDesc], ARGUMENTS[Padding1OperatorDesc]
    diagonal = ARGUMENTS[DiagonalMatrix1OperatorDesc]
    bytes_ = BufferTensorDesc(T.UINT8, (4, 5))
    assert PaddingOperatorDesc(**padding).padding_value_bytes == np.float32(1.5).tobytes()
    desc = PaddingOperatorDesc(**padding | {"output_tensor": bytes_, "padding_value": 300})
    assert desc.padding_value_bytes == b"\xff"
    typed_values = {"padding_value_data_type": T.INT64, "padding_value": 2**63 - 1}
    desc = Padding1OperatorDesc(**typed | typed_values)
    assert desc.padding_value_bytes == np.int64(2**63 - 1).tobytes()
    desc = DiagonalMatrix1OperatorDesc(**diagonal | {"value_data_type": T.FLOAT16, "value": 2049})
    assert desc.value_bytes == np.float16(2048).tobytes()
    assert DiagonalMatrixOperatorDesc(bytes_, 0, -3).value_bytes == b"\x00"


class TestCoercion:
    @pytest.mark.parametrize(
        "sizes",
        [
            (4, 5),
            [4, 5],
            np.array([4, 5]),
            np.array([4, 5], np.uint8),
            range(4, 6),
            [np.int64(4), np.uint16(5)],
            [PaddingMode.WRAP, T.UINT8],
        ],
        ids=repr,
    )
    def test_sequences(self, sizes):
        desc = BufferTensorDesc(T.FLOAT32, sizes)
        assert desc == TENSOR
        assert [type(size) for size in desc.sizes] == [int, int]

    def test_lists_are_not_kept(self):
        sizes = [4, 5]
        desc = BufferTensorDesc(T.FLOAT32, sizes)
        sizes[0] = 9
        assert desc.sizes == (4, 5)

    @pytest.mark.parametrize(
        "sizes",
        [
            "45",
            b"45",
            bytearray(2),
            memoryview(b"45"),
            4,
            np.int64(4),
            np.array(4),
            None,
            {4, 5},
            {4: 5},
        ],
    )
    def test_not_sequences(self, sizes):
        message = re.escape(
            f"BufferTensorDesc.sizes: must be a sequence of integers, got {sizes!r}"
        )
        with pytest.raises(TypeError, match=f"^{message}$"):
            BufferTensorDesc(T.FLOAT32, sizes)

    @pytest.mark.parametrize(
        "item", [4.0, "4", None, True, np.True_, np.float32(4), np.array([4]), [4]], ids=repr
    )
    def test_not_integers(self, item):
        message = re.escape(f"BufferTensorDesc.sizes[1]: must be an integer, got {item!r}")
        with pytest.raises(TypeError, match=f"^{message}$"):
            BufferTensorDesc(T.FLOAT32, [4, item])

    @pytest.mark.parametrize(
        ("cls", "field"),
        [
            (cls, field)
            for cls, arguments in ARGUMENTS.items()
            for field, value in arguments.items()
            if isinstance(value, tuple)
        ],
        ids=name_of,
    )
    def test_arrays_of_operators(self, cls, field):
        arguments = ARGUMENTS[cls]
        assert cls(**arguments | {field: list(arguments[field])}) == cls(**arguments)
        with pytest.raises(TypeError, match=rf"^{cls.__name__}\.{field}\[0\]: must be an integer"):
            cls(**arguments | {field: [1.5, 0]})
        with pytest.raises(TypeError, match=rf"^{cls.__name__}\.{field}: must be a sequence"):
            cls(**arguments | {field: 3})

    @pytest.mark.parametrize(
        ("cls", "field"),
        [
            (OneHotOperatorDesc, "axis"),
            (DiagonalMatrix1OperatorDesc, "diagonal_fill_begin"),
            (DiagonalMatrix1OperatorDesc, "diagonal_fill_end"),
            (DiagonalMatrixOperatorDesc, "offset"),
        ],
        ids=name_of,
    )
    def test_integers_of_operators(self, cls, field):
        assert getattr(cls(**ARGUMENTS[cls] | {field: np.int16(-7)}), field) == -7
        for value in (1.0, True, "1", None):
            with pytest.raises(TypeError, match=rf"^{cls.__name__}\.{field}: must be an integer"):
                cls(**ARGUMENTS[cls] | {field: value})

    @pytest.mark.parametrize(
        "field", ["total_tensor_size_in_bytes", "guaranteed_base_offset_alignment"]
    )
    def test_integers_of_tensors(self, field):
        assert getattr(BufferTensorDesc(T.INT8, [4], **{field: np.uint8(64)}), field) == 64
        with pytest.raises(TypeError, match=rf"^BufferTensorDesc\.{field}: must be an integer"):
            BufferTensorDesc(T.INT8, [4], **{field: 64.0})

    @pytest.mark.parametrize(
        ("cls", "field"),
        [
            (cls, field)
            for cls, arguments in ARGUMENTS.items()
            for field, value in arguments.items()
            if isinstance(value, BufferTensorDesc)
        ],
        ids=name_of,
    )
    def test_tensors(self, cls, field):
        with pytest.raises(
            TypeError, match=rf"^{cls.__name__}\.{field}: must be a BufferTensorDesc"
        ):
            cls(**ARGUMENTS[cls] | {field: np.zeros((4, 5))})

    @pytest.mark.parametrize(
        ("cls", "field", "name"),
        [
            (PaddingOperatorDesc, "padding_mode", "PaddingMode"),
            (Padding1OperatorDesc, "padding_mode", "PaddingMode"),
            (Padding1OperatorDesc, "padding_value_data_type", "TensorDataType"),
            (DiagonalMatrix1OperatorDesc, "value_data_type", "TensorDataType"),
        ],
        ids=name_of,
    )
    def test_enums(self, cls, field, name):
        value = ARGUMENTS[cls][field]
        assert getattr(cls(**ARGUMENTS[cls] | {field: int(value)}), field) is value
        for unknown, text in ((-1, "-1"), (12, "12"), (10**5000, hex(10**5000))):
            message = rf"^{cls.__name__}\.{field}: must be a {name}, got {text}$"
            with pytest.raises(ValueError, match=message):
                cls(**ARGUMENTS[cls] | {field: unknown})
        for wrong in ("EDGE", 1.0, True, TensorFlags.NONE):
            with pytest.raises(TypeError, match=rf"^{cls.__name__}\.{field}: must be "):
                cls(**ARGUMENTS[cls] | {field: wrong})

    def test_enums_of_tensors(self):
        assert BufferTensorDesc(1, (4, 5), flags=0) == TENSOR
        assert BufferTensorDesc(1, [4], flags=1).flags is TensorFlags.OWNED_BY_DML
        with pytest.raises(ValueError, match=r"^BufferTensorDesc\.data_type: must be a TensorData"):
            BufferTensorDesc(12, [4])
        with pytest.raises(ValueError, match=r"^BufferTensorDesc\.flags: must be a TensorFlags"):
            BufferTensorDesc(1, [4], flags=2)

    @pytest.mark.parametrize(
        "value", [True, np.True_, "1", None, 1j, np.complex64(1), [1], np.array([1])], ids=repr
    )
    @pytest.mark.parametrize("cls", ARGUMENTS, ids=name_of)
    def test_numbers(self, cls, value):
        for field in {"padding_value", "value"} & set(ARGUMENTS[cls]):
            with pytest.raises(
                TypeError, match=rf"^{cls.__name__}\.{field}: must be a number, got"
            ):
                cls(**ARGUMENTS[cls] | {field: value})

    def test_long_double_nan_is_a_number(self):
        for desc in with_values(np.longdouble("nan")):
            assert math.isnan(getattr(desc, "value", getattr(desc, "padding_value", 0)))

    def test_wrong_values_do_not_raise(self):
        tensor = BufferTensorDesc(
            T.UNKNOWN,
            [],
            [-1],
            total_tensor_size_in_bytes=-5,
            guaranteed_base_offset_alignment=3,
        )
        DiagonalMatrixOperatorDesc(tensor, 2**70, math.nan)
        PaddingOperatorDesc(tensor, tensor, 0, 0, [-1], [1, 2, 3])


class TestTensorProperties:
    @pytest.mark.parametrize(
        ("data_type", "sizes", "strides", "elements", "packed", "minimum"),
        [
            (T.UINT8, (1,), None, 1, (1,), 4),
            (T.UINT8, (5,), None, 5, (1,), 8),
            (T.FLOAT32, (1, 2, 3, 4), None, 24, (24, 12, 4, 1), 96),
            (T.UINT8, (2, 3), (4, 1), 6, (3, 1), 8),
            (T.FLOAT16, (3, 3), (0, 0), 9, (3, 1), 4),
            (T.FLOAT64, (2, 2), (1, 2), 4, (2, 1), 32),
            (T.INT64, (2**20, 2**20), (2**32 - 1, 1), 2**40, (2**20, 1), None),
        ],
    )
    def test_counts(self, data_type, sizes, strides, elements, packed, minimum):
        desc = BufferTensorDesc(data_type, sizes, strides)
        if minimum is None:
            minimum = ((2**20 - 1) * (2**32 - 1) + (2**20 - 1) + 1) * 8
            assert minimum > 2**54
        assert desc.dimension_count == len(sizes)
        assert desc.element_count == elements
        assert desc.packed_strides == packed
        assert desc.effective_strides == (packed if strides is None else strides)
        assert desc.minimum_implied_size_in_bytes == minimum
        assert desc.size_in_bytes == minimum
        larger = dataclasses.replace(desc, total_tensor_size_in_bytes=minimum + 4)
        assert larger.size_in_bytes == minimum + 4
        assert larger.minimum_implied_size_in_bytes == minimum

    def test_no_overflow(self):
        desc = BufferTensorDesc(T.INT64, [2**32 - 1] * 8)
        assert desc.element_count == (2**32 - 1) ** 8
        assert desc.size_in_bytes == 8 * (2**32 - 1) ** 8
