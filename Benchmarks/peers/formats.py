"""Tasks for formats other than a plain JPEG: crops with and without an index, thumbnails, pyramid TIFFs, PNG output.

All images are made from one JPEG of 63 megapixels; HEICs are your own, from `--corpus`.
"""

import json
import subprocess
from pathlib import Path

import measure
from programs import VIEWPORT, find
from tasks import Bench, Contender, Task

# Stored width and height of 63.jpg, as in run.
SIZE = (9216, 6912)
SMALL = (4000, 3000)
PANORAMA = (20000, 10000)


def tasks(images, corpus, out, say):
    made = made_images(images, out, say)
    if "progressive" in made:
        bench = Bench(made["progressive"], SIZE, out)
        yield crop("progressive", "a progressive JPEG", bench, time=0.20, memory=0.20)
        yield crop("progressive", "a progressive JPEG", bench, time=0.05, warm=True)
    if "small-progressive" in made:
        yield thumbnail("progressive", "a progressive JPEG", [made["small-progressive"]], out, time=0.25)
    for kind, what in [("png", "a PNG with all filters"), ("png-plain", "a PNG without filters")]:
        if kind in made:
            bench = Bench(made[kind], SIZE, out)
            yield crop(kind, what, bench, time=0.45, memory=0.8)
            yield crop(kind, what, bench, time=0.10, warm=True)
    for kind, what in [("tiff-jpeg", "a TIFF of JPEG tiles"), ("tiff-deflate", "a TIFF of deflated tiles")]:
        if kind in made:
            yield crop(kind, what, Bench(made[kind], SIZE, out), time=0.5, memory=1.1)
    for kind, what in [
        ("progressive", "a progressive JPEG"),
        ("png", "a PNG with all filters"),
        ("tiff-deflate", "a TIFF of deflated tiles"),
        ("tiff-strips", "an uncompressed TIFF of strips"),
        ("webp", "a WebP"),
    ]:
        if kind in made:
            yield fitted(kind, what, Bench(made[kind], SIZE, out))
    if "cmyk" in made:
        yield crop("cmyk", "a CMYK JPEG", Bench(made["cmyk"], SIZE, out))
    yield pyramid_tiff(Bench(images / "63.jpg", SIZE, out), 30)
    if (images / "300.jpg").exists():
        yield pyramid_tiff(Bench(images / "300.jpg", (20000, 15000), out))
    if "panorama" in made:
        bench = Bench(made["panorama"], PANORAMA, out)
        yield look(bench, time=0.15, memory=0.15)
        yield look(bench, time=0.05, warm=True)
    if "crop" in made:
        yield png_small(made["crop"], out)
        yield png_fast(made["crop"], out)
    if corpus:
        yield from heif(corpus, out)


def made_images(images, out, say):
    """The paths of the images, made by libvips where they are missing."""
    vips, folder = find("vips"), images / "formats"
    if not vips or not (images / "63.jpg").exists():
        say("formats: no vips, or no image of 63 megapixels")
        return {}
    folder.mkdir(parents=True, exist_ok=True)
    full, small = images / "63.jpg", folder / "small.png"
    recipes = {
        "progressive": ("progressive.jpg", ["jpegsave", full, "--interlace", "--Q", "90"]),
        "png": ("63.png", ["pngsave", full, "--filter", "248"]),
        "png-plain": ("63-plain.png", ["pngsave", full]),
        "tiff-jpeg": ("63-jpeg.tif", ["tiffsave", full, "--tile", "--tile-width", "256", "--tile-height", "256",
                                      "--compression", "jpeg"]),
        "tiff-deflate": ("63-deflate.tif", ["tiffsave", full, "--tile", "--tile-width", "256", "--tile-height",
                                            "256", "--compression", "deflate"]),
        "tiff-strips": ("63-strips.tif", ["tiffsave", full]),
        "webp": ("63.webp", ["webpsave", full]),
        "cmyk": ("cmyk.jpg", ["icc_transform", full, "cmyk", "--input-profile", "srgb"]),
        "small": (small.name, ["crop", full, *map(str, (0, 0, *SMALL))]),
        "small-progressive": ("small-progressive.jpg", ["jpegsave", small, "--interlace", "--Q", "90"]),
        "crop": ("crop.png", ["crop", full, "4096", "3072", "2048", "1536"]),
        "tiled": ("tiled.jpg", ["replicate", full, "3", "2"]),
        "panorama": ("panorama.jpg", ["crop", folder / "tiled.jpg", *map(str, (0, 0, *PANORAMA))]),
    }
    made = {}
    for name, (file, (operation, source, *rest)) in recipes.items():
        path = folder / file
        if not path.exists():
            # A killed run leaves no image that looks finished.
            part = path.with_name("part-" + file)
            done = measure.run([vips, operation, source, part, *rest])
            if done.failure:
                say(f"formats: no {file}: {done.failure}")
                continue
            part.rename(path)
        made[name] = path
    return made


def crop(kind, what, bench, time=None, memory=None, warm=False):
    name = f"crop-{kind}" + ("-indexed" if warm else "")
    # Libraries differ in the last bit of upsampled and converted colors.
    vips = bench.peer(
        "vips crop",
        find("vips"),
        ["crop", bench.image, bench.out / "vips.png", *bench.box],
        "vips.png",
        "like",
        45,
    )
    return Task(
        name,
        f"crop 2048x1536 of {what}" + (" with a saved index" if warm else ""),
        bench.label,
        [
            bench.render("ours-warm.png" if warm else "ours.png", warm=warm),
            *bench.newest_crop("newest.png", "like", 45),
            vips,
        ],
        time=time,
        memory=memory,
        before=bench.index() if warm else None,
        needs="index" if warm else None,
    )


def look(bench, time=None, memory=None, warm=False):
    """A flat view of a panorama. v360 takes single samples, so its pictures are only alike in broad shapes."""
    output = "ours-look-warm.png" if warm else "ours-look.png"
    view = ["--no-orient", "--panorama", "--look", "30,-10", "--fov", "90", "--size", "1920x1080"]
    cache = [] if warm else ["--no-cache"]
    ours = bench.ours("viewport", ["render", bench.image, *view, *cache, "-o", bench.out / output], output, warm)
    # The vertical field of view of 16:9: 2 atan(9/16).
    v360 = "v360=e:flat:yaw=30:pitch=-10:h_fov=90:v_fov=58.7155:w=1920:h=1080:interp=lanczos"
    peer = bench.peer(
        "ffmpeg v360",
        find("ffmpeg"),
        ["-v", "error", "-y", "-noautorotate", "-i", bench.image, "-vf", v360, "-frames:v", "1", "-pix_fmt", "rgb24",
         bench.out / "v360.png"],
        "v360.png",
        "like",
        20,
    )
    return Task(
        "look" + ("-indexed" if warm else ""),
        "look of 90 degrees into a panorama, 1920x1080" + (" with a saved index" if warm else ""),
        bench.label,
        [ours, peer],
        time=time,
        memory=memory,
        before=bench.index() if warm else None,
        needs="index" if warm else None,
    )


def fitted(kind, what, bench):
    """The whole image in 1024."""
    ours = bench.ours("viewport", ["render", bench.image, "--no-cache", "-o", bench.out / "ours.jpg"], "ours.jpg")
    return Task(
        f"fit-1024-{kind}",
        f"whole image of {what} fitted to 1024",
        bench.label,
        [ours, *(one for one in bench.fitted() if one.name.startswith(("libvips", "vipsthumbnail")))],
        time=0.6,
        memory=1.2,
    )


def thumbnail(kind, what, files, out, time=None, cpu=None, agrees="like"):
    """Thumbnails of 256 pixels, in one process."""
    ours, theirs = out / f"{kind}-ours", out / f"{kind}-vips"
    stem = Path(files[0]).stem
    vips = find("vipsthumbnail")
    steps = 'mkdir -p "$1"; folder=$1; shift; "$0" -s 256 -o "$folder/%s.jpg" "$@"'
    peer = ["sh", "-c", steps, vips, theirs, *files] if vips else None
    return Task(
        f"thumbnail-{kind}",
        f"256 pixels of {what}",
        stem if len(files) == 1 else f"{len(files)} files",
        [
            Contender(
                "viewport thumbnail",
                [VIEWPORT, "thumbnail", "-s", 256, "-o", ours / "{stem}.jpg", *files],
                ours / f"{stem}.jpg",
                clean=[ours],
            ),
            Contender("vipsthumbnail", peer, theirs / f"{stem}.jpg", agrees, 25, clean=[theirs]),
        ],
        time=time,
        cpu=cpu,
    )


def pyramid_tiff(bench, decibels=None):
    """At 300 megapixels the outputs are too large to compare."""
    agrees = "like" if decibels else "nothing"
    ours = bench.ours(
        "viewport pyramid",
        ["pyramid", bench.image, "-o", bench.out / "ours.tif", "--overwrite"],
        "ours.tif",
        agrees="nothing",
    )
    peer = bench.peer(
        "vips tiffsave --pyramid",
        find("vips"),
        ["tiffsave", bench.image, bench.out / "vips.tif", "--tile", "--pyramid", "--compression", "jpeg"],
        "vips.tif",
        agrees,
        decibels or 0,
    )
    newest = bench.newest_pyramid(agrees, decibels or 0)
    return Task(
        "pyramid-tiff",
        "pyramid TIFF of JPEG tiles",
        bench.label,
        [ours, *newest, peer],
        time=0.4,
        memory=0.5,
        needs="pyramid",
    )


def png_small(image, out):
    def ours(name):
        return Contender(
            "viewport --compression small",
            [VIEWPORT, "render", image, "--compression", "small", "-o", out / name, "--overwrite"],
            out / name,
        )

    optipng, vips = find("optipng"), find("vips")
    arguments = ["-o2", "-force", "-quiet", "-clobber", "-out", out / "optipng.png", image]
    contenders = [
        ours("small.png"),
        Contender("optipng -o2", [optipng, *arguments] if optipng else None, out / "optipng.png"),
        Contender(
            "vips pngsave, compression 9",
            [vips, "pngsave", image, out / "best.png", "--compression", "9", "--filter", "248"],
            out / "best.png",
        ),
    ]
    return Task("png-small", "PNG output, small", "2048x1536", contenders, disk=1.0)


def png_fast(image, out):
    def ours(compression):
        path = out / f"{compression}.png"
        return Contender(
            f"viewport --compression {compression}",
            [VIEWPORT, "render", image, "--compression", compression, "-o", path, "--overwrite"],
            path,
        )

    return Task(
        "png-fast", "PNG output, fast, with reading", "2048x1536", [ours("fast"), ours("default")]
    )


def heif(corpus, out):
    """The HEICs of a folder: all of them to 256 pixels, and a small crop of the largest."""
    found = sorted(path for path in corpus.rglob("*") if path.suffix.lower() in (".heic", ".heif"))
    sizes = {path: size for path in found if (size := upright_size(path))}
    if not sizes:
        return
    files = [str(path) for path in sizes]
    yield thumbnail("heic", "each HEIC", files, out, cpu=1.0, agrees="nothing")
    path = max(sizes, key=lambda path: sizes[path][0] * sizes[path][1])
    if min(sizes[path]) < 1024:
        return
    bench = Bench(path, sizes[path], out)
    box = [sizes[path][0] // 2, sizes[path][1] // 2, 512, 512]
    yield Task(
        "crop-heif",
        "crop 512x512 of a HEIF",
        path.stem,
        [
            bench.render("ours.png", rect=",".join(map(str, box))),
            bench.peer(
                "vips crop", find("vips"), ["crop", path, out / "vips.png", *box], "vips.png", "like", 30
            ),
        ],
        time=0.15,
        memory=0.25,
    )


def upright_size(path):
    """The size of an image; None where viewport cannot read it."""
    done = subprocess.run([VIEWPORT, "info", path, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return None
    described = json.loads(done.stdout.splitlines()[0])
    return described["width"], described["height"]
