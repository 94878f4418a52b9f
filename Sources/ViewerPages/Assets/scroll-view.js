// The scroll view: the Swift package's ScrollModel as WebAssembly, which computes all motion. Times are seconds,
// lengths are CSS pixels. The module names its numbers, so no index appears here.

const INSTANT = -1;
/** Keys that mean the same as another. */
const otherKeys = { "=": "+", _: "-" };

/** The names and indices of what the module describes, its state, and the names of the last call's events. */
export function tables(module) {
  const names = (list) => {
    const bytes = new Uint8Array(module.memory.buffer, module.scroll_names(list));
    return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0))).split(" ");
  };
  const [valueNames, properties, keyNames, phases, alignments, adjustments, events] = [0, 1, 2, 3, 4, 5, 6].map(names);
  const indices = (names) => (name) => {
    const index = names.indexOf(name);
    if (index < 0) throw new RangeError(`the scroll model has no ${name}`);
    return index;
  };
  const valueIndex = indices(valueNames);
  return {
    valueNames,
    keyNames,
    value: (name) => new Float64Array(module.memory.buffer, module.scroll_state(), valueNames.length)[valueIndex(name)],
    property: indices(properties),
    key: indices(keyNames),
    phase: indices(phases),
    alignment: indices(alignments),
    adjustment: indices(adjustments),
    eventNames: () => {
      const found = [];
      for (let kind; (kind = module.scroll_event(found.length)) >= 0; ) found.push(events[kind]);
      return found;
    },
  };
}

export class ScrollView {
  #module;
  #tables;

  /** A scroll view over an image of this size, centered. Its own size is zero until `resize`. */
  static async load(url, imageSize) {
    const answer = await fetch(url);
    if (!answer.ok) throw answer;
    // Not streaming: static hosts may not have the media type.
    const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer());
    return new ScrollView(instance.exports, imageSize);
  }

  constructor(module, imageSize) {
    this.#module = module;
    this.#tables = tables(module);
    module.scroll_create(0, 0, imageSize.width, imageSize.height);
    module.scroll_set_content_alignment(0.5, 0.5);
  }

  // Input.

  advance(seconds) { this.#module.scroll_advance(seconds); }

  touch(phase, id, x, y) { this.#module.scroll_touches(this.#tables.phase(phase), 1, id, x, y, 0, 0, 0); }

  /** Scrolls, or zooms about the pointer. Pass a duration for a wheel with notches. */
  wheel(dx, dy, x, y, zooms, seconds = INSTANT) {
    this.#module.scroll_wheel(dx, dy, x, y, zooms ? 1 : 0, seconds);
  }

  /** Handles a key. Returns false if the scroll view does not use it. */
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

  /** Centers an image point. */
  center(x, y) { this.#module.scroll_restore(x, y, this.#value("archive.zoom"), this.rotation); }

  turn(degrees) { this.#module.scroll_configure(this.#tables.property("contentRotation"), degrees); }

  resize(width, height) { this.#module.scroll_set_bounds(width, height); }

  setZoomLimits(least, greatest) { this.#module.scroll_set_zoom_limits(least, greatest); }

  // State.

  get zoomScale() { return this.#value("zoomScale"); }
  get minimumZoomScale() { return this.#value("minimumZoomScale"); }
  get fittingZoomScale() { return this.#value("fittingZoomScale"); }
  get rotation() { return this.#value("archive.rotation"); }
  /** The visible part of the image plane. */
  get visibleRect() { return this.#rect("visibleRect"); }
  /** The part that is visible once all motion has ended. */
  get restingRect() { return this.#rect("restingRect"); }
  get isHeld() { return this.#value("isTracking") === 1; }
  get isMoving() { return ["isDecelerating", "isZoomBouncing", "isAnimating"].some((name) => this.#value(name) === 1); }

  viewPoint(x, y) {
    return { x: this.#module.scroll_view_point(x, y, 0), y: this.#module.scroll_view_point(x, y, 1) };
  }

  imagePoint(x, y) {
    return { x: this.#module.scroll_image_point(x, y, 0), y: this.#module.scroll_image_point(x, y, 1) };
  }

  #value(name) { return this.#tables.value(name); }

  #rect(name) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((part) => this.#value(`${name}.${part}`));
    return { x, y, width, height };
  }
}
