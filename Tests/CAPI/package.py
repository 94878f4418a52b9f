"""Tests the Python package viewport: package.py FOLDER, with NumPy and Pillow; with openslide-python if it is installed."""

import io
import json
import multiprocessing
import os
import pickle
import struct
import sys
import threading

import numpy as np
import PIL.Image
import PIL.TiffImagePlugin

import viewport

folder = sys.argv[1]
random = np.random.default_rng(7)


def refused(kind, body, *words):
    try:
        body()
    except kind as error:
        assert isinstance(error, viewport.Error) and all(word in str(error) for word in words), repr(error)
        return error
    raise AssertionError(f"no {kind.__name__}")


def made(width, height, bands=3):
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x / 2 + y / 3, x / 3 + y / 5, (x + y) / 4, x * 0 + 128][:bands], axis=-1)
    return (base + random.integers(0, 40, base.shape)).clip(0, 255).astype(np.uint8)


def saved(name, pixels, **options):
    path = os.path.join(folder, name)
    PIL.Image.fromarray(pixels.squeeze()).save(path, **options)
    return path


def decoded(path):
    return np.asarray(PIL.Image.open(path))


def parts(width, height, count=12):
    for _ in range(count):
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        yield x, y, 1 + int(random.integers(0, width - x)), 1 + int(random.integers(0, height - y))


def child(image, queue):
    """In a worker: by fork it inherits the image, by spawn it is pickled."""
    try:
        queue.put(image.region(10, 20, 64, 48).tobytes())
    except viewport.Error as error:
        queue.put(error)


def worked(method, image):
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=child, args=(image, queue))
    process.start()
    result = queue.get(timeout=60)
    process.join()
    return result


def test_formats():
    photo = made(700, 500)
    files = [
        saved("base.jpg", photo, quality=90), saved("gray.jpg", photo[:, :, :1], quality=90),
        saved("progressive.jpg", photo, quality=90, progressive=True), saved("rgb.png", photo),
        saved("rgba.png", made(300, 200, 4)), saved("one.jpg", photo[:1, :1]), saved("one.png", photo[:1, :1]),
    ]
    for path in files:
        expected = decoded(path)
        mode = PIL.Image.open(path).mode
        for many in (False, True):
            with viewport.open(path, many=many) as image:
                height, width = expected.shape[:2]
                assert image.size == (width, height) and image.mode == mode, (path, image.size, image.mode)
                for x, y, w, h in parts(width, height):
                    part = image.region(x, y, w, h, mode=mode)
                    assert (part == expected[y : y + h, x : x + w]).all(), (path, x, y, w, h)
    return photo


def test_orientation(photo):
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    path = saved("turned.jpg", photo, quality=90, exif=exif)
    turned = np.asarray(PIL.Image.open(path).transpose(PIL.Image.Transpose.ROTATE_270))
    with viewport.open(path) as image, viewport.open(path, oriented=False) as stored:
        assert image.size == (500, 700) and stored.size == (700, 500)
        assert (image.region(30, 40, 100, 80) == turned[40:120, 30:130]).all()
        assert (stored.region(0, 0, 700, 500) == decoded(path)).all()
        assert image.metadata["orientation"] == 6 and image.level_dimensions[1] == (250, 350)


def test_buffers():
    path = os.path.join(folder, "base.jpg")
    expected = decoded(path)
    with viewport.open(path) as image:
        out = np.zeros((100, 90, 3), np.uint8)
        assert image.region(5, 6, 90, 100, out=out) is out and (out == expected[6:106, 5:95]).all()
        # A view of a larger array; what is around it stays.
        large = np.full((120, 110, 3), 7, np.uint8)
        image.region(5, 6, 90, 100, out=large[10:110, 10:100])
        assert (large[10:110, 10:100] == out).all() and (large[:10] == 7).all() and (large[:, 100:] == 7).all()
        rgba = image.region(5, 6, 90, 100, mode="RGBA")
        assert (rgba[:, :, :3] == out).all() and (rgba[:, :, 3] == 255).all()
        deep = image.region(5, 6, 90, 100, depth=16)
        assert deep.dtype == np.uint16 and (deep >> 8 == out).all()
        gray = np.asarray(PIL.Image.fromarray(out).convert("L"))
        assert (image.region(5, 6, 90, 100, mode="L") == gray).all()
        small = image.region(0, 0, *image.size, size=(70, 50))
        assert small.shape == (50, 70, 3) and abs(small.mean() - expected.mean()) < 1
        for wrong in (
            np.zeros((100, 90), np.uint8), np.zeros((100, 90, 3), np.int8), np.zeros((90, 100, 3), np.uint8),
            np.zeros((100, 180, 3), np.uint8)[:, ::2], np.zeros((100, 90, 3), np.uint8)[::-1],
            np.broadcast_to(np.zeros((1, 90, 3), np.uint8), (100, 90, 3)),
        ):
            refused(ValueError, lambda: image.region(5, 6, 90, 100, out=wrong), "out has shape")
        refused(ValueError, lambda: image.region(700, 0, 10, 10), "outside", "base.jpg")
        refused(ValueError, lambda: image.region(0, 0, 0, 10), "no pixels")
        refused(ValueError, lambda: image.region(0, 0, float("nan"), 10))
        refused(ValueError, lambda: image.region(0, 0, 10, 10, mode="BGR"), "BGR")
    refused(ValueError, lambda: image.region(0, 0, 10, 10), "closed")
    image.close()


def test_many():
    path = os.path.join(folder, "progressive.jpg")
    expected = decoded(path)
    with viewport.open(path) as image:
        rects = [(x, y, 60, 40) for x, y, _, _ in parts(640, 460, 50)]
        for threads in (1, 0, 3):
            crops = image.regions(rects, threads=threads)
            assert crops.shape == (50, 40, 60, 3)
            for (x, y, w, h), crop in zip(rects, crops):
                assert (crop == expected[y : y + h, x : x + w]).all()
        out = np.zeros_like(crops)
        assert image.regions(rects, out=out) is out and (out == crops).all()
        mixed = image.regions([(0, 0, 10, 20), (5, 5, 30, 40)])
        assert [one.shape for one in mixed] == [(20, 10, 3), (40, 30, 3)]
        assert image.regions([(0, 0, 700, 500), (0, 0, 10, 10)], size=8).shape == (2, 8, 8, 3)
        seen = []
        image.regions(rects, threads=2, progress=seen.append)
        assert len(seen) == 50 and seen == sorted(seen) and seen[-1] == 1
        refused(viewport.Cancelled, lambda: image.regions(rects, progress=lambda share: False), "cancelled")
        try:
            image.regions(rects, threads=1, progress=lambda share: 1 // 0)
            raise AssertionError("no exception")
        except ZeroDivisionError:
            pass
        # Several threads of Python use one image.
        failures = []

        def work():
            for x, y, w, h in rects:
                if not (image.region(x, y, w, h) == expected[y : y + h, x : x + w]).all():
                    failures.append((x, y))

        threads = [threading.Thread(target=work) for _ in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert not failures


def test_thumbnail():
    with viewport.open(os.path.join(folder, "base.jpg")) as image:
        assert image.thumbnail(100).shape == (71, 100, 3) and image.thumbnail((1000, 40)).shape[0] == 40
        assert image.thumbnail(9000).shape == (500, 700, 3)
        refused(ValueError, lambda: image.thumbnail(0))


def test_index():
    for name in ("base.jpg", "progressive.jpg"):
        path = os.path.join(folder, name)
        with viewport.open(path, many=False) as image:
            refused(viewport.Unsupported, image.save_index)
            seen = []
            image.make_index(progress=seen.append)
            assert seen and seen == sorted(seen) and seen[-1] == 1, seen
            saved = image.save_index()
        with viewport.open(path, many=False) as image:
            image.load_index(saved)
            expected = decoded(path)
            assert (image.region(600, 400, 50, 60) == expected[400:460, 600:650]).all()
            assert (pickle.loads(pickle.dumps(image)).save_index()) == saved
            refused(viewport.StaleIndex, lambda: image.load_index(saved[:-3]))
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    assert viewport.index(path) > 0 and os.listdir(os.path.join(folder, "cache", "viewport"))
    with viewport.open(path, cached=True, many=False) as image:
        assert len(image.save_index()) == viewport.index(path)
    if HAS_VIPS:
        refused(viewport.Unsupported, lambda: viewport.index(saved_gif()), "gif")


def test_progress_of_index():
    # Large enough for several steps.
    path = saved("large.jpg", np.tile(made(1000, 800), (3, 4, 1)), quality=98)
    for many in (False, True):
        image = viewport.open(path, many=many)
        seen = []
        refused(viewport.Cancelled, lambda: image.make_index(progress=lambda share: seen.append(share) or False),
                "cancelled")
        assert len(seen) == 1 and 0 < seen[0] < 1, seen
        # Opening makes no index, and one that was not finished is none.
        refused(viewport.Unsupported, image.save_index)
        seen.clear()
        expected = decoded(path)[2000:2100, 3000:3200]
        assert (image.region(3000, 2000, 200, 100, progress=seen.append) == expected).all()
        assert seen == sorted(seen) and seen[-1] == 1, seen
        assert not many or len([share for share in seen if share < 0.9]) > 3, seen
        if many:
            assert len(image.save_index()) < 0.0025 * os.path.getsize(path)
        else:
            refused(viewport.Unsupported, image.save_index)
        image.close()
    try:
        viewport.open(path).make_index(progress=lambda share: 1 // 0)
        raise AssertionError("no exception")
    except ZeroDivisionError:
        pass


def saved_gif():
    return saved("photo.gif", made(64, 48, 1))


def test_files():
    path = os.path.join(folder, "base.jpg")
    with open(path, "rb") as file:
        data = file.read()
    with viewport.Image(data, name="data.jpg") as image:
        assert (image.region(0, 0, 700, 500) == decoded(path)).all() and image.path == "data.jpg"
        assert pickle.loads(pickle.dumps(image)).size == (700, 500)
    name = os.path.join(os.fsencode(folder), b"not \xff utf-8.jpg")
    with open(name, "wb") as file:
        file.write(data)
    with viewport.open(name) as image:
        assert image.size == (700, 500)
    cut = os.path.join(folder, "cut.jpg")
    with open(cut, "wb") as file:
        file.write(data[: len(data) // 2])
    refused(viewport.Damaged, lambda: viewport.open(cut), "cut.jpg", "missing")
    if HAS_VIPS:
        with viewport.open(cut, tolerant=True) as image:
            assert "missing" in image.metadata["damage"]
            assert (image.region(0, 0, 200, 50) == decoded(path)[:50, :200]).all()
    error = refused(OSError, lambda: viewport.open("/does/not/exist.jpg"), "/does/not/exist.jpg: there is no such file")
    assert error.status == "VIEWPORT_READ_FAILED" and isinstance(error, viewport.ReadFailed)
    # Without libvips, nobody knows whether it would read the file.
    refused(viewport.Unsupported if HAS_VIPS else viewport.LibraryMissing, lambda: viewport.open(__file__))
    refused(ValueError, lambda: viewport.open("a\0b"))
    refused(MemoryError, lambda: viewport.open(path, maximum_pixels=100), "700 x 500")
    assert viewport.__version__.count(".") == 2


def test_processes():
    path = os.path.join(folder, "base.jpg")
    expected = decoded(path)[20:68, 10:74].tobytes()
    image = viewport.open(path, threads=0)
    image.region(0, 0, 700, 500)
    image.regions([(0, 0, 50, 50)] * 20, threads=2)
    for method in ("fork", "spawn"):
        assert worked(method, image) == expected, method
    # Formats of libvips in a process that was forked after it was started.
    if HAS_VIPS:
        gif = viewport.open(saved_gif())
        gif.region(0, 0, 10, 10)
        result = worked("fork", gif)
        assert isinstance(result, viewport.Forked), result
        assert isinstance(worked("spawn", gif), bytes)


def has_vips():
    try:
        viewport.open(saved_gif()).close()
        return True
    except viewport.LibraryMissing as error:
        assert "libvips" in str(error)
        print("libvips is not installed: formats that need it say so")
        return False


def test_associated():
    thumbnail = made(160, 114)
    preview = io.BytesIO()
    PIL.Image.fromarray(thumbnail).save(preview, "jpeg", quality=90)
    jpeg = preview.getvalue()
    # The orientation, and a second directory with the preview behind it, which Pillow does not write.
    block = struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x0112, 3, 1, 6, 26)
    block += struct.pack("<HHHIIHHIII", 2, 0x0201, 4, 1, 56, 0x0202, 4, 1, len(jpeg), 0)
    path = saved("camera.jpg", made(700, 500), quality=90, exif=b"Exif\0\0" + block + jpeg)
    with viewport.open(path) as image:
        images = image.associated_images
        assert list(images) == ["thumbnail"] and len(images) == 1 and "macro" not in images, list(images)
        found = np.asarray(images["thumbnail"])
        expected = np.rot90(np.asarray(PIL.Image.open(preview)), -1)
        assert found.shape == (160, 114, 4) and (found[:, :, :3] == expected).all() and (found[:, :, 3] == 255).all()
        with image.associated("thumbnail") as small, pickle.loads(pickle.dumps(small)) as again:
            assert small.size == again.size == (114, 160)
        refused(viewport.Outside, lambda: image.associated("macro"), "camera.jpg", '"macro"', '"thumbnail"')
        try:
            images["macro"]
            raise AssertionError("no KeyError")
        except KeyError:
            pass
        try:
            images["thumbnail"] = None
            raise AssertionError("not read-only")
        except TypeError:
            pass
    with viewport.open(path, oriented=False) as image:
        assert image.associated_images["thumbnail"].size == (160, 114)
    with viewport.open(os.path.join(folder, "base.jpg")) as image:
        assert not image.associated_images and dict(image.associated_images) == {}
    if HAS_VIPS:
        # A slide as Aperio's scanners write it.
        pages = [made(700, 500), made(280, 200), made(120, 140), made(300, 110)]
        texts = ["Aperio Image Library v11.2.1\r\n700x500", "Aperio Image Library v11.2.1\r\n700x500 -> 280x200",
                 "Aperio Image Library v11.2.1\r\nlabel 120x140", "Aperio Image Library v11.2.1\r\nmacro 300x110"]
        path = os.path.join(folder, "slide.tif")
        with PIL.TiffImagePlugin.AppendingTiffWriter(path, True) as file:
            for pixels, text in zip(pages, texts):
                PIL.Image.fromarray(pixels).save(file, "tiff", compression="tiff_lzw", description=text)
                file.newFrame()
        with viewport.open(path) as image:
            assert image.size == (700, 500)
            assert list(image.associated_images) == ["thumbnail", "label", "macro"], list(image.associated_images)
            for name, pixels in zip(image.associated_images, pages[1:]):
                assert (np.asarray(image.associated_images[name])[:, :, :3] == pixels).all(), name


def test_openslide():
    try:
        import openslide.deepzoom
    except ImportError:
        print("SKIPPED: openslide-python is not installed")
        return
    path = os.path.join(folder, "base.jpg")
    expected = decoded(path)
    with viewport.open(path) as image:
        assert image.level_count == 4 and image.level_dimensions[:2] == ((700, 500), (350, 250))
        assert image.level_downsamples[:2] == (1, 2) and image.get_best_level_for_downsample(3.9) == 1
        assert image.get_best_level_for_downsample(0.5) == 0 and not image.associated_images
        part = np.asarray(image.read_region((680, 480), 0, (40, 40)))
        assert (part[:20, :20, :3] == expected[480:, 680:]).all() and (part[20:, :, 3] == 0).all()
        assert not np.asarray(image.read_region((5000, 5000), 0, (4, 4))).any()
        assert image.get_thumbnail((100, 100)).size == (100, 71)
        zoom = openslide.deepzoom.DeepZoomGenerator(image, tile_size=254, overlap=1)
        assert zoom.level_dimensions[-1] == (700, 500) and zoom.level_tiles[-1] == (3, 2)
        tile = np.asarray(zoom.get_tile(zoom.level_count - 1, (1, 1)))
        assert (tile == expected[253:500, 253:509]).all()
        for level in range(zoom.level_count):
            for column in range(zoom.level_tiles[level][0]):
                tile = zoom.get_tile(level, (column, 0))
                # Pillow keeps the aspect of tiles that it reduces.
                wanted = zoom.get_tile_dimensions(level, (column, 0))
                assert max(abs(one - other) for one, other in zip(tile.size, wanted)) <= 1
        whole = np.asarray(zoom.get_tile(8, (0, 0)))
        assert abs(whole.mean() - expected.mean()) < 2


def test_crops():
    path, small = os.path.join(folder, "base.jpg"), os.path.join(folder, "tiny.png")
    expected = decoded(path)
    PIL.Image.new("RGB", (30, 20), (1, 2, 3)).save(small)
    data = viewport.RandomCrops([path, small], 64, 40, seed=3)
    crops = list(data)
    assert len(data) == len(crops) == 40 and len({crop.tobytes() for crop in crops}) == 40
    assert all((one == other).all() for one, other in zip(crops, data))
    # The places of `viewport crops` in its own tests.
    from viewport.crops import _Random, _shuffled
    places = []
    for number in (0, 1, 5, 3999):
        item = _shuffled(number % 5, 5, 7, number // 5)
        places.append((item, *reversed(divmod(_shuffled(number // 5, 10**6, ~7 & (1 << 64) - 1, item), 1000))))
    assert places == [(0, 792, 417), (3, 940, 377), (3, 545, 333), (4, 99, 810)]
    random = _Random(7, 3)
    assert [random.below(1000) for _ in range(4)] == [815, 109, 1, 43]
    refused(viewport.InvalidArgument, lambda: viewport.RandomCrops([small], 64, 1), "64 x 64")
    # Tiles join to the image, in any order, and those of a small image are filled up.
    grid = viewport.GridCrops([path, small], 200, overlap=30)
    tiles = list(grid)
    assert len(grid) == len(tiles) and all(tile.shape == (200, 200, 3) for tile, _ in tiles)
    assert abs(grid.join(0, tiles[::-1]) - expected).max() < 0.01
    assert abs(grid.join(1, tiles) - (1, 2, 3)).max() < 0.01 and (tiles[-1][0][20:] == 255).all()
    masks = [(crop[:, :, 0] > 99, tile) for crop, tile in tiles]
    assert ((grid.join(0, masks) > 0.5) == (expected[:, :, 0] > 99)).all()
    assert [tile.number for _, tile in tiles] == list(range(len(grid)))
    description = os.path.join(folder, "grid.json")
    grid.save(description)
    with open(description, encoding="utf-8") as file:
        saved = json.load(file)
    assert saved["count"] == len(grid) and [one["path"] for one in saved["images"]] == [path, small]
    assert saved["images"][1]["first"] == len(grid) - 1 and saved["images"][0]["size"] == list(expected.shape[1::-1])
    assert grid.weights().max() == 1 and grid.weights().min() > 0
    refused(viewport.InvalidArgument, lambda: grid.join(0, tiles[:1]), "missing")
    refused(viewport.InvalidArgument, lambda: viewport.GridCrops([path], 64, overlap=64), "overlap")


if __name__ == "__main__":
    HAS_VIPS = has_vips()
    photo = test_formats()
    test_orientation(photo)
    test_buffers()
    test_many()
    test_crops()
    test_thumbnail()
    test_index()
    test_progress_of_index()
    test_associated()
    test_files()
    test_processes()
    test_openslide()
    print("the package viewport passes")
