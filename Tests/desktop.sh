#!/usr/bin/env bash
# Checks what desktops call the program with: Tests/desktop.sh PROGRAM
#
# The entries of .ci/packaging/desktop are valid, the thumbnailer makes thumbnails of every size under any name, and Tumbler,
# the service of file managers, calls it. Needs desktop-file-utils, tumbler, dbus and libglib2.0-bin; checks that cannot run
# here are skipped with a message.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
program=$(realpath "$1")
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "desktop test: $1" >&2; exit 1; }
passed() { echo "desktop test: $1"; }
skipped() { printf '\n******** SKIPPED: desktop test: %s ********\n\n' "$1" >&2; }

share=$work/share
.ci/packaging/desktop "$program" "$share"
if command -v desktop-file-validate >/dev/null; then
    complaints=$(desktop-file-validate "$share/applications/viewport.desktop" 2>&1) || fail "$complaints"
    [ -z "$complaints" ] || fail "$complaints"
    passed "the desktop entry is valid"
else
    skipped "desktop-file-validate is not installed"
fi
types=$(sed -n 's/^MimeType=//p' "$share/thumbnailers/viewport.thumbnailer")
for type in image/jpeg image/tiff image/png image/heif image/webp image/x-adobe-dng; do
    [[ ";$types" == *";$type;"* ]] || fail "$type is missing"
done
[[ "$types" != *svg* && "$types" != *pdf* ]] || fail "the thumbnailer names types of untrusted loaders"

# Stands in for the program on the PATH: it records each call.
mkdir "$work/bin" "$work/photos"
cat >"$work/bin/viewport" <<END
#!/bin/sh
printf '%s\n' "\$*" >>"$work/calls"
exec "$program" "\$@"
END
chmod +x "$work/bin/viewport"
export PATH=$work/bin:$PATH XDG_DATA_HOME=$share XDG_CACHE_HOME=$work/cache
photos=$work/photos
cp samples/lake.jpg "$photos/lake.jpg"
"$program" render samples/lake.jpg --zoom 1 -o "$photos/photo.tif" --quiet
mv "$photos/photo.tif" "$photos/a {size} photo.tif"
"$program" render samples/lake.jpg --size 900 -o "$photos/größe.png" --quiet
if "$program" render samples/lake.jpg --size 400 -o "$photos/small.avif" --quiet 2>/dev/null; then avif=small.avif; fi

# Prints the sides of a PNG.
sides() { python3 -c 'import struct, sys; h = open(sys.argv[1], "rb").read(24); assert h[:8] == b"\x89PNG\r\n\x1a\n"; print(*struct.unpack(">II", h[16:24]))' "$1"; }

# Calls the thumbnailer as GNOME and Tumbler do: thumbnail INPUT OUTPUT SIZE
thumbnail() {
    python3 - "$share/thumbnailers/viewport.thumbnailer" "$@" <<'PYTHON'
import shlex, subprocess, sys
entry, *values = sys.argv[1:]
line = next(line[5:] for line in open(entry) if line.startswith("Exec=")).strip()
for key, value in zip(("%i", "%o", "%s"), values):
    line = line.replace(key, shlex.quote(value))
sys.exit(subprocess.run(shlex.split(line)).returncode)
PYTHON
}
outputs=([128]="$work/tmp.png" [256]="$work/no ending" [512]="$work/{size}.jpg" [1024]="$work/it's.\$(x)")
for photo in "$photos"/*; do
    for size in "${!outputs[@]}"; do
        output=${outputs[$size]}
        : >"$output"
        thumbnail "$photo" "$output" "$size" || fail "no thumbnail of $photo at $output"
        sides=$(sides "$output")
        [ "${sides% *}" -le "$size" ] && [ "${sides#* }" -le "$size" ] || fail "$photo at $size has $sides pixels"
    done
done
echo damaged >"$photos/damaged.jpg"
: >"$work/tmp.png"
! thumbnail "$photos/damaged.jpg" "$work/tmp.png" 128 2>/dev/null || fail "a damaged file is no error"
[ ! -s "$work/tmp.png" ] || fail "a damaged file has a thumbnail"
rm "$photos/damaged.jpg"
passed "thumbnails have any size and any name"

tumbler=$(find /usr/lib /usr/libexec -path '*/tumbler-1/tumblerd' 2>/dev/null | head -n 1 || true)
if [ -z "$tumbler" ] || ! command -v dbus-run-session >/dev/null || ! command -v gdbus >/dev/null; then
    skipped "tumbler, dbus or libglib2.0-bin is not installed"
    exit 0
fi
cat >"$work/ask" <<'PYTHON'
import hashlib, os, pathlib, subprocess, sys, time
tumbler, cache, *photos = sys.argv[1:]
types = {".jpg": "image/jpeg", ".tif": "image/tiff", ".png": "image/png", ".avif": "image/avif", ".heic": "image/heif"}
server = subprocess.Popen([tumbler])
call = ["gdbus", "call", "--session", "--dest", "org.freedesktop.thumbnails.Thumbnailer1",
        "--object-path", "/org/freedesktop/thumbnails/Thumbnailer1", "--method"]
subprocess.run(["gdbus", "wait", "--session", "--timeout", "60", call[4]], check=True)
known = subprocess.run([*call, "org.freedesktop.thumbnails.Thumbnailer1.GetFlavors"], check=True, capture_output=True, text=True).stdout
uris = [pathlib.Path(photo).as_uri() for photo in photos]
kinds = [types[os.path.splitext(photo)[1]] for photo in photos]
flavors = [flavor for flavor in ("normal", "large", "x-large", "xx-large") if f"'{flavor}'" in known]
end = time.monotonic() + 300
# One flavor after another: Tumbler drops a file that is in a newer request, too.
for flavor in flavors:
    wanted = [f"{cache}/thumbnails/{flavor}/{hashlib.md5(uri.encode()).hexdigest()}.png" for uri in uris]
    asked = -float("inf")
    while missing := [path for path in wanted if not os.path.exists(path)]:
        if time.monotonic() > end:
            sys.exit(f"{len(missing)} of {len(wanted)} thumbnails are missing: {missing}")
        # On a busy machine, Tumbler may drop a request.
        if time.monotonic() - asked > 30:
            asked = time.monotonic()
            left = [number for number, path in enumerate(wanted) if path in missing]
            subprocess.run([*call, "org.freedesktop.thumbnails.Thumbnailer1.Queue", str([uris[n] for n in left]),
                            str([kinds[n] for n in left]), flavor, "default", "0"],
                           check=True, stdout=subprocess.DEVNULL)
        time.sleep(0.1)
server.terminate()
server.wait()
print(f"desktop test: Tumbler made thumbnails of {len(uris)} files, {', '.join(flavors)}")
PYTHON
files=("$photos/lake.jpg" "$photos/a {size} photo.tif" "$photos/größe.png" ${avif:+"$photos/$avif"} ${PHOTOS:-})
rm "$work/calls"
dbus-run-session -- python3 "$work/ask" "$tumbler" "$work/cache" "${files[@]}" 2>"$work/log" || { cat "$work/log" >&2; fail "Tumbler made no thumbnails"; }
for photo in "${files[@]}"; do
    grep -qF "thumbnail $photo --size" "$work/calls" || fail "Tumbler made the thumbnail of $photo without viewport"
done
passed "Tumbler calls viewport for $(wc -l <"$work/calls") thumbnails"
