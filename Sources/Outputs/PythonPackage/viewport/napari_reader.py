"""A reader for napari, which finds it by the manifest napari.yaml."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np

import viewport


class Level:
    """A resolution of an image as an array that is read when it is sliced."""

    ndim = 3
    dtype = np.dtype(np.uint8)

    def __init__(self, image: viewport.Image, step: int) -> None:
        self._image, self._step = image, step
        self._bands = {"L": 1, "RGB": 3, "RGBA": 4}[image.mode]
        self.shape = (max(1, image.height // step), max(1, image.width // step), max(3, self._bands))
        self.size = int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> np.ndarray:
        keys = key if isinstance(key, tuple) else (key,)
        if Ellipsis in keys:
            at = keys.index(Ellipsis)
            keys = keys[:at] + (slice(None),) * (4 - len(keys)) + keys[at + 1:]
        keys += (slice(None),) * (3 - len(keys))
        # Only the part between the first and the last row and column is read.
        ranges: list[Sequence[int]] = []
        for one, count in zip(keys[:2], self.shape):
            if isinstance(one, slice):
                ranges.append(range(count)[one])
            else:
                ranges.append([range(count)[int(one)]])
        lows = [min(one, default=0) for one in ranges]
        sides = [max(one, default=-1) + 1 - low for one, low in zip(ranges, lows)]
        if min(sides) < 1:
            part = np.zeros((max(0, sides[0]), max(0, sides[1]), self.shape[2]), self.dtype)
        else:
            part = self._image.region(
                lows[1] * self._step, lows[0] * self._step, sides[1] * self._step, sides[0] * self._step,
                size=(sides[1], sides[0]), mode="RGBA" if self._bands == 4 else "RGB")
        moved = tuple(
            slice(None, None, one.step) if isinstance(one, slice) else 0 for one in keys[:2])
        return part[(*moved, keys[2])]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        whole = self[:, :]
        return whole if dtype is None else whole.astype(dtype)


def levels(path: str) -> list[Level]:
    """The levels of an image, each half as large as the one before, down to 512 pixels."""
    image = viewport.open(path)
    steps = [1]
    while max(image.size) // steps[-1] > 512:
        steps.append(steps[-1] * 2)
    return [Level(image, step) for step in steps]


def get_reader(path: Any) -> Optional[Callable[[Any], list[Any]]]:
    """Returns the reader of a path; None for files that viewport does not open."""
    first = path[0] if isinstance(path, list) else path
    try:
        viewport.open(first, many=False).close()
    except viewport.Error:
        return None

    def read(paths: Any) -> list[Any]:
        paths = paths if isinstance(paths, list) else [paths]
        layers = []
        for one in paths:
            made = levels(one)
            several = len(made) > 1
            layers.append((made if several else np.asarray(made[0]), {"multiscale": several, "rgb": True}, "image"))
        return layers

    return read
