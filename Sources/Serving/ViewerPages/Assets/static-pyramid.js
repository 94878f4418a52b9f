// The levels of an image with a sidecar, as the viewer shows them: instead of a server, this page fetches parts of the
// file. See viewport-tiles.js.

import { compile } from "./compile.js";
import { ViewportImage } from "./viewport-tiles.js";

/** The sidecar of the page, which is fetched while the viewer's script is on its way: the page loads this module first. */
const own = document.body.dataset.sidecar;
let begun = own && ViewportImage.begin(own);

export class StaticPyramid {
  #image;
  #overview;

  static async load(image, sidecar, module) {
    const first = sidecar === own ? begun : undefined;
    begun = undefined;
    const progressive = () => compile(new URL("./progressive.wasm", import.meta.url), true);
    const pyramid = new StaticPyramid(await ViewportImage.open(image, { sidecar, module, progressive, begun: first }));
    pyramid.#overview = await pyramid.#smallPicture();
    return pyramid;
  }

  constructor(image) {
    this.#image = image;
    this.size = image.size;
    const { panorama } = document.body.dataset;
    this.info = panorama ? { panorama: JSON.parse(panorama) } : {};
    /** Margins would fetch as much again of a file that is not made for it. */
    this.margin = 0;
    /** How much coarser the level is that loads first: each more costs as many bytes. */
    this.coarser = [4];
    /** Parts that are requested together are fetched together. */
    this.concurrent = 256;
    /** The levels, coarsest first. */
    this.levels = image.levels.toReversed();
  }

  get traffic() { return this.#image.traffic; }

  /** The coarsest level with at least one pixel per screen pixel. `density` is image pixels per screen pixel. */
  level(density) {
    const sharp = this.levels.find(({ factor }) => factor <= density * (1 + 1e-6));
    return sharp ?? this.levels.at(-1);
  }

  /** The tiles of a level that intersect a rectangle, nearest to its center first. */
  tiles(level, rect) {
    const { factor } = level;
    const part = { x: rect.x / factor, y: rect.y / factor, width: rect.width / factor, height: rect.height / factor };
    const middle = { x: part.x + part.width / 2, y: part.y + part.height / 2 };
    const distance = ({ x, y, width, height }) => Math.hypot(x + width / 2 - middle.x, y + height / 2 - middle.y);
    return this.#image.tiles(level, part).sort((a, b) => distance(a) - distance(b)).map((tile) => ({
      x: tile.x * factor, y: tile.y * factor, width: tile.width * factor, height: tile.height * factor,
      url: `${factor}/${tile.column},${tile.row}`, load: () => this.#image.tile(level, tile.column, tile.row),
    }));
  }

  /** The URL of a picture of the whole image; empty if it has no level of one tile. */
  overview() { return this.#overview; }

  async #smallPicture() {
    const level = this.levels[0];
    if (level.columns * level.rows > 1) return "";
    const file = await this.#image.file(level, 0, 0);
    if (file) return URL.createObjectURL(file);
    const bitmap = await this.#image.tile(level, 0, 0);
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    return URL.createObjectURL(await canvas.convertToBlob({ type: "image/png" }));
  }
}
