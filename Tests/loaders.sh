#!/usr/bin/env bash
# Crops as the loaders of training programs read them: Tests/loaders.sh [--install] [PROGRAM] [WHEEL]
#
# Uses the loaders that Debian's Python has, such as python3-torch, and skips the others. --install installs webdataset,
# datasets and Ray from PyPI into a temporary environment, and the wheel of .ci/wheel, if one is named: minutes. Prints all
# versions.
set -euo pipefail
cd "$(dirname "$0")/.."
installs=
[ "${1:-}" != --install ] || { installs=yes && shift; }
program=$(realpath "${1:-.build/debug/viewport}")
[ -x "$program" ] || { echo "$program is not built: swift build --product viewport" >&2; exit 66; }
wheel=${2:-}
skip() { printf '\n******** SKIPPED: loaders of crops: %s ********\n\n' "$1" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT

try() {
    mkdir "$work/$1"
    "$2" -B Tests/loaders.py "$program" "$work/$1"
}

if [ -z "$installs" ]; then
    /usr/bin/python3 -c 'import numpy, PIL' 2>/dev/null || skip "Debian's python3-numpy and python3-pil are not installed"
    try debian /usr/bin/python3
    exit
fi
pip() { "$work/$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"; }
python3 -m venv "$work/new"
pip new pillow webdataset==1.0.2 datasets==5.2.0 'ray[data]==2.60.0'
try of-new "$work/new/bin/python"
# Debian's torch is for CPUs, and for Debian's Python and NumPy; PyPI's for x86-64 has CUDA.
if /usr/bin/python3 -c 'import torch' 2>/dev/null; then
    /usr/bin/python3 -m venv --system-site-packages "$work/torch"
    pip torch --no-deps webdataset==1.0.2 braceexpand
    pip torch pyyaml pillow
    [ -z "$wheel" ] || pip torch --no-deps "$wheel"
    try of-torch "$work/torch/bin/python"
else
    echo "SKIPPED: apt install python3-torch, to try torch's DataLoader" >&2
fi
