// The scroll view: the Swift package's ScrollModel as WebAssembly, with names in place of numbers.
// Everything that moves is reckoned in there; times are seconds, lengths are CSS pixels.

const phases = { began: 0, moved: 1, ended: 2, cancelled: 3 };
const keys = {
  ArrowUp: 0, ArrowDown: 1, ArrowLeft: 2, ArrowRight: 3, PageUp: 4, PageDown: 5, Home: 6, End: 7,
  "+": 8, "=": 8, "-": 9, "_": 9, "0": 10,
};
const spaces = { view: 0, image: 2 };
const INSTANT = -1;

export class ScrollView {
  #module;

  /** A scroll view over an image of some size, centered, of no size itself until `resize`. */
  static async load(url, imageSize) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(url));
    return new ScrollView(instance.exports, imageSize);
  }

  constructor(module, imageSize) {
    this.#module = module;
    module.scroll_create(0, 0, imageSize.width, imageSize.height);
    module.scroll_set_content_alignment(0.5, 0.5);
  }

  // What happens.

  advance(seconds) { this.#module.scroll_advance(seconds); }

  touch(phase, id, x, y) { this.#module.scroll_touches(phases[phase], 1, id, x, y, 0, 0, 0); }

  /** Scrolls, or zooms about the pointer; over some seconds where the wheel has notches. */
  wheel(dx, dy, x, y, zooms, seconds = INSTANT) {
    this.#module.scroll_wheel(dx, dy, x, y, zooms ? 1 : 0, seconds);
  }

  /** Does what a key asks for; false if it is none of the scroll view's. */
  press(key, seconds = INSTANT) {
    if (!Object.hasOwn(keys, key)) return false;
    this.#module.scroll_key(keys[key], seconds);
    return true;
  }

  zoom(scale, seconds = INSTANT) { this.#module.scroll_set_zoom_scale(scale, NaN, NaN, seconds); }

  zoomToRect({ x, y, width, height }, seconds = INSTANT) {
    this.#module.scroll_zoom_to_rect(x, y, width, height, seconds);
  }

  /** Brings an image point into the middle. */
  center(x, y) { this.#module.scroll_restore(x, y, this.#value(33), this.rotation); }

  turn(degrees) { this.#module.scroll_configure(9, degrees); }

  resize(width, height) { this.#module.scroll_set_bounds(width, height); }

  setZoomLimits(least, greatest) { this.#module.scroll_set_zoom_limits(least, greatest); }

  // What is seen.

  get zoomScale() { return this.#value(2); }
  get minimumZoomScale() { return this.#value(24); }
  get fittingZoomScale() { return this.#value(26); }
  get rotation() { return this.#value(34); }
  /** The part of the image's plane that is seen. */
  get visibleRect() { return this.#rect(5); }
  /** The part that will be seen when all that moves has come to rest. */
  get restingRect() { return this.#rect(27); }
  get isHeld() { return this.#value(17) === 1; }
  get isMoving() { return this.#value(19) === 1 || this.#value(21) === 1 || this.#value(22) === 1; }

  viewPoint(x, y) { return this.#convert(x, y, spaces.image, spaces.view); }

  imagePoint(x, y) { return this.#convert(x, y, spaces.view, spaces.image); }

  #value(index) { return this.#module.scroll_value(index); }

  #rect(index) {
    const [x, y, width, height] = [0, 1, 2, 3].map((offset) => this.#value(index + offset));
    return { x, y, width, height };
  }

  #convert(x, y, from, to) {
    return {
      x: this.#module.scroll_convert(x, y, from, to, 0),
      y: this.#module.scroll_convert(x, y, from, to, 1),
    };
  }
}
