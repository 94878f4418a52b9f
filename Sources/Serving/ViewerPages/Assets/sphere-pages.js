// The pages of a panorama's levels that a painter holds: squares of SIDE pixels, composed of the tiles that have
// arrived, and of coarser ones in place of those that have not. Memory is bounded by the pages of the painter.

import { SIDE } from "./sphere-map.js";

export class SpherePages {
  #pyramid;
  #tiles;
  #painter;
  #overview;
  #composition = new OffscreenCanvas(SIDE, SIDE).getContext("2d", { willReadFrequently: true });
  /** The pages by level and number, least recently used first: { slot, isWhole, isStale, rect }. */
  #pages = new Map();
  #free = [];
  #capacity = 0;

  constructor(pyramid, tiles, painter, overview) {
    this.#pyramid = pyramid;
    this.#tiles = tiles;
    this.#painter = painter;
    this.#overview = overview;
  }

  /** The tiles of some pages. */
  tilesOf(level, across, numbers) {
    const tiles = new Map();
    for (const number of numbers) {
      for (const tile of this.#pyramid.tiles(level, this.#rect(level, across, number))) tiles.set(tile.url, tile);
    }
    return [...tiles.values()];
  }

  /** Brings pages to the painter. Returns the slot of each page of the level, from 1 on, and 0 for those without. */
  hold(level, across, down, numbers) {
    this.#grow(numbers.size);
    const keys = new Map([...numbers].map((number) => [`${level.factor}:${number}`, number]));
    const slots = new Uint16Array(across * down);
    for (const [key, number] of keys) {
      const page = this.#pages.get(key) ?? { slot: this.#slot(keys), rect: this.#rect(level, across, number), isStale: true };
      this.#pages.delete(key);
      this.#pages.set(key, page);
      if (page.isStale) {
        page.isWhole = this.#compose(level, page.rect);
        this.#painter.put(page.slot, this.#composition);
        page.isStale = false;
      }
      slots[number] = page.slot + 1;
    }
    return slots;
  }

  /** Has the pages made again that show a part of a tile, which has arrived. */
  renew({ x, y, width, height }) {
    for (const page of this.#pages.values()) {
      const { rect } = page;
      const isApart = x >= rect.x + rect.width || x + width <= rect.x || y >= rect.y + rect.height || y + height <= rect.y;
      if (!page.isWhole && !isApart) page.isStale = true;
    }
  }

  /** Has all pages made again: the painter has lost them. */
  renewAll() { for (const page of this.#pages.values()) page.isStale = true; }

  #grow(count) {
    let capacity = Math.max(64, this.#capacity);
    while (capacity < Math.min(count, this.#painter.mostPages)) capacity = Math.min(2 * capacity, this.#painter.mostPages);
    if (capacity === this.#capacity) return;
    for (let slot = capacity - 1; slot >= this.#capacity; slot--) this.#free.push(slot);
    this.#capacity = capacity;
    this.#painter.reserve(capacity);
    this.renewAll();
  }

  /** A free slot, or that of the page that was not used for longest. */
  #slot(wanted) {
    if (this.#free.length > 0) return this.#free.pop();
    for (const [key, { slot }] of this.#pages) {
      if (wanted.has(key)) continue;
      this.#pages.delete(key);
      return slot;
    }
    throw new RangeError("more pages than the painter holds");
  }

  /** The rectangle of a page in pixels of the image. */
  #rect({ factor, width, height }, across, number) {
    const [x, y] = [(number % across) * SIDE, Math.floor(number / across) * SIDE];
    return {
      x: x * factor, y: y * factor, width: Math.min(SIDE, width - x) * factor, height: Math.min(SIDE, height - y) * factor,
    };
  }

  /** Composes a page. Returns whether all of its own tiles have arrived. */
  #compose(level, rect) {
    const { factor } = level;
    const own = this.#pyramid.tiles(level, rect);
    const isWhole = this.#tiles.has(own);
    const context = this.#composition;
    context.clearRect(0, 0, SIDE, SIDE);
    const put = (bitmap, x, y, width, height) => context.drawImage(
      bitmap, (x - rect.x) / factor, (y - rect.y) / factor, width / factor, height / factor);
    if (!isWhole) {
      const { size } = this.#pyramid;
      context.imageSmoothingEnabled = true;
      const overview = this.#overview && this.#tiles.bitmap(this.#overview);
      if (overview) put(overview, 0, 0, size.width, size.height);
      for (const coarse of this.#pyramid.levels.filter((other) => other.factor > factor)) {
        for (const tile of this.#pyramid.tiles(coarse, rect)) {
          const bitmap = this.#bitmap(tile);
          if (bitmap) put(bitmap, tile.x, tile.y, bitmap.width * coarse.factor, bitmap.height * coarse.factor);
        }
      }
    }
    context.imageSmoothingEnabled = false;
    for (const tile of own) {
      const bitmap = this.#bitmap(tile);
      if (!bitmap) continue;
      const [x, y] = [(tile.x - rect.x) / factor, (tile.y - rect.y) / factor];
      context.clearRect(x, y, bitmap.width, bitmap.height);
      context.drawImage(bitmap, x, y);
    }
    return isWhole;
  }

  #bitmap(tile) { return this.#tiles.bitmap(tile) ?? (tile.preview && this.#tiles.bitmap(tile.preview)); }
}
