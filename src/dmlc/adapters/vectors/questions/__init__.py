"""What is asked of each operator, an operator a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dmlc.adapters.vectors.questions.diagonal_matrix import (
    diagonal_matrix1_questions,
    diagonal_matrix_questions,
)
from dmlc.adapters.vectors.questions.drawing import Draw, Question
from dmlc.adapters.vectors.questions.one_hot import one_hot_questions
from dmlc.adapters.vectors.questions.padding import padding_questions
from dmlc.adapters.vectors.questions.slice import slice1_questions, slice_questions

__all__ = ["QUESTIONS", "Draw"]

QUESTIONS: dict[str, Callable[[], Iterator[Question]]] = {
    "PADDING": padding_questions(typed_value=False),
    "PADDING1": padding_questions(typed_value=True),
    "ONE_HOT": one_hot_questions,
    "SLICE": slice_questions,
    "SLICE1": slice1_questions,
    "DIAGONAL_MATRIX": diagonal_matrix_questions,
    "DIAGONAL_MATRIX1": diagonal_matrix1_questions,
}
