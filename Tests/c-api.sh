#!/usr/bin/env bash
# The C library of the JPEG index, used by a C program and by Python's ctypes: Tests/c-api.sh [LIBRARY]
# Without LIBRARY, builds it for release.
set -euo pipefail
tests=$(dirname "$(realpath "$0")")
root=$(dirname "$tests")
include=$root/Sources/CJPEGIndex/include
if [ $# -gt 0 ]; then
    library=$(realpath "$1")
else
    cd "$root"
    swift build -c release --product viewport-jpeg-index
    library=$(swift build -c release --show-bin-path)/libviewport-jpeg-index.so
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
