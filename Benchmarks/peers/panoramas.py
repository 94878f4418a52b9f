"""Compares looks into a panorama with ffmpeg's filter v360: time, memory and exactness.

    panoramas.py PROGRAM IMAGE [--look YAW,PITCH] [--fov 90] [--rounds N] [--check]

PROGRAM is a release build of `viewport`, IMAGE a JPEG of 2:1; needs ffmpeg and NumPy. Whole processes, interleaved: each
round renders a look of 1920x1080 with both, cold and after `viewport index`, to a PNG. PSNR is that of each ninth row,
compared with means of 8 x 8 samples per pixel in floats, interpolated by cubics (Catmull and Rom); v360 interpolates by
Lanczos, in the planes of the JPEG and in RGB, of which the better one counts. With --check it fails where a target is
missed.
"""

import argparse
import math
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import numpy

import measure

WIDTH, HEIGHT, STEP, SAMPLES = 1920, 1080, 9, 8


@dataclass
class Contender:
    name: str
    command: list
    environment: dict = field(default_factory=dict)

    def prepare(self):
        pass


def pixels(path):
    """The pixels of an image as ffmpeg decodes it to RGB, exactly."""
    scale = "scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp+lanczos,format=rgb24"
    size = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
        check=True, capture_output=True, text=True).stdout.strip().split(",")
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-vf", scale, "-f", "rawvideo", "-"], check=True,
        capture_output=True).stdout
    return numpy.frombuffer(raw, numpy.uint8).reshape(int(size[1]), int(size[0]), 3)


def decoded(path, scratch):
    """The pixels of a JPEG as libjpeg decodes it."""
    name = os.path.join(scratch, "whole.ppm")
    subprocess.run(["djpeg", "-ppm", "-outfile", name, path], check=True)
    with open(name, "rb") as file:
        file.readline()
        width, height = map(int, file.readline().split())
        file.readline()
        start = file.tell()
    return numpy.memmap(name, numpy.uint8, "r", start, (height, width, 3))


def weights(t):
    """The weights of four neighbors: Catmull and Rom's cubic."""
    return ((-t + 2 * t**2 - t**3) / 2, (2 - 5 * t**2 + 3 * t**3) / 2,
            (t + 4 * t**2 - 3 * t**3) / 2, (-(t**2) + t**3) / 2)


def reference(image, yaw, pitch, fov):
    """Each ninth row of the look, in floats."""
    height, width, _ = image.shape
    radius = WIDTH / 2 / math.tan(math.radians(fov) / 2)
    yaw, pitch = math.radians(yaw), math.radians(pitch)
    result = numpy.zeros((len(range(0, HEIGHT, STEP)), WIDTH, 3))
    for number, row in enumerate(range(0, HEIGHT, STEP)):
        x = (numpy.arange(WIDTH * SAMPLES) + 0.5) / SAMPLES - WIDTH / 2
        y = HEIGHT / 2 - (row + (numpy.arange(SAMPLES)[:, None] + 0.5) / SAMPLES)
        up, ahead = (y * math.cos(pitch) + radius * math.sin(pitch), radius * math.cos(pitch) - y * math.sin(pitch))
        x, up, ahead = numpy.broadcast_arrays(x[None, :], up, ahead)
        longitude = numpy.arctan2(x, ahead) + yaw
        latitude = numpy.arctan2(up, numpy.hypot(x, ahead))
        column = (longitude / (2 * math.pi) + 0.5) * width - 0.5
        line = (0.5 - latitude / math.pi) * height - 0.5
        left, top = numpy.floor(column).astype(int), numpy.floor(line).astype(int)
        sum = numpy.zeros((*column.shape, 3), numpy.float32)
        for dy, wy in enumerate(weights(line - top)):
            lines = numpy.clip(top + dy - 1, 0, height - 1)
            for dx, wx in enumerate(weights(column - left)):
                sum += image[lines, (left + dx - 1) % width] * (wx * wy)[..., None].astype(numpy.float32)
        sum = numpy.clip(sum, 0, 255).astype(float)
        result[number] = sum.reshape(SAMPLES, WIDTH, SAMPLES, 3).mean((0, 2))
    return result


def decibels(picture, exact):
    error = picture[::STEP].astype(float) - exact
    return 10 * math.log10(255**2 / (error**2).mean())


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("image")
parser.add_argument("--look", default="30,-10")
parser.add_argument("--fov", type=float, default=90)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
yaw, pitch = map(float, options.look.split(","))
vertical = 2 * math.degrees(math.atan(math.tan(math.radians(options.fov) / 2) * HEIGHT / WIDTH))
v360 = (f"v360=e:flat:yaw={yaw}:pitch={pitch}:h_fov={options.fov}:v_fov={vertical}:w={WIDTH}:h={HEIGHT}:interp=lanczos")
with tempfile.TemporaryDirectory() as scratch:
    ours, theirs, planes = (os.path.join(scratch, name) for name in ("viewport.png", "rgb.png", "v360.png"))
    cache = {"XDG_CACHE_HOME": os.path.join(scratch, "cache")}
    render = [options.program, "render", options.image, "--panorama", "--look", options.look, "--fov", str(options.fov),
              "-s", f"{WIDTH}x{HEIGHT}", "--overwrite", "-o", ours]
    ffmpeg = ["ffmpeg", "-v", "error", "-y", "-i", options.image, "-vf"]
    rgb = [*ffmpeg, f"scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp+lanczos,format=gbrp,{v360}", theirs]
    contenders = [
        Contender("cold", [*render, "--no-cache"]), Contender("indexed", render, cache),
        Contender("v360", [*ffmpeg, v360, planes]),
    ]
    subprocess.run([options.program, "index", options.image], check=True, env={**os.environ, **cache}, capture_output=True)
    subprocess.run(rgb, check=True)
    series = measure.interleaved(contenders, options.rounds, {contender.name: 0 for contender in contenders})
    exact = reference(decoded(options.image, scratch), yaw, pitch, options.fov)
    quality = decibels(pixels(ours), exact)
    peer = max(decibels(pixels(theirs), exact), decibels(pixels(planes), exact))
fails = []
for name, target in (("cold", 0.15), ("indexed", 0.05)):
    time, memory = (series[name].ratio(series["v360"], value) for value in ("seconds", "megabytes"))
    processor = series[name].ratio(series["v360"], "processor")
    print(f"{name}: time {time:.3f} (target {target}), processor time {processor:.3f}, memory {memory:.3f} (0.15), "
          f"{series[name].seconds:.2f} s beside {series['v360'].seconds:.2f} s", flush=True)
    if time > target or memory > 0.15:
        fails.append(name)
print(f"PSNR: {quality:.1f} dB, v360 {peer:.1f} dB")
if quality < 45 or quality < peer:
    fails.append("PSNR")
if options.check and fails:
    sys.exit("missed: " + ", ".join(fails))
