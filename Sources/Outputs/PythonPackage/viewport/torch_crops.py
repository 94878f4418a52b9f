"""Random crops of images for PyTorch."""

from __future__ import annotations

import random
from typing import Any, Callable, Iterator, Optional, Sequence

import torch.utils.data

import viewport


class RandomCrops(torch.utils.data.IterableDataset):
    """Random square crops, each an array of shape (size, size, 3), or what `transform` makes of it.

    Crop number n is the same however many workers there are: worker w of k yields the crops w, w + k, w + 2k, …

    Args:
        paths: the images; those that are smaller than a crop are not used.
        size: the sides of a crop in pixels.
        count: the number of crops.
        seed: selects other crops.
        transform: called with each array, for instance `torchvision.transforms.ToTensor()`.
        kept: the images that a worker keeps open, with their indexes.
    """

    def __init__(
        self, paths: Sequence[str], size: int, count: int, seed: int = 0,
        transform: Optional[Callable[[Any], Any]] = None, kept: int = 64,
    ) -> None:
        super().__init__()
        sizes = []
        for path in paths:
            with viewport.open(path, many=False) as image:
                sizes.append((path, image.size))
        self._images = [(path, wide) for path, wide in sizes if min(wide) >= size]
        if not self._images:
            raise viewport.InvalidArgument(f"no image has {size} x {size} pixels")
        self._size, self._count, self._seed = size, count, seed
        self._transform, self._kept = transform, kept

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        worker = torch.utils.data.get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        opened: dict[str, viewport.Image] = {}
        for number in range(first, self._count, step):
            draw = random.Random(f"{self._seed} {number}")
            path, (width, height) = draw.choice(self._images)
            x, y = draw.randint(0, width - self._size), draw.randint(0, height - self._size)
            image = opened.pop(path, None) or viewport.open(path)
            # The last one is the one that was used last.
            opened[path] = image
            if len(opened) > self._kept:
                opened.pop(next(iter(opened))).close()
            crop = image.region(x, y, self._size, self._size)
            yield self._transform(crop) if self._transform else crop
