#!/usr/bin/env bash
# Installs the output of .ci/package on a Debian system without Swift, runs it and removes it:
#
#   Tests/package.sh OUTDIR [PROGRAM]
#
# OUTDIR is that of .ci/package; PROGRAM (default: .build/release/viewport) is the program before it was packed, to
# compare start-up times. Needs lintian and man-db, and root for the Debian system (.ci/root). Checks that cannot run here
# are skipped with a message.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
out=$(realpath "$1")
built=$(realpath "${2:-$(dirname "$0")/../.build/release/viewport}" 2>/dev/null || true)
cd "$(dirname "$0")/.."

skipped() { printf '\n******** SKIPPED: package test: %s ********\n\n' "$1" >&2; }
work=$(mktemp -d)
system=$work/system
server=
finish() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
    rm -rf --one-file-system "$work"
}
trap finish EXIT
fail() { echo "package test: $1" >&2; exit 1; }
passed() { echo "package test: $1"; }

installs() {
    command -v "$1" >/dev/null || { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >/dev/null 2>&1; }
}

packages=("$out"/viewport_*.deb)
archives=("$out"/viewport-*.tar.gz)
[ -f "${packages[0]}" ] && [ -f "${archives[0]}" ] || fail "$out has no package: .ci/package $out"
[ ${#packages[@]} = 1 ] && [ ${#archives[@]} = 1 ] || fail "$out has packages of several versions"
deb=${packages[0]} archive=${archives[0]}

# Output must not depend on umask, time zone and locale.
(umask 077 && TZ=Asia/Tokyo LC_ALL=C PROGRAM=$out/viewport .ci/package "$work/again" >/dev/null)
cmp "$deb" "$work/again/$(basename "$deb")" || fail "a second run makes another package"
cmp "$archive" "$work/again/$(basename "$archive")" || fail "a second run makes another archive"
rm -r "$work/again"
passed "a second run makes the same bytes"

if installs lintian lintian; then
    lintian --no-cfg --allow-root --fail-on error,warning "$deb" || fail "lintian reports errors or warnings"
    passed "lintian reports no errors and no warnings"
else
    skipped "lintian is not installed"
fi

mkdir "$work/files"
dpkg-deb -x "$deb" "$work/files"
pages=("$work"/files/usr/share/man/man1/*)
if installs lexgrog man-db; then
    for page in "${pages[@]}"; do
        warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$warnings" ] || fail "$(basename "$page"): $warnings"
        lexgrog "$page" >/dev/null || fail "$(basename "$page") has no NAME section that whatis can read"
    done
    passed "man formats ${#pages[@]} pages without warnings"
else
    skipped "man-db is not installed"
fi
for file in thumbnailers/viewport.thumbnailer applications/viewport.desktop icons/hicolor/scalable/apps/viewport.svg; do
    [ -s "$work/files/usr/share/$file" ] || fail "$file is missing"
done
[ ! -e "$work/files/etc" ] || fail "the package has files in /etc"
[ -z "$(find "$work/files" -name '*.wants')" ] || fail "the package enables a unit"
if command -v systemd-analyze >/dev/null; then
    sed "s|/usr/bin/viewport|$out/viewport|" "$work/files/usr/lib/systemd/system/viewport@.service" >"$work/viewport@.service"
    # The page in Documentation= is not installed on this system.
    complaints=$(systemd-analyze --man=no verify "$work/viewport@.service" 2>&1) || fail "systemd: $complaints"
    [ -z "$complaints" ] || fail "systemd: $complaints"
    passed "systemd accepts the unit"
else
    skipped "systemd-analyze is not installed"
fi

echo "package test: $(basename "$deb"): $(stat -c %s "$deb") bytes," \
    "installed $(dpkg-deb -f "$deb" Installed-Size) KiB; $(basename "$archive"): $(stat -c %s "$archive") bytes"
[ -x "$built" ] || built=
python3 - "$work/files/usr/bin/viewport" $built <<'PYTHON'
import subprocess, sys, time
names = dict(zip(("packed", "as built"), sys.argv[1:]))
times = {name: [] for name in names}
for _ in range(20):
    for name, program in names.items():
        start = time.perf_counter()
        subprocess.run([program, "help"], stdout=subprocess.DEVNULL, check=True)
        times[name].append((time.perf_counter() - start) * 1000)
print("package test: viewport help, median of 20:",
      ", ".join(f"{sorted(all)[10]:.1f} ms {name}" for name, all in times.items()))
PYTHON

# A system without Swift.
code=0
.ci/root new "$system" || code=$?
[ "$code" != 75 ] || { skipped "no Debian system in a folder here"; exit 0; }
[ "$code" = 0 ] || fail ".ci/root failed"
inside() { .ci/root run "$system" "$@"; }
shell() { inside bash -euo pipefail -c "$1"; }
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; fail "failed: $*"; }; }

# Shells and man to test with, and the dependencies of the package, so that nothing else is missing or hidden.
quietly inside apt-get update -qq
quietly inside apt-get install -y -qq --no-install-recommends man-db bash-completion zsh fish
depends=$(dpkg-deb -f "$deb" Depends)
quietly inside apt-get satisfy -y -qq --no-install-recommends "$depends"
inside sh -c 'command -v swift swiftc ffmpeg' && fail "the system without Swift has Swift or ffmpeg"

# All files except caches and package lists.
files() {
    inside find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /var/cache/apt -o -path /var/cache/man \
        -o -path /var/lib/apt -o -path /root \) -prune -o -printf '%p %y %m %l\n' | LC_ALL=C sort
}
settle() { inside mandb -q >/dev/null 2>&1 || true; }
settle
files >"$work/before"

mkdir -p "$system/tmp/test/images"
cp samples/lake.jpg "$system/tmp/test/images/photo.jpg"
cp "$deb" "$system/tmp/test/viewport.deb"
cp "$archive" "$system/tmp/test/viewport.tar.gz"
quietly inside dpkg -i /tmp/test/viewport.deb

# The systems may have different versions of libvips, which the line names.
version=$("$out/viewport" --version | sed 's/, libvips [^,]*//')
[ "$(inside viewport --version | sed 's/, libvips [^,]*//')" = "$version" ] || fail "the version of the installed program differs"
inside viewport render /tmp/test/images/photo.jpg -o /tmp/test/x.png
[ "$(head -c 8 "$system/tmp/test/x.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "render wrote no PNG"
# libvips writes WebP, and is loaded when first needed.
inside viewport render /tmp/test/images/photo.jpg --size 300 -o /tmp/test/x.webp
inside viewport thumbnail /tmp/test/x.webp -o /tmp/test/small.png
inside viewport library import /tmp/test/library /tmp/test/images --quiet
[ "$(find "$system/tmp/test/library" -name photo.jpg | wc -l)" = 1 ] || fail "library import copied no photo"
passed "without Swift: render, thumbnail and library work"

.ci/root run "$system" viewport serve /tmp/test/images --port 0 --json >"$work/serve.json" 2>"$work/serve.log" &
server=$!
for _ in $(seq 300); do [ -s "$work/serve.json" ] && break; sleep 0.1; done
port=$(sed 's/.*"port":\([0-9]*\).*/\1/' "$work/serve.json")
tile=1024,1024,512,512/256,256/0/default.jpg
python3 -c 'import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1], timeout=60).read())' \
    "http://127.0.0.1:$port/iiif/3/photo.jpg/$tile" >"$work/tile.jpg" || { cat "$work/serve.log" >&2; fail "serve returned no tile"; }
inside viewport render /tmp/test/images/photo.jpg --iiif "$tile" -o - | cmp - "$work/tile.jpg" || fail "the tile differs from that of render"
kill "$server"
wait "$server" || fail "serve exited with $?"
server=
passed "without Swift: serve and render return the same tile"

shell '
    . /usr/share/bash-completion/bash_completion
    _completion_loader viewport || [ $? = 124 ]
    complete -p viewport
    COMP_WORDS=(viewport rend) COMP_CWORD=1 COMP_LINE="viewport rend" COMP_POINT=13
    set +eu; _viewport viewport rend viewport
    [ "${COMPREPLY[0]%% }" = render ] || { echo "bash completes with: ${COMPREPLY[*]}" >&2; exit 1; }' >/dev/null ||
    fail "bash does not complete"
[ "$(inside zsh -fc 'autoload -U compinit && compinit -u -D && print -r -- $_comps[viewport] && autoload +X _viewport && print loaded' 2>&1 | tr '\n' ' ')" = "_viewport loaded " ] ||
    fail "zsh does not load the completion"
inside fish -c 'complete -C "viewport rend"' | grep -q '^render' || fail "fish does not complete"
passed "bash, zsh and fish complete"

inside man -w viewport-render >/dev/null || fail "man finds no page"
[ -n "$(inside man viewport-render)" ] || fail "man shows no page"
inside whatis viewport-render | grep -q '^viewport-render (1)' || fail "whatis finds no page"
passed "man and whatis find the pages"

# The cache that systemd makes for the unit.
mkdir -p "$system/var/cache/private/viewport/x"
ln -s private/viewport "$system/var/cache/viewport"
quietly inside dpkg --purge viewport
[ ! -e "$system/var/cache/private/viewport" ] || fail "purging keeps the cache of the servers"
rmdir "$system/var/cache/private"
settle
files >"$work/after"
diff "$work/before" "$work/after" || fail "files differ after the package was purged"
passed "purging the package leaves no files"

# Installs and removes the archive with the commands in its INSTALL.
shell '
    cd /tmp/test && tar -xzf viewport.tar.gz && cd viewport-*
    commands() { sed -n "/^$1/,/^[A-Z]/ s/^    //p" INSTALL | grep -v "^bin"; }
    eval "$(commands Needs)"
    eval "$(commands "Install to")"
    viewport render /tmp/test/images/photo.jpg --size 100 -o /tmp/test/y.png
    [ "$(command -v viewport)" = /usr/local/bin/viewport ]
    man -w viewport-render >/dev/null
    eval "$(commands "Remove it")"' || fail "the commands in INSTALL failed"
[ -z "$(inside find /usr/local -type f)" ] || fail "the archive leaves files"
passed "the archive installs, runs and is removed"
