#!/usr/bin/env python3
"""Compares patches for training with other programs: patches.py PROGRAM [--slide FILE] [--photos N] [--count N] [--rounds N]

Random patches of 128 pixels as JPEGs in a tar archive: of photos beside Pillow in two processes, and of a slide beside tiffslide and
OpenSlide, if they are installed, in two processes. With torch and the package viewport, batches of its DataLoader with two
workers are compared with the command. Contestants run in turns. Ratios are medians of the rounds, how many times as many patches a
second. Prints the most memory of the command, too. The photos are made in a folder of their own and removed.
"""
import argparse
import glob
import importlib.util
import io
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time

import numpy as np
import PIL.Image

SIDE = 128


def make(folder, count):
    noise = np.random.default_rng(1)
    y, x = np.mgrid[0:2000, 0:3000]
    for number in range(count):
        base = np.stack([x / 15 + number, y / 10, (x + y) / 25], axis=-1) + noise.normal(0, 12, (2000, 3000, 1))
        PIL.Image.fromarray(base.clip(0, 255).astype(np.uint8)).save(f"{folder}/{number:03}.jpg", quality=88)


def cut_photos(paths, draw, count):
    for _ in range(count):
        with PIL.Image.open(draw.choice(paths)) as image:
            x, y = draw.randrange(image.width - SIDE), draw.randrange(image.height - SIDE)
            yield image.crop((x, y, x + SIDE, y + SIDE))


def cut_slide(module):
    def cut(paths, draw, count):
        slide = getattr(importlib.import_module(module), "OpenSlide" if module == "openslide" else "TiffSlide")(paths[0])
        width, height = slide.dimensions
        for _ in range(count):
            place = draw.randrange(width - SIDE), draw.randrange(height - SIDE)
            yield slide.read_region(place, 0, (SIDE, SIDE)).convert("RGB")
    return cut


def archive(name, paths, folder, seed, count):
    cut = cut_photos if name == "Pillow" else cut_slide(name)
    with tarfile.open(f"{folder}/{name}-{seed}.tar", "w") as out:
        for number, patch in enumerate(cut(paths, random.Random(seed), count)):
            patch.save(file := io.BytesIO(), "JPEG", quality=75)
            member = tarfile.TarInfo(f"{number:06}.jpg")
            member.size = file.tell()
            file.seek(0)
            out.addfile(member, file)


def others(name, paths, folder, count):
    workers = [multiprocessing.Process(target=archive, args=(name, paths, folder, seed, count // 2)) for seed in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0, name


def command(program, paths, folder, count):
    subprocess.run([program, "crops", *paths, "--size", str(SIDE), "--count", str(count), "--no-cache", "--quiet", "--overwrite",
                    "-o", f"{folder}/own.tar"], check=True)


def memory(program, paths, folder, count):
    """The most memory in MB, measured by a small process: the one of this process would count for its children until they begin."""
    text = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    run = [program, "crops", *paths, "--size", str(SIDE), "--count", str(count), "--no-cache", "--quiet", "-o", f"{folder}/first.tar"]
    done = subprocess.run([sys.executable, "-c", text, *run], check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout) / 1024


def loader(paths, count):
    import torch.utils.data
    import viewport

    data = viewport.RandomCrops(paths, SIDE, count, seed=7, kept=len(paths))
    for _ in torch.utils.data.DataLoader(data, batch_size=64, num_workers=2):
        pass


def compare(title, contestants, count, rounds):
    rates = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, body in contestants.items():
            start = time.monotonic()
            body()
            rates[name].append(count / (time.monotonic() - start))
    own = rates.pop("viewport")
    print(f"{title}: {statistics.median(own):.0f} patches a second")
    for name, other in rates.items():
        ratio = statistics.median(mine / theirs for mine, theirs in zip(own, other))
        print(f"  {name}: {statistics.median(other):.0f} a second; viewport {ratio:.2f} times as many")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--slide", type=os.path.abspath)
    parser.add_argument("--photos", type=int, default=200)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    count = options.count
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/photos")
        make(f"{folder}/photos", options.photos)
        paths = sorted(glob.glob(f"{folder}/photos/*.jpg"))
        contestants = {"viewport": lambda: command(options.program, paths, folder, count),
                       "Pillow": lambda: others("Pillow", paths, folder, count)}
        if importlib.util.find_spec("torch") and importlib.util.find_spec("viewport"):
            contestants["DataLoader of viewport.RandomCrops"] = lambda: loader(paths, count)
        else:
            print("SKIPPED: torch and the package viewport are not installed")
        print(f"most memory of the command: {memory(options.program, paths, folder, count):.0f} MB")
        compare(f"{count} patches of {options.photos} photos", contestants, count, options.rounds)
        if options.slide:
            contestants = {"viewport": lambda: command(options.program, [options.slide], folder, count)}
            for name in "tiffslide", "openslide":
                if importlib.util.find_spec(name):
                    contestants[name] = lambda name=name: others(name, [options.slide], folder, count)
                else:
                    print(f"SKIPPED: {name} is not installed")
            compare(f"{count} patches of {os.path.basename(options.slide)}", contestants, count, options.rounds)


if __name__ == "__main__":
    main()
