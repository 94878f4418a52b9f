// An overview of the image with the visible part. A click or a drag moves the view.

/** The maximum length of the longer side, in points and as a share of the window's shorter side. */
const LENGTH = 150;
const SHARE = 0.3;

export class Minimap {
  #box;
  #map;
  #window;
  #size;
  #view;

  constructor(box, source, size, view, changed) {
    this.#box = box;
    this.#map = box.firstElementChild;
    this.#window = box.querySelector("span");
    this.#size = size;
    this.#view = view;
    if (source) box.querySelector("img").src = source;
    const go = (event) => {
      if (event.buttons === 0) return;
      const { x, y } = this.#imagePoint(event);
      view.advance(event.timeStamp / 1000);
      view.center(x, y);
      changed();
    };
    box.addEventListener("pointerdown", (event) => {
      box.setPointerCapture(event.pointerId);
      go(event);
    });
    box.addEventListener("pointermove", go);
  }

  /** Shows the visible part. Hidden if the whole image is visible. */
  update(part) {
    const { width, height } = this.#size;
    this.#box.hidden = part.width >= width && part.height >= height;
    if (this.#box.hidden) return;
    const scale = Math.min(LENGTH, SHARE * Math.min(innerWidth, innerHeight)) / Math.max(width, height);
    const [across, down] = [Math.max(8, width * scale), Math.max(8, height * scale)];
    const turns = this.#view.rotation % 180 !== 0;
    const [boxWidth, boxHeight] = turns ? [down, across] : [across, down];
    Object.assign(this.#box.style, { width: `${boxWidth + 10}px`, height: `${boxHeight + 10}px` });
    Object.assign(this.#map.style, {
      width: `${across}px`, height: `${down}px`, transform: `translate(-50%, -50%) rotate(${this.#view.rotation}deg)`,
    });
    const percent = (value, whole) => `${(value / whole) * 100}%`;
    Object.assign(this.#window.style, {
      left: percent(part.x, width), top: percent(part.y, height),
      width: percent(part.width, width), height: percent(part.height, height),
    });
  }

  /** The image point under the pointer. The map is rotated with the image. */
  #imagePoint({ clientX, clientY }) {
    const box = this.#map.getBoundingClientRect();
    const across = (clientX - box.left) / box.width;
    const down = (clientY - box.top) / box.height;
    const { width, height } = this.#size;
    const shares = { 0: [across, down], 90: [down, 1 - across], 180: [1 - across, 1 - down], 270: [1 - down, across] };
    const [x, y] = shares[this.#view.rotation];
    return { x: x * width, y: y * height };
  }
}
