#!/usr/bin/env bash
# The wheel of .ci/wheel in clean environments without Swift: Tests/wheel.sh WHEEL
#
# Installs it with NumPy and Pillow, with openslide-python, large_image and napari where PyPI has them for this machine, and
# runs the tests of Tests/CAPI. As root, also where libvips, GLib and the codecs are not installed: the system's are hidden.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
wheel=$(realpath "$1")
tests=$(dirname "$(realpath "$0")")/CAPI
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skipped() { printf '\n******** SKIPPED: the wheel: %s ********\n\n' "$1" >&2; }

python3 -m venv "$work/venv" 2>/dev/null || { skipped "python3-venv is not installed"; exit; }
pip() { "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$@"; }
pip "$wheel" pillow
# Nothing of this machine but the system.
clean() { env -i PATH=/usr/bin:/bin HOME="$work" XDG_CACHE_HOME="$work/cache" "$work/venv/bin/python" -B "$@"; }
mkdir "$work/images"
clean "$tests/package.py" "$work/images"

# A file of no bytes in the place of each library.
hide() {
    local library
    for library in libvips.so.42 libgobject-2.0.so.0 libglib-2.0.so.0 libturbojpeg.so.0 libjpeg.so.62 libdeflate.so.0; do
        library=$(realpath -q "/usr/lib/$(uname -m)-linux-gnu/$library") && mount --bind "$work/empty" "$library"
    done
    [[ $(clean "$tests/package.py" "$work/images") == *"libvips is not installed"* ]]
    echo "the wheel passes without libvips, GLib and codecs"
}
touch "$work/empty"
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    export -f hide clean
    export work tests
    unshare -m bash -euo pipefail -c hide
else
    skipped "libraries can be hidden by root only"
fi

pip openslide-python openslide-bin large-image napari || skipped "PyPI has not all of openslide-bin, large-image and napari"
clean "$tests/package.py" "$work/images"
clean "$tests/peers.py" "$work/images"
