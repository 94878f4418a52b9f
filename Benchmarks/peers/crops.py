#!/usr/bin/env python3
"""Compares random crops of JPEGs by the Python package viewport with other packages: crops.py [--megapixels 24 300] [--rounds N]

Needs the packages viewport (dist/viewport-*.whl), "PyTurboJPEG<2" (later ones need libjpeg-turbo 3), pyvips and pyvips-binary
(installed after it with --force-reinstall --no-deps, or pyvips uses the system's libvips), and cc with libjpeg's headers for
partial.c. With torchvision its `decode_jpeg` takes part, too: on Debian, apt has python3-torchvision for CPUs, which
`python3 -m venv --system-site-packages` finds. Everything runs on one thread, and contestants in turns: each round crops the
same random 512x512 pixels with all of them. Times are those of the processor, so that other work of the machine does not count.
Ratios are medians of the rounds, how many times longer the other package takes. The images are made in a folder of their own
and removed.
"""
import argparse
import ctypes
import multiprocessing
import os
import random
import statistics
import subprocess
import tempfile
import time
from importlib import metadata

os.environ["VIPS_CONCURRENCY"] = "1"
import numpy as np

import viewport

# Not in the processes whose memory is measured, which import this file again.
if __name__ == "__main__":
    import pyvips
    import turbojpeg

    jpeg = turbojpeg.TurboJPEG()
    try:
        import torch
        import torchvision

        torch.set_num_threads(1)
    except ImportError:
        torchvision = None
        print("SKIPPED: torchvision is not installed")

SIDE = 512
TARGETS = {24: {"torchvision decode_jpeg, then slice": 15, "PyTurboJPEG decode, then slice": 15,
                "PyTurboJPEG crop, then decode": 8, "libjpeg-turbo, partial": 8, "pyvips, sequential": 8},
           300: {"torchvision decode_jpeg, then slice": 250, "PyTurboJPEG decode, then slice": 250,
                 "PyTurboJPEG crop, then decode": 100, "libjpeg-turbo, partial": 100, "pyvips, sequential": 100}}
partial = None


def make(folder, megapixels, progressive):
    width = round((megapixels * 4 / 3) ** 0.5 * 1000) // 16 * 16
    height = width * 3 // 4
    noise = np.random.default_rng(1)
    y, x = np.mgrid[0:1024, 0:1024]
    waves = np.sin(x / 7) * np.cos(y / 11) * 60 + 100
    tile = (waves[..., None] + noise.normal(0, 12, (1024, 1024, 3)) + np.array([0, 20, 40])).clip(0, 255).astype(np.uint8)
    pixels = np.tile(tile, (-(-height // 1024), -(-width // 1024), 1))[:height, :width]
    path = os.path.join(folder, f"{megapixels}{'-progressive' if progressive else ''}.jpg")
    flags = turbojpeg.TJFLAG_PROGRESSIVE if progressive else 0
    with open(path, "wb") as file:
        file.write(jpeg.encode(np.ascontiguousarray(pixels), quality=88, jpeg_subsample=turbojpeg.TJSAMP_420,
                               pixel_format=turbojpeg.TJPF_RGB, flags=flags))
    return path


def timed(body):
    start = time.process_time()
    result = body()
    return time.process_time() - start, result


def decoded(path, x, y):
    with open(path, "rb") as file:
        whole = jpeg.decode(file.read(), pixel_format=turbojpeg.TJPF_RGB)
    return np.ascontiguousarray(whole[y : y + SIDE, x : x + SIDE])


def cropped(path, x, y):
    with open(path, "rb") as file:
        part = jpeg.crop(file.read(), x, y, SIDE, SIDE)
    return jpeg.decode(part, pixel_format=turbojpeg.TJPF_RGB)


def with_torchvision(path, x, y):
    whole = torchvision.io.decode_jpeg(torchvision.io.read_file(path), torchvision.io.ImageReadMode.RGB)
    return whole[:, y : y + SIDE, x : x + SIDE].permute(1, 2, 0).contiguous().numpy()


def partially(path, x, y):
    with open(path, "rb") as file:
        data = file.read()
    pixels = np.empty((SIDE, SIDE, 3), np.uint8)
    assert partial.crop(data, ctypes.c_ulong(len(data)), x, y, SIDE, SIDE, pixels.ctypes.data_as(ctypes.c_void_p))
    return pixels


def with_vips(path, x, y):
    return pyvips.Image.new_from_file(path, access="sequential").crop(x, y, SIDE, SIDE).numpy()


OTHERS = {"PyTurboJPEG decode, then slice": decoded, "PyTurboJPEG crop, then decode": cropped,
          "libjpeg-turbo, partial": partially, "pyvips, sequential": with_vips,
          "torchvision decode_jpeg, then slice": with_torchvision}
# Of large images, these are measured in every fourth round.
SLOW = {"PyTurboJPEG decode, then slice", "PyTurboJPEG crop, then decode", "torchvision decode_jpeg, then slice"}


def worker(path, seed, queue, barrier):
    draw = random.Random(seed)
    with viewport.open(path) as image:
        for _ in range(50):
            image.region(draw.randrange(image.width - SIDE), draw.randrange(image.height - SIDE), SIDE, SIDE)
        # A page that several processes use counts as a share for each: all of them must be there.
        barrier.wait()
        lines = open("/proc/self/smaps_rollup", encoding="ascii").read().splitlines()
        queue.put(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")))
        barrier.wait()


def memory(path, count=8):
    context = multiprocessing.get_context("spawn")
    queue, barrier = context.Queue(), context.Barrier(count)
    workers = [context.Process(target=worker, args=(path, seed, queue, barrier)) for seed in range(count)]
    for one in workers:
        one.start()
    found = [queue.get() for _ in workers]
    for one in workers:
        one.join()
    return sum(found)


def measure(path, megapixels, rounds):
    draw = random.Random(5)
    name = os.path.basename(path)
    with viewport.open(path, many=False) as image:
        made, _ = timed(image.make_index)
        saved = image.save_index()
    share = len(saved) / os.path.getsize(path)
    print(f"{name}: {os.path.getsize(path) / 1e6:.0f} MB; index made in {made:.2f} s, {100 * share:.3f} % of the file (at most 0.25)")
    times = {"viewport": [], "viewport, saved index": [], **{other: [] for other in OTHERS}}
    cold = []
    equal = True
    with viewport.open(path) as image, viewport.open(path) as loaded:
        image.region(0, 0, SIDE, SIDE)
        loaded.load_index(saved)
        width, height = image.size
        for number in range(rounds):
            # On whole blocks, where a lossless crop can begin.
            x, y = draw.randrange(width - SIDE) // 16 * 16, draw.randrange(height - SIDE) // 16 * 16
            spent, crop = timed(lambda: image.region(x, y, SIDE, SIDE))
            times["viewport"].append(spent)
            spent, again = timed(lambda: loaded.region(x, y, SIDE, SIDE))
            times["viewport, saved index"].append(spent)
            equal = equal and (again == crop).all()
            for other, body in OTHERS.items():
                if megapixels > 100 and number % 4 and other in SLOW:
                    continue
                spent, result = timed(lambda: body(path, x, y))
                times[other].append(spent)
                if other == "PyTurboJPEG decode, then slice":
                    equal = equal and (result == crop).all()
                    with viewport.open(path, many=False) as fresh:
                        first, _ = timed(lambda: fresh.region(x, y, SIDE, SIDE))
                    # What libjpeg-turbo takes for the rows down to the crop.
                    cold.append(first / (spent * (y + SIDE) / height))
    own = statistics.median(times["viewport"])
    saved = statistics.median(times["viewport, saved index"])
    print(f"  viewport, indexed: {1000 * own:.2f} ms, by the saved index {1000 * saved:.2f} ms; "
          f"bytes equal to the full decode: {equal}")
    for other in OTHERS:
        median = statistics.median(times[other])
        target = TARGETS.get(megapixels, {}).get(other)
        print(f"  {other}: {1000 * median:.1f} ms, {median / own:.1f} times longer" + (f" (target {target})" if target else ""))
    print(f"  first crop, without an index: {statistics.median(cold):.2f} of a decode of the rows down to it (at most 1.0)")


def main():
    if not torchvision:
        del OTHERS["torchvision decode_jpeg, then slice"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megapixels", type=int, nargs="+", default=[24, 300])
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    print(f"viewport {viewport.__version__}, PyTurboJPEG {metadata.version('PyTurboJPEG')}, pyvips {pyvips.__version__}, "
          f"libvips {pyvips.version(0)}.{pyvips.version(1)}.{pyvips.version(2)}"
          + (f", torchvision {torchvision.__version__}, torch {torch.__version__}" if torchvision else ""))
    global partial
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "partial.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "partial.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ljpeg"], check=True)
        partial = ctypes.CDLL(library)
        for megapixels in options.megapixels:
            for progressive in (False, True):
                path = make(folder, megapixels, progressive)
                measure(path, megapixels, options.rounds)
                if megapixels >= 100:
                    print(f"  8 workers of 50 crops: {memory(path):.0f} MB together (at most 480)")


if __name__ == "__main__":
    main()
