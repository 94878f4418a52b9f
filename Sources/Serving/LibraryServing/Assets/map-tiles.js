// A map of pictures from a tile server of one's own, by a template with {z}, {x} and {y}.

import { TILE } from "./projection.js";

/** The levels of tile servers. */
const DEEPEST = 19;
/** The pictures that are kept, and how many levels a coarser one may take the place of a missing one. */
const MOST = 300;
const COARSER = 5;
/** Milliseconds after which a picture that did not arrive is asked for again. */
const AGAIN = 10_000;

export class MapTiles {
  #template;
  #changed;
  /** By address: pictures, least recently used first. */
  #pictures = new Map();

  constructor(template, changed) {
    this.#template = template;
    this.#changed = changed;
  }

  draw(context, { scale, left, top, width, height, ratio }) {
    const level = Math.max(0, Math.min(DEEPEST, Math.round(Math.log2((scale / TILE) * Math.min(2, ratio)))));
    const side = scale / 2 ** level;
    const edge = (length) => Math.round(length * ratio) / ratio;
    for (let row = Math.max(0, Math.floor(top / side)); row < Math.min(2 ** level, (top + height) / side); row++) {
      for (let column = Math.floor(left / side); column < (left + width) / side; column++) {
        const found = this.#find(level, column, row);
        if (!found) continue;
        const [start, end] = [edge(column * side - left), edge((column + 1) * side - left)];
        const [head, foot] = [edge(row * side - top), edge((row + 1) * side - top)];
        const { picture, shift } = found;
        const part = picture.naturalWidth / 2 ** shift;
        const within = (index) => (((index % 2 ** shift) + 2 ** shift) % 2 ** shift) * part;
        context.drawImage(picture, within(column), within(row), part, part, start, head, end - start, foot - head);
      }
    }
  }

  /** The picture of a tile, or a coarser one of which it is a part. */
  #find(level, column, row) {
    for (let shift = 0; shift <= Math.min(level, COARSER); shift++) {
      const picture = this.#picture(level - shift, column >> shift, row >> shift, shift === 0);
      if (picture) return { picture, shift };
    }
    return undefined;
  }

  #picture(level, column, row, isWanted) {
    const count = 2 ** level;
    const values = { z: level, x: ((column % count) + count) % count, y: row };
    const address = this.#template.replace(/\{([zxy])\}/g, (_, name) => values[name]);
    const known = this.#pictures.get(address);
    if (!known && !isWanted) return undefined;
    const picture = known ?? new Image();
    this.#pictures.delete(address);
    this.#pictures.set(address, picture);
    if (!known) {
      picture.decoding = "async";
      picture.addEventListener("load", () => this.#changed());
      picture.addEventListener("error", () => setTimeout(() => this.#pictures.delete(address), AGAIN));
      picture.src = address;
      for (const [old] of this.#pictures) {
        if (this.#pictures.size <= MOST) break;
        this.#pictures.delete(old);
      }
    }
    return picture.complete && picture.naturalWidth > 0 ? picture : undefined;
  }
}
