"""Tiles of an image, and what a model makes of them: viewport crops big.jpg --grid --size 512 --overlap 64 -o tiles.tar"""

import io
import tarfile
import numpy
import PIL.Image

with tarfile.open("tiles.tar") as tiles, tarfile.open("predictions.tar", "w") as predictions:
    for member in (one for one in tiles if one.name.endswith(".jpg")):
        picture = numpy.asarray(PIL.Image.open(tiles.extractfile(member)))
        numpy.save(file := io.BytesIO(), picture.mean(axis=2) / 255)
        result = tarfile.TarInfo(member.name.replace(".jpg", ".npy"))
        result.size = file.tell()
        predictions.addfile(result, io.BytesIO(file.getvalue()))
