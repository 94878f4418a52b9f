// A scale bar, and the place and value of the pixel below the pointer; without a pointer, of that in the middle.

const KEY = "viewport.readout";
/** The longest bar, in CSS pixels and as a share of the window. */
const LONGEST = 140;
const SHARE = 0.22;
/** Milliseconds for which the pointer rests before the pixel is read: reading slows canvases of graphics cards down. */
const REST = 100;

export class Readout {
  #element = document.querySelector("#readout");
  #canvas;
  #view;
  #size;
  /** The millimeters of an image pixel, if they are known. */
  #millimeters;
  /** The place of the pointer in the window. */
  #pointer;
  #resting;

  constructor(canvas, view) {
    this.#canvas = canvas;
    this.#view = view;
    canvas.addEventListener("pointermove", (event) => {
      this.#pointer = event.pointerType === "mouse" ? { x: event.clientX, y: event.clientY } : undefined;
      this.update();
    });
    canvas.addEventListener("pointerleave", () => {
      this.#pointer = undefined;
      this.update();
    });
    try { this.#toggle(localStorage.getItem(KEY) === "on"); } catch { /* It is off where nothing is kept. */ }
  }

  open({ size, millimeters }) {
    this.#size = size;
    this.#millimeters = millimeters;
    this.update();
  }

  toggle() {
    this.#toggle(this.#element.hidden);
    try { localStorage.setItem(KEY, this.#element.hidden ? "off" : "on"); } catch { /* For this page only. */ }
  }

  #toggle(isShown) {
    this.#element.hidden = !isShown;
    document.body.classList.toggle("measured", isShown);
    document.querySelector("[data-do=readout]").ariaPressed = String(isShown);
    this.update();
  }

  update() {
    if (this.#element.hidden || !this.#size) return;
    const [bar, place, value] = this.#element.children;
    const { length, words } = scale(Math.min(LONGEST, innerWidth * SHARE) / this.#view.zoomScale, this.#millimeters);
    bar.style.width = `${length * this.#view.zoomScale}px`;
    bar.textContent = words;
    const { x, y } = this.#place();
    const isInside = x >= 0 && y >= 0 && x < this.#size.width && y < this.#size.height;
    place.textContent = isInside ? `${Math.floor(x)}, ${Math.floor(y)}` : "outside";
    clearTimeout(this.#resting);
    value.textContent = "";
    if (isInside) this.#resting = setTimeout(() => { value.textContent = this.#value(); }, REST);
  }

  /** The image point that is below the pointer, or in the middle. */
  #place() {
    const { middle, zoomScale, rotation, isFlipped } = this.#view;
    if (!this.#pointer) return middle;
    const frame = this.#canvas.getBoundingClientRect();
    const dx = (this.#pointer.x - frame.left - frame.width / 2) / zoomScale;
    const dy = (this.#pointer.y - frame.top - frame.height / 2) / zoomScale;
    const [cos, sin] = [Math.cos((rotation * Math.PI) / 180), Math.sin((rotation * Math.PI) / 180)];
    const across = cos * dx + sin * dy;
    return { x: middle.x + (isFlipped ? -across : across), y: middle.y - sin * dx + cos * dy };
  }

  /** The value on the screen; exact at 1:1 and above, else the mean of several pixels. */
  #value() {
    const frame = this.#canvas.getBoundingClientRect();
    const at = this.#pointer ?? { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
    const [x, y] = [at.x - frame.left, at.y - frame.top].map((place) => Math.floor(place * devicePixelRatio));
    const [red, green, blue] = this.#canvas.getContext("2d").getImageData(x, y, 1, 1).data;
    const hexadecimal = [red, green, blue].map((one) => one.toString(16).padStart(2, "0")).join("");
    const isMean = this.#view.zoomScale * devicePixelRatio < 0.999;
    return `${isMean ? "≈ " : ""}${red} ${green} ${blue}  #${hexadecimal}`;
  }
}

/** The units of lengths, in millimeters. */
const UNITS = [["m", 1000], ["cm", 10], ["mm", 1], ["µm", 0.001]];

/** The length of a bar of at most `longest` image pixels, in a round number of pixels or in a unit of length. */
function scale(longest, millimeters) {
  if (!millimeters) {
    const length = round(Math.max(1, longest));
    return { length, words: `${length.toLocaleString("en")} px` };
  }
  const length = round(longest * millimeters);
  const [unit, size] = UNITS.find(([, size]) => length >= size * 0.999) ?? UNITS.at(-1);
  return { length: length / millimeters, words: `${Number((length / size).toPrecision(3)).toLocaleString("en")} ${unit}` };
}

/** The largest of …, 0.5, 1, 2, 5, 10, 20 and so on that is at most `longest`. */
function round(longest) {
  const power = 10 ** Math.floor(Math.log10(longest) + 1e-9);
  return power * ([5, 2].find((step) => step * power <= longest) ?? 1);
}
