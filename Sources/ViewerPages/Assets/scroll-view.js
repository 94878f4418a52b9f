// The scroll view: the Swift package's ScrollModel as WebAssembly. Everything that moves is computed in there;
// times are seconds, lengths are CSS pixels. The module names its own numbers, so none of them stands here.

const INSTANT = -1;
/** Keys that mean the same as another. */
const otherKeys = { "=": "+", _: "-" };

/** The lists that the module describes: the number of each name, and the names of the last call's events. */
export function tables(module) {
  const text = (start) => {
    const bytes = new Uint8Array(module.memory.buffer, start);
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0)));
  };
  const names = (list) => {
    const found = [];
    for (let start; (start = list(found.length)) !== 0; ) found.push(text(start));
    return found;
  };
  const numbers = (list) => {
    const found = new Map(names(list).map((name, number) => [name, number]));
    return (name) => {
      if (!found.has(name)) throw new RangeError(`the scroll model has no ${name}`);
      return found.get(name);
    };
  };
  return {
    valueNames: names(module.scroll_value_name),
    value: numbers(module.scroll_value_name),
    property: numbers(module.scroll_property_name),
    keyNames: names(module.scroll_key_name),
    key: numbers(module.scroll_key_name),
    phase: numbers(module.scroll_phase_name),
    alignment: numbers(module.scroll_alignment_name),
    adjustment: numbers(module.scroll_adjustment_name),
    eventNames: () => names(module.scroll_event_name),
  };
}

export class ScrollView {
  #module;
  #tables;

  /** A scroll view over an image of some size, centered, of no size itself until `resize`. */
  static async load(url, imageSize) {
    const { instance } = await WebAssembly.instantiateStreaming(fetch(url));
    return new ScrollView(instance.exports, imageSize);
  }

  constructor(module, imageSize) {
    this.#module = module;
    this.#tables = tables(module);
    module.scroll_create(0, 0, imageSize.width, imageSize.height);
    module.scroll_set_content_alignment(0.5, 0.5);
  }

  // What happens.

  advance(seconds) { this.#module.scroll_advance(seconds); }

  touch(phase, id, x, y) { this.#module.scroll_touches(this.#tables.phase(phase), 1, id, x, y, 0, 0, 0); }

  /** Scrolls, or zooms about the pointer; over some seconds where the wheel has notches. */
  wheel(dx, dy, x, y, zooms, seconds = INSTANT) {
    this.#module.scroll_wheel(dx, dy, x, y, zooms ? 1 : 0, seconds);
  }

  /** Does what a key asks for; false if it is none of the scroll view's. */
  press(key, seconds = INSTANT) {
    const name = otherKeys[key] ?? key;
    if (!this.#tables.keyNames.includes(name)) return false;
    this.#module.scroll_key(this.#tables.key(name), seconds);
    return true;
  }

  zoom(scale, seconds = INSTANT) { this.#module.scroll_set_zoom_scale(scale, NaN, NaN, seconds); }

  zoomToRect({ x, y, width, height }, seconds = INSTANT) {
    this.#module.scroll_zoom_to_rect(x, y, width, height, seconds);
  }

  /** Brings an image point into the middle. */
  center(x, y) { this.#module.scroll_restore(x, y, this.#value("archive.zoom"), this.rotation); }

  turn(degrees) { this.#module.scroll_configure(this.#tables.property("contentRotation"), degrees); }

  resize(width, height) { this.#module.scroll_set_bounds(width, height); }

  setZoomLimits(least, greatest) { this.#module.scroll_set_zoom_limits(least, greatest); }

  // What is seen.

  get zoomScale() { return this.#value("zoomScale"); }
  get minimumZoomScale() { return this.#value("minimumZoomScale"); }
  get fittingZoomScale() { return this.#value("fittingZoomScale"); }
  get rotation() { return this.#value("archive.rotation"); }
  /** The part of the image's plane that is seen. */
  get visibleRect() { return this.#rect("visibleRect"); }
  /** The part that will be seen when all that moves has come to rest. */
  get restingRect() { return this.#rect("restingRect"); }
  get isHeld() { return this.#value("isTracking") === 1; }
  get isMoving() { return ["isDecelerating", "isZoomBouncing", "isAnimating"].some((name) => this.#value(name) === 1); }

  viewPoint(x, y) {
    return { x: this.#module.scroll_view_point(x, y, 0), y: this.#module.scroll_view_point(x, y, 1) };
  }

  imagePoint(x, y) {
    return { x: this.#module.scroll_image_point(x, y, 0), y: this.#module.scroll_image_point(x, y, 1) };
  }

  #value(name) { return this.#module.scroll_value(this.#tables.value(name)); }

  #rect(name) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((part) => this.#value(`${name}.${part}`));
    return { x, y, width, height };
  }
}
