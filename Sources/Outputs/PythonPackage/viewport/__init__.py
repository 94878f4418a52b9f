"""Any rectangle of an image of any size and format, at any size, as a NumPy array.

>>> import viewport
>>> with viewport.open("big.jpg") as image:
...     crop = image.region(4000, 3000, 512, 512)
...     small = image.thumbnail(256)
"""

from ._image import Image, index, open
from ._library import (
    Cancelled, Changed, Damaged, Error, Forked, InvalidArgument, LibraryMissing, Outside, ReadFailed, StaleIndex,
    TooLarge, Unavailable, Unsupported, WriteFailed, library,
)


def __getattr__(name: str) -> object:
    # Importing PyTorch, if it is there, takes seconds: only who uses the data sets waits for it.
    if name in ("GridCrops", "RandomCrops"):
        from . import crops

        return getattr(crops, name)
    raise AttributeError(f"module 'viewport' has no attribute {name!r}")


__version__: str = library.viewport_version().decode()

__all__ = [
    "Cancelled", "Changed", "Damaged", "Error", "Forked", "GridCrops", "Image", "InvalidArgument", "LibraryMissing", "Outside",
    "RandomCrops", "ReadFailed", "StaleIndex", "TooLarge", "Unavailable", "Unsupported", "WriteFailed", "index", "open",
]
