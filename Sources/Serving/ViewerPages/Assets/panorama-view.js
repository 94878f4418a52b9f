// The view into a panorama: the Swift package's PanoramaView as WebAssembly, which computes all motion. Times are
// seconds, lengths are CSS pixels, angles are degrees. It takes the same input as `ScrollView`.

const INSTANT = -1;
/** Keys that mean the same as another. */
const otherKeys = { "=": "+", _: "-" };
/** The seconds and the distance within which two taps are a double tap. */
const TAP = { seconds: 0.3, distance: 40, slop: 10 };

export class PanoramaView {
  #module;
  #names;
  #keys;
  #phases;
  #facts;
  #time = 0;
  /** The finger that may become a tap, and the last tap. */
  #finger;
  #tap;
  /** The size, in CSS pixels. */
  bounds;
  /** The duration of animations that fingers start; undefined for none. */
  tapSeconds = 0.3;

  /** A view of a size into the panorama of some facts, as `info.json` has them. */
  static async create(compiled, facts, size, bounds) {
    return new PanoramaView((await WebAssembly.instantiate(compiled)).exports, facts, size, bounds);
  }

  constructor(module, facts, size, bounds) {
    this.#module = module;
    this.#facts = facts;
    this.bounds = bounds;
    const names = (list) => {
      const bytes = new Uint8Array(module.memory.buffer, module.panorama_names(list));
      return String.fromCharCode(...bytes.subarray(0, bytes.indexOf(0))).split(" ");
    };
    [this.#names, this.#keys, this.#phases] = [0, 1, 2].map(names);
    const { projection, whole, posePitch = 0, poseRoll = 0, look } = facts;
    module.panorama_describe(
      projection === "cylindrical" ? 1 : 0, size.width, size.height, ...whole, posePitch, poseRoll);
    const start = look ? [look.yaw, look.pitch, look.roll ?? 0, look.fov] : [NaN, 0, 0, 0];
    if (!module.panorama_create(bounds.width, bounds.height, ...start)) throw new RangeError("the panorama is impossible");
  }

  // Input.

  advance(seconds) {
    this.#time = Math.max(this.#time, seconds);
    this.#module.panorama_advance(seconds);
  }

  touch(phase, id, x, y) {
    this.#module.panorama_touch(this.#phases.indexOf(phase), id, x, y);
    this.#recognize(phase, id, x, y);
  }

  /** Zooms about the pointer, or turns. */
  wheel(dx, dy, x, y, zooms) { this.#module.panorama_wheel(dx, dy, x, y, zooms ? 1 : 0); }

  /** Handles a key. Returns false if the view does not use it. */
  press(key, seconds = INSTANT) {
    const index = this.#keys.indexOf(otherKeys[key] ?? key);
    if (index < 0) return false;
    this.#module.panorama_key(index, seconds);
    return true;
  }

  /** Zooms about the middle, so that a pixel of the picture has this size there. */
  zoom(scale, seconds = INSTANT) {
    const radius = (this.#facts.whole[2] * scale) / (2 * Math.PI);
    const fieldOfView = (2 * Math.atan(this.bounds.width / 2 / radius) * 180) / Math.PI;
    this.#module.panorama_zoom(fieldOfView, seconds);
  }

  setLook({ yaw, pitch, fov }, seconds = INSTANT) { this.#module.panorama_set_look(yaw, pitch, fov, seconds); }

  resize(width, height) {
    this.bounds = { width, height };
    this.#module.panorama_set_bounds(width, height);
  }

  // State.

  get look() { return this.#look("", { roll: this.#value("roll") }); }
  /** The look at which the motion ends. */
  get restingLook() { return this.#look("resting.", { roll: this.#value("roll") }); }
  get initialLook() { return this.#look("initial.", { roll: this.#value("roll") }); }
  /** The CSS pixels of a degree in the middle. */
  get pointsPerDegree() { return this.#value("pointsPerDegree"); }
  /** CSS pixels per pixel of the picture in the middle. */
  get zoomScale() { return (this.pointsPerDegree * 360) / this.#facts.whole[2]; }
  get isHeld() { return this.#value("isTracking") === 1; }
  get isMoving() { return this.#value("isMoving") === 1; }
  /** The wheel always zooms. */
  get canScroll() { return false; }

  /** The position in the picture that a point shows. */
  imagePoint(x, y) {
    return { x: this.#module.panorama_image_point(x, y, 0), y: this.#module.panorama_image_point(x, y, 1) };
  }

  #look(prefix, more) {
    const [yaw, pitch, fov] = ["yaw", "pitch", "fieldOfView"].map((name) => this.#value(prefix + name));
    return { yaw, pitch, fov, ...more };
  }

  #value(name) {
    return new Float64Array(this.#module.memory.buffer, this.#module.panorama_state(), this.#names.length)[
      this.#names.indexOf(name)];
  }

  /** Zooms where a finger taps twice. */
  #recognize(phase, id, x, y) {
    const isNear = (place, distance) => place && Math.hypot(x - place.x, y - place.y) <= distance;
    if (phase === "began") {
      this.#finger = this.#finger ? undefined : { id, x, y, time: this.#time };
      return;
    }
    if (this.#finger?.id !== id) return;
    if (!isNear(this.#finger, TAP.slop)) this.#finger = undefined;
    if (phase === "moved" || !this.#finger) return;
    const isTap = phase === "ended" && this.#time - this.#finger.time <= TAP.seconds;
    this.#finger = undefined;
    const last = this.#tap;
    this.#tap = undefined;
    if (!isTap) return;
    if (last && this.#time - last.time <= TAP.seconds && isNear(last, TAP.distance)) {
      return this.#module.panorama_double_tap(x, y, this.tapSeconds ?? INSTANT);
    }
    this.#tap = { x, y, time: this.#time };
  }
}
