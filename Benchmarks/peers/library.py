#!/usr/bin/env python3
"""Compares `viewport library` with `exiftool -r`, and times queries of a library of a million photos.

    Benchmarks/peers/library.py [--count 10000] [--bytes 20000] [--rounds 3] [--rows 1000000] [--notices 20]
    Benchmarks/peers/library.py --folder 1000 --folder 31000 --folder 1000000 --folder 1750000

Builds the programs, makes photos and catalog rows once with the tool `many-photos`, and runs both programs in
interleaved rounds. Both read the dates, locations, sizes and cameras of all files; viewport also hashes every byte and
writes a catalog. With --folder, only folders of that many files are indexed, and compared with their catalogs again.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from measure import Series, run
from notices import latencies

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / ".build/release"
VIEWPORT, MANY = RELEASE / "viewport", RELEASE / "many-photos"
WORKSHOP = ROOT / ".build/peers/library"

TAGS = [
    *["SubSecDateTimeOriginal", "DateTimeOriginal", "OffsetTimeOriginal", "CreateDate", "GPSLatitude"],
    *["GPSLongitude", "GPSAltitude", "ImageSize", "Orientation", "Make", "Model", "FileSize"],
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="photos (default: %(default)s)")
    parser.add_argument("--bytes", type=int, default=20_000, help="bytes of each photo (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--rows", type=int, default=1_000_000, help="assets to query; 0 for none")
    parser.add_argument("--notices", type=int, default=20, help="files to watch for; 0 for none")
    parser.add_argument("--folder", type=int, action="append", default=[], help="files in one folder; repeat it")
    return parser.parse_args()


def made(name, *command):
    """The folder that a command of `many-photos` makes, once."""
    folder = WORKSHOP / name
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        words = [MANY, command[0], part, *command[1:]]
        subprocess.run(list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
        part.rename(folder)
    return folder


def timed(name, command, series, **more):
    done = run(command, **more)
    if done.failure:
        sys.exit(f"{name}: {done.failure}")
    series.setdefault(name, Series([])).runs.append(done)


def index(chosen):
    """New files, the same files again, and `exiftool -r`, interleaved."""
    folder = made(f"{chosen.count}-{chosen.bytes}", "files", "--count", chosen.count, "--bytes", chosen.bytes)
    catalog = WORKSHOP / "catalog.sqlite"
    named = [folder, "--catalog", catalog]
    exiftool = shutil.which("exiftool")
    series = {}
    for _ in range(chosen.rounds):
        for left in WORKSHOP.glob("catalog.sqlite*"):
            left.unlink()
        subprocess.run([VIEWPORT, "library", "init", *named], check=True, stdout=subprocess.DEVNULL)
        timed("index", [VIEWPORT, "library", "index", *named], series)
        timed("index again", [VIEWPORT, "library", "index", *named], series)
        if exiftool:
            tags = [f"-{tag}" for tag in TAGS]
            timed("exiftool -r", [exiftool, "-r", "-json", "-n", "-fast2", *tags, folder], series, limit=3600)
    for name, runs in series.items():
        print(
            f"{name:12} {runs.seconds:8.2f} s  {chosen.count / runs.seconds:9.0f} files/s  "
            f"{runs.megabytes:6.0f} MB"
        )
    if exiftool:
        print(f"index / exiftool -r: {series['index'].ratio(series['exiftool -r']):.3f}")
    else:
        print("exiftool is not installed (libimage-exiftool-perl): nothing to compare with")
    print(f"index again / index: {series['index again'].ratio(series['index']):.3f}")


def linked(count, size):
    """A folder of many names of 1000 photos, made once."""
    photos = sorted(path for path in made(f"1000-{size}", "files", "--count", 1000, "--bytes", size).rglob("*") if path.is_file())
    folder = WORKSHOP / f"folder-{count}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for number in range(count):
            photo = photos[number % len(photos)]
            os.link(photo, part / f"IMG_{number:07d}{photo.suffix}")
        part.rename(folder)
    return folder


def folders(chosen):
    """One folder of many files: new, and again without changes."""
    for count in chosen.folder:
        catalog = WORKSHOP / f"folder-{count}.sqlite"
        named = [linked(count, chosen.bytes), "--catalog", catalog]
        for left in WORKSHOP.glob(f"{catalog.name}*"):
            left.unlink()
        subprocess.run([VIEWPORT, "library", "init", *named], check=True, stdout=subprocess.DEVNULL)
        series = {}
        timed("index", [VIEWPORT, "library", "index", *named], series, limit=7200)
        for _ in range(chosen.rounds):
            timed("index again", [VIEWPORT, "library", "index", *named], series)
        for name, runs in series.items():
            print(
                f"{count:8} files in one folder: {name:12} {runs.seconds:8.2f} s  "
                f"{count / runs.seconds:9.0f} files/s  {runs.megabytes:6.0f} MB"
            )


def pages(chosen):
    """The first pages of all kinds of queries of many assets, and their memory."""
    folder = made(f"rows-{chosen.rows}", "rows", "--count", chosen.rows)
    print(f"\nfirst pages of {chosen.rows} assets: slowest and median")
    print(subprocess.run([MANY, "ask", folder], check=True, capture_output=True, text=True).stdout, end="")
    done = run([MANY, "ask", folder])
    print(f"{done.megabytes:.0f} MB peak")


def places(chosen):
    """The time to load the names of towns, for an empty library."""
    folder = WORKSHOP / "places"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    chance = random.Random(1)
    with open(folder / "towns.csv", "w") as towns:
        towns.write("lat,lon,name,admin1,admin2,cc\n")
        for number in range(145_000):
            towns.write(f"{chance.uniform(-60, 70):.5f},{chance.uniform(-180, 180):.5f},Town {number},Region,,CH\n")
    environment = {"XDG_DATA_HOME": str(folder / "data")}
    named = [VIEWPORT, "library", "places"]
    subprocess.run([VIEWPORT, "library", "init", folder], check=True, stdout=subprocess.DEVNULL)
    series = {}
    for _ in range(chosen.rounds):
        timed("without names", [*named, "list", folder], series, environment=environment)
    timed("installing", [*named, "install", folder / "towns.csv"], series, environment=environment)
    for _ in range(chosen.rounds):
        timed("with names", [*named, "list", folder], series, environment=environment)
    seconds = series["with names"].seconds - series["without names"].seconds
    print(f"\n{seconds * 1000:.0f} ms to load the names of 145000 towns, {series['with names'].megabytes:.0f} MB")


def main():
    chosen = arguments()
    for product in ["viewport", "many-photos"]:
        subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=ROOT, check=True,
                       stdout=sys.stderr, env={**os.environ, "VIEWPORT_TESTS": "all"})
    if chosen.folder:
        return folders(chosen)
    index(chosen)
    if chosen.rows:
        pages(chosen)
    if chosen.notices:
        times = latencies(VIEWPORT, WORKSHOP / "watched", chosen.notices)
        print(
            f"\nfrom a written file to its notice: median {times[len(times) // 2] * 1000:.0f} ms, "
            f"maximum {times[-1] * 1000:.0f} ms, of {len(times)}"
        )
    places(chosen)


if __name__ == "__main__":
    main()
