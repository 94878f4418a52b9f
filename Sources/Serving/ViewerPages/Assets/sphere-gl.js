// Paints a look into a panorama with WebGL 2, from pages in a texture array.
//
// The pixels are those of the Swift package's renderer: positions are computed at the corners of cells of 8 pixels, and
// for each sample where that is not enough; a pixel is the mean of as many samples as it covers pixels of the level.

import { CELL, mostPages, SIDE } from "./sphere-map.js";

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;
precision highp sampler2DArray;
const float CELL = 8.0;
uniform mat3 turn;
uniform float radius;
uniform vec2 screen, scale, rest, size;
uniform ivec2 base;
uniform bool isCylinder, isCircle, isSketch;

// Of a GPU's own function only few digits are certain.
float arc(float t) {
  float x = t > 0.41421356 ? (t - 1.0) / (t + 1.0) : t;
  float z = x * x;
  float y = (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * x + x;
  return t > 0.41421356 ? y + 0.78539816 : y;
}

float angle(float y, float x) {
  float a = abs(x), b = abs(y);
  float most = max(a, b);
  float t = most > 0.0 ? arc(min(a, b) / most) : 0.0;
  if (b > a) t = 1.57079633 - t;
  if (x < 0.0) t = 3.14159265 - t;
  return y < 0.0 ? -t : t;
}

// The position that a point shows, in pixels of the level from the base.
vec2 offset(vec2 point) {
  vec3 d = turn * vec3((point.x - screen.x / 2.0) / radius, (screen.y / 2.0 - point.y) / radius, 1.0);
  float across = length(d.xz);
  float down = isCylinder ? d.y / max(across, 1e-9 * abs(d.y)) : angle(d.y, across);
  return vec2(angle(d.x, d.z), -down) * scale;
}

bool contains(vec2 offset) {
  vec2 place = vec2(base) + rest + offset;
  return (isCircle || (place.x >= 0.0 && place.x <= size.x)) && place.y >= 0.0 && place.y <= size.y;
}
`;

const CORNERS = `${HEAD}
uniform int across;
uniform float whole;
uniform usampler2D cells;
flat out vec4 upper, lower;
flat out ivec4 how;

vec2 near(vec2 place, vec2 other) {
  return isCircle ? vec2(place.x - round((place.x - other.x) / whole) * whole, place.y) : place;
}

void main() {
  vec2 corner = vec2(gl_InstanceID % across, gl_InstanceID / across) * CELL;
  vec2 a = offset(corner);
  vec2 b = near(offset(corner + vec2(CELL, 0)), a);
  vec2 c = near(offset(corner + vec2(0, CELL)), a);
  vec2 d = near(offset(corner + vec2(CELL)), a);
  vec2 middle = near(offset(corner + vec2(CELL / 2.0)), a);
  bool isWhole = contains(a) && contains(b) && contains(c) && contains(d) && contains(middle);
  vec2 off = abs(middle - (a + b + c + d) / 4.0);
  vec2 steps = vec2(length(b - a + d - c), length(c - a + d - b)) / (2.0 * CELL);
  bool isExact = !isWhole || max(off.x, off.y) > 0.04 * max(1.0, min(steps.x, steps.y));
  ivec2 samples = isWhole ? 1 + ivec2(greaterThan(steps, vec2(1.05))) : ivec2(1);
  upper = vec4(a, b);
  lower = vec4(c, d);
  // At rest, the script decides: 32 bits are not enough where a limit is near.
  how = isSketch ? ivec4(isExact, samples, 0) : ivec4(texelFetch(cells, ivec2(corner / CELL), 0));
  vec2 point = corner + CELL * vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(point.x / screen.x * 2.0 - 1.0, 1.0 - point.y / screen.y * 2.0, 0, 1);
}
`;

const PIXELS = `${HEAD}
uniform sampler2DArray pages;
uniform usampler2D slots;
uniform ivec2 level;
uniform bvec2 hasPole;
flat in vec4 upper, lower;
flat in ivec4 how;
out vec4 color;

// SIDE is 256. Divisions of integers are slow.
uint slotOf(ivec2 p) { return texelFetch(slots, p >> 8, 0).r; }

vec4 stored(ivec2 p, uint slot) {
  return slot == 0u ? vec4(0) : texelFetch(pages, ivec3(p & 255, int(slot) - 1), 0);
}

vec4 pixel(ivec2 p) {
  if (p.y < 0 && hasPole.x) p = ivec2(p.x + (level.x >> 1), -1 - p.y);
  else if (p.y >= level.y && hasPole.y) p = ivec2(p.x + (level.x >> 1), 2 * level.y - 1 - p.y);
  p.y = clamp(p.y, 0, level.y - 1);
  if (isCircle) p.x += p.x < 0 ? level.x : p.x >= 2 * level.x ? -2 * level.x : p.x >= level.x ? -level.x : 0;
  p.x = clamp(p.x, 0, level.x - 1);
  return stored(p, slotOf(p));
}

// The cubic of Catmull and Rom.
vec4 weights(float x) {
  float square = x * x, cube = x * x * x;
  return vec4(
    -0.5 * x + square - 0.5 * cube, 1.0 - 2.5 * square + 1.5 * cube, 0.5 * x + 2.0 * square - 1.5 * cube,
    0.5 * cube - 0.5 * square);
}

vec4 between(vec2 offset, bool isCubic) {
  vec2 place = offset + rest - 0.5;
  vec2 whole = floor(place), part = place - whole;
  ivec2 at = base + ivec2(whole);
  ivec2 first = at - 1, last = at + 2;
  // Most neighborhoods are in one page.
  bool isInPage = min(first.x, first.y) >= 0 && last.x < level.x && last.y < level.y && first >> 8 == last >> 8;
  uint slot = isInPage ? slotOf(first) : 0u;
  if (!isCubic) {
    ivec2 right = at + ivec2(1, 0), below = at + ivec2(0, 1), both = at + 1;
    return isInPage
      ? mix(mix(stored(at, slot), stored(right, slot), part.x), mix(stored(below, slot), stored(both, slot), part.x), part.y)
      : mix(mix(pixel(at), pixel(right), part.x), mix(pixel(below), pixel(both), part.x), part.y);
  }
  vec4 columns = weights(part.x), rows = weights(part.y), sum = vec4(0);
  if (isInPage && slot != 0u) {
    ivec3 here = ivec3(first & 255, int(slot) - 1);
    for (int y = 0; y < 4; y++) {
      vec4 line = vec4(0);
      for (int x = 0; x < 4; x++) line += columns[x] * texelFetch(pages, here + ivec3(x, y, 0), 0);
      sum += rows[y] * line;
    }
  } else if (!isInPage) {
    for (int y = 0; y < 4; y++) {
      vec4 line = vec4(0);
      for (int x = 0; x < 4; x++) line += columns[x] * pixel(first + ivec2(x, y));
      sum += rows[y] * line;
    }
  }
  return sum;
}

void main() {
  vec2 here = floor(vec2(gl_FragCoord.x, screen.y - gl_FragCoord.y));
  vec2 corner = floor(here / CELL) * CELL;
  ivec2 count = how.yz;
  vec4 sum = vec4(0);
  for (int y = 0; y < count.y; y++) {
    for (int x = 0; x < count.x; x++) {
      vec2 point = here + (vec2(x, y) + 0.5) / vec2(count);
      vec2 part = (point - corner) / CELL;
      vec2 place = how.x != 0 ? offset(point) : mix(mix(upper.xy, upper.zw, part.x), mix(lower.xy, lower.zw, part.x), part.y);
      if (how.x == 0 || contains(place)) sum += between(place, how.w != 0);
    }
  }
  color = sum / float(count.x * count.y);
  color = vec4(clamp(color.rgb, 0.0, color.a), color.a);
}
`;

/** Whether a GPU runs WebGL 2: emulated, it takes a hundred times as long as a script. */
function hasGPU() {
  const gl = new OffscreenCanvas(1, 1).getContext("webgl2");
  if (!gl) return false;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class WebGLPainter {
  #gl;
  #program;
  #places = new Map();
  #pages;
  #capacity = 0;

  /** A painter of a canvas; undefined where there is no WebGL 2, or one that the processor emulates. */
  static create(canvas) {
    if (!hasGPU()) return undefined;
    const gl = canvas.getContext("webgl2", { antialias: false, depth: false, preserveDrawingBuffer: true });
    return gl ? new WebGLPainter(gl) : undefined;
  }

  constructor(gl) {
    this.#gl = gl;
    this.mostPages = Math.min(mostPages(), gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS));
    this.#prepare();
  }

  /** Makes everything again after the context was lost. */
  restore() {
    this.#places.clear();
    this.#prepare();
    if (this.#capacity > 0) this.reserve(this.#capacity);
  }

  /** Frees the context: browsers have few. */
  end() { this.#gl.getExtension("WEBGL_lose_context")?.loseContext(); }

  /** Makes room for some pages, which have to be put again. */
  reserve(capacity) {
    const gl = this.#gl;
    gl.deleteTexture(this.#pages);
    this.#capacity = capacity;
    this.#pages = this.#texture(0, gl.TEXTURE_2D_ARRAY);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGBA8, SIDE, SIDE, capacity);
  }

  /** Stores the page that a context of SIDE pixels has. */
  put(slot, { canvas }) {
    const gl = this.#gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, slot, SIDE, SIDE, 1, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
    gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false);
  }

  /** Draws a look: exactly, or a quick `isSketch` of it. `slots` are those of the pages of the map's level, plus 1. */
  draw(map, slots, isSketch) {
    const gl = this.#gl;
    if (gl.isContextLost()) return;
    const { screen, base, level, turn } = map;
    const [left, top] = [Math.floor(base.x), Math.floor(base.y)];
    gl.viewport(0, 0, screen.width, screen.height);
    gl.activeTexture(gl.TEXTURE1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(
      gl.TEXTURE_2D, 0, gl.R16UI, map.pagesAcross, map.pagesDown, 0, gl.RED_INTEGER, gl.UNSIGNED_SHORT, slots);
    const [across, down] = [Math.ceil(screen.width / CELL), Math.ceil(screen.height / CELL)];
    gl.activeTexture(gl.TEXTURE2);
    if (!isSketch) {
      gl.texImage2D(
        gl.TEXTURE_2D, 0, gl.RGBA8UI, across, down, 0, gl.RGBA_INTEGER, gl.UNSIGNED_BYTE, cellsOf(map, across, down));
    }
    const at = (name) => this.#place(name);
    gl.uniformMatrix3fv(at("turn"), false, turn.flat());
    gl.uniform1f(at("radius"), map.radius);
    gl.uniform1f(at("whole"), map.whole.width);
    gl.uniform2f(at("screen"), screen.width, screen.height);
    gl.uniform2f(at("scale"), map.scale.x, map.scale.y);
    gl.uniform2i(at("base"), left, top);
    gl.uniform2f(at("rest"), base.x - left, base.y - top);
    gl.uniform2f(at("size"), map.size.width, map.size.height);
    gl.uniform2i(at("level"), level.width, level.height);
    gl.uniform2i(at("hasPole"), Number(map.hasPole.up), Number(map.hasPole.down));
    for (const name of ["isCylinder", "isCircle"]) gl.uniform1i(at(name), Number(map[name]));
    gl.uniform1i(at("isSketch"), Number(isSketch));
    gl.uniform1i(at("across"), across);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, across * down);
  }

  #place(name) {
    if (!this.#places.has(name)) this.#places.set(name, this.#gl.getUniformLocation(this.#program, name));
    return this.#places.get(name);
  }

  #prepare() {
    const gl = this.#gl;
    this.#program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, CORNERS], [gl.FRAGMENT_SHADER, PIXELS]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.#program, shader);
    }
    gl.linkProgram(this.#program);
    if (!gl.getProgramParameter(this.#program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(`no program: ${gl.getAttachedShaders(this.#program).map((one) => gl.getShaderInfoLog(one)).join()}`);
    }
    gl.useProgram(this.#program);
    for (const unit of [1, 2]) this.#texture(unit, gl.TEXTURE_2D);
    gl.uniform1i(this.#place("pages"), 0);
    gl.uniform1i(this.#place("slots"), 1);
    gl.uniform1i(this.#place("cells"), 2);
  }

  #texture(unit, kind) {
    const gl = this.#gl;
    const texture = gl.createTexture();
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(kind, texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(kind, filter, gl.NEAREST);
    for (const axis of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(kind, axis, gl.CLAMP_TO_EDGE);
    return texture;
  }
}

/** How the cells of a map are made: whether exactly, the samples across and down, and whether by cubics. */
function cellsOf(map, across, down) {
  const cells = new Uint8Array(4 * across * down);
  for (let number = 0; number < across * down; number++) {
    const { isExact, samples, isCubic } = map.cell((number % across) * CELL, Math.floor(number / across) * CELL);
    cells.set([Number(isExact), ...samples, Number(isCubic)], 4 * number);
  }
  return cells;
}
