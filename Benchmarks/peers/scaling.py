"""Throughput against processor cores, from what was measured on one and two of them.

usage: scaling.py PROGRAM PHOTO [ROUNDS]

PHOTO is a JPEG of 12 megapixels, such as the tool `giant` makes. Each job runs on one core and on two, in turn, in whole processes:

- thumbnails: 200 photos to 256 pixels
- crops: 2,000 random crops of 512 pixels to one archive, in the photo's index

The serial part is what only one thread does: the time of the same job when all of its work is done (`--resume`), which starts the
program, reads the list and compares it with the results. Gunther's Universal Scalability Law then says what N cores do:

    X(N) = X(1) N / (1 + s (N - 1) + k N (N - 1))

with the serial part s, and k for what cores cost each other, such as shared caches: what the run on two cores needs above s. Where
two cores do more than s alone allows, k is 0. Two cores are all that is checked; a model says what to expect, and disks, memory
and other programs set limits of their own. Linux only: it uses taskset.
"""

import json
import math
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import measure

PROGRAM, PHOTO = sys.argv[1], Path(sys.argv[2]).resolve()
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
CORES = [1, 2, 4, 8, 16, 32, 64]
PHOTOS, CROPS = 200, 2000


class Job:
    """A batch, and how its results are removed."""

    def __init__(self, name, count, unit, command, made, environment):
        self.name, self.count, self.unit = name, count, unit
        self.command, self.made, self.environment = command, made, environment

    def seconds(self, cores, *options):
        done = measure.run(["taskset", "-c", cores, *self.command, *options], self.environment)
        if done.failure:
            sys.exit(f"{self.name}: {done.failure}")
        return done.seconds

    def clear(self):
        for path in self.made:
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)


def jobs(folder):
    environment = {"XDG_CACHE_HOME": str(folder / "cache")}
    photos = folder / "photos"
    photos.mkdir()
    listed = folder / "list.jsonl"
    with listed.open("w") as file:
        for number in range(PHOTOS):
            path = photos / f"{number:05}.jpg"
            path.symlink_to(PHOTO)
            file.write(json.dumps({"path": str(path)}) + "\n")
    made, results, archive = folder / "made", folder / "results.jsonl", folder / "crops.tar"
    thumbnail = [PROGRAM, "thumbnail", "--manifest", listed, "--size", 256, "--results", results]
    yield Job("thumbnails", PHOTOS, "photos", [*thumbnail, "-o", made / "{stem}.jpg"], [made, results], environment)
    crops = [PROGRAM, "crops", PHOTO, "--size", 512, "--count", CROPS, "--seed", 7, "-o", archive]
    yield Job("crops", CROPS, "crops", crops, [archive], environment)


def model(alone, together, serial):
    """Seconds of the job on one core, on two, and of its serial part: X(N) / X(1), s and k."""
    s = min(1.0, serial / alone)
    k = max(0.0, (2 * together / alone - 1 - s) / 2)
    return (lambda n: n / (1 + s * (n - 1) + k * n * (n - 1))), s, k


def main():
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        sys.exit("two processors are needed")
    first, both = str(processors[0]), f"{processors[0]},{processors[1]}"
    with tempfile.TemporaryDirectory() as made:
        for job in jobs(Path(made)):
            job.clear()
            job.seconds(both)
            rounds = []
            for _ in range(ROUNDS):
                job.clear()
                alone = job.seconds(first)
                serial = job.seconds(first, "--resume")
                job.clear()
                rounds.append((alone, job.seconds(both), serial))
            job.clear()
            # Ratios of each round, so that a slow phase of the machine affects all three alike.
            together, serial = (statistics.median(one[i] / one[0] for one in rounds) for i in (1, 2))
            speed, s, k = model(1, together, serial)
            limit = f", most at {math.sqrt((1 - s) / k):.0f} cores" if k > 0 else ""
            print(f"{job.name}: serial part {100 * s:.1f} %, coherence {100 * k:.2f} %{limit}")
            print(f"measured on two cores: {1 / together:.2f} times one; the model with the serial part alone: {2 / (1 + s):.2f}")
            rate = job.count / statistics.median(one[0] for one in rounds)
            print(f"| cores | {job.unit} per second | speed-up | of ideal |\n|---|---|---|---|")
            for n in CORES:
                print(f"| {n} | {rate * speed(n):.0f} | {speed(n):.1f} | {100 * speed(n) / n:.0f} % |")
            print(flush=True)


main()
