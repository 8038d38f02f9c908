"""Attention masks: each token sees itself and what came before, or only a window of that."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import dmlc

TOKENS = 6
WINDOW = 3


def print_attention(scores: npt.NDArray[np.float32]) -> None:
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    percent = 100 * weights / weights.sum(axis=-1, keepdims=True)
    print(np.round(percent).astype(int))


scores = np.random.default_rng(7).standard_normal((TOKENS, TOKENS)).astype(np.float32)

causal = dmlc.causal_mask(TOKENS)
assert np.array_equal(causal, np.triu(np.full((TOKENS, TOKENS), -np.inf, np.float32), 1))
print("causal attention, in percent:")
print_attention(scores + causal)

# The mask need not exist: fill_band writes it over the scores, here in place.
future_hidden = scores.copy()
dmlc.fill_band(future_hidden, 1, TOKENS, -np.inf, out=future_hidden)
assert np.array_equal(future_hidden, np.where(np.tri(TOKENS, dtype=bool), scores, -np.inf))

windowed = dmlc.causal_mask(TOKENS, window=WINDOW)
print(f"and within a window of {WINDOW} tokens:")
print_attention(scores + windowed)
assert ((windowed == 0).sum(axis=1) == np.minimum(np.arange(1, TOKENS + 1), WINDOW)).all()
