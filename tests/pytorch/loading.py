"""A dataset and a ``collate_fn`` that worker processes can import."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]

import dmlc.torch


class Ragged(torch.utils.data.Dataset):  # type: ignore[misc]
    """Samples of every size, each from its number alone."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, i: int) -> Any:
        values = np.arange(3 * (i + 1), dtype=np.float32).reshape(3, i + 1)
        return {"image": values[:, ::-1], "ids": torch.arange(i), "name": str(i), "process": i}


def process_and_threads(values: Any) -> Any:
    """What a worker tells of itself."""
    return [os.getpid(), torch.get_num_threads()]


COLLATE = partial(
    dmlc.torch.collate, value=-1, return_mask=True, fields={"process": process_and_threads}
)


def collate_and_tell(samples: Any) -> Any:
    """Collate, and say in the worker whether the batch is shared before it is sent."""
    batch = COLLATE(samples)
    return {**batch, "shared": batch["image"][0].is_shared()}
