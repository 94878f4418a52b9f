#!/usr/bin/env bash
# Runs the image validator of the IIIF community against `viewport serve`: all tests of 3.0 and 2.0 up to level 2, in
# about 15 seconds.
#
# Needs python3 with venv and pip, libmagic, and access to PyPI; otherwise it skips with the reason. VIEWPORT is the path of
# the program, by default the release build.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n!!! SKIPPED: the IIIF validator did not run: %s\n\n' "$1" >&2; exit 0; }

viewport=${VIEWPORT:-.build/release/viewport}
[ -x "$viewport" ] || skip "there is no $viewport; build it first"
code=0
"$viewport" serve /no/such/folder 2>/dev/null || code=$?
[ "$code" != 69 ] || skip "$viewport was built without its server; build it with --enable-all-traits"
folder=.build/iiif
mkdir -p "$folder/images"

python=$folder/venv/bin/python
if ! "$python" -c 'import PIL, lxml, magic, bottle' 2>/dev/null; then
    python3 -m venv "$folder/venv" >/dev/null || skip "python3 has no venv"
    timeout 100 "$folder/venv/bin/pip" install -q --only-binary :all: Pillow lxml python-magic bottle setuptools wheel \
        || skip "PyPI cannot be reached"
    "$python" -c 'import magic' 2>/dev/null || skip "libmagic1 is not installed"
fi
validator=$(echo "$folder"/iiif-validator-*/)
if [ ! -d "$validator" ]; then
    # Its setup requires packages that it does not use; it also runs unpacked.
    timeout 100 "$folder/venv/bin/pip" download -q --no-deps --no-binary :all: --no-build-isolation \
        -d "$folder" iiif-validator==1.0.5 || skip "PyPI cannot be reached"
    tar xzf "$folder"/iiif-validator-1.0.5.tar.gz -C "$folder"
    validator=$folder/iiif-validator-1.0.5
fi
export PYTHONPATH=$validator

# The reference image: 100 squares with the colors that the validator expects.
"$python" - "$folder/images/67352ccc-d1b0-11e1-89ae-279075081939.png" <<'END'
import sys
from PIL import Image
from iiif_validator.validator import ValidationInfo
colors = ValidationInfo().colorInfo
image = Image.new("RGB", (1000, 1000))
for x in range(10):
    for y in range(10):
        image.paste(colors[x][y], (x * 100, y * 100, x * 100 + 100, y * 100 + 100))
image.save(sys.argv[1])
END

export XDG_CACHE_HOME=$PWD/$folder/cache
"$viewport" serve "$folder/images" --port 0 --json >"$folder/address" &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do [ -s "$folder/address" ] && break; sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$folder/address")

failed=0
for version in 3.0 2.0; do
    "$python" Tests/iiif.py "127.0.0.1:$port" "iiif/${version%.0}" "$version" || failed=1
done
exit $failed
