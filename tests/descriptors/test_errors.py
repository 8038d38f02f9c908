"""Errors: what they say, what they are, and that they survive pickling."""

from __future__ import annotations

import copy
import pickle

import pytest

from dmlc.enums import FeatureLevel
from dmlc.errors import BindingError, DmlcError, FeatureLevelError, InvalidDescriptorError

INVALID = InvalidDescriptorError("OneHotOperatorDesc", "axis", "must be 0 to 3, got 4")
LEVEL = FeatureLevelError(
    "Padding1OperatorDesc", "", "needs feature level 5_0, got 4_1", FeatureLevel.LEVEL_5_0
)
BY_KEYWORD = FeatureLevelError(
    operator="SliceOperatorDesc",
    field="input_tensor.sizes",
    message="3 dimensions need feature level 3_0, got 2_1",
    required_level=FeatureLevel.LEVEL_3_0,
)


def test_text():
    assert str(INVALID) == "OneHotOperatorDesc.axis: must be 0 to 3, got 4"
    assert str(LEVEL) == "Padding1OperatorDesc: needs feature level 5_0, got 4_1"


def test_attributes():
    assert INVALID.operator == "OneHotOperatorDesc"
    assert INVALID.field == "axis"
    assert INVALID.message == "must be 0 to 3, got 4"
    assert LEVEL.required_level is FeatureLevel.LEVEL_5_0


def test_kinds():
    assert isinstance(LEVEL, InvalidDescriptorError)
    for error in (INVALID, LEVEL, BindingError("x")):
        assert isinstance(error, DmlcError)
        assert isinstance(error, ValueError)
    assert not issubclass(BindingError, InvalidDescriptorError)


@pytest.mark.parametrize(
    "error", [INVALID, LEVEL, BY_KEYWORD, BindingError("too small"), DmlcError("x")]
)
@pytest.mark.parametrize(
    "copied", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy]
)
def test_copies(error, copied):
    again = copied(error)
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert again.__dict__ == error.__dict__
