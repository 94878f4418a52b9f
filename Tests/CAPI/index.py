"""Tests the C library of the JPEG index through ctypes: index.py LIBRARY FOLDER, with the files from index.c."""

import ctypes as c
import sys
import threading

library = c.CDLL(sys.argv[1])
folder = sys.argv[2]

OK, INVALID_ARGUMENT, OUTSIDE, READ_FAILED, UNSUPPORTED, DAMAGED, STALE_INDEX, BUFFER_TOO_SMALL = range(8)
GRAY, RGB, RGBA = 1, 3, 4

Read = c.CFUNCTYPE(c.c_int64, c.c_void_p, c.c_void_p, c.c_size_t, c.c_int64)


class Source(c.Structure):
    _fields_ = [("context", c.c_void_p), ("size", c.c_int64), ("modified", c.c_int64), ("read", Read)]


class Region(c.Structure):
    _fields_ = [(name, c.c_int32) for name in ("x", "y", "width", "height", "denominator")]


class Pixels(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t), ("stride", c.c_size_t), ("format", c.c_int)]


MESSAGE = [c.c_char_p, c.c_size_t]
library.vji_open.argtypes = [c.POINTER(Source), c.POINTER(c.c_void_p), *MESSAGE]
library.vji_open_path.argtypes = [c.c_char_p, c.POINTER(c.c_void_p), *MESSAGE]
library.vji_load.argtypes = [c.POINTER(Source), c.c_char_p, c.c_size_t, c.POINTER(c.c_void_p), *MESSAGE]
library.vji_size.argtypes = [c.c_void_p, c.c_int32, c.POINTER(c.c_int32), c.POINTER(c.c_int32)]
library.vji_read_region.argtypes = [c.c_void_p, c.POINTER(Region), c.POINTER(Pixels), *MESSAGE]
library.vji_save.argtypes = [c.c_void_p, c.c_char_p, c.c_size_t, c.POINTER(c.c_size_t)]
library.vji_close.argtypes = [c.c_void_p]
library.vji_close.restype = None
library.vji_status_name.restype = c.c_char_p


class IndexError_(Exception):
    def __init__(self, status, message):
        super().__init__(f"{library.vji_status_name(status).decode()}: {message}")
        self.status = status


class Index:
    """An index of a file object, or of bytes that were saved for it."""

    def __init__(self, file, saved=None):
        self.file, self.lock = file, threading.Lock()
        size = file.seek(0, 2)

        def read(_, buffer, length, offset):
            try:
                with self.lock:
                    self.file.seek(offset)
                    data = self.file.read(length)
                c.memmove(buffer, data, len(data))
                return len(data)
            except Exception:
                return -1

        # Referenced as long as the library may call it.
        self.read = Read(read)
        self.source = Source(None, size, 0, self.read)
        self.handle = c.c_void_p()
        if saved is None:
            self.call(library.vji_open, self.source, c.byref(self.handle))
        else:
            self.call(library.vji_load, self.source, saved, len(saved), c.byref(self.handle))

    @staticmethod
    def call(function, *arguments):
        message = c.create_string_buffer(256)
        status = function(*arguments, message, len(message))
        if status != OK:
            raise IndexError_(status, message.value.decode())

    def size(self, denominator=1):
        width, height = c.c_int32(), c.c_int32()
        assert library.vji_size(self.handle, denominator, width, height) == OK
        return width.value, height.value

    def region(self, x, y, width, height, denominator=1, format=RGB):
        buffer = c.create_string_buffer(width * height * format)
        pixels = Pixels(c.addressof(buffer), len(buffer), width * format, format)
        self.call(library.vji_read_region, self.handle, Region(x, y, width, height, denominator), pixels)
        return buffer.raw

    def saved(self):
        length = c.c_size_t()
        assert library.vji_save(self.handle, None, 0, length) == BUFFER_TOO_SMALL
        buffer = c.create_string_buffer(length.value)
        assert library.vji_save(self.handle, buffer, len(buffer), length) == OK
        return buffer.raw

    def close(self):
        library.vji_close(self.handle)
        self.handle = None


def status(function, *arguments):
    try:
        function(*arguments)
    except IndexError_ as error:
        return error.status
    return OK


def expected(x, y, width, height):
    return b"".join(whole[((y + row) * 640 + x) * 3 : ((y + row) * 640 + x + width) * 3] for row in range(height))


with open(f"{folder}/photo.rgb", "rb") as file:
    whole = file.read()
path = f"{folder}/photo.jpg"

index = Index(open(path, "rb"))
assert index.size() == (640, 480) and index.size(8) == (80, 60)
assert index.region(0, 0, 640, 480) == whole
for rect in [(0, 0, 1, 1), (639, 479, 1, 1), (100, 33, 301, 200), (17, 400, 623, 80)]:
    assert index.region(*rect) == expected(*rect), rect
rgba = index.region(100, 100, 50, 40, 1, RGBA)
assert rgba[3::4] == b"\xff" * 2000 and rgba[::4] == expected(100, 100, 50, 40)[::3]

saved = index.saved()
index.close()
index = Index(open(path, "rb"), saved)
assert index.region(300, 200, 100, 100) == expected(300, 200, 100, 100)

# Two threads with one index.
failures = []


def work(seed):
    for number in range(40):
        rect = ((seed + 37 * number) % 500, (seed + 53 * number) % 400, 60 + number, 40 + number)
        if index.region(*rect) != expected(*rect):
            failures.append(rect)


threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 99)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures

# Errors as status codes.
assert status(index.region, 600, 0, 41, 1) == OUTSIDE
assert status(index.region, -1, 0, 1, 1) == OUTSIDE
assert status(index.region, 0, 0, 1, 1, 3) == INVALID_ARGUMENT
assert status(index.region, 0, 0, 1, 1, 1, 2) == INVALID_ARGUMENT
index.file.close()
assert status(index.region, 0, 0, 1, 1) == READ_FAILED
index.close()
assert status(Index, open(f"{folder}/photo.rgb", "rb")) == UNSUPPORTED
assert status(Index, open(f"{folder}/photo.rgb", "rb"), saved) == UNSUPPORTED
assert status(Index, open(path, "rb"), saved[:-1]) == STALE_INDEX
handle = c.c_void_p(1)
assert library.vji_open_path(b"/does/not/exist.jpg", handle, None, 0) == READ_FAILED and not handle.value
