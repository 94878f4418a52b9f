// Draws the tiles that have arrived, and parts of coarser ones in place of those that have not.
//
// At rest, the tiles of a level are first composed at their own size and then drawn as one picture, so that scaling
// shows no seams. At one screen pixel per image pixel the picture is aligned with whole pixels and not blurred. This takes
// longer than a frame: in motion, each tile is drawn straight to the screen, with edges at whole pixels.

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
  /** A picture of the whole image in the place of its tiles, null for nothing in their place. */
  film;

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

  /** Draws the view: exactly, or a quick `isSketch` of it. Returns whether a sketch has the exact pixels. */
  draw(view, pyramid, tiles, overview, isSketch) {
    const rect = view.visibleRect;
    const level = this.level(pyramid, rect, view.density(rect) / devicePixelRatio);
    const region = inPixels(rect, level);
    const { canvas } = this.#context;
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.clearRect(0, 0, canvas.width, canvas.height);
    if (region.width <= 0 || region.height <= 0) return true;
    if (pyramid.isTransparent) this.#showChecks(view, inImage(region, level, pyramid.size));
    if (this.film !== undefined) return this.#showFilm(view, pyramid);
    if (isSketch) return this.#sketch(view, pyramid, level, region, tiles, overview);
    this.#compose(pyramid, level, region, tiles, overview);
    this.#show(view, pyramid, level, region);
    return true;
  }

  /** Draws the tiles that have arrived, each at its own place, and the parts of coarser ones that the others leave. */
  #sketch(view, pyramid, level, region, tiles, overview) {
    const { levels, size } = pyramid;
    let isExactly = level.factor === 1 && isExact(view, devicePixelRatio * view.zoomScale);
    const put = (bitmap, rect, place, quality) => {
      const [across, down] = [bitmap.width / rect.width, bitmap.height / rect.height];
      this.#put(view, bitmap, {
        x: (place.x - rect.x) * across, y: (place.y - rect.y) * down, width: place.width * across, height: place.height * down,
      }, place, view.isUpright, quality);
    };
    const whole = { x: 0, y: 0, ...size };
    // Turned tiles have soft edges, through which something similar must be seen.
    if (!view.isUpright && !pyramid.isTransparent && overview) put(overview, whole, whole, "low");
    const fill = (place, index) => {
      if (index < 0) return overview && put(overview, whole, place, "low");
      for (const tile of pyramid.tiles(levels[index], place)) {
        const part = common(tile, place);
        const own = tiles.bitmap(tile);
        const bitmap = own ?? (tile.preview && tiles.bitmap(tile.preview));
        isExactly &&= own !== undefined;
        if (!bitmap) fill(part, index - 1);
        else put(bitmap, tile, part, levels[index] === level ? this.#smoothing(view, level) && "low" : "low");
      }
    };
    fill(inImage(region, level, size), levels.indexOf(level));
    return isExactly;
  }

  #showFilm(view, pyramid) {
    if (!this.film) return true;
    const { displayWidth: width, displayHeight: height } = this.film;
    const level = { factor: pyramid.size.width / width };
    const isAligned = isExact(view, devicePixelRatio * view.zoomScale * level.factor);
    const whole = { x: 0, y: 0, ...pyramid.size };
    this.#put(view, this.film, { x: 0, y: 0, width, height }, whole, isAligned, this.#smoothing(view, level));
    return true;
  }

  /** How a level is scaled; undefined for pixels that stay squares. */
  #smoothing(view, { factor }) {
    const zoom = devicePixelRatio * view.zoomScale * factor;
    if (isExact(view, zoom) || zoom >= SQUARES) return undefined;
    return zoom < 1 ? "high" : "medium";
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
  #show(view, pyramid, level, region) {
    const place = inImage(region, level, pyramid.size);
    const { factor } = level;
    const source = { x: 0, y: 0, width: place.width / factor, height: place.height / factor };
    const isAligned = isExact(view, devicePixelRatio * view.zoomScale * factor);
    this.#put(view, this.#composition.canvas, source, place, isAligned, this.#smoothing(view, level));
  }

  /**
   * Draws a part of a picture at a place of the image, with corners at whole pixels of the screen if it `isAligned`;
   * without a `quality`, pixels stay squares.
   */
  #put(view, picture, source, place, isAligned, quality) {
    this.#context.imageSmoothingEnabled = quality !== undefined;
    if (quality) this.#context.imageSmoothingQuality = quality;
    const { width, height } = source;
    const [origin, acrossEnd, , downEnd] = corners(view, place, isAligned);
    const step = (end, axis, length) => (end[axis] - origin[axis]) / length;
    this.#context.setTransform(
      step(acrossEnd, 0, width), step(acrossEnd, 1, width), step(downEnd, 0, height), step(downEnd, 1, height),
      ...origin);
    this.#context.drawImage(picture, source.x, source.y, width, height, 0, 0, width, height);
  }

  /** Draws the checks that show through transparent pixels, still and of the same size at any zoom. */
  #showChecks(view, place) {
    this.#context.fillStyle = this.#checks();
    this.#context.beginPath();
    for (const corner of corners(view, place, view.isUpright)) this.#context.lineTo(...corner);
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

/** The part of the image of some pixels of a level, of which the last may extend beyond it by a fraction. */
function inImage({ x, y, width, height }, { factor }, size) {
  const [left, top] = [x * factor, y * factor];
  return {
    x: left, y: top, width: Math.min(width * factor, size.width - left), height: Math.min(height * factor, size.height - top),
  };
}

/** The rectangle that two have in common. */
function common(a, b) {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  const [right, bottom] = [Math.min(a.x + a.width, b.x + b.width), Math.min(a.y + a.height, b.y + b.height)];
  return { x, y, width: right - x, height: bottom - y };
}

/** Whether the pixels of a level, enlarged by `zoom`, are those of the screen. */
function isExact(view, zoom) { return view.isUpright && Math.abs(zoom - 1) < 1e-6; }

/** The corners of a rectangle of the image in pixels of the screen, clockwise from the first. */
function corners(view, { x, y, width, height }, isAligned) {
  return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map((corner) => {
    const point = view.viewPoint(...corner);
    const [across, down] = [point.x * devicePixelRatio, point.y * devicePixelRatio];
    // A small bias, so that halves computed in two ways round in the same direction.
    return isAligned ? [Math.floor(across + 0.5 + 1e-6), Math.floor(down + 0.5 + 1e-6)] : [across, down];
  });
}
