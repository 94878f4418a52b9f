// The size of the tiles: by a control, by + and −, by a pinch, and by the wheel with Ctrl; kept for the next visit.

const KEY = "viewport.tiles";
/** How much larger than usual tiles are. */
const SCALES = [0.6, 0.8, 1, 1.4, 2, 2.8, 4];
const USUAL = SCALES.indexOf(1);
/** The distance that the wheel moves for a step. */
const NOTCH = 60;

export class TileSize {
  #step = USUAL;
  #slider = document.getElementById("tiles");
  #changed;
  /** The distance and the middle of two fingers, and the step, at the beginning of a pinch. */
  #pinch;
  #turned = 0;

  /**
   * `changed(point)` follows each change; the photo at the point in the window stays there, if one is given. During a pinch
   * it is the same object.
   */
  constructor(scroller, changed) {
    try {
      const kept = Number(localStorage.getItem(KEY) ?? USUAL);
      if (SCALES[kept]) this.#step = kept;
    } catch { /* Tiles have their usual size where nothing is kept. */ }
    this.#changed = changed;
    Object.assign(this.#slider, { max: SCALES.length - 1, value: this.#step });
    this.#slider.addEventListener("input", () => this.#set(Number(this.#slider.value)));
    // It is no choice that addresses have.
    this.#slider.addEventListener("change", (event) => event.stopPropagation());
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, dialog")) return;
      const by = { "+": 1, "=": 1, "-": -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.#set(this.#step + by);
    });
    scroller.addEventListener("touchstart", ({ touches }) => {
      this.#pinch = touches.length === 2
        ? { distance: distance(touches), step: this.#step, point: middle(touches) } : undefined;
    }, { passive: true });
    // Not passive: the browser would enlarge the page.
    scroller.addEventListener("touchmove", (event) => {
      if (!this.#pinch || event.touches.length !== 2) return;
      event.preventDefault();
      const wanted = SCALES[this.#pinch.step] * distance(event.touches) / this.#pinch.distance;
      this.#set(nearest(wanted), this.#pinch.point);
    }, { passive: false });
    scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.#turned += event.deltaY;
      const steps = Math.trunc(this.#turned / NOTCH);
      this.#turned -= steps * NOTCH;
      if (steps !== 0) this.#set(this.#step - steps, { x: event.clientX, y: event.clientY });
    }, { passive: false });
  }

  get scale() { return SCALES[this.#step]; }

  #set(step, point) {
    const now = Math.min(SCALES.length - 1, Math.max(0, step));
    if (now === this.#step) return;
    this.#step = now;
    this.#slider.value = now;
    try { localStorage.setItem(KEY, now); } catch { /* For this page only. */ }
    this.#changed(point);
  }
}

function distance([one, other]) { return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY); }

function middle([one, other]) { return { x: (one.clientX + other.clientX) / 2, y: (one.clientY + other.clientY) / 2 }; }

/** The step whose scale is nearest, by the ratio. */
function nearest(scale) {
  const far = (one) => Math.abs(Math.log(one / scale));
  return SCALES.reduce((best, one, step) => (far(one) < far(SCALES[best]) ? step : best), 0);
}
