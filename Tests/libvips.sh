#!/usr/bin/env bash
# Runs the tests of pixels, of reading and of files that cannot be decoded with another libvips than that of the system.
#
#   Tests/libvips.sh LIB PROGRAM       LIB is the folder "lib" that .ci/libvips makes
#
# Suites are left out whose files libvips has to encode as HEVC, which PyPI's is built without, and those that compare each
# sample with the LittleCMS of the system.
set -euo pipefail
lib=$(cd "$1" && pwd)
program=$2
root=$(cd "$(dirname "$0")/.." && pwd)
# `swift build` links it again only where something has changed.
tests=$root/.build/debug/swift-viewportPackageTests.xctest

version() { grep -oE 'libvips [0-9.]+' | grep -oE '[0-9.]+'; }
usual=$("$program" --version | version)
runs=$(LD_LIBRARY_PATH=$lib "$program" --version | version)
echo "libvips $runs runs in place of $usual"
[ "$(LD_LIBRARY_PATH=$lib "$program" doctor | head -n 1)" = "ok    libvips is $runs" ]
[ "$runs" != "$usual" ] || { echo "it is the same version"; exit 1; }

cd "$root"
LD_LIBRARY_PATH=$lib VIEWPORT=$program timeout 900 "$tests" --testing-library swift-testing --filter \
    'ImageReadingTests|ViewportRenderingTests|VipsTests|PictureEncodingTests|DamagedFilesTests|FailureReasonTests|GainMapCommandTests' \
    --skip 'HEIF|OneReaderTests|SRGBConversionTests'
echo "the tests pass with libvips $runs"
