// The levels of an image and their tiles, as described by its IIIF Image API 3.0 information.
// Rectangles are in full-resolution pixels. A level's factor is the number of them per pixel of the level.

/** The factors of levels that only drawings have. */
const FINER = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];

export class Pyramid {
  /** The pixels around a tile at 1:1 that decoders need for the pixels at its edges. */
  #overlap;

  /** Reads `${service}/info.json`. Throws the response, with its sentence if it has one, if it is not successful. */
  static async load(service, format) {
    const answer = await fetch(`${service}/info.json`);
    if (!answer.ok) {
      const isText = answer.headers.get("Content-Type")?.startsWith("text/plain");
      throw Object.assign(answer, { sentence: isText ? (await answer.text()).trim() : "" });
    }
    return new Pyramid(service, await answer.json(), format);
  }

  constructor(service, info, format) {
    this.service = service;
    this.info = info;
    this.size = { width: info.width, height: info.height };
    /** The millimeters of an image pixel, where they are known. */
    this.millimeters = millimeters(info);
    const preferred = info.preferredFormats?.find((name) => ["jpg", "png", "webp"].includes(name)) ?? "jpg";
    this.format = format ?? preferred;
    /** Whether lossless tiles have other pixels than lossy ones, and the server has both. */
    this.hasExactTiles = info.profile !== "level0" && (preferred === "png" || info.tileOverlap === undefined);
    this.#overlap = this.format === "jpg" ? info.tileOverlap ?? 0 : 0;
    /** The format of coarse tiles that are shown until exact ones arrive. */
    this.previewFormat = this.format === "png" && info.extraFormats?.includes("webp") ? "webp" : this.format;
    const grid = info.tiles?.[0] ?? { width: 512, scaleFactors: [1, 2, 4, 8, 16, 32, 64] };
    this.tileSize = { width: grid.width, height: grid.height ?? grid.width };
    // A drawing has pixels between its pixels.
    const finer = info.drawn ? FINER : [];
    /** The levels, coarsest first. */
    this.levels = [...grid.scaleFactors, ...finer].sort((a, b) => b - a).map((factor) => ({
      factor,
      width: Math.ceil(info.width / factor),
      height: Math.ceil(info.height / factor),
    }));
  }

  /** The coarsest level with at least one pixel per screen pixel. `density` is image pixels per screen pixel. */
  level(density) {
    const sharp = this.levels.find(({ factor }) => factor <= density * (1 + 1e-6));
    return sharp ?? this.levels.at(-1);
  }

  /** The tiles of a level that intersect a rectangle, nearest to its center first. */
  tiles(level, rect) {
    const across = this.tileSize.width * level.factor;
    const down = this.tileSize.height * level.factor;
    const [left, right] = span(rect.x, rect.width, this.size.width, across);
    const [top, bottom] = span(rect.y, rect.height, this.size.height, down);
    const tiles = [];
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) tiles.push(this.#tile(level, column, row, across, down));
    }
    const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    const distance = (tile) => Math.hypot(tile.x + tile.width / 2 - middle.x, tile.y + tile.height / 2 - middle.y);
    return tiles.sort((a, b) => distance(a) - distance(b));
  }

  #tile(level, column, row, across, down) {
    const [x, y] = [column * across, row * down];
    const width = Math.min(across, this.size.width - x);
    const height = Math.min(down, this.size.height - y);
    const size = { width: Math.ceil(width / level.factor), height: Math.ceil(height / level.factor) };
    const rect = { x, y, width, height };
    if (this.#overlap > 0 && level.factor === 1) return this.#cutTile(rect);
    const tile = { ...rect, url: this.address(rect, size) };
    if (this.previewFormat === this.format) return tile;
    return { ...tile, preview: { ...rect, url: this.address(rect, size, { format: this.previewFormat }) } };
  }

  /** A tile that is cut out of a larger one: colors at the edges of a JPEG's tile depend on those beside it. */
  #cutTile(rect) {
    const [x, y] = [Math.max(0, rect.x - this.#overlap), Math.max(0, rect.y - this.#overlap)];
    const end = (start, length, most) => Math.min(start + length + this.#overlap, most);
    const width = end(rect.x, rect.width, this.size.width) - x;
    const height = end(rect.y, rect.height, this.size.height) - y;
    const url = this.address({ x, y, width, height }, { width, height });
    return { ...rect, url, cut: [rect.x - x, rect.y - y, rect.width, rect.height] };
  }

  /** The URL of a rendering of a part of the image, in IIIF's canonical form. */
  address(rect, size, { rotation = 0, format = this.format } = {}) {
    const isWhole = rect.width === this.size.width && rect.height === this.size.height;
    const region = isWhole ? "full" : `${rect.x},${rect.y},${rect.width},${rect.height}`;
    const isEnlarged = size.width > rect.width || size.height > rect.height;
    const scaled = isWhole && size.width === rect.width && size.height === rect.height ? "max" : `${isEnlarged ? "^" : ""}${size.width},${size.height}`;
    return `${this.service}/${region}/${scaled}/${rotation}/default.${format}`;
  }

  /** The URL of a rendering of the whole image whose sides are at most `length` pixels, if there is one. */
  overview(length) {
    const { width, height } = this.size;
    const sizes = [...this.info.sizes ?? []].sort((a, b) => a.width - b.width);
    const format = this.previewFormat;
    const fits = (size) => Math.max(size.width, size.height) <= length;
    const ready = sizes.filter(fits).at(-1) ?? sizes[0];
    if (ready) return this.address({ x: 0, y: 0, width, height }, ready, { format });
    if (Math.max(width, height) <= length) return this.address({ x: 0, y: 0, width, height }, this.size, { format });
    return `${this.service}/full/!${length},${length}/0/default.${format}`;
  }
}

/** The half-open range of tile indices that intersect an interval. */
function span(start, length, most, tile) {
  const from = Math.max(0, Math.floor(start / tile));
  const to = Math.min(Math.ceil(most / tile), Math.ceil((start + length) / tile));
  return [from, to];
}

/** The size of a pixel by IIIF's service of physical dimensions. */
function millimeters({ service }) {
  const { physicalScale, physicalUnits } = [service ?? []].flat().find(({ profile }) => profile?.endsWith("/annex/services/physdim")) ?? {};
  return physicalScale * { mm: 1, cm: 10, in: 25.4 }[physicalUnits] || undefined;
}
