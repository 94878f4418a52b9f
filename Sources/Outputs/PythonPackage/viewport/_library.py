"""The functions of libviewport through ctypes, and its errors as exceptions."""

from __future__ import annotations

import ctypes as c
import os
import sys
from typing import Any

__all__ = ["Error", "call", "library"]

GRAY, RGB, RGBA = 1, 3, 4
AS_STORED, TOLERANT, KEEP_COLORS, MANY_PARTS, CACHED, UNTRUSTED = 1, 2, 4, 8, 16, 32
OK, OUTSIDE, BUFFER_TOO_SMALL = 0, 2, 7

Report = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_double)


class Options(c.Structure):
    _fields_ = [("flags", c.c_uint32), ("page", c.c_int32), ("threads", c.c_int32), ("maximum_pixels", c.c_int64)]


class Progress(c.Structure):
    _fields_ = [("context", c.c_void_p), ("report", Report)]


class Region(c.Structure):
    _fields_ = [(name, c.c_double) for name in ("x", "y", "width", "height")] + [
        ("columns", c.c_int32), ("rows", c.c_int32)]


class Pixels(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t), ("stride", c.c_size_t), ("format", c.c_int),
                ("depth", c.c_int32)]


class Information(c.Structure):
    _fields_ = [(name, c.c_int64) for name in ("width", "height", "stored_width", "stored_height")] + [
        (name, c.c_int32) for name in ("orientation", "pages", "page", "levels")] + [
        ("format", c.c_int), ("is_indexable", c.c_int32)]


class Error(Exception):
    """Why an image cannot be opened or read: one sentence that names the file and the cause.

    Subclasses are also the exceptions that Python has for the cause: `OSError`, `ValueError` and `MemoryError`.
    """

    #: The name of the status in `viewport.h`, such as "VIEWPORT_DAMAGED".
    status: str = ""


class InvalidArgument(Error, ValueError):
    """An argument is not allowed."""


class Outside(Error, ValueError):
    """The region lies outside of the image, or there is no such page."""


class ReadFailed(Error, OSError):
    """The file is missing or cannot be read."""


class Unsupported(Error):
    """No reader knows the format, or the file does not allow what is asked for."""


class Damaged(Error):
    """The file is damaged or incomplete."""


class StaleIndex(Error):
    """The saved index belongs to another file or another state of the file."""


class Changed(Error, OSError):
    """The file was written while it was read."""


class Unavailable(Error, OSError):
    """A server does not answer or is busy."""


class TooLarge(Error, MemoryError):
    """The image or the result needs more memory than is allowed."""


class Cancelled(Error):
    """The progress function has ended the call."""


class LibraryMissing(Error):
    """The format needs libvips, which is not installed: on Debian, `apt install libvips42`."""


class WriteFailed(Error, OSError):
    """The index cannot be written to the cache."""


class Forked(Error, RuntimeError):
    """libvips was started before this process was forked: use the start method "spawn"."""


_ERRORS: dict[int, type[Error]] = {
    1: InvalidArgument, 2: Outside, 3: ReadFailed, 4: Unsupported, 5: Damaged, 6: StaleIndex, 8: Changed,
    9: Unavailable, 10: TooLarge, 11: Cancelled, 12: LibraryMissing, 13: WriteFailed, 14: Forked,
}


def _load() -> c.CDLL:
    """Loads the library of the package, or the one that VIEWPORT_LIBRARY names, or that of the system."""
    name = os.environ.get("VIEWPORT_LIBRARY")
    if name:
        return c.CDLL(name)
    folder = os.path.dirname(os.path.abspath(__file__))
    bundled = os.path.join(folder, "libviewport.so.0")
    if not os.path.exists(bundled):
        return c.CDLL("libviewport.dylib" if sys.platform == "darwin" else "libviewport.so.0")
    # libvips and this library must use the same GObject: that of the system, if it has one.
    try:
        c.CDLL("libgobject-2.0.so.0")
    except OSError:
        for needed in ("libpcre2-8.so.0", "libffi.so.8", "libglib-2.0.so.0", "libgobject-2.0.so.0"):
            c.CDLL(os.path.join(folder, "glib", needed))
    return c.CDLL(bundled)


library = _load()

_MESSAGE = [c.c_char_p, c.c_size_t]
_SIGNATURES: dict[str, list[Any]] = {
    "viewport_open": [c.c_char_p, c.POINTER(Options), c.POINTER(c.c_void_p), *_MESSAGE],
    "viewport_open_bytes": [
        c.c_char_p, c.c_size_t, c.c_char_p, c.POINTER(Options), c.POINTER(c.c_void_p), *_MESSAGE],
    "viewport_inform": [c.c_void_p, c.POINTER(Information)],
    "viewport_level_size": [c.c_void_p, c.c_int32, c.POINTER(c.c_int64), c.POINTER(c.c_int64)],
    "viewport_metadata": [c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_size_t)],
    "viewport_read": [c.c_void_p, c.POINTER(Region), c.POINTER(Pixels), c.POINTER(Progress), *_MESSAGE],
    "viewport_read_many": [
        c.c_void_p, c.POINTER(Region), c.POINTER(Pixels), c.c_size_t, c.c_int32, c.POINTER(Progress),
        c.POINTER(c.c_size_t), *_MESSAGE],
    "viewport_thumbnail_size": [c.c_void_p, c.c_int32, c.c_int32, c.POINTER(c.c_int32), c.POINTER(c.c_int32)],
    "viewport_read_thumbnail": [c.c_void_p, c.c_int32, c.c_int32, c.POINTER(Pixels), *_MESSAGE],
    "viewport_associated_name": [c.c_void_p, c.c_int32, c.c_char_p, c.c_size_t, c.POINTER(c.c_size_t)],
    "viewport_open_associated": [c.c_void_p, c.c_char_p, c.POINTER(c.c_void_p), *_MESSAGE],
    "viewport_make_index": [c.c_void_p, c.POINTER(Progress), *_MESSAGE],
    "viewport_save_index": [c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_size_t)],
    "viewport_load_index": [c.c_void_p, c.c_char_p, c.c_size_t, *_MESSAGE],
    "viewport_close": [c.c_void_p],
    "viewport_status_name": [c.c_int],
}
for _name, _arguments in _SIGNATURES.items():
    getattr(library, _name).argtypes = _arguments
library.viewport_close.restype = None
library.viewport_status_name.restype = library.viewport_version.restype = c.c_char_p


def call(name: str, *arguments: Any) -> None:
    """Calls a function that takes a buffer for a message, without the GIL; raises its sentence as an `Error`."""
    message = c.create_string_buffer(1000)
    status = getattr(library, name)(*arguments, message, len(message))
    if status != OK:
        raise error(status, message.value.decode("utf-8", "replace"))


def error(status: int, sentence: str = "") -> Error:
    """The exception of a status."""
    name = library.viewport_status_name(status).decode()
    made = _ERRORS.get(status, Error)(sentence or name)
    made.status = name
    return made
