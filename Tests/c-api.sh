#!/usr/bin/env bash
# The C library of the JPEG index, used by a C program and by Python's ctypes: Tests/c-api.sh [LIBRARY]
# Without LIBRARY, builds it as for packages, and checks that it needs no Swift at run time and exports only vji_.
set -euo pipefail
tests=$(dirname "$(realpath "$0")")
root=$(dirname "$tests")
include=$root/Sources/Formats/CJPEGIndex/include
if [ $# -gt 0 ]; then
    library=$(realpath "$1")
else
    cd "$root"
    options=(-c release --product viewport-jpeg-index --static-swift-stdlib -Xswiftc -static-stdlib
        -Xlinker "--version-script=$root/Sources/Formats/CJPEGIndex/exports.map")
    swift build "${options[@]}"
    library=$(swift build "${options[@]}" --show-bin-path)/libviewport-jpeg-index.so
    exported=$(nm -D --defined-only --extern-only "$library" | awk '{ print $NF }' | grep -v '^vji_' || true)
    [ -z "$exported" ] || { echo "exports more than vji_: $exported" >&2; exit 1; }
    needed=$(readelf -d "$library" | grep NEEDED | grep -iE 'swift|foundation|dispatch|blocks' || true)
    [ -z "$needed" ] || { echo "needs Swift at run time: $needed" >&2; exit 1; }
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The header is C99 and C++11 without warnings.
for language in "c -std=c99" "c++ -std=c++11"; do
    # shellcheck disable=SC2086
    echo '#include <viewport_jpeg_index.h>' |
        cc -x $language -Wall -Wextra -Wpedantic -Werror -I"$include" -fsyntax-only -
done

cc -std=gnu11 -O1 -Wall -Wextra -Wno-missing-field-initializers -Werror -I"$include" -o "$scratch/index" \
    "$tests/CAPI/index.c" "$library" -Wl,-rpath,"$(dirname "$library")" -lturbojpeg -lpthread
"$scratch/index" "$scratch"
python3 "$tests/CAPI/index.py" "$library" "$scratch"
