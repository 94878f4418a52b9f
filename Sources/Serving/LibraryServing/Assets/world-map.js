// A map of the world's countries in a canvas, from an outline that the server has: nothing is loaded from elsewhere.
// The projection is Mercator's; x and y are shares of its square, from the west and from the north.

const LARGEST = 85.051_128_779_8;
/** The points across the world at level 0. */
export const TILE = 256;

let outline;

/** The countries, as lists of rings of points, loaded once. */
function load() {
  outline ??= fetch(new URL("./world.json", import.meta.url)).then((answer) => {
    if (!answer.ok) throw answer;
    return answer.json();
  }).then(({ arcs, countries }) => {
    const lines = arcs.map((arc) => {
      const points = [];
      let [longitude, latitude] = [0, 0];
      for (let index = 0; index < arc.length; index += 2) {
        longitude += arc[index];
        latitude += arc[index + 1];
        points.push([x(longitude / 100), y(latitude / 100)]);
      }
      return points;
    });
    const ring = (indices) => indices.flatMap((index) => (index < 0 ? lines[~index].toReversed() : lines[index]));
    return { lines, rings: countries.flatMap((rings) => rings.map(ring)) };
  });
  return outline;
}

export function x(longitude) { return (longitude + 180) / 360; }

export function y(latitude) {
  const angle = Math.min(Math.max(latitude, -LARGEST), LARGEST) * Math.PI / 180;
  return 0.5 - Math.log(Math.tan(Math.PI / 4 + angle / 2)) / (2 * Math.PI);
}

export function longitude(x) { return x * 360 - 180; }

export function latitude(y) { return Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180 / Math.PI; }

export class WorldMap {
  #canvas;
  #land;

  constructor(canvas) {
    this.#canvas = canvas;
    this.ready = load().then((land) => { this.#land = land; });
  }

  /** Draws the part around a point, `scale` points across the world, in the canvas's size. */
  draw(middle, scale) {
    const canvas = this.#canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const style = getComputedStyle(canvas);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    // Colors of the style sheet that are computed, as those of variables are not: sea, land and coast.
    const { backgroundColor: sea, color: land, caretColor: coast } = style;
    context.fillStyle = sea;
    context.fillRect(0, 0, width, height);
    if (!this.#land) return;
    const [left, top] = [middle.x * scale - width / 2, middle.y * scale - height / 2];
    // The world repeats to the east and to the west.
    for (let turn = Math.floor(left / scale); turn <= Math.floor((left + width) / scale); turn++) {
      this.#trace(context, scale, left - turn * scale, top, width, height, land, coast);
    }
  }

  #trace(context, scale, left, top, width, height, land, coast) {
    const path = (lines, isClosed) => {
      const shape = new Path2D();
      for (const line of lines) {
        if (!isSeen(line, scale, left, top, width, height)) continue;
        shape.moveTo(line[0][0] * scale - left, line[0][1] * scale - top);
        for (let index = 1; index < line.length; index++) shape.lineTo(line[index][0] * scale - left, line[index][1] * scale - top);
        if (isClosed) shape.closePath();
      }
      return shape;
    };
    context.fillStyle = land;
    context.fill(path(this.#land.rings, true), "evenodd");
    context.strokeStyle = coast;
    context.lineWidth = 0.75;
    context.lineJoin = "round";
    context.stroke(path(this.#land.lines, false));
  }
}

const boxes = new WeakMap();

function isSeen(line, scale, left, top, width, height) {
  let box = boxes.get(line);
  if (!box) {
    box = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [x, y] of line) {
      box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
    }
    boxes.set(line, box);
  }
  return box[2] * scale >= left && box[0] * scale <= left + width && box[3] * scale >= top && box[1] * scale <= top + height;
}
