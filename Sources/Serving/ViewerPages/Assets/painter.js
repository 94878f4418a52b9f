// Draws the tiles that have arrived: coarse ones first, fine ones over them.
//
// The tiles of a level are first composed at their own size and then drawn as one picture, so that scaling shows
// no seams. At one screen pixel per image pixel the picture is aligned with whole pixels and not blurred.

/** The maximum size of the composition, in pixels. A screen that needs more gets a coarser level. */
const MOST_PIXELS = 16 << 20;
/** The screen pixels per image pixel above which pixels are drawn as squares, as in `viewport render`. */
const SQUARES = 8;
/** The side of a check in CSS pixels, and the colors of checks. */
const CHECK = 8;
const LIGHT_CHECKS = ["#ffffff", "#dcdfe3"];
const DARK_CHECKS = ["#33363b", "#26282c"];

export class Painter {
  #context;
  #composition = new OffscreenCanvas(1, 1).getContext("2d");

  constructor(canvas) { this.#context = canvas.getContext("2d"); }

  /** The level from which a rectangle is drawn; `density` is image pixels per screen pixel. */
  level(pyramid, rect, density) {
    let level = pyramid.level(density);
    while (level !== pyramid.levels[0] && (rect.width * rect.height) / level.factor ** 2 > MOST_PIXELS) {
      density *= 2;
      level = pyramid.level(density);
    }
    return level;
  }

  draw(view, pyramid, tiles, overview) {
    const rect = view.visibleRect;
    const level = this.level(pyramid, rect, view.density(rect) / devicePixelRatio);
    const region = inPixels(rect, level);
    const { canvas } = this.#context;
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    if (region.width <= 0 || region.height <= 0) return;
    this.#compose(pyramid, level, region, tiles, overview);
    this.#show(view, pyramid, level, region);
  }

  /** Composes the tiles that have arrived, in pixels of the level. */
  #compose(pyramid, level, region, tiles, overview) {
    const { canvas } = this.#composition;
    // Exactly this size: downscaling reads beyond the edge of its source, where nothing must be.
    if (canvas.width !== region.width) canvas.width = region.width;
    if (canvas.height !== region.height) canvas.height = region.height;
    this.#composition.clearRect(0, 0, region.width, region.height);
    const { factor } = level;
    const rect = {
      x: region.x * factor, y: region.y * factor, width: region.width * factor, height: region.height * factor,
    };
    const own = pyramid.tiles(level, rect);
    const levels = tiles.has(own) ? [] : pyramid.levels.filter((other) => other.factor > factor);
    const place = (bitmap, { x, y, width, height }) => {
      const [left, top] = [x / factor - region.x, y / factor - region.y];
      this.#composition.clearRect(left, top, width, height);
      this.#composition.drawImage(bitmap, left, top, width, height);
    };
    if (levels.length > 0 && overview) {
      place(overview, { x: 0, y: 0, width: level.width, height: level.height });
    }
    for (const coarse of levels) {
      for (const tile of pyramid.tiles(coarse, rect)) {
        const bitmap = tiles.bitmap(tile) ?? (tile.preview && tiles.bitmap(tile.preview));
        const share = coarse.factor / factor;
        if (bitmap) place(bitmap, { ...tile, width: bitmap.width * share, height: bitmap.height * share });
      }
    }
    for (const tile of own) {
      const bitmap = tiles.bitmap(tile) ?? (tile.preview && tiles.bitmap(tile.preview));
      if (bitmap) place(bitmap, { ...tile, width: bitmap.width, height: bitmap.height });
    }
  }

  /** Draws the composition at the position given by the scroll view. */
  #show(view, pyramid, { factor }, region) {
    const [left, top] = [region.x * factor, region.y * factor];
    // The last column and row of a level may extend beyond the image by a fraction of a pixel.
    const right = Math.min(left + region.width * factor, pyramid.size.width);
    const bottom = Math.min(top + region.height * factor, pyramid.size.height);
    const [width, height] = [(right - left) / factor, (bottom - top) / factor];
    const zoom = window.devicePixelRatio * view.zoomScale * factor;
    const isExact = view.isUpright && Math.abs(zoom - 1) < 1e-6;
    const pixel = (x, y) => {
      const point = view.viewPoint(x, y);
      const [across, down] = [point.x * window.devicePixelRatio, point.y * window.devicePixelRatio];
      // A small bias, so that halves computed in two ways round in the same direction.
      return isExact ? [Math.floor(across + 0.5 + 1e-6), Math.floor(down + 0.5 + 1e-6)] : [across, down];
    };
    const origin = pixel(left, top);
    const [acrossEnd, downEnd] = [pixel(right, top), pixel(left, bottom)];
    if (pyramid.isTransparent) this.#showChecks([pixel(left, top), acrossEnd, pixel(right, bottom), downEnd]);
    const step = (end, axis, length) => (end[axis] - origin[axis]) / length;
    this.#context.imageSmoothingEnabled = !isExact && zoom < SQUARES;
    this.#context.imageSmoothingQuality = zoom < 1 ? "high" : "medium";
    this.#context.setTransform(
      step(acrossEnd, 0, width), step(acrossEnd, 1, width), step(downEnd, 0, height), step(downEnd, 1, height),
      ...origin);
    this.#context.drawImage(this.#composition.canvas, 0, 0, width, height, 0, 0, width, height);
  }

  /** Draws the checks that show through transparent pixels, still and of the same size at any zoom. */
  #showChecks(corners) {
    this.#context.fillStyle = this.#checks();
    this.#context.beginPath();
    for (const corner of corners) this.#context.lineTo(...corner);
    this.#context.fill();
  }

  #checks() {
    const side = Math.round(CHECK * devicePixelRatio);
    const tile = new OffscreenCanvas(2 * side, 2 * side);
    const context = tile.getContext("2d");
    const [even, odd] = matchMedia("(prefers-color-scheme: dark)").matches ? DARK_CHECKS : LIGHT_CHECKS;
    for (const [color, x, y] of [[even, 0, 0], [even, side, side], [odd, side, 0], [odd, 0, side]]) {
      context.fillStyle = color;
      context.fillRect(x, y, side, side);
    }
    return this.#context.createPattern(tile, "repeat");
  }
}

/** The pixels of a level that a rectangle touches, plus one on each side for scaling. */
function inPixels(rect, { factor, width, height }) {
  const x = Math.max(0, Math.floor(rect.x / factor) - 1);
  const y = Math.max(0, Math.floor(rect.y / factor) - 1);
  const right = Math.min(width, Math.ceil((rect.x + rect.width) / factor) + 1);
  const bottom = Math.min(height, Math.ceil((rect.y + rect.height) / factor) + 1);
  return { x, y, width: right - x, height: bottom - y };
}
