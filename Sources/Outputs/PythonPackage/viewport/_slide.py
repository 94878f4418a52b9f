"""OpenSlide's face of an image: what openslide.OpenSlide has, so that its DeepZoomGenerator works on images."""

from __future__ import annotations

import ctypes as c
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Sequence

from . import _library as lib

if TYPE_CHECKING:
    import PIL.Image


class _AssociatedImages(Mapping):  # type: ignore[type-arg]
    """The associated images of an image, each read when it is looked up."""

    def __init__(self, image: Any) -> None:
        self._image = image
        self._names = image.associated_names

    def __getitem__(self, name: str) -> "PIL.Image.Image":
        import PIL.Image

        if name not in self._names:
            raise KeyError(name)
        with self._image.associated(name) as found:
            return PIL.Image.fromarray(found.region(0, 0, *found.size, mode="RGBA"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<associated images {list(self._names)} of {self._image.path!r}>"


class SlideFace:
    """The attributes and methods of openslide.OpenSlide. Those that return pictures need Pillow."""

    @property
    def level_count(self) -> int:
        """The number of resolutions that can be read without decoding the others."""
        return self.information.levels  # type: ignore[attr-defined]

    @property
    def level_dimensions(self) -> tuple[tuple[int, int], ...]:
        """The width and height of each level, the largest first."""
        sizes, width, height = [], c.c_int64(), c.c_int64()
        for level in range(self.level_count):
            status = lib.library.viewport_level_size(self.handle, level, width, height)  # type: ignore[attr-defined]
            if status != lib.OK:
                raise lib.error(status)
            sizes.append((width.value, height.value))
        return tuple(sizes)

    @property
    def dimensions(self) -> tuple[int, int]:
        """The width and height of level 0."""
        return self.size  # type: ignore[attr-defined]

    @property
    def level_downsamples(self) -> tuple[float, ...]:
        """The pixels of level 0 for one of each level, along one axis."""
        width, height = self.dimensions
        return tuple((width / w + height / h) / 2 for w, h in self.level_dimensions)

    @property
    def properties(self) -> Mapping[str, str]:
        """The metadata as text, with OpenSlide's names for what it knows."""
        found = {f"viewport.{name}": str(value) for name, value in self.metadata.items()  # type: ignore[attr-defined]
                 if value is not None}
        found["openslide.vendor"] = "viewport"
        found["openslide.level-count"] = str(self.level_count)
        for level, (width, height) in enumerate(self.level_dimensions):
            found[f"openslide.level[{level}].width"] = str(width)
            found[f"openslide.level[{level}].height"] = str(height)
            found[f"openslide.level[{level}].downsample"] = str(self.level_downsamples[level])
        return found

    @property
    def associated_images(self) -> Mapping[str, "PIL.Image.Image"]:
        """The images beside the slide as RGBA, by name: "thumbnail", which cameras embed, too, "label" and "macro".

        They are read when they are looked up.
        """
        return _AssociatedImages(self)

    @property
    def color_profile(self) -> Any:
        """None: pixels are sRGB already."""
        return None

    def set_cache(self, cache: Any) -> None:
        """Does nothing: there is no cache of tiles."""

    def get_best_level_for_downsample(self, downsample: float) -> int:
        """The smallest level that has enough pixels for a downsample."""
        fitting = [level for level, step in enumerate(self.level_downsamples) if step <= downsample * (1 + 1e-6)]
        return fitting[-1] if fitting else 0

    def read_region(self, location: Sequence[int], level: int, size: Sequence[int]) -> "PIL.Image.Image":
        """Returns `size` pixels of a level as RGBA; `location` is in pixels of level 0. Pixels outside are transparent."""
        import numpy as np
        import PIL.Image

        columns, rows = size
        if not 0 <= level < self.level_count:
            raise lib.Outside(f"there is no level {level}")
        step = self.level_downsamples[level]
        if columns < 1 or rows < 1:
            raise lib.InvalidArgument(f"a region has at least one pixel, not {columns} x {rows}")
        try:
            pixels = self.region(  # type: ignore[attr-defined]
                location[0], location[1], columns * step, rows * step, size=(columns, rows), mode="RGBA")
        except lib.Outside:
            pixels = np.zeros((rows, columns, 4), np.uint8)
        return PIL.Image.fromarray(pixels)

    def get_thumbnail(self, size: Sequence[int]) -> "PIL.Image.Image":
        """Returns the whole image as RGB, as large as fits into a size."""
        import PIL.Image

        return PIL.Image.fromarray(self.thumbnail(size))  # type: ignore[attr-defined]
