"""Compares the outputs of a task, before anything is timed."""

from math import inf, log10
from pathlib import Path

from PIL import Image, ImageChops, ImageStat

Image.MAX_IMAGE_PIXELS = None


def disagreement(ours, theirs):
    """The difference between two outputs as a text; None if they agree."""
    if theirs.agrees == "nothing":
        return None
    if theirs.agrees == "tiles":
        return tiles(ours.output, theirs)
    return pictures(ours.output, theirs.output, theirs.agrees, theirs.decibels)


def pictures(ours, theirs, agrees, decibels):
    a, b = Image.open(ours).convert("RGB"), Image.open(theirs).convert("RGB")
    if a.size != b.size:
        return f"{b.size[0]}x{b.size[1]}, ours {a.size[0]}x{a.size[1]}"
    if agrees == "inside":
        inner = (16, 16, a.size[0] - 16, a.size[1] - 16)
        a, b = a.crop(inner), b.crop(inner)
    difference = ImageChops.difference(a, b)
    if agrees == "like":
        found = psnr(difference)
        return None if found >= decibels else f"{found:.1f} dB, {decibels} required"
    box = difference.getbbox()
    return None if box is None else f"pixels differ in {box}, {psnr(difference):.1f} dB"


def psnr(difference):
    squares = [value**2 for value in ImageStat.Stat(difference).rms]
    error = sum(squares) / len(squares)
    return inf if error == 0 else 10 * log10(255**2 / error)


def tiles(ours, contender):
    """Compares the names of all tiles, and the pixels of one middle level."""
    a, b = (folder(path) for path in [ours, contender.output])
    names = [sorted(str(tile.relative_to(place)) for tile in place.glob("*/*_*")) for place in [a, b]]
    if names[0] != names[1]:
        return f"{len(names[1])} tiles, ours {len(names[0])}, or names differ"
    level = max(int(name.split("/")[0]) for name in names[0]) - 2
    for name in names[0]:
        if name.startswith(f"{level}/"):
            if wrong := pictures(a / name, b / name, "like", contender.decibels):
                return f"tile {name}: {wrong}"
    return None


def folder(descriptor):
    return Path(descriptor).with_name(Path(descriptor).stem + "_files")
