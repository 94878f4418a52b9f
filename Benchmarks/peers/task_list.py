"""The tasks, in the order of the report.

To add a task, write a function here that takes a `Bench` and returns a `Task`, and name it in `tasks` of compare.py.
The first contender is viewport, the second is the one the targets refer to: `bench.ours` and `bench.peer` make them.
`agrees` states how the peer's output is compared before anything is timed. Programs that are not installed are left
out of the report, with a note.
"""

from programs import find
from tasks import HEIGHT, WIDTH, Task


def crop_cold(bench):
    return Task(
        "crop-cold",
        f"crop {WIDTH}x{HEIGHT}, deep in the file, to PNG",
        bench.label,
        [bench.render("ours.png"), *bench.crops()],
        time=0.12,
        memory=0.30,
    )


def crop_warm(bench):
    return Task(
        "crop-warm",
        "the same with a saved index",
        bench.label,
        [
            bench.render("ours-warm.png", warm=True),
            *bench.newest_crop("newest-warm.png", "like", 45),
            bench.vips_crop("[access=sequential]", "vips-warm.png"),
        ],
        time=0.05,
        before=bench.index(),
        needs="index",
    )


def crop_turned(bench):
    """Orientation 6; libvips rotates it first, on disk, or while loading, in memory."""
    return Task(
        "crop-turned",
        "crop of an image of orientation 6",
        bench.label,
        [bench.render("ours.png"), bench.turned_in_two_steps(), bench.vips_crop("[autorotate]", "vips.png")],
        time=0.08,
    )


def turned_beside_upright(turned, upright):
    """Both crops are of the same stored pixels."""
    rect = f"{upright.height - upright.y - HEIGHT},{upright.x},{HEIGHT},{WIDTH}"
    ours = turned.render("ours.png", rect=rect)
    straight = upright.render("upright.png")
    straight.name, straight.agrees = "viewport, upright", "nothing"
    return Task(
        "crop-turned-upright", "crop of orientation 6 beside upright", turned.label, [ours, straight], time=1.0
    )


def fitted(bench):
    ours = bench.ours(
        "viewport", ["render", bench.image, "-o", bench.out / "ours.jpg"], "ours.jpg"
    )
    return Task("fit-1024", "whole image fitted to 1024", bench.label, [ours, *bench.fitted()], time=0.30, memory=1.2)


def lossless(bench, warm):
    name = "ours-warm.jpg" if warm else "ours.jpg"
    arguments = ["render", bench.image, "--rect", bench.rect, "--lossless", "-o", bench.out / name]
    return Task(
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
    """An index, compared with a pyramid of JPEG tiles, the smallest that libvips writes."""
    output = bench.out / "pyramid.tif"
    # The size of the cache is the size on disk.
    ours = bench.ours("viewport index", ["index", bench.image], "cache-cold", agrees="nothing")
    peer = bench.peer(
        "vips tiffsave --pyramid",
        find("vips"),
        ["tiffsave", bench.image, output, "--tile", "--pyramid", "--compression", "jpeg"],
        "pyramid.tif",
        "nothing",
    )
    newest = bench.newest_pyramid("nothing")
    return Task(
        "ready", "preparation for viewing", bench.label, [ours, *newest, peer], time=0.08, disk=0.01, needs="index"
    )


def tiles(bench):
    ours = bench.out / "ours.dzi"
    files = [bench.out / "ours_files", bench.out / "vips_files"]
    statement = "pyvips.Image.new_from_file(file, access='sequential').dzsave(out[:-4], suffix='.jpg')"
    newest = bench.newest(statement, [], "newest.dzi", "tiles", 30, [bench.out / "newest_files"])
    return Task(
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
            *newest,
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


def site(bench):
    """A static IIIF image; ours also has the whole picture at every level."""
    ours, theirs = bench.out / "ours-site", bench.out / "vips-site"
    return Task(
        "site",
        "IIIF site",
        bench.label,
        [
            bench.ours(
                "viewport pyramid",
                ["pyramid", bench.image, "-o", ours, "--overwrite"],
                "ours-site",
                agrees="nothing",
                clean=[ours],
            ),
            bench.peer(
                "vips dzsave --layout iiif3",
                find("vips"),
                ["dzsave", bench.image, theirs, "--layout", "iiif3"],
                "vips-site",
                "nothing",
                clean=[theirs],
            ),
        ],
        time=0.6,
        memory=1.2,
        needs="pyramid",
    )


def small_png(bench, source):
    """A PNG of 100x100 pixels, written again: mostly the start of a program."""
    made = bench.peer(
        "vips crop", find("vips"), ["crop", source, bench.image, 0, 0, 100, 100], "none", "nothing"
    )
    return Task(
        "png-100",
        "PNG of 100x100 pixels, written again",
        bench.label,
        [
            bench.ours(
                "viewport render",
                ["render", bench.image, "-o", bench.out / "ours-100.png", "--overwrite"],
                "ours-100.png",
            ),
            bench.peer(
                "gm convert",
                find("gm"),
                ["convert", bench.image, bench.out / "gm-100.png"],
                "gm-100.png",
            ),
        ],
        time=1.5,
        before=made,
    )


def start(bench):
    """The cost of starting a program."""
    return Task(
        "start",
        "start-up only",
        "none",
        [
            bench.ours("viewport --version", ["--version"], "none", agrees="nothing"),
            bench.peer("vips --version", find("vips"), ["--version"], "none", "nothing"),
            bench.ours("viewport info", ["info", bench.image], "none", agrees="nothing"),
        ],
    )
