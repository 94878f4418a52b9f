"""Tests the entry points of the Python package with the real packages: peers.py FOLDER. Those that are not installed are skipped."""

import importlib.util
import os
import sys

import numpy as np
import PIL.Image

folder = sys.argv[1]
path = os.path.join(folder, "peer.jpg")
y, x = np.mgrid[0:1500, 0:2100]
PIL.Image.fromarray(np.stack([x // 9, y // 7, (x + y) // 15], axis=-1).astype(np.uint8)).save(path, quality=95)
expected = np.asarray(PIL.Image.open(path))


def installed(name):
    if importlib.util.find_spec(name):
        return True
    print(f"SKIPPED: {name} is not installed")
    return False


if installed("large_image"):
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

if installed("napari"):
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

if installed("torch"):
    import torch.utils.data
    from viewport.torch_crops import RandomCrops

    def crops(workers):
        data = RandomCrops([path], 64, 20, seed=3)
        # In the order of their numbers, however they are divided.
        loaded = list(torch.utils.data.DataLoader(data, batch_size=None, num_workers=workers))
        return sorted(np.asarray(one).tobytes() for one in loaded)

    assert crops(0) == crops(2) and len(set(crops(0))) == 20
    print("torch passes")
