"""Images and captions of every size, batched by a DataLoader's workers, with masks and labels padded as they want it."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

import dmlc.torch


class Captions(torch.utils.data.Dataset):
    """Made-up photographs, each with the ids of its words and what to predict."""

    def __len__(self) -> int:
        return 10

    def __getitem__(self, i: int) -> dict:
        random = np.random.default_rng(i)
        height, width = random.integers(40, 64, 2)
        photograph = random.integers(0, 256, (height, width, 3), np.uint8)
        words = torch.from_numpy(random.integers(1, 1000, random.integers(3, 9)))
        return {
            # Views, which cost nothing here: mirrored, and the channels first.
            "image": photograph[:, ::-1].transpose(2, 0, 1),
            "words": words,
            "labels": words[1:],
            "name": f"photograph {i}",
        }


collate = partial(
    dmlc.torch.collate,
    return_mask=True,
    fields={
        "image": partial(
            dmlc.torch.collate, shape=(3, 48, 48), mode="reflect", align="center"
        ),
        "labels": partial(
            dmlc.torch.collate, value=-100
        ),  # which PyTorch's losses ignore
    },
)


def main() -> None:
    dataset = Captions()
    loader = torch.utils.data.DataLoader(
        dataset,
        batch_size=4,
        collate_fn=collate,
        num_workers=2,
        multiprocessing_context="spawn",
    )
    first = 0
    for batch in loader:
        words, mask = batch["words"]
        samples = [dataset[first + i] for i in range(len(words))]
        print(
            f"images {tuple(batch['image'].shape)}, words {tuple(words.shape)} of which "
            f"{int(mask.sum())} are there, in shared memory: {batch['image'].is_shared()}"
        )
        assert batch["name"] == [sample["name"] for sample in samples]
        for i, sample in enumerate(samples):
            assert torch.equal(words[i][mask[i]], sample["words"])
            assert not words[i][~mask[i]].any()
            labels = batch["labels"][i]
            assert torch.equal(labels[: len(sample["labels"])], sample["labels"])
            assert (labels[len(sample["labels"]) :] == -100).all()
            # What NumPy makes of one image: pad or crop around its centre.
            image = sample["image"]
            for axis, size in ((1, 48), (2, 48)):
                room = size - image.shape[axis]
                pairs = [(0, 0)] * 3
                pairs[axis] = (max(room, 0) // 2, max(room, 0) - max(room, 0) // 2)
                start = max(-room, 0) // 2
                cut = [slice(None)] * 3
                cut[axis] = slice(start, start + min(size, image.shape[axis]))
                image = np.pad(image[tuple(cut)], pairs, mode="reflect")
            assert np.array_equal(batch["image"][i].numpy(), image)
        first += len(words)
    assert first == len(dataset)
    print(f"{first} samples: every batch is what NumPy makes of them one by one")


if __name__ == "__main__":
    main()
