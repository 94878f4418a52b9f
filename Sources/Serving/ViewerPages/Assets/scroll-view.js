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

/**
 * A scroll view over an image. The model has no flips: a flipped image is one whose columns it sees in reverse, so that
 * the content is flipped first and then rotated, as in IIIF.
 */
export class ScrollView {
  #module;
  #tables;
  #size;
  #isFlipped = false;
  /** The size, in CSS pixels. */
  bounds = { width: 0, height: 0 };

  /** A scroll view over an image of this size, centered. Its own size is zero until `resize`. */
  static async create(compiled, imageSize) {
    return new ScrollView((await WebAssembly.instantiate(compiled)).exports, imageSize);
  }

  constructor(module, imageSize) {
    this.#module = module;
    this.#size = imageSize;
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

  /** Shows a rectangle as large as it fits. Under a free rotation it is turned about its center, as the window is. */
  zoomToRect({ x, y, width, height }, seconds = INSTANT) {
    let rect = { x, y, width, height };
    if (!this.isUpright) {
      // The upright square around what the model then shows.
      const { cosine, sine } = this.#turn;
      const scale = Math.min(this.bounds.width / width, this.bounds.height / height);
      const side = Math.min(this.bounds.width, this.bounds.height) / (scale * (cosine + sine));
      rect = { x: x + (width - side) / 2, y: y + (height - side) / 2, width: side, height: side };
    }
    this.#module.scroll_zoom_to_rect(this.#column(rect.x, rect.width), rect.y, rect.width, rect.height, seconds);
  }

  /** Centers an image point, at a scale if one is given. */
  center(x, y, scale) {
    const zoom = scale === undefined ? this.#value("archive.zoom") : scale / this.fittingZoomScale;
    this.#module.scroll_restore(this.#column(x), y, zoom, this.rotation);
  }

  /** Rotates the image clockwise by an angle, in degrees, after it was flipped or not. The center stays. */
  turn(degrees, isFlipped = this.#isFlipped) {
    if (isFlipped !== this.#isFlipped) {
      const { x, y } = this.middle;
      this.#isFlipped = isFlipped;
      this.center(x, y);
    }
    this.#module.scroll_configure(this.#tables.property("contentRotation"), ((degrees % 360) + 360) % 360);
  }

  resize(width, height) {
    this.bounds = { width, height };
    this.#module.scroll_set_bounds(width, height);
  }

  setZoomLimits(least, greatest) { this.#module.scroll_set_zoom_limits(least, greatest); }

  /** Shows another image. */
  setImageSize(size) {
    this.#size = size;
    this.#module.scroll_set_view_size(size.width, size.height, 0);
  }

  // State.

  get zoomScale() { return this.#value("zoomScale"); }
  get minimumZoomScale() { return this.#value("minimumZoomScale"); }
  get fittingZoomScale() { return this.#value("fittingZoomScale"); }
  get rotation() { return this.#value("archive.rotation"); }
  get isFlipped() { return this.#isFlipped; }
  /** Whether the sides of the image are parallel to those of the window. */
  get isUpright() { return this.rotation % 90 === 0; }
  /** The image point in the middle of the window. */
  get middle() { return { x: this.#column(this.#value("archive.center.x")), y: this.#value("archive.center.y") }; }
  /** The visible part of the image plane: the upright rectangle around it. */
  get visibleRect() { return this.#rect("visibleRect"); }
  /** The part that is visible once all motion has ended. */
  get restingRect() { return this.#rect("restingRect"); }
  get isHeld() { return this.#value("isTracking") === 1; }
  get isMoving() { return ["isDecelerating", "isZoomBouncing", "isAnimating"].some((name) => this.#value(name) === 1); }
  /** Whether a part of the image is outside of the window. */
  get canScroll() {
    return ["x", "y"].some((axis) =>
      this.#value(`maximumContentOffset.${axis}`) - this.#value(`minimumContentOffset.${axis}`) > 1e-3);
  }

  /** Image pixels per CSS pixel where a rectangle around the window is visible. */
  density({ width }) {
    const { cosine, sine } = this.#turn;
    return width / (this.bounds.width * cosine + this.bounds.height * sine);
  }

  viewPoint(x, y) {
    const across = this.#column(x);
    return { x: this.#module.scroll_view_point(across, y, 0), y: this.#module.scroll_view_point(across, y, 1) };
  }

  imagePoint(x, y) {
    return { x: this.#column(this.#module.scroll_image_point(x, y, 0)), y: this.#module.scroll_image_point(x, y, 1) };
  }

  #value(name) { return this.#tables.value(name); }

  /** The magnitudes of cosine and sine of the rotation. */
  get #turn() {
    const angle = (this.rotation * Math.PI) / 180;
    return { cosine: Math.abs(Math.cos(angle)), sine: Math.abs(Math.sin(angle)) };
  }

  /** The first column of a rectangle for the model, or of the image. */
  #column(x, width = 0) { return this.#isFlipped ? this.#size.width - x - width : x; }

  #rect(name) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((part) => this.#value(`${name}.${part}`));
    return { x: this.#column(x, width), y, width, height };
  }
}
