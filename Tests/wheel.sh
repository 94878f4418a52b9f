#!/usr/bin/env bash
# The wheel of .ci/wheel in clean environments without Swift: Tests/wheel.sh WHEEL
#
# Installs it with NumPy and Pillow, with openslide-python, large_image and napari where PyPI has them for this machine, and
# with Debian's torch if that is installed, and runs the tests of Tests/CAPI. As root, also where libvips, GLib and the codecs
# are not installed: the system's are hidden.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
wheel=$(realpath "$1")
tests=$(dirname "$(realpath "$0")")/CAPI
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
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
    for library in libvips.so.42 libgobject-2.0.so.0 libglib-2.0.so.0 libturbojpeg.so.0 libjpeg.so.62 libdeflate.so.0 libisal.so.2; do
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

# A Debian system that has only Python, NumPy and Pillow of its own.
root=$(dirname "$(realpath "$0")")/../.ci/root
code=0
"$root" new "$work/debian" 2>"$work/log" || code=$?
if [ "$code" = 0 ]; then
    cp "$wheel" "$tests/package.py" "$work/debian/root/"
    "$root" run "$work/debian" sh -euc '
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends python3-venv python3-numpy python3-pil >/dev/null
        python3 -m venv --system-site-packages /root/venv
        /root/venv/bin/pip install --quiet --no-index /root/viewport-*.whl
        mkdir /root/images
        /root/venv/bin/python -B /root/package.py /root/images' >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    grep -q "libvips is not installed" "$work/log"
    grep -q "passes" "$work/log"
    echo "the wheel passes in a clean Debian system"
else
    skipped "a clean Debian system: $(tail -n 1 "$work/log")"
fi

pip openslide-python openslide-bin large-image napari || skipped "PyPI has not all of openslide-bin, large-image and napari"
clean "$tests/package.py" "$work/images"
clean "$tests/peers.py" "$work/images"

# PyPI's torch for x86-64 has CUDA and more than 500 MB. Debian's python3-torch is for CPUs, and for Debian's Python.
if /usr/bin/python3 -c 'import torch' 2>/dev/null && /usr/bin/python3 -m venv --system-site-packages "$work/torch"; then
    "$work/torch/bin/pip" install --quiet --disable-pip-version-check --no-deps "$wheel"
    "$work/torch/bin/pip" install --quiet --disable-pip-version-check pillow
    env -i PATH=/usr/bin:/bin HOME="$work" "$work/torch/bin/python" -B "$tests/peers.py" "$work/images" | grep '^torch'
else
    skipped "apt install python3-torch, to try it in workers of torch's DataLoader"
fi
