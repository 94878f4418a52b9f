"""Throughput against processor cores, from what was measured on one and two of them.

usage: scaling.py PROGRAM PHOTO [ROUNDS]

PHOTO is a JPEG of 12 megapixels, such as the tool `giant` makes. Each job runs on one core and on two, in turn, in whole processes:

- thumbnails: 200 photos to 256 pixels
- crops: 2,000 random crops of 512 pixels to one archive, in the photo's index

Two processes at once, one on each core, show what the cores of the machine cost each other, such as virtual ones that share a real
one: what a job needs on two cores is compared with them. Gunther's Universal Scalability Law then says what N cores do:

    X(N) = X(1) N / (1 + s (N - 1) + k N (N - 1))

k is what the threads of the program cost each other, such as shared caches: the processor time that two cores need above that of one.
s is the serial part: what two cores need above k, and at least the time of the same job when all of its work is done (`--resume`),
which starts the program, reads the list and compares it with the results. Two cores are all that is checked; a model says what to
expect, and disks, memory and other programs set limits of their own. Linux only: it uses taskset.
"""

import json
import math
import os
import shutil
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
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

    def run(self, cores, *options):
        """The seconds of a run on some cores, and its processor time."""
        done = measure.run(["taskset", "-c", cores, *self.command, *options], self.environment)
        if done.failure:
            sys.exit(f"{self.name}: {done.failure}")
        return done.seconds, done.processor

    def clear(self):
        for path in self.made:
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True)


def jobs(folder):
    environment = {"XDG_CACHE_HOME": str(folder / "cache")}
    photos = folder / "photos"
    photos.mkdir(parents=True)
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


def model(together, processor, serial):
    """X(N) / X(1), s and k, of what two cores need and of the serial part, as shares of what one needs."""
    k = max(0.0, (processor - 1) / 2)
    s = min(1.0, max(serial, 2 * together - 1 - 2 * k))
    return (lambda n: n / (1 + s * (n - 1) + k * n * (n - 1))), s, k


def main():
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < 2:
        sys.exit("two processors are needed")
    first, second = map(str, processors[:2])
    both = f"{first},{second}"
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor() as pool:
        for job, twin in zip(jobs(Path(made) / "1"), jobs(Path(made) / "2")):
            for one in (job, twin):
                one.clear()
                one.run(both)
            rounds = []
            for _ in range(ROUNDS):
                job.clear()
                alone, work = job.run(first)
                serial, _ = job.run(first, "--resume")
                job.clear()
                together, processor = job.run(both)
                job.clear()
                twin.clear()
                pair = list(pool.map(lambda one: one[0].run(one[1]), [(job, first), (twin, second)]))
                # Ratios of each round, so that a slow phase of the machine affects all alike.
                slower = max(seconds for seconds, _ in pair) / alone
                dearer = sum(processor for _, processor in pair) / 2 / work
                rounds.append((together / alone, serial / alone, processor / work, slower, dearer, alone))
            job.clear()
            twin.clear()
            together, serial, processor, slower, dearer, alone = map(statistics.median, zip(*rounds))
            speed, s, k = model(together / max(1, slower), processor / max(1, dearer), serial)
            limit = f", most at {math.sqrt((1 - s) / k):.0f} cores" if k > 0 else ""
            print(f"{job.name}: serial part {100 * s:.1f} %, coherence {100 * k:.2f} %{limit}")
            print(f"measured on two cores: {1 / together:.2f} times one; two processes at once: {2 / slower:.2f} times")
            rate = job.count / alone
            print(f"| cores | {job.unit} per second | speed-up | of ideal |\n|---|---|---|---|")
            for n in CORES:
                print(f"| {n} | {rate * speed(n):.0f} | {speed(n):.1f} | {100 * speed(n) / n:.0f} % |")
            print(flush=True)


main()
