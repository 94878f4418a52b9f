#!/usr/bin/env bash
# `tiffinfo -D` (decode the pictures, show nothing) refuses tiles of YCbCr with subsampled colors.
#
# Expected: no word on standard error, and exit 0, as for the same picture in strips, in tiles of RGB, and in tiles of YCbCr
# without subsampling: the file is valid (TIFF 6.0, section 21), libtiff wrote it, and libtiff decodes it.
# Seen (libtiff-tools 4.5.0-6+deb12u4): "Cannot display data: th * rowsize > tilesize", once for each picture, none of which is decoded, and exit 0. The check
# multiplies the rows of a tile with the bytes of a row of raw samples, which is more than the tile has where colors are
# subsampled. A validation by `tiffinfo -D` says this of every photo in JPEG tiles of 4:2:0.
# Needs Debian 12 with the libraries that libtiff6 depends on, python3 with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -q --only-binary :all: rasterio==1.4.4 numpy==2.4.6
packages=(libtiff-tools=4.5.0-6+deb12u4 libtiff6=4.5.0-6+deb12u4)
apt-get download -q "${packages[@]}" >/dev/null 2>&1
for package in *.deb; do dpkg-deb -x "$package" tools; done
libraries=$(dirname "$(find "$folder/tools" -name 'libtiff.so.6' | head -n 1)")
tiffinfo() { LD_LIBRARY_PATH=$libraries "$folder/tools/usr/bin/tiffinfo" "$@"; }
{ tiffinfo 2>&1 || true; } | sed -n 1p

venv/bin/python -W ignore - <<'PYTHON'
import numpy, rasterio
y, x = numpy.mgrid[0:256, 0:256]
pixels = numpy.stack([x, y, x ^ y]).astype("uint8")
kinds = {
    "tiles-ycbcr": dict(tiled=True, blockxsize=128, blockysize=128, photometric="YCBCR"),
    "tiles-rgb": dict(tiled=True, blockxsize=128, blockysize=128, photometric="RGB"),
    "strips-ycbcr": dict(blockysize=16, photometric="YCBCR"),
}
for name, options in kinds.items():
    with rasterio.open(f"{name}.tif", "w", driver="GTiff", width=256, height=256, count=3, dtype="uint8",
                       compress="JPEG", **options) as file:
        file.write(pixels)
    with rasterio.open(f"{name}.tif") as file:
        difference = numpy.abs(file.read().astype(int) - pixels).mean()
    assert difference < 30, (name, difference)
PYTHON

failed=0
expect() {
    local lines
    lines=$(tiffinfo -D "$1.tif" 2>&1 >/dev/null | grep -c "$2" || true)
    echo "$1: $lines lines with \"$2\""
    [ "$lines" = "$3" ] || { echo "changed: $3 were seen before"; failed=1; }
}
expect tiles-ycbcr "Cannot display data: th \* rowsize > tilesize" 1
expect tiles-rgb "." 0
expect strips-ycbcr "." 0
exit $failed
