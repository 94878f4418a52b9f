"""Thumbnails of many photos: batches, one process per file, quality, memory."""

import json
import math
import shutil
from pathlib import Path

import agree
import measure
import programs
from programs import VIEWPORT, find
from tasks import Contender, Task

COUNT = 200
SIZES = [128, 256, 512, 1024]
# The sizes whose quality is compared: also above and below a factor of two to the levels of a JPEG.
QUALITY_SIZES = [64, 128, 256, 300, 512, 900, 1024, 1500]


# What `vipsthumbnail` does, by PyPI's newest libvips: one process, and every file once for each size.
NEWEST = """
import os, sys, pyvips
folder, sizes, linear, *paths = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
for size in sizes.split(","):
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        image = pyvips.Image.thumbnail(path, int(size), height=int(size), linear=linear == "linear")
        image.write_to_file(f"{folder}/{name}-{size}.jpg")
"""


def photos(image, count, out):
    """Paths of hard links to one photo of 12 megapixels, so that the speed of the disk is not measured."""
    folder = out / f"photos-{count}"
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number:05}.jpg" for number in range(count)]
    for path in paths:
        if not path.exists():
            path.hardlink_to(image)
    return [str(path) for path in paths]


def tasks(image, out):
    paths = photos(Path(image).resolve(), COUNT, out)
    ours, theirs = out / "thumbnails-ours", out / "thumbnails-vips"
    vips = find("vipsthumbnail")
    first = Path(paths[0]).stem

    def batch(sizes, *more):
        options = [option for size in sizes for option in ("--size", size)]
        return Contender(
            " ".join(["viewport thumbnail", *more]),
            [VIEWPORT, "thumbnail", *options, *more, "-o", ours / "{stem}-{size}.jpg", *paths],
            ours / f"{first}-{sizes[0]}.jpg",
            clean=[ours],
        )

    def runs(sizes):
        # vipsthumbnail does not make the folder; the shell does that, and starts it once for each size.
        steps = "; ".join(f'"$0" -s {size} -o "$folder/%s-{size}.jpg" "$@"' for size in sizes)
        command = ["sh", "-c", f'folder={theirs}; mkdir -p "$folder"; {steps}', vips, *paths]
        name = "vipsthumbnail" if len(sizes) == 1 else f"{len(sizes)} runs of vipsthumbnail"
        return Contender(
            name, command if vips else None, theirs / f"{first}-{sizes[0]}.jpg", "like", 30, clean=[theirs]
        )

    newest_out = out / "thumbnails-newest"

    def newest(sizes, files=paths, linear=""):
        """The newest libvips, where it is installed: it comes before that of the system, so that targets refer to it."""
        if not (found := programs.newest_vips()):
            return []
        python, version = found
        command = [python, "-c", NEWEST, newest_out, ",".join(map(str, sizes)), linear, *files]
        output = newest_out / f"{first}-{sizes[0]}.jpg"
        return [Contender(f"libvips {version}", command, output, "like", 30, clean=[newest_out])]

    def alone(name, program, arguments, output, folder):
        loop = f'mkdir -p {folder}; for photo; do "$0" {arguments} "$photo"; done'
        command = ["sh", "-c", loop, program, *paths[:20]]
        return Contender(name, command if program else None, output, "like", 30, clean=[folder])

    yield Task(
        "thumbnails-256",
        f"{COUNT} photos of 12 megapixels to 256",
        "12",
        [batch([256]), *newest([256]), runs([256])],
        time=0.45,
    )
    for size in (256, 512, 1024):
        yield Task(
            f"thumbnail-{size}",
            f"one photo of 12 megapixels to {size}",
            "12",
            [
                Contender(
                    "viewport thumbnail",
                    [VIEWPORT, "thumbnail", paths[0], "-s", size, "-o", ours / "one.jpg"],
                    ours / "one.jpg",
                    clean=[ours],
                ),
                *newest([size], paths[:1]),
                Contender(
                    "vipsthumbnail",
                    [vips, paths[0], "-s", size, "-o", out / "vips-one.jpg"] if vips else None,
                    out / "vips-one.jpg",
                    "like",
                    30,
                ),
            ],
            time=0.45,
            cpu=0.45,
        )
    for size in (512, 1024):
        yield Task(
            f"thumbnails-{size}",
            f"{COUNT} photos of 12 megapixels to {size}",
            "12",
            [batch([size]), *newest([size]), runs([size])],
            time=0.45,
        )
    yield Task(
        "thumbnails-linear",
        f"{COUNT} photos of 12 megapixels to 256 in linear light",
        "12",
        [batch([256], "--linear"), batch([256]), *newest([256], linear="linear")],
        time=1.3,
    )
    yield Task(
        "thumbnails-4",
        f"{COUNT} photos of 12 megapixels to {', '.join(map(str, SIZES))}",
        "12",
        [batch(SIZES), *newest(SIZES), runs(SIZES)],
        time=0.25,
    )
    yield Task(
        "thumbnails-alone",
        "20 photos to 256, one process per photo",
        "12",
        [
            alone("viewport", VIEWPORT, f"thumbnail -s 256 -o '{ours}/{{stem}}.jpg'", ours / f"{first}.jpg", ours),
            alone("vipsthumbnail alone", vips, f"-s 256 -o '{theirs}/%s.jpg'", theirs / f"{first}.jpg", theirs),
        ],
        time=0.5,
    )


def markdown(image, out, say):
    """Quality and memory."""
    lines = ["", "| thumbnails | viewport | vipsthumbnail | target |", "|---|---|---|---|"]
    for linear in ([], ["--linear"]):
        for size in QUALITY_SIZES:
            ours, theirs = quality(image, size, out, linear)
            name = " ".join([str(size), *linear])
            say(f"{name}: {ours:.2f} dB, vipsthumbnail {theirs:.2f} dB")
            lines.append(
                f"| PSNR of {name} compared with lanczos3 of all pixels, dB | {ours:.2f} | {theirs:.2f} | at most 0.5 less |"
            )
    few, many = (memory(image, count, out) for count in (500, 5000))
    say(f"peak memory after 5000 files: {many / few:.2f} times the peak after 500")
    lines.append(f"| peak memory after 5,000 files / after 500 | {many / few:.2f} ({many:.0f} MB) | | 1.1 |")
    return "\n".join(lines) + "\n"


def quality(image, size, out, linear):
    """PSNR of both programs, written losslessly, compared with resampling all pixels in one step, in floats."""
    ours, theirs = out / f"quality-{size}.png", out / f"quality-vips-{size}.png"
    for command in [
        [VIEWPORT, "thumbnail", image, "--size", size, *linear, "--overwrite", "-o", ours],
        [find("vipsthumbnail"), image, "-s", size, *linear, "-o", str(theirs.resolve())],
    ]:
        done = measure.run(command)
        if done.failure:
            raise RuntimeError(done.failure)
    whole = agree.Image.open(image).convert("RGB")
    made = [agree.Image.open(path).convert("RGB") for path in (ours, theirs)]
    reference = reduced(whole, made[0].size, bool(linear))
    return [psnr(reference, picture) for picture in made]


def psnr(reference, picture):
    """Of a picture and bands of floats: rounding them would limit the figure of an exact picture, too."""
    total = 0.0
    for band, exact in zip(picture.split(), reference):
        total += sum((a - min(max(b, 0), 255)) ** 2 for a, b in zip(band.getdata(), exact.getdata()))
    count = 3 * picture.width * picture.height
    return 10 * math.log10(255 * 255 * count / total) if total else math.inf


def reduced(image, size, linear):
    """All pixels in one step: the samples, or their light on sRGB's curve, as bands of floats."""
    if not linear:
        lanczos = agree.Image.Resampling.LANCZOS
        return [band.convert("F").resize(size, lanczos) for band in image.split()]

    def light(sample):
        sample /= 255
        return sample / 12.92 if sample <= 0.04045 else ((sample + 0.055) / 1.055) ** 2.4

    def sample(light):
        light = min(max(light, 0), 1)
        return 255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055)

    table = [light(value) for value in range(256)]
    bands = []
    for band in image.split():
        resized = band.point(table, "F").resize(size, agree.Image.Resampling.LANCZOS)
        bands.append(agree.Image.new("F", size))
        bands[-1].putdata([sample(value) for value in resized.getdata()])
    return bands


def memory(image, count, out):
    """The peak memory of a batch in megabytes."""
    paths = photos(Path(image).resolve(), count, out)
    listed, made = out / f"list-{count}.jsonl", out / "thumbnails-memory"
    listed.write_text("".join(json.dumps({"path": path}) + "\n" for path in paths))
    shutil.rmtree(made, ignore_errors=True)
    done = measure.run(
        [VIEWPORT, "thumbnail", "--manifest", listed, "--size", 256, "-o", made / "{stem}.jpg"], limit=3600
    )
    if done.failure:
        raise RuntimeError(done.failure)
    shutil.rmtree(made, ignore_errors=True)
    return done.megabytes
