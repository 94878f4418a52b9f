"""The works: what is done, by whom, and what is to be reached."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import programs
from programs import PYTHON, VIEWPORT, find, image_magick

# The viewport of all crops.
WIDTH, HEIGHT = 2048, 1536


@dataclass
class Contestant:
    """A program that does a work, and how its output must agree with ours."""

    name: str
    command: list | None
    output: Path
    # How its output agrees with ours: "equal", "inside" (equal but for the edge), "like" (no fewer decibels
    # of PSNR), "tiles" (the same files, alike) or "nothing" (it cannot be compared).
    agrees: str = "equal"
    decibels: float = 0
    environment: dict = field(default_factory=dict)
    # Folders that are removed before every run, outside of its time.
    clean: list = field(default_factory=list)
    # Why there is no command.
    absent: str = "not installed"

    def prepare(self):
        for path in self.clean:
            shutil.rmtree(path, ignore_errors=True)


@dataclass
class Work:
    """One row of the table: the first contestant is ours, the second is what the target is against."""

    name: str
    title: str
    image: str
    contestants: list
    time: float | None = None
    memory: float | None = None
    disk: float | None = None
    # Done once before: what makes a work warm.
    before: list | None = None
    needs: str | None = None
    # Seconds of a processor after which a program is ended.
    limit: int = 300


class Bench:
    """One image and the folder that its outputs go to."""

    def __init__(self, image, size, out, deep=(0.75, 0.88)):
        """`size` is the upright one; the viewport lies at the share `deep` of the way to its far corner."""
        self.image, self.label, self.out = str(image), Path(image).stem, out
        self.width, self.height = size
        # On the grid of JPEG's blocks, so that everybody can cut there.
        self.x = int(deep[0] * (self.width - WIDTH)) // 16 * 16
        self.y = int(deep[1] * (self.height - HEIGHT)) // 16 * 16
        self.rect = f"{self.x},{self.y},{WIDTH},{HEIGHT}"
        self.box = [self.x, self.y, WIDTH, HEIGHT]
        self.geometry = f"{WIDTH}x{HEIGHT}+{self.x}+{self.y}"

    def ours(self, name, arguments, output, warm=False, agrees="equal", clean=()):
        """Our program, with a cache that is empty, or that of the runs before."""
        cache = self.out / ("cache-warm" if warm else "cache-cold")
        return Contestant(
            name,
            [VIEWPORT, *arguments],
            self.out / output,
            agrees,
            environment={"XDG_CACHE_HOME": str(cache)},
            clean=[*clean] if warm else [cache, *clean],
        )

    def peer(self, name, program, arguments, output, agrees="equal", decibels=0, clean=()):
        command = [program, *arguments] if program else None
        return Contestant(name, command, self.out / output, agrees, decibels, clean=[*clean])

    def index(self):
        return self.ours("viewport index", ["index", self.image], "none", warm=True)

    # Crops

    def render(self, output, rect=None, warm=False):
        where = ["--rect", rect or self.rect]
        return self.ours("viewport", ["render", self.image, *where, "-o", self.out / output], output, warm)

    def vips_crop(self, options, output):
        return self.peer(
            f"vips crop {options}".strip(),
            find("vips"),
            ["crop", self.image + options, self.out / output, *self.box],
            output,
        )

    def turned_in_two_steps(self):
        steps = '"$0" autorot "$1" "$2" && "$0" crop "$2" "$3" $4 $5 $6 $7'
        files = [self.image, self.out / "turned.v", self.out / "two-steps.png"]
        vips = find("vips")
        arguments = ["-c", steps, vips, *files, *self.box]
        return self.peer("vips autorot, then crop", vips and "sh", arguments, "two-steps.png")

    def crops(self):
        magick = ["-crop", self.geometry, "+repage"]
        pillow = (
            "import sys; from PIL import Image; Image.MAX_IMAGE_PIXELS = None\n"
            "file, out, x, y, w, h = sys.argv[1:3] + [int(v) for v in sys.argv[3:]]\n"
            "Image.open(file).crop((x, y, x + w, y + h)).save(out)"
        )
        pyvips = (
            "import sys, pyvips\n"
            "file, out, x, y, w, h = sys.argv[1:3] + [int(v) for v in sys.argv[3:]]\n"
            "pyvips.Image.new_from_file(file, access='sequential').crop(x, y, w, h).write_to_file(out)"
        )
        contestants = [
            self.vips_crop("[access=sequential]", "vips-sequential.png"),
            self.vips_crop("", "vips.png"),
            self.peer(
                "djpeg -crop (PPM)",
                find("djpeg"),
                ["-crop", self.geometry, "-outfile", self.out / "djpeg.ppm", self.image],
                "djpeg.ppm",
                # It knows no chroma beyond its edges.
                "inside",
            ),
            self.python("pyvips", pyvips, self.box, "pyvips.png"),
            self.python("Pillow", pillow, self.box, "pillow.png", "like", 45, module="PIL"),
            self.peer(
                "ImageMagick",
                image_magick(),
                [self.image, *magick, self.out / "magick.png"],
                "magick.png",
                "like",
                45,
            ),
            self.peer(
                "GraphicsMagick",
                find("gm"),
                ["convert", self.image, *magick, self.out / "gm.png"],
                "gm.png",
                "like",
                45,
            ),
        ]
        # These hold all pixels, ImageMagick and its kin eight bytes for each.
        if self.width * self.height > 400_000_000:
            for contestant in contestants[-3:]:
                contestant.command, contestant.absent = None, "decodes the whole image, not tried at this size"
        return contestants

    def python(self, name, text, arguments, output, agrees="equal", decibels=0, module=None):
        program = PYTHON if programs.module(module or name) else None
        arguments = ["-c", text, self.image, self.out / output, *arguments]
        return self.peer(name, program, arguments, output, agrees, decibels)

    # Whole images

    def fitted(self):
        pillow = (
            "import sys; from PIL import Image; Image.MAX_IMAGE_PIXELS = None\n"
            "image = Image.open(sys.argv[1]); image.thumbnail((1024, 1024), Image.LANCZOS)\n"
            "image.save(sys.argv[2])"
        )
        pyvips = (
            "import sys, pyvips; pyvips.Image.thumbnail(sys.argv[1], 1024).write_to_file(sys.argv[2])"
        )
        fit = ["-resize", "1024x1024"]
        return [
            self.peer(
                "vipsthumbnail -s 1024",
                find("vipsthumbnail"),
                [self.image, "-s", "1024", "-o", self.out / "thumbnail.jpg"],
                "thumbnail.jpg",
                "like",
                30,
            ),
            self.peer(
                "vips thumbnail",
                find("vips"),
                ["thumbnail", self.image, self.out / "vips-thumbnail.jpg", 1024],
                "vips-thumbnail.jpg",
                "like",
                30,
            ),
            self.peer(
                "djpeg -scale 1/8 (PPM, not 1024)",
                find("djpeg"),
                ["-scale", "1/8", "-outfile", self.out / "eighth.ppm", self.image],
                "eighth.ppm",
                "nothing",
            ),
            self.python("pyvips", pyvips, [], "pyvips.jpg", "like", 30),
            self.python("Pillow", pillow, [], "pillow.jpg", "like", 28, module="PIL"),
            self.peer(
                "ImageMagick",
                image_magick(),
                ["-define", "jpeg:size=2048x2048", self.image, *fit, self.out / "magick.jpg"],
                "magick.jpg",
                "like",
                28,
            ),
            self.peer(
                "GraphicsMagick",
                find("gm"),
                ["convert", "-size", "2048x2048", self.image, *fit, self.out / "gm.jpg"],
                "gm.jpg",
                "like",
                28,
            ),
        ]
