// The details of the map: cells of ten degrees with coasts, lakes, borders and towns, which the server sends one by one.

import { x, y } from "./projection.js";

const [COLUMNS, ROWS, DEGREES] = [36, 18, 10];
/** The units of a degree in the file. */
const UNITS = 1000;
/** The units of the shapes along a cell, so that they are precise at any level. */
const SIDE = 1000;
/** The cells that are kept. */
const MOST = 40;
/** Milliseconds after which a cell that did not arrive is asked for again. */
const AGAIN = 5000;

export class Atlas {
  #place;
  #changed;
  /** By number: {number, x, y, width, height, shapes}; least recently used first. */
  #cells = new Map();

  constructor(place, changed) {
    this.#place = place;
    this.#changed = changed;
  }

  /** The cells that are seen; those without `shapes` are on the way. */
  cells({ scale, left, top, width, height }) {
    const seen = [];
    const [first, last] = [rowOf((top + height) / scale), rowOf(top / scale)];
    for (let row = first; row <= last; row++) {
      const from = Math.floor((left / scale) * COLUMNS);
      const to = Math.min(from + COLUMNS, Math.floor(((left + width) / scale) * COLUMNS));
      for (let column = from; column <= to; column++) {
        const wrapped = ((column % COLUMNS) + COLUMNS) % COLUMNS;
        const cell = this.#cell(row * COLUMNS + wrapped);
        seen.push({ ...cell, turn: (column - wrapped) / COLUMNS });
      }
    }
    return seen;
  }

  #cell(number) {
    const known = this.#cells.get(number);
    const cell = known ?? place(number);
    this.#cells.delete(number);
    this.#cells.set(number, cell);
    if (!known) this.#load(cell);
    for (const [old] of this.#cells) {
      if (this.#cells.size <= MOST) break;
      this.#cells.delete(old);
    }
    return cell;
  }

  async #load(cell) {
    try {
      const answer = await fetch(`${this.#place}/${cell.number}`);
      if (!answer.ok) throw answer;
      cell.shapes = read(new Uint8Array(await answer.arrayBuffer()), cell);
      this.#changed();
    } catch {
      // The outline of the world stays in its place.
      setTimeout(() => this.#cells.delete(cell.number), AGAIN);
    }
  }

  draw(context, { x, y, width, height, turn, shapes }, view, { sea, land, coast }) {
    const { scale, ratio } = view;
    const [left, top] = [(x + turn) * scale - view.left, y * scale - view.top];
    const [across, down] = [width * scale, height * scale];
    context.save();
    context.beginPath();
    // Whole pixels, so that nothing is seen between cells.
    const edge = (length) => Math.round(length * ratio) / ratio;
    context.rect(edge(left), edge(top), edge(left + across) - edge(left), edge(top + down) - edge(top));
    context.clip();
    context.fillStyle = sea;
    context.fillRect(left, top, across, down);
    const unit = across / SIDE;
    context.setTransform(ratio * unit, 0, 0, ratio * unit, ratio * left, ratio * top);
    context.lineJoin = "round";
    context.fillStyle = land;
    context.fill(shapes.land, "evenodd");
    context.fillStyle = sea;
    context.fill(shapes.lakes, "evenodd");
    context.strokeStyle = coast;
    context.lineWidth = 0.6 / unit;
    context.setLineDash([3 / unit, 3 / unit]);
    context.stroke(shapes.provinces);
    context.setLineDash([]);
    context.lineWidth = 1 / unit;
    context.stroke(shapes.shores);
    context.lineWidth = 1.6 / unit;
    context.stroke(shapes.borders);
    context.restore();
  }
}

function rowOf(share) {
  let row = 0;
  while (row < ROWS - 1 && y((row + 1) * DEGREES - 90) > share) row++;
  return row;
}

/** Where a cell lies in the square of the projection. */
function place(number) {
  const [row, column] = [Math.floor(number / COLUMNS), number % COLUMNS];
  const [west, south] = [column * DEGREES - 180, row * DEGREES - 90];
  const top = y(south + DEGREES);
  return { number, west, south, x: x(west), y: top, width: 1 / COLUMNS, height: y(south) - top };
}

/** Adds a line to a shape. */
export function trace(shape, line, scale, left, top, isClosed) {
  shape.moveTo(line[0][0] * scale - left, line[0][1] * scale - top);
  for (let index = 1; index < line.length; index++) shape.lineTo(line[index][0] * scale - left, line[index][1] * scale - top);
  if (isClosed) shape.closePath();
}

/** Reads a cell: its towns, then rings of land and of lakes, and lines of borders and of provinces. */
function read(bytes, cell) {
  let at = 0;
  const number = () => {
    let [value, unit] = [0, 1];
    for (;;) {
      if (at >= bytes.length) throw new RangeError("the cell is cut off");
      const byte = bytes[at++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  };
  const signed = () => { const value = number(); return value % 2 ? -(value + 1) / 2 : value / 2; };
  const text = (length) => new TextDecoder().decode(bytes.subarray(at, at += length));
  const towns = Array.from({ length: number() }, () => {
    const [across, up, rank] = [number(), number(), number()];
    at += 2;
    return { kind: "town", text: text(number()), rank, x: x(cell.west + across / UNITS), y: y(cell.south + up / UNITS) };
  });
  const scale = SIDE * COLUMNS;
  const [left, top] = [cell.x * scale, cell.y * scale];
  const lines = () => Array.from({ length: number() }, () => {
    let [across, up] = [0, 0];
    return Array.from({ length: number() }, () => {
      across += signed();
      up += signed();
      const point = [x(cell.west + across / UNITS), y(cell.south + up / UNITS)];
      // What runs along the edge of the cell is no shore.
      point.edges = (across === 0) | (up === 0) << 1 | (across === DEGREES * UNITS) << 2 | (up === DEGREES * UNITS) << 3;
      return point;
    });
  });
  const shape = (lines, isClosed) => {
    const path = new Path2D();
    for (const line of lines) trace(path, line, scale, left, top, isClosed);
    return path;
  };
  const [land, lakes, borders, provinces] = [lines(), lines(), lines(), lines()];
  const shores = new Path2D();
  for (const line of [...land, ...lakes]) {
    for (let index = 0; index < line.length; index++) {
      const isAlong = index > 0 && (line[index].edges & line[index - 1].edges) !== 0;
      const [across, down] = [line[index][0] * scale - left, line[index][1] * scale - top];
      if (index === 0 || isAlong) shores.moveTo(across, down);
      else shores.lineTo(across, down);
    }
  }
  return {
    towns, land: shape(land, true), lakes: shape(lakes, true), borders: shape(borders, false),
    provinces: shape(provinces, false), shores,
  };
}
