#!/usr/bin/env bash
# The C libraries, used by programs in C, C++ and Python's ctypes: Tests/c-api.sh LIBRARY…
#
# LIBRARY is libviewport or libviewport-jpeg-index, of a debug build or as `.ci/library` makes it: the latter must need no
# Swift at run time and export only what its header declares. With valgrind, C programs must have no errors.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,/^set/ { /^#/ s/^# \{0,1\}//p }' "$0" >&2; exit 64; }
tests=$(dirname "$(realpath "$0")")
root=$(dirname "$tests")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "C libraries: $1" >&2; exit 1; }

# Headers are C99 and C++11 without warnings.
includes=()
for header in Formats/CJPEGIndex/include/viewport_jpeg_index.h Outputs/CViewport/include/viewport.h; do
    includes+=("-I$root/Sources/$(dirname "$header")")
    for language in "c -std=c99" "c++ -std=c++11"; do
        # shellcheck disable=SC2086
        echo "#include <$(basename "$header")>" |
            cc -x $language -Wall -Wextra -Wpedantic -Werror "${includes[@]}" -fsyntax-only -
    done
done

for library in "$@"; do
    library=$(realpath "$library")
    folder=$scratch/$(basename "$library")
    mkdir "$folder"
    symbols=$(nm -D --defined-only --extern-only "$library" | awk '{ print $NF }')
    has_images=$(grep -c '^viewport_open$' <<<"$symbols" || true)
    # As packages have it.
    is_packed=0
    if ! readelf -d "$library" | grep -q 'NEEDED.*swift'; then
        is_packed=1
        more=$(grep -vE '^(vji|viewport)_|^_(init|fini)$|^viewport_build' <<<"$symbols" || true)
        [ -z "$more" ] || fail "$library exports more than its header declares: $more"
    fi
    compile() { "$1" -O1 -g -Wall -Wextra -Wno-missing-field-initializers -Werror "${includes[@]}" "${@:2}" \
        "$library" -Wl,-rpath,"$(dirname "$library")" -lturbojpeg -lpthread -lm; }
    compile cc -std=gnu11 -o "$folder/index" "$tests/CAPI/index.c"
    "$folder/index" "$folder"
    python3 "$tests/CAPI/index.py" "$library" "$folder"
    [ "$has_images" = 1 ] || continue
    compile cc -std=gnu11 -o "$folder/viewport" "$tests/CAPI/viewport.c"
    check=()
    if [ "$is_packed" = 1 ]; then
        if command -v valgrind >/dev/null; then
            check=(valgrind --quiet --error-exitcode=99)
        else
            echo "SKIPPED: valgrind is not installed" >&2
        fi
    fi
    "${check[@]}" "$folder/viewport" "$folder"
    compile c++ -std=c++11 -o "$folder/viewport++" "$tests/CAPI/viewport.cpp"
    "$folder/viewport++" "$folder/whole.jpg"
    # As the Debian packages beside the library install it.
    for deb in "$(dirname "$library")"/libviewport{0,-dev}_*.deb; do
        [ ! -f "$deb" ] || dpkg-deb -x "$deb" "$folder/installed"
    done
    if [ -d "$folder/installed" ]; then
        pkgconfig=$(dirname "$(find "$folder/installed" -name viewport.pc)")
        flags=$(PKG_CONFIG_PATH=$pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder/installed pkg-config --cflags --libs viewport)
        # shellcheck disable=SC2086
        c++ -std=c++11 -o "$folder/installed++" "$tests/CAPI/viewport.cpp" $flags -lpthread
        LD_LIBRARY_PATH=$(dirname "$pkgconfig") "$folder/installed++" "$folder/whole.jpg"
    fi
    if python3 -c 'import numpy, PIL' 2>/dev/null; then
        PYTHONPATH=$root/Sources/Outputs/PythonPackage VIEWPORT_LIBRARY=$library python3 -B "$tests/CAPI/package.py" "$folder"
    else
        echo "SKIPPED: the Python package: NumPy or Pillow is not installed" >&2
    fi
done
