#!/usr/bin/env bash
# Compares ConstraintLayout with kiwisolver on 10,000 random systems, and its speed on 1,000 views: less than a minute.
#
#   Tests/layout.sh [--speed-limits]
#
# Needs python3 with venv and pip, and access to PyPI; otherwise it skips with the reason. SOLVER is the path of the release build of
# Tests/Tools/solve-constraints; without it, the program is built. With --speed-limits, times above the limits are errors.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { printf '\n!!! SKIPPED: the comparison with kiwisolver did not run: %s\n\n' "$1" >&2; exit 0; }

folder=.build/layout
mkdir -p "$folder"
python=$folder/venv/bin/python
if ! "$python" -c 'import kiwisolver' 2>/dev/null; then
    python3 -m venv "$folder/venv" >/dev/null || skip "python3 has no venv"
    timeout 100 "$folder/venv/bin/pip" install -q --only-binary :all: kiwisolver || skip "PyPI cannot be reached"
fi

solver=${SOLVER:-.build/release/solve-constraints}
[ -n "${SOLVER:-}" ] || VIEWPORT_TESTS=all swift build -c release --product solve-constraints >&2

"$python" Tests/layout.py "$solver" 10000
limits=()
[ "${1:-}" != --speed-limits ] || limits=(--check)
"$python" Benchmarks/peers/layout.py "$solver" "${limits[@]}"
