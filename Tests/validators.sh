#!/usr/bin/env bash
# Writes one of each output and lets other people's validators and readers look at it: any word that is not on the short
# list of Tests/validators.py fails. Takes about a minute.
#
# Tests/validators.sh PROGRAM, by default the release build. Checks of programs that are not installed are skipped, each
# with a message. Needs python3 with venv and pip, and access to PyPI; otherwise it skips with the reason.
set -euo pipefail
viewport=$(realpath "${1:-$(dirname "$0")/../.build/release/viewport}")
cd "$(dirname "$0")/.."

skip() { printf '\n!!! SKIPPED: outputs were not validated: %s\n\n' "$1" >&2; exit 0; }

[ -x "$viewport" ] || skip "there is no $viewport; build it first"
folder=.build/validators
mkdir -p "$folder"
python=$folder/venv/bin/python
packages=(Pillow==12.0.0 numpy html5lib==1.1 iiif-prezi3 rio-cogeo==7.0.4)
if ! "$python" -c 'import PIL, html5lib, iiif_prezi3, rio_cogeo' 2>/dev/null; then
    python3 -m venv "$folder/venv" >/dev/null || skip "python3 has no venv"
    timeout 200 "$folder/venv/bin/pip" install -q --only-binary :all: "${packages[@]}" || skip "PyPI cannot be reached"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Not the library, the settings and the caches of this user.
export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_CONFIG_HOME=$work/config
mkdir -p "$work/home"
PATH=$PWD/$folder/venv/bin:$PATH "$python" Tests/validators.py "$viewport" "$work"
