"""Times `viewport fly` compared with `viewport render` in a loop over the same frames, and compares their bytes.

    films.py PROGRAM IMAGE [--rounds N] [--check]

PROGRAM is a release build of `viewport`. Whole processes, interleaved: each round runs both. A ratio is the time of the
loop by that of the film; the processor time of both is stated, too. With --check it fails below 1.5 times, or where a frame
has other bytes.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

FLIGHTS = {
    "whole image to a detail at 1:1": ["--from", "pct:0,20,100,50", "--to", "1500,2000,1280,720"],
    "slow pan at 1:1": ["--from", "1000,1000,1280,720", "--to", "1400,1200,1280,720"],
    "detail to detail": ["--from", "200,300,640,360", "--to", "3500,2600,960,540"],
    "Ken Burns": ["--ken-burns"],
}
SIZE = "1280x720"


def timed(*commands):
    """The wall-clock and processor time of commands that run one after the other."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def names(folder):
    return sorted(os.listdir(folder))


def contents(folder):
    return [open(os.path.join(folder, name), "rb").read() for name in names(folder)]


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("image")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
fails = []
for name, path in FLIGHTS.items():
    fly = [options.program, "fly", options.image, *path, "--duration", "2", "--fps", "10", "-s", SIZE, "--quiet"]
    printed = subprocess.run([*fly, "--print-frames"], check=True, capture_output=True, text=True).stdout
    rects = [",".join(map(repr, json.loads(line)["rect"])) for line in printed.splitlines()]
    with tempfile.TemporaryDirectory() as scratch:
        film, loop = os.path.join(scratch, "film"), os.path.join(scratch, "loop")
        os.mkdir(loop)
        renders = [
            [options.program, "render", options.image, "--subpixel", "--content-mode", "scaleToFill", "--size", SIZE,
             "--rect", rect, "--quiet", "-o", os.path.join(loop, f"frame-{number:05}.png")]
            for number, rect in enumerate(rects)
        ]
        films, loops = [], []
        for _ in range(options.rounds):
            films.append(timed([*fly, "-o", film]))
            loops.append(timed(*renders))
        isEqual = names(film) == names(loop) and contents(film) == contents(loop)
    ratios = [b[0] / a[0] for a, b in zip(films, loops)]
    ratio = statistics.median(ratios)
    work = statistics.median(b[1] / a[1] for a, b in zip(films, loops))
    print(f"{name}: {ratio:.2f} times as fast ({min(ratios):.2f} to {max(ratios):.2f}), {work:.2f} times less processor "
          f"time, {len(rects)} frames, {'equal bytes' if isEqual else 'OTHER BYTES'}", flush=True)
    if ratio < 1.5 or not isEqual:
        fails.append(name)
if options.check and fails:
    sys.exit("failed: " + ", ".join(fails))
