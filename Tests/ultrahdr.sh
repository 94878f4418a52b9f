#!/usr/bin/env bash
# Lets libultrahdr, the reference implementation of Ultra HDR, write a file, and decode what `viewport` makes of it with
# --keep-gain-map: parts, reductions and turns have the HDR pixels of the whole file. Takes about 10 seconds.
#
# Needs python3 with venv and pip, and access to PyPI; otherwise it skips with the reason. VIEWPORT is the path of the
# program, by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n!!! SKIPPED: Ultra HDR was not decoded by libultrahdr: %s\n\n' "$1" >&2; exit 0; }

viewport=${VIEWPORT:-.build/release/viewport}
[ -x "$viewport" ] || skip "there is no $viewport; build it first"
folder=.build/ultrahdr
mkdir -p "$folder/pictures"

python=$folder/venv/bin/python
test='import imagecodecs, sys; sys.exit(not imagecodecs.ULTRAHDR.available)'
if ! "$python" -c "$test" 2>/dev/null; then
    python3 -m venv "$folder/venv" >/dev/null || skip "python3 has no venv"
    timeout 100 "$folder/venv/bin/pip" install -q --only-binary :all: imagecodecs numpy || skip "PyPI cannot be reached"
    "$python" -c "$test" || skip "this imagecodecs was built without libultrahdr"
fi
"$python" Tests/ultrahdr.py "$viewport" "$folder/pictures"
