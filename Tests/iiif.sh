#!/usr/bin/env bash
# Runs the image validator of the IIIF community against `viewport serve`: all tests of 3.0 and 2.0 up to level 2, in
# about 15 seconds. Then iiif-prezi3 parses the manifests of folders, of the server and of `viewport manifest`.
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

# A venv of its own: the validator needs older packages.
prezi=$folder/prezi
if ! "$prezi/bin/python" -c 'import iiif_prezi3' 2>/dev/null; then
    python3 -m venv "$prezi" >/dev/null
    timeout 100 "$prezi/bin/pip" install -q --only-binary :all: iiif-prezi3 || skip "PyPI cannot be reached for iiif-prezi3"
fi
kill $server
wait $server 2>/dev/null || true
rm -rf "$folder/tree" "$folder/address"
mkdir -p "$folder/tree/deep/deeper" "$folder/tree/many"
image=$folder/images/67352ccc-d1b0-11e1-89ae-279075081939.png
for name in "page 1" "page 2" deep/a deep/deeper/b; do
    "$viewport" render "$image" -s 100 -o "$folder/tree/$name.jpg" --overwrite
done
for number in $(seq 1001); do ln "$folder/tree/page 1.jpg" "$folder/tree/many/$number.jpg"; done
options=(--metadata all --attribution "<b>Archive</b>" --rights http://creativecommons.org/licenses/by/4.0/
    --behavior paged --direction right-to-left --title Book --language de)
"$viewport" serve "$folder/tree" --port 0 --json "${options[@]}" >"$folder/address" &
server=$!
for _ in $(seq 100); do [ -s "$folder/address" ] && break; sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$folder/address")
"$viewport" manifest "$folder/tree" --recursive --base-url "http://127.0.0.1:$port" "${options[@]}" \
    --overwrite -o "$folder/manifest.json"
"$prezi/bin/python" Tests/presentation.py "http://127.0.0.1:$port/presentation/collection.json" \
    --file "$folder/manifest.json" 1005 2 || failed=1

# A static site of the folders, and a library with more photos than a manifest has.
"$viewport" site "$folder/tree/deep" -o "$folder/site" --recursive --quiet --overwrite --base-url https://example.org/s "${options[@]}"
"$prezi/bin/python" Tests/presentation.py https://example.org/s/collection.json --site https://example.org/s "$folder/site" || failed=1
kill $server
wait $server 2>/dev/null || true
for number in $(seq 1001); do
    # Copies with the same bytes would be duplicates of one photo.
    rm "$folder/tree/many/$number.jpg"
    { cat "$folder/tree/page 1.jpg"; printf '%s' "$number"; } >"$folder/tree/many/$number.jpg"
done
"$viewport" library init "$folder/tree" --quiet
"$viewport" library index "$folder/tree" --quiet
: >"$folder/address"
"$viewport" serve "$folder/tree" --port 0 --json "${options[@]}" >"$folder/address" &
server=$!
for _ in $(seq 100); do [ -s "$folder/address" ] && break; sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$folder/address")
library=http://127.0.0.1:$port/library/tree
"$prezi/bin/python" Tests/presentation.py "$library/collection.json" \
    "$library/group/all/collection.json?group-by=all&where=is%3Aphoto" || failed=1
exit $failed
