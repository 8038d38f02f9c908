"""Token batches
=============

Sentences have different lengths, a batch has one. ``dmlc.pad_sequence`` pads token ids on the right or
on the left and returns the mask that says which are real; ``dmlc.collate`` does the same for arrays that
are ragged along more than one axis.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

import dmlc

PAD = 0
sentences = ["the cat sat", "on the mat", "and it purred all day long"]

vocabulary = {
    word: i + 1 for i, word in enumerate(sorted({*" ".join(sentences).split()}))
}
ids = [
    np.array([vocabulary[word] for word in text.split()], dtype=np.int64)
    for text in sentences
]

# %%
# To the right, and to a length that is a multiple of 4, as some hardware likes it.

batch, mask = dmlc.pad_sequence(ids, value=PAD, multiple_of=4, return_mask=True)
print(f"right padding to a multiple of 4: {batch.shape}, {int(mask.sum())} tokens")
print(batch)

# %%
# The same by hand.

expected = np.full((len(ids), 8), PAD, dtype=np.int64)
for row, tokens in zip(expected, ids, strict=True):
    row[: tokens.size] = tokens
assert np.array_equal(batch, expected)
assert [int(row.sum()) for row in mask] == [tokens.size for tokens in ids]

# %%
# A decoder that goes on writing wants its last tokens side by side.

left = dmlc.pad_sequence(ids, side="left", value=PAD)
print("left padding:")
print(left)
for row, tokens in zip(left, ids, strict=True):
    assert np.array_equal(row[left.shape[1] - tokens.size :], tokens)

# %%
# Ragged twice: in how many tokens there are, and in how many features a token has.

pairs = [np.ones((tokens.size, 1 + i), np.float32) for i, tokens in enumerate(ids)]
features, real = dmlc.collate(pairs, shape=(6, 3), align="end", return_mask=True)
print(
    f"features of {', '.join(str(pair.shape) for pair in pairs)}: one batch of {features.shape}"
)
assert np.array_equal(features, real.astype(np.float32))
assert [int(mask.sum()) for mask in real] == [pair.size for pair in pairs]

# %%
# The picture: both batches with their words. Padding is grey.

words = {number: word for word, number in vocabulary.items()}
figure, places = plt.subplots(2, 1, figsize=(7.5, 3.6), layout="constrained")
for axes, rows, title in zip(
    places, (batch, left), ("right, to a multiple of 4", "left")
):
    axes.imshow(rows != PAD, cmap="Blues", vmin=-0.1, vmax=2.5, aspect="auto")
    for (y, x), number in np.ndenumerate(rows):
        word = words.get(number, "·")
        axes.text(
            x, y, word, ha="center", va="center", color="black" if number else "gray"
        )
    axes.set(title=title, xticks=[], yticks=[], xlim=(-0.5, batch.shape[1] - 0.5))
    axes.set_frame_on(False)
plt.show()
