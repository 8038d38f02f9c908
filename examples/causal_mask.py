"""Attention masks
===============

In a language model each token attends to itself and to what came before, or only to a window of
that. The mask is a matrix: 0 where a token may look, minus infinity where it may not. It is added to
the scores before they become weights. ``dmlc.causal_mask`` writes it in one pass.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

import dmlc

TOKENS = 6
WINDOW = 3


def attention(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The softmax of each row: weights that add up to 1."""
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


scores = np.random.default_rng(7).standard_normal((TOKENS, TOKENS)).astype(np.float32)

# %%
# Each token sees itself and all before it.

causal = dmlc.causal_mask(TOKENS)
assert np.array_equal(
    causal, np.triu(np.full((TOKENS, TOKENS), -np.inf, np.float32), 1)
)
print("causal attention, in percent:")
print(np.round(100 * attention(scores + causal)).astype(int))

# %%
# The mask need not exist: ``dmlc.fill_band`` writes minus infinity over the scores themselves, on the
# diagonals above the main one.

future_hidden = scores.copy()
dmlc.fill_band(future_hidden, 1, TOKENS, -np.inf, out=future_hidden)
assert np.array_equal(
    future_hidden, np.where(np.tri(TOKENS, dtype=bool), scores, -np.inf)
)

# %%
# With a window, each token sees so many at most, itself included.

windowed = dmlc.causal_mask(TOKENS, window=WINDOW)
assert (
    (windowed == 0).sum(axis=1) == np.minimum(np.arange(1, TOKENS + 1), WINDOW)
).all()
print(f"and within a window of {WINDOW} tokens:")
print(np.round(100 * attention(scores + windowed)).astype(int))

# %%
# With fewer queries than keys, the last query sees the last key: a model that has the keys of
# earlier tokens in a cache asks for the newest ones alone.

newest = dmlc.causal_mask(2, TOKENS)
assert np.array_equal(newest, causal[-2:])
print(f"the two newest of {TOKENS} tokens: a mask of {newest.shape}")

# %%
# The picture: above what each token may see, below its weights.

masks = {"causal": causal, f"window of {WINDOW}": windowed, "two newest": newest}
figure, places = plt.subplots(2, 3, figsize=(7.5, 5), layout="constrained")
for (above, below), (name, mask) in zip(places.T, masks.items()):
    above.imshow(np.isfinite(mask), cmap="Blues", vmin=0, vmax=1.6)
    above.set_title(name)
    below.set_title("its weights")
    below.imshow(attention(scores[-len(mask) :] + mask), cmap="Blues", vmin=0, vmax=1)
    for axes in (above, below):
        axes.set(xticks=range(TOKENS), yticks=range(len(mask)))
        axes.set(xlabel="key", ylabel="query")
plt.show()
