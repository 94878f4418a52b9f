"""Compares the HDR pixels of files that viewport wrote with those of their source: see ultrahdr.sh."""
import json
import struct
import subprocess
import sys

import imagecodecs
import numpy

viewport, folder = sys.argv[1:]
failed = 0


def check(name, holds, text=""):
    global failed
    if not holds:
        failed += 1
    print(("ok      " if holds else "FAILED  ") + name + (": " + text if text else ""))


def run(*arguments):
    return subprocess.run([viewport, *arguments], capture_output=True, text=True)


def decoded(path_or_bytes):
    data = path_or_bytes if isinstance(path_or_bytes, bytes) else open(path_or_bytes, "rb").read()
    return imagecodecs.ultrahdr_decode(data, dtype="float16")[..., :3].astype(float)


def difference(one, other):
    """The mean difference in stops, without the outermost pixels, which reductions treat in their own ways."""
    one, other = (numpy.log2(numpy.maximum(image, 0) + 1 / 64)[4:-4, 4:-4] for image in (one, other))
    return float(abs(one - other).mean())


def without(name, data):
    """The file without the segments that begin with a name."""
    result, at = b"", 0
    while True:
        start = data.find(name + b"\0", at)
        if start < 0:
            return result + data[at:]
        length = struct.unpack(">H", data[start - 2:start])[0]
        result += data[at:start - 4]
        at = start - 2 + length


# Smooth light with a bright lamp: eight times SDR white.
height, width = 768, 1024
y, x = numpy.mgrid[0:height, 0:width]
lamp = numpy.exp(-((x - 300) ** 2 + (y - 250) ** 2) / 20000.0)
scene = numpy.stack([0.1 + 0.5 * x / width + 7 * lamp, 0.1 + 0.5 * y / height + 5 * lamp, 0.3 + 3 * lamp,
                     numpy.ones((height, width))], axis=-1).astype(numpy.float16)
source = folder + "/source.jpg"
open(source, "wb").write(imagecodecs.ultrahdr_encode(scene, level=98))
truth = decoded(source)
check("the source is HDR", truth.max() > 2, f"up to {truth.max():.2f}")

info = json.loads(run("info", "--json", source).stdout)
size = info["gainMap"] and (info["gainMap"]["width"], info["gainMap"]["height"])
check("info names the map", info["gainMap"] is not None and info["gainMap"]["headroom"] > 1, f"{info['gainMap']}")


def halved(image):
    return (image[0::2, 0::2] + image[1::2, 0::2] + image[0::2, 1::2] + image[1::2, 1::2]) / 4


cases = [
    ("the whole picture", ["--zoom", "1"], truth),
    ("a part", ["--rect", "200,120,400,320", "--zoom", "1"], truth[120:440, 200:600]),
    ("a part at an odd place", ["--rect", "201,121,401,321", "--zoom", "1"], truth[121:442, 201:602]),
    ("half the size", ["--zoom", "0.5"], halved(truth)),
    ("a quarter of the size", ["--zoom", "0.25"], halved(halved(truth))),
    ("a turn", ["--rotate", "90", "--zoom", "1"], numpy.rot90(truth, -1)),
    ("a mirrored turn", ["--flip", "--rotate", "270", "--zoom", "1"], numpy.rot90(truth[:, ::-1], 1)),
]
for number, (name, options, expected) in enumerate(cases):
    path = f"{folder}/{number}.jpg"
    made = run("render", source, *options, "-Q", "95", "--keep-gain-map", "--overwrite", "-o", path)
    if made.returncode != 0:
        check(name, False, made.stderr)
        continue
    pixels = decoded(path)
    check(name + " has its size", pixels.shape == expected.shape, f"{pixels.shape}")
    if pixels.shape == expected.shape:
        stops = difference(pixels, expected)
        check(name + " has the HDR pixels of the source", stops < 0.06, f"{stops:.4f} stops")
    data = open(path, "rb").read()
    for kind, other in [("XMP", b"urn:iso:std:iso:ts:21496:-1"), ("ISO 21496-1", b"http://ns.adobe.com/xap/1.0/")]:
        alone = decoded(without(other, data))
        check(f"{name} is the same by {kind} alone", difference(alone, pixels) < 0.002)

path = folder + "/thumbnail.jpg"
run("thumbnail", source, "-s", "192x192", "--crop", "centre", "-Q", "95", "--keep-gain-map", "--overwrite", "-o", path)
square = truth[:, 128:896]
stops = difference(decoded(path), halved(halved(square)))
check("a thumbnail has the HDR pixels of the source", stops < 0.06, f"{stops:.4f} stops")

run("render", source, "--zoom", "0.5", "--overwrite", "-o", path)
try:
    decoded(path)
    check("without the option there is no map", False)
except Exception:
    check("without the option there is no map", True)
sys.exit(failed > 0)
