// A map of the world in a canvas, from what the server has: nothing is loaded from elsewhere, unless it names a tile server.

import { Atlas, trace } from "./atlas.js";
import { Labels } from "./labels.js";
import { MapTiles } from "./map-tiles.js";
import { TILE, x, y } from "./projection.js";

/** The level from which the map has details. */
const DETAILED = 5.2;

let outline;

/** The countries, as lists of rings of points, loaded once, with lakes, names and the largest towns. */
function load() {
  outline ??= fetch(new URL("./world.json", import.meta.url)).then((answer) => {
    if (!answer.ok) throw answer;
    return answer.json();
  }).then(({ arcs, countries, lakes, names, seas, towns }) => {
    const line = (steps) => {
      const points = [];
      let [longitude, latitude] = [0, 0];
      for (let index = 0; index < steps.length; index += 2) {
        longitude += steps[index];
        latitude += steps[index + 1];
        points.push([x(longitude / 100), y(latitude / 100)]);
      }
      return points;
    };
    const lines = arcs.map(line);
    const ring = (indices) => indices.flatMap((index) => (index < 0 ? lines[~index].toReversed() : lines[index]));
    const label = (kind) => ([text, longitude, latitude, rank]) => ({ kind, text, rank, x: x(longitude), y: y(latitude) });
    return {
      lines, rings: countries.flatMap((rings) => rings.map(ring)), lakes: lakes.map(line),
      countries: names.map(label("country")), seas: seas.map(label("sea")), towns: towns.map(label("town")),
    };
  });
  return outline;
}

export class WorldMap {
  #canvas;
  #land;
  #atlas;
  #labels;
  #tiles;

  /**
   * With the address of an `atlas`, the map has details and names; with `tiles`, the template of an address, it consists of
   * these pictures. `changed()` is called when more has arrived.
   */
  constructor(canvas, { atlas, tiles, changed } = {}) {
    this.#canvas = canvas;
    if (tiles) {
      this.#tiles = new MapTiles(tiles, changed);
      this.ready = Promise.resolve();
      return;
    }
    if (atlas) {
      this.#atlas = new Atlas(atlas, changed);
      this.#labels = new Labels();
    }
    this.ready = load().then((land) => { this.#land = land; });
  }

  /**
   * Draws the part around a point, `scale` points across the world, in the canvas's size; names lie beside the `obstacles`,
   * boxes of left, top, right and bottom.
   */
  draw(middle, scale, obstacles = []) {
    const canvas = this.#canvas;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    const colors = colorsOf(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colors.sea;
    context.fillRect(0, 0, width, height);
    const [left, top] = [middle.x * scale - width / 2, middle.y * scale - height / 2];
    const view = { scale, left, top, width, height, ratio };
    if (this.#tiles) return this.#tiles.draw(context, view);
    if (!this.#land) return;
    const level = Math.log2(scale / TILE);
    const cells = this.#atlas && level >= DETAILED ? this.#atlas.cells(view) : [];
    // The world repeats to the east and to the west.
    const turns = [];
    for (let turn = Math.floor(left / scale); turn <= Math.floor((left + width) / scale); turn++) turns.push(turn);
    if (cells.length === 0 || cells.some(({ shapes }) => !shapes)) {
      for (const turn of turns) this.#trace(context, { ...view, left: left - turn * scale }, colors);
    }
    for (const cell of cells) if (cell.shapes) this.#atlas.draw(context, cell, view, colors);
    if (!this.#labels) return;
    const { countries, seas, towns } = this.#land;
    const known = cells.filter(({ shapes }) => shapes);
    // Cells have their towns, the largest among them.
    const isCovered = (one) => known.some((cell) => one.x >= cell.x && one.x < cell.x + cell.width && one.y >= cell.y && one.y < cell.y + cell.height);
    const all = [
      ...countries, ...seas, ...towns.filter((one) => !isCovered(one)), ...known.flatMap(({ shapes }) => shapes.towns),
    ];
    this.#labels.draw(context, all, view, level, colors, obstacles);
  }

  #trace(context, view, { land, coast, sea }) {
    const { lines, rings, lakes } = this.#land;
    const path = (lines, isClosed) => {
      const shape = new Path2D();
      for (const line of lines) if (isSeen(line, view)) trace(shape, line, view.scale, view.left, view.top, isClosed);
      return shape;
    };
    const water = path(lakes, true);
    context.fillStyle = land;
    context.fill(path(rings, true), "evenodd");
    context.fillStyle = sea;
    context.fill(water);
    context.strokeStyle = coast;
    context.lineWidth = 0.75;
    context.lineJoin = "round";
    context.stroke(path(lines, false));
    context.stroke(water);
  }
}

/** The colors of the style sheet, which are those of properties that are computed, as those of variables are not. */
function colorsOf(canvas) {
  const { backgroundColor, color, caretColor, columnRuleColor, textDecorationColor } = getComputedStyle(canvas);
  return { sea: backgroundColor, land: color, coast: caretColor, ink: columnRuleColor, water: textDecorationColor };
}

const boxes = new WeakMap();

function isSeen(line, { scale, left, top, width, height }) {
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
