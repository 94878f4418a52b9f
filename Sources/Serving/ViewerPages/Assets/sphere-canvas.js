// Paints a look into a panorama on a 2D canvas, where there is no WebGL 2: the same pixels, computed by this script.

import { CELL, mostPages, SIDE } from "./sphere-map.js";

/** The milliseconds that a sketch may take: with more, the next one has fewer pixels, and with much less, it has more. */
const SKETCH_TIME = 40;

export class CanvasPainter {
  #context;
  #pages = [];
  #picture;
  #sketch;
  #small = new OffscreenCanvas(1, 1).getContext("2d");
  #sum = new Float64Array(4);
  /** The side of a sketch's pixel in those of the screen. */
  sketchPixel = CELL / 2;
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
    const reader = new Reader(map, slots, this.#pages);
    if (isSketch) return this.#drawSketch(map, reader);
    const { width, height } = map.screen;
    const picture = this.#picture = pictureOf(width, height, this.#picture);
    for (let y = 0; y < height; y += CELL) {
      for (let x = 0; x < width; x += CELL) this.#cell(map, x, y, picture, reader);
    }
    this.#context.putImageData(picture, 0, 0);
  }

  /** Draws a look in few pixels, which are one sample each. */
  #drawSketch(map, reader) {
    const start = performance.now();
    const { width, height } = map.screen;
    const pixel = this.sketchPixel;
    const picture = this.#sketch = pictureOf(Math.ceil(width / pixel), Math.ceil(height / pixel), this.#sketch);
    const sum = this.#sum;
    for (let y = 0; y < picture.height; y++) {
      for (let x = 0; x < picture.width; x++) {
        sum.fill(0);
        map.find((x + 0.5) * pixel, (y + 0.5) * pixel);
        if (map.contains(map.x, map.y)) reader.add(map.x, map.y, false, sum);
        store(sum, 1, picture.data, (y * picture.width + x) * 4);
      }
    }
    Object.assign(this.#small.canvas, { width: picture.width, height: picture.height });
    this.#small.putImageData(picture, 0, 0);
    this.#context.clearRect(0, 0, width, height);
    this.#context.drawImage(this.#small.canvas, 0, 0, pixel * picture.width, pixel * picture.height);
    const time = performance.now() - start;
    if (time > SKETCH_TIME) this.sketchPixel = Math.min(2 * pixel, CELL);
    else if (time < SKETCH_TIME / 8) this.sketchPixel = Math.max(pixel / 2, 2);
  }

  #cell(map, left, top, picture, reader) {
    const { corners: [a, b, c, d], isExact, samples: [n, m], isCubic } = map.cell(left, top);
    const sum = this.#sum;
    const right = Math.min(left + CELL, map.screen.width);
    const bottom = Math.min(top + CELL, map.screen.height);
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        sum.fill(0);
        for (let line = 0; line < m; line++) {
          for (let column = 0; column < n; column++) {
            const u = x + (column + 0.5) / n - left;
            const v = y + (line + 0.5) / m - top;
            if (isExact) {
              map.find(left + u, top + v);
              if (map.contains(map.x, map.y)) reader.add(map.x, map.y, isCubic, sum);
            } else {
              const [s, t] = [u / CELL, v / CELL];
              const between = (axis) =>
                (a[axis] + (b[axis] - a[axis]) * s) * (1 - t) + (c[axis] + (d[axis] - c[axis]) * s) * t;
              reader.add(between(0), between(1), isCubic, sum);
            }
          }
        }
        store(sum, n * m, picture.data, (y * picture.width + x) * 4);
      }
    }
  }
}

/** Returns a picture of a size: a former one, all pixels of which are painted again, if it has that size. */
function pictureOf(width, height, former) {
  return former?.width === width && former.height === height ? former : new ImageData(width, height);
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
  #slots;
  #pages;
  #across;
  #width;
  #height;
  #base;
  #hasPole;
  #isCircle;
  #columns = new Float64Array(4);
  #rows = new Float64Array(4);

  constructor(map, slots, pages) {
    [this.#slots, this.#pages, this.#across] = [slots, pages, map.pagesAcross];
    [this.#width, this.#height] = [map.level.width, map.level.height];
    [this.#base, this.#hasPole, this.#isCircle] = [map.base, map.hasPole, map.isCircle];
  }

  /** Adds the color at a position from the map's base, interpolated by cubics if it `isSmooth`. */
  add(x, y, isSmooth, sum) {
    // Millions of calls: pairs would be arrays.
    const columns = this.#columns;
    const rows = this.#rows;
    const column = this.#base.x + x - 0.5;
    const row = this.#base.y + y - 0.5;
    const left = Math.floor(column);
    const top = Math.floor(row);
    const weigh = isSmooth ? cubic : linear;
    weigh(column - left, columns);
    weigh(row - top, rows);
    const first = isSmooth ? -1 : 0;
    const last = isSmooth ? 2 : 1;
    // Nearly all samples are between pixels of one page.
    if (isInPage(left + first, left + last, this.#width) && isInPage(top + first, top + last, this.#height)) {
      const data = this.#page(left + first, top + first);
      if (!data) return;
      const start = (((top + first) % SIDE) * SIDE + ((left + first) % SIDE)) * 4;
      for (let line = first; line <= last; line++) {
        const weight = rows[line + 1];
        let at = start + (line - first) * SIDE * 4;
        for (let tap = first; tap <= last; tap++) {
          addPixel(data, at, weight * columns[tap + 1], sum);
          at += 4;
        }
      }
      return;
    }
    for (let line = first; line <= last; line++) {
      for (let tap = first; tap <= last; tap++) {
        const share = rows[line + 1] * columns[tap + 1];
        if (share !== 0) this.#addDistant(left + tap, top + line, share, sum);
      }
    }
  }

  /** The pixels of the page that has a pixel; undefined where it is missing. */
  #page(x, y) {
    const slot = this.#slots[Math.floor(y / SIDE) * this.#across + Math.floor(x / SIDE)];
    return slot > 0 ? this.#pages[slot - 1] : undefined;
  }

  /** Adds a pixel that may be beyond a pole, or where the ends meet. */
  #addDistant(x, y, weight, sum) {
    const [width, height] = [this.#width, this.#height];
    if (y < 0 && this.#hasPole.up) [x, y] = [x + (width >> 1), -1 - y];
    else if (y >= height && this.#hasPole.down) [x, y] = [x + (width >> 1), 2 * height - 1 - y];
    y = Math.min(Math.max(y, 0), height - 1);
    x = this.#isCircle ? ((x % width) + width) % width : Math.min(Math.max(x, 0), width - 1);
    const data = this.#page(x, y);
    if (data) addPixel(data, ((y % SIDE) * SIDE + (x % SIDE)) * 4, weight, sum);
  }
}

/** Whether pixels of a row or a column are in one page. */
function isInPage(first, last, count) { return first >= 0 && last < count && last % SIDE >= last - first; }

function addPixel(data, at, weight, sum) {
  const alpha = data[at + 3] * weight;
  const share = alpha / 255;
  sum[0] += data[at] * share;
  sum[1] += data[at + 1] * share;
  sum[2] += data[at + 2] * share;
  sum[3] += alpha;
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
