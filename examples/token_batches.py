"""Sentences of different lengths as one batch of token ids, padded left or right, with its mask."""

from __future__ import annotations

import numpy as np

import dmlc

PAD = 0
sentences = ["the cat sat", "on the mat", "and it purred all day long"]

vocabulary = {word: i + 1 for i, word in enumerate(sorted({*" ".join(sentences).split()}))}
ids = [np.array([vocabulary[word] for word in text.split()], dtype=np.int64) for text in sentences]

batch, mask = dmlc.pad_sequence(ids, value=PAD, multiple_of=4, return_mask=True)
print(f"right padding to a multiple of 4: {batch.shape}, {int(mask.sum())} tokens")
print(batch)

# The same by hand.
expected = np.full((len(ids), 8), PAD, dtype=np.int64)
for row, tokens in zip(expected, ids, strict=True):
    row[: tokens.size] = tokens
assert np.array_equal(batch, expected)
assert [int(row.sum()) for row in mask] == [tokens.size for tokens in ids]

# A decoder that goes on writing wants its last tokens side by side.
left = dmlc.pad_sequence(ids, side="left", value=PAD)
print("left padding:")
print(left)
for row, tokens in zip(left, ids, strict=True):
    assert np.array_equal(row[left.shape[1] - tokens.size :], tokens)

# Ragged twice: in how many tokens there are, and in how many features a token has.
pairs = [np.ones((tokens.size, 1 + i), np.float32) for i, tokens in enumerate(ids)]
features, real = dmlc.collate(pairs, shape=(6, 3), align="end", return_mask=True)
print(f"features of {', '.join(str(pair.shape) for pair in pairs)}: one batch of {features.shape}")
assert np.array_equal(features, real.astype(np.float32))
assert [int(mask.sum()) for mask in real] == [pair.size for pair in pairs]
