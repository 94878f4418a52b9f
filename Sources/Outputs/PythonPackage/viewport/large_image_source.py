"""A tile source for large_image, which finds it by its entry point."""

from __future__ import annotations

from typing import Any

from large_image.cache_util import LruCacheMetaclass, methodcache
from large_image.constants import TILE_FORMAT_NUMPY, SourcePriority
from large_image.exceptions import TileSourceError, TileSourceFileNotFoundError
from large_image.tilesource import FileTileSource

import viewport


class ViewportFileTileSource(FileTileSource, metaclass=LruCacheMetaclass):
    """Tiles of any image that viewport opens."""

    cacheName = "tilesource"
    name = "viewport"
    extensions = {
        None: SourcePriority.LOW, "jpg": SourcePriority.PREFERRED, "jpeg": SourcePriority.PREFERRED,
        "png": SourcePriority.PREFERRED, "heic": SourcePriority.PREFERRED, "webp": SourcePriority.MEDIUM,
    }

    def __init__(self, path: Any, **kwargs: Any) -> None:
        super().__init__(path, **kwargs)
        try:
            self._image = viewport.open(self._getLargeImagePath())
        except viewport.ReadFailed as error:
            raise TileSourceFileNotFoundError(str(error)) from error
        except viewport.Error as error:
            raise TileSourceError(str(error)) from error
        self.sizeX, self.sizeY = self._image.size
        self.tileWidth = self.tileHeight = 256
        self.levels = max(1, (max(self.sizeX, self.sizeY) - 1).bit_length() - 8 + 1)
        self._mode = self._image.mode

    def getNativeMagnification(self) -> dict[str, Any]:
        return {"magnification": None, "mm_x": None, "mm_y": None}

    @methodcache()
    def getTile(
        self, x: int, y: int, z: int, pilImageAllowed: bool = False, numpyAllowed: Any = False, **kwargs: Any,
    ) -> Any:
        self._xyzInRange(x, y, z)
        step = 2 ** (self.levels - 1 - z)
        left, top = x * 256 * step, y * 256 * step
        width, height = min(256 * step, self.sizeX - left), min(256 * step, self.sizeY - top)
        size = (-(-width // step), -(-height // step))
        tile = self._image.region(left, top, size[0] * step, size[1] * step, size=size, mode=self._mode)
        if tile.ndim == 2:
            tile = tile[:, :, None]
        return self._outputTile(tile, TILE_FORMAT_NUMPY, x, y, z, pilImageAllowed, numpyAllowed, **kwargs)


def open(*args: Any, **kwargs: Any) -> ViewportFileTileSource:
    """Opens a tile source, as large_image calls it."""
    return ViewportFileTileSource(*args, **kwargs)


def canRead(*args: Any, **kwargs: Any) -> bool:
    """Whether viewport opens a file."""
    return ViewportFileTileSource.canRead(*args, **kwargs)
