"""Crops of images for training and inference, as data sets that PyTorch's DataLoader and webdataset's pipelines take.

Without PyTorch they are plain iterables.
"""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Iterator, NamedTuple, Optional, Sequence

import viewport

try:
    from torch.utils.data import IterableDataset as _Iterable
    from torch.utils.data import get_worker_info as _worker_info
except ImportError:
    _Iterable = object  # type: ignore[assignment,misc]

    def _worker_info() -> Any:
        return None


_MASK = (1 << 64) - 1
# The command `viewport crops` looks at as many places.
_ATTEMPTS = 64


class _Random:
    """The random numbers of `viewport crops`: SplitMix64, with a stream for each number."""

    def __init__(self, seed: int, stream: int) -> None:
        self._state = seed & _MASK
        self._state = (self.next() + stream) & _MASK
        self._state = self.next()

    def next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        bits = self._state
        bits = ((bits ^ bits >> 30) * 0xBF58476D1CE4E5B9) & _MASK
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & _MASK
        return bits ^ bits >> 31

    def below(self, bound: int) -> int:
        return self.next() * bound >> 64


def _shuffled(index: int, count: int, seed: int, stream: int) -> int:
    """A number below `count` for each index below it, each once: a Feistel network with cycle walking."""
    half = (count.bit_length() + 1) // 2
    mask = (1 << half) - 1
    random = _Random(seed, stream)
    keys = [random.next() for _ in range(4)]
    number = index % count
    while True:
        left, right = number >> half, number & mask
        for key in keys:
            left, right = right, left ^ (_Random(key, right).next() & mask)
        number = left << half | right
        if number < count:
            return number


class _Opened:
    """The images that were used last, with their indexes."""

    def __init__(self, kept: int) -> None:
        self._kept, self._images = kept, dict[str, viewport.Image]()

    def image(self, path: str) -> viewport.Image:
        image = self._images.pop(path, None) or viewport.open(path)
        # The last one is the one that was used last.
        self._images[path] = image
        if len(self._images) > self._kept:
            self._images.pop(next(iter(self._images))).close()
        return image

    def close(self) -> None:
        for image in self._images.values():
            image.close()
        self._images.clear()


class _Crops(_Iterable):  # type: ignore[valid-type,misc]
    def __init__(
        self, paths: Sequence[str], size: int, transform: Optional[Callable[[Any], Any]], kept: int
    ) -> None:
        super().__init__()
        self._size, self._transform, self._kept = size, transform, kept
        self._images = []
        for path in paths:
            with viewport.open(path, many=False) as image:
                self._images.append((path, image.size))

    def _formed(self, crop: Any) -> Any:
        return self._transform(crop) if self._transform else crop

    @staticmethod
    def _share() -> tuple[int, int]:
        worker = _worker_info()
        return (worker.id, worker.num_workers) if worker else (0, 1)


class RandomCrops(_Crops):
    """Random square crops, each an array of shape (size, size, 3), or what `transform` makes of it.

    They are those that `viewport crops --size SIZE --count COUNT --seed SEED` writes of the same list of images: each image has as
    many as the others, and no place comes twice. Crop number n is the same however many workers there are: worker w of k yields the
    crops w, w + k, w + 2k, …

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
        super().__init__(paths, size, transform, kept)
        if not any(min(wide) >= size for _, wide in self._images):
            raise viewport.InvalidArgument(f"no image has {size} x {size} pixels")
        self._count, self._seed = count, seed

    def __len__(self) -> int:
        return self._count

    def _place(self, number: int) -> Optional[tuple[str, int, int]]:
        many = len(self._images)
        rounds = (self._count + many - 1) // many
        for attempt in range(_ATTEMPTS):
            if attempt == 0:
                index = _shuffled(number % many, many, self._seed, number // many)
                turn = number // many
            else:
                index = _Random(self._seed + attempt, number).below(many)
                turn = rounds + (attempt - 1) * self._count + number
            path, (width, height) = self._images[index]
            across, down = width - self._size + 1, height - self._size + 1
            if across < 1 or down < 1:
                continue
            place = _shuffled(turn, across * down, ~self._seed & _MASK, index)
            return path, place % across, place // across
        return None

    def __iter__(self) -> Iterator[Any]:
        first, step = self._share()
        opened = _Opened(self._kept)
        try:
            for number in range(first, self._count, step):
                place = self._place(number)
                if place:
                    path, x, y = place
                    yield self._formed(opened.image(path).region(x, y, self._size, self._size))
        finally:
            opened.close()


class Tile(NamedTuple):
    """Where a crop of a grid lies."""

    #: The number of the image in the list.
    image: int
    #: The left column and the upper row.
    x: int
    y: int
    #: Its number among the tiles of all images, for the names of files that `viewport stitch` joins.
    number: int = 0


class GridCrops(_Crops):
    """All tiles of images, row by row, each with its place: (array, Tile).

    Tiles overlap, and the last ones of a row or column end at the edge of the image, so that all are whole; an image that is smaller
    than a tile is filled up with white.

    Args:
        paths: the images.
        size: the sides of a tile in pixels.
        overlap: the pixels that neighbors share at least.
        transform: called with each array.
        kept: the images that a worker keeps open, with their indexes.
    """

    def __init__(
        self, paths: Sequence[str], size: int, overlap: int = 0,
        transform: Optional[Callable[[Any], Any]] = None, kept: int = 4,
    ) -> None:
        super().__init__(paths, size, transform, kept)
        if not 0 <= overlap < size:
            raise viewport.InvalidArgument(f"an overlap of {overlap} pixels: tiles of {size} share less than all")
        self._overlap = overlap
        places = (
            (image, x, y)
            for image, (_, (width, height)) in enumerate(self._images)
            for y in self._starts(height)
            for x in self._starts(width)
        )
        self._tiles = [Tile(*place, number) for number, place in enumerate(places)]

    def _starts(self, length: int) -> list[int]:
        last = max(length - self._size, 0)
        return [*range(0, last, self._size - self._overlap), last]

    def __len__(self) -> int:
        return len(self._tiles)

    def __iter__(self) -> Iterator[Any]:
        first, step = self._share()
        opened = _Opened(self._kept)
        try:
            for tile in self._tiles[first::step]:
                image = opened.image(self._images[tile.image][0])
                yield self._formed(image.region(tile.x, tile.y, self._size, self._size)), tile
        finally:
            opened.close()

    def save(self, path: str) -> None:
        """Writes the description of the grid, by which `viewport stitch` joins files of the tiles: "12.npy" is that of number 12.

        Pictures that are joined by it may be larger than memory.
        """
        images, first = [], 0
        for name, (width, height) in self._images:
            columns, rows = len(self._starts(width)), len(self._starts(height))
            images.append({"path": os.fspath(name), "size": [width, height], "first": first, "columns": columns, "rows": rows})
            first += columns * rows
        grid = {"recipe": "", "size": [self._size, self._size], "overlap": self._overlap, "count": first, "images": images}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(grid, file)

    def weights(self) -> Any:
        """How much each pixel of a tile counts where tiles overlap: an array of shape (size, size), 1 in its middle."""
        import numpy

        slope = (numpy.arange(self._size) + 1) / (self._overlap + 1)
        edge = numpy.minimum(1, numpy.minimum(slope, slope[::-1])).astype(numpy.float32)
        return edge[:, None] * edge[None, :]

    def join(self, image: int, tiles: Sequence[tuple[Any, Tile]]) -> Any:
        """Joins what a model has made of all tiles of an image, without seams: arrays of shape (size, size, …), as float32.

        Args:
            image: the number of the image in the list.
            tiles: the arrays with their tiles, in any order; those of other images are passed over.
        """
        import numpy

        width, height = self._images[image][1]
        weights = self.weights()
        total = sums = None
        for array, tile in tiles:
            if tile.image != image:
                continue
            array = numpy.asarray(array, dtype=numpy.float32)
            if sums is None:
                sums = numpy.zeros((height, width) + array.shape[2:], numpy.float32)
                total = numpy.zeros((height, width), numpy.float32)
            down, across = min(self._size, height - tile.y), min(self._size, width - tile.x)
            part = weights[:down, :across]
            place = slice(tile.y, tile.y + down), slice(tile.x, tile.x + across)
            sums[place] += array[:down, :across] * part.reshape(part.shape + (1,) * (array.ndim - 2))
            total[place] += part
        if sums is None or not total.all():
            raise viewport.InvalidArgument(f"tiles of image {image} are missing")
        return sums / total.reshape(total.shape + (1,) * (sums.ndim - 2))
