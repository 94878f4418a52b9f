#!/usr/bin/env bash
# Runs samples/setup in a Debian system of .ci/root: as root without sudo, as a user with sudo, and as one without.
#
#   Tests/setup.sh
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "setup test: $1" >&2; exit 1; }
passed() { echo "setup test: $1"; }

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
system=$work/system
code=0
.ci/root new "$system" || code=$?
[ "$code" != 75 ] || { printf '\n******** SKIPPED: setup test: no Debian system in a folder here ********\n\n' >&2; exit 0; }
[ "$code" = 0 ] || fail ".ci/root failed"
mkdir "$system/source"
cp -r samples "$system/source"
# The first command of both blocks of README, as it is written.
command=$(awk '/^<!-- (main|tests) -->$/ { marked = 1 } marked && sub(/ && .*/, "") { print; marked = 0 }' README.md | uniq)
inside() { .ci/root run "$system" "$@" >"$work/log" 2>&1 </dev/null; }
setup() { inside sh -c "cd /source && $command"; }
as_user() { inside su user -c "cd /source && $command"; }
said() { grep -q "$1" "$work/log" || { tail -n 20 "$work/log" >&2; fail "it does not say: $1"; }; }

inside sh -c 'command -v sudo' && fail "the system has sudo"
inside useradd --create-home user
code=0; as_user || code=$?
[ "$code" = 77 ] || fail "a user without sudo gets $code"
said 'As root, run' && said 'apt-get update && apt-get install git libvips-dev'
passed "a user without sudo is told what root has to run"

setup || { tail -n 20 "$work/log" >&2; fail "it fails as root"; }
inside sh -c 'git --version && pkg-config --exists vips libturbojpeg libpng libdeflate libisal zlib libcrypto sqlite3 libcurl' ||
    fail "libraries are missing"
passed "root needs no sudo"

start=$(date +%s%N)
setup || fail "it fails where nothing is missing"
said 'all packages for the build are installed'
passed "a second run takes $((($(date +%s%N) - start) / 1000000)) ms"
code=0; as_user || code=$?
[ "$code" = 0 ] || fail "a user without sudo fails where nothing is missing"

inside apt-get install -y -qq --no-install-recommends sudo
echo 'user ALL=(root) NOPASSWD: /usr/bin/apt-get' >"$system/etc/sudoers.d/user"
chmod 440 "$system/etc/sudoers.d/user"
inside dpkg --purge --force-depends libisal-dev
as_user || { tail -n 20 "$work/log" >&2; fail "it fails for a user with sudo"; }
said 'sudo apt-get installs libisal-dev'
inside pkg-config --exists libisal || fail "a library is missing"
passed "a user with sudo needs no root"

inside mv /usr/bin/apt-get /usr/bin/apt-get.hidden
setup || fail "it fails without apt-get where nothing is missing"
inside dpkg --purge --force-depends libisal-dev libdeflate-dev
code=0; setup || code=$?
[ "$code" = 69 ] || fail "another system gets $code"
said ' libdeflate libisal$'
passed "on other systems, it names what is missing"
