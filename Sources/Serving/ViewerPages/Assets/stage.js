// One image in a canvas: the scroll view over it, its tiles and their painting.

import { measure, watchSize } from "./canvas-size.js";
import { Painter } from "./painter.js";
import { carried, visiblePart } from "./place.js";

/** The maximum number of screen pixels per image pixel. */
const MOST_ZOOM = 32;
/** The margin, as a share of the resting rectangle, that is prefetched after the visible tiles. */
const MARGIN = 0.25;
/** Milliseconds without movement after which the view has settled. */
const SETTLED = 250;
/** How much coarser the levels are that load before the wanted one, so that slow links show something soon. */
const COARSER = [8, 4];

export class Stage {
  #painter;
  #tiles;
  #on;
  #frame = 0;
  #settling;
  #margin = MARGIN;
  /** What the last frame showed, to recognize motion by the events that do not animate. */
  #place = "";
  /** Whether nothing has moved since the view settled, and whether the last frame is exact. */
  #isResting = true;
  #isExact = false;
  /** The URLs of what is shown or will be shown in its place. */
  #wanted = new Set();
  /** Tiles of other images that load when nothing else does. */
  prefetched = () => [];
  #isHidden = false;

  /** `on` has moved(part), settled(part) and progress(share), which is 1 when everything visible has arrived. */
  constructor(canvas, view, tiles, on) {
    this.canvas = canvas;
    this.view = view;
    this.#painter = new Painter(canvas);
    this.#tiles = tiles;
    this.#on = on;
    this.#watch();
  }

  /** Whether the whole image is visible. */
  get isWhole() { return this.view.zoomScale <= this.view.fittingZoomScale * (1 + 1e-6); }

  get visiblePart() { return visiblePart(this.view.visibleRect, this.pyramid.size); }

  /** Shows another image: at the same place and scale, or whole and upright. Without one, nothing is drawn. */
  open(pyramid, keepsPlace = false) {
    const { view, pyramid: old } = this;
    this.pyramid = pyramid;
    if (!pyramid) {
      this.#tiles.request(this, []);
      return this.#draw();
    }
    this.#margin = pyramid.margin ?? MARGIN;
    const place = keepsPlace && old && !this.isWhole ? carried(view, old.size, pyramid.size) : undefined;
    if (!keepsPlace) view.turn(0, false);
    view.setImageSize(pyramid.size);
    this.#limit();
    if (place) view.center(place.x, place.y, place.scale);
    else view.zoom(view.minimumZoomScale);
    const url = pyramid.overview(320);
    this.overview = url ? { url } : undefined;
    this.#draw();
    this.changed();
  }

  /** Shows a frame in the place of the tiles, only what is behind them (null), or the tiles again (undefined). */
  set film(film) {
    this.#painter.film = film;
    if (!this.#isHidden && this.#frame === 0) this.#draw(true);
  }

  /** Whether a tile is visible, and not only fetched in advance. */
  wants(tile) { return this.#wanted.has(tile.url); }

  /** Rotates and flips the image. */
  turn(degrees, isFlipped) {
    this.view.turn(degrees, isFlipped);
    this.#limit();
    this.changed();
  }

  /** The tiles of another image that the view would show in the place of this one. */
  tilesOf(pyramid, keepsPlace) {
    const { view } = this;
    const { width, height } = pyramid.size;
    const isTurned = keepsPlace && view.rotation % 180 !== 0;
    const [across, down] = isTurned ? [height, width] : [width, height];
    const fitting = Math.min(view.bounds.width / across, view.bounds.height / down);
    let rect = { x: 0, y: 0, width, height };
    let scale = fitting;
    if (keepsPlace && !this.isWhole) {
      const place = carried(view, this.pyramid.size, pyramid.size);
      scale = Math.max(place.scale, Math.min(fitting, 1 / devicePixelRatio));
      const seen = view.visibleRect;
      const [breadth, length] = [(seen.width * view.zoomScale) / scale, (seen.height * view.zoomScale) / scale];
      const within = (middle, extent, most) =>
        extent >= most ? (most - extent) / 2 : Math.min(Math.max(0, middle - extent / 2), most - extent);
      rect = { x: within(place.x, breadth, width), y: within(place.y, length, height), width: breadth, height: length };
    }
    return pyramid.tiles(this.#painter.level(pyramid, rect, 1 / (scale * devicePixelRatio)), rect);
  }

  /** Observes the size and the resolution of the canvas. */
  #watch() {
    watchSize(this.canvas, (width, height) => this.#resize(width, height));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
  }

  /** Follows the size of the canvas at once. */
  measure() { measure(this.canvas, (width, height) => this.#resize(width, height)); }

  /** Changes the size, in screen pixels. */
  #resize(width, height) {
    const { canvas } = this;
    const [across, down] = [Math.round(width), Math.round(height)];
    if (across === 0 || down === 0) return;
    const { bounds } = this.view;
    if (canvas.width === across && canvas.height === down && bounds.width === across / devicePixelRatio) return;
    if (canvas.width !== across) canvas.width = across;
    if (canvas.height !== down) canvas.height = down;
    this.view.resize(across / devicePixelRatio, down / devicePixelRatio);
    this.#limit();
    // Immediately: resizing a canvas clears it.
    this.#draw();
    this.changed();
  }

  #limit() {
    const [fitting, actual] = [this.view.fittingZoomScale, 1 / devicePixelRatio];
    this.view.setZoomLimits(Math.min(fitting, actual), Math.max(fitting, actual * MOST_ZOOM));
  }

  /** Hides the canvas, and requests nothing, or shows it again. */
  set isHidden(isHidden) {
    if (isHidden === this.#isHidden) return;
    this.#isHidden = isHidden;
    this.canvas.hidden = isHidden;
    if (!isHidden) this.measure();
    this.changed();
  }

  /** Schedules a frame. */
  changed() {
    if (this.#isHidden) return this.#rest();
    this.canvas.ariaBusy = "true";
    clearTimeout(this.#settling);
    if (this.#frame === 0) this.#frame = requestAnimationFrame((time) => this.#show(time));
  }

  /** Ends all work. */
  #rest() {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#settling);
    this.#frame = 0;
    this.#tiles.request(this, []);
  }

  /** Draws a frame at once, such as one that follows another view. */
  showNow() {
    cancelAnimationFrame(this.#frame);
    this.canvas.ariaBusy = "true";
    clearTimeout(this.#settling);
    this.#show(performance.now());
  }

  #show(time) {
    this.#frame = 0;
    const { view, pyramid } = this;
    // Input events have earlier timestamps than the frame that follows them: only motion follows the frame's time.
    if (view.isMoving) view.advance(time / 1000);
    if (!pyramid) return this.#draw();
    const seen = view.visibleRect;
    const place = [...Object.values(seen), view.zoomScale, view.rotation, view.isFlipped].join();
    if (view.isMoving || view.isHeld || place !== this.#place) this.#isResting = false;
    this.#place = place;
    const visible = this.#tilesIn(seen);
    const stages = this.#stages(visible);
    const isDone = visible.every((tile) => this.#tiles.has([tile]) || this.#tiles.hasFailed(tile));
    this.#draw(this.#isResting && isDone);
    const { overview } = this;
    const isComplete = this.#tiles.has(visible) &&
      (!overview || this.#tiles.has([overview]) || this.#tiles.hasFailed(overview));
    const others = isComplete && !view.isMoving && !view.isHeld ? this.prefetched() : [];
    this.#tiles.request(this, [...stages, this.#tilesAhead(), others]);
    const wanted = stages.flat();
    this.#wanted = new Set(wanted.map((tile) => tile.url));
    this.#on.progress(isComplete ? 1 : wanted.filter((tile) => this.#tiles.has([tile])).length / wanted.length);
    const part = this.visiblePart;
    this.#on.moved(part);
    if (view.isMoving) return this.changed();
    if (!view.isHeld && isDone) this.#settling = setTimeout(() => this.#settle(part, isComplete), SETTLED);
  }

  #settle(part, isComplete) {
    this.#isResting = true;
    if (!this.#isExact) this.#draw(true);
    this.#on.settled(part);
    if (isComplete) this.canvas.ariaBusy = "false";
  }

  /** Draws the tiles that have arrived: as they come to rest, or as quickly as motion needs it. */
  #draw(isExact = false) {
    const { canvas, pyramid } = this;
    if (!pyramid) return canvas.getContext("2d").reset();
    const overview = this.overview && this.#tiles.bitmap(this.overview);
    if (overview && pyramid.isTransparent === undefined) pyramid.isTransparent = isTransparent(overview);
    this.#isExact = this.#painter.draw(this.view, pyramid, this.#tiles, overview, !isExact);
  }

  /** The visible tiles and those to show before, in stages. */
  #stages(visible) {
    const overview = this.overview ? [this.overview] : [];
    if (this.#tiles.has(visible)) return [visible, overview];
    const { view, pyramid } = this;
    const { factor } = this.#level(view.visibleRect);
    const stages = (pyramid.coarser ?? COARSER).map((times) => pyramid.levels.find((level) => level.factor === factor * times))
      .filter(Boolean)
      .map((level) => pyramid.tiles(level, view.visibleRect).map((tile) =>
        (tile.preview && !this.#tiles.has([tile]) ? tile.preview : tile)));
    // Exact tiles are ten times as large as those of a preview.
    const isSlow = this.#tiles.isSlow && visible[0]?.preview;
    if (isSlow) stages.push(visible.filter((tile) => !this.#tiles.has([tile])).map((tile) => tile.preview));
    const [first, ...others] = stages;
    return first ? [first, overview, ...others, visible] : [[...overview, ...visible]];
  }

  /** The tiles of the part at which the view will come to rest, with a margin. */
  #tilesAhead() {
    const { x, y, width, height } = this.view.restingRect;
    const [across, down] = [width * this.#margin, height * this.#margin];
    return this.#tilesIn(
      { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down }, { x, y, width, height });
  }

  #tilesIn(rect, seen = rect) { return this.pyramid.tiles(this.#level(seen), rect); }

  #level(rect) {
    return this.#painter.level(this.pyramid, rect, this.view.density(rect) / devicePixelRatio);
  }
}

/** Whether any pixel of a small picture is not opaque. */
function isTransparent(bitmap) {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  for (let index = 3; index < data.length; index += 4) if (data[index] < 255) return true;
  return false;
}
