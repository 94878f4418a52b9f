"""Tasks: the commands of each program, and the targets."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import programs
from programs import PYTHON, VIEWPORT, find, image_magick

# The size of all crops.
WIDTH, HEIGHT = 2048, 1536


@dataclass
class Contender:
    """A program that does a task, and how its output must agree with that of viewport."""

    name: str
    command: list | None
    output: Path
    # How its output is compared: "equal", "inside" (equal except the edge), "like" (a minimum PSNR in decibels),
    # "tiles" (the same files with a minimum PSNR) or "nothing" (outputs are not comparable).
    agrees: str = "equal"
    decibels: float = 0
    environment: dict = field(default_factory=dict)
    # Folders removed before every run, outside the measured time.
    clean: list = field(default_factory=list)
    # The reason if `command` is None.
    absent: str = "not installed"

    def prepare(self):
        for path in self.clean:
            shutil.rmtree(path, ignore_errors=True)


@dataclass
class Task:
    """A row of the report: the first contender is viewport, the second is the one the targets refer to."""

    name: str
    title: str
    image: str
    contenders: list
    time: float | None = None
    cpu: float | None = None
    memory: float | None = None
    disk: float | None = None
    # Run once before the rounds, such as making an index.
    before: list | None = None
    needs: str | None = None
    # CPU seconds after which a program is killed.
    limit: int = 300


class Bench:
    """An image and the folder for outputs."""

    def __init__(self, image, size, out, deep=(0.75, 0.88)):
        """`size` is upright; the crop is at the fractions `deep` of the distance to the far corner."""
        self.image, self.label, self.out = str(image), Path(image).stem, out
        self.width, self.height = size
        # Aligned to JPEG blocks, so that every program can crop there.
        self.x = int(deep[0] * (self.width - WIDTH)) // 16 * 16
        self.y = int(deep[1] * (self.height - HEIGHT)) // 16 * 16
        self.rect = f"{self.x},{self.y},{WIDTH},{HEIGHT}"
        self.box = [self.x, self.y, WIDTH, HEIGHT]
        self.geometry = f"{WIDTH}x{HEIGHT}+{self.x}+{self.y}"

    def ours(self, name, arguments, output, warm=False, agrees="equal", clean=()):
        """viewport, with an empty cache, or with that of earlier runs if `warm`."""
        cache = self.out / ("cache-warm" if warm else "cache-cold")
        return Contender(
            name,
            [VIEWPORT, *arguments],
            self.out / output,
            agrees,
            environment={"XDG_CACHE_HOME": str(cache)},
            clean=[*clean] if warm else [cache, *clean],
        )

    def peer(self, name, program, arguments, output, agrees="equal", decibels=0, clean=()):
        command = [program, *arguments] if program else None
        return Contender(name, command, self.out / output, agrees, decibels, clean=[*clean])

    def index(self):
        return self.ours("viewport index", ["index", self.image], "none", warm=True)

    # Crops

    def render(self, output, rect=None, warm=False):
        where = ["--rect", rect or self.rect]
        # Otherwise the first cold render would leave its index to the next.
        if not warm:
            where.append("--no-cache")
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
        contenders = [
            *self.newest_crop("newest.png", "like", 45),
            self.vips_crop("[access=sequential]", "vips-sequential.png"),
            self.vips_crop("", "vips.png"),
            self.peer(
                "djpeg -crop (PPM)",
                find("djpeg"),
                ["-crop", self.geometry, "-outfile", self.out / "djpeg.ppm", self.image],
                "djpeg.ppm",
                # It has no chroma samples beyond the edges of the crop.
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
        # These hold all pixels, ImageMagick and GraphicsMagick 8 bytes for each.
        if self.width * self.height > 400_000_000:
            for contender in contenders[-3:]:
                contender.command, contender.absent = None, "decodes the whole image, not tried at this size"
        return contenders

    def python(self, name, text, arguments, output, agrees="equal", decibels=0, module=None):
        program = PYTHON if programs.module(module or name) else None
        arguments = ["-c", text, self.image, self.out / output, *arguments]
        return self.peer(name, program, arguments, output, agrees, decibels)

    def newest(self, statement, arguments, output, agrees="equal", decibels=0, clean=()):
        """Clients of PyPI's newest libvips: one, or none where it is not installed. They come before Debian's libvips, so
        that targets refer to the newest.

        `statement` is Python with `file`, `out` and the whole numbers of `arguments` as `given`.
        """
        if not (newest := programs.newest_vips()):
            return []
        python, version = newest
        text = f"import sys, pyvips\nfile, out, *given = sys.argv[1:]\ngiven = [int(one) for one in given]\n{statement}"
        command = ["-c", text, self.image, self.out / output, *arguments]
        return [self.peer(f"libvips {version}", python, command, output, agrees, decibels, clean)]

    def newest_crop(self, output, agrees="equal", decibels=0):
        statement = "pyvips.Image.new_from_file(file, access='sequential').crop(*given).write_to_file(out)"
        return self.newest(statement, self.box, output, agrees, decibels)

    def newest_pyramid(self, agrees, decibels=0):
        statement = (
            "pyvips.Image.new_from_file(file, access='sequential')"
            ".tiffsave(out, tile=True, pyramid=True, compression='jpeg')"
        )
        return self.newest(statement, [], "newest.tif", agrees, decibels)

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
        newest = "pyvips.Image.thumbnail(file, 1024).write_to_file(out)"
        return [
            *self.newest(newest, [], "newest.jpg", "like", 30),
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
