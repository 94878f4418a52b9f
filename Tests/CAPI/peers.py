"""Tests the entry points of the Python package with the real packages: peers.py FOLDER. Those that are not installed are skipped."""

import importlib.util
import multiprocessing
import os
import sys

import numpy as np
import PIL.Image

import viewport


def installed(name):
    if importlib.util.find_spec(name):
        return True
    print(f"SKIPPED: {name} is not installed")
    return False


def made(path):
    """Makes an image, and returns its pixels as Pillow decodes them."""
    y, x = np.mgrid[0:1500, 0:2100]
    PIL.Image.fromarray(np.stack([x // 9, y // 7, (x + y) // 15], axis=-1).astype(np.uint8)).save(path, quality=95)
    return np.asarray(PIL.Image.open(path))


def test_large_image(path, expected):
    import large_image
    import large_image.tilesource

    large_image.tilesource.loadTileSources()
    assert "viewport" in large_image.tilesource.AvailableTileSources
    source = large_image.open(path)
    assert source.name == "viewport", source.name
    assert (source.sizeX, source.sizeY, source.levels) == (2100, 1500, 5)
    tile = source.getTile(1, 2, source.levels - 1, numpyAllowed="always")
    assert (tile == expected[512:768, 256:512]).all()
    edge = source.getTile(8, 5, source.levels - 1, numpyAllowed="always")
    assert (edge[:220, :52] == expected[1280:, 2048:]).all()
    assert source.getThumbnail()[0][:2] == b"\xff\xd8"
    region, _ = source.getRegion(
        region={"left": 300, "top": 400, "right": 900, "bottom": 1000}, format=large_image.constants.TILE_FORMAT_NUMPY)
    assert (region[..., :3] == expected[400:1000, 300:900]).all()
    print("large_image passes")


def test_napari(path, expected):
    import npe2

    manager = npe2.PluginManager.instance()
    manager.discover()
    layers, reader = npe2.io_utils.read_get_reader([path], plugin_name="viewport", stack=False)
    assert reader.plugin_name == "viewport"
    levels, options, kind = layers[0]
    assert kind == "image" and options["multiscale"] and [one.shape for one in levels] == [
        (1500, 2100, 3), (750, 1050, 3), (375, 525, 3), (187, 262, 3)]
    assert (levels[0][100:200, 300:450] == expected[100:200, 300:450]).all()
    assert (levels[0][100:200:3, 300, 1] == expected[100:200:3, 300, 1]).all()
    assert np.asarray(levels[2]).shape == (375, 525, 3)

    import napari.layers

    layer = napari.layers.Image(levels, multiscale=True, rgb=True)
    assert layer.multiscale and layer.level_shapes[0][0] == 1500
    print("napari passes")


def test_torch(path, expected):
    import torch
    import torch.utils.data
    from viewport import GridCrops, RandomCrops

    def crops(data, workers, **options):
        loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=workers, **options)
        return sorted(np.asarray(one).tobytes() for one in loader)

    data = RandomCrops([path], 64, 20, seed=3)
    alone = crops(data, 0)
    assert len(data) == 20 and len(set(alone)) == 20
    # However many workers there are and however they start.
    for method in ("fork", "spawn"):
        for workers in (1, 2, 3):
            assert crops(data, workers, multiprocessing_context=method) == alone, (method, workers)
    assert crops(RandomCrops([path], 64, 20, seed=4), 0) != alone
    grid = GridCrops([path], 500, overlap=50)
    loader = torch.utils.data.DataLoader(grid, batch_size=None, num_workers=2, multiprocessing_context="spawn")
    assert (abs(grid.join(0, list(loader)) - expected) < 0.01).all()
    # An iteration that is given up ends its workers.
    before = {child.pid for child in multiprocessing.active_children()}
    for method in ("fork", "spawn"):
        rest = iter(torch.utils.data.DataLoader(
            RandomCrops([path], 64, 100_000), batch_size=4, num_workers=2, multiprocessing_context=method))
        assert next(rest).shape == (4, 64, 64, 3)
        workers = [child for child in multiprocessing.active_children() if child.pid not in before]
        assert len(workers) == 2
        del rest
        for worker in workers:
            worker.join(30)
        assert not any(worker.is_alive() for worker in workers), method
    # In batches of tensors, also where the parent has read the image before its workers are forked.
    with viewport.open(path) as image:
        image.region(0, 0, 64, 64)
        batches = list(torch.utils.data.DataLoader(data, batch_size=8, num_workers=2, multiprocessing_context="fork"))
    assert sum(len(one) for one in batches) == 20 and batches[0].shape[1:] == (64, 64, 3)
    assert batches[0].dtype == torch.uint8
    assert sorted(np.asarray(crop).tobytes() for batch in batches for crop in batch) == alone
    turned = next(iter(RandomCrops([path], 64, 1, transform=lambda crop: torch.from_numpy(crop).permute(2, 0, 1) / 255)))
    assert turned.shape == (3, 64, 64) and 0 <= float(turned.min()) <= float(turned.max()) <= 1
    # Each crop is a part of the image.
    crop = np.frombuffer(alone[0], np.uint8).reshape(64, 64, 3)
    rows, columns = np.nonzero((expected[:1437, :2037] == crop[0, 0]).all(axis=-1))
    assert any((expected[y : y + 64, x : x + 64] == crop).all() for y, x in zip(rows, columns))
    print(f"torch {torch.__version__} passes")


# Workers that are spawned import this file.
if __name__ == "__main__":
    path = os.path.join(sys.argv[1], "peer.jpg")
    expected = made(path)
    for name, test in {"large_image": test_large_image, "napari": test_napari, "torch": test_torch}.items():
        if installed(name):
            test(path, expected)
