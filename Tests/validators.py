"""Writes one of each output of `viewport` and lets validators and readers look at it.

python Tests/validators.py PROGRAM FOLDER
"""
import http.server
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
from fnmatch import fnmatch
from pathlib import Path

import numpy
from PIL import Image, ImageCms

program, folder = sys.argv[1], Path(sys.argv[2])
failures = 0

# What validators say of valid files: the validator, the outputs, the words as a regular expression, and the reason.
KNOWN = [
    ("exiftool", "*.tif", r"Invalid value for IFD0 tag 0x0103 Compression", "it knows TIFF 6.0, which is older than deflate and JPEG (8, 7)"),
    ("exiftool", "*.tif", r"Invalid value for IFD0 tag 0x0106 PhotometricInterpretation", "it knows gray and RGB only: YCbCr and CMYK are extensions of TIFF 6.0"),
    ("exiftool", "pyramid/*.tif", r"Missing required TIFF IFD0 tag 0x01(11|16|17) ", "it knows strips only, and these are tiles"),
    ("exiftool", "pyramid/*.tif", r"Missing required TIFF IFD0 tag 0x011[ab] [XY]Resolution", "what the source does not state is not stated"),
    ("exiftool", "*.tif", r"Non-standard format \(undef\) for IFD0 0x83bb", "libtiff writes IPTC as undefined bytes, as TIFF/EP says; its own writer takes words"),
    ("exiftool", "*.tif", r"tag 0x(9101|a002|a003) \w+ is not allowed in TIFF", "tags of compressed pictures, kept as they are true"),
    ("exiftool", "*.tif", r"Missing required TIFF GPS tag 0x001b", "nobody states the method of a position without one; it demands it in TIFF only"),
    ("exiftool", "*map*.tif", r"Non-standard IFD\d tag 0xa481 GDALNoData", "GDAL's tag of the value for no data, which it knows and warns of"),
    ("exiftool", "*", r"^Validate +: ", "a count of the lines below it"),
    ("tiffinfo", "pyramid/*.tif", r"Cannot display data: th \* rowsize > tilesize", "libtiff 4.5: it expects rows of samples in tiles with subsampled colors"),
    ("tiffinfo", "*map*.tif", r"Unknown field with tag (33550|33922|34735|34736|34737|42113) ", "it knows no tags of maps, which are GeoTIFF's and GDAL's"),
    ("tiffinfo", "*.tif", r"Unknown field with tag 40965 ", "libtiff 4.5 does not know EXIF's pointer to Interoperability"),
    ("exiftool", "*.tif", r"InteropIFD tag 0x0001 InteropIndex is not allowed in TIFF", "it says that the colors are Adobe RGB or sRGB"),
    ("rio", "*", r"NotGeoreferencedWarning|^dataset = DatasetReader", "photos have no place on Earth"),
]


def run(*command, code=0, **options):
    """Runs a command that makes something; its failure ends the script."""
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, **options)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def viewport(text):
    run(program, *text.split())


# MARK: Sources

def make_sources():
    """Writes pictures with all blocks of metadata, transparency, 16 bits, other colors, and frames."""
    y, x = numpy.mgrid[0:300, 0:400]
    pixels = numpy.stack([x * 255 // 399, y * 255 // 299, (x ^ y) & 255], axis=2).astype("uint8")
    picture = Image.fromarray(pixels)
    picture.save(folder / "photo.jpg", quality=92, dpi=(300, 300))
    Image.fromarray(pixels[..., 0]).save(folder / "gray.jpg", quality=92)
    picture.convert("CMYK").save(folder / "cmyk.jpg", quality=92)
    Image.fromarray(numpy.dstack([pixels, (x * 255 // 399).astype("uint8")])).save(folder / "alpha.png")
    Image.fromarray((x * 65535 // 399).astype("uint16")).save(folder / "deep.png")
    picture.resize((2048, 1024)).save(folder / "pano.jpg", quality=90)
    picture.resize((1600, 1200)).save(folder / "big.png")
    picture.resize((1600, 1200)).save(folder / "big.jpg", quality=92)
    frames = [Image.fromarray(numpy.roll(pixels[:120, :160], 20 * n, axis=1)) for n in range(5)]
    frames[0].save(folder / "film.gif", save_all=True, append_images=frames[1:], duration=[100, 200, 50, 50, 300], loop=0)
    if shutil.which("exiftool"):
        for name in "photo.jpg", "pano.jpg":
            run("exiftool", "-q", "-overwrite_original", "-EXIF:Orientation#=6" if name == "photo.jpg" else "-EXIF:Orientation#=1",
                "-EXIF:DateTimeOriginal=2024:05:06 07:08:09", "-EXIF:Make=Maker", "-EXIF:Model=Camera",
                "-EXIF:ExifImageWidth=400", "-EXIF:ExifImageHeight=300", "-EXIF:ColorSpace#=1",
                "-EXIF:GPSLatitude=46.5", "-EXIF:GPSLatitudeRef=N", "-EXIF:GPSLongitude=7.5", "-EXIF:GPSLongitudeRef=E",
                "-XMP-dc:Title=Lake", "-XMP-dc:Description=A lake", "-XMP-dc:Subject=water", "-IPTC:Keywords=water",
                "-IPTC:Caption-Abstract=A lake", "-IPTC:CodedCharacterSet=UTF8", name)
        # The same statements in all blocks.
        run("exiftool", "-q", "-overwrite_original", "-n", "-XMP-exif:DateTimeOriginal=2024:05:06 07:08:09",
            "-XMP-photoshop:DateCreated=2024:05:06 07:08:09", "-XMP-tiff:Orientation=6", "-XMP-tiff:ImageWidth=400",
            "-XMP-tiff:ImageHeight=300", "-XMP-exif:ExifImageWidth=400", "-XMP-exif:ExifImageHeight=300",
            "-XMP-exif:ColorSpace=1", "-XMP-tiff:XResolution=300", "-XMP-tiff:YResolution=300",
            "-XMP-tiff:ResolutionUnit=2", "-IFD0:XResolution=300", "-IFD0:YResolution=300", "-IFD0:ResolutionUnit=2",
            "-IPTC:DateCreated=2024:05:06",
            "-IPTC:TimeCreated=07:08:09", "photo.jpg")
        add_photoshop_resolution(folder / "photo.jpg", 300)
        shutil.copy(folder / "photo.jpg", folder / "adobe.jpg")
        # As cameras state Adobe RGB: without a profile.
        run("exiftool", "-q", "-overwrite_original", "-n", "-EXIF:ColorSpace=65535", "-EXIF:InteropIndex=R03",
            "-XMP-exif:ColorSpace=65535", "-XMP-photoshop:ICCProfileName=Adobe RGB (1998)", "adobe.jpg")
        run("exiftool", "-q", "-overwrite_original", "-XMP-GPano:ProjectionType=equirectangular", "pano.jpg")


def write_map(path):
    import rasterio
    from rasterio.transform import from_origin
    y, x = numpy.mgrid[0:1200, 0:1600]
    with rasterio.open(
            path, "w", driver="GTiff", width=1600, height=1200, count=1, dtype="uint8", nodata=0, crs="EPSG:32632",
            transform=from_origin(500000, 4000000, 10, 10)) as file:
        file.write((1 + (x // 8 + y // 8) % 255).astype("uint8"), 1)


def check_map(name, size):
    """Fails where a copy of the map lies elsewhere."""
    global failures
    import rasterio
    with rasterio.open(folder / name) as file:
        found = (file.crs and file.crs.to_epsg(), file.transform.to_gdal(), file.nodata)
        overviews = [file.nodatavals[0]] + [
            rasterio.open(folder / name, overview_level=level).nodata for level in range(len(file.overviews(1)))]
    right = (32632, (500000.0, size, 0.0, 4000000.0, 0.0, -size), 0.0)
    if found != right or set(overviews) != {0.0}:
        failures += 1
        print(f"rasterio: {name}: {found} {overviews}, and not {right}")


def requests(path):
    """Returns what is wrong with the requests by which GDAL reads a part of a file over HTTP."""
    log = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_HEAD(self):
            self.send_response(200)
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(path.stat().st_size))
            self.end_headers()

        def do_GET(self):
            data = path.read_bytes()
            first, last = 0, len(data) - 1
            asked = re.match(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if asked:
                first, last = int(asked[1]), min(last, int(asked[2] or last))
            log.append((first, last))
            self.send_response(206 if asked else 200)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Content-Length", str(last + 1 - first))
            self.end_headers()
            self.wfile.write(data[first:last + 1])

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = """
import sys, rasterio
from rasterio.windows import Window
with rasterio.Env(GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR", CPL_VSIL_CURL_ALLOWED_EXTENSIONS=".tif"):
    with rasterio.open(sys.argv[1]) as file:
        file.read(1, window=Window(512, 512, 256, 256))
"""
    address = f"/vsicurl/http://127.0.0.1:{server.server_address[1]}/{path.name}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, address], capture_output=True, text=True)
    server.shutdown()
    if done.returncode:
        return done.stderr.splitlines()[-1:]
    return [] if len(log) <= 2 else [f"{len(log)} requests: {log}"]


def add_photoshop_resolution(path, resolution):
    """Adds the resolution to Photoshop's resources in a JPEG, where exiftool has put IPTC."""
    data = path.read_bytes()
    at = data.index(b"Photoshop 3.0\0")
    resource = b"8BIM\x03\xed\0\0" + struct.pack(">IIHHIHH", 16, resolution << 16, 1, 1, resolution << 16, 1, 1)
    length = struct.unpack(">H", data[at - 2:at])[0] + len(resource)
    path.write_bytes(data[:at - 2] + struct.pack(">H", length) + data[at:at + 14] + resource + data[at + 14:])


# MARK: Outputs

def make_outputs():
    """Writes one of each output below `out`, in folders by command."""
    for name in "convert", "render", "crop", "resize", "thumbnail", "pyramid", "manifest", "fly", "compose":
        (folder / "out" / name).mkdir(parents=True)
    formats = ["png", "jpg", "webp", "avif", "tif", "gif", "jp2"]
    for name in "photo.jpg", "gray.jpg", "alpha.png", "deep.png", "film.gif", "cmyk.jpg":
        stem = name.replace(".", "-")
        endings = ",".join(formats)
        viewport(f"convert {name} --format {endings} -o out/convert/{stem}.{{format}} --quiet")
    for name in "photo.jpg", "adobe.jpg":
        stem = name.replace(".", "-")
        for ending in formats:
            viewport(f"render {name} -s 200 --keep-metadata -o out/render/{stem}.{ending} --quiet")
    for ending in formats:
        viewport(f"render photo.jpg -s 300 -o out/render/plain.{ending} --quiet")
        # JPEG 2000 and GIF have no place for a profile.
        if ending in ("gif", "jp2"):
            continue
        viewport(f"render photo.jpg -s 300 --color p3 -o out/render/p3.{ending} --quiet")
    viewport("crop photo.jpg 64,64,128,128 out/crop/cut.jpg --lossless --quiet")
    viewport("resize photo.jpg 300 out/resize/small.jpg --quiet")
    viewport("resize film.gif 80 out/resize/film.gif --quiet")
    for ending in "png", "jpg", "webp":
        viewport(f"thumbnail photo.jpg -s 128 -o out/thumbnail/{{stem}}.{ending} --quiet")
    viewport("thumbnail film.gif --frames all -s 64 -o out/thumbnail/film.webp --quiet")
    for name in "big.jpg", "big.png":
        stem = name.replace(".", "-")
        for ending in "dzi", "tif", "zip", "szi":
            viewport(f"pyramid {name} -o out/pyramid/{stem}.{ending} --quiet")
        viewport(f"pyramid {name} -o out/pyramid/{stem}-cog.tif --cog --quiet")
    # A map, and the same at half the size.
    write_map(folder / "map.tif")
    viewport("pyramid map.tif -o out/pyramid/map-cog.tif --cog --format png --quiet")
    viewport("resize map.tif 50% out/resize/map.tif --quiet")
    check_map("out/pyramid/map-cog.tif", 10)
    check_map("out/resize/map.tif", 20)
    viewport("pyramid alpha.png --tile-size 64 -o out/pyramid/deflate.tif --format png --quiet")
    viewport("pyramid big.jpg -o out/pyramid/iiif --id https://example.org/big --quiet")
    viewport("pyramid big.jpg --layout zoomify -o out/pyramid/zoomify --quiet")
    viewport("pyramid pano.jpg --cube -o out/pyramid/cube --quiet")
    (folder / "site-images").mkdir()
    for name in "photo.jpg", "alpha.png":
        shutil.copy(folder / name, folder / "site-images")
    viewport("site site-images -o out/site --base-url https://example.org/s --quiet")
    viewport("manifest site-images --base-url https://example.org --overwrite -o out/manifest/manifest.json")
    for ending in "mp4", "mkv", "webm", "webp", "gif", "png":
        if ending in ("mp4", "mkv", "webm") and not shutil.which("ffmpeg"):
            continue
        viewport(f"fly photo.jpg --ken-burns --duration 1 --fps 8 -s 160x120 -o out/fly/film.{ending} --quiet")
    card = {
        "views": {"photo": {"image": "photo.jpg"}, "caption": {"text": "A lake at noon – Größe", "font": "Sans 17"},
                  "bar": {"color": "#204060"}},
        "formats": ["H:|-[photo]-|", "H:|-[caption]-|", "H:|[bar]|", "V:|-[photo]-[caption]-[bar(4)]|"],
    }
    (folder / "card.json").write_text(json.dumps(card))
    viewport("compose card.json -s 300x400 -o out/compose/card.pdf")
    viewport("compose card.json -s 300x400 -o out/compose/card.png")
    viewport("library init site-images --quiet")
    viewport("library index site-images --quiet")
    viewport("library edit site-images photo.jpg --title Noon --shift +1h --quiet")
    viewport("library export site-images -o out/export-all --quiet")
    viewport("library export site-images -o out/export --strip-location --size 300 --quiet")
    viewport("library sidecars write site-images --quiet")
    for sidecar in (folder / "site-images").glob("*.xmp"):
        shutil.copy(sidecar, folder / "out")


# MARK: Validators

def words(*command, keep=None):
    """Returns a function that runs a program on a file, and returns what it says, or those lines that `keep` accepts."""
    def check(path):
        done = subprocess.run(
            [word.replace("{}", str(path)) for word in command], capture_output=True, text=True, errors="replace")
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        if keep:
            said = [line for line in said if keep(line)]
        if done.returncode and not said:
            said = [f"exit {done.returncode}"]
        return said
    check.program = command[0]
    return check


def errors(*command):
    """Returns a function that runs a program on a file, and returns what it writes to standard error."""
    def check(path):
        done = subprocess.run(
            [word.replace("{}", str(path)) for word in command], stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace")
        said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        return said or ([f"exit {done.returncode}"] if done.returncode else [])
    check.program = command[0]
    return check


def html(path):
    import html5lib
    parser = html5lib.HTMLParser(strict=False)
    parser.parse(path.read_bytes())
    return [f"{place}: {code} {data}" for place, code, data in parser.errors]


def presentation(path):
    import iiif_prezi3
    try:
        kind = json.loads(path.read_text())["type"]
        getattr(iiif_prezi3, kind)(**json.loads(path.read_text()))
    except Exception as error:  # pydantic has several
        return str(error).splitlines()
    return []


# MARK: Statements

# What blocks state of the same thing, by exiftool's names: the first is the truth, where the file has it.
STATEMENTS = {
    "width": ["File:ImageWidth", "PNG:ImageWidth", "RIFF:ImageWidth", "GIF:ImageWidth", "Meta:ImageSpatialExtent", "IFD0:ImageWidth", "Jpeg2000:ImageWidth",
              "ExifIFD:ExifImageWidth", "XMP-tiff:ImageWidth", "XMP-exif:ExifImageWidth", "InteropIFD:RelatedImageWidth"],
    "height": ["File:ImageHeight", "PNG:ImageHeight", "RIFF:ImageHeight", "GIF:ImageHeight", "IFD0:ImageHeight", "Jpeg2000:ImageHeight",
               "ExifIFD:ExifImageHeight", "XMP-tiff:ImageHeight", "XMP-exif:ExifImageHeight", "InteropIFD:RelatedImageHeight"],
    "orientation": ["IFD0:Orientation", "XMP-tiff:Orientation"],
    "date": ["ExifIFD:DateTimeOriginal", "XMP-exif:DateTimeOriginal", "XMP-photoshop:DateCreated", "IPTC:DateTimeCreated"],
    "color": ["ICC:ColorSpace", "ExifIFD:ColorSpace", "XMP-exif:ColorSpace"],
    "across": ["JFIF:XResolution", "PNG-pHYs:PixelsPerUnitX", "IFD0:XResolution", "XMP-tiff:XResolution", "Photoshop:XResolution"],
    "down": ["JFIF:YResolution", "PNG-pHYs:PixelsPerUnitY", "IFD0:YResolution", "XMP-tiff:YResolution", "Photoshop:YResolution"],
}


def statements(path):
    """Returns the statements of the blocks of a file that differ."""
    done = subprocess.run(["exiftool", "-j", "-n", "-G1", "-a", str(path)], capture_output=True, text=True)
    tags = json.loads(done.stdout)[0]
    if "Meta:ImageSpatialExtent" in tags:
        tags["Meta:ImageSpatialExtent"] = int(tags["Meta:ImageSpatialExtent"].split()[0])
    if "IPTC:DateCreated" in tags:
        tags["IPTC:DateTimeCreated"] = f"{tags['IPTC:DateCreated']} {tags.get('IPTC:TimeCreated', '')[:8]}".strip()
    # 1 is sRGB, everything else is not; without a profile it is, too.
    profile = str(tags.get("ICC_Profile:ProfileDescription", "sRGB"))
    tags["ICC:ColorSpace"] = 1 if profile.startswith("sRGB") else 65535
    for name in "PNG-pHYs:PixelsPerUnitX", "PNG-pHYs:PixelsPerUnitY":
        if name in tags:
            tags[name] = tags[name] * 0.0254
    for block in "JFIF", "IFD0", "XMP-tiff":
        unit = tags.get(f"{block}:ResolutionUnit")
        for name in "XResolution", "YResolution":
            if f"{block}:{name}" not in tags:
                continue
            if unit == 3:
                tags[f"{block}:{name}"] *= 2.54
            elif unit in (0, 1):
                # Square pixels, and no resolution.
                del tags[f"{block}:{name}"]
    said = []
    for subject, names in STATEMENTS.items():
        found = {name: tags[name] for name in names if name in tags}
        values = [value[:19] if isinstance(value, str) else value for value in found.values()]
        # PNG counts pixels per meter in whole numbers.
        tolerance = 0.1 if subject in ("across", "down") else None
        if any(value != values[0] and (tolerance is None or abs(value - values[0]) > tolerance) for value in values):
            said.append(f"{subject}: {found}")
    return said


statements.program = "exiftool"
statements.name = "statements"

CHECKS = [
    (["*.png"], words("pngcheck", "-q", "{}")),
    (["*.jpg"], errors("djpeg", "-strict", "-outfile", "/dev/null", "{}")),
    (["*.jpg"], errors("jpegtran", "-strict", "-copy", "all", "-outfile", "/dev/null", "{}")),
    (["*.gif"], errors("gifsicle", "--info", "{}")),
    (["*.webp"], words("webpinfo", "{}", keep=lambda line: re.search("warning|error", line, re.I) and line != "No error detected.")),
    (["*.avif"], errors("avifdec", "{}", "/dev/null.png")),
    (["*.tif"], errors("tiffinfo", "-D", "{}")),
    (["*.jpg", "*.png", "*.gif", "*.webp", "*.avif", "*.tif", "*.jp2", "*.mp4", "*.mkv", "*.webm", "*.pdf", "*.xmp"],
     words("exiftool", "-validate", "-warning", "-error", "-a", "{}", keep=lambda line: not re.match(r"Validate +: OK", line))),
    (["*.jpg", "*.png", "*.gif", "*.webp", "*.avif", "*.tif", "*.jp2"], statements),
    (["*.dzi", "*.xml", "*.xmp"], errors("xmllint", "--noout", "{}")),
    (["*.pdf"], words("qpdf", "--check", "{}", keep=lambda line: "WARNING" in line or "ERROR" in line)),
    (["*.mp4", "*.mkv", "*.webm"], words("ffprobe", "-v", "warning", "{}")),
    (["*.mp4", "*.mkv", "*.webm"], words("ffmpeg", "-nostdin", "-v", "warning", "-i", "{}", "-f", "null", "-")),
    (["*.html"], html),
    (["pyramid/*.tif"], words("rio", "cogeo", "validate", "--strict", "{}", keep=lambda line: not line.endswith("is a valid cloud optimized GeoTIFF"))),
    (["pyramid/*-cog.tif"], requests),
    (["*manifest*.json", "*collection*.json"], presentation),
]


def check():
    global failures
    files = sorted(path for path in (folder / "out").rglob("*") if path.is_file())
    # Tiles are made alike: the first of each folder stands for them.
    seen = set()
    unused = set(range(len(KNOWN)))
    for patterns, validate in CHECKS:
        needed = getattr(validate, "program", None)
        name = getattr(validate, "name", needed or validate.__name__)
        if needed and not shutil.which(needed):
            print(f"!!! SKIPPED: {needed} is not installed", file=sys.stderr)
            continue
        count = 0
        for path in files:
            relative = path.relative_to(folder / "out").as_posix()
            if not any(fnmatch(relative, pattern) for pattern in patterns):
                continue
            if "_files/" in relative or re.search(r"pyramid/\w+/.*/", relative):
                key = (name, path.parent.parent, path.suffix)
                if key in seen:
                    continue
                seen.add(key)
            count += 1
            for said in validate(path):
                said = said.replace(str(path), relative)
                reasons = [number for number, (tool, outputs, text, _) in enumerate(KNOWN)
                           if tool == name and fnmatch(relative, outputs) and re.search(text, said)]
                unused -= set(reasons)
                if not reasons:
                    failures += 1
                    print(f"{name}: {relative}: {said}")
        print(f"{name}: {count} outputs")
        if not count:
            failures += 1
            print(f"{name}: there is nothing that it could validate")


make_sources()
make_outputs()
check()
sys.exit(failures > 0)
