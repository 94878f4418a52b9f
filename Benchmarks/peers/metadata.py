#!/usr/bin/env python3
"""Compares the metadata that the library reads with that of ExifTool.

    VIEWPORT_TESTS=all swift build -c release --product read-metadata
    Benchmarks/peers/metadata.py FOLDER [--program .build/release/read-metadata] [--time]

Prints each value that differs, and how many agree. `--time` reads all files with both programs and prints the ratio.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

# The sources of a date in order of preference, by ExifTool's names with groups.
DATES = [
    "Composite:SubSecDateTimeOriginal", "ExifIFD:DateTimeOriginal", "Composite:SubSecCreateDate",
    "ExifIFD:CreateDate", "Keys:CreationDate", "RIFF:DateTimeOriginal", "XMP-exif:DateTimeOriginal",
    "XMP-photoshop:DateCreated", "XMP-xmp:CreateDate", "XMP-exif:DateTimeDigitized", "QuickTime:CreateDate",
    "Info:DateTimeOriginal", "Composite:GPSDateTime", "Composite:DateTimeCreated", "IPTC:DateCreated",
    "PNG:CreationTime",
]  # fmt: skip
IN_UTC = {"QuickTime:CreateDate", "Info:DateTimeOriginal", "Composite:GPSDateTime"}


def exiftool(folder):
    command = ["exiftool", "-json", "-n", "-G1", "-a", "-struct", "-r", "-api", "LargeFileSupport=1", folder]
    output = subprocess.run(command, capture_output=True, text=True).stdout
    return {entry["SourceFile"]: expected(entry) for entry in json.loads(output or "[]")}


def expected(entry):
    """ExifTool's tags under the names of the library."""
    orientation = entry.get("IFD0:Orientation", 1)
    width, height = picture_size(entry)
    if heif(entry):
        orientation = 1
        if entry.get("QuickTime:Rotation", 0) % 180 == 90:
            width, height = height, width
    turned = isinstance(orientation, int) and 5 <= orientation <= 8
    found = {
        "width": height if turned else width,
        "height": width if turned else height,
        "make": text(entry.get("IFD0:Make") or entry.get("Keys:Make") or entry.get("XMP-tiff:Make")),
        "model": text(entry.get("IFD0:Model") or entry.get("Keys:Model") or entry.get("XMP-tiff:Model")),
        "latitude": entry.get("Composite:GPSLatitude"),
        "longitude": entry.get("Composite:GPSLongitude"),
        "altitude": entry.get("Composite:GPSAltitude"),
    }
    if not heif(entry):
        found["orientation"] = orientation if orientation in range(1, 9) else 1
    return found | date(entry)


def heif(entry):
    return entry.get("File:FileType") in ("HEIC", "HEIF", "AVIF")


def picture_size(entry):
    for group in ["Meta", "File", "PNG", "GIF", "RIFF", "Jpeg2000", "IFD0", "Track1", "Matroska"]:
        if f"{group}:ImageWidth" in entry:
            return entry[f"{group}:ImageWidth"], entry[f"{group}:ImageHeight"]
    if size := entry.get("Meta:ImageSpatialExtent"):
        return tuple(int(side) for side in str(size).replace("x", " ").split())
    size = entry.get("Composite:ImageSize")
    return tuple(int(side) for side in size.split()) if size else (None, None)


def date(entry):
    for tag in DATES:
        value = str(entry.get(tag, ""))
        match = re.match(
            r"(\d{4}):(\d\d):(\d\d)(?: (\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?)?(Z|[+-]\d\d:\d\d)?$", value)
        if not match or int(match[1]) < 1000:
            continue
        year, month, day, hour, minute, second, fraction, zone = match.groups()
        local = f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}{fraction or ''}"
        return {"localDate": local, "offset": "+00:00" if tag in IN_UTC else zone}
    return {"localDate": None, "offset": None}


def text(value):
    return str(value).strip() if value is not None and str(value).strip() else None


def ours(program, paths):
    output = subprocess.run([program, *paths], capture_output=True, text=True, check=True).stdout
    return {line["path"]: line for line in map(json.loads, output.splitlines())}


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) < 1e-6 * max(1, abs(a))
    return a == b


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--program", default=".build/release/read-metadata")
    parser.add_argument("--time", action="store_true", help="time both, interleaved")
    arguments = parser.parse_args()
    paths = sorted(str(path) for path in Path(arguments.folder).rglob("*") if path.is_file())
    theirs, mine = exiftool(arguments.folder), ours(arguments.program, paths)
    agreeing = different = 0
    for path in paths:
        if "format" not in mine[path] or path not in theirs:
            continue
        for name, value in theirs[path].items():
            if same(mine[path].get(name), value):
                agreeing += 1
            else:
                different += 1
                print(f"{path}: {name} is {mine[path].get(name)!r}, ExifTool: {value!r}")
    print(f"{agreeing} values agree, {different} differ")
    if arguments.time:
        timed = [[], []]
        for _ in range(5):
            for times, work in zip(timed, [lambda: ours(arguments.program, paths), lambda: exiftool(arguments.folder)]):
                start = time.perf_counter()
                work()
                times.append(time.perf_counter() - start)
        here, there = (sorted(times)[2] for times in timed)
        print(f"{len(paths)} files: {here:.3f} s, ExifTool {there:.3f} s, ratio {here / there:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
