#!/usr/bin/env bash
# Tests the npm package of viewport-tiles.js: packs it, installs the archive into a project, and fetches parts of JPEGs,
# of a PNG and of TIFFs with Node.js from a server with one range per request. Their pixels are those of `viewport render`.
#
#   Tests/npm.sh [PROGRAM]
#
# Needs node and npm, and no network. Skips with the reason without them.
set -euo pipefail
cd "$(dirname "$0")/.."
viewport=$(realpath "${1:-.build/debug/viewport}")
[ -x "$viewport" ] || { echo "$viewport is not built" >&2; exit 66; }
skip() { printf '\n******** SKIPPED: npm test: %s ********\n\n' "$1" >&2; exit 0; }
fail() { echo "npm test: $1" >&2; exit 1; }
command -v node npm >/dev/null || skip "node and npm are not installed"
node -e 'process.exit(process.getBuiltinModule ? 0 : 1)' || skip "node is older than 20.16"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export npm_config_cache=$work/cache npm_config_update_notifier=false
.ci/npm "$work/package" >/dev/null
archive=$(cd "$work/package" && npm pack --silent --pack-destination "$work")
names=$(tar -tzf "$work/$archive" | sort | tr '\n' ' ')
expected="LICENSE README.md package.json png-regions.js png-writer.js progressive-regions.js progressive.wasm regions.wasm tiff-tiles.js viewport-tiles.d.ts viewport-tiles.js"
[ "$names" = "$(printf 'package/%s ' $expected)" ] ||
    fail "the archive has $names"
mkdir "$work/project" "$work/host"
(cd "$work/project" && npm init -y >/dev/null && npm install --silent --offline --no-audit --no-fund "$work/$archive")

"$viewport" render samples/lake.jpg -s 3000 -o "$work/host/a b.jpg" --quiet --overwrite
"$viewport" render samples/lake.jpg -s 2000 -o "$work/host/c.png" --quiet
vips=$(command -v vips) || skip "vips is not installed"
"$vips" jpegsave "$work/host/a b.jpg" "$work/host/d.jpg" --interlace
"$vips" tiffsave "$work/host/c.png" "$work/host/e.tif" --tile --tile-width 256 --tile-height 256 --compression jpeg --pyramid
"$vips" tiffsave "$work/host/c.png" "$work/host/f.tif" --tile --tile-width 512 --tile-height 512 --compression deflate --predictor horizontal
for name in "a b.jpg" c.png d.jpg e.tif f.tif; do "$viewport" index "$work/host/$name" -o "$work/host/$name.vpi" --levels --quiet; done
cat >"$work/project/try.mjs" <<'END'
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { open, stat, writeFile } from "node:fs/promises";
import { ImageProblem, ViewportImage, tileSource } from "viewport-tiles";

const [host, out] = process.argv.slice(2);
let count = 0;
const server = createServer(async (request, response) => {
  const path = host + decodeURIComponent(new URL(request.url, "http://a").pathname);
  const found = await stat(path).catch(() => undefined);
  const [, begin, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  if (!found) return response.writeHead(404).end();
  // Several ranges: the whole file, as simple servers answer.
  if (begin === undefined) return response.writeHead(200).end("whole");
  count++;
  const [first, last] = [Number(begin), Math.min(Number(end), found.size - 1)];
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(last - first + 1), 0, last - first + 1, first);
  await file.close();
  response.writeHead(206, { "Content-Range": `bytes ${first}-${last}/${found.size}`, ETag: '"1"' }).end(buffer);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;
const image = await ViewportImage.open(`${base}/a%20b.jpg`);
assert.equal(Math.max(image.size.width, image.size.height), 3000);
assert.equal(image.levels[0].factor, 1);
const rect = { x: 1000, y: 700, width: 800, height: 600 };
const part = await image.part(rect);
assert.equal(part.orientation, 1);
assert.deepEqual([part.width, part.height], [800, 600]);
await writeFile(`${out}/part.jpg`, part.bytes);
await writeFile(`${out}/rect`, [part.x, part.y, part.width, part.height].join());
// The sidecar, a first try of several ranges, and few pieces of the JPEG.
assert.ok(count <= 20, `${count} requests`);
const { size } = await stat(`${host}/a b.jpg`);
const share = (800 * 600) / (image.size.width * image.size.height);
console.log(`${image.traffic.requests} requests, ${image.traffic.bytes} bytes of ${size}, share ${share.toFixed(2)}`);
const other = await ViewportImage.open(`${base}/c.png`);
for (const [number, y] of [0, 333, 1300].entries()) {
  const part = await other.part({ x: 777, y, width: 400, height: 300 });
  assert.equal(part.type, "image/png");
  await writeFile(`${out}/part${number}.png`, part.bytes);
}
await assert.rejects(other.part({ x: 1900, y: 0, width: 400, height: 300 }), ImageProblem);
for (const name of ["d.jpg", "e.tif", "f.tif"]) {
  const image = await ViewportImage.open(`${base}/${name}`);
  const part = await image.part({ x: 1030, y: 520, width: 230, height: 240 });
  await writeFile(`${out}/${name}.part`, part.bytes);
  await writeFile(`${out}/${name}.rect`, [part.x, part.y, part.width, part.height].join());
  if (name !== "d.jpg") await assert.rejects(image.part({ x: 900, y: 900, width: 400, height: 400 }), ImageProblem);
}
await assert.rejects(image.part({ x: 2900, y: 0, width: 900, height: 600 }), ImageProblem);
await assert.rejects(ViewportImage.open(`${base}/none.jpg`), (problem) => problem.status === 404);
assert.equal(typeof tileSource, "function");
server.close();
END
(cd "$work/project" && node try.mjs "$work/host" "$work") || fail "Node.js cannot use the package"
"$viewport" render "$work/part.jpg" --rect "$(cat "$work/rect")" -o "$work/part.png" --quiet
"$viewport" render "$work/host/a b.jpg" --rect 1000,700,800,600 -o "$work/whole.png" --quiet
cmp "$work/part.png" "$work/whole.png" || fail "the part has other pixels than render"
for number in 0 1 2; do
    y=$(printf '0\n333\n1300\n' | sed -n "$((number + 1))p")
    "$viewport" render "$work/part$number.png" -o "$work/a.png" --rect 0,0,400,300 --quiet --overwrite
    "$viewport" render "$work/host/c.png" -o "$work/b.png" --rect "777,$y,400,300" --quiet --overwrite
    cmp "$work/a.png" "$work/b.png" || fail "a part of the PNG at $y has other pixels than render"
done
for name in d.jpg e.tif f.tif; do
    "$viewport" render "$work/$name.part" -o "$work/a.png" --rect "$(cat "$work/$name.rect")" --quiet --overwrite
    "$viewport" render "$work/host/$name" -o "$work/b.png" --rect 1030,520,230,240 --quiet --overwrite
    cmp "$work/a.png" "$work/b.png" || fail "a part of $name has other pixels than render"
done
# Types are checked where the compiler is installed.
if command -v tsc >/dev/null; then
    printf 'import { ViewportImage } from "viewport-tiles";\nconst image: ViewportImage = await ViewportImage.open("a");\nimage.size.width.toFixed();\n' >"$work/project/try.ts"
    (cd "$work/project" && tsc --noEmit --module nodenext --target es2022 try.ts) || fail "the types are wrong"
fi
echo "npm test: the package is packed, installed and used by Node.js $(node --version)"
