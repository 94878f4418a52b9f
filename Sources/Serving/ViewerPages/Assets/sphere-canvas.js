// Paints a look into a panorama on a 2D canvas, where there is no WebGL 2: the same pixels, computed by this script.

import { CELL, mostPages, SIDE } from "./sphere-map.js";

export class CanvasPainter {
  #context;
  #pages = [];
  #picture;
  #small = new OffscreenCanvas(1, 1).getContext("2d");
  #sum = new Float64Array(4);
  mostPages = mostPages();

  constructor(canvas) { this.#context = canvas.getContext("2d"); }

  restore() {}
  end() {}

  /** Makes room for some pages, which have to be put again. */
  reserve(capacity) { this.#pages.length = capacity; }

  /** Stores the page that a context of SIDE pixels has. */
  put(slot, context) { this.#pages[slot] = context.getImageData(0, 0, SIDE, SIDE).data; }

  /** Draws a look: exactly, or a quick `isSketch` of it. `slots` are those of the pages of the map's level, plus 1. */
  draw(map, slots, isSketch) {
    const { width, height } = map.screen;
    if (this.#picture?.width !== width || this.#picture.height !== height) this.#picture = new ImageData(width, height);
    const picture = isSketch ? new ImageData(Math.ceil(width / 2), Math.ceil(height / 2)) : this.#picture;
    const pixel = isSketch ? 2 : 1;
    const reader = new Reader(map, slots, this.#pages);
    for (let y = 0; y < height; y += CELL) {
      for (let x = 0; x < width; x += CELL) this.#cell(map, x, y, picture, pixel, reader);
    }
    if (!isSketch) return this.#context.putImageData(picture, 0, 0);
    Object.assign(this.#small.canvas, { width: picture.width, height: picture.height });
    this.#small.putImageData(picture, 0, 0);
    this.#context.clearRect(0, 0, width, height);
    this.#context.drawImage(this.#small.canvas, 0, 0, 2 * picture.width, 2 * picture.height);
  }

  /** Paints a cell, of which a pixel of the picture is `pixel` pixels wide and high. */
  #cell(map, left, top, picture, pixel, reader) {
    const { corners: [a, b, c, d], isExact, samples, isCubic } = map.cell(left, top);
    const [n, m] = pixel > 1 ? [1, 1] : samples;
    const weigh = isCubic && pixel === 1 ? cubic : linear;
    const sum = this.#sum;
    const right = Math.min(left + CELL, map.screen.width);
    const bottom = Math.min(top + CELL, map.screen.height);
    for (let y = top; y < bottom; y += pixel) {
      for (let x = left; x < right; x += pixel) {
        sum.fill(0);
        for (let line = 0; line < m; line++) {
          for (let column = 0; column < n; column++) {
            const u = x + ((column + 0.5) / n) * pixel - left;
            const v = y + ((line + 0.5) / m) * pixel - top;
            if (isExact) {
              map.find(left + u, top + v);
              if (map.contains(map.x, map.y)) reader.add(map.x, map.y, weigh, sum);
            } else {
              const [s, t] = [u / CELL, v / CELL];
              const between = (axis) =>
                (a[axis] + (b[axis] - a[axis]) * s) * (1 - t) + (c[axis] + (d[axis] - c[axis]) * s) * t;
              reader.add(between(0), between(1), weigh, sum);
            }
          }
        }
        store(sum, n * m, picture.data, ((y / pixel) * picture.width + x / pixel) * 4);
      }
    }
  }
}

/** Stores the mean of samples, whose colors are multiplied by alpha. */
function store(sum, count, data, at) {
  const alpha = sum[3] / count;
  const share = alpha > 0 ? 255 / alpha / count : 0;
  for (let band = 0; band < 3; band++) data[at + band] = sum[band] * share;
  data[at + 3] = alpha;
}

/** Reads pixels of a level from its pages. */
class Reader {
  #map;
  #slots;
  #pages;
  #across;
  #columns = new Float64Array(4);
  #rows = new Float64Array(4);

  constructor(map, slots, pages) {
    this.#map = map;
    this.#slots = slots;
    this.#pages = pages;
    this.#across = map.pagesAcross;
  }

  /** Adds the color at a position from the map's base. */
  add(x, y, weigh, sum) {
    const { base } = this.#map;
    const [column, row] = [base.x + x - 0.5, base.y + y - 0.5];
    const [left, top] = [Math.floor(column), Math.floor(row)];
    weigh(column - left, this.#columns);
    weigh(row - top, this.#rows);
    for (let line = 0; line < 4; line++) {
      const weight = this.#rows[line];
      if (weight === 0) continue;
      for (let tap = 0; tap < 4; tap++) {
        const share = weight * this.#columns[tap];
        if (share !== 0) this.#addPixel(left - 1 + tap, top - 1 + line, share, sum);
      }
    }
  }

  #addPixel(x, y, weight, sum) {
    const { level: { width, height }, hasPole, isCircle } = this.#map;
    if (y < 0 && hasPole.up) [x, y] = [x + (width >> 1), -1 - y];
    else if (y >= height && hasPole.down) [x, y] = [x + (width >> 1), 2 * height - 1 - y];
    y = Math.min(Math.max(y, 0), height - 1);
    x = isCircle ? ((x % width) + width) % width : Math.min(Math.max(x, 0), width - 1);
    const slot = this.#slots[Math.floor(y / SIDE) * this.#across + Math.floor(x / SIDE)];
    const data = slot > 0 ? this.#pages[slot - 1] : undefined;
    if (!data) return;
    const at = ((y % SIDE) * SIDE + (x % SIDE)) * 4;
    const alpha = data[at + 3] * weight;
    const share = alpha / 255;
    sum[0] += data[at] * share;
    sum[1] += data[at + 1] * share;
    sum[2] += data[at + 2] * share;
    sum[3] += alpha;
  }
}

/** The weights of the four samples around a position, by the cubic of Catmull and Rom. */
function cubic(x, weights) {
  const [square, cube] = [x * x, x * x * x];
  weights[0] = -0.5 * x + square - 0.5 * cube;
  weights[1] = 1 - 2.5 * square + 1.5 * cube;
  weights[2] = 0.5 * x + 2 * square - 1.5 * cube;
  weights[3] = 0.5 * cube - 0.5 * square;
}

function linear(x, weights) {
  weights[0] = weights[3] = 0;
  weights[1] = 1 - x;
  weights[2] = x;
}
