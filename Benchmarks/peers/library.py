"""`viewport library index` beside `exiftool -r`, on photos that the sample `many-photos` makes.

    swift build -c release --product viewport && swift build -c release --product many-photos
    python3 Benchmarks/peers/library.py [--count 10000] [--bytes 20000] [--rounds 3]

Both read the dates, places, sizes and cameras of all files; ours also hashes every byte and writes a catalogue.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from measure import Series, run

ROOT = Path(__file__).parent.parent.parent
RELEASE = ROOT / ".build/release"
WORKSHOP = ROOT / ".build/peers/library"

TAGS = [
    *["SubSecDateTimeOriginal", "DateTimeOriginal", "OffsetTimeOriginal", "CreateDate", "GPSLatitude"],
    *["GPSLongitude", "GPSAltitude", "ImageSize", "Orientation", "Make", "Model", "FileSize"],
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000, help="photos (default: %(default)s)")
    parser.add_argument("--bytes", type=int, default=20_000, help="of each (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="default: %(default)s")
    return parser.parse_args()


def photos(count, size):
    """A folder of photos, made once."""
    folder = WORKSHOP / f"{count}-{size}"
    if not folder.exists():
        made = folder.with_suffix(".part")
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        command = [RELEASE / "many-photos", "files", made, "--count", count, "--bytes", size]
        subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
        made.rename(folder)
    return folder


def timed(name, command, series):
    done = run(command)
    if done.failure:
        sys.exit(f"{name}: {done.failure}")
    series.setdefault(name, Series([])).runs.append(done)


def main():
    chosen = arguments()
    folder = photos(chosen.count, chosen.bytes)
    catalogue = WORKSHOP / "catalogue.sqlite"
    library = [RELEASE / "viewport", "library"]
    named = [folder, "--catalogue", catalogue]
    exiftool = shutil.which("exiftool")
    series = {}
    for _ in range(chosen.rounds):
        for left in WORKSHOP.glob("catalogue.sqlite*"):
            left.unlink()
        subprocess.run([*library, "init", *named], check=True, stdout=subprocess.DEVNULL)
        timed("index", [*library, "index", *named], series)
        timed("index again", [*library, "index", *named], series)
        if exiftool:
            tags = [f"-{tag}" for tag in TAGS]
            timed("exiftool -r", [exiftool, "-r", "-json", "-n", "-fast2", *tags, folder], series)
    for name, runs in series.items():
        print(
            f"{name:12} {runs.seconds:8.2f} s  {chosen.count / runs.seconds:9.0f} files/s  "
            f"{runs.megabytes:6.0f} MB"
        )
    if exiftool:
        print(f"index / exiftool -r: {series['index'].ratio(series['exiftool -r']):.3f}")
    print(f"index again / index: {series['index again'].ratio(series['index']):.3f}")


if __name__ == "__main__":
    main()
