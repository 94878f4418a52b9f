"""The table of works, in the order of the report.

To add a work: write a function here that takes a `Bench` and returns a `Work` whose first contestant is ours and
whose second is what the target is against (`bench.ours` and `bench.peer` make them; `agrees` says how the peer's
output is compared before anything is timed), and name it in `works` of compare.py. A program that is not installed
is left out of the report, with a line that says so.
"""

from programs import find
from works import HEIGHT, WIDTH, Work


def crop_cold(bench):
    return Work(
        "crop-cold",
        f"crop {WIDTH}x{HEIGHT}, deep in the file, to PNG",
        bench.label,
        [bench.render("ours.png"), *bench.crops()],
        time=0.25,
        memory=0.20,
    )


def crop_warm(bench):
    return Work(
        "crop-warm",
        "the same with a saved index",
        bench.label,
        [bench.render("ours-warm.png", warm=True), bench.vips_crop("[access=sequential]", "vips-warm.png")],
        time=0.08,
        before=bench.index(),
        needs="index",
    )


def crop_turned(bench):
    """The file lies on its side; libvips turns it first, on disk, or while loading, in memory."""
    return Work(
        "crop-turned",
        "crop of an image of orientation 6",
        bench.label,
        [bench.render("ours.png"), bench.turned_in_two_steps(), bench.vips_crop("[autorotate]", "vips.png")],
        time=0.08,
    )


def fitted(bench):
    ours = bench.ours(
        "viewport", ["render", bench.image, "-o", bench.out / "ours.jpg"], "ours.jpg"
    )
    return Work("fit-1024", "whole image fitted to 1024", bench.label, [ours, *bench.fitted()], time=0.6)


def lossless(bench, warm):
    name = "ours-warm.jpg" if warm else "ours.jpg"
    arguments = ["render", bench.image, "--rect", bench.rect, "--lossless", "-o", bench.out / name]
    return Work(
        "lossless-warm" if warm else "lossless-cold",
        "lossless crop" + (" with a saved index" if warm else ""),
        bench.label,
        [
            bench.ours("viewport --lossless", arguments, name, warm),
            bench.peer(
                "jpegtran -crop",
                find("jpegtran"),
                ["-crop", bench.geometry, "-outfile", bench.out / "jpegtran.jpg", bench.image],
                "jpegtran.jpg",
            ),
        ],
        time=0.03 if warm else None,
        before=bench.index() if warm else None,
        needs="index" if warm else None,
    )


def ready(bench):
    """An index and an overview against a pyramid of JPEG tiles, the smallest that libvips writes."""
    output = bench.out / "pyramid.tif"
    # What is left in the cache is what it takes on disk.
    ours = bench.ours("viewport index", ["index", bench.image], "cache-cold", agrees="nothing")
    peer = bench.peer(
        "vips tiffsave --pyramid",
        find("vips"),
        ["tiffsave", bench.image, output, "--tile", "--pyramid", "--compression", "jpeg"],
        "pyramid.tif",
        "nothing",
    )
    return Work(
        "ready", "make ready for viewing", bench.label, [ours, peer], time=0.08, disk=0.01, needs="index"
    )


def tiles(bench):
    ours = bench.out / "ours.dzi"
    files = [bench.out / "ours_files", bench.out / "vips_files"]
    return Work(
        "pyramid",
        "Deep Zoom pyramid",
        bench.label,
        [
            bench.ours(
                "viewport pyramid",
                ["pyramid", bench.image, "-o", ours, "--overwrite"],
                "ours.dzi",
                agrees="tiles",
                clean=files[:1],
            ),
            bench.peer(
                "vips dzsave",
                find("vips"),
                ["dzsave", bench.image, bench.out / "vips", "--suffix", ".jpg"],
                "vips.dzi",
                "tiles",
                30,
                files[1:],
            ),
        ],
        needs="pyramid",
    )


def start(bench):
    """What a program takes that does nothing."""
    return Work(
        "start",
        "start, and nothing else",
        "none",
        [
            bench.ours("viewport --version", ["--version"], "none", agrees="nothing"),
            bench.peer("vips --version", find("vips"), ["--version"], "none", "nothing"),
            bench.ours("viewport info", ["info", bench.image], "none", agrees="nothing"),
        ],
    )
