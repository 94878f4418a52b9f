"""Images: any rectangle of them, at any size, as NumPy arrays."""

from __future__ import annotations

import ctypes as c
import json
import os
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import numpy as np

from . import _library as lib
from ._slide import SlideFace

__all__ = ["Image", "index", "open"]

Rect = Sequence[float]
Size = Union[int, Sequence[int]]
#: Receives the share that is done, from 0 to 1; returns False to end the call.
ProgressFunction = Callable[[float], Optional[bool]]

_MODES = {"L": lib.GRAY, "RGB": lib.RGB, "RGBA": lib.RGBA}


def open(path: Union[str, bytes, "os.PathLike[Any]"], *, page: int = 0, many: bool = True, **options: Any) -> "Image":
    """Opens the image at a path, or at an address of the scheme https, http or s3. Reads its header only.

    Args:
        path: a path or an address.
        page: the page, frame or slide, from 0.
        many: whether many parts will be read: the first read makes the index of a JPEG or PNG. Pass False for a single
            part, which is then found by a scan down to its last row.
        options: those of `Image`.

    Raises:
        Error: with a sentence that names the file and the cause.
    """
    return Image(os.fspath(path), page=page, many=many, **options)


def index(path: Union[str, bytes, "os.PathLike[Any]"], *, progress: Optional[ProgressFunction] = None) -> int:
    """Makes the index of a JPEG or PNG, stores it in the cache of the command `viewport`, and returns its size in bytes.

    Images that are opened with `cached=True` use it.

    Args:
        path: a path or an address.
        progress: receives the share that is done; returns False to end the call.
    """
    with open(path, many=False, cached=True) as image:
        image.make_index(progress=progress)
        return len(image.save_index())


class Image(SlideFace):
    """An open image.

    Coordinates are pixels of the upright image at full resolution, from 0 at the top left. Methods may be called from
    several threads at the same time; they release the GIL while they read. Images are pickled by their path, and opened
    again in processes that are forked.

    Args:
        source: a path, an address, or the bytes of a file together with `name`.
        name: the name of the file in errors, where `source` has its bytes.
        page: the page, frame or slide, from 0.
        many: whether many parts will be read.
        threads: the threads of one read; 0 for one per processor. With 1, no other thread is used.
        oriented: whether the orientation in the metadata is applied.
        tolerant: whether a file of which a part is missing is shown, which needs libvips; `metadata["damage"]` tells what
            is missing.
        colors: "srgb" converts colors by their profile, "keep" keeps the values of samples.
        cached: whether indexes and pyramids in the cache of the command `viewport` are used.
        untrusted: whether formats are opened that libvips does not trust with hostile files.
        maximum_pixels: the most pixels that the image may have; None for the default.
        associated: the name of an image that the file has beside its pages, which is opened in its place; see
            `associated_images`.
    """

    def __init__(
        self, source: Union[str, bytes], *, name: Optional[str] = None, page: int = 0, many: bool = True,
        threads: int = 1, oriented: bool = True, tolerant: bool = False, colors: str = "srgb", cached: bool = False,
        untrusted: bool = False, maximum_pixels: Optional[int] = None, associated: Optional[str] = None,
    ) -> None:
        self._handle: Optional[c.c_void_p] = None
        if colors not in ("srgb", "keep"):
            raise lib.InvalidArgument(f'colors is {colors!r}, not "srgb" or "keep"')
        self._arguments: dict[str, Any] = dict(
            name=name, page=page, many=many, threads=threads, oriented=oriented, tolerant=tolerant, colors=colors,
            cached=cached, untrusted=untrusted, maximum_pixels=maximum_pixels, associated=associated)
        self._source = source
        self._index: Optional[bytes] = None
        self._open()

    def _open(self) -> None:
        options = self._arguments
        flags = (
            (0 if options["oriented"] else lib.AS_STORED) | (lib.TOLERANT if options["tolerant"] else 0)
            | (lib.KEEP_COLORS if options["colors"] == "keep" else 0) | (lib.MANY_PARTS if options["many"] else 0)
            | (lib.CACHED if options["cached"] else 0) | (lib.UNTRUSTED if options["untrusted"] else 0))
        opening = lib.Options(flags, options["page"], options["threads"], options["maximum_pixels"] or 0)
        handle = c.c_void_p()
        if options["name"] is None:
            path = os.fsencode(self._source)
            if b"\0" in path:
                raise lib.InvalidArgument("a path has no zero bytes")
            lib.call("viewport_open", path, opening, c.byref(handle))
        else:
            data = bytes(self._source)  # type: ignore[arg-type]
            lib.call(
                "viewport_open_bytes", data, len(data), os.fsencode(options["name"]), opening, c.byref(handle))
        if options["associated"] is not None:
            whole, handle = handle, c.c_void_p()
            try:
                lib.call("viewport_open_associated", whole, options["associated"].encode(), c.byref(handle))
            finally:
                lib.library.viewport_close(whole)
        self._handle, self._process = handle, os.getpid()
        if self._index is not None:
            lib.call("viewport_load_index", handle, self._index, len(self._index))

    @property
    def handle(self) -> c.c_void_p:
        """The image of libviewport. In a process that was forked, the image is opened again."""
        if self._handle is None:
            raise lib.InvalidArgument("the image is closed")
        if self._process != os.getpid():
            self._open()
        return self._handle

    def close(self) -> None:
        """Closes the image; no other thread may use it then."""
        handle, self._handle = self._handle, None
        # The image of another process belongs to that one.
        if handle is not None and self._process == os.getpid():
            lib.library.viewport_close(handle)

    def __enter__(self) -> "Image":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None and lib is not None:
            self.close()

    def __reduce__(self) -> Any:
        return _reopened, (self._source, self._arguments, self._index)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<viewport.Image, closed>"
        return f"<viewport.Image {self.path!r}: {self.width}x{self.height} {self.metadata['format']}>"

    # Facts

    @property
    def path(self) -> str:
        """The path or the address; the name where the image was opened from bytes."""
        return os.fsdecode(self._arguments["name"] or self._source)

    @property
    def information(self) -> lib.Information:
        """The facts of the image: sizes, orientation, pages, levels."""
        facts = lib.Information()
        status = lib.library.viewport_inform(self.handle, facts)
        if status != lib.OK:
            raise lib.error(status)
        return facts

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of the upright image in pixels."""
        facts = self.information
        return facts.width, facts.height

    @property
    def width(self) -> int:
        """The width of the upright image in pixels."""
        return self.size[0]

    @property
    def height(self) -> int:
        """The height of the upright image in pixels."""
        return self.size[1]

    @property
    def mode(self) -> str:
        """The colors of the image: "L", "RGB" or "RGBA"."""
        format = self.information.format
        return next(mode for mode, value in _MODES.items() if value == format)

    @property
    def metadata(self) -> dict[str, Any]:
        """What `viewport info --json` tells: format, levels, colors, profile, camera, date, place, damage."""
        return json.loads(_filled(lib.library.viewport_metadata, self.handle)[:-1])

    @property
    def associated_names(self) -> tuple[str, ...]:
        """The names of the images that the file has beside its pages, such as "thumbnail", "label" and "macro"."""
        names: list[str] = []
        try:
            while True:
                name = _filled(lib.library.viewport_associated_name, self.handle, len(names))
                names.append(name[:-1].decode("utf-8", "replace"))
        except lib.Outside:
            return tuple(names)

    def associated(self, name: str) -> "Image":
        """Opens an image that the file has beside its pages.

        Raises:
            Outside: where there is none of that name.
        """
        return Image(self._source, **{**self._arguments, "many": False, "associated": name})

    # Pixels

    def region(
        self, x: float, y: float, width: float, height: float, *, size: Optional[Size] = None,
        out: Optional[np.ndarray] = None, mode: str = "RGB", depth: int = 8,
        progress: Optional[ProgressFunction] = None,
    ) -> np.ndarray:
        """Renders a rectangle of the image.

        Args:
            x, y: the upper left corner. Pixels beyond the edge are transparent in "RGBA", else white.
            width, height: the size of the rectangle.
            size: the columns and rows of the result, or one number for both; None for as many as the rectangle has.
            out: an array of shape (rows, columns, bands), or (rows, columns) for "L", into which pixels are written
                without a copy. Rows may lie apart; the pixels of a row may not.
            mode: "RGB", "RGBA" with straight alpha, or "L".
            depth: 8 for uint8 or 16 for uint16.
            progress: receives the share that is done; returns False to end the call.

        Returns:
            `out`, or a new array.
        """
        shape = _shape((x, y, width, height), size)
        array = _array(shape, mode, depth, out)
        region = lib.Region(x, y, width, height, shape[1], shape[0])
        with _Reporting(progress) as reporting:
            lib.call("viewport_read", self.handle, region, _pixels(array, mode, depth), reporting)
        return array

    def regions(
        self, rects: Iterable[Rect], *, size: Optional[Size] = None, threads: int = 0, mode: str = "RGB",
        depth: int = 8, out: Optional[np.ndarray] = None, progress: Optional[ProgressFunction] = None,
    ) -> Union[np.ndarray, list[np.ndarray]]:
        """Renders rectangles (x, y, width, height) in one call.

        Args:
            rects: the rectangles.
            size: the columns and rows of all results.
            threads: the rectangles that are rendered at the same time; 0 for one per processor.
            out: an array of shape (count, rows, columns, bands), or without bands for "L".

        Returns:
            `out`, or an array of that shape; a list of arrays where the results have different sizes.
        """
        rects = [tuple(rect) for rect in rects]
        shapes = [_shape(rect, size) for rect in rects]
        if out is not None:
            if len(out) != len(rects):
                raise lib.InvalidArgument(f"out has {len(out)} arrays for {len(rects)} rectangles")
            arrays: Any = out
        elif len(set(shapes)) == 1:
            bands = () if mode == "L" else (_MODES.get(mode, 3),)
            arrays = np.empty((len(rects), *shapes[0], *bands), np.uint16 if depth == 16 else np.uint8)
        else:
            arrays = [_array(shape, mode, depth, None) for shape in shapes]
        regions = (lib.Region * len(rects))(
            *(lib.Region(*rect, shape[1], shape[0]) for rect, shape in zip(rects, shapes)))
        pixels = (lib.Pixels * len(rects))(
            *(_pixels(_array(shape, mode, depth, array), mode, depth) for shape, array in zip(shapes, arrays)))
        with _Reporting(progress) as reporting:
            lib.call("viewport_read_many", self.handle, regions, pixels, len(rects), threads, reporting, None)
        return arrays

    def thumbnail(self, size: Size = 256, *, mode: str = "RGB") -> np.ndarray:
        """Renders the whole image to fit into a box of one side or (width, height); it is not enlarged."""
        box = _pair(size)
        columns, rows = c.c_int32(), c.c_int32()
        status = lib.library.viewport_thumbnail_size(self.handle, *box, columns, rows)
        if status != lib.OK:
            raise lib.error(status, f"{self.path}: a thumbnail cannot have {box[0]} x {box[1]} pixels")
        array = _array((rows.value, columns.value), mode, 8, None)
        lib.call("viewport_read_thumbnail", self.handle, *box, _pixels(array, mode, 8))
        return array

    # Indexes

    def make_index(self, *, progress: Optional[ProgressFunction] = None) -> None:
        """Makes the index in one pass over the file, unless there is one: any part is then read directly.

        Args:
            progress: receives the share that is done; returns False to end the call.

        Raises:
            Unsupported: where the format has no index, or needs none.
            Cancelled: where `progress` has ended the call. Reads work as before.
        """
        with _Reporting(progress) as reporting:
            lib.call("viewport_make_index", self.handle, reporting)

    def save_index(self) -> bytes:
        """The index as bytes, for `load_index` with the same file.

        Raises:
            Unsupported: where there is no index yet.
        """
        return _filled(lib.library.viewport_save_index, self.handle)

    def load_index(self, saved: bytes) -> None:
        """Uses an index of the same state of the same file, also in processes that this image is sent to."""
        lib.call("viewport_load_index", self.handle, saved, len(saved))
        self._index = saved


def _reopened(source: Any, arguments: dict[str, Any], saved: Optional[bytes]) -> Image:
    image = Image(source, **arguments)
    if saved is not None:
        image.load_index(saved)
    return image


def _filled(function: Any, *arguments: Any) -> bytes:
    """What a function writes to a buffer of the size that it tells."""
    length = c.c_size_t()
    status = function(*arguments, None, 0, length)
    if status != lib.BUFFER_TOO_SMALL:
        raise lib.error(status)
    buffer = c.create_string_buffer(length.value)
    status = function(*arguments, buffer, len(buffer), length)
    if status != lib.OK:
        raise lib.error(status)
    return buffer.raw


def _pair(size: Size) -> tuple[int, int]:
    columns, rows = (size, size) if isinstance(size, (int, np.integer)) else size
    return int(columns), int(rows)


def _shape(rect: Rect, size: Optional[Size]) -> tuple[int, int]:
    """The rows and columns of a result."""
    if size is None:
        # Not Python's `round`, which rounds halves to even numbers.
        columns, rows = (max(1, int(side + 0.5)) if 0 < side < 2**31 else 0 for side in rect[2:])
    else:
        columns, rows = _pair(size)
    if columns < 1 or rows < 1:
        raise lib.InvalidArgument(f"the region {tuple(rect)} has no pixels")
    return rows, columns


def _array(shape: tuple[int, int], mode: str, depth: int, out: Optional[np.ndarray]) -> np.ndarray:
    """A new array, or the caller's if it has the shape and type."""
    if mode not in _MODES:
        raise lib.InvalidArgument(f'mode is {mode!r}, not "L", "RGB" or "RGBA"')
    if depth not in (8, 16):
        raise lib.InvalidArgument(f"depth is {depth}, not 8 or 16")
    wanted: tuple[int, ...] = shape if mode == "L" else (*shape, _MODES[mode])
    dtype = np.dtype(np.uint16 if depth == 16 else np.uint8)
    if out is None:
        return np.empty(wanted, dtype)
    pixel = dtype.itemsize * _MODES[mode]
    steps = (out.strides[1:] if out.ndim == len(wanted) else ())
    if (out.shape != wanted or out.dtype != dtype or not out.flags.writeable
            or steps != ((pixel,) if mode == "L" else (pixel, dtype.itemsize))
            or (out.shape[0] > 1 and out.strides[0] < pixel * shape[1])):
        raise lib.InvalidArgument(
            f"out has shape {out.shape}, type {out.dtype} and strides {out.strides}; a writable array of shape "
            f"{wanted} and type {dtype} without gaps between pixels is needed")
    return out


def _pixels(array: np.ndarray, mode: str, depth: int) -> lib.Pixels:
    rows, row = array.shape[0], array.shape[1] * _MODES[mode] * array.itemsize
    stride = array.strides[0] if rows > 1 else row
    return lib.Pixels(array.ctypes.data, stride * (rows - 1) + row, stride, _MODES[mode], depth)


class _Reporting:
    """Passes progress to a function, whose exceptions end the call."""

    def __init__(self, progress: Optional[ProgressFunction]) -> None:
        self._progress = progress
        self._failure: Optional[BaseException] = None

    def __enter__(self) -> Optional[lib.Progress]:
        return lib.Progress(None, lib.Report(self._report)) if self._progress else None

    def _report(self, _: Any, fraction: float) -> int:
        try:
            return int(self._progress(fraction) is False)  # type: ignore[misc]
        except BaseException as failure:
            self._failure = failure
            return 1

    def __exit__(self, *_: Any) -> None:
        if self._failure is not None:
            raise self._failure from None
